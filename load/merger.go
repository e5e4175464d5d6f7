package load

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/stage"
	"aqueduck/load/internal/workdb"
	"aqueduck/transform"
)

// commitMerger merges the batches of one commit.
type commitMerger struct {
	work   *workdb.Database
	schema string
	stream string
	stamp  time.Time
	hook   commitHook

	groups       []stagedGroup
	answeredSets []answeredIDs
	written      Written
}

// commitHook is what has a say in each commit besides the merge: erasures, which keep out whom they have taken out. A step that fails
// fails the commit.
type commitHook interface {
	// Staged comes before the transaction, and may empty staged rows: tables are all that the batches bring.
	AfterStaging(ctx context.Context, batches []transform.Batch, tables []*stage.Batch) error
	// Replaces comes before stored rows go whose place rows s of a staged table take; candidates follows FROM to give these.
	BeforeReplace(ctx context.Context, s stage.Batch, candidates string) error
	// Silent comes before the merge of a table, with the ids that answered with no row.
	BeforeMerge(ctx context.Context, t transform.Table, ids []string) error
	// Merged comes after the merge of all tables.
	AfterMerge(ctx context.Context, stamp time.Time) error
	// Seal comes last in the transaction, and tells how many stored rows it has changed.
	BeforeCommit(ctx context.Context, stamp time.Time) (changed int64, err error)
	// Landed comes once the transaction is made.
	AfterCommit()
}

// stagedGroup is the staged batch of a stream's own table, with those of its children.
type stagedGroup struct {
	own         stage.Batch
	mode        transform.Mode
	window      [2]time.Time
	sweep       int
	seen        []string
	feeds       []transform.ChildStream
	gone        bool // some rows say that their record is gone
	refresh     bool // of a full refresh
	redactedIDs []string

	misfits    []transform.Misfit
	incomplete []transform.Incomplete
	completed  []string
	children   []stage.Batch
}

// answeredIDs is ids that a stream waits for no longer.
type answeredIDs struct {
	ids []string
	at  time.Time
}

// decided is the temporary table of what becomes of each record of a batch.
const decided = "temp.decided"

// The states of a record in decided.
const (
	isNew       = "n" // not stored: comes
	isChanged   = "c" // stored with other content, or gone: is replaced
	isUnchanged = "s" // stored as it is: stays, as do its complete children; others are still added to
	isOlder     = "o" // stored newer: is dropped, with its children
)

// mergeCounts counts the records of a batch by what became of them.
type mergeCounts struct {
	added, changed, unchanged, older int64
	whole                            bool // every staged row is written
}

// writtenRows are the rows of a batch that are written.
func writtenRows() string {
	return fmt.Sprintf("SELECT _row FROM %s WHERE state IN ('%s', '%s')", decided, isNew, isChanged)
}

// lastCopies keeps the last of the children that have the same key, where some do.
func (m *commitMerger) lastCopies(ctx context.Context, child stage.Batch, from string, raw bool) (string, error) {
	doubled, err := m.hasDuplicateKeys(ctx, child, from)
	if err != nil || !doubled {
		return from, err
	}
	place := "place"
	if raw {
		place = "rowid"
	}
	return fmt.Sprintf("(SELECT * FROM %s QUALIFY row_number() OVER (PARTITION BY %s ORDER BY %s DESC) = 1)",
		from, duck.Names("", child.Table.Key), place), nil
}

// createTemporary makes a temporary table of a query, and counts its rows.
func (m *commitMerger) createTemporary(ctx context.Context, name, query string) (rows int64, err error) {
	if _, err := m.execStatement(ctx, "CREATE OR REPLACE TEMP TABLE "+name+" AS "+query); err != nil {
		return 0, err
	}
	err = m.work.DB.Scan(ctx, "SELECT count(*) FROM "+name, nil, &rows)
	return rows, err
}

// childBatch gives the staged batch of one of the group's child tables.
func (g *stagedGroup) childBatch(table string) stage.Batch {
	i := slices.IndexFunc(g.children, func(s stage.Batch) bool { return s.Table.Name == table })
	if i < 0 {
		return stage.Batch{}
	}
	return g.children[i]
}

// hasDuplicateKeys says whether a key comes more than once in some of the rows of a batch.
func (m *commitMerger) hasDuplicateKeys(ctx context.Context, s stage.Batch, from string) (bool, error) {
	if s.Unique {
		return false, nil
	}
	var one int
	query := fmt.Sprintf("SELECT 1 FROM %s GROUP BY %s HAVING count(*) > 1 LIMIT 1", from, duck.Names("", s.Table.Key))
	err := m.work.DB.Scan(ctx, query, nil, &one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// insertRows adds rows, given as what follows FROM, to a table; each gets the time and the run of this commit.
func (m *commitMerger) insertRows(ctx context.Context, t transform.Table, from string) (int64, error) {
	var names []string
	for _, c := range t.Columns {
		if c.Name != transform.SyncedAtColumn && c.Name != transform.RunIDColumn {
			names = append(names, c.Name)
		}
	}
	columns := duck.Names("", names)
	n, err := m.execStatement(ctx, fmt.Sprintf("INSERT INTO %s (%s, %s, %s) SELECT %s, $1, $2 FROM %s", duck.Table(m.schema, t.Name),
		columns, transform.SyncedAtColumn, transform.RunIDColumn, columns, from), m.stamp, m.work.RunID())
	if err != nil {
		return 0, fmt.Errorf("write the rows: %w", err)
	}
	return n, nil
}

func (m *commitMerger) execStatement(ctx context.Context, statement string, args ...any) (int64, error) {
	return m.work.DB.Exec(ctx, statement, args...)
}

// refreshSweep is the number in _sync.seen under which a full refresh notes the keys that it has met; sweeps begin with 1.
const refreshSweep = 0

// refreshOf is the name in _sync.seen of the streams that go into a table, which no stream has.
func refreshOf(table string) string { return "table " + table }

// metBefore is the condition that this full refresh has brought a record before.
func metBefore(m *commitMerger, prefix string, t transform.Table) string {
	return fmt.Sprintf("EXISTS (SELECT 1 FROM _sync.seen k WHERE k.schema = %s AND k.stream = %s AND k.sweep = %d AND k.key = %s)",
		duck.Text(m.schema), duck.Text(refreshOf(t.Name)), refreshSweep, clause.KeyText(prefix, t.Key))
}
