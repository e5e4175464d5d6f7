package transform

import "aqueduck/transform/internal/scalar"

// Values of Reject.Reason.
const (
	ReasonType      = scalar.ReasonType  // the value is not of the column's type: NULL, raw in _extra
	ReasonRange     = scalar.ReasonRange // the value is outside what the column holds: NULL, raw in _extra
	ReasonDuplicate = "duplicate_key"    // the name is repeated in one object: the first value is kept, the second goes to _extra; an entry is rejected
	ReasonUTF8      = "utf8"             // invalid Unicode in a text: replaced by U+FFFD
	ReasonNoKey     = "no_key"           // a required column has no value: the record or item is rejected
	ReasonNotObject = "not_an_object"    // a record or an item of a list is no object: it is rejected
	ReasonDepth     = "depth"            // nested too deep: the record is rejected
)

// Reject counts dead letters of one table, column and reason. A Reject with Raw is of one record, which was rejected, or which
// has rejected items of a nested list.
type Reject struct {
	Stream string
	Table  string
	Column string // column, or path of a field without a column; "": the whole record
	Reason string
	Count  int64
	Key    string // key of one such record, if it has one
	Raw    []byte // the record's text, with hash and drop applied; nil when only values were rejected
}

// DeadLetter is what was rejected of one record: values of one column, or the whole record.
type DeadLetter struct {
	Row    int64  // the record's number in the batch; below 0: the record itself was rejected
	Key    string // of a rejected record: its key, or a hash of its text
	Table  string
	Column string // as in a Reject
	Reason string
	Count  int64 // values rejected, or items of a rejected list
}

// SchemaDrift is a field, a type of value or a word that the stream file does not declare.
type SchemaDrift struct {
	Table  string
	Column string // the column that rejects the value, or has the word; "": a field without a column
	Path   string // joined with dots, in the record or in the item
	Type   string // of the first value that is not null: text, int, double, bool, object, list; of a word: DriftWord
	Word   string // with DriftWord: the word, or a text about a value that is none; otherwise ""
}

// DriftWord is SchemaDrift.Type of a value that is not among the words of its column. The column has the value as sent.
const DriftWord = "word"
