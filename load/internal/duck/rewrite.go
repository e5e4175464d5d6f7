package duck

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Step gives a column another value in some rows.
type Step struct {
	Column string // quoted
	Value  string // the SQL of what the new value is made of; {value} stands for it below
	Where  string // the condition for the rows t
	Stored string // the SQL of the new value
	Joined bool   // is in one query with the step before it
}

// mostSteps is how many steps one query takes, and more only if they are joined: DuckDB keeps some thousand values of each in memory.
const mostSteps = 64

// Picked is, in the replacements of RewriteTable, the numbers of the steps that changed a row, each with a semicolon on both sides; ';' where none did.
const Picked = "__picked"

// RewriteTable changes rows of a table, and returns how many values. It copies all rows, in their order, into a new table, which takes the name of the old
// one: an UPDATE would keep each changed value in memory until the next checkpoint. Steps see the row as it is, or as the queries of earlier steps left it; of
// several steps of a column the first whose condition holds counts. A changed row gets the time $1 and the run $2, and the replacements, which are SQL as in
// REPLACE. Where no value changes, nothing is written. The caller runs it in a transaction.
func (d *DB) RewriteTable(ctx context.Context, schema, table string, steps []Step, replacements []string, args ...any) (changes int64, err error) {
	for first, end := 0, 0; first < len(steps); first = end {
		end = endOfQuery(steps, first)
		query := rewriteQuery(Table(schema, table), first, steps[first:end], replacements)
		n, err := d.copyTable(ctx, schema, table, query, args)
		if err != nil {
			return 0, err
		}
		changes += n
	}
	return changes, nil
}

// endOfQuery is the number of the step after those that one query takes.
func endOfQuery(steps []Step, first int) (end int) {
	for i := first + 1; i <= len(steps); i++ {
		if i < len(steps) && steps[i].Joined {
			continue
		}
		if end > 0 && i-first > mostSteps {
			break
		}
		end = i
	}
	return end
}

// rewriteQuery is the query for all rows of a table, changed, with the number of values that change as __changes. first is the number of the first step.
func rewriteQuery(table string, first int, steps []Step, replacements []string) string {
	var values, hidden, columns []string
	picks := map[string]string{} // by column: which step changes it
	stored := map[string]string{}
	for i, s := range steps {
		value := fmt.Sprintf("__value_%d", first+i)
		named := func(text string) string { return strings.ReplaceAll(text, "{value}", value) }
		values, hidden = append(values, s.Value+" AS "+value), append(hidden, value)
		if picks[s.Column] == "" {
			columns = append(columns, s.Column)
		}
		picks[s.Column] += fmt.Sprintf(" WHEN %s THEN %d", named(s.Where), first+i)
		stored[s.Column] += fmt.Sprintf(" WHEN %d THEN %s", first+i, named(s.Stored))
	}
	var picked, replaced, names, counted []string
	for i, column := range columns {
		pick := fmt.Sprintf("__pick_%d", i)
		picked = append(picked, "CASE"+picks[column]+" END AS "+pick)
		replaced = append(replaced, "CASE "+pick+stored[column]+" ELSE "+column+" END AS "+column)
		names, counted = append(names, pick), append(counted, "("+pick+" IS NOT NULL)::INT")
	}
	stamped := []string{"CASE WHEN __changes > 0 THEN $1::TIMESTAMPTZ ELSE _synced_at END AS _synced_at", "CASE WHEN __changes > 0 THEN $2 ELSE _run_id END AS _run_id"}
	list := func(texts []string) string { return strings.Join(texts, ", ") }
	query := "SELECT *, " + list(values) + " FROM " + table + " t"
	query = "SELECT *, " + list(picked) + " FROM (" + query + ") t"
	query = fmt.Sprintf("SELECT * EXCLUDE (%s) REPLACE (%s), concat(';', concat_ws(';', %s), ';') AS %s, %s AS __changes FROM (%s)",
		list(append(hidden, names...)), list(replaced), list(names), Picked, strings.Join(counted, " + "), query)
	return "SELECT * EXCLUDE (" + Picked + ") REPLACE (" + list(slices.Concat(stamped, replacements)) + ") FROM (" + query + ")"
}

// copyTable replaces a table by a query for its rows, if any value changes, and returns how many do.
func (d *DB) copyTable(ctx context.Context, schema, table, query string, args []any) (changes int64, err error) {
	if err := d.Scan(ctx, "SELECT coalesce(sum(__changes), 0)::BIGINT FROM ("+query+")", args, &changes); err != nil || changes == 0 {
		return 0, err
	}
	name, rewritten := Table(schema, table), Table(schema, "__rewritten")
	var rows int64
	if err := d.Scan(ctx, "SELECT count(*) FROM "+name, nil, &rows); err != nil {
		return 0, err
	}
	if _, err := d.Exec(ctx, "CREATE TABLE "+rewritten+" AS FROM "+name+" LIMIT 0"); err != nil {
		return 0, err
	}
	n, err := d.Exec(ctx, "INSERT INTO "+rewritten+" BY NAME SELECT * EXCLUDE (__changes) FROM ("+query+")", args...)
	if err == nil && n != rows {
		err = fmt.Errorf("%d of %d rows were copied", n, rows)
	}
	if err != nil {
		return 0, err
	}
	for _, statement := range []string{"DROP TABLE " + name, "ALTER TABLE " + rewritten + " RENAME TO " + Name(table)} {
		if _, err := d.Exec(ctx, statement); err != nil {
			return 0, err
		}
	}
	return changes, nil
}
