package pipeline_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// jsonTree is JSON whose fields keep their order, so that unchanged parts are served as they were.
type jsonTree struct {
	raw   string // a value that is neither an object nor a list
	open  byte   // '{' or '['; 0: raw
	names []string
	items []*jsonTree
}

func parseTree(t testing.TB, body []byte) *jsonTree {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	read, err := decodeTree(d)
	if err != nil {
		t.Fatalf("an answer is no JSON: %v", err)
	}
	return read
}

func decodeTree(d *json.Decoder) (*jsonTree, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	open, nested := token.(json.Delim)
	if !nested {
		return &jsonTree{raw: scalarJSON(token)}, nil
	}
	read := &jsonTree{open: byte(open)}
	for d.More() {
		if open == '{' {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			read.names = append(read.names, name.(string))
		}
		item, err := decodeTree(d)
		if err != nil {
			return nil, err
		}
		read.items = append(read.items, item)
	}
	_, err = d.Token() // the closing bracket
	return read, err
}

// scalarJSON encodes a value that is neither an object nor a list, without unnecessary escapes: metadata is stored as sent.
func scalarJSON(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // texts, numbers, booleans and null can always be encoded
	return strings.TrimSpace(b.String())
}

func (n *jsonTree) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *jsonTree) write(b *strings.Builder) {
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
			b.WriteString(scalarJSON(n.names[i]))
			b.WriteByte(':')
		}
		item.write(b)
	}
	b.WriteByte(n.open + 2) // in ASCII a closing bracket is two after the opening one
}

// fieldAt returns a field of an object, nil when it has none.
func (n *jsonTree) fieldAt(name string) *jsonTree {
	if n == nil || n.open != '{' {
		return nil
	}
	if i := slices.Index(n.names, name); i >= 0 {
		return n.items[i]
	}
	return nil
}

// recordID returns the id of a record as the warehouse stores it; "" when it has none.
func (n *jsonTree) recordID() string { return n.firstText("id", "side_conversation_id") }

// recordIdentity is recordID, or the time of an event without an id.
func (n *jsonTree) recordIdentity() string {
	return n.firstText("id", "side_conversation_id", "timestamp")
}

// firstText returns the first of some fields that an object has, as text.
func (n *jsonTree) firstText(names ...string) string {
	for _, name := range names {
		if value := n.fieldAt(name); value != nil && value.open == 0 && value.raw != "null" {
			return strings.Trim(value.raw, `"`)
		}
	}
	return ""
}

// recordType returns the type of a record; "" when it has none.
func (n *jsonTree) recordType() string {
	if kind := n.fieldAt("type"); kind != nil {
		return kind.raw
	}
	return ""
}

// recordNodes returns the records of an answer: the answer itself, or the items of its lists.
func (n *jsonTree) recordNodes() (list []*jsonTree) {
	if n.recordID() != "" {
		return []*jsonTree{n}
	}
	if n.open == '{' {
		for _, field := range n.items {
			if field.open == '[' {
				list = append(list, slices.DeleteFunc(slices.Clone(field.items), func(item *jsonTree) bool { return item.open != '{' })...)
			}
		}
	}
	return list
}

// collectPaths returns the paths of all fields at or below a node, names with dots between; [] stands for every item of a list.
func (n *jsonTree) collectPaths(above string, but []*jsonTree, found map[string]bool) {
	for i, item := range n.items {
		if slices.Contains(but, item) {
			continue
		}
		path := above + "[]"
		if n.open == '{' {
			path = strings.TrimPrefix(above+"."+n.names[i], ".")
			found[path] = true
		}
		item.collectPaths(path, but, found)
	}
}

// editPath edits a field at every place of a path, and reports whether that changed anything. before is the earlier form of the record.
func (n *jsonTree) editPath(path, how string, before *jsonTree) (changed bool) {
	if n.open == '[' {
		rest := strings.TrimPrefix(strings.TrimPrefix(path, "[]"), ".")
		for i, item := range n.items {
			if item.editPath(rest, how, before.matchingItem(item, i)) {
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
			if n.items[i].editPath(strings.TrimPrefix(rest, "."), how, before.fieldAt(name)) {
				return true
			}
			continue
		case how == leftOut:
			n.names, n.items = slices.Delete(slices.Clone(n.names), i, i+1), slices.Delete(slices.Clone(n.items), i, i+1)
			return true
		case how == nulled:
			changed = n.items[i].raw != "null"
			n.items[i] = &jsonTree{raw: "null"}
			return changed
		}
		was := before.fieldAt(name)
		if was == nil || was.String() == n.items[i].String() {
			return false
		}
		n.items[i] = was
		return true
	}
	return false
}

// matchingItem returns the item of a list that corresponds to an item of another list: by its id, or else by its position.
func (n *jsonTree) matchingItem(item *jsonTree, i int) *jsonTree {
	if n == nil || n.open != '[' {
		return nil
	}
	for _, other := range n.items {
		if id := item.recordID(); id != "" && other.recordID() == id {
			return other
		}
	}
	if item.recordID() == "" && i < len(n.items) {
		return n.items[i]
	}
	return nil
}
