package fault

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"aqueduck/internal/emulator/event"
)

// A Game is what is done to the JSON of a good answer, so that it is still an answer, but one to be read with care.
type Game string

// The games, and the traps that they play. Ids, types and what leads to the next page stay as they are.
const (
	GameUTF8    Game = "utf8"    // texts hold bytes that are no UTF-8, halves of surrogate pairs and NUL (traps T126, T127)
	GameNumbers Game = "numbers" // integers are written as 1.0, 1e0 and "1", and mean the same (trap T125)
	GameKeys    Game = "keys"    // a record has a name twice, and one of its names in capitals (trap T128)
	GameDepth   Game = "depth"   // a record holds lists 20,000 deep (trap T129)
	GameSize    Game = "size"    // the answer is 80 MB, which compress to little (trap T130)
	GameUnknown Game = "unknown" // records have fields that nobody has told of (trap T122)
	GameMorph   Game = "morph"   // a text of a record is an object all at once (trap T123)
)

var games = []Game{GameUTF8, GameNumbers, GameKeys, GameDepth, GameSize, GameUnknown, GameMorph}

const (
	gameDepth = 20_000
	gameSize  = 80 << 20
)

// play gives the answer with the game played at some of its places, or as it is where it has none.
func (g Game) play(body []byte, r *event.RNG) []byte {
	if g == GameSize {
		end := bytes.LastIndexByte(body, '}')
		if end < 0 {
			return body
		}
		return append(append(bytes.Clone(body[:end]), bytes.Repeat([]byte{' '}, gameSize)...), body[end:]...)
	}
	var out []byte
	from := 0
	for _, s := range g.spots(body) {
		if !r.Chance(0.1) && from > 0 {
			continue // always the first, and then one of ten
		}
		out = append(append(out, body[from:s.start]...), g.instead(body[s.start:s.end], s.name, r)...)
		from = s.end
	}
	return append(out, body[from:]...)
}

// spot is a piece of an answer that a game may be played with: a value by its name, or the opening of a record.
type spot struct {
	name       string
	start, end int
}

// spots finds the pieces that the game is about. Records are the objects that have a type and are in a list.
func (g Game) spots(body []byte) []spot {
	var found []spot
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
					found = append(found, spot{start: end, end: end})
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
			if inObject && g.ofTexts() && !keeps(name) && len(open) > 2 {
				if start := bytes.LastIndexByte(body[:end-1], '"'); start >= 0 && !strings.ContainsAny(v, `"\`) {
					found = append(found, spot{name, start, end})
				}
			}
		case float64:
			if inObject && g == GameNumbers && !keeps(name) && len(open) > 2 {
				start := end
				for start > 0 && strings.IndexByte("+-.0123456789eE", body[start-1]) >= 0 {
					start--
				}
				found = append(found, spot{name, start, end})
			}
		}
		isName = len(open) > 0 && open[len(open)-1] == '{'
	}
}

func (g Game) ofRecords() bool {
	return g == GameKeys || g == GameDepth || g == GameUnknown
}

func (g Game) ofTexts() bool { return g == GameUTF8 || g == GameMorph }

// keeps says that a field is left alone: without it a record is nobody's, or a list ends.
func keeps(name string) bool {
	switch name {
	case "type", "id", "url", "next", "starting_after", "role", "status", "state":
		return true
	}
	return strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "_type")
}

// instead is what takes the place of a piece.
func (g Game) instead(piece []byte, name string, r *event.RNG) []byte {
	switch g {
	case GameUTF8:
		bad := []string{"\xff\xfe", `\ud800`, `\u0000`}[r.N(3)]
		return fmt.Appendf(nil, `"%s%s"`, piece[1:len(piece)-1], bad)
	case GameNumbers:
		if _, err := strconv.ParseInt(string(piece), 10, 64); err != nil {
			return piece
		}
		return fmt.Appendf(nil, []string{"%s.0", "%se0", `"%s"`}[r.N(3)], piece)
	case GameMorph:
		return fmt.Appendf(nil, `{"value":%s}`, piece)
	case GameKeys:
		return []byte(`"updated_at":1,"UPDATED_AT":2,`)
	case GameDepth:
		return fmt.Appendf(nil, `"deep":%s%s,`, strings.Repeat("[", gameDepth), strings.Repeat("]", gameDepth))
	case GameUnknown:
		return []byte(`"not_yet_told":{"of":[1,"x",null]},`)
	}
	return piece
}
