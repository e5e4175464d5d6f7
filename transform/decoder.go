package transform

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"

	"aqueduck/schemas"
	"aqueduck/transform/internal/jsontext"

	"github.com/go-faster/jx"
)

// maxBytes bounds the bytes between two Takes: Arrow's offsets of texts have 32 bits.
const maxBytes = 1 << 30

// Decoder turns the records of one stream into batches. It is not safe for concurrent use; only Trim is.
type Decoder struct {
	stream string
	plans  []*tablePlan // the stream's own table first
	taken  int64        // records kept since the decoder was made

	text      *recordText // of the current record
	reader    recordReader
	completer rowCompleter
	emitter   batchEmitter
	rejects   *rejectCounter
	news      *driftLog
	suspects  *suspectTracker
}

// NewDecoder compiles a stream. It refuses a hash or drop of a name that the stream does not have, or of a column that its tables
// need.
func NewDecoder(s *schemas.Stream, o Options) (*Decoder, error) {
	p, err := newPolicy(s, o)
	if err != nil {
		return nil, fmt.Errorf("stream %s: %w", s.Name, err)
	}
	plans, err := compilePlans(s, p)
	if err != nil {
		return nil, fmt.Errorf("stream %s: %w", s.Name, err)
	}
	for _, p := range plans {
		if o.OmittedIsEmpty {
			p.all, p.table.Absent, p.table.Groups = 0, false, nil
		}
		p.out = newOutput(p.table)
	}
	text, met := &recordText{}, &driftLog{}
	mask := &jsonMasker{text: text, policy: p, mac: hmac.New(sha256.New, o.HashKey)}
	values := &cellConverter{text: text, mask: mask}
	unfit := &rejectCounter{stream: s.Name, plans: plans, text: text, mask: mask, counted: map[pendingReject]*Reject{}}
	return &Decoder{
		stream: s.Name,
		plans:  plans,
		text:   text,
		reader: recordReader{js: jx.DecodeBytes(nil), text: text, row: rowFiller{
			text: text, values: values, rejects: unfit, news: met,
			extras: extraFields{text: text, mask: mask, names: map[uint64]struct{}{}},
		}},
		completer: rowCompleter{text: text, values: values, plans: plans},
		emitter:   batchEmitter{version: []byte(o.APIVersion), text: text},
		rejects:   unfit,
		news:      met,
		suspects:  newSuspects(plans[0]),
	}, nil
}

// Append adds one record, or rejects it. It fails when the text is no JSON, or when more than a gigabyte was added since the last
// Take; the batches are then unchanged. It does not keep raw.
func (d *Decoder) Append(raw []byte, m Meta) error {
	if d.emitter.bytes > maxBytes {
		return fmt.Errorf("decode a record of %s: %d MB are not consumed yet", d.stream, d.emitter.bytes>>20)
	}
	d.resetRecord(raw, m)
	own := d.plans[0]
	w := d.reader.openRow(own)
	err := d.reader.readRecord(&w)
	if d.text.deep || err != nil && jsontext.TooDeep(d.text.raw) {
		d.rejects.rejectRecord(d.emitter.records, 0, ReasonDepth, 1)
		return nil
	}
	if err != nil {
		return fmt.Errorf("decode a record of %s: %w", d.stream, err)
	}
	if err := d.reader.closeRow(&w); err != nil {
		return fmt.Errorf("decode a record of %s: %w", d.stream, err)
	}
	d.completer.completeRows(own)
	if bad := own.rows[0].bad; bad != "" {
		d.rejects.rejectRecord(d.emitter.records, 0, bad, 1)
		return nil
	}
	d.suspects.observeRecord(own, d.text)
	d.emitRows()
	return nil
}

// AppendGone adds a row for a record that the source says does not exist. It is for tables with Gone and a key of one column.
func (d *Decoder) AppendGone(key string, m Meta) {
	d.resetRecord(nil, m)
	own := d.plans[0]
	w := d.reader.openRow(own)
	d.completer.completeRows(own)
	own.cells[w.row+own.keys[0]] = rowCell{set: true, textSpan: d.text.appendText(key)}
	own.rows[0].gone = true
	d.emitRows()
}

// resetRecord begins a record.
func (d *Decoder) resetRecord(raw []byte, m Meta) {
	d.text.resetRecord(raw)
	d.completer.meta = m
	d.rejects.pending = d.rejects.pending[:0]
	d.reader.deferred = d.reader.deferred[:0]
	d.reader.row.extras.resetRecord()
	for _, p := range d.plans {
		p.cells, p.rows = p.cells[:0], p.rows[:0]
	}
}

// emitRows moves the record's rows into the batches. Children come first, because their hashes are part of the record's.
func (d *Decoder) emitRows() {
	var sum uint64
	for _, p := range d.plans[1:] {
		d.completer.completeRows(p)
		refused, reason := int64(0), ""
		for r := range p.rows {
			if bad := p.rows[r].bad; bad != "" {
				if bad != itemRejected {
					refused, reason = refused+1, bad
				}
				continue
			}
			h := d.emitter.addRow(p, r, 0, &d.completer.meta)
			if p.table.Complete {
				sum += h // a sum, because the order of items is not content
			}
		}
		if refused > 0 {
			d.rejects.rejectRecord(d.emitter.records, p.number, reason, refused)
		}
	}
	d.emitter.addRow(d.plans[0], 0, sum, &d.completer.meta)
	if d.text.mended {
		d.rejects.addPending(0, "", ReasonUTF8)
	}
	d.rejects.countPending(d.emitter.records)
	d.emitter.records++
	if !d.plans[0].rows[0].gone {
		d.taken++
	}
}

// Records is the number of rows in the stream's own table since the last Take.
func (d *Decoder) Records() int { return d.emitter.records }

// Bytes is approximately the memory of the next Take's batches.
func (d *Decoder) Bytes() int64 { return d.emitter.bytes }

// Take returns what was added since the last call, the stream's own table first. Child tables without rows are included: an empty
// complete list deletes stored rows. The caller releases the batches.
func (d *Decoder) Take() []Batch {
	batches := d.emitter.takeBatches(d.plans)
	batches[0].SchemaDrift, batches[0].DeadLetters = d.news.takeDrift(), d.rejects.takeDeadLetters()
	return batches
}

// Trim drops the memory of released batches that is kept for later ones. It is safe to call while another goroutine appends.
func (d *Decoder) Trim() { d.emitter.memory.dropFree() }
