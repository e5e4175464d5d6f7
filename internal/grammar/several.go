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
		d := &document{file: f.Name, resolve: f.Resolve, part: true}
		part := r.read(d, f.Text, root)
		if whole = whole && part.good; !part.good {
			continue
		}
		meant = append(meant, d.meant...)
		for i := 0; i+1 < len(part.node.Content); i += 2 {
			there[part.node.Content[i].Value] = part.node.Content[i].Line
		}
		if all == nil {
			all = part
		} else {
			all.join(part)
		}
	}
	if !whole { // what a file that cannot be read would have is not missed
		if all == nil {
			all = &Value{doc: &document{report: r, file: files[0].Name}, spec: root}
		}
		all.node = nil
		return all
	}
	all.doc.missing(all, there, meant)
	return all
}

// join takes in the keys of a map of another file.
func (v *Value) join(other *Value) {
	v.flawed = v.flawed || other.flawed
	for _, e := range other.keys {
		i := slices.IndexFunc(v.keys, func(known Entry) bool { return known.Name == e.Name })
		switch {
		case i < 0:
			v.keys = append(v.keys, e)
		case v.path == "" && e.Value.spec.Kind == Free:
			v.keys[i].Value.join(e.Value)
		case v.path == "" && e.Value.says(v.keys[i].Value):
		default:
			hint := ""
			if v.path == "" {
				hint = "it is from one file as a whole"
			}
			e.Value.doc.wrong(e.Value.name, fmt.Sprintf("%s is given twice, first in %s", e.Value.path, v.keys[i].Value.place()), hint)
		}
	}
}

// says that a value is plain, and written as another is: no contradiction.
func (v *Value) says(other *Value) bool {
	plain := func(v *Value) bool { return v.node != nil && v.node.Kind == yaml.ScalarNode }
	return plain(v) && plain(other) && v.node.Value == other.node.Value
}

// place is where the key of a value is.
func (v *Value) place() string {
	return fmt.Sprintf("%s:%d:%d", v.doc.file, v.name.Line, v.name.Column)
}

// File is the file that the value is from, or would be.
func (v *Value) File() string { return v.doc.file }
