package render

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/runlog"
	"aqueduck/internal/term"
)

// WriteJSON writes a result as indented JSON that does not escape < and >.
func WriteJSON(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(v)
}

// WriteList writes all rows of a list in one of the output formats: json, csv, or else a table, whose times are short and seen from now.
func WriteList(form string, w io.Writer, now time.Time, l List) error {
	out := newPrograms(form, w)
	if out == nil {
		out = &listRows{w: w, now: now, spare: l.Spare}
	}
	if err := out.WriteHeader(l.Columns, nil); err != nil {
		return err
	}
	for _, row := range l.Rows {
		if err := out.WriteRow(row); err != nil {
			return err
		}
	}
	return out.FinishTable()
}

// Rows writes the rows of a result one by one in one of the output formats.
type Rows interface {
	WriteHeader(names, types []string) error // before the rows; types may be nil
	WriteRow(values []any) error
	FinishTable() error // after the last one
}

// RunID is the id of a run in a list: whole for programs, short in a table.
type RunID string

// runNote is the note of a run in a list, with whole ids for programs.
type runNote struct{ run runlog.PastRun }

// String returns the note as programs get it.
func (n runNote) String() string { return n.run.WholeNote() }

// newPrograms returns a writer in a format for programs; nil for a table.
func newPrograms(form string, w io.Writer) Rows {
	switch form {
	case "json":
		return &jsonRows{w: w}
	case "csv":
		return &csvRows{w: csv.NewWriter(w)}
	}
	return nil
}

// listRows draws a list of a command as a table after its last row. Columns of numbers are aligned to the right.
type listRows struct {
	w     io.Writer
	now   time.Time
	spare []string // names of columns that a narrow terminal leaves out first
	t     *peopleTable
	set   []bool // by column: it has a value
}

func (r *listRows) WriteHeader(names, _ []string) error {
	heads := make([]string, len(names))
	for i, name := range names {
		heads[i] = strings.ToUpper(strings.ReplaceAll(name, "_", " "))
	}
	r.t, r.set = newTable(heads...), make([]bool, len(names))
	r.t.empty = true
	for _, name := range r.spare {
		r.t.leaveOut(slices.Index(names, name) + 1)
	}
	if i := slices.Index(names, "error"); i >= 0 {
		r.t.keepWords(i+1, errorColumn)
	}
	return nil
}

func (r *listRows) WriteRow(values []any) error {
	cells := make([]any, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case nil:
			cells[i] = "–"
			continue
		case time.Time:
			cells[i], r.t.times[i] = term.ShortTime(r.now, v), true
		case int64:
			cells[i] = term.Thousands(v)
		case RunID:
			cells[i] = runlog.ShortRun(string(v))
		case runNote:
			cells[i] = escapeControls(v.run.Note())
		default:
			cells[i] = escapeControls(formatCell(v))
		}
		r.t.noteNumber(i, v, &r.set[i])
	}
	r.t.addRow(cells...)
	return nil
}

func (r *listRows) FinishTable() error {
	if err := printTable(r.w, r.t); err != nil {
		return err
	}
	if i := slices.Index(r.t.heads, "NOTE"); i >= 0 {
		printCut(r.w, r.t, i+1, func(row int) string { return r.t.rows[row][0] })
	}
	return nil
}

// noteNumber aligns a column to the right as long as each of its values is a number. set: the column has a value already.
func (t *peopleTable) noteNumber(column int, v any, set *bool) {
	t.numbers[column] = isNumber(v) && (t.numbers[column] || !*set)
	*set = true
}

func isNumber(v any) bool {
	switch v.(type) {
	case int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64, *big.Int, json.Number:
		return true
	}
	return false
}

type csvRows struct{ w *csv.Writer }

func (r *csvRows) WriteHeader(names, _ []string) error {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = term.EscapeFormula(name)
	}
	return r.w.Write(texts)
}

func (r *csvRows) WriteRow(values []any) error {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = formatCell(v)
		switch v.(type) {
		case string, runNote:
			texts[i] = term.EscapeFormula(texts[i])
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

func (r *jsonRows) WriteHeader(names, _ []string) error {
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
