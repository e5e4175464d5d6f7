package maskrule

import (
	"cmp"
	"slices"

	"aqueduck/schemas"
)

// streamTable is what rules need to know about a table of a stream.
type streamTable struct {
	name      string
	prefix    string // of its columns in hash and drop
	outer     string // the table around the list; "": the rows are the records
	columns   []schemas.Column
	bases     [][]string // the paths from the record to a row
	keyColumn string     // has the key of the entry that the row is in; "": there is none
}

// tablesOf are the tables of a stream: its own first, then those of its children.
func tablesOf(s *schemas.Stream) []streamTable {
	list := []streamTable{{name: s.StoredTable(), columns: s.Columns, bases: [][]string{nil}}}
	for _, child := range s.Children {
		list = append(list, streamTable{
			name: child.Table, prefix: child.Table + ".", outer: cmp.Or(child.Within, s.StoredTable()),
			columns: child.Columns, bases: s.PathsOf(child), keyColumn: keyOf(s, child),
		})
	}
	return list
}

// keyOf is the column of a child's table with the key of the entry that its rows are in; "": there is none.
func keyOf(s *schemas.Stream, child schemas.Child) string {
	if child.Entries {
		return columnFrom(child.Columns, schemas.FromKey)
	}
	i := slices.IndexFunc(s.Children, func(c schemas.Child) bool { return child.Within != "" && c.Table == child.Within })
	if i < 0 {
		return ""
	}
	return columnFrom(child.Columns, schemas.FromParent, keyOf(s, s.Children[i]))
}

// columnFrom is the name of the column with a source; "": there is none.
func columnFrom(columns []schemas.Column, from ...string) string {
	if i := slices.IndexFunc(columns, func(c schemas.Column) bool { return slices.Equal(c.From, from) }); i >= 0 {
		return columns[i].Name
	}
	return ""
}
