package clause

import (
	"fmt"
	"strings"

	"aqueduck/load/internal/duck"
	"aqueduck/transform"
)

// Content is what makes two rows of a table the same state: all that the source says, but for what moves without a change.
func Content(prefix string, t transform.Table) string {
	var values []string
	for _, c := range t.Columns {
		if len(c.Path) > 0 && !c.Volatile || c.Name == transform.ExtraColumn {
			values = append(values, prefix+duck.Name(c.Name)+"::VARCHAR")
		}
	}
	return "[" + strings.Join(values, ", ") + "]"
}

// NewestCopies keeps one copy of each key, the one that would stay if the copies were committed one by one: the
// newest, the later one of equals. A copy that does not say how new it is counts by its arrival, as newer than all
// before it.
func NewestCopies(from string, t transform.Table) string {
	key := duck.Names("", t.Key)
	if t.Dated == "" {
		return fmt.Sprintf("(SELECT * FROM %s QUALIFY row_number() OVER (PARTITION BY %s ORDER BY _row DESC) = 1)", from, key)
	}
	newest := duck.Name(t.Dated)
	return fmt.Sprintf(`(SELECT * FROM
		(SELECT *, max(CASE WHEN %[3]s IS NULL THEN _row END) OVER (PARTITION BY %[2]s) AS unknown FROM %[1]s)
		WHERE unknown IS NULL OR _row >= unknown
		QUALIFY row_number() OVER (PARTITION BY %[2]s ORDER BY %[3]s DESC NULLS LAST, _row DESC) = 1)`, from, key, newest)
}

// Compared are the columns of a table that say what the source does: all that the hash of a row covers.
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

// Differ is the condition that two rows of a table do not have the same values.
func Differ(t transform.Table, a, b string) string {
	var tests []string
	for _, name := range Compared(t) {
		tests = append(tests, a+duck.Name(name)+" IS DISTINCT FROM "+b+duck.Name(name))
	}
	return strings.Join(tests, " OR ")
}

// Persons are the columns of a table that hold contacts' ids.
func Persons(t transform.Table) (names []string) {
	for _, c := range t.Columns {
		if c.Person {
			names = append(names, c.Name)
		}
	}
	return names
}
