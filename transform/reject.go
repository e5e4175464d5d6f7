package transform

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
)

// Reasons of a reject.
const (
	ReasonType      = "type"          // the value is not of the column's type: NULL, raw in _extra
	ReasonRange     = "range"         // the value is outside what the column holds: NULL, raw in _extra
	ReasonDuplicate = "duplicate_key" // the name came twice in one object: the first copy is kept, the second in _extra
	ReasonUTF8      = "utf8"          // text that was no Unicode: U+FFFD stands for what was not
	ReasonNoKey     = "no_key"        // a column that must be there is not: rejected whole
	ReasonNotObject = "not_an_object" // a record, or an item of a list, that is none: rejected whole
	ReasonDepth     = "depth"         // nested too deep: rejected whole
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
	Count  int64
}

// complaint is a reject of the record at hand: it counts when the record is kept.
type complaint struct {
	table          int
	column, reason string
}

func (d *Decoder) complain(table int, column, reason string) {
	d.complaints = append(d.complaints, complaint{table, column, reason})
}

// count adds the complaints about a kept record to the rejects.
func (d *Decoder) count() {
	for _, c := range d.complaints {
		r := d.rejects[c]
		if r == nil {
			r = &Reject{Stream: d.stream, Table: d.plans[c.table].table.Name, Column: c.column, Reason: c.reason, Key: d.key()}
			d.rejects[c] = r
		}
		r.Count++
		d.misfits = append(d.misfits, Misfit{Row: int64(d.records), Table: r.Table, Column: c.column, Reason: c.reason, Count: 1})
	}
}

// refuse keeps the text of the record at hand, because n rows of a table were not taken.
func (d *Decoder) refuse(table int, reason string, n int64) {
	reject := Reject{Stream: d.stream, Table: d.plans[table].table.Name, Reason: reason, Count: n, Key: d.key(), Raw: d.redacted()}
	d.whole = append(d.whole, reject)
	m := Misfit{Row: int64(d.records), Table: reject.Table, Reason: reason, Count: n}
	if table == 0 {
		m.Row, m.Key = -1, reject.Key
		if m.Key == "" || len(d.plans[0].keys) > 1 {
			sum := sha256.Sum256(d.raw)
			m.Key = "text " + hex.EncodeToString(sum[:8])
		}
	}
	d.misfits = append(d.misfits, m)
}

// key gives the first key column of the record at hand, "" when it has none.
func (d *Decoder) key() string {
	own := d.plans[0]
	if len(own.keys) == 0 || len(own.cells) == 0 {
		return ""
	}
	c := own.cells[own.keys[0]]
	switch k := own.columns[own.keys[0]].kind; {
	case !c.set:
		return ""
	case k.fixed():
		return strconv.FormatInt(int64(c.number), 10)
	}
	return string(d.piece(c.span))
}

// Rejects gives what was rejected since it was last asked, and forgets it.
func (d *Decoder) Rejects() []Reject {
	list := d.whole
	d.whole = nil
	for _, r := range d.rejects {
		list = append(list, *r)
	}
	clear(d.rejects)
	slices.SortStableFunc(list, func(a, b Reject) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Reason, b.Reason))
	})
	return list
}
