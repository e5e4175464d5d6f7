package fault

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"aqueduck/internal/emulator/event"
)

// A Mangling is what is done to the JSON of a good answer, so that it is still an answer, but one to be read with care.
type Mangling string

// The games, and the traps that they play. Ids, types and what leads to the next page stay as they are.
const (
	MangleUTF8    Mangling = "utf8"    // texts hold bytes that are no UTF-8, halves of surrogate pairs and NUL (traps T126, T127)
	MangleNumbers Mangling = "numbers" // integers are written as 1.0, 1e0 and "1", and mean the same (trap T125)
	MangleKeys    Mangling = "keys"    // a record has a name twice, and one of its names in capitals (trap T128)
	MangleDepth   Mangling = "depth"   // a record holds lists 20,000 deep (trap T129)
	MangleSize    Mangling = "size"    // the answer is 80 MB, which compress to little (trap T130)
	MangleUnknown Mangling = "unknown" // records have fields that nobody has told of (trap T122)
	MangleMorph   Mangling = "morph"   // a text of a record is an object all at once (trap T123)
)

var manglings = []Mangling{MangleUTF8, MangleNumbers, MangleKeys, MangleDepth, MangleSize, MangleUnknown, MangleMorph}

const (
	mangledDepth = 20_000
	mangledSize  = 80 << 20
)

// mangleBody gives the answer with the game played at some of its places, or as it is where it has none.
func (g Mangling) mangleBody(body []byte, r *event.RNG) []byte {
	if g == MangleSize {
		end := bytes.LastIndexByte(body, '}')
		if end < 0 {
			return body
		}
		return append(append(bytes.Clone(body[:end]), bytes.Repeat([]byte{' '}, mangledSize)...), body[end:]...)
	}
	var out []byte
	from := 0
	for _, s := range g.findSpots(body) {
		if !r.Chance(0.1) && from > 0 {
			continue // always the first, and then one of ten
		}
		out = append(append(out, body[from:s.start]...), g.mangledPiece(body[s.start:s.end], s.name, r)...)
		from = s.end
	}
	return append(out, body[from:]...)
}

// mangleSpot is a piece of an answer that a game may be played with: a value by its name, or the opening of a record.
type mangleSpot struct {
	name       string
	start, end int
}

// findSpots finds the pieces that the game is about. Records are the objects that have a type and are in a list.
func (g Mangling) findSpots(body []byte) []mangleSpot {
	var found []mangleSpot
	dec := json.NewDecoder(bytes.NewReader(body))
	var open []json.Delim
	name, isName := "", false
	for {
		token, err := dec.Token()
		if err != nil {
			return found // the end
		}
		end := int(dec.InputOffset())
		inObject := len(open) > 0 && open[len(open)-1] == '{'
		switch v := token.(type) {
		case json.Delim:
			switch v {
			case '{', '[':
				if v == '{' && len(open) > 1 && open[len(open)-1] == '[' && g.ofRecords() {
					found = append(found, mangleSpot{start: end, end: end})
				}
				open = append(open, v)
				isName = v == '{'
				continue
			}
			open = open[:len(open)-1]
		case string:
			if inObject && isName {
				name, isName = v, false
				continue
			}
			if inObject && g.ofTexts() && !isProtectedField(name) && len(open) > 2 {
				if start := bytes.LastIndexByte(body[:end-1], '"'); start >= 0 && !strings.ContainsAny(v, `"\`) {
					found = append(found, mangleSpot{name, start, end})
				}
			}
		case float64:
			if inObject && g == MangleNumbers && !isProtectedField(name) && len(open) > 2 {
				start := end
				for start > 0 && strings.IndexByte("+-.0123456789eE", body[start-1]) >= 0 {
					start--
				}
				found = append(found, mangleSpot{name, start, end})
			}
		}
		isName = len(open) > 0 && open[len(open)-1] == '{'
	}
}

func (g Mangling) ofRecords() bool {
	return g == MangleKeys || g == MangleDepth || g == MangleUnknown
}

func (g Mangling) ofTexts() bool { return g == MangleUTF8 || g == MangleMorph }

// isProtectedField says that a field is left alone: without it a record is nobody's, or a list ends.
func isProtectedField(name string) bool {
	switch name {
	case "type", "id", "url", "next", "starting_after", "role", "status", "state":
		return true
	}
	return strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "_type")
}

// mangledPiece is what takes the place of a piece.
func (g Mangling) mangledPiece(piece []byte, name string, r *event.RNG) []byte {
	switch g {
	case MangleUTF8:
		bad := []string{"\xff\xfe", `\ud800`, `\u0000`}[r.IntN(3)]
		return fmt.Appendf(nil, `"%s%s"`, piece[1:len(piece)-1], bad)
	case MangleNumbers:
		if _, err := strconv.ParseInt(string(piece), 10, 64); err != nil {
			return piece
		}
		return fmt.Appendf(nil, []string{"%s.0", "%se0", `"%s"`}[r.IntN(3)], piece)
	case MangleMorph:
		return fmt.Appendf(nil, `{"value":%s}`, piece)
	case MangleKeys:
		return []byte(`"updated_at":1,"UPDATED_AT":2,`)
	case MangleDepth:
		return fmt.Appendf(nil, `"deep":%s%s,`, strings.Repeat("[", mangledDepth), strings.Repeat("]", mangledDepth))
	case MangleUnknown:
		return []byte(`"not_yet_told":{"of":[1,"x",null]},`)
	}
	return piece
}
