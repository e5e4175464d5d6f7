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

// commitHook takes part in each commit beside the merge: the erasures implement it, to keep erased persons out. A step
// that fails fails the commit.
type commitHook interface {
	// AfterStaging runs before the transaction. It may empty staged rows and delete some; tables are all staged tables.
	AfterStaging(ctx context.Context, batches []transform.Batch, tables []*stage.Batch) error
	// BeforeReplace runs before staged rows replace stored ones. candidates is the SQL after FROM that gives these staged rows, as s.
	BeforeReplace(ctx context.Context, s stage.Batch, candidates string) error
	// BeforeMerge runs before the merge of a table, with the ids that the source answered without a row.
	BeforeMerge(ctx context.Context, t transform.Table, ids []string) error
	// AfterMerge runs after the merge of all tables.
	AfterMerge(ctx context.Context, stamp time.Time) error
	// BeforeCommit runs last in the transaction. It returns how many stored rows it has changed.
	BeforeCommit(ctx context.Context, stamp time.Time) (changed int64, err error)
	// AfterCommit runs once the transaction is durable.
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

	deadLetters []transform.DeadLetter
	incomplete  []transform.Incomplete
	completed   []string
	children    []stage.Batch
}

// answeredIDs are ids that were asked for at a time, and that the stream no longer waits for.
type answeredIDs struct {
	ids []string
	at  time.Time
}

// decided is the temporary table of what is decided for each record of a batch.
const decided = "temp.decided"

// The states of a record in decided.
const (
	isNew       = "n" // not stored: is inserted
	isChanged   = "c" // stored with other content, or soft-deleted: is replaced
	isUnchanged = "s" // stored with the same content: stays, with its complete lists; incomplete lists may still grow
	isOlder     = "o" // a newer copy is stored: this one is dropped, with its children
)

// mergeCounts counts the records of a batch by their decision.
type mergeCounts struct {
	added, changed, unchanged, older int64
	whole                            bool // every staged row is written
}

// writtenRows is the query for the rows of a batch that are written.
func writtenRows() string {
	return fmt.Sprintf("SELECT _row FROM %s WHERE __state IN ('%s', '%s')", decided, isNew, isChanged)
}

// lastCopies keeps the last of several children with the same key. from is returned unchanged where no key repeats; raw
// says that it is the staged table itself.
func (m *commitMerger) lastCopies(ctx context.Context, child stage.Batch, from string, raw bool) (string, error) {
	doubled, err := m.hasDuplicateKeys(ctx, child, from)
	if err != nil || !doubled {
		return from, err
	}
	place := "__place"
	if raw {
		place = "rowid"
	}
	return fmt.Sprintf("(SELECT * FROM %s QUALIFY row_number() OVER (PARTITION BY %s ORDER BY %s DESC) = 1)",
		from, duck.Names("", child.Table.Key), place), nil
}

// createTemporary makes a temporary table of a query and returns the number of its rows.
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

// hasDuplicateKeys reports whether some rows of a batch have the same key.
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

// insertRows adds rows to a table. from is the SQL after FROM that gives them. Each row gets the time and the run of this
// commit.
func (m *commitMerger) insertRows(ctx context.Context, t transform.Table, from string) (int64, error) {
	var names []string
	for _, c := range t.Columns {
		if c.Name != transform.SyncedAtColumn && c.Name != transform.RunIDColumn {
			names = append(names, c.Name)
		}
	}
	columns := duck.Names("", names)
	n, err := m.execStatement(ctx, fmt.Sprintf("INSERT INTO %s (%s, %s, %s) SELECT %s, $1, $2 FROM %s", clause.Stored(m.schema, t),
		columns, transform.SyncedAtColumn, transform.RunIDColumn, columns, from), m.stamp, m.work.RunID())
	if err != nil {
		return 0, fmt.Errorf("write the rows: %w", err)
	}
	return n, nil
}

func (m *commitMerger) execStatement(ctx context.Context, statement string, args ...any) (int64, error) {
	return m.work.DB.Exec(ctx, statement, args...)
}

// refreshSweep is the number in _sync.seen of the keys that a full refresh has read; sweeps begin with 1.
const refreshSweep = 0

// refreshOf is the name in _sync.seen that all streams of a table share. No stream can have it.
func refreshOf(table string) string { return "table " + table }

// metBefore is the condition that this full refresh has already read a record.
func metBefore(m *commitMerger, prefix string, t transform.Table) string {
	return fmt.Sprintf("EXISTS (SELECT 1 FROM _sync.seen k WHERE k.schema = %s AND k.stream = %s AND k.sweep = %d AND k.key = %s)",
		duck.Text(m.schema), duck.Text(refreshOf(t.Name)), refreshSweep, clause.KeyText(prefix, t.Key))
}
