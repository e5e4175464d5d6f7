package transform

import (
	"bytes"
	"strings"

	"aqueduck/schemas"
)

// maxDrift bounds the reports of one decoder: objects keyed by ids would bring a new field with every record.
const maxDrift = 500

// maxWords bounds the reports of one column: a column with more new words has no closed list.
const maxWords = 20

// driftLog collects the fields, types and words that the stream file does not declare. Each is reported once.
type driftLog struct {
	known      map[SchemaDrift]bool
	unreported []SchemaDrift
}

// noteField notes a field without a column.
func (s *driftLog) noteField(n *objectNode, name, raw []byte) {
	if raw[0] == 'n' || n.met[string(name)] || len(s.known) >= maxDrift {
		return
	}
	if n.met == nil {
		n.met = map[string]bool{}
	}
	n.met[string(name)] = true
	path := []string{string(name)}
	for at := n; at.parent != nil; at = at.parent {
		path = append([]string{string(at.name)}, path...)
	}
	s.addDrift(SchemaDrift{Table: n.of.table.Name, Path: strings.Join(path, "."), Type: typeOf(raw)})
}

// noteRejected notes a value that its column rejects. A number that a double column would round too counts as a text.
func (s *driftLog) noteRejected(table string, c *columnPlan, path string, raw []byte) {
	kind := typeOf(raw)
	if kind == "int" && c.kind != kindBool {
		kind = "text"
	}
	s.addDrift(SchemaDrift{Table: table, Column: c.name, Path: path, Type: kind})
}

// noteWord notes a value of a column with declared words that is none of them. A value that does not look like a word may be anything, so the note
// does not repeat it.
func (s *driftLog) noteWord(table string, c *columnPlan, path string, value []byte) {
	if len(value) == 0 || c.words[string(value)] || len(c.newWords) >= maxWords || c.newWords[string(value)] {
		return
	}
	if c.newWords == nil {
		c.newWords = map[string]bool{}
	}
	c.newWords[string(value)] = true
	word := string(value)
	if !schemas.IsWord(word) {
		word = "a value that is no word"
	}
	s.addDrift(SchemaDrift{Table: table, Column: c.name, Path: path, Type: DriftWord, Word: word})
}

func (s *driftLog) addDrift(n SchemaDrift) {
	if s.known[n] || len(s.known) >= maxDrift {
		return
	}
	if s.known == nil {
		s.known = map[SchemaDrift]bool{}
	}
	s.known[n] = true
	s.unreported = append(s.unreported, n)
}

func (s *driftLog) takeDrift() []SchemaDrift {
	fresh := s.unreported
	s.unreported = nil
	return fresh
}

// typeOf is the JSON type of a value that is not null.
func typeOf(raw []byte) string {
	switch raw[0] {
	case '{':
		return "object"
	case '[':
		return "list"
	case '"':
		return "text"
	case 't', 'f':
		return "bool"
	}
	if bytes.ContainsAny(raw, ".eE") {
		return "double"
	}
	return "int"
}
