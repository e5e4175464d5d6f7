package render

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// newTable returns a table without borders, which looks the same on a terminal, in a mail and in a log.
func newTable(heads ...any) table.Writer {
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Format.Header = text.FormatDefault
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	t := table.NewWriter()
	t.SetStyle(style)
	t.AppendHeader(heads)
	return t
}

// alignRight aligns columns to the right; their numbers begin with 1.
func alignRight(numbers ...int) []table.ColumnConfig {
	columns := make([]table.ColumnConfig, len(numbers))
	for i, n := range numbers {
		columns[i] = table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight}
	}
	return columns
}

// renderTable returns a table as text, indented and without spaces at the ends of lines.
func renderTable(t table.Writer) string {
	lines := strings.Split(t.Render(), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight("  "+line, " ")
	}
	return strings.Join(lines, "\n")
}
