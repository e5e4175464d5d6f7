package compare

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/transform"
)

// CompareHistory finds records whose open state in a history differs from what the file shows, at most a hundred of each
// kind. A ghost has an open state but no visible row, a missing one has a row but no open state, a stale one has other
// values.
func (c *Comparison) CompareHistory(ctx context.Context, a Baseline, history transform.Table) ([]Difference, error) {
	stored, err := c.storedColumns(ctx, a.Schema, history.Name)
	if err != nil || len(stored) == 0 {
		return nil, err
	}
	var list []Difference
	for _, kind := range []struct{ name, where string }{
		{"ghost", "c.__state IS NULL"}, {"missing", "h.__state IS NULL"}, {"stale", "h.__state <> c.__state"},
	} {
		people := "[]"
		if names := clause.Persons(a.Table); len(names) == 1 && slices.Contains(a.Table.Key, names[0]) {
			people = fmt.Sprintf("[coalesce(h.%[1]s, c.%[1]s)::VARCHAR]", duck.Name(names[0]))
		}
		query := fmt.Sprintf(`SELECT k, k, NULL, people FROM (SELECT %s AS k, %s AS people FROM (SELECT %s, hash(%s) AS __state FROM %s WHERE %s IS NULL) h
			FULL JOIN (SELECT %[3]s, hash(%[4]s) AS __state FROM %[7]s) c ON %[8]s WHERE %[9]s) ORDER BY k LIMIT 100`,
			eitherText(a.Table.Key), people, duck.Names("", a.Table.Key), clause.Content("", a.Table), duck.Table(a.Schema, history.Name), transform.ValidTo,
			duck.Table(a.Schema, a.Visible), clause.Matches("h.", a.Table.Key, "c.", a.Table.Key), kind.where)
		found, err := c.queryDifferences(ctx, a.Schema, history.Name, kind.name, query)
		if err != nil {
			return nil, fmt.Errorf("compare %s.%s with %s: %w", a.Schema, history.Name, a.Visible, err)
		}
		list = append(list, found...)
	}
	return list, nil
}

// OpenStates finds the open states of a history that is no longer kept, at most a hundred. key is that of its records.
func (c *Comparison) OpenStates(ctx context.Context, schema string, history transform.Table, key []string) ([]Difference, error) {
	stored, err := c.storedColumns(ctx, schema, history.Name)
	if err != nil || stored[transform.ValidTo] == "" {
		return nil, err
	}
	list, err := c.DB.ScanTexts(ctx, fmt.Sprintf("SELECT DISTINCT %s AS k FROM %s WHERE %s IS NULL ORDER BY k LIMIT 100",
		clause.KeyText("", key), duck.Table(schema, history.Name), transform.ValidTo))
	if err != nil {
		return nil, fmt.Errorf("look for open states of %s.%s: %w", schema, history.Name, err)
	}
	var open []Difference
	for _, k := range list {
		open = append(open, Difference{Table: history.Name, Key: k, Record: k, Kind: Open})
	}
	return open, nil
}

// eitherText is clause.KeyText for a joined pair of rows, one of which may be missing.
func eitherText(key []string) string {
	if len(key) == 1 {
		return fmt.Sprintf("coalesce(h.%[1]s, c.%[1]s)::VARCHAR", duck.Name(key[0]))
	}
	names := make([]string, len(key))
	for i, k := range key {
		names[i] = fmt.Sprintf("coalesce(h.%[1]s, c.%[1]s)::VARCHAR", duck.Name(k))
	}
	return "to_json([" + strings.Join(names, ", ") + "])::VARCHAR"
}
