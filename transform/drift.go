package transform

import (
	"bytes"
	"strings"
)

// maxDrift bounds what one decoder tells: objects keyed by ids would bring a field a record.
const maxDrift = 500

// driftLog is what a decoder has met that its file does not know. Each is told once.
type driftLog struct {
	known      map[SchemaDrift]bool
	unreported []SchemaDrift
}

// noteField notes a field of an object that no column takes.
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

// noteMisfit notes a value that its column does not hold. A number that even a column of doubles would round is as good as a text.
func (s *driftLog) noteMisfit(table string, c *columnPlan, path string, raw []byte) {
	kind := typeOf(raw)
	if kind == "int" && c.kind != kindBool {
		kind = "text"
	}
	s.addDrift(SchemaDrift{Table: table, Column: c.name, Path: path, Type: kind})
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

// typeOf is what a value that is not null is.
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
