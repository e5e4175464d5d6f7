package fault

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"aqueduck/internal/emulator/event"
)

// Mangling is a change to the JSON of a good answer. The answer stays readable, but only for a careful reader.
type Mangling string

// The manglings, and the traps that they test. Ids, types and the link to the next page stay unchanged.
const (
	MangleUTF8    Mangling = "utf8"    // texts contain bytes that are not UTF-8, halves of surrogate pairs and NUL (traps T126, T127)
	MangleNumbers Mangling = "numbers" // integers are written as 1.0, 1e0 and "1", and mean the same (trap T125); not in what is stored as sent
	MangleKeys    Mangling = "keys"    // a record has one name twice, and one of its names in capitals (trap T128)
	MangleDepth   Mangling = "depth"   // a record contains lists 20,000 deep (trap T129)
	MangleSize    Mangling = "size"    // the answer is 80 MB, which compress to little (trap T130)
	MangleUnknown Mangling = "unknown" // records have undocumented fields (trap T122)
	MangleMorph   Mangling = "morph"   // a text of a record is an object (trap T123)
)

var manglings = []Mangling{MangleUTF8, MangleNumbers, MangleKeys, MangleDepth, MangleSize, MangleUnknown, MangleMorph}

const (
	mangledDepth = 20_000
	mangledSize  = 80 << 20
)

// mangleBody returns the answer with some of its spots mangled, or unchanged when it has no spot.
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
			continue // the first spot always, and then one in ten
		}
		out = append(append(out, body[from:s.start]...), g.mangledPiece(body[s.start:s.end], s.name, r)...)
		from = s.end
	}
	return append(out, body[from:]...)
}

// mangleSpot is a piece of an answer that can be mangled: a named value, or the opening of a record.
type mangleSpot struct {
	name       string
	start, end int
}

// findSpots finds the pieces that the mangling applies to. Records are the objects that have a type and are in a list.
func (g Mangling) findSpots(body []byte) []mangleSpot {
	var found []mangleSpot
	dec := json.NewDecoder(bytes.NewReader(body))
	var open []json.Delim
	own := 0 // depth of the value stored as sent that this is in; 0: in none
	name, isName := "", false
	for {
		token, err := dec.Token()
		if err != nil {
			return found // end of the body
		}
		end := int(dec.InputOffset())
		inObject := len(open) > 0 && open[len(open)-1] == '{'
		switch v := token.(type) {
		case json.Delim:
			switch v {
			case '{', '[':
				open = append(open, v)
				if own == 0 && inObject && isStoredAsSent(name) {
					own = len(open)
				}
				if v == '{' && own == 0 && len(open) > 2 && open[len(open)-2] == '[' && g.ofRecords() {
					found = append(found, mangleSpot{start: end, end: end})
				}
				isName = v == '{'
				continue
			}
			if open = open[:len(open)-1]; len(open) < own {
				own = 0
			}
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
			if inObject && g == MangleNumbers && own == 0 && !isProtectedField(name) && len(open) > 2 {
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

// isProtectedField reports whether a field stays unchanged: without it a record has no id, or a list ends early.
func isProtectedField(name string) bool {
	switch name {
	case "type", "id", "url", "next", "starting_after", "role", "status", "state":
		return true
	}
	return strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "_type")
}

// isStoredAsSent reports whether an object or list has no form but its own: a number there that is sent as text, or another field, is another
// value.
func isStoredAsSent(name string) bool {
	switch name {
	case "custom_attributes", "ticket_attributes", "metadata", "event_details", "event_data", "updated_attribute_data", "collected_data",
		"reasons", "options", "input_options", "json_blocks":
		return true
	}
	return false
}

// mangledPiece returns the replacement of a piece.
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
