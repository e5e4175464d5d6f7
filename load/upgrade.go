package load

import (
	"context"
	"fmt"
	"strconv"

	"aqueduck/load/internal/duck"
)

// databaseFormat is raised whenever schema _sync has something that it had not before: an older program refuses the file then,
// and this one puts in what is missing. A file of each format is in testdata.
//
//	1: the first
//	2: schema_changes tells of fields that no column takes; attributes; erasures
//	3: moves
//	4: incomplete, misfits, new_rejected of runs and of their streams
const databaseFormat = 4

// upgrade brings a database that an older program wrote to the format of this one. What is there stays as it is: tables and
// columns of _sync come, none goes. The log holds nothing else then, as with all changed columns.
func (w *Work) upgrade(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	format, err := readFormat(ctx, w.db)
	if err != nil || format == databaseFormat {
		return err
	}
	stored, err := w.storedColumns(ctx, "_sync")
	if err == nil {
		err = w.fold(ctx)
	}
	if err != nil {
		return err
	}
	err = w.db.Transaction(ctx, func() error {
		for _, t := range systemTables() {
			for _, statement := range t.missing(stored[t.name]) {
				if _, err := w.db.Exec(ctx, statement); err != nil {
					return fmt.Errorf("table %s: %w", t.name, err)
				}
			}
		}
		_, err := w.db.Exec(ctx, "UPDATE _sync.meta SET value = $1 WHERE key = 'format'", strconv.Itoa(databaseFormat))
		return err
	})
	if err != nil {
		return fmt.Errorf("bring the database from format %d to %d: %w", format, databaseFormat, err)
	}
	return w.fold(ctx)
}

// missing are the statements that make of the stored table, by its columns, this one.
func (t systemTable) missing(stored map[string]string) []string {
	if stored == nil {
		return append([]string{t.create()}, t.comments()...)
	}
	name := duck.Table("_sync", t.name)
	var statements []string
	for _, c := range t.columns {
		if stored[c.name] == "" {
			statements = append(statements, "ALTER TABLE "+name+" ADD COLUMN "+duck.Name(c.name)+" "+c.sql,
				"COMMENT ON COLUMN "+name+"."+duck.Name(c.name)+" IS "+duck.Text(c.doc))
		}
	}
	return statements
}
