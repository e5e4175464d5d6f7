package transform

import "aqueduck/transform/internal/scalar"

// Reasons of a reject.
const (
	ReasonType      = scalar.ReasonType  // the value is not of the column's type: NULL, raw in _extra
	ReasonRange     = scalar.ReasonRange // the value is outside what the column holds: NULL, raw in _extra
	ReasonDuplicate = "duplicate_key"    // the name came twice in one object: the first copy is kept, the second in _extra
	ReasonUTF8      = "utf8"             // text that was no Unicode: U+FFFD stands for what was not
	ReasonNoKey     = "no_key"           // a column that must be there is not: rejected whole
	ReasonNotObject = "not_an_object"    // a record, or an item of a list, that is none: rejected whole
	ReasonDepth     = "depth"            // nested too deep: rejected whole
)

// Reject is what did not fit, counted by table, column and reason. Those with Raw are single: a record that was
// rejected whole, or one with items of a nested list that were.
type Reject struct {
	Stream string
	Table  string
	Column string // the column, or the path of a field that is none; "" when the record as a whole is meant
	Reason string
	Count  int64
	Key    string // the key of one such record, when it has one
	Raw    []byte // the record's text, with hash and drop applied; nil when columns only were rejected
}

// Misfit is what did not fit in one record.
type Misfit struct {
	Row    int64  // the record's number in the batch; below 0 for one that was kept out whole
	Key    string // of one that was kept out whole: its key, or a name that is made of its text
	Table  string
	Column string // as in a Reject
	Reason string
	Count  int64 // values that did not fit so
}

// SchemaDrift is a field, or a kind of value, that a stream file does not know.
type SchemaDrift struct {
	Table  string
	Column string // that does not hold the value; "" of a field that no column takes
	Path   string // with dots, in the record or in the item
	Type   string // of the first value that was not null: text, int, double, bool, object, list
}
