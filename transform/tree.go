package transform

import (
	"maps"
	"slices"

	"aqueduck/schemas"
)

// tablePlan is the compiled form of one table: where in the record its columns come from, and the rows of the current record.
type tablePlan struct {
	number         int // 0 is the stream's own table
	outer          int // number of the plan around the list
	table          Table
	columns        []columnPlan
	keys           []int       // columns that every row must have
	entries        bool        // the items are the members of an object
	item           *fieldNode  // takes items that are no objects; nil: such items are rejected
	places         int         // the largest number of places of one of its columns or of a list inside; 1: each has one
	hasNestedLists bool        // the items contain lists
	listObject     uint64      // number of the object whose list had items at an earlier place
	root           *objectNode // the record, or an item of the list
	policy         *maskPolicy // that root and item have: of the list at hand, or of the entry at hand
	all            uint64      // bits of all its groups
	cells          []rowCell
	rows           []rowState
	out            *tableOutput
}

// rowWidth is the number of cells of a row: the columns and _extra.
func (p *tablePlan) rowWidth() int { return len(p.columns) + 1 }

// columnPlan is the compiled form of one column.
type columnPlan struct {
	name       string
	kind       columnKind
	as         string
	source     string        // "": a field of the record; else one of the $ sources
	parent     int           // with $parent: the column of the table around the list
	hashed     bool          // part of _hash
	tag        []byte        // stands for it in _hash
	priorTypes narrowerTypes // narrower types that the column had before
	none       *defaultValue // for records without a value; nil: NULL
	filled     bool          // a record had a value
	apart      bool          // it has places in an object and places outside of that object
	silent     bool          // its absence is not reported: it is dropped, or no field of the record
	millis     bool          // a value came in milliseconds

	words    map[string]bool // the words that the source is known to send; nil: any text
	newWords map[string]bool // other values that came
}

// defaultValue is the value of a column for a record that has none.
type defaultValue struct {
	number uint64
	text   string
}

// rowCell is one value of a row before it is in Arrow.
type rowCell struct {
	number uint64 // of fixed kinds: the value's bits
	textSpan
	set bool
}

// rowState is the state of a row besides its cells.
type rowState struct {
	object   uint64
	position int
	key      textSpan // of an entry
	above    int      // first cell of the row around the list
	bad      string
	gone     bool
	absent   uint64 // bits of the groups that the answer omits
}

// objectNode is an object whose fields the plan reads.
type objectNode struct {
	of     *tablePlan
	name   []byte      // of the field with the object
	parent *objectNode // nil for a record or an item
	number int         // in order: parents before children, siblings by name
	depth  int         // of nesting; the record itself is 1
	kept   bool        // a JSON column takes all of it: its unknown fields need no copy in _extra
	fields map[string]*fieldNode
	first  *fieldNode      // the first field in the last record
	met    map[string]bool // unknown names that were reported
	policy *maskPolicy
	inside uint64 // bits of the groups in it
}

// fieldNode is a field that the plan knows.
type fieldNode struct {
	name    string
	path    string // joined with dots
	in      *objectNode
	columns []int
	whole   bool         // a JSON column takes the whole value
	url     string       // `as` of a column for URLs; "": none
	key     bool         // every row must have it
	object  *objectNode  // for an object: its fields
	list    *tablePlan   // for a list: one row per item
	later   []laterPlace // columns, and a list, that it fills if their earlier places have no value
	skip    bool         // goes neither to a column nor to _extra
	plain   int          // column that takes a text unchanged, as for most fields; else -1
	policy  *maskPolicy
	bit     uint64 // of its group: a list, an object, or a value with several places; else 0
	inside  uint64 // bits of the groups in it
	counts  uint64 // of a field with the number of items of a list: the bit of the list

	// next is the field that followed in the last record. Records nearly always have the same order, which saves the lookup by name.
	next *fieldNode
	// seen and spilled are the numbers of the last row in which the field came, and in which a value of it went to _extra.
	seen, spilled uint64
}

// laterPlace says that a field is a place of a column or of a list, but not the first.
type laterPlace struct {
	rank   int // 1: tried after the first place
	column int
	list   *tablePlan // nil: a place of a column
}

// applyPolicy sets the policies of an object's fields, and of all below them.
func (n *objectNode) applyPolicy(p *maskPolicy) {
	n.policy = p
	for name, f := range n.fields {
		f.policy = p.policyOf([]byte(name))
		f.plain = f.plainColumn()
		if f.object != nil {
			f.object.applyPolicy(f.policy)
		}
		if f.list != nil {
			f.list.applyPolicy(f.list.policyWithin(f.policy))
		}
	}
}

// policyWithin is the policy of the rows of a table, by the policy of their list: for entries, of those that no name of hash and drop names.
func (p *tablePlan) policyWithin(list *maskPolicy) *maskPolicy {
	if p.entries {
		return list.policyOf([]byte(schemas.AnyKey))
	}
	return list
}

// applyPolicy sets the policy of the rows of a table. Those of a named entry, and of a list at a later place, are set when they are read.
func (p *tablePlan) applyPolicy(policy *maskPolicy) {
	p.policy = policy
	if p.item != nil {
		p.item.policy = policy
	}
	p.root.applyPolicy(policy)
}

// objectPaths are the paths of the declared objects in an object.
func (n *objectNode) objectPaths(around []string) (paths [][]string) {
	for _, name := range slices.Sorted(maps.Keys(n.fields)) {
		if f := n.fields[name]; f.object != nil {
			path := append(slices.Clip(around), name)
			paths = append(append(paths, path), f.object.objectPaths(path)...)
		}
	}
	return paths
}

// childField returns the field with a name; it adds it if needed.
func (n *objectNode) childField(name string) *fieldNode {
	f := n.fields[name]
	if f == nil {
		path := name
		for at := n; at.parent != nil; at = at.parent {
			path = string(at.name) + "." + path
		}
		f = &fieldNode{name: name, in: n, path: path}
		n.fields[name] = f
	}
	return f
}

// enterObject returns the node of the field's object; it adds it if needed.
func (f *fieldNode) enterObject() *objectNode {
	if f.object == nil {
		f.object = &objectNode{name: []byte(f.name), parent: f.in, of: f.in.of, fields: map[string]*fieldNode{}}
	}
	return f.object
}

// addColumn makes the field a place of a column, with a rank among its places.
func (f *fieldNode) addColumn(rank, column int, d schemas.Column) {
	if d.As == "url" || d.As == "signed_url" {
		f.url = d.As
	}
	if rank > 0 {
		f.later = append(f.later, laterPlace{rank: rank, column: column})
		return
	}
	f.columns = append(f.columns, column)
	f.whole = f.whole || d.Type == schemas.JSON
}

// canShareList reports whether the field may also be a list: its columns take the whole value, or a text that comes in place of
// the list.
func (f *fieldNode) canShareList() bool {
	return f.whole || !slices.ContainsFunc(f.columns, func(i int) bool { return f.in.of.columns[i].kind != kindText })
}

// containsField reports whether another field is in the field's object.
func (f *fieldNode) containsField(other *fieldNode) bool {
	for at := other.in; at != nil; at = at.parent {
		if at == f.object {
			return true
		}
	}
	return false
}

// listPlans are the plans of the lists that the field may be.
func (f *fieldNode) listPlans() []*tablePlan {
	var all []*tablePlan
	if f.list != nil {
		all = append(all, f.list)
	}
	for _, l := range f.later {
		if l.list != nil {
			all = append(all, l.list)
		}
	}
	return all
}

// isUnused reports whether nothing reads the field.
func (f *fieldNode) isUnused() bool {
	return len(f.columns) == 0 && f.object == nil && f.list == nil && len(f.later) == 0
}

// plainColumn is the column that takes a text of the field unchanged; -1: there is none.
func (f *fieldNode) plainColumn() int {
	if len(f.columns) != 1 || f.object != nil || f.list != nil || len(f.later) > 0 || f.policy != nil {
		return -1
	}
	c := f.in.of.columns[f.columns[0]]
	if c.kind != kindText || c.as != "" || c.words != nil || c.priorTypes.hasAny() {
		return -1
	}
	return f.columns[0]
}

// messageName is the field's name in messages: its column, or its path.
func (f *fieldNode) messageName(p *tablePlan) string {
	if len(f.columns) > 0 {
		return p.columns[f.columns[0]].name
	}
	return f.path
}

// isWithin reports whether n is top or below it.
func isWithin(n, top *objectNode) bool {
	for n != nil && n != top {
		n = n.parent
	}
	return n == top
}
