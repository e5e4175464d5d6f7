package export

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// csvTable reads CSV strictly by RFC 4180. A quote inside an unquoted field, text after a closing quote, and a row with another
// number of fields than the header are errors. Nothing is trimmed. Lines end with CRLF or LF.
type csvTable struct {
	r      *bufio.Reader
	limits Limits
	names  []string
	line   int
	ended  bool // the last row ended with a line break
	text   []byte
	ends   []int
	nulls  []bool
	cells  []Cell
}

func newCSV(r *bufio.Reader, l Limits) (*csvTable, error) {
	c := &csvTable{r: r, limits: l, ended: true}
	if first, err := r.Peek(3); err == nil && string(first) == "\ufeff" {
		_, _ = r.Discard(3) // Peek has buffered them
	}
	c.limits.Row = l.Header
	cells, err := c.nextRow()
	if errors.Is(err, io.EOF) {
		return nil, formatErrorf("it is empty and has no header")
	}
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	if len(cells) > l.Columns {
		return nil, formatErrorf("the header has %d columns, more than %d", len(cells), l.Columns)
	}
	for _, cell := range cells {
		c.names = append(c.names, string(cell.Text))
	}
	c.limits.Row = l.Row
	return c, nil
}

func (c *csvTable) headerNames() []string { return c.names }

func (c *csvTable) isComplete() bool { return c.ended }

// nextRow reads one row. An empty line is a row with one null, which is valid only in a file with one column.
func (c *csvTable) nextRow() ([]Cell, error) {
	c.text, c.ends, c.nulls = c.text[:0], c.ends[:0], c.nulls[:0]
	c.line++
	for first := true; ; first = false {
		more, err := c.readField()
		if errors.Is(err, io.EOF) && first && len(c.text) == 0 && c.nulls[0] {
			return nil, io.EOF
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("row %d: %w", c.line, err)
		}
		c.ended = err == nil
		if len(c.ends) > c.limits.Columns {
			return nil, formatErrorf("row %d has more than %d fields", c.line, c.limits.Columns)
		}
		if !more {
			break
		}
	}
	if c.names != nil && len(c.ends) != len(c.names) {
		return nil, formatErrorf("row %d has %d fields, the header has %d", c.line, len(c.ends), len(c.names))
	}
	c.cells = c.cells[:0]
	from := 0
	for i, end := range c.ends {
		c.cells = append(c.cells, Cell{Text: c.text[from:end], Null: c.nulls[i]})
		from = end
	}
	return c.cells, nil
}

// readField reads one field and its end; more reports a comma. io.EOF comes with the last field of a file without a final line
// break.
func (c *csvTable) readField() (more bool, err error) {
	from := len(c.text)
	b, err := c.r.ReadByte()
	if err == nil && b == '"' {
		if err = c.readQuoted(from); err != nil {
			return false, err
		}
		c.ends, c.nulls = append(c.ends, len(c.text)), append(c.nulls, false)
		if b, err = c.r.ReadByte(); err == nil && b != ',' && b != '\r' && b != '\n' {
			return false, formatErrorf("%q follows a closing quote", b)
		}
		return c.endField(b, err)
	}
	for ; err == nil && b != ',' && b != '\n' && b != '\r'; b, err = c.r.ReadByte() {
		if b == '"' {
			return false, formatErrorf("a quote inside a field without quotes")
		}
		if err := c.appendByte(from, b); err != nil {
			return false, err
		}
	}
	c.ends, c.nulls = append(c.ends, len(c.text)), append(c.nulls, len(c.text) == from)
	return c.endField(b, err)
}

// endField reads the rest of a field's end.
func (c *csvTable) endField(b byte, err error) (more bool, _ error) {
	if err == nil && b == '\r' {
		if b, err = c.r.ReadByte(); errors.Is(err, io.EOF) || err == nil && b != '\n' {
			return false, formatErrorf("a carriage return inside a line")
		}
	}
	return err == nil && b == ',', err
}

// readQuoted reads up to the closing quote. A doubled quote is a quote in the text.
func (c *csvTable) readQuoted(from int) error {
	for {
		b, err := c.r.ReadByte()
		if errors.Is(err, io.EOF) {
			return formatErrorf("the file ends inside quotes")
		}
		if err != nil {
			return err
		}
		if b == '"' {
			after, err := c.r.Peek(1)
			if err != nil || after[0] != '"' {
				return nil // a read error occurs again with the next byte
			}
			_, _ = c.r.Discard(1)
		}
		if err := c.appendByte(from, b); err != nil {
			return err
		}
	}
}

func (c *csvTable) appendByte(from int, b byte) error {
	if b == 0 {
		return formatErrorf("a zero byte")
	}
	if len(c.text)-from >= c.limits.Cell {
		return formatErrorf("a field is longer than %d bytes", c.limits.Cell)
	}
	if len(c.text) >= c.limits.Row {
		return formatErrorf("a row is longer than %d bytes", c.limits.Row)
	}
	c.text = append(c.text, b)
	return nil
}
