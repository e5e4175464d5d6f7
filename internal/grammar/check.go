package grammar

import (
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v4"
)

// value checks a node against its spec. Depth is bounded by the spec, breadth by maxValues: an alias that contains
// itself ends where the spec does.
func (d *document) value(s *Spec, path string, name, n *yaml.Node) *Value {
	v := &Value{doc: d, spec: s, path: path, name: name, node: n}
	if d.values++; d.values >= maxValues {
		if d.values == maxValues {
			d.wrong(n, fmt.Sprintf("the file has more than %d values", maxValues), "aliases count each time they are used")
		}
		return v
	}
	written := n.Line
	if n.Kind == yaml.AliasNode {
		written = n.Alias.Line
		// The place of a mistake stays the alias: that is where the value does not fit.
		target := *n.Alias
		target.Line, target.Column = n.Line, n.Column
		n = &target
		v.node = n
	}
	if s.Secret != nil && s.Secret(n.Value) {
		d.hush(n.Line)
		d.hush(written)
	}
	if n.Tag == "!!null" && n.Kind == yaml.ScalarNode {
		if s.scalar() || s.Required {
			d.wrong(n, d.at(path, "has no value"), "")
		} else {
			v.good = true
			if !d.part || path != "" {
				d.missing(v, nil, nil)
			}
		}
		return v
	}
	switch s.Kind {
	case Map:
		d.mapping(v, d.known)
	case Free:
		d.mapping(v, d.free)
	case List:
		d.list(v)
	case OneOrAll:
		d.oneOrAll(v)
	default:
		d.scalar(v)
	}
	return v
}

func (d *document) at(path, message string) string {
	if path == "" {
		return message
	}
	return path + ": " + message
}

func (d *document) mapping(v *Value, entry func(*Value, *yaml.Node, *yaml.Node) []string) {
	if v.node.Kind != yaml.MappingNode {
		d.wrong(v.node, d.at(v.path, "expected keys with values, found "+found(v.node)), "")
		return
	}
	v.good = true
	lines := map[string]int{}
	var meant []string // what misspelled keys most likely stand for
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		key, value := v.node.Content[i], v.node.Content[i+1]
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" || key.Tag == "!!null" {
			hint := ""
			if key.Tag == "!!merge" {
				hint = `merging with "<<" is not read`
			}
			d.wrong(key, d.in(v.path, "a key must be text"), hint)
			continue
		}
		if first, twice := lines[key.Value]; twice {
			d.wrong(key, d.in(v.path, fmt.Sprintf("key %q is given twice", key.Value)), fmt.Sprintf("first in line %d", first))
		} else {
			lines[key.Value] = key.Line
		}
		meant = append(meant, entry(v, key, value)...)
	}
	if d.part && v.path == "" {
		d.meant = meant
		return
	}
	d.missing(v, lines, meant)
	d.some(v)
}

// some refuses an empty list, or map of any keys, where there has to be something.
func (d *document) some(v *Value) {
	if v.spec.Some && len(v.node.Content) == 0 {
		v.WrongKey("", "%s: there is none", v.path)
	}
}

func (d *document) in(path, message string) string {
	if path == "" {
		return message
	}
	return message + " in " + path
}

// known takes in one key of a Map, and gives the key that a misspelled one stands for.
func (d *document) known(v *Value, key, value *yaml.Node) []string {
	spec := v.spec.key(key.Value)
	if spec == nil {
		return d.unknown(v, key, value)
	}
	path := join(v.path, key.Value)
	if spec.Later {
		v.flawed = true
		d.wrong(key, d.in(v.path, fmt.Sprintf("%q is not built yet", key.Value)), "")
		return nil
	}
	v.keys = append(v.keys, Entry{key.Value, d.value(spec, path, key, value)})
	return nil
}

func (d *document) unknown(v *Value, key, value *yaml.Node) []string {
	v.flawed = true
	var absent []string
	for _, k := range v.spec.Keys {
		if !k.Later && !hasKey(v.node, k.Name) {
			absent = append(absent, k.Name)
		}
	}
	near := Nearest(key.Value, absent)
	if confidential(key.Value) || near != "" && v.spec.key(near).Secret != nil {
		d.hush(value.Line)
	}
	m := d.mistake(key, d.in(v.path, fmt.Sprintf("unknown key %q", key.Value)), DidYouMean(key.Value, absent))
	m.known = near != ""
	d.report.Add(m)
	if near == "" {
		return nil
	}
	return []string{near}
}

func (d *document) free(v *Value, key, value *yaml.Node) []string {
	path := join(v.path, key.Value)
	if err := v.spec.refuses(key.Value); err != nil {
		v.flawed = true
		d.wrong(key, d.in(v.path, err.Error()), v.spec.Hint) // and what else is wrong there is told with it
	}
	v.keys = append(v.keys, Entry{key.Value, d.value(v.spec.Item, path, key, value)})
	return nil
}

// missing reports required keys that are neither there nor misspelled.
func (d *document) missing(v *Value, there map[string]int, meant []string) {
	for _, k := range v.spec.Keys {
		if _, ok := there[k.Name]; ok || !k.Required || slices.Contains(meant, k.Name) {
			continue
		}
		place := v.name
		if place == nil {
			place = &yaml.Node{Line: v.node.Line, Column: v.node.Column}
		}
		m := d.mistake(place, d.in(v.path, fmt.Sprintf("key %q is missing", k.Name)), k.Doc)
		m.known = true
		d.report.Add(m)
	}
}

func (d *document) list(v *Value) {
	if v.node.Kind != yaml.SequenceNode {
		d.wrong(v.node, d.at(v.path, "expected a list, found "+found(v.node)), "")
		return
	}
	v.good = true
	for i, n := range v.node.Content {
		item := d.value(v.spec.Item, fmt.Sprintf("%s[%d]", v.path, i), nil, n)
		if item.good {
			v.items = append(v.items, item)
		}
	}
	d.some(v)
}

func (d *document) oneOrAll(v *Value) {
	if v.node.Kind == yaml.SequenceNode {
		d.list(v)
		return
	}
	item := d.value(v.spec.Item, v.path, v.name, v.node)
	if v.good = item.good; v.good {
		v.items = []*Value{item}
	}
}

func (d *document) scalar(v *Value) {
	if v.node.Kind != yaml.ScalarNode {
		d.wrong(v.node, d.at(v.path, "expected one value, found "+found(v.node)), "")
		return
	}
	v.text = v.node.Value
	if d.resolve != nil && !v.spec.Verbatim {
		text, err := d.resolve(v.text)
		if errors.Is(err, ErrUnknown) {
			return
		}
		if err != nil {
			d.wrong(v.node, d.at(v.path, err.Error()), "")
			return
		}
		v.text = text
	}
	if no := v.spec.fits(v.text); no != nil {
		d.wrong(v.node, d.at(v.path, no.message), no.hint)
		return
	}
	v.good = true
}

func hasKey(n *yaml.Node, name string) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return true
		}
	}
	return false
}

func found(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys with values"
	case yaml.SequenceNode:
		return "a list"
	}
	return "one value"
}
