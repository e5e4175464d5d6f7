package transform

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"
	"unicode/utf8"

	"aqueduck/schemas"

	"github.com/go-faster/jx"
)

// maxBytes bounds what is added between two Takes: texts in Arrow are found by 32-bit offsets.
const maxBytes = 1 << 30

// Options are what a stream's file does not say.
type Options struct {
	APIVersion string   // for _api_version
	Hash, Drop []string // columns, or paths with dots; hash keeps a keyed hash of the value, drop nothing
	HashKey    []byte   // needed by Hash

	LeftOutEmpty bool // a list or an object that a record leaves out is empty; else nothing is said of it
}

// Meta is what a record does not say itself.
type Meta struct {
	ReadAt time.Time // the server's time of the answer
	Over   string    // the id that was asked for
}

// Decoder turns the records of one stream into batches. It is for one goroutine.
type Decoder struct {
	stream  string
	version []byte
	plans   []*plan // the stream's own first
	policy  *policy
	mac     hash.Hash

	record     // the record at hand
	records    int
	bytes      int64
	taken      int64 // records kept since the decoder was made
	rejects    map[complaint]*Reject
	whole      []Reject
	misfits    []Misfit
	canonical  []byte
	memory     pool
	news       news
	suspects   suspects
	duplicates map[uint64]struct{} // names in _extra of the record at hand
}

// record is the state of one record while it is read. Cells point into raw or arena by offset.
type record struct {
	js         *jx.Decoder
	meta       Meta
	raw        []byte // as sent, or made valid
	valid      []byte // room for what had to be made valid
	arena      []byte // texts that are not in raw as they are
	extras     []extra
	waiting    []waiting // values of later places, of the open rows
	objects    uint64    // numbers rows, over all records
	complaints []complaint
	mended     bool // text that was no Unicode was replaced
	deep       bool // nested too deep
}

// frame is the row that is being filled: of the record, or of an item of a list.
type frame struct {
	plan   *plan
	row    int    // its first cell
	object uint64 // its number
	extras int    // its first extra
	waits  int    // the first of its waiting values
	bad    string // why it cannot be kept

	present uint64 // groups that came
}

// NewDecoder compiles a stream. It refuses a hash or drop that the stream does not know, or that takes what its tables
// cannot do without.
func NewDecoder(s *schemas.Stream, o Options) (*Decoder, error) {
	p, err := newPolicy(s, o)
	if err != nil {
		return nil, fmt.Errorf("stream %s: %w", s.Name, err)
	}
	plans, err := compile(s, p)
	if err != nil {
		return nil, fmt.Errorf("stream %s: %w", s.Name, err)
	}
	for _, p := range plans {
		if o.LeftOutEmpty {
			p.all, p.table.Absent, p.table.Groups = 0, false, nil
		}
		p.out = newOutput(p)
	}
	return &Decoder{
		suspects:   suspects{came: make([]int64, len(plans[0].table.Groups)), waiting: map[uint64][]string{}},
		stream:     s.Name,
		version:    []byte(o.APIVersion),
		plans:      plans,
		policy:     p,
		mac:        hmac.New(sha256.New, o.HashKey),
		record:     record{js: jx.DecodeBytes(nil)},
		rejects:    map[complaint]*Reject{},
		duplicates: map[uint64]struct{}{},
	}, nil
}

// Append adds one record, or rejects it whole. The error says that the text is no JSON, or that more than a gigabyte was
// added since the last Take; the batch is as before then. raw is not kept.
func (d *Decoder) Append(raw []byte, m Meta) error {
	if d.bytes > maxBytes {
		return fmt.Errorf("decode a record of %s: %d MB are not taken yet", d.stream, d.bytes>>20)
	}
	d.begin(raw, m)
	w := d.open(d.plans[0])
	err := d.read(&w)
	if d.deep || err != nil && deeper(d.raw) {
		d.refuse(0, ReasonDepth, 1)
		return nil
	}
	if err != nil {
		return fmt.Errorf("decode a record of %s: %w", d.stream, err)
	}
	if err := d.close(&w); err != nil {
		return fmt.Errorf("decode a record of %s: %w", d.stream, err)
	}
	d.compute(d.plans[0])
	if bad := d.plans[0].rows[0].bad; bad != "" {
		d.refuse(0, bad, 1)
		return nil
	}
	d.weigh()
	d.emit()
	return nil
}

// Gone adds a row that says only that the source answered that the record is not there. It is for tables with Gone, whose
// key is one column.
func (d *Decoder) Gone(key string, m Meta) {
	d.begin(nil, m)
	own := d.plans[0]
	w := d.open(own)
	d.compute(own)
	own.cells[w.row+own.keys[0]] = cell{set: true, span: d.put(key)}
	own.rows[0].gone = true
	d.emit()
}

// begin forgets the last record.
func (d *Decoder) begin(raw []byte, m Meta) {
	d.raw, d.meta = raw, m
	d.arena, d.extras, d.complaints, d.waiting = d.arena[:0], d.extras[:0], d.complaints[:0], d.waiting[:0]
	d.mended, d.deep = false, false
	for _, p := range d.plans {
		p.cells, p.rows = p.cells[:0], p.rows[:0]
	}
	if len(d.duplicates) > 0 {
		clear(d.duplicates)
	}
	if !utf8.Valid(raw) {
		d.valid = appendValid(d.valid[:0], raw)
		d.raw, d.mended = d.valid, true
	}
}

// read takes the text of a whole record apart.
func (d *Decoder) read(w *frame) error {
	d.js.ResetBytes(d.raw)
	if d.js.Next() != jx.Object {
		w.bad = ReasonNotObject
		return d.js.Validate()
	}
	if err := d.object(d.plans[0].root, w); err != nil {
		return err
	}
	switch err := d.js.Skip(); err {
	case io.EOF:
		return nil
	case nil:
		return errors.New("more text after its end")
	default:
		return fmt.Errorf("after its end: %w", err)
	}
}

// object reads an object that the plan looks into.
func (d *Decoder) object(n *node, w *frame) error {
	it, err := d.js.ObjIter()
	if err != nil {
		return err
	}
	expected, empty := &n.first, true
	for it.Next() {
		f := *expected
		empty = false
		if f == nil || f.name != string(it.Key()) {
			if f = n.fields[string(it.Key())]; f == nil {
				if err := d.unknown(n, it.Key(), w); err != nil {
					return err
				}
				continue
			}
			*expected = f
		}
		expected = &f.next
		if err := d.known(f, w); err != nil {
			return err
		}
	}
	if empty {
		w.present |= n.inside
	}
	return it.Err()
}

func (d *Decoder) known(f *field, w *frame) error {
	w.present |= f.bit
	if f.counts != 0 {
		return d.countItems(f, w)
	}
	if f.skip || f.policy.action() == actDrop {
		return d.js.Skip()
	}
	again := f.seen == w.object
	f.seen = w.object
	if !again && (f.object != nil || f.list != nil) {
		return d.inside(f, w)
	}
	raw, err := d.js.Raw()
	switch {
	case err != nil:
		return err
	case again:
		if f.key {
			w.bad = ReasonDuplicate
		}
		d.complain(w.plan.number, f.label(w.plan), ReasonDuplicate)
		d.spill(f, raw, w)
	case len(f.later) > 0:
		d.wait(f, raw, w)
	case f.plain >= 0 && raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0:
		w.plan.cells[w.row+f.plain] = cell{set: true, span: d.within(raw[1 : len(raw)-1])}
	default:
		d.fill(f, raw, w, false)
	}
	return nil
}

// inside reads a field whose object is looked into, or whose list becomes rows.
func (d *Decoder) inside(f *field, w *frame) error {
	entries := f.list != nil && f.list.entries
	if !f.whole && !entries {
		switch t := d.js.Next(); {
		case t == jx.Object && f.object != nil:
			return d.object(f.object, w)
		case t == jx.Array && f.list != nil:
			return d.list(f.list, w)
		}
	}
	raw, err := d.js.Raw()
	if err != nil || raw[0] == 'n' {
		w.present |= f.inside // of nothing there is nothing
		return err
	}
	opened := false
	if raw[0] == '{' || raw[0] == '[' {
		opened, err = d.enter(f, raw, w)
	}
	if !opened || raw[0] == '[' && f.list == nil {
		w.present |= f.inside // something else came in its place
	}
	switch {
	case err != nil:
		return err
	case !opened && len(f.later) > 0:
		d.wait(f, raw, w)
	case len(f.columns) > 0:
		d.fill(f, raw, w, opened)
	case !opened:
		d.complain(w.plan.number, f.label(w.plan), ReasonType)
		d.spill(f, raw, w)
	}
	return nil
}

// enter looks into an object or a list, if the plan does; opened reports whether it does.
func (d *Decoder) enter(f *field, raw []byte, w *frame) (opened bool, err error) {
	outer := d.js
	defer func() { d.js = outer }()
	entries := f.list != nil && f.list.entries
	switch d.js = jx.DecodeBytes(raw); {
	case raw[0] == '{' && f.object != nil && entries:
		if err := d.object(f.object, w); err != nil {
			return true, err
		}
		d.js = jx.DecodeBytes(raw) // what has a column is an entry as well
		return true, d.entries(f.list, w)
	case raw[0] == '{' && f.object != nil:
		return true, d.object(f.object, w)
	case raw[0] == '[' && f.list != nil && !entries:
		return true, d.list(f.list, w)
	case raw[0] == '{' && entries:
		return true, d.entries(f.list, w)
	case raw[0] == '{' && f.list != nil:
		return d.emptyObject(), nil // an empty list, in some answers
	case raw[0] == '[':
		return d.emptyList(), nil // no entries, or nothing to look into, in some answers
	}
	return false, nil
}

// Records is the number of rows in the stream's own table since the last Take.
func (d *Decoder) Records() int { return d.records }

// Bytes is about how much memory the batches of the next Take have.
func (d *Decoder) Bytes() int64 { return d.bytes }

// AbsentColumns gives the columns that no record so far had a value for, and how many records there were.
func (d *Decoder) AbsentColumns() (names []string, records int64) {
	for _, c := range d.plans[0].columns {
		if !c.filled && !c.silent {
			names = append(names, c.name)
		}
	}
	return names, d.taken
}

// MillisecondColumns gives the timestamps, as table.column, of which a value so far came in milliseconds.
func (d *Decoder) MillisecondColumns() (names []string) {
	for _, p := range d.plans {
		for _, c := range p.columns {
			if c.millis {
				names = append(names, p.table.Name+"."+c.name)
			}
		}
	}
	return names
}
