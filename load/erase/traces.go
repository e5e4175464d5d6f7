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
	"aqueduck/load/internal/workdb"
	"aqueduck/load/layout"
	"aqueduck/transform"
)

func (w *Erasures) dropSubjects(ctx context.Context, e *subjectEraser) {
	names := []string{subjects, traces, redactedKeys}
	if e != nil {
		names = append(names, e.found...)
		for _, name := range e.matching {
			if name != "" {
				names = append(names, name)
			}
		}
	}
	stage.Drop(ctx, w.db.DB, names...)
}

// traces is the temporary table of a person's words that the records of runs may repeat. redactedKeys is that of the keys of rows
// with redacted texts.
const (
	traces       = "temp.traces"
	redactedKeys = "temp.taken_out"
)

// shortestTrace is the length from which a value is searched in messages. A shorter value would occur in other words by
// chance.
const shortestTrace = 5

// eraseTraces removes a person's id and personal values from the messages in the records of runs, in the notes of ended runs and in logs.
func (w *Erasures) eraseTraces(ctx context.Context, e *subjectEraser) error {
	parts := []string{"SELECT id AS word FROM " + subjects}
	for _, t := range e.tables {
		if t.Erase != "all" || len(clause.Persons(t)) == 0 {
			continue
		}
		for _, c := range slices.Concat(t.Columns, t.Left) {
			if c.PII && c.SQL == "VARCHAR" {
				parts = append(parts, fmt.Sprintf("SELECT %s FROM %s t WHERE %s AND length(%[1]s) >= %[4]d",
					duck.Name(c.Name), e.relationOf(t.Name), isSubject("t.", clause.Persons(t)), shortestTrace))
			}
		}
	}
	if _, err := w.db.DB.Exec(ctx, "CREATE OR REPLACE TEMP TABLE "+traces+" AS "+strings.Join(parts, " UNION ")); err != nil {
		return err
	}
	// A word of the mark itself would be found again and again.
	if _, err := w.db.DB.Exec(ctx, "DELETE FROM "+traces+" WHERE contains('"+layout.Erased+"', word)"); err != nil {
		return err
	}
	if err := w.eraseFromMessages(ctx); err != nil {
		return err
	}
	for table, columns := range map[string][]string{
		"runs": {"error"}, "stream_runs": {"error", "hint"}, "audit": {"message", "expected", "found"}, "rejects": {"sample_key"},
	} {
		for _, c := range columns {
			for n := int64(1); n > 0; { // each pass replaces the longest word in each message: a shorter one may be a part of it
				var err error
				n, err = w.db.DB.Exec(ctx, fmt.Sprintf("UPDATE _sync.%[1]s AS t SET %[2]s = replace(t.%[2]s, f.word, '%[3]s') FROM (SELECT m.%[2]s AS message, arg_max(x.word, length(x.word)) AS word FROM "+
					"(SELECT DISTINCT %[2]s FROM _sync.%[1]s) m JOIN %[4]s x ON contains(m.%[2]s, x.word) GROUP BY ALL) f WHERE t.%[2]s = f.message", table, c, layout.Erased, traces))
				if err != nil {
					return err
				}
			}
		}
	}
	for table, column := range map[string]string{"incomplete": "id", "misfits": "key"} {
		for _, named := range []string{"%[1]s IN (SELECT word FROM %[2]s)", "starts_with(%[1]s, '[') AND EXISTS (SELECT 1 FROM %[2]s x WHERE contains(%[1]s, to_json(x.word)::VARCHAR))"} { // a key of several columns is JSON
			if _, err := w.db.DB.Exec(ctx, fmt.Sprintf("DELETE FROM _sync."+table+" AS t WHERE "+named, "t."+column, traces)); err != nil {
				return err
			}
		}
	}
	// What dead letters were last compared is a hash of few of them, which would tell the id of one.
	if _, err := w.db.DB.Exec(ctx, "DELETE FROM _sync.meta WHERE starts_with(key, $1)", workdb.ComparedLetters); err != nil {
		return err
	}
	// The state of a checkpoint may name ids that the stream still has to read.
	_, err := w.db.DB.Exec(ctx, `UPDATE _sync.checkpoints AS t SET state = json_merge_patch(t.state, (SELECT json_object('short', json_group_object(x.word, NULL)) FROM `+traces+` x
		WHERE contains(t.state, '"' || x.word || '"')))::VARCHAR WHERE contains(t.state, '"short"') AND EXISTS (SELECT 1 FROM `+traces+` x WHERE contains(t.state, '"' || x.word || '"'))`)
	return err
}

// eraseFromMessages replaces the traces in the notes of ended runs and in logs. It comes before the commit: after a kill the erasure, and this, run again.
func (w *Erasures) eraseFromMessages(ctx context.Context) error {
	var words []string
	err := w.db.DB.Each(ctx, "SELECT word FROM "+traces+" WHERE word IS NOT NULL ORDER BY length(word) DESC, word", nil, func(rows *sql.Rows) error {
		var word string
		err := rows.Scan(&word)
		words = append(words, word)
		return err
	})
	if err != nil {
		return err
	}
	return layout.EraseFromMessages(w.db.Dir(), words)
}

// eraseRows empties rows with redacted texts, and the lists inside them.
func (w *Erasures) eraseRows(ctx context.Context, e *subjectEraser, table string, keys [][]string, stamp time.Time) error {
	t, ok := e.findTable(table)
	if !ok || len(keys) == 0 {
		return nil
	}
	if err := stage.Fill(ctx, w.db.DB, redactedKeys, t.Key, len(keys), func(i int) []string { return keys[i] }); err != nil {
		return err
	}
	for _, part := range redactionRules(e.tables, t) {
		n, err := e.applyRule(ctx, part.table, part.rule)
		if err != nil {
			return err
		}
		if n == 0 {
			continue
		}
		if err := w.db.CountRows(ctx, e.schema, part.table.Name, 0, stamp); err != nil {
			return err
		}
	}
	return nil
}

// redactionRule is a table, and what is emptied in its rows when a text is redacted.
type redactionRule struct {
	table transform.Table
	rule  erasureRule
}

// redactionRules are the rules for the rows in redactedKeys: the redactable columns, columns made of the same field, and
// personal columns of the lists inside.
func redactionRules(tables []transform.Table, t transform.Table) []redactionRule {
	own := erasureRule{where: "EXISTS (SELECT 1 FROM " + redactedKeys + " x WHERE " + clause.MatchTexts("x.", t.Key, "t.", t.Key) + ")"}
	for _, c := range t.Columns {
		if slices.ContainsFunc(t.Columns, func(o transform.Column) bool { return o.Redactable && slices.Equal(o.Path, c.Path) }) {
			own.columns = append(own.columns, c.Name)
		}
	}
	list := []redactionRule{{t, own}}
	for _, inner := range tables {
		if inner.HistoryOf == t.Name || inner.CopyOf == t.Name {
			list = append(list, redactionRule{inner, own})
		}
		if inner.Within != t.Name {
			continue
		}
		r := erasureRule{where: "EXISTS (SELECT 1 FROM " + redactedKeys + " x WHERE " + clause.MatchTexts("x.", t.Key, "t.", inner.WithinKey) + ")"}
		for _, c := range inner.Columns {
			if c.PII && !slices.Contains(inner.Key, c.Name) {
				r.columns = append(r.columns, c.Name)
			}
		}
		if len(r.columns) > 0 {
			list = append(list, redactionRule{inner, r})
		}
	}
	return list
}
