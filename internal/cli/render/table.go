package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"aqueduck/internal/term"
)

// Space of a table around its columns, in characters.
const (
	indent = 2
	gap    = 2
)

// Widths up to which a column of words is not cut: a cut state says nothing, a cut name may be that of another row, and an error needs its first
// words.
const (
	shortColumn = 12
	nameColumn  = 28
	errorColumn = 40
)

// peopleTable is the one kind of table that all commands print: without borders, so that it looks the same on a terminal, in a mail and in a
// log. Where it is printed to a terminal, it fits the width: words are cut with …, numbers never, and what has no room is left out.
type peopleTable struct {
	heads   []string
	types   []string // second line of the head; nil: none
	rows    [][]string
	short   [][]string // the rows with the short forms of their cells
	numbers []bool     // by column: right-aligned, and never cut
	times   []bool     // by column: never cut
	same    []int      // columns that say the same in each row: they are left out before anything is cut
	keep    []int      // by column of words: it is not cut below this width while a column of rest is shown
	empty   bool       // columns without any text are not shown on a terminal
	name    int        // width up to which the columns that name the row are not cut
	names   []int      // these columns; the first column is always one
	rest    []int      // columns that are left out first where there is no room, the least important one first
}

// newTable returns a table with these heads.
func newTable(heads ...string) *peopleTable {
	return &peopleTable{heads: heads, numbers: make([]bool, len(heads)), times: make([]bool, len(heads)), keep: make([]int, len(heads)), name: nameColumn, names: []int{0}}
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

// leaveOutSame names a column that says the same in each row: a terminal where anything would be cut does not show it. The first column is 1.
func (t *peopleTable) leaveOutSame(column int) { t.same = append(t.same, column-1) }

// leaveOutZeros is leaveOut for those of the columns that have 0 in each row, once the table has its rows.
func (t *peopleTable) leaveOutZeros(columns ...int) {
	for _, n := range columns {
		if t.zeroSign(n-1) != "" {
			t.leaveOut(n)
		}
	}
}

// zeroSign returns what follows the name of a column that is left out and has 0, or no number, in each row; the first column is 0.
func (t *peopleTable) zeroSign(column int) string {
	if slices.ContainsFunc(t.rows, func(row []string) bool { return row[column] != "0" && row[column] != "–" }) {
		return ""
	}
	return " (0)"
}

// keepWords makes a column of words keep this width, if it has so many, while columns that may be left out are shown; the first column is 1.
func (t *peopleTable) keepWords(column, width int) { t.keep[column-1] = width }

// neverCut makes columns those of times; the first column is 1.
func (t *peopleTable) neverCut(columns ...int) {
	for _, n := range columns {
		t.times[n-1] = true
	}
}

// twoForms is a cell with a short form, which a terminal shows where the whole table has no room.
type twoForms struct{ whole, short string }

// addRow adds a row with a cell for each column.
func (t *peopleTable) addRow(cells ...any) {
	row, short := make([]string, len(cells)), make([]string, len(cells))
	for i, cell := range cells {
		if forms, ok := cell.(twoForms); ok {
			row[i], short[i] = forms.whole, forms.short
			continue
		}
		row[i] = fmt.Sprint(cell)
		short[i] = row[i]
	}
	t.rows, t.short = append(t.rows, row), append(t.short, short)
}

// rowsFor returns the rows as a table of a width has them: with the short forms of cells if the whole ones have no room.
func (t *peopleTable) rowsFor(width int) [][]string {
	if width <= 0 {
		return t.rows
	}
	wanted, _ := t.measureColumns(t.rows, true)
	if spaceOf(wanted) > width-indent {
		return t.short
	}
	return t.rows
}

// shows reports whether a table of a width has a column, whose number is 1 or more.
func (t *peopleTable) shows(width, column int) bool { return t.fitColumns(width)[column-1] > 0 }

// printCut writes each text of a column that a terminal cuts or leaves out, once and whole, after the head of the column. Where the terminal shows
// nothing that the text begins with, it names the rows.
func printCut(w io.Writer, t *peopleTable, column int, name func(row int) string) {
	width := columnsOf(w)
	if width <= 0 {
		return
	}
	room, shown := t.fitColumns(width)[column-1], t.rowsFor(width)
	var cut []string
	rows := map[string][]string{}
	for i, row := range t.rows {
		whole, short := row[column-1], shown[i][column-1]
		if whole == "" || short == whole && widthOf(whole) <= room {
			continue
		}
		if !slices.Contains(cut, whole) {
			cut = append(cut, whole)
		}
		if room == 0 || short != whole {
			rows[whole] = append(rows[whole], name(i))
		}
	}
	for _, whole := range cut {
		fmt.Fprintln(w, indentText(t.heads[column-1]+": "+whole+term.WithNote(": ", strings.Join(rows[whole], ", ")), width))
	}
}

// indentText wraps a text to lines of a width that begin with spaces.
func indentText(line string, width int) string {
	first, next := strings.Repeat(" ", indent), strings.Repeat(" ", 2*indent)
	lines := strings.Split(text.WrapSoft(line, max(1, width-2*indent)), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return first + strings.Join(lines, "\n"+next)
}

// printTable writes a table to w, as wide as its terminal, and names the columns that have no room there.
func printTable(w io.Writer, t *peopleTable) error {
	drawn, shown := t.drawTable(columnsOf(w))
	var missing []string
	if len(shown) < len(t.heads) {
		for i, head := range t.heads {
			if !slices.Contains(shown, i) && !(t.empty && t.isEmpty(i)) {
				missing = append(missing, head+t.zeroSign(i))
			}
		}
	}
	if len(missing) > 0 {
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
	for _, row := range t.rowsFor(width) {
		out.AppendRow(cut(row))
	}
	lines := strings.Split(out.Render(), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(strings.Repeat(" ", indent)+line, " ")
	}
	return strings.Join(lines, "\n"), shown
}

// isEmpty reports whether no row has a text in a column, whose number is 0 or more.
func (t *peopleTable) isEmpty(column int) bool {
	return len(t.rows) > 0 && !slices.ContainsFunc(t.rows, func(row []string) bool { return row[column] != "" })
}

// measureColumns returns the width that each column takes for these rows, and the width below which it is not cut.
func (t *peopleTable) measureColumns(rows [][]string, terminal bool) (wanted, least []int) {
	wanted, least = make([]int, len(t.heads)), make([]int, len(t.heads))
	for i, head := range t.heads {
		if terminal && t.empty && t.isEmpty(i) {
			continue
		}
		cells := 0
		for _, row := range rows {
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
		if slices.Contains(t.names, i) {
			least[i] = max(least[i], min(wanted[i], t.name))
		}
	}
	return wanted, least
}

// spaceOf returns the width of columns with the space between them; a column of 0 is not shown.
func spaceOf(widths []int) (sum int) {
	for _, n := range widths {
		if n > 0 {
			sum += n + gap
		}
	}
	return sum - gap
}

// fitColumns returns the width of each column in a table of a width; 0 for a column that is not shown. Columns of words share what is left when
// the others have theirs.
func (t *peopleTable) fitColumns(width int) []int {
	wanted, least := t.measureColumns(t.rowsFor(width), width > 0)
	if width <= 0 {
		return wanted
	}
	room, roomy := width-indent, slices.Clone(least)
	for i, n := range t.keep {
		roomy[i] = max(roomy[i], min(wanted[i], n))
	}
	for _, i := range t.same {
		if spaceOf(wanted) > room {
			wanted[i], least[i], roomy[i] = 0, 0, 0
		}
	}
	for _, i := range t.rest {
		if spaceOf(roomy) > room {
			least[i], roomy[i] = 0, 0
		}
	}
	if spaceOf(roomy) <= room {
		least = roomy
	}
	first := max(0, slices.IndexFunc(least, func(n int) bool { return n > 0 }))
	if spaceOf(least) > room && !t.numbers[first] && !t.times[first] {
		least[first] = min(least[first], shortColumn)
	}
	for i := len(t.heads) - 1; i > first && spaceOf(least) > room; i-- {
		least[i] = 0
	}
	least[first] = min(least[first], max(room, 1))
	for spare := room - spaceOf(least); spare > 0; spare-- {
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
