package compare

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/stage"
	"aqueduck/load/layout"
	"aqueduck/load/read"
	"aqueduck/load/tombstone"
	"aqueduck/transform"
)

// Difference is a row of a published file that differs from its source.
type Difference struct {
	Table   string
	Key     string
	Record  string   // key of the record that the row belongs to
	Kind    string   // missing, stale, ghost (stored, but gone at the source), doubled (its key is stored twice), or Open
	Columns []string // of a stale row: the columns that differ
}

// Open is the kind of an open state in a history that is no longer kept: it claims to hold still.
const Open = "open"

// Baseline is the part of a table that records are compared with: the rows with times from From, up to To. Rows that are
// older were not read yet; rows that are newer have changed since.
type Baseline struct {
	Schema   string
	Table    transform.Table
	Visible  string // the table or view without soft-deleted rows
	Newest   string // column of times; "": the rows have none, and all are compared
	From, To time.Time
}

// RecordComparison is the result of comparing some records.
type RecordComparison struct {
	Seen        []string // keys of the records
	Compared    []string // keys of those that could be compared
	Older       []string // keys of those that are older than their rows, and prove nothing
	Differences []Difference
}

// Comparison compares records that were read again with one published file, and writes nothing into it. It may be used by
// one goroutine at a time.
type Comparison struct {
	*read.Reader
	tombs *tombstone.Log
}

// Compare opens a published file, usually Dir.Current, to compare records with it. The caller closes the result.
func Compare(ctx context.Context, d layout.Dir, path string) (*Comparison, error) {
	tombs, err := tombstone.Read(d)
	if err != nil {
		return nil, fmt.Errorf("read the erasures: %w", err)
	}
	r, err := read.OpenReader(ctx, path)
	if err != nil {
		return nil, err
	}
	return &Comparison{r, tombs}, nil
}

// CompareRecords compares records. batches are what one decoder made of them, the stream's own table first.
func (c *Comparison) CompareRecords(ctx context.Context, a Baseline, batches []transform.Batch) (RecordComparison, error) {
	var j RecordComparison
	if batches[0].Rows.NumRows() == 0 {
		return j, nil
	}
	own, err := stage.New(ctx, c.DB, "verify_own", batches[0])
	if err != nil {
		return j, err
	}
	defer stage.Drop(ctx, c.DB, own.Name, "temp.verify_judged", "temp.verify_child")
	if j.Seen, err = c.DB.ScanTexts(ctx, "SELECT DISTINCT "+clause.KeyText("", a.Table.Key)+" FROM "+own.Name); err != nil {
		return j, err
	}
	if err := c.judgeRecords(ctx, a, own); err != nil {
		return j, fmt.Errorf("compare %s: %w", a.Table.Name, err)
	}
	if j.Compared, err = c.DB.ScanTexts(ctx, "SELECT record FROM temp.verify_judged"); err != nil {
		return j, err
	}
	if a.Newest != "" {
		older := fmt.Sprintf("SELECT DISTINCT %s FROM %s s JOIN %s t ON %s WHERE t.%[5]s > s.%[5]s AND s.%[5]s >= $1 AND %[1]s NOT IN (SELECT record FROM temp.verify_judged)", clause.KeyText("s.", a.Table.Key), own.Name,
			c.DB.StoredName(ctx, a.Schema, a.Table.Name), clause.Matches("t.", a.Table.Key, "s.", a.Table.Key), duck.Name(a.Newest))
		if j.Older, err = c.DB.ScanTexts(ctx, older, a.From.UTC()); err != nil {
			return j, fmt.Errorf("compare %s: %w", a.Table.Name, err)
		}
	}
	if j.Differences, err = c.compareRows(ctx, a, own, a.Visible); err != nil {
		return j, fmt.Errorf("compare %s: %w", a.Table.Name, err)
	}
	for _, b := range batches[1:] {
		found, err := c.compareChild(ctx, a, b)
		if err != nil {
			return j, fmt.Errorf("compare %s: %w", b.Table.Name, err)
		}
		j.Differences = append(j.Differences, found...)
	}
	return j, nil
}

// judgeRecords chooses the records that say something about the file: those that are neither newer than the file nor
// older than its rows, and whose row is what readers see. Of several copies it takes the one that a commit would take.
func (c *Comparison) judgeRecords(ctx context.Context, a Baseline, own stage.Batch) error {
	where := "true"
	var args []any
	if a.Newest != "" {
		at := "s." + duck.Name(a.Newest)
		where = fmt.Sprintf(`(%[1]s IS NULL OR %[1]s >= $1 AND %[1]s < $2) AND NOT EXISTS (SELECT 1 FROM %[2]s t WHERE %[3]s AND t.%[4]s > %[1]s)`,
			at, c.DB.StoredName(ctx, a.Schema, a.Table.Name), clause.Matches("t.", a.Table.Key, "s.", a.Table.Key), duck.Name(a.Newest))
		args = []any{a.From.UTC(), a.To.UTC()}
		beside, err := c.HasRelation(ctx, a.Schema, a.Table.Beside)
		if err != nil {
			return err
		}
		if beside { // readers see the newer of the two copies
			where += fmt.Sprintf(" AND NOT EXISTS (SELECT 1 FROM %s t JOIN %s b ON %s WHERE %s AND t.%[5]s < %[6]s AND b.%[5]s >= %[6]s)", c.DB.StoredName(ctx, a.Schema, a.Table.Name),
				c.DB.StoredName(ctx, a.Schema, a.Table.Beside), clause.Matches("b.", a.Table.Key, "t.", a.Table.Key), clause.Matches("t.", a.Table.Key, "s.", a.Table.Key), duck.Name(a.Newest), at)
		}
	}
	winners := clause.NewestCopies("(SELECT s.* FROM "+own.Name+" s WHERE "+where+")", a.Table)
	_, err := c.DB.Exec(ctx, "CREATE OR REPLACE TEMP TABLE verify_judged AS SELECT _row, "+clause.KeyText("s.", a.Table.Key)+" AS record FROM "+winners+" s", args...)
	return err
}

// compareRows compares the staged rows of chosen records with their stored table. One of the relations in must have them.
func (c *Comparison) compareRows(ctx context.Context, a Baseline, s stage.Batch, in ...string) ([]Difference, error) {
	stored, err := c.storedColumns(ctx, a.Schema, s.Table.Name)
	if err != nil || len(stored) == 0 {
		return nil, err
	}
	key := clause.KeyText("s.", s.Table.Key)
	from := s.Name + " s JOIN temp.verify_judged j USING (_row)"
	missing := fmt.Sprintf("SELECT DISTINCT %s, j.record, NULL, %s FROM %s WHERE true", key, c.contactList(s.Table), from)
	for _, relation := range in {
		missing += fmt.Sprintf(" AND NOT EXISTS (SELECT 1 FROM %s t WHERE %s)", c.DB.StoredName(ctx, a.Schema, relation), clause.Matches("t.", s.Table.Key, "s.", s.Table.Key))
	}
	list, err := c.queryDifferences(ctx, a.Schema, s.Table.Name, "missing", missing)
	if err != nil {
		return nil, err
	}
	var differs []string
	for _, column := range s.Table.Columns {
		if test := c.differCondition(column, stored[column.Name]); test != "" {
			differs = append(differs, "CASE WHEN "+test+" THEN "+duck.Text(column.Name)+" END")
		}
	}
	there := ""
	if s.Table.Gone {
		there = " AND t." + transform.GoneColumn + " IS NULL"
	}
	stale := fmt.Sprintf(`SELECT key, record, differ, people FROM (SELECT DISTINCT %s AS key, j.record AS record, concat_ws(',', %s) AS differ, %s AS people
		FROM %s JOIN %s t ON %s%s) WHERE differ <> ''`, key, strings.Join(differs, ", "), c.contactList(s.Table), from,
		c.DB.StoredName(ctx, a.Schema, s.Table.Name), clause.Matches("t.", s.Table.Key, "s.", s.Table.Key), there)
	more, err := c.queryDifferences(ctx, a.Schema, s.Table.Name, "stale", stale)
	return append(list, more...), err
}

// differCondition is the condition that a column is stored with another value than was sent; "" for a column that proves
// nothing. JSON may be written in several ways, so the row's hash decides, or the values at its leaves. A value that an
// erasure emptied is no difference. A value in _extra is a difference only where it looks masked: other fields there may
// belong to another record and change without a new time.
func (c *Comparison) differCondition(column transform.Column, stored string) string {
	switch column.Name {
	case transform.ExtraColumn:
		return "t." + transform.HashColumn + " IS NULL AND " + otherLeaves("s.", "t.", transform.ExtraColumn) + " OR " + maskedLeaves
	case transform.VersionColumn, transform.HashColumn, transform.GoneColumn, transform.SyncedAtColumn, transform.RunIDColumn:
		return ""
	}
	computed := column.Path == nil && column.SQL == "TIMESTAMPTZ" // the time of an answer
	if stored == "" || column.Volatile || column.Erased || computed {
		return ""
	}
	name := duck.Name(column.Name)
	test := "TRY_CAST(s." + name + " AS " + stored + ") IS DISTINCT FROM t." + name
	if stored != column.SQL {
		test += " AND s." + name + " IS NOT NULL" // the column was widened: what only fits the wider one comes as NULL
	}
	if column.SQL == "JSON" {
		test += " AND (s." + transform.HashColumn + " <> t." + transform.HashColumn + " OR " + otherLeaves("s.", "t.", column.Name) + ")"
	}
	if len(c.tombs.Hashes) > 0 && (column.PII || column.Redactable || column.SQL == "JSON") {
		test += " AND t." + name + " IS NOT NULL"
	}
	return test
}

// otherLeaves is the condition that a JSON column has different values at the same places in two rows. The row's hash
// cannot prove this: an earlier masking may have left a wrong one.
func otherLeaves(a, b, column string) string {
	leaves := func(prefix string) string {
		return "(SELECT coalesce(list_sort(list(x.fullkey || ' ' || x.atom)), []) FROM json_tree(" + prefix + duck.Name(column) + ") x WHERE x.atom IS NOT NULL AND x.type <> 'NULL')"
	}
	return leaves(a) + " <> " + leaves(b)
}

// maskedLeaves is the condition that _extra of a stored row holds a masked value, 32 hexadecimal digits, that the source
// did not send.
const maskedLeaves = `EXISTS (SELECT 1 FROM json_tree(t._extra) x WHERE regexp_full_match(x.atom::VARCHAR, '"[0-9a-f]{32}"')
	AND NOT coalesce(contains(s._extra::VARCHAR, x.atom::VARCHAR), false))`

// compareChild compares the rows of a nested list. Of a complete list it also finds the stored rows that the source no
// longer has.
func (c *Comparison) compareChild(ctx context.Context, a Baseline, b transform.Batch) ([]Difference, error) {
	s, err := stage.New(ctx, c.DB, "verify_child", b)
	if err != nil {
		return nil, err
	}
	in := []string{s.Table.Name}
	if there, err := c.HasRelation(ctx, a.Schema, s.Table.Beside); err != nil {
		return nil, err
	} else if there { // a record that was read by id has its lists there
		in = append(in, s.Table.Beside)
	}
	list, err := c.compareRows(ctx, a, s, in...)
	if err != nil || !s.Table.Complete || s.Table.Within != "" {
		return list, err
	}
	stored, err := c.storedColumns(ctx, a.Schema, s.Table.Name)
	if err != nil || len(stored) == 0 {
		return nil, err
	}
	ghosts := fmt.Sprintf(`SELECT DISTINCT %s, j.record, NULL, [] FROM %s t JOIN temp.verify_own o ON %s JOIN temp.verify_judged j ON j._row = o._row
		WHERE NOT EXISTS (SELECT 1 FROM %s s JOIN temp.verify_judged k USING (_row) WHERE %s)`, clause.KeyText("t.", s.Table.Key), c.DB.StoredName(ctx, a.Schema, s.Table.Name),
		clause.Matches("t.", s.Table.ParentKey, "o.", a.Table.Key), s.Name, clause.Matches("s.", s.Table.Key, "t.", s.Table.Key))
	more, err := c.queryDifferences(ctx, a.Schema, s.Table.Name, "ghost", ghosts)
	return append(list, more...), err
}

// contactList is the SQL list of the contacts in a staged row.
func (c *Comparison) contactList(t transform.Table) string {
	var columns []string
	for _, name := range clause.Persons(t) {
		columns = append(columns, "s."+duck.Name(name)+"::VARCHAR")
	}
	return "[" + strings.Join(columns, ", ") + "]"
}

// queryDifferences runs a query for key, record, columns and contacts. It ignores rows of erased persons: they differ on
// purpose.
func (c *Comparison) queryDifferences(ctx context.Context, schema, table, kind, query string) (list []Difference, err error) {
	err = c.DB.Each(ctx, query, nil, func(rows *sql.Rows) error {
		d := Difference{Table: table, Kind: kind}
		var columns sql.NullString
		var people any
		if err := rows.Scan(&d.Key, &d.Record, &columns, &people); err != nil {
			return err
		}
		if columns.Valid {
			d.Columns = strings.Split(columns.String, ",")
		}
		named, _ := people.([]any)
		if !slices.ContainsFunc(named, func(id any) bool {
			text, ok := id.(string)
			return ok && c.tombs.Has(tombstone.People(schema), text)
		}) {
			list = append(list, d)
		}
		return nil
	})
	return list, err
}

// storedColumns gives the types of a stored table's columns; an empty map where the file lacks the table.
func (c *Comparison) storedColumns(ctx context.Context, schema, table string) (map[string]string, error) {
	columns, err := c.DB.Columns(ctx, schema)
	if err == nil && len(columns[table]) == 0 { // it may be in the raw schema
		columns, err = c.DB.TableColumns(ctx, schema)
	}
	return duck.ColumnTypes(columns[table]), err
}

// HasRelation reports whether the file has a table or view.
func (c *Comparison) HasRelation(ctx context.Context, schema, relation string) (bool, error) {
	found, err := c.storedColumns(ctx, schema, relation)
	return len(found) > 0, err
}

// AbsentKeys gives those of some keys that no visible row has.
func (c *Comparison) AbsentKeys(ctx context.Context, a Baseline, keys []string) ([]string, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	quoted := make([]string, len(keys))
	for i, key := range keys {
		quoted[i] = duck.Text(key)
	}
	return c.DB.ScanTexts(ctx, fmt.Sprintf("WITH keys AS (SELECT unnest([%[1]s]) AS k) FROM keys WHERE k NOT IN (SELECT %[2]s FROM %[3]s WHERE %[2]s IN (FROM keys)) ORDER BY k",
		strings.Join(quoted, ", "), clause.KeyText("", a.Table.Key), c.DB.StoredName(ctx, a.Schema, a.Visible)))
}

// CountVisible counts the visible rows.
func (c *Comparison) CountVisible(ctx context.Context, a Baseline) (n int64, err error) {
	return n, c.DB.Scan(ctx, "SELECT count(*) FROM "+c.DB.StoredName(ctx, a.Schema, a.Visible), nil, &n)
}

// SampleKeys gives keys of visible rows whose times are within the baseline: at most that many, chosen by the seed; most
// 0 gives all.
func (c *Comparison) SampleKeys(ctx context.Context, a Baseline, most int, seed string) ([]string, error) {
	return c.sampleValues(ctx, a, clause.KeyText("", a.Table.Key), most, seed)
}

// KeysWith gives the keys of the visible rows with one of some values in a column.
func (c *Comparison) KeysWith(ctx context.Context, a Baseline, column string, values []string) ([]string, error) {
	return c.DB.ScanTexts(ctx, fmt.Sprintf("SELECT DISTINCT %s FROM %s WHERE %s::VARCHAR IN (SELECT unnest(string_split($1, ',')))",
		clause.KeyText("", a.Table.Key), c.DB.StoredName(ctx, a.Schema, a.Visible), duck.Name(column)), strings.Join(values, ","))
}

// SampleTimes gives times of visible rows in seconds since 1970, chosen by the seed.
func (c *Comparison) SampleTimes(ctx context.Context, a Baseline, column string, most int, seed string) ([]string, error) {
	return c.sampleValues(ctx, a, "epoch("+duck.Name(column)+")::BIGINT::VARCHAR", most, seed)
}

// SampleColumn gives different values of a column of visible rows, chosen by the seed.
func (c *Comparison) SampleColumn(ctx context.Context, a Baseline, column string, most int, seed string) ([]string, error) {
	return c.sampleValues(ctx, a, duck.Name(column)+"::VARCHAR", most, seed)
}

// sampleValues gives the different values of an expression over the visible rows within the baseline; most 0 gives all.
func (c *Comparison) sampleValues(ctx context.Context, a Baseline, expression string, most int, seed string) ([]string, error) {
	where := expression + " IS NOT NULL"
	var args []any
	if a.Newest != "" {
		at := duck.Name(a.Newest)
		where += fmt.Sprintf(" AND (%[1]s IS NULL OR %[1]s >= $1 AND %[1]s < $2)", at)
		args = []any{a.From.UTC(), a.To.UTC()}
	}
	query := fmt.Sprintf("SELECT DISTINCT %s AS v FROM %s WHERE %s", expression, c.DB.StoredName(ctx, a.Schema, a.Visible), where)
	if most > 0 {
		query = fmt.Sprintf("SELECT v FROM (%s) ORDER BY hash(v || %s), v LIMIT %d", query, duck.Text(seed), most)
	}
	return c.DB.ScanTexts(ctx, query, args...)
}

// DuplicateKeys finds keys that a stored table has more than once, at most a hundred.
func (c *Comparison) DuplicateKeys(ctx context.Context, schema string, t transform.Table) ([]Difference, error) {
	stored, err := c.storedColumns(ctx, schema, t.Name)
	if err != nil || len(stored) == 0 || len(t.Key) == 0 {
		return nil, err
	}
	// Hashes are grouped first: those of ten million rows fit into memory, their keys do not.
	name, key := c.DB.StoredName(ctx, schema, t.Name), clause.KeyText("", t.Key)
	list, err := c.DB.ScanTexts(ctx, fmt.Sprintf(`SELECT %[1]s FROM %[2]s WHERE hash(%[3]s) IN (SELECT hash(%[3]s) FROM %[2]s GROUP BY 1 HAVING count(*) > 1)
		GROUP BY 1 HAVING count(*) > 1 ORDER BY 1 LIMIT 100`, key, name, duck.Names("", t.Key)))
	if err != nil {
		return nil, fmt.Errorf("look for duplicate keys of %s.%s: %w", schema, t.Name, err)
	}
	var doubled []Difference
	for _, k := range list {
		doubled = append(doubled, Difference{Table: t.Name, Key: k, Record: k, Kind: "doubled"})
	}
	return doubled, nil
}
