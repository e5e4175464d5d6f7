// Package formtest compares the JSON Schema of a grammar with the grammar's own check.
package formtest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"aqueduck/internal/grammar"
)

// SchemaPair is one form of files, told by a grammar and by the JSON Schema that is made of it.
type SchemaPair struct {
	t         testing.TB
	spec      *grammar.Spec
	variables bool
	schema    *jsonschema.Schema
}

// New makes the schema. What only a function of the grammar finds is left out: no schema can say it.
func New(t testing.TB, spec *grammar.Spec, variables bool) *SchemaPair {
	t.Helper()
	text, err := spec.JSONSchema("files", variables)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft4) // so that the schema's own word for its draft is what counts
	if err := c.AddResource("files.json", document); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("files.json")
	if err != nil {
		t.Fatal(err)
	}
	if got := compiled.DraftVersion; got != 7 {
		t.Fatalf("it is of draft %d", got)
	}
	return &SchemaPair{t: t, spec: formOnly(spec), variables: variables, schema: compiled}
}

// formOnly is a grammar without its functions.
func formOnly(s *grammar.Spec) *grammar.Spec {
	copied := *s
	copied.Check = nil
	copied.Keys = make([]grammar.Spec, len(s.Keys))
	for i := range s.Keys {
		copied.Keys[i] = *formOnly(&s.Keys[i])
	}
	if s.Item != nil {
		copied.Item = formOnly(s.Item)
	}
	return &copied
}

// Validate are what the two say of a file, nil for nothing. The file is one that an editor can read: there is false.
func (p *SchemaPair) Validate(text []byte) (check, schema error, there bool) {
	instance, there := instanceOf(text)
	if !there {
		return nil, nil, false
	}
	var report grammar.Report
	report.Read("file.yaml", text, p.spec, func(text string) (string, error) {
		if p.variables && strings.Contains(text, "${") {
			return "", grammar.ErrUnknown
		}
		return text, nil
	})
	return report.Err(), p.schema.Validate(instance), true
}

// CheckAgreement fails the test where one of the two finds something and the other does not.
func (p *SchemaPair) CheckAgreement(name string, text []byte) {
	p.t.Helper()
	check, schema, there := p.Validate(text)
	if there && (check == nil) != (schema == nil) {
		p.t.Errorf("%s: the check says %v\nthe schema says %v\n%s", name, check, schema, text)
	}
}

// CheckVariants holds the two against one another over a file, and every n-th of its variants. A variant of a kind that is known to
// differ is one of which either says one of these texts.
func (p *SchemaPair) CheckVariants(text []byte, n int, differs ...string) {
	p.t.Helper()
	p.CheckAgreement("the file", text)
	for i, variant := range fileVariants(p.t, text, n) {
		check, schema, _ := p.Validate(variant)
		said := fmt.Sprint(check, schema)
		if slices.ContainsFunc(differs, func(text string) bool { return strings.Contains(said, text) }) {
			continue
		}
		p.CheckAgreement(fmt.Sprintf("variant %d", i*n), variant)
	}
}

// instanceOf is a file as an editor reads it; false where that is no one document of keys that are texts, each once.
func instanceOf(text []byte) (any, bool) {
	loader, err := yaml.NewLoader(bytes.NewReader(text))
	if err != nil {
		return nil, false
	}
	var first, second yaml.Node
	if loader.Load(&first) != nil || loader.Load(&second) == nil || len(first.Content) != 1 {
		return nil, false
	}
	budget := 5000 // values: aliases of aliases are many
	return decodeNode(first.Content[0], &budget)
}

func decodeNode(n *yaml.Node, budget *int) (any, bool) {
	if *budget--; *budget < 0 {
		return nil, false
	}
	switch n.Kind {
	case yaml.AliasNode:
		return decodeNode(n.Alias, budget)
	case yaml.SequenceNode:
		list := []any{}
		for _, item := range n.Content {
			v, ok := decodeNode(item, budget)
			if !ok {
				return nil, false
			}
			list = append(list, v)
		}
		return list, true
	case yaml.MappingNode:
		object := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			v, ok := decodeNode(n.Content[i+1], budget)
			if _, twice := object[key.Value]; !ok || twice || key.Kind != yaml.ScalarNode || key.Tag == "!!merge" || key.Tag == "!!null" {
				return nil, false
			}
			object[key.Value] = v
		}
		return object, true
	}
	if n.Tag == "!!timestamp" {
		return n.Value, true
	}
	var v any
	err := n.Decode(&v)
	return v, err == nil
}

// otherValues are values of each kind, one of which replaces a value of a file.
func otherValues(t testing.TB) (values []yaml.Node) {
	t.Helper()
	for _, written := range []string{"~", "text", "5", "-3", "0", "true", "1.5", "2026-01-31", "90m", "[]", "[text]", "[~]", "{}", "{a: b}", `"${VAR}"`, `"5"`, `""`} {
		var n yaml.Node
		if err := yaml.Unmarshal([]byte(written), &n); err != nil {
			t.Fatal(err)
		}
		values = append(values, *n.Content[0])
	}
	return values
}

// fileVariants are every n-th of the files that differ from one by one change each: another kind of value, a key left out, added or
// misspelled.
func fileVariants(t testing.TB, text []byte, n int) (all [][]byte) {
	t.Helper()
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	seen := 0
	keep := func() {
		if seen++; seen%n != 0 {
			return
		}
		changed, err := yaml.Marshal(&root)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, changed)
	}
	others := otherValues(t)
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		for i, child := range n.Content {
			if n.Kind == yaml.MappingNode && i%2 == 0 {
				own := *child
				child.Value = own.Value + "s"
				keep()
				*child = own
				continue
			}
			own := *child
			for _, other := range others {
				*child = other
				keep()
			}
			*child = own
			walk(child)
		}
		if n.Kind != yaml.MappingNode {
			return
		}
		own := n.Content
		for i := 0; i < len(own); i += 2 {
			n.Content = append(append([]*yaml.Node{}, own[:i]...), own[i+2:]...)
			keep()
		}
		n.Content = append(append([]*yaml.Node{}, own...), &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "unheard_of"}, &others[1])
		keep()
		n.Content = own
	}
	walk(root.Content[0])
	if len(all) == 0 {
		t.Fatal(fmt.Errorf("nothing to change in %q", text))
	}
	return all
}

// CheckExamples fails the test for a key that a file must have, or that must have an item, without an example that the grammar accepts. Messages show
// it where the key is missing.
func CheckExamples(t testing.TB, spec *grammar.Spec) {
	t.Helper()
	checkExamples(t, "", spec)
}

func checkExamples(t testing.TB, path string, spec *grammar.Spec) {
	t.Helper()
	for _, key := range spec.Keys {
		at := path + "." + key.Name
		if key.Required || key.Some {
			var report grammar.Report
			report.Read("example.yaml", []byte(key.Name+": "+key.Example+"\n"), &grammar.Spec{Kind: grammar.Map, Keys: []grammar.Spec{key}}, nil)
			if err := report.Err(); err != nil {
				t.Errorf("the example of %s: %v", at, err)
			}
		}
		checkExamples(t, at, &key)
	}
	if spec.Item != nil {
		checkExamples(t, path+"[]", spec.Item)
	}
}
