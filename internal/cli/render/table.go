package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Space of a table around its columns, in characters.
const (
	indent = 2
	gap    = 2
)

// Widths up to which a column of words is not cut: a cut state says nothing, and a cut name may be that of another row.
const (
	shortColumn = 12
	nameColumn  = 28
)

// peopleTable is the one kind of table that all commands print: without borders, so that it looks the same on a terminal, in a mail and in a
// log. Where it is printed to a terminal, it fits the width: words are cut with …, numbers never, and what has no room is left out.
type peopleTable struct {
	heads   []string
	types   []string // second line of the head; nil: none
	rows    [][]string
	numbers []bool // by column: right-aligned, and never cut
	times   []bool // by column: never cut
	name    int    // width up to which the columns that name the row are not cut
	names   []int  // these columns; the first column is always one
	rest    []int  // columns that are left out first where there is no room, the least important one first
}

// newTable returns a table with these heads.
func newTable(heads ...string) *peopleTable {
	return &peopleTable{heads: heads, numbers: make([]bool, len(heads)), times: make([]bool, len(heads)), name: nameColumn, names: []int{0}}
}

// alignRight makes columns those of numbers; the first column is 1.
func (t *peopleTable) alignRight(columns ...int) {
	for _, n := range columns {
		t.numbers[n-1] = true
	}
}

// nameRows says which columns name the row, besides the first one, whose number is 1.
func (t *peopleTable) nameRows(columns ...int) {
	for _, n := range columns {
		t.names = append(t.names, n-1)
	}
}

// leaveOut names the columns that a narrow terminal does not show, the first one first; the first column is 1.
func (t *peopleTable) leaveOut(columns ...int) {
	for _, n := range columns {
		t.rest = append(t.rest, n-1)
	}
}

// addRow adds a row with a cell for each column.
func (t *peopleTable) addRow(cells ...any) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = fmt.Sprint(cell)
	}
	t.rows = append(t.rows, row)
}

// printTable writes a table to w, as wide as its terminal, and names the columns that have no room there.
func printTable(w io.Writer, t *peopleTable) error {
	drawn, shown := t.drawTable(columnsOf(w))
	if len(shown) < len(t.heads) {
		var missing []string
		for i, head := range t.heads {
			if !slices.Contains(shown, i) {
				missing = append(missing, head)
			}
		}
		drawn += fmt.Sprintf("\n  not shown in this width: %s", strings.Join(missing, ", "))
	}
	_, err := fmt.Fprintln(w, drawn)
	return err
}

// drawTable returns the table as text in a width, 0 for any, with the columns that it shows. Lines have no spaces at their ends.
func (t *peopleTable) drawTable(width int) (drawn string, shown []int) {
	widths := t.fitColumns(width)
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Format.Header = text.FormatDefault
	style.Box.PaddingLeft, style.Box.PaddingRight = "", strings.Repeat(" ", gap)
	out := table.NewWriter()
	out.SetStyle(style)
	var formats []table.ColumnConfig
	for i := range t.heads {
		if widths[i] == 0 {
			continue
		}
		shown = append(shown, i)
		if t.numbers[i] {
			formats = append(formats, table.ColumnConfig{Number: len(shown), Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
	}
	cut := func(cells []string) table.Row {
		var row table.Row
		for _, i := range shown {
			cell := cells[i]
			if width > 0 {
				cell = cutCell(cell, widths[i])
			}
			row = append(row, cell)
		}
		return row
	}
	out.SetColumnConfigs(formats)
	out.AppendHeader(cut(t.heads))
	if t.types != nil {
		out.AppendHeader(cut(t.types))
	}
	for _, row := range t.rows {
		out.AppendRow(cut(row))
	}
	lines := strings.Split(out.Render(), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(strings.Repeat(" ", indent)+line, " ")
	}
	return strings.Join(lines, "\n"), shown
}

// fitColumns returns the width of each column in a table of a width; 0 for a column that is not shown. Columns of words share what is left when
// the others have theirs.
func (t *peopleTable) fitColumns(width int) []int {
	wanted, least := make([]int, len(t.heads)), make([]int, len(t.heads))
	for i, head := range t.heads {
		cells := 0
		for _, row := range t.rows {
			cells = max(cells, widthOf(row[i]))
		}
		wanted[i] = max(cells, widthOf(head), 1)
		if t.types != nil {
			wanted[i] = max(wanted[i], min(shortColumn, widthOf(t.types[i])))
		}
		least[i] = min(wanted[i], shortColumn)
		if t.numbers[i] || t.times[i] {
			least[i] = max(least[i], cells)
		}
	}
	for _, i := range t.names {
		least[i] = max(least[i], min(wanted[i], t.name))
	}
	if width <= 0 {
		return wanted
	}
	room := width - indent
	needed := func() (sum int) {
		for _, n := range least {
			if n > 0 {
				sum += n + gap
			}
		}
		return sum - gap
	}
	for _, i := range t.rest {
		if needed() > room {
			least[i] = 0
		}
	}
	if needed() > room && !t.numbers[0] && !t.times[0] {
		least[0] = min(least[0], shortColumn)
	}
	for i := len(t.heads) - 1; i > 0 && needed() > room; i-- {
		least[i] = 0
	}
	least[0] = min(least[0], max(room, 1))
	for spare := room - needed(); spare > 0; spare-- {
		narrowest := -1
		for i, n := range least {
			if n > 0 && n < wanted[i] && (narrowest < 0 || n < least[narrowest]) {
				narrowest = i
			}
		}
		if narrowest < 0 {
			break
		}
		least[narrowest]++
	}
	return least
}

// widthOf returns how many characters of a terminal a text takes in its widest line: 2 for many characters of East Asia.
func widthOf(cell string) (most int) {
	for line := range strings.SplitSeq(cell, "\n") {
		most = max(most, text.StringWidthWithoutEscSequences(line))
	}
	return most
}

// cutCell returns a text in one line of a width. The sign … stands for what has no room, ↵ for the end of a line.
func cutCell(cell string, width int) string {
	cell = strings.NewReplacer("\r\n", "↵", "\n", "↵", "\t", " ").Replace(cell)
	return text.Snip(cell, width, "…")
}

// Terminal is a writer that knows its width: what the functions of this package print to it fits. What they print to other writers is complete.
type Terminal interface {
	io.Writer
	Columns() int // characters of a line; 0: any number
}

// columnsOf returns the width of what is written to; 0 for any.
func columnsOf(w io.Writer) int {
	if t, ok := w.(Terminal); ok {
		return t.Columns()
	}
	return 0
}
