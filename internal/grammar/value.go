package grammar

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"go.yaml.in/yaml/v4"
)

// IsSet reports whether the file has the value, and it is valid.
func (v *Value) IsSet() bool { return v.valid }

// IsGiven reports whether the file has the value, valid or not.
func (v *Value) IsGiven() bool { return v.node != nil }

// HasRefusedKeys reports whether keys of the map, or items of the list, were refused: a missing key may be one of them, misspelled.
func (v *Value) HasRefusedKeys() bool { return v.flawed }

// Path is the value's path in the file as messages show it, such as pipelines.nightly.streams[0].
func (v *Value) Path() string { return v.path }

// Key is the value of a key; never nil.
func (v *Value) Key(name string) *Value {
	for _, e := range v.keys {
		if e.Name == name {
			return e.Value
		}
	}
	var spec *Spec
	if v.spec.Kind == Map {
		spec = v.spec.keySpec(name)
	}
	if spec == nil {
		spec = &Spec{}
	}
	return &Value{doc: v.doc, parent: v, spec: spec, path: joinPath(v.path, name)}
}

// Entries are the keys of a map in the file's order, without misspelled ones.
func (v *Value) Entries() []Entry { return v.keys }

// Items are the valid values of a list; a OneOrAll with one value is a list of one.
func (v *Value) Items() []*Value { return v.items }

// Text is the text of a scalar.
func (v *Value) Text() string {
	if v.valid {
		return v.text
	}
	return v.spec.Default
}

// Texts are the texts of a list's scalars.
func (v *Value) Texts() []string {
	var all []string
	for _, item := range v.items {
		all = append(all, item.Text())
	}
	return all
}

// Int is a whole number; 0 when there is neither a value nor a default.
func (v *Value) Int() int {
	n, err := strconv.Atoi(v.Text())
	if err != nil {
		return 0
	}
	return n
}

// Bool is a boolean; false when there is neither a value nor a default.
func (v *Value) Bool() bool { return v.Text() == "true" }

// Duration is a duration; 0 when there is neither a value nor a default.
func (v *Value) Duration() time.Duration {
	d, err := ParseDuration(v.Text())
	if err != nil {
		return 0
	}
	return d
}

// Date is midnight UTC of a day; the zero time when there is neither a value nor a default.
func (v *Value) Date() time.Time {
	t, err := ParseDate(v.Text())
	if err != nil {
		return time.Time{}
	}
	return t
}

// Fill calls Into of the spec's keys with the map's values, in the spec's order, and does so in the maps inside. spec is the
// map's own, or one that differs in Into only.
func (v *Value) Fill(spec *Spec) {
	for i := range spec.Keys {
		switch k := &spec.Keys[i]; {
		case k.Into != nil:
			k.Into(v.Key(k.Name))
		case k.Kind == Map:
			v.Key(k.Name).Fill(k)
		}
	}
}

// Walk visits each value that is no map, in the order of the spec. A value of the file comes with its line and its text as
// written. A value that the file lacks but that has a default comes with line 0.
func (v *Value) Walk(visit func(path, file string, line int, written []string)) { v.walk("", visit) }

func (v *Value) walk(path string, visit func(path, file string, line int, written []string)) {
	switch {
	case v.spec.Kind == Map:
		for i := range v.spec.Keys {
			if k := &v.spec.Keys[i]; !k.Later {
				v.Key(k.Name).walk(joinPath(path, k.Name), visit)
			}
		}
	case v.spec.Kind == Free:
		for _, e := range v.keys {
			e.Value.walk(joinPath(path, e.Name), visit)
		}
	case v.node != nil:
		visit(path, v.doc.file, v.node.Line, writtenTexts(v.node))
	case v.spec.Default != "":
		visit(path, v.doc.file, 0, nil)
	}
}

// writtenTexts are the texts of a scalar, or of a list of scalars.
func writtenTexts(n *yaml.Node) (all []string) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind == yaml.ScalarNode {
		return []string{n.Value}
	}
	for _, item := range n.Content {
		if item.Kind == yaml.ScalarNode {
			all = append(all, item.Value)
		}
	}
	return all
}

// Wrong reports a mistake at the value, with the value's path before the message. A mistake at an absent value has the position
// of the map that lacks it.
func (v *Value) Wrong(hint, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	if v.path != "" {
		message = v.path + ": " + message
	}
	if v.node != nil {
		v.reportAt(v.node, message, hint)
		return
	}
	v.reportAt(v.nearestNode(), message, hint)
}

// reportAt reports a mistake whose hint may quote the file.
func (v *Value) reportAt(n *yaml.Node, message, hint string) {
	m := v.doc.newMistake(n, message, hint)
	m.quotes = true
	if n == v.name && m.text == v.spec.Name {
		m.text = "" // a key of the spec
	}
	v.doc.report.Add(m)
}

// Warn reports a warning at the value.
func (v *Value) Warn(hint, format string, args ...any) {
	before := len(v.doc.report.mistakes)
	v.Wrong(hint, format, args...)
	for i := range v.doc.report.mistakes[before:] {
		v.doc.report.mistakes[before+i].Warning = true
	}
}

// WrongKey reports a mistake at the value's key, such as a key that does not belong there.
func (v *Value) WrongKey(hint, format string, args ...any) {
	v.reportAt(v.nearestNode(), fmt.Sprintf(format, args...), hint)
}

// Report adds the mistakes of another file that the value names. Any other error becomes a mistake at the value.
func (v *Value) Report(err error) {
	var others Mistakes
	if errors.As(err, &others) {
		v.doc.report.Merge(others)
		return
	}
	v.Wrong("", "%v", err)
}

// nearestNode is the node of the nearest key around the value that is in the file.
func (v *Value) nearestNode() *yaml.Node {
	for ; v != nil; v = v.parent {
		if v.name != nil {
			return v.name
		}
		if v.node != nil {
			return &yaml.Node{Line: v.node.Line, Column: v.node.Column}
		}
	}
	return nil
}

func joinPath(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
