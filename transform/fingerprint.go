package transform

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"aqueduck/schemas"
)

// ListFingerprint is the part of a list's record that shows whether the stored record is unchanged: its key and the values of
// `unless_same`, timestamps in microseconds. Values is nil when the record lacks one of them.
type ListFingerprint struct {
	Key    string
	Values []string
}

// FingerprintReader reads the fingerprints of one stream's records. It is not safe for concurrent use.
type FingerprintReader struct {
	Columns []Column // of the values, in their order
	d       *Decoder
}

// NewFingerprintReader compiles what a stream's `detail: {unless_same}` names; nil when it names nothing.
func NewFingerprintReader(s *schemas.Stream) (*FingerprintReader, error) {
	if s.Read.Detail == nil || len(s.Read.Detail.UnlessSame) == 0 || len(s.Key) != 1 {
		return nil, nil
	}
	reduced := &schemas.Stream{Name: s.Name, Table: s.Table, Key: s.Key}
	for _, c := range s.Columns {
		if c.Name == s.Key[0] {
			reduced.Columns = append(reduced.Columns, c)
		}
	}
	for _, path := range s.Read.Detail.UnlessSame {
		i := slices.IndexFunc(s.Columns, func(c schemas.Column) bool { return c.As == "" && slices.Equal(c.From, path) })
		if i < 0 {
			return nil, fmt.Errorf("stream %s: no column is from %v", s.Name, path)
		}
		reduced.Columns = append(reduced.Columns, s.Columns[i])
	}
	d, err := NewDecoder(reduced, Options{})
	return &FingerprintReader{Columns: tableColumns(reduced.Columns[1:]), d: d}, err
}

// Read is the fingerprint of a record. Values is nil when the record cannot be compared.
func (h *FingerprintReader) Read(raw []byte) ListFingerprint {
	d := h.d
	d.resetRecord(raw, Meta{})
	w := d.reader.openRow(d.plans[0])
	err := errors.Join(d.reader.readRecord(&w), d.reader.closeRow(&w))
	d.completer.completeRows(d.plans[0])
	if err != nil || d.plans[0].rows[0].bad != "" {
		return ListFingerprint{}
	}
	texts := make([]string, 0, len(d.plans[0].columns))
	for i, c := range d.plans[0].columns {
		cell := d.plans[0].cells[i]
		switch {
		case !cell.set:
			return ListFingerprint{}
		case c.kind.isFixed():
			texts = append(texts, strconv.FormatInt(int64(cell.number), 10))
		default:
			texts = append(texts, string(d.text.bytesOf(cell.textSpan)))
		}
	}
	return ListFingerprint{Key: texts[0], Values: texts[1:]}
}
