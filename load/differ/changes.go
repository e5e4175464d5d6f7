package differ

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"aqueduck/load/internal/duck"
)

// Kinds of changes of a copy.
const (
	RowInserted    = "insert"
	RowUpdated     = "update"
	RowDeleted     = "delete"
	TableRewritten = "rewrite" // any row may be another one
	TableDropped   = "drop"
)

// GoneColumn is the column of a batch of keys that says with 1 which of them belong to a row that is gone.
const GoneColumn = "_gone"

// BeginChanges forgets the changes that were noted.
func (f *Published) BeginChanges(ctx context.Context) error {
	return f.run(ctx, "CREATE OR REPLACE TEMP TABLE changes (relation VARCHAR, key VARCHAR, kind VARCHAR)", beginKeys)
}

const beginKeys = "CREATE OR REPLACE TEMP TABLE gone_keys (key VARCHAR)"

func (f *Published) run(ctx context.Context, statements ...string) error {
	for _, statement := range statements {
		if _, err := f.r.DB.Exec(ctx, statement); err != nil {
			return fmt.Errorf("note what has changed: %w", err)
		}
	}
	return nil
}

// NoteTable notes a change of a whole table.
func (f *Published) NoteTable(ctx context.Context, name, kind string) error {
	return f.run(ctx, fmt.Sprintf("INSERT INTO temp.changes VALUES (%s, NULL, %s)", duck.Text(name), duck.Text(kind)))
}

// NoteKeys takes the keys of rows of a copy of a table: its columns of the key, in their order, and GoneColumn. NoteRows notes those that are gone.
func (f *Published) NoteKeys(ctx context.Context, t Relation, batch arrow.RecordBatch) error {
	err := f.execArrow(ctx, batch, "CREATE OR REPLACE TEMP TABLE arrived AS SELECT * FROM arriving")
	if err != nil {
		return fmt.Errorf("note what has changed: %w", err)
	}
	return f.run(ctx, fmt.Sprintf("INSERT INTO temp.gone_keys SELECT %s FROM temp.arrived WHERE %s = 1", t.keySQL(), GoneColumn))
}

// NoteRows notes the rows that the copy of a table lacks, by the last comparison, and those whose keys NoteKeys got. The table has a key.
func (f *Published) NoteRows(ctx context.Context, t Relation) error {
	hashed := fmt.Sprintf("(SELECT *, %s AS %s FROM %s)", t.hashSQL(), duck.Name(HashColumn), t.name())
	return f.run(ctx,
		fmt.Sprintf("CREATE OR REPLACE TEMP TABLE new_keys AS SELECT DISTINCT %s AS key FROM %s WHERE %s IN (SELECT row_hash FROM temp.missing)", t.keySQL(), hashed, duck.Name(HashColumn)),
		// A row without a key says nothing by which a reader could find it.
		fmt.Sprintf("INSERT INTO temp.changes SELECT %s, NULL, '%s' WHERE EXISTS (FROM temp.new_keys WHERE key IS NULL) OR EXISTS (FROM temp.gone_keys WHERE key IS NULL)", duck.Text(t.Name), TableRewritten),
		fmt.Sprintf(`INSERT INTO temp.changes SELECT %s, key, CASE WHEN g.key IS NULL THEN '%s' WHEN n.key IS NULL AND key NOT IN (SELECT coalesce(%s, '') FROM %s) THEN '%s' ELSE '%s' END
			FROM (SELECT DISTINCT key FROM temp.gone_keys WHERE key IS NOT NULL) g FULL JOIN (SELECT key FROM temp.new_keys WHERE key IS NOT NULL) n USING (key)`,
			duck.Text(t.Name), RowInserted, t.keySQL(), t.name(), RowDeleted, RowUpdated),
		beginKeys)
}

// keySQL is the SQL of a row's key as text. A key of several columns is a list in JSON.
func (t Relation) keySQL() string {
	var parts []string
	for _, name := range t.Key {
		parts = append(parts, duck.Name(name)+"::VARCHAR")
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "to_json([" + strings.Join(parts, ", ") + "])::VARCHAR"
}

// HasChanges says whether a change was noted.
func (f *Published) HasChanges(ctx context.Context) (has bool, err error) {
	err = f.r.DB.Scan(ctx, "SELECT count(*) > 0 FROM temp.changes", nil, &has)
	return has, err
}

// Changes hands the noted changes to use, each once: relation, key, kind, file and recorded_at. The rows of a table that is noted as a whole are left out.
func (f *Published) Changes(ctx context.Context, file string, at time.Time, use func(array.RecordReader) error) error {
	query := fmt.Sprintf(`SELECT DISTINCT relation, key, kind, %s AS file, TIMESTAMPTZ %s AS recorded_at FROM temp.changes
		WHERE key IS NULL OR relation NOT IN (SELECT relation FROM temp.changes WHERE key IS NULL) ORDER BY ALL`, duck.Text(file), duck.Text(at.UTC().Format("2006-01-02 15:04:05.999999Z")))
	return f.hand(ctx, query, use)
}
