package transform

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"aqueduck/schemas"
)

// defaultOf parses the default value of a column; nil when it has none.
func defaultOf(d schemas.Column) (*defaultValue, error) {
	if d.Default == "" {
		return nil, nil
	}
	v := &defaultValue{text: d.Default}
	if k := codecs[d.Type].kind; k.isFixed() {
		var reason string
		if v.number, reason = k.parseScalar(jsonValue{first: d.Default[0], raw: []byte(d.Default)}, []byte(d.Default)); reason != "" {
			return nil, fmt.Errorf("column %s: default %s: %s", d.Name, d.Default, reason)
		}
	}
	return v, nil
}

// planCompiler builds the plans of one stream.
type planCompiler struct {
	stream *schemas.Stream
	plans  []*tablePlan
	nodes  int
	lists  [][]*fieldNode // by child: the places of its list
}

func compilePlans(s *schemas.Stream, p *maskPolicy) ([]*tablePlan, error) {
	c := planCompiler{stream: s}
	for i, t := range Tables(s) {
		declared, key := s.Columns, s.Key
		if i > 0 {
			declared, key = s.Children[i-1].Columns, s.Children[i-1].Key
		}
		outer := max(0, slices.IndexFunc(c.plans, func(p *tablePlan) bool { return p.table.Name == t.Within }))
		one, err := c.compileTable(i, outer, t, declared, key)
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", t.Name, err)
		}
		c.plans = append(c.plans, one)
	}
	for i, child := range s.Children {
		if err := c.placeList(child, c.plans[i+1]); err != nil {
			return nil, fmt.Errorf("table %s: %w", child.Table, err)
		}
	}
	c.skipIgnored()
	c.plans[0].root.applyPolicy(p)
	c.finishTree(c.plans[0].root, 1)
	c.joinPlaces()
	for _, p := range c.plans {
		if len(p.table.Groups) > maxGroups {
			return nil, fmt.Errorf("table %s: %d lists and objects exceed the limit of %d per table", p.table.Name, len(p.table.Groups), maxGroups)
		}
		p.table.Absent = p.all != 0
	}
	for i, child := range s.Children {
		c.linkItemCount(c.plans[i+1], child)
	}
	return c.plans, nil
}

// isApart reports whether a column has places in an object and outside of it. Such a column is absent only if all of its places
// are.
func isApart(places [][]string) bool {
	return slices.ContainsFunc(places, func(place []string) bool { return len(place) > 1 }) &&
		slices.ContainsFunc(places, func(place []string) bool { return place[0] != places[0][0] })
}

// joinPlaces makes values with several places absent only if none of the places came. Such columns get a group of their own; the
// later places of a list share the bit of its first.
func (c *planCompiler) joinPlaces() {
	for _, fields := range c.lists {
		for _, f := range fields[1:] {
			if !f.containsField(fields[0]) {
				f.bit |= fields[0].bit
			}
		}
	}
	for i, p := range c.plans {
		declared := c.stream.Columns
		if i > 0 {
			declared = c.stream.Children[i-1].Columns
		}
		for at, column := range p.columns {
			if !column.apart || column.silent {
				continue
			}
			g := Group{Bit: 1 << min(len(p.table.Groups), maxGroups), Path: strings.Join(declared[at].From, "."), Columns: []string{column.name}}
			for _, place := range declared[at].Places() {
				p.root.fields[place[0]].bit |= g.Bit
			}
			p.table.Groups, p.all = append(p.table.Groups, g), p.all|g.Bit
		}
	}
}

// linkItemCount links the field with the number of a list's items, if there is one, to the list. A count of 0 shows that an
// omitted list is empty.
func (c *planCompiler) linkItemCount(list *tablePlan, child schemas.Child) {
	outer := c.plans[list.outer]
	from, err := c.fieldAt(outer.root, child.From)
	if err != nil || len(child.From) < 2 {
		return
	}
	beside := from.in.fields["total_count"]
	if len(child.Count) > 0 && child.Within == "" {
		beside, _ = c.fieldAt(c.plans[0].root, child.Count)
	}
	if beside != nil {
		beside.counts |= from.bit
	}
}

// placeList adds the places of a child's list to the tree around it.
func (c *planCompiler) placeList(child schemas.Child, p *tablePlan) error {
	outer := c.plans[p.outer]
	var fields []*fieldNode // a place may be inside another, so all are resolved before the first becomes a list
	for _, place := range child.Places() {
		f, err := c.fieldAt(outer.root, place)
		if err != nil {
			return err
		}
		if f.list != nil || !f.canShareList() {
			return fmt.Errorf("%s is already used", f.path)
		}
		fields = append(fields, f)
	}
	p.entries = child.Entries
	fields[0].list = p
	for i, f := range fields[1:] {
		f.later = append(f.later, laterPlace{rank: i + 1, list: p})
	}
	c.lists = append(c.lists, fields)
	outer.places = max(outer.places, len(fields))
	outer.hasNestedLists = true
	return nil
}

// hashTag stands for a column in the hash of a row: its place; in a user's table its name, because a user may give a column another name, or exchange two
// (T201).
func hashTag(t Table, i int, name string) []byte {
	if t.File == "" {
		return binary.LittleEndian.AppendUint16(nil, uint16(i))
	}
	return append([]byte(name), 0)
}

// compileTable compiles one table and adds the fields of its columns to the tree.
func (c *planCompiler) compileTable(number, outer int, t Table, declared []schemas.Column, key []string) (*tablePlan, error) {
	p := &tablePlan{number: number, outer: outer, table: t, root: &objectNode{fields: map[string]*fieldNode{}}}
	p.root.of = p
	for i, d := range declared {
		if len(d.From) == 0 || codecs[d.Type].arrow == nil {
			return nil, fmt.Errorf("column %s: no source, or no type", d.Name)
		}
		one := columnPlan{name: d.Name, tag: hashTag(t, i, d.Name), kind: codecs[d.Type].kind, as: d.As, hashed: !d.Volatile && d.As != schemas.HasText, priorTypes: widenedFrom(d.NarrowerTypes)}
		for _, word := range d.Words {
			if one.words == nil {
				one.words = map[string]bool{}
			}
			one.words[word] = true
		}
		var err error
		if one.none, err = defaultOf(d); err != nil {
			return nil, err
		}
		if d.Required || slices.Contains(key, d.Name) {
			p.keys = append(p.keys, i)
		}
		if d.IsComputed() && d.From[0] != schemas.FromItem {
			if err := c.compileComputed(&one, d, p); err != nil {
				return nil, fmt.Errorf("column %s: %w", d.Name, err)
			}
			p.columns = append(p.columns, one)
			continue
		}
		p.columns = append(p.columns, one)
		if d.From[0] == schemas.FromItem {
			p.takeItem(i)
			continue
		}
		for rank, place := range d.Places() {
			f, err := c.fieldAt(p.root, place)
			if err != nil {
				return nil, fmt.Errorf("column %s: %w", d.Name, err)
			}
			f.addColumn(rank, i, d)
			f.key = f.key || d.Required || slices.Contains(key, d.Name)
		}
		p.columns[i].apart = isApart(d.Places())
		p.places = max(p.places, len(d.Places()))
	}
	for _, name := range key {
		if !slices.ContainsFunc(declared, func(d schemas.Column) bool { return d.Name == name }) {
			return nil, fmt.Errorf("the key names column %s, which does not exist", name)
		}
	}
	// recordKey uses the first key column to name a record in messages.
	if len(key) > 0 {
		first := slices.IndexFunc(p.keys, func(i int) bool { return p.columns[i].name == key[0] })
		p.keys[0], p.keys[first] = p.keys[first], p.keys[0]
	}
	return p, nil
}

// takeItem makes a column take the items themselves ($item).
func (p *tablePlan) takeItem(column int) {
	if p.item == nil {
		p.item = &fieldNode{name: schemas.FromItem, path: schemas.FromItem, in: p.root, key: true}
	}
	p.item.columns = append(p.item.columns, column)
}

func (c *planCompiler) compileComputed(one *columnPlan, d schemas.Column, in *tablePlan) error {
	one.source, one.silent = d.From[0], true
	want := map[string]schemas.Type{
		schemas.FromReadAt: schemas.Timestamp, schemas.FromOver: schemas.Text, schemas.FromPosition: schemas.Int,
		schemas.FromKey:    schemas.Text,
		schemas.FromErased: schemas.Bool,
	}[one.source]
	if one.source == schemas.FromParent {
		if in.number == 0 || len(d.From) != 2 {
			return fmt.Errorf("%s is for child tables, with the name of a column", schemas.FromParent)
		}
		above := c.plans[in.outer]
		one.parent = slices.IndexFunc(above.columns, func(p columnPlan) bool { return p.name == d.From[1] })
		if one.parent < 0 {
			return fmt.Errorf("%s has no column %s", above.table.Name, d.From[1])
		}
		want = above.table.Columns[one.parent].Type
	}
	if d.Type != want {
		return fmt.Errorf("%s is %s, not %s", one.source, want, d.Type)
	}
	return nil
}

// fieldAt is the field at a path; it adds it if needed.
func (c *planCompiler) fieldAt(at *objectNode, path []string) (*fieldNode, error) {
	if len(path) == 0 {
		return nil, fmt.Errorf("no source")
	}
	for _, name := range path[:len(path)-1] {
		f := at.childField(name)
		if f.list != nil {
			at = f.list.root
			continue
		}
		at = f.enterObject()
	}
	return at.childField(path[len(path)-1]), nil
}

// skipIgnored marks the fields that are not stored: those that the file ignores, and those that only help to read a nested list
// on.
func (c *planCompiler) skipIgnored() {
	paths := c.stream.Ignore
	for _, child := range c.stream.Children {
		paths = append(slices.Clip(paths), child.Count, child.Rest)
	}
	for _, path := range paths {
		for _, f := range c.matchingFields(c.plans[0].root, path) {
			f.skip = f.isUnused()
		}
	}
}

// matchingFields are the fields that a path through lists may mean; it adds them if needed. A field that may be a list or an
// object is followed as both.
func (c *planCompiler) matchingFields(at *objectNode, path []string) []*fieldNode {
	if len(path) == 0 {
		return nil
	}
	f := at.childField(path[0])
	if len(path) == 1 {
		return []*fieldNode{f}
	}
	var all []*fieldNode
	for _, p := range f.listPlans() {
		all = append(all, c.matchingFields(p.root, path[1:])...)
	}
	if f.object != nil || len(all) == 0 {
		all = append(all, c.matchingFields(f.enterObject(), path[1:])...)
	}
	return all
}

// finishTree numbers the nodes of a tree, and sets their groups. They have their policies.
func (c *planCompiler) finishTree(n *objectNode, depth int) {
	n.number, n.depth = c.nodes, depth
	c.nodes++
	names := make([]string, 0, len(n.fields))
	for name := range n.fields {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		f := n.fields[name]
		for _, i := range f.columns {
			n.of.columns[i].silent = f.policy.actionHere() == actDrop
		}
		f.assignGroup()
		if f.object != nil {
			f.object.kept = n.kept || f.whole || f.list != nil && f.list.entries
			c.finishTree(f.object, depth+1)
			f.inside = f.object.inside
		}
		n.inside |= f.bit | f.inside
		if f.list != nil {
			c.finishTree(f.list.root, depth+2) // a list is a level of nesting, too
		}
	}
}

// assignGroup gives a list or an object its group. A dropped one gets none: nothing of it is stored.
func (f *fieldNode) assignGroup() {
	p := f.in.of
	whole := slices.ContainsFunc(f.columns, func(i int) bool { return p.columns[i].kind == kindJSON })
	if f.policy.actionHere() == actDrop || f.object == nil && f.list == nil && !whole {
		return
	}
	g := Group{Bit: 1 << min(len(p.table.Groups), maxGroups), Path: f.path}
	for _, i := range f.columns {
		if !p.columns[i].apart {
			g.Columns = append(g.Columns, p.columns[i].name)
		}
	}
	if f.object != nil {
		for _, name := range slices.Sorted(maps.Keys(f.object.fields)) {
			// Lists and objects inside have their own groups.
			if in := f.object.fields[name]; in.object == nil && in.list == nil {
				for _, i := range in.columns {
					if p.columns[i].kind != kindJSON && !p.columns[i].apart {
						g.Columns = append(g.Columns, p.columns[i].name)
					}
				}
			}
		}
	}
	if f.list != nil {
		g.Child = f.list.table.Name
	}
	if g.Child == "" && len(g.Columns) == 0 {
		return
	}
	f.bit = g.Bit
	p.table.Groups, p.all = append(p.table.Groups, g), p.all|f.bit
}
