package grammar

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v4"
)

// File is one of several files that are read as one.
type File struct {
	Name    string
	Text    []byte
	Resolve Resolve
}

// ReadAll reads several files as if they were one. Maps of any keys are merged, and each of their keys must be in one file only.
// Every other key must be in one file, or have the same scalar in all. Each value, and each mistake, keeps its file.
func (r *Report) ReadAll(files []File, root *Spec) *Value {
	if len(files) == 1 {
		return r.Read(files[0].Name, files[0].Text, root, files[0].Resolve)
	}
	var all *Value
	var meant []string
	whole, there := true, map[string]int{}
	for _, f := range files {
		d := &checkedFile{file: f.Name, resolve: f.Resolve, isPart: true}
		part := r.readDocument(d, f.Text, root)
		if whole = whole && part.valid; !part.valid {
			continue
		}
		meant = append(meant, d.meantKeys...)
		for i := 0; i+1 < len(part.node.Content); i += 2 {
			there[part.node.Content[i].Value] = part.node.Content[i].Line
		}
		if all == nil {
			all = part
		} else {
			all.mergeKeys(part)
		}
	}
	if !whole { // do not report keys as missing that an unreadable file may have
		if all == nil {
			all = &Value{doc: &checkedFile{report: r, file: files[0].Name}, spec: root}
		}
		all.node = nil
		return all
	}
	all.doc.reportMissingKeys(all, there, meant)
	return all
}

// mergeKeys adds the keys of the same map in another file.
func (v *Value) mergeKeys(other *Value) {
	v.flawed = v.flawed || other.flawed
	for _, e := range other.keys {
		i := slices.IndexFunc(v.keys, func(known Entry) bool { return known.Name == e.Name })
		switch {
		case i < 0:
			v.keys = append(v.keys, e)
		case v.path == "" && e.Value.spec.Kind == Free:
			v.keys[i].Value.mergeKeys(e.Value)
		case v.path == "" && e.Value.isWrittenAlike(v.keys[i].Value):
		default:
			hint := ""
			if v.path == "" {
				hint = "it must be in one file as a whole"
			}
			e.Value.doc.reportMistake(e.Value.name, fmt.Sprintf("%s is given twice, first in %s", e.Value.path, v.keys[i].Value.keyPosition()), hint)
		}
	}
}

// isWrittenAlike reports whether two values are scalars with the same text, which do not contradict each other.
func (v *Value) isWrittenAlike(other *Value) bool {
	plain := func(v *Value) bool { return v.node != nil && v.node.Kind == yaml.ScalarNode }
	return plain(v) && plain(other) && v.node.Value == other.node.Value
}

// keyPosition is the file, line and column of the value's key.
func (v *Value) keyPosition() string {
	return fmt.Sprintf("%s:%d:%d", v.doc.file, v.name.Line, v.name.Column)
}

// FileName is the file of the value, or of the map that lacks it.
func (v *Value) FileName() string { return v.doc.file }
