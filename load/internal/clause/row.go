package clause

import (
	"fmt"
	"slices"
	"strings"

	"aqueduck/load/internal/duck"
	"aqueduck/transform"
)

// Content is the SQL of what makes two rows the same state in a history: all that the source sends, except columns that
// change without meaning.
func Content(prefix string, t transform.Table) string {
	var values []string
	for _, c := range t.Columns {
		if len(c.Path) > 0 && !c.Volatile || c.Name == transform.ExtraColumn {
			values = append(values, prefix+duck.Name(c.Name)+"::VARCHAR")
		}
	}
	return "[" + strings.Join(values, ", ") + "]"
}

// NewestCopies keeps one copy of each key: the one that would stay if the copies were committed one by one. That is the
// newest, or of equally new ones the later (T173). A copy without a time counts as newer than all copies before it.
func NewestCopies(from string, t transform.Table) string {
	key := duck.Names("", t.Key)
	if t.Dated == "" {
		return fmt.Sprintf("(SELECT * FROM %s QUALIFY row_number() OVER (PARTITION BY %s ORDER BY _row DESC) = 1)", from, key)
	}
	newest := duck.Name(t.Dated)
	return fmt.Sprintf(`(SELECT * FROM
		(SELECT *, max(CASE WHEN %[3]s IS NULL THEN _row END) OVER (PARTITION BY %[2]s) AS __unknown FROM %[1]s)
		WHERE __unknown IS NULL OR _row >= __unknown
		QUALIFY row_number() OVER (PARTITION BY %[2]s ORDER BY %[3]s DESC NULLS LAST, _row DESC) = 1)`, from, key, newest)
}

// NewestBeside is the condition that a row x of the table beside a table is the newest stored copy of its record: it changed last, or of two equal times was
// stored last (T190). stored is the table's own relation; gone says that the table beside it has soft-deleted rows.
func NewestBeside(t transform.Table, stored string, gone bool) string {
	newer := fmt.Sprintf("t.%[1]s > x.%[1]s", transform.SyncedAtColumn)
	if t.Newest != "" {
		newer = fmt.Sprintf("(t.%[1]s > x.%[1]s OR t.%[1]s IS NOT DISTINCT FROM x.%[1]s AND %[2]s)", duck.Name(t.Newest), newer)
	}
	if t.Gone {
		newer += " AND t." + transform.GoneColumn + " IS NULL"
	}
	newest := fmt.Sprintf("NOT EXISTS (SELECT 1 FROM %s t WHERE %s AND %s)", stored, Matches("t.", t.Key, "x.", t.Key), newer)
	if gone {
		newest += " AND x." + transform.GoneColumn + " IS NULL"
	}
	return newest
}

// Compared gives the columns with the source's content: those that the content hash covers.
func Compared(t transform.Table) (names []string) {
	for _, c := range t.Columns {
		switch c.Name {
		case transform.VersionColumn, transform.HashColumn, transform.GoneColumn, transform.SyncedAtColumn, transform.RunIDColumn:
		default:
			if !c.Volatile && !c.Erased {
				names = append(names, c.Name)
			}
		}
	}
	return names
}

// Taken gives the columns that all of some stored tables have, without those that show that a row has changed: the key, _synced_at and _hash
// (load/committest).
func Taken(tables ...transform.Table) (taken []string) {
	for i, t := range tables {
		var names []string
		for _, c := range t.Columns {
			shows := slices.Contains(t.Key, c.Name) || c.Name == transform.SyncedAtColumn || c.Name == transform.HashColumn
			if len(t.Key) > 0 && !shows && (i == 0 || slices.Contains(taken, c.Name)) {
				names = append(names, c.Name)
			}
		}
		taken = names
	}
	return taken
}

// Differ is the condition that two rows of a table have different content.
func Differ(t transform.Table, a, b string) string {
	var tests []string
	for _, name := range Compared(t) {
		tests = append(tests, a+duck.Name(name)+" IS DISTINCT FROM "+b+duck.Name(name))
	}
	return strings.Join(tests, " OR ")
}

// Persons gives the columns of a table that hold contacts' ids.
func Persons(t transform.Table) []string { return personColumns(t.Columns) }

// LeftPersons are the columns that no stream file declares any more, and that may hold a contact's id.
func LeftPersons(t transform.Table) []string { return personColumns(t.Left) }

func personColumns(columns []transform.Column) (names []string) {
	for _, c := range columns {
		if c.Person {
			names = append(names, c.Name)
		}
	}
	return names
}
