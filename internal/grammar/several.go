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

// ReadAll is Read of several files, as if they were one: maps of any keys have those of all files, each key from one of them; everything
// else is from one file as a whole, or says the same in each. Each value, and what is wrong with it, stays that of its file.
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
	if !whole { // what a file that cannot be read would have is not missed
		if all == nil {
			all = &Value{doc: &checkedFile{report: r, file: files[0].Name}, spec: root}
		}
		all.node = nil
		return all
	}
	all.doc.reportMissingKeys(all, there, meant)
	return all
}

// mergeKeys takes in the keys of a map of another file.
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

// isWrittenAlike that a value is plain, and written as another is: no contradiction.
func (v *Value) isWrittenAlike(other *Value) bool {
	plain := func(v *Value) bool { return v.node != nil && v.node.Kind == yaml.ScalarNode }
	return plain(v) && plain(other) && v.node.Value == other.node.Value
}

// keyPosition is where the key of a value is.
func (v *Value) keyPosition() string {
	return fmt.Sprintf("%s:%d:%d", v.doc.file, v.name.Line, v.name.Column)
}

// FileName is the file that the value is from, or would be.
func (v *Value) FileName() string { return v.doc.file }
