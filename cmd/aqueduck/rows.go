package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/big"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// encode writes a result as JSON for people and programs: indented, and with < and > as they are.
func (a *app) encode(v any) error {
	out := json.NewEncoder(a.stdout)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(v)
}

// rows writes the rows of a result in one of the output forms, as they come.
type rows interface {
	columns(names []string) error
	row(values []any) error
	end() error
}

func newRows(form string, w io.Writer) rows {
	switch form {
	case "json":
		return &jsonRows{w: w}
	case "csv":
		return &csvRows{w: csv.NewWriter(w)}
	}
	return &tableRows{w: w, t: table.NewWriter()}
}

// tableRows draws a table once all rows are there: its widths need them. Columns of numbers stand on the right.
type tableRows struct {
	w     io.Writer
	t     table.Writer
	words []bool // by column: it holds something that is no number
	any   []bool // by column: it holds something
}

func (r *tableRows) columns(names []string) error {
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	r.t.SetStyle(style)
	r.t.AppendHeader(cells(names))
	r.words, r.any = make([]bool, len(names)), make([]bool, len(names))
	return nil
}

func (r *tableRows) row(values []any) error {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = cell(v)
		if v == nil {
			texts[i] = "NULL"
			continue
		}
		r.any[i] = true
		r.words[i] = r.words[i] || !number(v)
	}
	r.t.AppendRow(cells(texts))
	return nil
}

func (r *tableRows) end() error {
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

func number(v any) bool {
	switch v.(type) {
	case int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64, *big.Int, json.Number:
		return true
	}
	return false
}

func cells(texts []string) table.Row {
	row := make(table.Row, len(texts))
	for i, t := range texts {
		row[i] = t
	}
	return row
}

type csvRows struct{ w *csv.Writer }

func (r *csvRows) columns(names []string) error { return r.w.Write(names) }

func (r *csvRows) row(values []any) error {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = cell(v)
	}
	return r.w.Write(texts)
}

func (r *csvRows) end() error {
	r.w.Flush()
	return r.w.Error()
}

// jsonRows is an array of objects whose members stand in the order of the columns.
type jsonRows struct {
	w     io.Writer
	names [][]byte
	began bool
}

func (r *jsonRows) columns(names []string) error {
	for _, n := range names {
		quoted, err := unescaped(n)
		if err != nil {
			return fmt.Errorf("write the column name %q: %w", n, err)
		}
		r.names = append(r.names, quoted)
	}
	return nil
}

func (r *jsonRows) row(values []any) error {
	line := []byte("[\n {")
	if r.began {
		line = []byte(",\n {")
	}
	r.began = true
	for i, v := range values {
		if i > 0 {
			line = append(line, ", "...)
		}
		text, err := unescaped(plain(v))
		if err != nil {
			return fmt.Errorf("write column %s as JSON: %w", r.names[i], err)
		}
		line = append(append(append(line, r.names[i]...), ": "...), text...)
	}
	_, err := r.w.Write(append(line, '}'))
	return err
}

func (r *jsonRows) end() error {
	text := "\n]\n"
	if !r.began {
		text = "[]\n"
	}
	_, err := io.WriteString(r.w, text)
	return err
}

// unescaped is JSON with <, > and & as they are: it is for programs and people, not for a page of HTML.
func unescaped(v any) ([]byte, error) {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	if err := out.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// plain gives a value the form that JSON has for it.
func plain(v any) any {
	switch v := v.(type) {
	case json.RawMessage, json.Number:
		return v
	case []byte:
		return string(v)
	case float32:
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return nil
		}
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
	case *big.Int:
		return json.Number(v.String())
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	case fmt.Stringer:
		return v.String()
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = plain(item)
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for name, item := range v {
			object[name] = plain(item)
		}
		return object
	}
	return v
}

// cell gives a value the form it has in a table or a CSV file; nothing for null.
func cell(v any) string {
	switch v.(type) {
	case float32, float64:
		return fmt.Sprint(v) // NaN and Inf too, for which JSON has no word
	}
	switch v := plain(v).(type) {
	case nil:
		return ""
	case string:
		return v
	case json.RawMessage:
		return string(v)
	case []any, map[string]any:
		text, err := unescaped(v)
		if err != nil {
			return fmt.Sprint(v)
		}
		return string(text)
	default:
		return fmt.Sprint(v)
	}
}
