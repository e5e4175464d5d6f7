package transform

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"

	"aqueduck/schemas"
	"aqueduck/transform/internal/jsontext"

	"github.com/go-faster/jx"
)

// maxBytes bounds what is added between two Takes: texts in Arrow are found by 32-bit offsets.
const maxBytes = 1 << 30

// Decoder turns the records of one stream into batches. It is for one goroutine.
type Decoder struct {
	stream string
	plans  []*plan // the stream's own first
	taken  int64   // records kept since the decoder was made

	text      *recordText // of the record at hand
	reader    reader
	completer completer
	emitter   emitter
	rejects   *rejects
	news      *news
	suspects  *suspects
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
		p.out = newOutput(p.table)
	}
	text, met := &recordText{}, &news{}
	mask := &masker{text: text, policy: p, mac: hmac.New(sha256.New, o.HashKey)}
	values := &converter{text: text, mask: mask}
	unfit := &rejects{stream: s.Name, plans: plans, text: text, mask: mask, counted: map[complaint]*Reject{}}
	return &Decoder{
		stream: s.Name,
		plans:  plans,
		text:   text,
		reader: reader{js: jx.DecodeBytes(nil), text: text, row: filler{
			text: text, values: values, rejects: unfit, news: met,
			extras: extras{text: text, mask: mask, names: map[uint64]struct{}{}},
		}},
		completer: completer{text: text, values: values, plans: plans},
		emitter:   emitter{version: []byte(o.APIVersion), text: text},
		rejects:   unfit,
		news:      met,
		suspects:  newSuspects(plans[0]),
	}, nil
}

// Append adds one record, or rejects it whole. The error says that the text is no JSON, or that more than a gigabyte was
// added since the last Take; the batch is as before then. raw is not kept.
func (d *Decoder) Append(raw []byte, m Meta) error {
	if d.emitter.bytes > maxBytes {
		return fmt.Errorf("decode a record of %s: %d MB are not taken yet", d.stream, d.emitter.bytes>>20)
	}
	d.begin(raw, m)
	own := d.plans[0]
	w := d.reader.open(own)
	err := d.reader.read(&w)
	if d.text.deep || err != nil && jsontext.TooDeep(d.text.raw) {
		d.refuse(0, ReasonDepth, 1)
		return nil
	}
	if err != nil {
		return fmt.Errorf("decode a record of %s: %w", d.stream, err)
	}
	if err := d.reader.close(&w); err != nil {
		return fmt.Errorf("decode a record of %s: %w", d.stream, err)
	}
	d.completer.complete(own)
	if bad := own.rows[0].bad; bad != "" {
		d.refuse(0, bad, 1)
		return nil
	}
	d.suspects.weigh(own, d.text)
	d.emit()
	return nil
}

// Gone adds a row that says only that the source answered that the record is not there. It is for tables with Gone, whose
// key is one column.
func (d *Decoder) Gone(key string, m Meta) {
	d.begin(nil, m)
	own := d.plans[0]
	w := d.reader.open(own)
	d.completer.complete(own)
	own.cells[w.row+own.keys[0]] = cell{set: true, span: d.text.put(key)}
	own.rows[0].gone = true
	d.emit()
}

// begin forgets the last record.
func (d *Decoder) begin(raw []byte, m Meta) {
	d.text.begin(raw)
	d.completer.meta = m
	d.rejects.pending = d.rejects.pending[:0]
	d.reader.waiting = d.reader.waiting[:0]
	d.reader.row.extras.begin()
	for _, p := range d.plans {
		p.cells, p.rows = p.cells[:0], p.rows[:0]
	}
}

// emit moves the record's rows into the batches. The children are first: their hashes are part of the record's.
func (d *Decoder) emit() {
	var sum uint64
	for _, p := range d.plans[1:] {
		d.completer.complete(p)
		var refused int64
		var reason string
		for r := range p.rows {
			if p.rows[r].bad == keptOut {
				continue
			}
			if p.rows[r].bad != "" {
				refused++
				reason = p.rows[r].bad
				continue
			}
			h := d.emitter.add(p, r, 0, &d.completer.meta)
			if p.table.Complete {
				sum += h // an order of items is none of the record's content
			}
		}
		if refused > 0 {
			d.refuse(p.number, reason, refused)
		}
	}
	d.emitter.add(d.plans[0], 0, sum, &d.completer.meta)
	if d.text.mended {
		d.rejects.complain(0, "", ReasonUTF8)
	}
	d.rejects.keep(d.emitter.records)
	d.emitter.records++
	if !d.plans[0].rows[0].gone {
		d.taken++
	}
}

// refuse keeps the text of the record at hand, because n rows of a table were not taken.
func (d *Decoder) refuse(table int, reason string, n int64) {
	d.rejects.refuse(d.emitter.records, table, reason, n)
}

// Records is the number of rows in the stream's own table since the last Take.
func (d *Decoder) Records() int { return d.emitter.records }

// Bytes is about how much memory the batches of the next Take have.
func (d *Decoder) Bytes() int64 { return d.emitter.bytes }

// Take gives what was added since the last time, the stream's own table first. A child table without rows comes too:
// its emptiness may empty stored sets.
func (d *Decoder) Take() []Batch {
	batches := d.emitter.take(d.plans)
	batches[0].News, batches[0].Misfits = d.news.take(), d.rejects.takeMisfits()
	return batches
}

// Trim gives up the memory of released batches that is kept for the batches to come. It may be called at any time, also
// while another goroutine appends.
func (d *Decoder) Trim() { d.emitter.memory.trim() }
