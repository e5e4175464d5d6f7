package transform

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"aqueduck/schemas"
	"aqueduck/transform/maskrule"
)

// attributeStream has an object whose members are rows, and a column for one of them.
func attributeStream() *schemas.Stream {
	return &schemas.Stream{
		Name: "things", Table: "things", Key: []string{"id"},
		Columns: []schemas.Column{newColumn("id", schemas.Text), newColumn("title", schemas.Text, "attributes", "_title_"), newColumn("attributes", schemas.JSON)},
		Children: []schemas.Child{{
			Table: "thing_attributes", From: []string{"attributes"}, Entries: true, Key: []string{"thing_id", "name"}, Complete: true,
			Columns: []schemas.Column{newColumn("thing_id", schemas.Text, schemas.FromParent, "id"), newColumn("name", schemas.Text, schemas.FromKey), newColumn("value", schemas.JSON, schemas.FromItem)},
		}},
	}
}

// allMaskRules are the rules of all names of hash and drop.
func allMaskRules(t *testing.T, s *schemas.Stream, hash, drop []string) (rules []maskrule.Rule) {
	t.Helper()
	for _, name := range hash {
		rules = append(rules, maskRulesFor(t, s, name, true)...)
	}
	for _, name := range drop {
		rules = append(rules, maskRulesFor(t, s, name, false)...)
	}
	return rules
}

// maskRows masks rows as the loader masks those that are stored.
func maskRows(s *schemas.Stream, tables map[string][]map[string]any, rules []maskrule.Rule, key []byte) {
	columns := map[string]Column{}
	for _, t := range Tables(s) {
		for _, c := range t.Columns {
			columns[t.Name+"."+c.Name] = c
		}
	}
	for _, g := range maskrule.MakeGroups(rules) {
		has := func(row map[string]any) bool {
			if g.KeyColumn != "" && g.Except != nil {
				return !slices.Contains(g.Except, fmt.Sprint(row[g.KeyColumn]))
			}
			return g.KeyColumn == "" || row[g.KeyColumn] == g.Key
		}
		p := g.Rules[0]
		if p.Rows {
			tables[g.Table] = slices.DeleteFunc(tables[g.Table], has)
			continue
		}
		for _, row := range tables[g.Table] {
			if row[g.Column] == nil || !has(row) {
				continue
			}
			text := fmt.Sprint(row[g.Column])
			masked := ""
			switch source := row[p.From]; {
			case len(p.Path) > 0 || p.Hash && columns[g.Table+"."+g.Column].Type == schemas.JSON:
				masked = MaskJSON(g.Rules, key)(text)
			case p.Hash && p.From == "":
				masked = Hash(key, text)
			case p.Hash && source != nil:
				masked = Hash(key, fmt.Sprint(source))
			}
			if row[g.Column] = masked; masked == "" {
				delete(row, g.Column)
			}
		}
	}
}

// maskCase is a random stream, record and list of names. Each leaf of the record is another text or number.
type maskCase struct {
	r      *rand.Rand
	stream *schemas.Stream
	leaves map[string][]string // by text: the names on the way to it
	last   int
}

var maskNames = []string{"a", "b", "c", "d", "e"}

func (m *maskCase) oneOf(names ...string) string { return names[m.r.IntN(len(names))] }

func (m *maskCase) randomPath(most int) (path []string) {
	for range 1 + m.r.IntN(most) {
		path = append(path, m.oneOf(maskNames...))
	}
	return path
}

func (m *maskCase) randomColumns(columns []schemas.Column) []schemas.Column {
	for n := range 1 + m.r.IntN(4) {
		c := newColumn(fmt.Sprintf("c%d", n), []schemas.Type{schemas.Text, schemas.Text, schemas.JSON, schemas.Int}[m.r.IntN(4)], m.randomPath(3)...)
		if m.r.IntN(4) == 0 {
			c.Or = [][]string{m.randomPath(3)}
		}
		columns = append(columns, c)
		if c.Type == schemas.Text && m.r.IntN(4) == 0 {
			c.Name, c.As = c.Name+"_text", schemas.PlainText
			columns = append(columns, c)
		}
	}
	return columns
}

// randomStream is a stream that compiles, with lists, objects of entries, and lists within them.
func (m *maskCase) randomStream() *schemas.Stream {
	for {
		s := &schemas.Stream{Name: "things", Table: "things", Key: []string{"id"}, Columns: m.randomColumns([]schemas.Column{newColumn("id", schemas.Text)})}
		for n := range m.r.IntN(4) {
			child := schemas.Child{Table: fmt.Sprintf("t%d", n), From: m.randomPath(2), Complete: true, Entries: m.r.IntN(2) == 0}
			outer, above := schemas.Child{Columns: s.Columns[:1]}, []string{"id"}
			if n > 0 && m.r.IntN(3) == 0 {
				outer = s.Children[m.r.IntN(n)]
				child.Within, above = outer.Table, outer.Key
				child.Entries = child.Entries && !isInEntry(s, outer) // a rule has one key
			} else if m.r.IntN(4) == 0 {
				child.Or = [][]string{m.randomPath(2)}
			}
			for i, name := range above {
				c := outer.Columns[slices.IndexFunc(outer.Columns, func(c schemas.Column) bool { return c.Name == name })]
				child.Columns = append(child.Columns, newColumn(fmt.Sprintf("up%d", i), c.Type, schemas.FromParent, name))
				child.Key = append(child.Key, fmt.Sprintf("up%d", i))
			}
			key := newColumn("place", schemas.Int, schemas.FromPosition)
			if child.Entries {
				key = newColumn("place", schemas.Text, schemas.FromKey)
			}
			child.Columns, child.Key = append(child.Columns, key), append(child.Key, "place")
			if c := outer.Columns[len(outer.Columns)-1]; child.Within != "" && c.From[0] != schemas.FromParent {
				child.Columns = append(child.Columns, newColumn("copy", c.Type, schemas.FromParent, c.Name))
			}
			if m.r.IntN(2) == 0 {
				child.Columns = append(child.Columns, newColumn("item", schemas.JSON, schemas.FromItem))
			}
			child.Columns = m.randomColumns(child.Columns)
			s.Children = append(s.Children, child)
		}
		if _, err := NewDecoder(s, Options{}); err == nil && !hasListThroughList(s) {
			return s
		}
	}
}

// isInEntry reports whether the rows of a child are entries, or in the lists of entries.
func isInEntry(s *schemas.Stream, child schemas.Child) bool {
	return child.Entries || slices.ContainsFunc(s.Children, func(c schemas.Child) bool { return c.Table == child.Within && isInEntry(s, c) })
}

// hasListThroughList reports whether a list is inside the items of another one without naming it. Stream files cannot declare that.
func hasListThroughList(s *schemas.Stream) bool {
	for _, one := range s.Children {
		for _, other := range s.Children {
			for _, place := range one.Places() {
				for _, inside := range other.Places() {
					if one.Within == other.Within && len(inside) > len(place) && slices.Equal(inside[:len(place)], place) {
						return true
					}
				}
			}
		}
	}
	return false
}

func (m *maskCase) randomValue(path []string) any {
	switch n := m.r.IntN(20); {
	case len(path) > 4 || n < 8:
		m.last++
		text := fmt.Sprintf("v%dv", m.last)
		if n%4 == 0 {
			text = fmt.Sprint(7000000 + m.last)
			m.leaves[text] = path
			return json.Number(text)
		}
		m.leaves[text] = path
		return text
	case n < 9:
		return nil
	case n < 12:
		list := []any{}
		for range m.r.IntN(3) {
			list = append(list, m.randomValue(path))
		}
		return list
	}
	return m.randomObject(path)
}

func (m *maskCase) randomObject(path []string) map[string]any {
	object := map[string]any{}
	for range m.r.IntN(6) {
		name := m.oneOf(append([]string{"a.b", "b.c"}, maskNames...)...)
		if object[name] == nil {
			object[name] = m.randomValue(append(slices.Clip(path), name))
		}
	}
	return object
}

// randomNames are names that hash or drop may have, and that the stream allows.
func (m *maskCase) randomNames(hash bool) (names []string) {
	var all []string
	for _, c := range m.stream.Columns {
		all = append(all, c.Name)
	}
	for _, child := range m.stream.Children {
		for _, c := range child.Columns {
			all = append(all, child.Table+"."+c.Name)
		}
	}
	for range m.r.IntN(3) {
		name := strings.Join(m.randomPath(4), ".")
		switch m.r.IntN(3) {
		case 0:
			name = m.oneOf(all...)
		case 1:
			name = "_extra." + name
		}
		o := Options{Drop: append(slices.Clip(names), name)}
		if hash {
			o = Options{Hash: append(slices.Clip(names), name), HashKey: []byte("key")}
		}
		if _, err := NewDecoder(m.stream, o); err == nil {
			names = append(names, name)
		}
	}
	return names
}

// masks reports whether a name of hash or drop means the value at a path of the record.
func (m *maskCase) masks(name string, path []string) bool {
	var wanted []string
	for _, c := range m.stream.Columns {
		if c.Name == name {
			for _, place := range c.Places() {
				wanted = append(wanted, joinPath(place))
			}
		}
	}
	for _, child := range m.stream.Children {
		for _, c := range child.Columns {
			if child.Table+"."+c.Name != name {
				continue
			}
			for _, base := range m.stream.PathsOf(child) {
				for _, place := range c.Places() {
					if c.From[0] == schemas.FromItem {
						place = nil
					}
					wanted = append(wanted, joinPath(slices.Concat(base, place)))
				}
			}
		}
	}
	if len(wanted) == 0 {
		wanted = []string{strings.TrimPrefix(name, "_extra.")}
	}
	for _, one := range wanted {
		steps := strings.Split(one, ".")
		for n := range path {
			at := slices.Clone(path[:n+1])
			for i := range min(len(at), len(steps)) {
				if steps[i] == schemas.AnyKey {
					at[i] = schemas.AnyKey
				}
			}
			if joinPath(at) == one {
				return true
			}
		}
	}
	return false
}

// TestMaskingLeavesNoValueAndStoredRowsBecomeWhatAReadingStores has random streams, records and names of hash and drop.
func TestMaskingLeavesNoValueAndStoredRowsBecomeWhatAReadingStores(t *testing.T) {
	t.Parallel()
	key := []byte("key")
	for seed := range uint64(1000) {
		m := &maskCase{r: rand.New(rand.NewPCG(seed, 2)), leaves: map[string][]string{}}
		m.stream = m.randomStream()
		object := m.randomObject(nil)
		object["id"] = "1"
		record, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		hash, drop := m.randomNames(true), m.randomNames(false)
		if _, err := NewDecoder(m.stream, Options{Hash: hash, Drop: drop, HashKey: key}); err != nil || len(hash)+len(drop) == 0 {
			continue
		}
		told := fmt.Sprintf("seed %d: hash %v, drop %v of %s\n%s", seed, hash, drop, record, describeStream(m.stream))
		b := newTestDecoder(t, m.stream, Options{Hash: hash, Drop: drop, HashKey: key}).appendAll(string(record), string(record))
		var all strings.Builder
		for _, batch := range b.Take() {
			fmt.Fprintf(&all, "%v %v\n", batch.SchemaDrift, batch.DeadLetters)
			fmt.Fprintln(&all, rowsOf(t, batch.Rows))
			batch.Rows.Release()
		}
		for _, reject := range b.Rejects() {
			fmt.Fprintf(&all, "%+v %s\n", reject, reject.Raw)
		}
		for leaf, path := range m.leaves {
			if strings.Contains(all.String(), leaf) && slices.ContainsFunc(slices.Concat(hash, drop), func(name string) bool { return m.masks(name, path) }) {
				t.Fatalf("%s\n%s at %v is in\n%s", told, leaf, path, all.String())
			}
		}
		read := newTestDecoder(t, m.stream, Options{Hash: hash, Drop: drop, HashKey: key}).appendAll(string(record)).takeRows()
		stored := newTestDecoder(t, m.stream, Options{}).appendAll(string(record)).takeRows()
		maskRows(m.stream, stored, allMaskRules(t, m.stream, hash, drop), key)
		for table, want := range read {
			if got := stored[table]; len(got) != len(want) {
				t.Fatalf("%s\n%s has %d rows, read %d", told, table, len(got), len(want))
			}
			for i, row := range want {
				names := maps.Clone(row)
				maps.Copy(names, stored[table][i])
				for name := range names {
					got, read := stored[table][i][name], row[name]
					removed := got == nil && len(fmt.Sprint(read)) == 32
					if name != HashColumn && got != read && !(removed && (strings.HasSuffix(name, "_text") || name == "copy")) {
						t.Fatalf("%s\n%s.%s is %v, read it is %v", told, table, name, got, read)
					}
				}
			}
		}
	}
}

func describeStream(s *schemas.Stream) string {
	var text strings.Builder
	for i, t := range Tables(s) {
		columns, about := s.Columns, ""
		if i > 0 {
			c := s.Children[i-1]
			columns, about = c.Columns, fmt.Sprintf(" of %v, within %q, entries %t", c.Places(), c.Within, c.Entries)
		}
		fmt.Fprintf(&text, "%s%s:", t.Name, about)
		for _, c := range columns {
			fmt.Fprintf(&text, " %s %s %v%s,", c.Name, c.Type, c.Places(), c.As)
		}
		text.WriteString("\n")
	}
	return text.String()
}
