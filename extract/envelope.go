package extract

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-faster/jx"
)

// envelope is one page of a list, taken apart. Its records are parts of the answer's body.
type envelope struct {
	records [][]byte
	total   int64 // total_count, -1 when it is not given
	pages   pages
}

// scan takes an answer's body apart, without decoding the records. keys are the names that the list may have; without any,
// the body is itself the one record.
//
// It never gives an envelope for a body that lacks the list: an error decoded as an empty page would look like the end.
func scan(body []byte, keys []string) (*envelope, error) {
	s := scanner{keys: keys, envelope: envelope{total: -1}}
	d := jx.DecodeBytes(body)
	if d.Next() != jx.Object {
		if err := d.Skip(); err != nil {
			return nil, broken(body, err)
		}
		return nil, errors.New("the answer is no JSON object")
	}
	if err := d.ObjBytes(s.member); err != nil {
		if s.wrong != nil {
			return nil, s.wrong
		}
		return nil, broken(body, err)
	}
	if err := d.Skip(); err != io.EOF {
		return nil, fmt.Errorf("%w: more follows its end", errBroken)
	}
	return s.result(body)
}

// broken wraps the decoder's complaint; an empty body is said in plain words.
func broken(body []byte, err error) error {
	if len(body) == 0 {
		return fmt.Errorf("%w: it is empty", errBroken)
	}
	return fmt.Errorf("%w: %w", errBroken, err)
}

// scanner is one pass over an envelope.
type scanner struct {
	envelope
	keys  []string
	kind  string
	lists []string // names of the lists found
	flat  pages    // counters that lie in the envelope itself
	wrong error    // what is well-formed and yet no envelope
}

// member reads one key of the envelope.
func (s *scanner) member(d *jx.Decoder, key []byte) error {
	if slices.Contains(s.keys, string(key)) {
		return s.list(d, string(key))
	}
	raw, err := d.Raw()
	if err != nil {
		return err
	}
	if string(key) == "type" {
		s.kind, _ = text(raw)
	}
	if len(s.keys) == 0 {
		return nil // a record may have a field of any name
	}
	switch string(key) {
	case "total_count":
		s.total = count(raw)
	case "pages":
		s.pages, s.wrong = parsePages(raw)
	case "page", "per_page", "total_pages":
		s.flat.counter(string(key), raw)
	}
	return s.wrong
}

// list notes where each record lies. A null among them stands for nothing.
func (s *scanner) list(d *jx.Decoder, key string) error {
	if kind := d.Next(); kind != jx.Array {
		if err := d.Skip(); err != nil {
			return err
		}
		s.wrong = fmt.Errorf("%q of the answer is no list but %s", key, kind)
		return s.wrong
	}
	s.lists = append(s.lists, key)
	return d.Arr(func(d *jx.Decoder) error {
		null := d.Next() == jx.Null
		raw, err := d.Raw()
		if err == nil && !null {
			s.records = append(s.records, raw)
		}
		return err
	})
}

// result holds the pass against what an envelope must be.
func (s *scanner) result(body []byte) (*envelope, error) {
	switch {
	case s.kind == "error.list":
		return nil, errErrorList
	case len(s.keys) == 0:
		s.records = [][]byte{body}
		return &s.envelope, nil
	case len(s.lists) == 0:
		return nil, fmt.Errorf("the answer has no list: none of its keys is %s", strings.Join(s.keys, " or "))
	case len(s.lists) > 1:
		return nil, fmt.Errorf("the answer has more than one list: %s", strings.Join(s.lists, ", "))
	}
	if s.pages.next == nextAbsent && s.pages.totalPages == 0 {
		s.pages = s.pages.or(s.flat)
	}
	return &s.envelope, nil
}

// text reads a JSON string.
func text(raw []byte) (string, bool) {
	d := jx.DecodeBytes(raw)
	if d.Next() != jx.String {
		return "", false
	}
	s, err := d.Str()
	return s, err == nil
}

// count reads a number of things, however it is written: 12, 12.0 and "12" were all seen. -1 when it is none.
func count(raw []byte) int64 {
	n, ok := number(raw)
	if !ok || n < 0 {
		return -1
	}
	return n
}

// number reads a whole number.
func number(raw []byte) (int64, bool) {
	s := strings.Trim(string(raw), "\" \t\r\n")
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}
