package erase

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"aqueduck/load/layout"
	"aqueduck/load/tombstone"
	"aqueduck/transform"
)

// Certificate says what an erasure removed, and what it could not search.
type Certificate struct {
	Schema     string
	Reason     string
	Persons    []string         // salted hashes of the persons, as in erasures.log
	Rows       int64            // changed or removed, over all tables
	Tables     map[string]int64 // Rows, by table
	Files      []string         // files that are written again or removed, relative to the warehouse's directory
	NotCovered []string         // table.column, with the reason
}

// certifyErasure counts what an erasure will change, and changes nothing.
func (w *Erasures) certifyErasure(ctx context.Context, e erasureStep) (Certificate, error) {
	c := Certificate{Schema: e.schema, Reason: e.reason, Tables: map[string]int64{}}
	if err := w.fillSubjects(ctx, e.ids); err != nil {
		return c, err
	}
	s := w.newEraser(e.schema, time.Time{})
	defer w.dropSubjects(ctx, s)
	found, err := s.findRows(ctx, s.tables)
	if err != nil {
		return c, fmt.Errorf("search the rows of the person: %w", err)
	}
	for _, m := range found {
		more := max(0, m.n-c.Tables[m.table.Name])
		c.Tables[m.table.Name] += more
		c.Rows += more
	}
	for _, t := range s.tables {
		if err := w.noteUncovered(ctx, s, t, &c); err != nil {
			return c, err
		}
	}
	undescribed, err := w.db.UndescribedTables(ctx, e.schema)
	if err != nil {
		return c, err
	}
	for _, name := range undescribed {
		c.NotCovered = append(c.NotCovered, name+": no stream file describes it; it is searched once one does")
	}
	for table, keys := range e.rows {
		c.Tables[table] += int64(len(keys))
		c.Rows += int64(len(keys))
	}
	return c, w.listFiles(&c)
}

// noteUncovered notes the personal columns of a table that cannot be searched for a person, and those that the
// configuration keeps.
func (w *Erasures) noteUncovered(ctx context.Context, s *subjectEraser, t transform.Table, c *Certificate) error {
	if !s.deletesRow(t) {
		_, unknown, err := s.erasureRules(ctx, t)
		if err != nil {
			return err
		}
		for _, column := range unknown {
			c.NotCovered = append(c.NotCovered, t.Name+"."+column+": no column names its person")
		}
		if len(unknown) > 0 {
			c.NotCovered = append(c.NotCovered, t.Name+"."+transform.ExtraColumn+": no column names its person")
		}
	}
	if t.Unmarked {
		c.NotCovered = append(c.NotCovered, t.Name+": unknown whether its rows are about persons; a stream file declares it with person, pii and erase")
	}
	for _, column := range t.Columns {
		switch name := t.Name + "." + column.Name; {
		case w.db.KeepsColumn(name):
			c.NotCovered = append(c.NotCovered, name+": kept by the configuration")
		case column.PII && !column.Person && slices.Contains(t.Key, column.Name) && !s.deletesRow(t):
			c.NotCovered = append(c.NotCovered, name+": a part of the key; erase: rows removes the row")
		}
	}
	return nil
}

func (w *Erasures) listFiles(c *Certificate) error {
	published, err := w.db.Dir().PublishedFiles()
	if err != nil {
		return err
	}
	traces, err := layout.ErasureTraces(w.db.Dir())
	if err != nil {
		return err
	}
	parts, err := filepath.Glob(filepath.Join(w.db.Dir().Lake(c.Schema), "*", "*.parquet"))
	if err != nil {
		return err
	}
	for _, path := range slices.Concat(published, traces, parts) {
		name, err := filepath.Rel(string(w.db.Dir()), path)
		if err != nil {
			return err
		}
		c.Files = append(c.Files, name)
	}
	return nil
}

// saveErasure writes the certificate into _sync.erasures, a row for each erased person or row. It also saves the salt:
// with it a lost log can be written again.
func (w *Erasures) saveErasure(ctx context.Context, e erasureStep, c Certificate) error {
	salt := hex.EncodeToString(w.tombs.Salt)
	if _, err := w.db.DB.Exec(ctx, "DELETE FROM _sync.meta WHERE key = 'erasures_salt'"); err != nil {
		return err
	}
	if _, err := w.db.DB.Exec(ctx, "INSERT INTO _sync.meta VALUES ('erasures_salt', $1)", salt); err != nil {
		return err
	}
	hashes := map[string][]tombstone.IDHash{"": e.hashes}
	together := len(e.hashes)
	for table, list := range e.rowHashes {
		hashes[table] = list
		together += len(list)
	}
	texts := make([]string, 3)
	for i, v := range []any{c.Tables, c.Files, c.NotCovered} {
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		texts[i] = string(text)
	}
	for table, list := range hashes {
		for _, m := range list {
			if w.applied[tombstone.Scope{Schema: e.schema, Table: table}][m] && (e.reason != Restored || c.Rows == 0) {
				continue
			}
			_, err := w.db.DB.Exec(ctx, `INSERT INTO _sync.erasures (schema, table_name, mark, recorded_at, run_id, reason, together, rows, tables, files, not_covered)
				VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`, e.schema, table, m.String(), w.db.Now().UTC(), w.db.RunID(),
				e.reason, together, c.Rows, texts[0], texts[1], texts[2])
			if err != nil {
				return err
			}
		}
	}
	return nil
}
