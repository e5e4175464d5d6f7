package emulator_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// seenValue is what was seen in one place of recorded answers: how often, of which types, and what is inside.
type seenValue struct {
	types   map[string]int
	texts   map[string]bool // a few different texts
	fields  map[string]*seenValue
	objects int
	items   *seenValue
}

func newSeenValue() *seenValue {
	return &seenValue{types: map[string]int{}, texts: map[string]bool{}, fields: map[string]*seenValue{}}
}

// dataKeyed are the fields whose objects have data as names: each field of them has the schema of all.
var dataKeyed = []string{"custom_attributes", "ticket_attributes"}

// keptTexts is more than the constants of a place.
const keptTexts = 3

// see takes a decoded value, whose numbers are json.Number.
func (s *seenValue) see(name string, value any) {
	switch v := value.(type) {
	case nil:
		s.types["null"]++
	case bool:
		s.types["boolean"]++
	case string:
		s.types["string"]++
		if len(s.texts) < keptTexts {
			s.texts[v] = true
		}
	case json.Number:
		kind := "integer"
		if strings.ContainsAny(v.String(), ".eE") {
			kind = "number"
		}
		s.types[kind]++
	case []any:
		s.types["array"]++
		for _, item := range v {
			if s.items == nil {
				s.items = newSeenValue()
			}
			s.items.see(name, item)
		}
	case map[string]any:
		s.types["object"]++
		s.objects++
		for field, inner := range v {
			if slices.Contains(dataKeyed, name) {
				field = "*"
			}
			if s.fields[field] == nil {
				s.fields[field] = newSeenValue()
			}
			s.fields[field].see(field, inner)
		}
	}
}

// kind is the word of the field type, where all objects of a place have the same one.
func (s *seenValue) kind() string {
	if f := s.fields["type"]; f != nil && len(f.texts) == 1 && len(f.types) == 1 && f.types["string"] > 0 {
		return slices.Collect(maps.Keys(f.texts))[0]
	}
	return ""
}

// merge adds what was seen in another place.
func (s *seenValue) merge(of *seenValue) {
	for t, n := range of.types {
		s.types[t] += n
	}
	for text := range of.texts {
		s.texts[text] = true
	}
	s.objects += of.objects
	if of.items != nil {
		if s.items == nil {
			s.items = newSeenValue()
		}
		s.items.merge(of.items)
	}
	for name, f := range of.fields {
		if s.fields[name] == nil {
			s.fields[name] = newSeenValue()
		}
		s.fields[name].merge(f)
	}
}

// seenKinds are objects by their kind, of all places together: a field that one place has only seen empty is filled in another. Under * are
// the values of custom attributes, whatever has them.
type seenKinds struct {
	all    map[string]*seenValue
	places map[string][]*seenValue
}

func newSeenKinds() seenKinds { return seenKinds{map[string]*seenValue{}, map[string][]*seenValue{}} }

// always reports whether each object of a place had a field.
func (s *seenValue) always(name string) bool {
	seen := 0
	for _, n := range s.fields[name].types {
		seen += n
	}
	return seen == s.objects
}

// always reports whether no other place, whose objects have all fields of one, has seen an object of the kind without a field.
func (k seenKinds) always(of *seenValue, name string) bool {
	return !slices.ContainsFunc(k.places[of.kind()], func(other *seenValue) bool {
		for field := range of.fields {
			if other.fields[field] == nil {
				return false
			}
		}
		return !other.always(name)
	})
}

func (k seenKinds) collect(s *seenValue) {
	if kind := s.kind(); kind != "" && kind != "list" {
		if k.all[kind] == nil {
			k.all[kind] = newSeenValue()
		}
		k.all[kind].merge(s)
		k.places[kind] = append(k.places[kind], s)
	}
	if open := s.fields["*"]; open != nil {
		if k.all["*"] == nil {
			k.all["*"] = newSeenValue()
		}
		k.all["*"].merge(open)
	}
	for _, f := range s.fields {
		k.collect(f)
	}
	if s.items != nil {
		k.collect(s.items)
	}
}

// schema is the JSON schema of what was seen. Which fields are required is as in this place, what they are as in all places of the kind.
func (s *seenValue) schema(kinds seenKinds) m {
	types := slices.Sorted(maps.Keys(s.types))
	if slices.Contains(types, "number") {
		types = slices.DeleteFunc(types, func(t string) bool { return t == "integer" })
	}
	out := m{"type": types}
	if len(types) == 1 {
		out["type"] = types[0]
	}
	if s.items != nil {
		out["items"] = s.items.schema(kinds)
	}
	if open := s.fields["*"]; open != nil {
		if all := kinds.all["*"]; all != nil {
			open = all
		}
		out["additionalProperties"] = open.schema(kinds)
	} else if len(s.fields) > 0 {
		properties, required := m{}, []string{}
		for _, name := range slices.Sorted(maps.Keys(s.fields)) {
			f := s.fields[name]
			of := f
			if all := kinds.all[s.kind()]; all != nil {
				of = all.fields[name]
			}
			one := of.schema(kinds)
			if name == "type" && s.kind() != "" {
				one = m{"const": s.kind()}
			}
			properties[name] = one
			if s.always(name) && kinds.always(s, name) {
				required = append(required, name)
			}
		}
		out["properties"] = properties
		if len(required) > 0 {
			out["required"] = required
		}
	}
	return out
}

// sharedSchemas moves objects with the same schema in several places into components, the innermost first.
type sharedSchemas struct {
	count map[string]int
	names map[string]string // by the schema's text
	made  m
}

const leastShared = 4 // fields of a schema that is worth a name

func schemaText(schema m) string {
	text, err := json.Marshal(schema)
	if err != nil {
		panic(err) // it has maps, lists and texts alone
	}
	return string(text)
}

func isShareable(schema m) bool {
	fields, _ := schema["properties"].(m)
	return len(fields) >= leastShared
}

// eachInner replaces each schema inside one.
func eachInner(schema m, name string, f func(inner m, name string) m) {
	if fields, ok := schema["properties"].(m); ok {
		for _, field := range slices.Sorted(maps.Keys(fields)) {
			fields[field] = f(fields[field].(m), field)
		}
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if inner, ok := schema[key].(m); ok {
			schema[key] = f(inner, name)
		}
	}
}

func (s *sharedSchemas) tally(schema m, name string) m {
	eachInner(schema, name, s.tally)
	if isShareable(schema) {
		s.count[schemaText(schema)]++
	}
	return schema
}

func (s *sharedSchemas) share(schema m, name string) m {
	text := schemaText(schema)
	eachInner(schema, name, s.share)
	if !isShareable(schema) || s.count[text] < 2 {
		return schema
	}
	known, ok := s.names[text]
	if !ok {
		kind, _ := schema["properties"].(m)["type"].(m)
		if word, is := kind["const"].(string); is && word != "list" && word != "pages" {
			name = word
		}
		known = pascalCase(name)
		for n := 2; s.made[known] != nil; n++ {
			known = fmt.Sprint(pascalCase(name), n)
		}
		s.names[text], s.made[known] = known, schema
	}
	return m{"$ref": "#/components/schemas/" + known}
}

func pascalCase(text string) string {
	var out strings.Builder
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '_' || r == '.' || r == ' ' }) {
		out.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return out.String()
}
