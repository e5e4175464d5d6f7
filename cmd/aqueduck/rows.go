package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/big"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
)

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

// tableRows draws a table once all rows are there: its widths need them.
type tableRows struct {
	w io.Writer
	t table.Writer
}

func (r *tableRows) columns(names []string) error {
	style := table.StyleLight
	style.Format.Header = 0
	r.t.SetStyle(style)
	r.t.AppendHeader(cells(names))
	return nil
}

func (r *tableRows) row(values []any) error {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = cell(v)
	}
	r.t.AppendRow(cells(texts))
	return nil
}

func (r *tableRows) end() error {
	_, err := fmt.Fprintln(r.w, r.t.Render())
	return err
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
		quoted, err := json.Marshal(n)
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
		text, err := json.Marshal(plain(v))
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

// plain gives a value the form that JSON has for it.
func plain(v any) any {
	switch v := v.(type) {
	case []byte:
		return string(v)
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
	switch v := plain(v).(type) {
	case nil:
		return ""
	case string:
		return v
	case []any, map[string]any:
		text, err := json.Marshal(v)
		if err != nil {
			return fmt.Sprint(v)
		}
		return string(text)
	default:
		return fmt.Sprint(v)
	}
}
