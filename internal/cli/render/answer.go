package render

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"aqueduck/internal/term"
)

// shownRows is the number of rows of an answer that a terminal shows.
const shownRows = 40

// Limits of a complete table: it is drawn when all of its rows are in memory, with some hundred bytes for each value.
const (
	mostValues = 1_000_000
	mostText   = 64 << 20 // bytes
)

// ErrTable means that an answer is too large for a table; other formats have no such limit.
var ErrTable = errors.New("the answer is larger than a table can show: a million values, or 64 MiB of text")

// NewAnswer returns a writer of the rows of an answer to a statement: json, csv, or else a table with types and counts. A table on a terminal
// shows the first rows, and as many columns as fit; one that is complete, or that is written elsewhere, shows everything.
func NewAnswer(form string, w io.Writer, complete bool) Rows {
	if r := newPrograms(form, w); r != nil {
		return r
	}
	width := columnsOf(w)
	if complete {
		width = 0
	}
	return &answerRows{w: w, width: width}
}

// answerRows draws a table after its last row, because the widths of columns depend on all rows.
type answerRows struct {
	w     io.Writer
	width int // 0: everything is shown
	t     *peopleTable
	set   []bool // by column: it has a value
	count int    // number of rows
	bytes int    // of text
}

func (r *answerRows) WriteHeader(names, types []string) error {
	heads := make([]string, len(names))
	for i, name := range names {
		heads[i] = escapeControls(name)
	}
	r.t, r.set = newTable(heads...), make([]bool, len(names))
	r.t.name = shortColumn
	for _, kind := range types {
		r.t.types = append(r.t.types, shortType(kind))
	}
	return nil
}

func (r *answerRows) WriteRow(values []any) error {
	if r.count++; r.width > 0 && r.count > shownRows {
		return nil
	}
	cells := make([]any, len(values))
	for i, v := range values {
		if v == nil {
			cells[i] = "NULL"
			continue
		}
		cell := escapeControls(formatCell(v))
		if _, ok := v.(time.Time); ok {
			r.t.times[i] = true
		}
		if isNumber(v) {
			cell = groupDigits(r.t.heads[i], decimalText(v, r.width > 0))
		}
		cells[i] = cell
		r.bytes += len(cell)
		r.t.noteNumber(i, v, &r.set[i])
	}
	if r.count*len(values) > mostValues || r.bytes > mostText {
		return ErrTable
	}
	r.t.addRow(cells...)
	return nil
}

func (r *answerRows) FinishTable() error {
	drawn, shown := r.t.drawTable(r.width)
	rows, columns := term.Count(r.count, "row"), term.Count(len(r.t.heads), "column")
	if n := len(r.t.rows); n < r.count {
		rows += fmt.Sprintf(" (%d shown)", n)
	}
	if len(shown) < len(r.t.heads) {
		columns += fmt.Sprintf(" (%d shown)", len(shown))
	}
	_, err := fmt.Fprintf(r.w, "%s\n\n  %s, %s\n", drawn, rows, columns)
	return err
}

// shortType returns the name of a DuckDB type for the head of a table: without its parts, which would be longer than the column.
func shortType(kind string) string {
	kind = strings.ToLower(kind)
	switch {
	case kind == "timestamp with time zone":
		return "timestamptz"
	case strings.HasSuffix(kind, "[]"):
		return shortType(strings.TrimSuffix(kind, "[]")) + "[]"
	case strings.HasPrefix(kind, "decimal("):
		return kind
	}
	name, _, _ := strings.Cut(kind, "(")
	return name
}

// decimalText returns a number without an exponent, unless it would be longer than a person reads. short: a fraction is rounded.
func decimalText(v any, short bool) string {
	n, bits := 0.0, 64
	switch v := v.(type) {
	case float32:
		n, bits = float64(v), 32
	case float64:
		n = v
	case *big.Int:
		return v.String()
	case json.Number:
		return v.String()
	default:
		return fmt.Sprint(v)
	}
	size := math.Abs(n)
	switch {
	case math.IsNaN(n) || math.IsInf(n, 0):
		return fmt.Sprint(n)
	case size >= 1e15 || size > 0 && size < 1e-6:
		return strconv.FormatFloat(n, 'g', -1, bits)
	}
	whole := strconv.FormatFloat(n, 'f', -1, bits)
	if !short || !strings.Contains(whole, ".") {
		return whole
	}
	digits := 4
	if size < 1 {
		digits += -int(math.Floor(math.Log10(size))) - 1 // a small share keeps as many digits
	}
	if rounded := strconv.FormatFloat(n, 'f', digits, bits); len(rounded) < len(whole) {
		whole = strings.TrimRight(strings.TrimRight(rounded, "0"), ".")
	}
	return whole
}

// groupDigits puts commas between the thousands of a number of five digits and more; a year has four. Ids keep their digits together.
func groupDigits(column, number string) string {
	whole, fraction, _ := strings.Cut(number, ".")
	digits := strings.TrimPrefix(whole, "-")
	name := strings.ToLower(column)
	if len(digits) < 5 || strings.Trim(digits, "0123456789") != "" || name == "id" || strings.HasSuffix(name, "_id") {
		return number
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return strings.Repeat("-", len(whole)-len(strings.TrimPrefix(whole, "-"))) + digits + term.WithNote(".", fraction)
}
