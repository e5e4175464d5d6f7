package pipeline_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// tree is JSON whose fields stay in their order: what is not changed is served as it was.
type tree struct {
	raw   string // of what is neither an object nor a list
	open  byte   // '{' or '['; 0: raw
	names []string
	items []*tree
}

func parse(t testing.TB, body []byte) *tree {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	read, err := decode(d)
	if err != nil {
		t.Fatalf("an answer is no JSON: %v", err)
	}
	return read
}

func decode(d *json.Decoder) (*tree, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	open, nested := token.(json.Delim)
	if !nested {
		return &tree{raw: plainly(token)}, nil
	}
	read := &tree{open: byte(open)}
	for d.More() {
		if open == '{' {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			read.names = append(read.names, name.(string))
		}
		item, err := decode(d)
		if err != nil {
			return nil, err
		}
		read.items = append(read.items, item)
	}
	_, err = d.Token() // what closes it
	return read, err
}

// plainly is a value that is neither an object nor a list, with nothing escaped that need not be: metadata is kept as it is sent.
func plainly(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // a text, a number, true, false and null have one
	return strings.TrimSpace(b.String())
}

func (n *tree) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *tree) write(b *strings.Builder) {
	if n.open == 0 {
		b.WriteString(n.raw)
		return
	}
	b.WriteByte(n.open)
	for i, item := range n.items {
		if i > 0 {
			b.WriteByte(',')
		}
		if n.open == '{' {
			b.WriteString(plainly(n.names[i]))
			b.WriteByte(':')
		}
		item.write(b)
	}
	b.WriteByte(n.open + 2) // the brackets lie so in ASCII
}

// at is a field of an object, nil where it has none.
func (n *tree) at(name string) *tree {
	if n == nil || n.open != '{' {
		return nil
	}
	if i := slices.Index(n.names, name); i >= 0 {
		return n.items[i]
	}
	return nil
}

// id is the record's, as the warehouse writes it; "": it has none.
func (n *tree) id() string {
	if id := n.at("id"); id != nil && id.open == 0 && id.raw != "null" {
		return strings.Trim(id.raw, `"`)
	}
	return ""
}

// kind is the record's type, as it is written; "": it has none.
func (n *tree) kind() string {
	if kind := n.at("type"); kind != nil {
		return kind.raw
	}
	return ""
}

// records are those of an answer: the answer itself, or what lies in its lists.
func (n *tree) records() (list []*tree) {
	if n.id() != "" {
		return []*tree{n}
	}
	if n.open == '{' {
		for _, field := range n.items {
			if field.open == '[' {
				list = append(list, slices.DeleteFunc(slices.Clone(field.items), func(item *tree) bool { return item.open != '{' })...)
			}
		}
	}
	return list
}

// paths are all fields at or below, by their names with dots between; [] stands for every item of a list.
func (n *tree) paths(above string, but []*tree, found map[string]bool) {
	for i, item := range n.items {
		if slices.Contains(but, item) {
			continue
		}
		path := above + "[]"
		if n.open == '{' {
			path = strings.TrimPrefix(above+"."+n.names[i], ".")
			found[path] = true
		}
		item.paths(path, but, found)
	}
}

// edit does something to a field wherever it is, and says whether that changed anything. before is the record as it was.
func (n *tree) edit(path, how string, before *tree) (changed bool) {
	if n.open == '[' {
		rest := strings.TrimPrefix(strings.TrimPrefix(path, "[]"), ".")
		for i, item := range n.items {
			if item.edit(rest, how, before.twin(item, i)) {
				changed = true
			}
		}
		return changed
	}
	for i, name := range n.names {
		rest, is := strings.CutPrefix(path, name)
		switch {
		case !is || rest != "" && rest[0] != '.' && rest[0] != '[':
			continue
		case rest != "":
			if n.items[i].edit(strings.TrimPrefix(rest, "."), how, before.at(name)) {
				return true
			}
			continue
		case how == leftOut:
			n.names, n.items = slices.Delete(slices.Clone(n.names), i, i+1), slices.Delete(slices.Clone(n.items), i, i+1)
			return true
		case how == nulled:
			changed = n.items[i].raw != "null"
			n.items[i] = &tree{raw: "null"}
			return changed
		}
		was := before.at(name)
		if was == nil || was.String() == n.items[i].String() {
			return false
		}
		n.items[i] = was
		return true
	}
	return false
}

// twin is the item of a list that is another one's: the one of its id, or of its place where it has none.
func (n *tree) twin(item *tree, i int) *tree {
	if n == nil || n.open != '[' {
		return nil
	}
	for _, other := range n.items {
		if id := item.id(); id != "" && other.id() == id {
			return other
		}
	}
	if item.id() == "" && i < len(n.items) {
		return n.items[i]
	}
	return nil
}
