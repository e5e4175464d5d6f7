package erase

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
	"aqueduck/load/tombstone"
	"aqueduck/transform"
)

// BeforeReplace finds stored texts that the source redacted: stored, and null in the staged row that replaces theirs.
// candidates is the SQL after FROM that gives these staged rows, as s. The merge then removes the stored text, and the
// next publish removes its bytes from all files.
func (m *Arrival) BeforeReplace(ctx context.Context, s stage.Batch, candidates string) error {
	t := s.Table
	for _, c := range t.Columns {
		if !c.Redactable {
			continue
		}
		flag := "FALSE"
		if c.RedactedBy != "" {
			flag = "s." + duck.Name(c.RedactedBy) + " IS TRUE"
		}
		rows := fmt.Sprintf("(SELECT %s, %s AS __flagged FROM %s AND s.%s IS NULL)", duck.Names("s.", t.Key), flag, candidates, duck.Name(c.Name))
		var n int64
		if err := m.erasures.db.DB.Scan(ctx, "SELECT count(*) FROM "+rows, nil, &n); err != nil || n == 0 {
			if err != nil {
				return fmt.Errorf("find redactions: %w", err)
			}
			continue
		}
		query := fmt.Sprintf("SELECT c.__flagged, %s FROM %s t JOIN %s c ON %s WHERE t.%s IS NOT NULL", clause.Texts("t.", t.Key),
			clause.Stored(m.schema, t), rows, clause.Matches("c.", t.Key, "t.", t.Key), duck.Name(c.Name))
		err := m.erasures.db.DB.Each(ctx, query, nil, func(rows *sql.Rows) error {
			var flagged bool
			values := make([]string, len(t.Key))
			into := []any{&flagged}
			for i := range values {
				into = append(into, &values[i])
			}
			if err := rows.Scan(into...); err != nil {
				return err
			}
			m.redacted.addRow(t.Name, values, flagged)
			return nil
		})
		if err != nil {
			return fmt.Errorf("find redactions: %w", err)
		}
	}
	return nil
}

// BeforeMerge finds the stored rows, still with texts, of ids that the source answered without a row.
func (m *Arrival) BeforeMerge(ctx context.Context, t transform.Table, ids []string) error {
	if len(ids) == 0 || t.RedactIDColumn == "" {
		return nil
	}
	var left []string
	for _, c := range t.Columns {
		if c.Redactable {
			left = append(left, "t."+duck.Name(c.Name)+" IS NOT NULL")
		}
	}
	query := fmt.Sprintf("SELECT %s FROM %s t WHERE t.%s IN (SELECT unnest(string_split($1, $2))) AND (%s)", clause.Texts("t.", t.Key),
		clause.Stored(m.schema, t), duck.Name(t.RedactIDColumn), strings.Join(left, " OR "))
	return m.erasures.db.DB.Each(ctx, query, []any{strings.Join(ids, clause.Separator), clause.Separator}, func(rows *sql.Rows) error {
		values, into := make([]string, len(t.Key)), make([]any, len(t.Key))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		m.redacted.addRow(t.Name, values, false)
		if m.redacted.unreplaced == nil {
			m.redacted.unreplaced = map[string][][]string{}
		}
		m.redacted.unreplaced[t.Name] = append(m.redacted.unreplaced[t.Name], values)
		return nil
	})
}

// sourceRedactions are the stored texts that a commit removes because the source redacted them.
type sourceRedactions struct {
	erasureStep
	found      int64
	all        map[string][][]string // by table: keys of all rows with a redacted text
	unreplaced map[string][][]string // those of them whose rows no staged row replaces
}

// addRow notes a row. flagged says that the source calls it redacted: then it gets a tombstone, and no older copy brings
// the text back.
func (r *sourceRedactions) addRow(table string, key []string, flagged bool) {
	r.found++
	if r.all == nil {
		r.all = map[string][][]string{}
	}
	r.all[table] = append(r.all[table], key)
	if !flagged {
		return
	}
	if r.erasureStep.rows == nil {
		r.erasureStep.rows = map[string][][]string{}
	}
	if !slices.ContainsFunc(r.erasureStep.rows[table], func(other []string) bool { return slices.Equal(key, other) }) {
		r.erasureStep.rows[table] = append(r.erasureStep.rows[table], key)
	}
}

// BeforeCommit applies, at the end of the transaction, what was redacted. It returns how many stored rows it changed.
func (m *Arrival) BeforeCommit(ctx context.Context, stamp time.Time) (changed int64, err error) {
	m.stamp = stamp
	r := &m.redacted
	if r.found == 0 {
		return 0, nil
	}
	w := m.erasures
	r.schema, r.reason, r.rowHashes = m.schema, Redacted, map[string][]tombstone.IDHash{}
	c := Certificate{Schema: m.schema, Reason: Redacted, Rows: r.found, Tables: map[string]int64{}}
	if err := w.listFiles(&c); err != nil {
		return 0, err
	}
	// Files and tombstones are noted before the transaction is durable: after a kill in between, Reapply finds what is not applied.
	if err := w.tombs.Begin(); err != nil {
		return 0, err
	}
	if err := w.db.Dir().BeginErasing(); err != nil {
		return 0, err
	}
	for table, keys := range r.erasureStep.rows {
		p := tombstone.Scope{Schema: m.schema, Table: table}
		for _, key := range keys {
			r.rowHashes[table] = append(r.rowHashes[table], w.tombs.Hash(p, tombstone.RowKey(key)))
		}
		c.Tables[table] = int64(len(keys))
		if err := w.tombs.AppendHashes(p, r.rowHashes[table], w.db.Now().UTC()); err != nil {
			return 0, err
		}
	}
	if changed, err = m.applyRedactions(ctx, r.unreplaced, false); err != nil {
		return 0, fmt.Errorf("the rows that the source no longer has: %w", err)
	}
	if _, err := m.applyRedactions(ctx, r.all, true); err != nil {
		return 0, fmt.Errorf("the earlier states of rows: %w", err)
	}
	return changed, w.saveErasure(ctx, r.erasureStep, c)
}

// AfterCommit remembers, once the commit is durable, that the database has applied its tombstones.
func (m *Arrival) AfterCommit() { m.erasures.noteApplied(m.redacted.erasureStep) }

// applyRedactions empties the redacted texts in stored rows, or in their past states and daily copies, and returns the number of rows.
func (m *Arrival) applyRedactions(ctx context.Context, keys map[string][][]string, past bool) (rows int64, err error) {
	e := m.erasures.newEraser(m.schema, m.stamp)
	defer stage.Drop(ctx, m.erasures.db.DB, redactedKeys)
	for table, keys := range keys {
		t, ok := e.findTable(table)
		if !ok {
			continue
		}
		if err := stage.Fill(ctx, m.erasures.db.DB, redactedKeys, t.Key, len(keys), func(i int) []string { return keys[i] }); err != nil {
			return rows, err
		}
		for _, part := range redactionRules(e.tables, t) {
			if (part.table.HistoryOf+part.table.CopyOf != "") != past {
				continue
			}
			n, err := e.applyRule(ctx, part.table, part.rule)
			if err != nil {
				return rows, err
			}
			rows += n
			if err := m.erasures.db.CountRows(ctx, m.schema, part.table.Name, 0, m.stamp); err != nil {
				return rows, err
			}
		}
	}
	return rows, nil
}
