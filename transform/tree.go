package transform

import (
	"slices"

	"aqueduck/schemas"
)

// node is one object that the plan looks into.
type node struct {
	of     *plan
	name   []byte // of the field that holds it
	parent *node  // nil for a record and for an item
	number int    // parents before children, siblings by name
	depth  int    // of nesting, the record itself being 1
	kept   bool   // a JSON column has the whole of it: what else is in it is no extra
	fields map[string]*field
	first  *field          // the field that came first in the last record
	met    map[string]bool // names that are none of the fields, as far as they were told of
	policy *policy
	inside uint64 // the bits of the lists and objects in it
}

// field is one name in an object that the plan knows.
type field struct {
	name    string
	path    string // with dots
	in      *node
	columns []int
	whole   bool         // a column takes objects as they are
	url     string       // how a column makes an address of it; "": none does
	key     bool         // a row cannot be without it
	object  *node        // looked into
	list    *plan        // one row per item
	later   []laterPlace // columns, and a list, that it fills where the places before it have nothing
	skip    bool         // neither a column nor _extra
	plain   int          // the column, when it takes one text as it is: most fields do; -1 otherwise
	policy  *policy
	bit     uint64 // of a list or an object, or of a value that has several places: marks that a row has it; 0 for all others
	inside  uint64 // and those of the lists and objects in it
	counts  uint64 // of a field that says how many items a list has: the bit of the list

	// Fields nearly always come in one order: the field that followed in the last record is tried first.
	next *field
	// The objects, by their number, in which the field came, and in which it went to _extra.
	seen, spilled uint64
}

// laterPlace says that a field is a place of a column, or of a list, but not the first one.
type laterPlace struct {
	rank   int // 1: tried after the first place
	column int
	list   *plan // nil: of a column
}

// child gives the field of a name, made if need be.
func (n *node) child(name string) *field {
	f := n.fields[name]
	if f == nil {
		path := name
		for at := n; at.parent != nil; at = at.parent {
			path = string(at.name) + "." + path
		}
		f = &field{name: name, in: n, path: path}
		n.fields[name] = f
	}
	return f
}

// enter gives the object that the field is looked into as, made if need be.
func (f *field) enter() *node {
	if f.object == nil {
		f.object = &node{name: []byte(f.name), parent: f.in, of: f.in.of, fields: map[string]*field{}}
	}
	return f.object
}

// take has a column filled from the field, where the places of lower rank have nothing.
func (f *field) take(rank, column int, d schemas.Column) {
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

// shares says that a list may be taken from the field too: a column has the whole of it as well, or what comes there as a
// text in place of the list.
func (f *field) shares() bool {
	return f.whole || !slices.ContainsFunc(f.columns, func(i int) bool { return f.in.of.columns[i].kind != kindText })
}

// holds reports whether another field lies in the object that this one is looked into as.
func (f *field) holds(other *field) bool {
	for at := other.in; at != nil; at = at.parent {
		if at == f.object {
			return true
		}
	}
	return false
}

// lists are the plans of the lists that the field may be.
func (f *field) lists() []*plan {
	var all []*plan
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

// idle reports whether nothing is made of the field.
func (f *field) idle() bool {
	return len(f.columns) == 0 && f.object == nil && f.list == nil && len(f.later) == 0
}

// plainColumn gives the column of a field that takes one text as it is, or -1.
func (f *field) plainColumn() int {
	if len(f.columns) != 1 || f.object != nil || f.list != nil || len(f.later) > 0 || f.policy != nil {
		return -1
	}
	c := f.in.of.columns[f.columns[0]]
	if c.kind != kindText || c.as != "" || c.was.any() {
		return -1
	}
	return f.columns[0]
}
