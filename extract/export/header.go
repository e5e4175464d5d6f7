package export

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"aqueduck/extract"
)

// Columns is how the columns of one file stand to those of its table.
type Columns struct {
	All   []extract.ExportColumn // of the table: those it has had, then those that are new
	place []int                  // by column of the file
	time  int                    // column of the file that rows are asked by
}

// TimeColumn is the column that every dataset's table has besides the source's: the time that rows are asked by, as an
// instant. No header becomes a name that begins so.
const TimeColumn = "_time"

// errHeader says that the header of a file is none that the rows can be trusted by.
var errHeader = errors.New("the header of the export is not that of the dataset")

// MatchColumns finds the columns of a file by its header. known are those that the table has, in its order; accept takes a
// header that has lost most of them.
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
	// A source that suddenly tells next to nothing is not believed: the rows that it has told of would be overwritten.
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

// matchAttributes says which attribute each column of a header is of, "" where that is not known. Columns come in the order that
// was asked for, or in another one; a name that several attributes have tells nothing out of order.
func (d Dataset) matchAttributes(header []string) ([]string, error) {
	ids := make([]string, len(header))
	if d.inOrder(header) {
		for i := range header {
			ids[i] = d.Attributes[i].columnID()
		}
		return ids, nil
	}
	for i, text := range header {
		var those []string
		for _, a := range d.Attributes {
			if a.Name == text {
				those = append(those, a.columnID())
			}
		}
		switch {
		case len(those) > 1:
			return nil, fmt.Errorf("%w: %d attributes have the name %q, and the columns are not in the requested order", errHeader, len(those), printableName(text))
		case len(those) == 1 && countEqual(header, text) == 1:
			ids[i] = those[0]
		}
	}
	return ids, nil
}

// inOrder says whether a header can be the attributes in the order that was asked for: labels may be in another language,
// but none may be where another one's place is.
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

// findColumn gives the table's column for one of a file: by the attribute, where that is known, else by the header; of several
// with one header the first that is free.
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

// longestName leaves room for the number of a double: DuckDB takes any, other tools up to 63.
const longestName = 56

// uniqueName gives a column its name. One whose header several have, or whose header holds letters that a name cannot, is called
// by its attribute.
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
	return !slices.ContainsFunc(c.All, func(known extract.ExportColumn) bool { return known.Name == name })
}

// SnakeCase makes snake_case of a text: letters and digits of ASCII in lower case, everything else one _. It is "" when none is
// left.
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
