package export

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"aqueduck/extract"
)

// Columns maps the columns of one file to those of its table.
type Columns struct {
	All   []extract.ExportColumn // of the table: those it has had, then the new ones
	place []int                  // by column of the file: its index in All
	time  int                    // column of the file with the time by which rows are asked
}

// TimeColumn is a column that every dataset's table has besides the source's: the time by which rows are asked, as an instant. No
// header becomes a name that begins with _.
const TimeColumn = "_time"

// errHeader says that a file's header does not fit the dataset.
var errHeader = errors.New("the header of the export is not that of the dataset")

// MatchColumns maps the columns of a file by its header. known are the columns of the table, in its order. accept allows a header
// that lacks most of them.
func (d Dataset) MatchColumns(header []string, known []extract.ExportColumn, accept bool) (Columns, error) {
	attributes, err := d.matchAttributes(header)
	if err != nil {
		return Columns{}, err
	}
	c := Columns{All: slices.Clone(known), place: make([]int, len(header)), time: -1}
	taken := map[int]bool{}
	for i, text := range header {
		at := findColumn(c.All, text, attributes[i], taken)
		if at < 0 {
			at = len(c.All)
			c.All = append(c.All, extract.ExportColumn{Name: c.uniqueName(text, attributes[i], countEqual(header, text) > 1), Header: text, Attribute: attributes[i]})
		}
		taken[at], c.place[i] = true, at
		if d.Time != "" && attributes[i] == d.Time {
			c.time = i
		}
	}
	if c.time < 0 {
		return c, fmt.Errorf("%w: the time column of the rows (%s) is none of the %d columns", errHeader, d.Time, len(header))
	}
	// A file that lacks most columns is not believed: its rows would overwrite complete ones (T109).
	current, found := 0, 0
	for i := range known {
		if !known[i].Gone {
			current++
			if taken[i] {
				found++
			}
		}
	}
	if current >= 4 && found*2 < current && !accept {
		return c, fmt.Errorf("%w: only %d of %d columns are left", errHeader, found, current)
	}
	for i := range c.All {
		c.All[i].Gone = !taken[i]
	}
	return c, nil
}

// matchAttributes is the id of the attribute of each column of a header, "" where it is not known. Columns usually come in the
// order that was asked for. In another order, a name that several attributes have identifies none of them, and is an error.
func (d Dataset) matchAttributes(header []string) ([]string, error) {
	ids := make([]string, len(header))
	if d.inOrder(header) {
		for i := range header {
			ids[i] = d.Attributes[i].columnID()
		}
		return ids, nil
	}
	for i, text := range header {
		var matching []string
		for _, a := range d.Attributes {
			if a.Name == text {
				matching = append(matching, a.columnID())
			}
		}
		switch {
		case len(matching) > 1:
			return nil, fmt.Errorf("%w: %d attributes have the name %q, and the columns are not in the requested order", errHeader, len(matching), printableName(text))
		case len(matching) == 1 && countEqual(header, text) == 1:
			ids[i] = matching[0]
		}
	}
	return ids, nil
}

// inOrder reports whether a header can be the attributes in the order that was asked for. Names may be in another language, but
// no attribute's name may be in another's position.
func (d Dataset) inOrder(header []string) bool {
	if len(header) != len(d.Attributes) {
		return false
	}
	known := map[string]bool{}
	for _, a := range d.Attributes {
		known[a.Name] = true
	}
	for i, text := range header {
		if text != d.Attributes[i].Name && known[text] {
			return false
		}
	}
	return true
}

// findColumn is the table's column for a column of a file: by the attribute where that is known, else by the header. Of several
// with the same header it is the first that is not taken.
func findColumn(columns []extract.ExportColumn, header, attribute string, taken map[int]bool) int {
	for i, c := range columns {
		if attribute != "" && c.Attribute == attribute && !taken[i] {
			return i
		}
	}
	for i, c := range columns {
		if c.Header == header && !taken[i] && (attribute == "" || c.Attribute == "") {
			return i
		}
	}
	return -1
}

func countEqual(list []string, text string) (n int) {
	for _, s := range list {
		if s == text {
			n++
		}
	}
	return n
}

// longestName leaves space for a number at the end: DuckDB allows any length, other tools 63 bytes.
const longestName = 56

// uniqueName is the name of a new column. It comes from the attribute's id if several columns have the same header, or if the
// header has letters outside ASCII.
func (c *Columns) uniqueName(header, attribute string, doubled bool) string {
	name := SnakeCase(header)
	foreign := strings.ContainsFunc(header, func(r rune) bool { return r > unicode.MaxASCII && unicode.IsLetter(r) })
	if other := SnakeCase(attribute); other != "" && (name == "" || doubled || foreign) {
		name = other
	}
	if name == "" {
		name = fmt.Sprintf("column_%d", len(c.All)+1)
	}
	if c.isFreeName(name) {
		return name
	}
	if other := SnakeCase(attribute); other != "" && c.isFreeName(other) {
		return other
	}
	for n := 2; ; n++ {
		if numbered := fmt.Sprintf("%s_%d", name, n); c.isFreeName(numbered) {
			return numbered
		}
	}
}

func (c *Columns) isFreeName(name string) bool {
	return name != "rowid" && !slices.ContainsFunc(c.All, func(known extract.ExportColumn) bool { return known.Name == name })
}

// SnakeCase converts a text to snake_case: ASCII letters and digits in lower case, and _ for each run of other characters. It is
// "" when nothing is left.
func SnakeCase(text string) string {
	var b strings.Builder
	gap, lower := false, false
	for _, r := range text {
		upper := r >= 'A' && r <= 'Z'
		if !upper && (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			gap, lower = true, false
			continue
		}
		if b.Len() > 0 && (gap || upper && lower) {
			b.WriteByte('_')
		}
		gap, lower = false, !upper
		b.WriteRune(unicode.ToLower(r))
	}
	name := b.String()
	if name != "" && name[0] <= '9' {
		name = "n" + name
	}
	return strings.TrimRight(name[:min(len(name), longestName)], "_")
}
