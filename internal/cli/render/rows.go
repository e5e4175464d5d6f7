package render

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// WriteJSON writes a result as indented JSON that does not escape < and >.
func WriteJSON(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(v)
}

// WriteList writes all rows of a result in one of the output formats.
func WriteList(form string, w io.Writer, columns []string, all [][]any) error {
	out := NewRows(form, w)
	if err := out.WriteHeader(columns); err != nil {
		return err
	}
	for _, row := range all {
		if err := out.WriteRow(row); err != nil {
			return err
		}
	}
	return out.FinishTable()
}

// Rows writes the rows of a result one by one in one of the output formats.
type Rows interface {
	WriteHeader(names []string) error // before the rows
	WriteRow(values []any) error
	FinishTable() error // after the last one
}

// NewRows returns a writer of rows in a format: json, csv, or else a table.
func NewRows(form string, w io.Writer) Rows {
	switch form {
	case "json":
		return &jsonRows{w: w}
	case "csv":
		return &csvRows{w: csv.NewWriter(w)}
	}
	return &tableRows{w: w, t: table.NewWriter()}
}

// Limits of a table: it is drawn when all of its rows are in memory, with some hundred bytes for each value.
const (
	mostValues = 1_000_000
	mostText   = 64 << 20 // bytes
)

// ErrTable means that an answer is too large for a table; other formats have no such limit.
var ErrTable = errors.New("the answer is larger than a table can show: a million values, or 64 MiB of text")

// tableRows draws a table after its last row, because the widths of columns depend on all rows. Columns of numbers are aligned to the right.
type tableRows struct {
	w     io.Writer
	t     table.Writer
	held  int    // number of values
	bytes int    // of text
	words []bool // by column: it has a value that is no number
	any   []bool // by column: it has a value
}

func (r *tableRows) WriteHeader(names []string) error {
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	r.t.SetStyle(style)
	heads := make([]string, len(names))
	for i, name := range names {
		heads[i] = escapeControls(name)
	}
	r.t.AppendHeader(tableRow(heads))
	r.words, r.any = make([]bool, len(names)), make([]bool, len(names))
	return nil
}

func (r *tableRows) WriteRow(values []any) error {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = escapeControls(formatCell(v))
		r.bytes += len(texts[i])
		if v == nil {
			texts[i] = "NULL"
			continue
		}
		r.any[i] = true
		r.words[i] = r.words[i] || !isNumber(v)
	}
	if r.held += len(values); r.held > mostValues || r.bytes > mostText {
		return ErrTable
	}
	r.t.AppendRow(tableRow(texts))
	return nil
}

func (r *tableRows) FinishTable() error {
	var right []table.ColumnConfig
	for i := range r.words {
		if r.any[i] && !r.words[i] {
			right = append(right, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
	}
	r.t.SetColumnConfigs(right)
	_, err := fmt.Fprintln(r.w, r.t.Render())
	return err
}

func isNumber(v any) bool {
	switch v.(type) {
	case int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64, *big.Int, json.Number:
		return true
	}
	return false
}

func tableRow(texts []string) table.Row {
	row := make(table.Row, len(texts))
	for i, t := range texts {
		row[i] = t
	}
	return row
}

type csvRows struct{ w *csv.Writer }

func (r *csvRows) WriteHeader(names []string) error {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = noFormula(name)
	}
	return r.w.Write(texts)
}

func (r *csvRows) WriteRow(values []any) error {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = formatCell(v)
		if _, ok := v.(string); ok {
			texts[i] = noFormula(texts[i])
		}
	}
	return r.w.Write(texts)
}

func (r *csvRows) FinishTable() error {
	r.w.Flush()
	return r.w.Error()
}

// jsonRows writes an array of objects with members in the order of the columns. Of columns with equal names the later ones get a number,
// because most readers of JSON keep only the last of equal names.
type jsonRows struct {
	w     io.Writer
	names [][]byte
	began bool
}

func (r *jsonRows) WriteHeader(names []string) error {
	taken := map[string]bool{}
	for _, n := range names {
		unique := n
		for i := 1; taken[unique]; i++ {
			unique = fmt.Sprintf("%s_%d", n, i)
		}
		taken[unique] = true
		quoted, err := unescapedJSON(unique)
		if err != nil {
			return fmt.Errorf("write the column name %q: %w", n, err)
		}
		r.names = append(r.names, quoted)
	}
	return nil
}

func (r *jsonRows) WriteRow(values []any) error {
	line := []byte("[\n {")
	if r.began {
		line = []byte(",\n {")
	}
	r.began = true
	for i, v := range values {
		if i > 0 {
			line = append(line, ", "...)
		}
		text, err := unescapedJSON(jsonValue(v))
		if err != nil {
			return fmt.Errorf("write column %s as JSON: %w", r.names[i], err)
		}
		line = append(append(append(line, r.names[i]...), ": "...), text...)
	}
	_, err := r.w.Write(append(line, '}'))
	return err
}

func (r *jsonRows) FinishTable() error {
	text := "\n]\n"
	if !r.began {
		text = "[]\n"
	}
	_, err := io.WriteString(r.w, text)
	return err
}
