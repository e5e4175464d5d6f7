package grammar

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// checkValue checks a node against its spec. The spec bounds the depth and maxValues the breadth: an alias that contains itself
// ends where the spec does.
func (d *checkedFile) checkValue(s *Spec, path string, name, n *yaml.Node) *Value {
	v := &Value{doc: d, spec: s, path: path, name: name, node: n}
	if d.values++; d.values >= maxValues {
		if d.values == maxValues {
			d.reportMistake(n, fmt.Sprintf("the file has more than %d values", maxValues), "aliases count each time they are used")
		}
		return v
	}
	written := n.Line
	if n.Kind == yaml.AliasNode {
		written = n.Alias.Line
		// The position of a mistake stays the alias, where the value is used.
		target := *n.Alias
		target.Line, target.Column = n.Line, n.Column
		n = &target
		v.node = n
	}
	if s.Secret != nil && s.Secret(n.Value) {
		d.hideLine(n.Line)
		d.hideLine(written)
	}
	if n.Tag == "!!null" && n.Kind == yaml.ScalarNode {
		if s.isScalar() || s.Required {
			d.reportMistake(n, d.messageAt(path, "has no value"), s.exampleHint(""))
		} else {
			v.valid = true
			if !d.isPart || path != "" {
				d.reportMissingKeys(v, nil, nil)
			}
		}
		return v
	}
	switch s.Kind {
	case Map:
		if s.Short != "" && n.Kind != yaml.MappingNode {
			key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s.Short, Line: n.Line, Column: n.Column}
			v.node = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: n.Line, Column: n.Column, Content: []*yaml.Node{key, n}}
		}
		d.checkMapping(v, d.checkKnownKey)
	case Free:
		d.checkMapping(v, d.checkFreeKey)
	case List:
		d.checkList(v)
	case OneOrAll:
		d.oneOrAll(v)
	default:
		d.checkScalar(v)
	}
	return v
}

func (d *checkedFile) messageAt(path, message string) string {
	if path == "" {
		return message
	}
	return path + ": " + message
}

func (d *checkedFile) checkMapping(v *Value, entry func(*Value, *yaml.Node, *yaml.Node) []string) {
	if v.node.Kind != yaml.MappingNode {
		d.reportMistake(v.node, d.messageAt(v.path, "expected keys with values, found "+nodeForm(v.node)), "write "+v.spec.shortForm())
		return
	}
	v.valid = true
	lines := map[string]int{}
	var meant []string // keys that misspelled ones most likely mean
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		key, value := v.node.Content[i], v.node.Content[i+1]
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" || key.Tag == "!!null" {
			hint := ""
			if key.Tag == "!!merge" {
				hint = `merging with "<<" is not supported`
			}
			d.reportMistake(key, d.messageIn(v.path, "a key must be text"), hint)
			continue
		}
		if first, twice := lines[key.Value]; twice {
			d.reportMistake(key, d.messageIn(v.path, fmt.Sprintf("key %q is given twice", key.Value)), fmt.Sprintf("first in line %d", first))
		} else {
			lines[key.Value] = key.Line
		}
		meant = append(meant, entry(v, key, value)...)
	}
	if d.isPart && v.path == "" {
		d.meantKeys = meant
		return
	}
	d.reportMissingKeys(v, lines, meant)
	d.requireItems(v)
}

// requireItems refuses an empty list, or an empty map of any keys, if the spec requires an item.
func (d *checkedFile) requireItems(v *Value) {
	if v.spec.Some && len(v.node.Content) == 0 {
		v.WrongKey(v.spec.exampleHint(""), "%s is empty", v.path)
	}
}

// exampleHint is the hint for a key without a value: an example, or another text if it has none.
func (s *Spec) exampleHint(otherwise string) string {
	if s.Example == "" || s.Name == "" {
		return otherwise
	}
	return "e.g. " + s.Name + ": " + s.Example
}

func (d *checkedFile) messageIn(path, message string) string {
	if path == "" {
		return message
	}
	return message + " in " + path
}

// checkKnownKey checks one key of a Map, and returns the key that a misspelled one most likely means.
func (d *checkedFile) checkKnownKey(v *Value, key, value *yaml.Node) []string {
	spec := v.spec.keySpec(key.Value)
	if spec == nil {
		return d.reportUnknownKey(v, key, value)
	}
	path := joinPath(v.path, key.Value)
	if key.Line == value.Line && key.Column == value.Column { // the key of a short form, which the file does not have
		path = v.path
	}
	if spec.Later {
		v.flawed = true
		m := d.newMistake(key, d.messageIn(v.path, fmt.Sprintf("%q is not built yet", key.Value)), "remove this key")
		m.known = true
		d.report.Add(m)
		return nil
	}
	v.keys = append(v.keys, Entry{key.Value, d.checkValue(spec, path, key, value)})
	return nil
}

func (d *checkedFile) reportUnknownKey(v *Value, key, value *yaml.Node) []string {
	v.flawed = true
	var all, absent []string
	for _, k := range v.spec.Keys {
		if k.Later {
			continue
		}
		if all = append(all, k.Name); !hasKey(v.node, k.Name) {
			absent = append(absent, k.Name)
		}
	}
	near, given := Nearest(key.Value, absent), Nearest(key.Value, all)
	hint := hintAll + strings.Join(all, ", ")
	switch {
	case near != "":
		hint = fmt.Sprintf(hintNear+" %q?", near)
	case given != "":
		hint = fmt.Sprintf(hintNear+" %q? It is there already", given)
	}
	if mayBeSecret(key.Value) || near != "" && v.spec.keySpec(near).Secret != nil {
		d.hideLine(value.Line)
	}
	m := d.newMistake(key, d.messageIn(v.path, fmt.Sprintf("unknown key %q", key.Value)), hint)
	m.known = near != ""
	d.report.Add(m)
	if near == "" {
		return nil
	}
	return []string{near}
}

func (d *checkedFile) checkFreeKey(v *Value, key, value *yaml.Node) []string {
	path := joinPath(v.path, d.shownKey(key.Value))
	if err := v.spec.refuseText(key.Value); err != nil {
		v.flawed = true
		d.reportMistake(key, d.messageIn(v.path, err.Error()), v.spec.Hint) // the value is checked all the same, to report all mistakes at once
	}
	v.keys = append(v.keys, Entry{key.Value, d.checkValue(v.spec.Item, path, key, value)})
	return nil
}

// longestKey is the number of bytes that a key of the file takes in a path.
const longestKey = 100

// shownKey is a key in the paths of messages, which say nothing of a private file.
func (d *checkedFile) shownKey(key string) string {
	switch {
	case d.private:
		return "…"
	case len(key) > longestKey:
		return strings.ToValidUTF8(key[:longestKey], "") + "…"
	}
	return key
}

// reportMissingKeys reports required keys that are neither given nor misspelled.
func (d *checkedFile) reportMissingKeys(v *Value, there map[string]int, meant []string) {
	for _, k := range v.spec.Keys {
		if _, ok := there[k.Name]; ok || !k.Required || slices.Contains(meant, k.Name) {
			continue
		}
		place := v.name
		if place == nil {
			place = &yaml.Node{Line: v.node.Line, Column: v.node.Column}
		}
		m := d.newMistake(place, d.messageIn(v.path, fmt.Sprintf("key %q is missing", k.Name)), k.exampleHint(k.Doc))
		m.known = true
		d.report.Add(m)
	}
}

func (d *checkedFile) checkList(v *Value) {
	if v.node.Kind != yaml.SequenceNode {
		v.flawed = true
		d.reportMistake(v.node, d.messageAt(v.path, "expected a list, found "+nodeForm(v.node)), "write "+v.spec.shortForm())
		return
	}
	v.valid = true
	for i, n := range v.node.Content {
		item := d.checkValue(v.spec.Item, fmt.Sprintf("%s[%d]", v.path, i), nil, n)
		if item.valid {
			v.items = append(v.items, item)
		} else {
			v.flawed = true
		}
	}
	d.requireItems(v)
}

func (d *checkedFile) oneOrAll(v *Value) {
	if v.node.Kind == yaml.SequenceNode {
		d.checkList(v)
		return
	}
	item := d.checkValue(v.spec.Item, v.path, v.name, v.node)
	if v.valid = item.valid; v.valid {
		v.items = []*Value{item}
	}
}

func (d *checkedFile) checkScalar(v *Value) {
	if v.node.Kind != yaml.ScalarNode {
		d.reportMistake(v.node, d.messageAt(v.path, "expected one value, found "+nodeForm(v.node)), cmp.Or(v.spec.Hint, "write one value, without brackets"))
		return
	}
	v.text = v.node.Value
	if d.resolve != nil && !v.spec.Verbatim {
		text, err := d.resolve(v.text)
		if errors.Is(err, ErrUnknown) {
			return
		}
		if err != nil {
			message := err.Error()
			if d.private { // the error names the variable or file
				message = "a variable or file that the value names has no text"
			}
			hint := ""
			if next := (interface{ NextStep() string })(nil); errors.As(err, &next) {
				hint = next.NextStep()
			}
			d.reportMistake(v.node, d.messageAt(v.path, message), hint)
			return
		}
		v.text = text
	}
	if no := v.spec.checkScalarText(v.text); no != nil {
		m := d.newMistake(v.node, d.messageAt(v.path, no.message), no.hint)
		m.quotes = no.quotes
		d.report.Add(m)
		return
	}
	v.valid = true
}

// shortForm is a short value of a map or list, as a file has it: a map with its required keys.
func (s *Spec) shortForm() string {
	switch {
	case s.Kind == List && s.Item.Kind == Map:
		return "[" + s.Item.shortForm() + "], or a line that begins with - for each"
	case s.Kind == List:
		return "[a, b]"
	}
	var required []string
	for _, k := range s.Keys {
		if k.Required {
			required = append(required, k.Name+": …")
		}
	}
	if len(required) == 0 {
		return "{key: value}"
	}
	return "{" + strings.Join(required, ", ") + "}"
}

func hasKey(n *yaml.Node, name string) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return true
		}
	}
	return false
}

func nodeForm(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys with values"
	case yaml.SequenceNode:
		return "a list"
	}
	return "one value"
}
