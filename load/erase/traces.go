package erase

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/stage"
	"aqueduck/transform"
)

func (w *Erasures) dropSubjects(ctx context.Context, e *subjectEraser) {
	names := []string{subjects, traces, takenOut}
	if e != nil {
		for _, name := range e.matching {
			if name != "" {
				names = append(names, name)
			}
		}
	}
	stage.Drop(ctx, w.db.DB, names...)
}

// traces is the temporary table of the words that the records of runs may repeat of a person; takenOut that of the keys of
// rows whose text the source took out.
const (
	traces   = "temp.traces"
	takenOut = "temp.taken_out"
)

// shortestTrace is as short as a value may be that is looked for in messages: shorter ones are in words by chance.
const shortestTrace = 5

// eraseTraces takes out of the records of runs the messages that repeat an id of the persons, or what their own row holds.
func (w *Erasures) eraseTraces(ctx context.Context, e *subjectEraser) error {
	parts := []string{"SELECT id AS word FROM " + subjects}
	for _, t := range e.tables {
		if t.Erase != "all" || len(clause.Persons(t)) == 0 {
			continue
		}
		for _, c := range t.Columns {
			if c.PII && c.SQL == "VARCHAR" {
				parts = append(parts, fmt.Sprintf("SELECT %s FROM %s t WHERE %s AND length(%[1]s) >= %[4]d",
					duck.Name(c.Name), e.relationOf(t.Name), isSubject("t.", clause.Persons(t)), shortestTrace))
			}
		}
	}
	if _, err := w.db.DB.Exec(ctx, "CREATE OR REPLACE TEMP TABLE "+traces+" AS "+strings.Join(parts, " UNION ")); err != nil {
		return err
	}
	for table, columns := range map[string][]string{
		"runs": {"error"}, "stream_runs": {"error", "hint"}, "audit": {"message", "expected", "found"}, "rejects": {"sample_key"},
	} {
		for _, c := range columns {
			_, err := w.db.DB.Exec(ctx, fmt.Sprintf("UPDATE _sync.%s AS t SET %s = '(erased)' WHERE %[2]s IS NOT NULL AND EXISTS (SELECT 1 FROM %s x WHERE contains(t.%[2]s, x.word))",
				table, c, traces))
			if err != nil {
				return err
			}
		}
	}
	for table, column := range map[string]string{"incomplete": "id", "misfits": "key"} {
		if _, err := w.db.DB.Exec(ctx, fmt.Sprintf("DELETE FROM _sync.%s AS t WHERE t.%s IN (SELECT word FROM %s)", table, column, traces)); err != nil {
			return err
		}
	}
	// What a stream still has to look up is told by id, in its state.
	_, err := w.db.DB.Exec(ctx, `UPDATE _sync.checkpoints AS t SET state = json_merge_patch(t.state, (SELECT json_object('short', json_group_object(x.word, NULL)) FROM `+traces+` x
		WHERE contains(t.state, '"' || x.word || '"')))::VARCHAR WHERE contains(t.state, '"short"') AND EXISTS (SELECT 1 FROM `+traces+` x WHERE contains(t.state, '"' || x.word || '"'))`)
	return err
}

// eraseRows empties rows of a table whose text the source took out, and what lies inside of them.
func (w *Erasures) eraseRows(ctx context.Context, e *subjectEraser, table string, keys [][]string, stamp time.Time) error {
	t, ok := e.findTable(table)
	if !ok || len(keys) == 0 {
		return nil
	}
	if err := stage.Fill(ctx, w.db.DB, takenOut, t.Key, len(keys), func(i int) []string { return keys[i] }); err != nil {
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

// redactionRule is a table and what goes of its rows when a text is taken out.
type redactionRule struct {
	table transform.Table
	rule  erasureRule
}

// redactionRules are the rules for the rows of a table in takenOut: the columns that the source takes out, those that are made
// of the same field, and the personal ones of what lies inside.
func redactionRules(tables []transform.Table, t transform.Table) []redactionRule {
	own := erasureRule{where: "EXISTS (SELECT 1 FROM " + takenOut + " x WHERE " + clause.MatchTexts("x.", t.Key, "t.", t.Key) + ")"}
	for _, c := range t.Columns {
		if slices.ContainsFunc(t.Columns, func(o transform.Column) bool { return o.Redactable && slices.Equal(o.Path, c.Path) }) {
			own.columns = append(own.columns, c.Name)
		}
	}
	list := []redactionRule{{t, own}}
	for _, inner := range tables {
		if inner.HistoryOf == t.Name {
			list = append(list, redactionRule{inner, own})
		}
		if inner.Within != t.Name {
			continue
		}
		r := erasureRule{where: "EXISTS (SELECT 1 FROM " + takenOut + " x WHERE " + clause.MatchTexts("x.", t.Key, "t.", inner.WithinKey) + ")"}
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
