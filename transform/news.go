package transform

import (
	"bytes"
	"strings"
)

// mostNews bounds what one decoder tells: objects keyed by ids would bring a field a record.
const mostNews = 500

// news is what a decoder has met that its file does not know. Each is told once.
type news struct {
	known map[News]bool
	fresh []News
}

// field notes a field of an object that no column takes.
func (s *news) field(n *node, name, raw []byte) {
	if raw[0] == 'n' || n.met[string(name)] || len(s.known) >= mostNews {
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
	s.tell(News{Table: n.of.table.Name, Path: strings.Join(path, "."), Type: typeOf(raw)})
}

// misfit notes a value that its column does not hold. A number that even a column of doubles would round is as good as a text.
func (s *news) misfit(table string, c *column, path string, raw []byte) {
	kind := typeOf(raw)
	if kind == "int" && c.kind != kindBool {
		kind = "text"
	}
	s.tell(News{Table: table, Column: c.name, Path: path, Type: kind})
}

func (s *news) tell(n News) {
	if s.known[n] || len(s.known) >= mostNews {
		return
	}
	if s.known == nil {
		s.known = map[News]bool{}
	}
	s.known[n] = true
	s.fresh = append(s.fresh, n)
}

func (s *news) take() []News {
	fresh := s.fresh
	s.fresh = nil
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
