package export

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"github.com/go-faster/jx"
)

// jsonTable reads JSON objects, one after the other or in one list. Its columns are the keys of all of them.
type jsonTable struct {
	d      *json.Decoder
	in     *cappedReader
	limits Limits
	names  []string
	place  map[string]int
	list   bool
	rows   int
	cells  []Cell
}

// newJSON begins to read. known are the columns that an earlier reading found.
func newJSON(r *bufio.Reader, l Limits, known []string) (*jsonTable, error) {
	in := &cappedReader{r: r, most: int64(l.Row), left: int64(l.Row)}
	t := &jsonTable{d: json.NewDecoder(in), in: in, limits: l, names: slices.Clone(known), place: map[string]int{}}
	for i, name := range known {
		t.place[name] = i
	}
	first, err := firstByte(r)
	if err != nil {
		return nil, err
	}
	if t.list = first == '['; t.list {
		if _, err := t.d.Token(); err != nil {
			return nil, formatErrorf("no list starts: %v", err)
		}
	}
	return t, nil
}

// firstByte is the first byte after white space; it stays unread.
func firstByte(r *bufio.Reader) (byte, error) {
	for {
		b, err := r.Peek(1)
		if errors.Is(err, io.EOF) {
			return 0, formatErrorf("it is empty")
		}
		if err != nil {
			return 0, err
		}
		if b[0] > ' ' {
			return b[0], nil
		}
		_, _ = r.Discard(1) // Peek has buffered it
	}
}

// cappedReader limits the bytes of one record.
type cappedReader struct {
	r          io.Reader
	most, left int64
}

func (c *cappedReader) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, formatErrorf("a record is longer than %d bytes", c.most)
	}
	n, err := c.r.Read(p)
	c.left -= int64(n)
	return n, err
}

func (t *jsonTable) headerNames() []string { return t.names }

func (t *jsonTable) isComplete() bool { return true } // the end of a JSON value is always known

func (t *jsonTable) nextRow() ([]Cell, error) {
	if t.list && !t.d.More() {
		if _, err := t.d.Token(); err != nil {
			return nil, t.decodeError(err)
		}
		if _, err := t.d.Token(); !errors.Is(err, io.EOF) {
			return nil, formatErrorf("there is text after the end of the list")
		}
		return nil, io.EOF
	}
	var raw json.RawMessage
	t.in.left = t.in.most
	if err := t.d.Decode(&raw); err != nil {
		if errors.Is(err, io.EOF) && !t.list && t.rows > 0 {
			return nil, io.EOF
		}
		return nil, t.decodeError(err)
	}
	t.rows++
	t.cells = t.cells[:0]
	for range t.names {
		t.cells = append(t.cells, Cell{Null: true})
	}
	d := jx.DecodeBytes(raw)
	if d.Next() != jx.Object {
		return nil, formatErrorf("record %d is not an object", t.rows)
	}
	if err := d.ObjBytes(t.readMember); err != nil {
		return nil, t.decodeError(err)
	}
	return t.cells, nil
}

// readMember reads one field of a record. Strings are unquoted, other values stay as sent.
func (t *jsonTable) readMember(d *jx.Decoder, key []byte) error {
	i, known := t.place[string(key)]
	if !known {
		if len(t.names) >= t.limits.Columns {
			return formatErrorf("there are more than %d columns", t.limits.Columns)
		}
		i = len(t.names)
		t.place[string(key)] = i
		t.names = append(t.names, string(key))
		t.cells = append(t.cells, Cell{Null: true})
	}
	switch d.Next() {
	case jx.Null:
		return d.Null()
	case jx.String:
		text, err := d.Str()
		t.cells[i] = Cell{Text: []byte(text)}
		return err
	}
	raw, err := d.Raw()
	t.cells[i] = Cell{Text: slices.Clone([]byte(raw))}
	return err
}

func (t *jsonTable) decodeError(err error) error {
	if errors.Is(err, ErrFormat) {
		return err
	}
	return formatErrorf("record %d: %v", t.rows+1, err)
}
