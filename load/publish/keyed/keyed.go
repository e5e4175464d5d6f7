// Package keyed makes the tables of models whose rows belong to one key each, such as one conversation.
package keyed

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
)

// KeyColumn is a column that says to which key a stored row belongs.
type KeyColumn struct{ Table, Column string }

// Model is a model, as far as tables of keyed models need it.
type Model struct {
	Name  string
	Table bool     // it is stored as a table
	SQL   string   // with {schema} and {models} before the names that it reads
	Reads []string // names of the models that it reads
	Key   string   // of a keyed model: its column with the key

	// Of a keyed model: the columns whose rows alone decide on the rows of a key. The first one has each key once. nil: any row may concern any other.
	ChangedBy []KeyColumn
}

// Stored is a stored table at this moment.
type Stored struct {
	Rows      int64     // counted
	ChangedAt time.Time // when a row last changed
}

// Maker makes tables of one workspace in a database, one model after the other. It uses temporary views and tables; Close removes them.
type Maker struct {
	DB         *duck.DB
	Schema     string                    // that of the stored tables
	Models     string                    // that of the models
	All        []Model                   // every model that is or will be there
	Stored     map[string]Stored         // by name of the table
	Views      map[string]string         // stored table of each view over one
	Substitute func(query string) string // replaces what stands in braces
	ChunkRows  int64                     // stored rows that are read at once; 0: a million

	views  []string // temporary views of the model that is made
	keysOf string   // what the collected keys are; "": those of one model
	copies []string // temporary tables: the collected keys, and copies of rows of theirs, as copyOf names them
	chunks int64    // where all rows are made in chunks: how many; 0: the rows of the collected keys are made
	chunk  int64    // number of the chunk that is made
}

// changedKeys is the temporary table of the keys whose rows are made.
const changedKeys = "temp.changed_keys"

// rowsPerChunk limits the stored rows that a keyed model sorts at once. A larger one needs more memory, and spills.
const rowsPerChunk = 1_000_000

// copiedShare of a chunk is how many stored rows are copied into memory at most, an eighth of a million. With the columns that models read, a part of a
// conversation takes some 350 bytes there, and a publish has 200 MB.
const copiedShare = 8

// Make makes the table of a model, or only the rows of changed keys where the stored table has the same definition. before is what Make returned then; ""
// makes all rows. old is the kind of the stored relation; "" where there is none. The state that Make returns holds once its caller has committed.
func (k *Maker) Make(ctx context.Context, m Model, old, before string) (state string, err error) {
	if state, err = k.readState(ctx, m); err != nil || old == "table" && before == state {
		return state, err
	}
	at, inputs, _ := strings.Cut(before, " ")
	if _, now, _ := strings.Cut(state, " "); old == "table" && before != "" && inputs == now {
		err = k.updateRows(ctx, m, at)
	} else {
		err = k.makeWhole(ctx, m, old)
	}
	return state, errors.Join(err, k.dropViews(ctx))
}

// Close removes the temporary tables.
func (k *Maker) Close(ctx context.Context) error { return k.forgetKeys(ctx) }

// readState is the time of the last change of a stored row that the model reads, and what the other models that it reads contain.
func (k *Maker) readState(ctx context.Context, m Model) (string, error) {
	var at time.Time
	for _, source := range m.ChangedBy {
		if t := k.Stored[k.storedTable(source)]; t.ChangedAt.After(at) {
			at = t.ChangedAt
		}
	}
	state := at.Format(time.RFC3339Nano)
	for _, name := range k.unkeyedInputs(m) {
		var digest sql.NullString
		query := "SELECT count(*) || ':' || coalesce(bit_xor(hash(t)), 0) FROM " + duck.Table(k.Models, name) + " t"
		if err := k.DB.Scan(ctx, query, nil, &digest); err != nil {
			return "", fmt.Errorf("compare %s: %w", name, err)
		}
		state += " " + name + ":" + digest.String
	}
	return state, nil
}

// modelsRead are the models that a model reads.
func (k *Maker) modelsRead(m Model) (read []Model) {
	for _, other := range k.All {
		if slices.Contains(m.Reads, other.Name) {
			read = append(read, other)
		}
	}
	return read
}

// unkeyedInputs are the models without a key that a keyed model reads, directly or by a keyed one. Each of their rows may concern every key.
func (k *Maker) unkeyedInputs(m Model) (names []string) {
	for _, read := range k.modelsRead(m) {
		if len(read.ChangedBy) > 0 {
			names = clause.Union(names, k.unkeyedInputs(read))
		} else {
			names = clause.Union(names, []string{read.Name})
		}
	}
	return names
}

// storedTable is the stored table of a source, which may be its view.
func (k *Maker) storedTable(source KeyColumn) string {
	return cmp.Or(k.Views[source.Table], source.Table)
}

// tableName names a table with the database: a temporary view may have the name of a table of schema main.
func (k *Maker) tableName(schema, table string) string {
	return duck.Name(duck.Catalog) + "." + duck.Table(schema, table)
}

// makeWhole makes all rows, in chunks of keys where there are many.
func (k *Maker) makeWhole(ctx context.Context, m Model, old string) error {
	name := duck.Table(k.Models, m.Name)
	if old == "view" {
		if _, err := k.DB.Exec(ctx, "DROP VIEW "+name); err != nil {
			return err
		}
	}
	into := "CREATE OR REPLACE TABLE " + name + " AS "
	chunks := k.chunksOfAll(m)
	if chunks == 1 {
		_, err := k.DB.Exec(ctx, into+k.Substitute(m.SQL))
		return err
	}
	defer func() { k.chunks, k.chunk = 0, 0 }()
	for chunk := range chunks {
		k.chunks, k.chunk = chunks, chunk
		if err := k.insertRows(ctx, m, into); err != nil {
			return err
		}
		into = "INSERT INTO " + name + " "
	}
	return nil
}

// chunksOfAll is in how many chunks all rows are made.
func (k *Maker) chunksOfAll(m Model) int64 { return k.mostRows(m)/k.chunkRows() + 1 }

// updateRows makes the rows of the keys again of which a stored row has changed since a time. Many keys are taken in chunks. Each chunk reads all stored
// rows, so all rows are made where that takes fewer chunks: after a first run, most keys are new.
func (k *Maker) updateRows(ctx context.Context, m Model, since string) error {
	query := k.changedSince(m, since)
	chunks, err := k.collectKeys(ctx, m, query)
	if err == nil && chunks > k.chunksOfAll(m) {
		if err = k.forgetKeys(ctx); err == nil {
			err = k.makeWhole(ctx, m, "table")
		}
		return err
	}
	for chunk := int64(0); err == nil && chunk < chunks; chunk++ {
		if chunks > 1 {
			err = k.fillKeys(ctx, fmt.Sprintf("SELECT key FROM (%s) WHERE %s", query, inChunk("key", chunks, chunk)))
		}
		if err == nil {
			err = k.replaceRows(ctx, m)
		}
	}
	return err
}

// replaceRows makes the rows of the collected keys again.
func (k *Maker) replaceRows(ctx context.Context, m Model) error {
	name := duck.Table(k.Models, m.Name)
	if _, err := k.DB.Exec(ctx, fmt.Sprintf("DELETE FROM %s WHERE %s IN (SELECT key FROM %s)", name, duck.Name(m.Key), changedKeys)); err != nil {
		return fmt.Errorf("delete the rows of changed keys: %w", err)
	}
	return k.insertRows(ctx, m, "INSERT INTO "+name+" ")
}

// changedSince is the query of the keys of which a stored row has changed since a time. Each change of a stored row moves its _synced_at, also that it is gone.
func (k *Maker) changedSince(m Model, since string) string {
	var changed []string
	for _, source := range m.ChangedBy {
		changed = append(changed, fmt.Sprintf("SELECT %s AS key FROM %s WHERE _synced_at > TIMESTAMPTZ %s",
			duck.Name(source.Column), k.tableName(k.Schema, k.storedTable(source)), duck.Text(since)))
	}
	return strings.Join(changed, " UNION ")
}

// collectKeys collects the keys of a query, unless they are collected already. It returns in how many chunks their stored rows can be copied.
func (k *Maker) collectKeys(ctx context.Context, m Model, query string) (chunks int64, err error) {
	if k.keysOf == query {
		return 1, nil
	}
	if err := k.fillKeys(ctx, query); err != nil {
		return 0, err
	}
	var keys int64
	if err := k.DB.Scan(ctx, "SELECT count(*) FROM "+changedKeys, nil, &keys); err != nil {
		return 0, fmt.Errorf("count the changed keys: %w", err)
	}
	owners := max(1, k.Stored[k.storedTable(m.ChangedBy[0])].Rows)
	chunks = keys*k.mostRows(m)/owners/max(1, k.chunkRows()/copiedShare) + 1
	if chunks == 1 {
		k.keysOf = query
	}
	return chunks, nil
}

// mostRows is the number of rows of the largest stored table of a keyed model.
func (k *Maker) mostRows(m Model) (most int64) {
	for _, source := range m.ChangedBy {
		most = max(most, k.Stored[k.storedTable(source)].Rows)
	}
	return most
}

// inChunk is the condition that a key is in a chunk. It takes no memory, unlike a join with the keys of the chunk.
func inChunk(key string, chunks, chunk int64) string {
	return fmt.Sprintf("hash(%s::VARCHAR) %% %d = %d", key, chunks, chunk)
}

func (k *Maker) chunkRows() int64 { return cmp.Or(k.ChunkRows, rowsPerChunk) }

// fillKeys collects other keys.
func (k *Maker) fillKeys(ctx context.Context, query string) error {
	if err := k.forgetKeys(ctx); err != nil {
		return err
	}
	if _, err := k.DB.Exec(ctx, "CREATE OR REPLACE TEMP TABLE "+changedKeys+" AS "+query); err != nil {
		return fmt.Errorf("collect the keys: %w", err)
	}
	k.copies = []string{changedKeys}
	return nil
}

// forgetKeys removes the collected keys, and the copies of their rows.
func (k *Maker) forgetKeys(ctx context.Context) error {
	var statements []string
	for _, name := range k.copies {
		statements = append(statements, "DROP TABLE IF EXISTS "+name)
	}
	k.keysOf, k.copies = "", nil
	if len(statements) == 0 {
		return nil
	}
	_, err := k.DB.Exec(context.WithoutCancel(ctx), strings.Join(statements, "; "))
	return err
}

// insertRows makes the rows of the chunk, or of the collected keys. The model reads temporary views of the same names, which have only their rows.
func (k *Maker) insertRows(ctx context.Context, m Model, into string) error {
	query, err := k.restrictModel(ctx, m)
	if err == nil && k.chunks == 0 {
		query, err = k.copyRows(ctx, copyOf(k.Models, m.Name), query)
	}
	if err != nil {
		return err
	}
	_, err = k.DB.Exec(ctx, into+query)
	return err
}

// restrictModel is the SQL of a keyed model over the rows of the chunk, or of the collected keys.
func (k *Maker) restrictModel(ctx context.Context, m Model) (string, error) {
	query := m.SQL
	for _, source := range m.ChangedBy {
		rows, err := k.restrictStored(ctx, source)
		if err == nil {
			err = k.makeView(ctx, source.Table, rows)
		}
		if err != nil {
			return "", err
		}
		query = renameSource(query, "{schema}.", source.Table)
	}
	for _, read := range k.modelsRead(m) {
		if len(read.ChangedBy) == 0 {
			continue
		}
		rows, err := k.restrictTable(k.Models, KeyColumn{read.Name, read.Key}, "t.*"), error(nil)
		switch {
		case k.chunks == 0 && slices.Contains(k.copies, copyOf(k.Models, read.Name)):
			rows = "FROM " + copyOf(k.Models, read.Name)
		case !read.Table:
			rows, err = k.restrictModel(ctx, read)
		}
		if err == nil {
			err = k.makeView(ctx, read.Name, rows)
		}
		if err != nil {
			return "", err
		}
		query = renameSource(query, "{models}.", read.Name)
	}
	return k.Substitute(query), nil
}

// renameSource makes a query read the temporary view instead of a table or model.
func renameSource(query, prefix, name string) string {
	return regexp.MustCompile(regexp.QuoteMeta(prefix+name)+`\b`).ReplaceAllLiteralString(query, "temp."+name)
}

// restrictStored is a query of the rows of a stored table that belong to the chunk, or to the collected keys. Those of keys are copied once, so that only
// one model has to look for them among all rows.
func (k *Maker) restrictStored(ctx context.Context, source KeyColumn) (string, error) {
	copied := copyOf(k.Schema, source.Table)
	switch {
	case k.chunks > 0:
		return k.restrictTable(k.Schema, source, "t.*"), nil
	case slices.Contains(k.copies, copied):
		return "FROM " + copied, nil
	}
	columns, err := k.columnsRead(ctx, source)
	if err != nil {
		return "", err
	}
	return k.copyRows(ctx, copied, k.restrictTable(k.Schema, source, columns))
}

func (k *Maker) restrictTable(schema string, source KeyColumn, columns string) string {
	if k.chunks > 0 {
		return fmt.Sprintf("SELECT %s FROM %s t WHERE %s", columns, k.tableName(schema, source.Table), inChunk("t."+duck.Name(source.Column), k.chunks, k.chunk))
	}
	return fmt.Sprintf("SELECT %s FROM %s t SEMI JOIN %s k ON t.%s = k.key", columns, k.tableName(schema, source.Table), changedKeys, duck.Name(source.Column))
}

var word = regexp.MustCompile(`\w+`)

// columnsRead are the columns of a stored table that a keyed model may read: those whose names are words of its SQL. Texts are most of a stored row, and no
// model reads them.
func (k *Maker) columnsRead(ctx context.Context, source KeyColumn) (string, error) {
	words := []string{strings.ToLower(source.Column)}
	for _, m := range k.All {
		if len(m.ChangedBy) > 0 {
			words = append(words, word.FindAllString(strings.ToLower(m.SQL), -1)...)
		}
	}
	names, err := k.DB.ScanTexts(ctx, "SELECT name FROM pragma_table_info("+duck.Text(k.tableName(k.Schema, source.Table))+")")
	if err != nil {
		return "", fmt.Errorf("list the columns of %s: %w", source.Table, err)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(words, strings.ToLower(name)) })
	return duck.Names("t.", names), nil
}

// copyOf names the temporary table with the rows of a stored table or a model that belong to the collected keys.
func copyOf(schema, name string) string {
	return "temp." + duck.Name("changed rows of "+schema+"."+name)
}

// copyRows makes such a table, and returns the query that reads it.
func (k *Maker) copyRows(ctx context.Context, into, query string) (string, error) {
	if _, err := k.DB.Exec(ctx, "CREATE OR REPLACE TEMP TABLE "+into+" AS "+query); err != nil {
		return "", fmt.Errorf("copy the changed rows into %s: %w", into, err)
	}
	k.copies = append(k.copies, into)
	return "FROM " + into, nil
}

func (k *Maker) makeView(ctx context.Context, name, query string) error {
	if _, err := k.DB.Exec(ctx, "CREATE OR REPLACE TEMP VIEW "+duck.Name(name)+" AS "+query); err != nil {
		return fmt.Errorf("restrict %s: %w", name, err)
	}
	k.views = append(k.views, name)
	return nil
}

func (k *Maker) dropViews(ctx context.Context) error {
	var statements []string
	for _, name := range k.views {
		statements = append(statements, "DROP VIEW IF EXISTS temp."+duck.Name(name))
	}
	k.views = nil
	if len(statements) == 0 {
		return nil
	}
	_, err := k.DB.Exec(context.WithoutCancel(ctx), strings.Join(statements, "; "))
	return err
}
