package envelope

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-faster/jx"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/scan"
)

// Envelope is one decoded page of a list. Its records are slices of the answer's body.
type Envelope struct {
	Records [][]byte
	Seen    []Peeked // by record
	Total   int64    // total_count, -1 when absent
	Pages   PageInfo
	Top     PageInfo // a `next` beside the list, where the answer has no `pages.next`
	Unused  Unused   // what is said about the rest of the list in other words
}

// Parse decodes the envelope of an answer's body. It keeps each record as a slice of the body, with the values that g
// asks for. keys are the names that the list may have; without keys the whole body is one record.
//
// A body without exactly one known list is an error: an error decoded as an empty page would look like the end of the list (T19).
func Parse(body []byte, keys []string, g Peek) (*Envelope, error) {
	s := envelopeScanner{body: body, keys: keys, peek: g, Envelope: Envelope{Total: -1}, picked: make([][]byte, len(g.heads))}
	d := jx.DecodeBytes(body)
	if d.Next() != jx.Object {
		if err := d.Skip(); err != nil {
			return nil, wrapDecodeError(body, err)
		}
		return nil, errors.New("the answer is not a JSON object")
	}
	read := s.scanMember
	if len(keys) == 0 {
		read = s.scanSingleRecord
	}
	if err := d.ObjBytes(read); err != nil {
		if s.wrong != nil {
			return nil, s.wrong
		}
		return nil, wrapDecodeError(body, err)
	}
	if err := d.Skip(); err != io.EOF {
		return nil, fmt.Errorf("%w: there is more after its end", api.ErrNotJSON)
	}
	return s.finishScan()
}

// wrapDecodeError wraps the decoder's error in api.ErrNotJSON.
func wrapDecodeError(body []byte, err error) error {
	if len(body) == 0 {
		return fmt.Errorf("%w: it is empty", api.ErrNotJSON)
	}
	return fmt.Errorf("%w: %w", api.ErrNotJSON, err)
}

// envelopeScanner is one pass over an envelope.
type envelopeScanner struct {
	Envelope
	body   []byte
	keys   []string
	peek   Peek
	kind   string
	lists  []string // names of the lists found
	flat   PageInfo // counters that lie in the envelope itself
	wrong  error    // why well-formed JSON is no envelope
	end    int      // offset where the previous record ends; 0 before the first
	picked [][]byte // values of peek.heads in the current record
}

// scanMember reads one member of the envelope.
func (s *envelopeScanner) scanMember(d *jx.Decoder, key []byte) error {
	if slices.Contains(s.keys, string(key)) {
		return s.scanList(d, string(key))
	}
	raw, err := d.Raw()
	if err != nil {
		return err
	}
	switch string(key) {
	case "type":
		s.kind, _ = scan.Text(raw)
	case "total_count":
		s.Total = scan.Count(raw)
	case "pages":
		s.Unused.notePages(raw)
		if s.Pages, s.wrong = parsePages(raw); s.wrong != nil {
			s.wrong = &PagingError{s.wrong}
		}
	case "per_page", "total_pages":
		s.flat.setCounter(string(key), raw)
	case "page":
		s.flat.setCounter(string(key), raw)
		s.Unused.noteUnused(string(key), raw, 0)
	case "next":
		if err := s.Top.readNext(raw); err != nil {
			s.Top = PageInfo{}
		}
		s.Unused.noteUnused(string(key), raw, 0)
	default:
		s.Unused.noteUnused(string(key), raw, 0)
	}
	return s.wrong
}

// scanSingleRecord reads one member of an answer that is itself the record. A member named `pages` or `page` is a field of the
// record here.
func (s *envelopeScanner) scanSingleRecord(d *jx.Decoder, key []byte) error {
	raw, err := d.Raw()
	if string(key) == "type" {
		s.kind, _ = scan.Text(raw)
	}
	s.peek.pickValue(key, raw, s.picked)
	return err
}

// scanList notes the extent of each record of the list. It skips nulls.
func (s *envelopeScanner) scanList(d *jx.Decoder, key string) error {
	if kind := d.Next(); kind != jx.Array {
		if err := d.Skip(); err != nil {
			return err
		}
		s.wrong = fmt.Errorf("%q of the answer is %s, not a list", key, kind)
		return s.wrong
	}
	s.lists = append(s.lists, key)
	s.end = 0
	return d.Arr(s.scanRecord)
}

// scanRecord notes the extent of one record. The decoder does not expose its offset, and a second pass to find a record's end is
// too slow: the end is computed from the record's last value. The first element of a list is read whole, to find the list's
// offset.
func (s *envelopeScanner) scanRecord(d *jx.Decoder) error {
	kind := d.Next()
	if kind != jx.Object || s.end == 0 {
		raw, err := d.Raw()
		if err != nil {
			return err
		}
		clear(s.picked)
		if kind == jx.Object && len(s.picked) > 0 {
			err = jx.DecodeBytes(raw).ObjBytes(s.scanField)
		}
		if kind != jx.Null {
			s.addRecord(raw)
		}
		s.end = s.endOfValue(raw)
		return err
	}
	from := s.end
	clear(s.picked)
	if err := d.ObjBytes(s.scanField); err != nil {
		return err
	}
	from += bytes.IndexByte(s.body[from:], '{')
	s.end = max(s.end, from+1)
	s.end += bytes.IndexByte(s.body[s.end:], '}') + 1
	s.addRecord(s.body[from:s.end])
	return nil
}

// scanField reads one field of a record.
func (s *envelopeScanner) scanField(d *jx.Decoder, key []byte) error {
	raw, err := d.Raw()
	if err != nil {
		return err
	}
	s.peek.pickValue(key, raw, s.picked)
	s.end = s.endOfValue(raw)
	return nil
}

// endOfValue is the offset in the body where a value ends. The decoder slices values out of the body without limiting their
// capacity, so the capacity tells the distance from a value's beginning to the body's end.
func (s *envelopeScanner) endOfValue(raw []byte) int { return cap(s.body) - cap(raw) + len(raw) }

func (s *envelopeScanner) addRecord(raw []byte) {
	s.Records = append(s.Records, raw[:len(raw):len(raw)]) // the limited capacity keeps an append out of the next record
	s.Seen = append(s.Seen, s.peek.inspectRecord(s.picked))
}

// finishScan checks that the body was an envelope, and returns it.
func (s *envelopeScanner) finishScan() (*Envelope, error) {
	switch {
	case s.kind == "error.list":
		return nil, api.ErrErrorList
	case len(s.keys) == 0:
		s.addRecord(s.body)
		return &s.Envelope, nil
	case len(s.lists) == 0:
		return nil, fmt.Errorf("the answer has no list: none of its keys is %s", strings.Join(s.keys, " or "))
	case len(s.lists) > 1:
		return nil, fmt.Errorf("the answer has more than one list: %s", strings.Join(s.lists, ", "))
	}
	if s.Pages.Next == NextAbsent && s.Pages.TotalPages == 0 {
		s.Pages = s.Pages.orElse(s.flat)
	}
	return &s.Envelope, nil
}
