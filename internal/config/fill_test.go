package config

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"go.yaml.in/yaml/v4"

	"aqueduck/internal/grammar"
)

// others are the values of the complete file's keys that are required.
var others = map[string]string{"workspaces.*.base_url": "emulator", "workspaces.*.token": "${OTHER}", "pipelines.*.streams": "contacts", "warehouse.mirror.location": "s3://company-data/others"}

// TestEveryGrammarKeySetsAField removes or changes each key of a file that has all keys, and checks that the loaded configuration differs.
func TestEveryGrammarKeySetsAField(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/complete")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "pipelines.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	root := document.Content[0]
	whole := loadFilled(t, file, root)
	if !reflect.DeepEqual(loadFilled(t, file, root), whole) {
		t.Fatal("the same file is another configuration each time")
	}
	for path, places := range keysOf(ConfigSpec(), "", root) {
		if len(places) == 0 {
			t.Errorf("the complete file has no %s", path)
		}
		for _, p := range places {
			if path == "version" {
				continue // the key has only one possible value
			}
			before := p.in.Content
			p.in.Content = append(append([]*yaml.Node{}, before[:p.at]...), before[p.at+2:]...)
			if other := others[path]; other != "" {
				p.in.Content = append(p.in.Content, before[p.at], &yaml.Node{Kind: yaml.ScalarNode, Value: other})
			}
			if reflect.DeepEqual(loadFilled(t, file, root), whole) {
				t.Errorf("line %d: %s fills no field", before[p.at].Line, path)
			}
			p.in.Content = before
		}
	}
}

// loadFilled returns everything that a file sets: the configuration, and the streams with a history table.
func loadFilled(t *testing.T, file string, root *yaml.Node) any {
	t.Helper()
	text, err := yaml.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	c, catalogue, err := LoadConfig(file, variablesOf())
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	c.Lookup, c.origins, c.Warnings = nil, nil, nil
	for _, w := range c.Workspaces {
		w.Budget = nil
	}
	kept := map[string]bool{}
	for _, s := range catalogue.Streams() {
		kept[s.Name] = s.History
	}
	return []any{c, kept}
}

// nodePosition is the position of a key in a map of a file.
type nodePosition struct {
	in *yaml.Node
	at int
}

// keysOf returns the leaf keys below a spec by their paths, with their positions in a file.
func keysOf(s *grammar.Spec, path string, n *yaml.Node) map[string][]nodePosition {
	all := map[string][]nodePosition{}
	add := func(s *grammar.Spec, path string, n *yaml.Node) {
		for path, places := range keysOf(s, path, n) {
			all[path] = append(all[path], places...)
		}
	}
	if s.Kind == grammar.Free {
		for i := 1; i < len(n.Content); i += 2 {
			add(s.Item, path+"*.", n.Content[i])
		}
	}
	for i := range s.Keys {
		k := &s.Keys[i]
		nested := k.Kind == grammar.Map || k.Kind == grammar.Free
		if !nested {
			all[path+k.Name] = nil
		}
		for at := 0; at < len(n.Content); at += 2 {
			if n.Content[at].Value == k.Name && nested {
				add(k, path+k.Name+".", n.Content[at+1])
			} else if n.Content[at].Value == k.Name {
				all[path+k.Name] = append(all[path+k.Name], nodePosition{n, at})
			}
		}
	}
	return all
}
