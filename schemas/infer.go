package schemas

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Field is a path in records, with the column for it.
type Field struct {
	Column   Column // Name, From, Type and PII, as far as the records show
	Seen     int    // records with a value that is not null
	Example  string // one value as JSON
	Distinct bool   // no two records have the same value
	Constant bool   // a `type` with the same value in every record: for `ignore`
	Unnamed  string // why no column can have this path; "" when one can
}

// Line is the column as a line under `columns:` of a stream file.
func (f Field) Line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "- {name: %s, ", scalarText(f.Column.Name))
	if path := strings.Join(f.Column.From, "."); path != f.Column.Name {
		fmt.Fprintf(&b, "from: %s, ", scalarText(path))
	}
	fmt.Fprintf(&b, "type: %s", f.Column.Type)
	if f.Column.Person {
		b.WriteString(", person: true")
	}
	if f.Column.PII {
		b.WriteString(", pii: true")
	}
	return b.String() + "}"
}

// Infer finds columns for JSON objects: one for each scalar or list. An object with the same keys everywhere gives columns for
// its fields, any other object one column. taken are names that the columns must not have.
func Infer(records [][]byte, taken []string) []Field {
	root := &valueShape{}
	for _, raw := range records {
		root.addValue(raw)
	}
	names := map[string]bool{}
	for _, name := range taken {
		names[name] = true
	}
	var list []Field
	for _, s := range root.leafShapes(0) {
		f := s.inferField()
		f.Column.Name = freeName(columnOf(s.path), names)
		names[f.Column.Name] = true
		list = append(list, f)
	}
	return list
}

// valueShape is what the values at one path have in common.
type valueShape struct {
	path    []string
	seen    int
	kinds   map[string]int // number of values by kindOf
	objects int
	fields  []*valueShape // of the objects, in the order seen
	value   string        // the first value
	various bool          // not all values are equal
	values  map[string]bool
}

// addValue adds one value.
func (s *valueShape) addValue(raw []byte) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] == 'n' {
		return
	}
	s.seen++
	if s.value == "" {
		s.value = string(raw)
	}
	s.various = s.various || s.value != string(raw)
	if s.kinds == nil {
		s.kinds, s.values = map[string]int{}, map[string]bool{}
	}
	if raw[0] != '{' {
		s.kinds[kindOf(raw)]++
		s.values[string(raw)] = true
		return
	}
	s.objects++
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		return
	}
	for d.More() {
		key, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			return
		}
		s.fieldShape(key.(string)).addValue(value)
	}
}

func (s *valueShape) fieldShape(key string) *valueShape {
	i := slices.IndexFunc(s.fields, func(f *valueShape) bool { return f.path[len(f.path)-1] == key })
	if i < 0 {
		i = len(s.fields)
		s.fields = append(s.fields, &valueShape{path: append(slices.Clone(s.path), key)})
	}
	return s.fields[i]
}

const (
	deepest   = 3  // levels of nested objects whose fields become columns
	mostParts = 20 // keys of such an object: one with more is free-form
)

// leafShapes are the shapes that become columns.
func (s *valueShape) leafShapes(depth int) []*valueShape {
	if depth > 0 && !s.isFixedObject(depth) {
		return []*valueShape{s}
	}
	var list []*valueShape
	for _, f := range s.fields {
		list = append(list, f.leafShapes(depth+1)...)
	}
	return list
}

// isFixedObject reports whether all values are objects with keys like those of a program, not like data.
func (s *valueShape) isFixedObject(depth int) bool {
	if s.objects == 0 || s.objects < s.seen || depth > deepest || len(s.fields) > mostParts {
		return false
	}
	return !slices.ContainsFunc(s.fields, func(f *valueShape) bool { return !plainKey.MatchString(f.path[len(f.path)-1]) })
}

var (
	plainKey  = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	plainText = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)
	timeName  = regexp.MustCompile(`(_at|_time|_since|_until|^date|_date)$`)
	personal  = regexp.MustCompile(`email|phone`)
)

func (s *valueShape) inferField() Field {
	name := s.path[len(s.path)-1]
	f := Field{Column: Column{From: s.path, Type: s.columnType(), PII: s.columnType() == Text && personal.MatchString(strings.Join(s.path, "_"))}, Seen: s.seen, Example: s.value,
		Distinct: len(s.values) == s.seen}
	f.Column.Person = name == "contact_id" && f.Column.Type == Text
	f.Constant = name == "type" && f.Column.Type == Text && !s.various && s.seen > 0
	if err := dotted.Check(strings.Join(s.path, ".")); err != nil || slices.ContainsFunc(s.path, func(key string) bool { return strings.ContainsAny(key, ". \t\n$") || key == "" }) {
		f.Unnamed = "a path cannot name it: it stays in _extra"
	}
	return f
}

// columnType is the narrowest type that fits all values. An id is always a text.
func (s *valueShape) columnType() Type {
	name := s.path[len(s.path)-1]
	only := func(kinds ...string) bool {
		n := 0
		for _, kind := range kinds {
			n += s.kinds[kind]
		}
		return n > 0 && n == s.seen
	}
	switch {
	case s.objects > 0 || s.kinds["list"] > 0:
		return JSON
	case name == "id" || strings.HasSuffix(name, "_id"):
		return Text
	case only("instant", "moment") && (timeName.MatchString(name) || s.kinds["moment"] > 0):
		return Timestamp
	case only("int", "instant"):
		return Int
	case only("int", "instant", "double"):
		return Double
	case only("bool"):
		return Bool
	case only("date"):
		return Date
	}
	return Text
}

// kindOf is the kind of a scalar or a list. An instant is a number of seconds between 2000 and 2100, a moment an ISO 8601 text.
func kindOf(raw []byte) string {
	switch raw[0] {
	case '[':
		return "list"
	case 't', 'f':
		return "bool"
	case '"':
		var text string
		if json.Unmarshal(raw, &text) != nil {
			return "text"
		}
		if _, err := time.Parse(time.RFC3339, text); err == nil {
			return "moment"
		}
		if _, err := time.Parse(time.DateOnly, text); err == nil {
			return "date"
		}
		return "text"
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	switch {
	case err == nil && n >= 946684800 && n < 4102444800: // 2000 to 2100
		return "instant"
	case err == nil:
		return "int"
	case bytes.ContainsAny(raw, ".eE"):
		return "double"
	}
	return "text" // a whole number that 64 bits do not hold
}

// columnOf makes a column name from a path. It drops a final `data`, which is only the envelope of a list.
func columnOf(path []string) string {
	if last := len(path) - 1; last > 0 && path[last] == "data" {
		path = path[:last]
	}
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '_'
	}, strings.Join(path, "_"))
	const longest = 56 // leaves room for a number
	if name == "" || name[0] < 'a' || name[0] > 'z' {
		name = "field_" + strings.TrimLeft(name, "_")
	}
	return strings.TrimRight(name[:min(len(name), longest)], "_")
}

// freeName is the name, with a number if another column has it.
func freeName(name string, others map[string]bool) string {
	if !others[name] {
		return name
	}
	for n := 2; ; n++ {
		if numbered := fmt.Sprintf("%s_%d", name, n); !others[numbered] {
			return numbered
		}
	}
}

// scalarText writes a text as a scalar in a YAML flow collection.
func scalarText(text string) string {
	if plainText.MatchString(text) && !slices.Contains([]string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}, strings.ToLower(text)) {
		return text
	}
	return strconv.Quote(text)
}
