package transform

import (
	"slices"

	"aqueduck/schemas"
)

// tablePlan is one table, made ready to be filled: where in the record its columns come from, and the rows of the record
// at hand.
type tablePlan struct {
	number         int // 0 is the stream's own
	outer          int // the plan of what the list lies in
	table          Table
	columns        []columnPlan
	keys           []int       // columns a row cannot be without
	entries        bool        // the items are the entries of an object
	item           *fieldNode  // takes an item that is no object; nil when that is no row
	places         int         // the most places that one of its columns, or of the lists inside, may be at; 1: each has one
	hasNestedLists bool        // lists lie in the items
	listObject     uint64      // the object whose list brought items from its first place
	root           *objectNode // of a record, or of an item of the list
	all            uint64      // the bits of its lists and objects
	cells          []rowCell
	rows           []rowState
	out            *tableOutput
}

// rowWidth is the number of cells of a row: the columns and _extra.
func (p *tablePlan) rowWidth() int { return len(p.columns) + 1 }

// columnPlan is how one column is filled.
type columnPlan struct {
	name       string
	kind       columnKind
	as         string
	source     string        // "" for a field of the record, or one of the $ sources
	parent     int           // $parent: the column of what the list lies in
	hashed     bool          // part of _hash
	priorTypes narrowerTypes // narrower types that it had
	none       *defaultValue // of a record that has none; nil: NULL
	filled     bool          // a record had a value
	apart      bool          // some of its places are in an object, others outside of it
	silent     bool          // never to be missed: dropped, or no field of the record
	millis     bool          // a value of it came in milliseconds
}

// defaultValue is the value of a column for a record that has none.
type defaultValue struct {
	number uint64
	text   string
}

// rowCell is one value of a row that is not in Arrow yet.
type rowCell struct {
	number uint64 // of the fixed kinds, in their own representation
	textSpan
	set bool
}

// rowState is what is known about a row besides its cells.
type rowState struct {
	object   uint64
	position int
	key      textSpan // of an entry
	above    int      // first cell of the row that the list lies in
	bad      string
	gone     bool
	absent   uint64 // groups that the answer left out
}

// objectNode is one object that the plan looks into.
type objectNode struct {
	of     *tablePlan
	name   []byte      // of the field that holds it
	parent *objectNode // nil for a record and for an item
	number int         // parents before children, siblings by name
	depth  int         // of nesting, the record itself being 1
	kept   bool        // a JSON column has the whole of it: what else is in it is no extra
	fields map[string]*fieldNode
	first  *fieldNode      // the field that came first in the last record
	met    map[string]bool // names that are none of the fields, as far as they were told of
	policy *maskPolicy
	inside uint64 // the bits of the lists and objects in it
}

// fieldNode is one name in an object that the plan knows.
type fieldNode struct {
	name    string
	path    string // with dots
	in      *objectNode
	columns []int
	whole   bool         // a column takes objects as they are
	url     string       // how a column makes an address of it; "": none does
	key     bool         // a row cannot be without it
	object  *objectNode  // looked into
	list    *tablePlan   // one row per item
	later   []laterPlace // columns, and a list, that it fills where the places before it have nothing
	skip    bool         // neither a column nor _extra
	plain   int          // the column, when it takes one text as it is: most fields do; -1 otherwise
	policy  *maskPolicy
	bit     uint64 // of a list or an object, or of a value that has several places: marks that a row has it; 0 for all others
	inside  uint64 // and those of the lists and objects in it
	counts  uint64 // of a field that says how many items a list has: the bit of the list

	// Fields nearly always come in one order: the field that followed in the last record is tried first.
	next *fieldNode
	// The objects, by their number, in which the field came, and in which it went to _extra.
	seen, spilled uint64
}

// laterPlace says that a field is a place of a column, or of a list, but not the first one.
type laterPlace struct {
	rank   int // 1: tried after the first place
	column int
	list   *tablePlan // nil: of a column
}

// childField gives the field of a name, made if need be.
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

// enterObject gives the object that the field is looked into as, made if need be.
func (f *fieldNode) enterObject() *objectNode {
	if f.object == nil {
		f.object = &objectNode{name: []byte(f.name), parent: f.in, of: f.in.of, fields: map[string]*fieldNode{}}
	}
	return f.object
}

// addColumn has a column filled from the field, where the places of lower rank have nothing.
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

// canShareList says that a list may be taken from the field too: a column has the whole of it as well, or what comes there as a
// text in place of the list.
func (f *fieldNode) canShareList() bool {
	return f.whole || !slices.ContainsFunc(f.columns, func(i int) bool { return f.in.of.columns[i].kind != kindText })
}

// containsField reports whether another field lies in the object that this one is looked into as.
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

// isUnused reports whether nothing is made of the field.
func (f *fieldNode) isUnused() bool {
	return len(f.columns) == 0 && f.object == nil && f.list == nil && len(f.later) == 0
}

// plainColumn gives the column of a field that takes one text as it is, or -1.
func (f *fieldNode) plainColumn() int {
	if len(f.columns) != 1 || f.object != nil || f.list != nil || len(f.later) > 0 || f.policy != nil {
		return -1
	}
	c := f.in.of.columns[f.columns[0]]
	if c.kind != kindText || c.as != "" || c.priorTypes.hasAny() {
		return -1
	}
	return f.columns[0]
}

// messageName is what messages call a field: the column that it fills, or its path.
func (f *fieldNode) messageName(p *tablePlan) string {
	if len(f.columns) > 0 {
		return p.columns[f.columns[0]].name
	}
	return f.path
}

// isWithin says whether n is top or an object below it.
func isWithin(n, top *objectNode) bool {
	for n != nil && n != top {
		n = n.parent
	}
	return n == top
}
