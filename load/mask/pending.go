package mask

import (
	"context"
	"database/sql"
	"slices"

	"aqueduck/load/internal/duck"
	"aqueduck/load/read"
	"aqueduck/transform"
	"aqueduck/transform/maskrule"
)

// StoredNames gives the entries of hash and drop that the rows of a published file were stored with.
func StoredNames(ctx context.Context, r *read.Reader, schema, stream string) (NamesOfRows, error) {
	return namesOfRows(ctx, r.DB, schema, stream)
}

// CountUnmasked counts the values of a published file that masking rules would hash or drop, in tables with their histories
// and daily copies. Rows that a rule deletes count as one value each.
func CountUnmasked(ctx context.Context, r *read.Reader, schema string, tables []transform.Table, rules []maskrule.Rule) (values int64, err error) {
	stored, err := r.DB.TableColumns(ctx, schema)
	if err != nil {
		return 0, err
	}
	for _, g := range maskrule.MakeGroups(rules) {
		for _, t := range tables {
			if t.Name != g.Table && t.HistoryOf != g.Table && t.CopyOf != g.Table || len(stored[t.Name]) == 0 {
				continue
			}
			has := func(column string) bool {
				return slices.ContainsFunc(stored[t.Name], func(c duck.StoredColumn) bool { return c.Name == column })
			}
			n, err := countValues(ctx, r, r.DB.StoredName(ctx, schema, t.Name), maskedCondition(g, has), g.Rules)
			if err != nil {
				return 0, err
			}
			values += n
		}
	}
	return values, nil
}

// countValues counts the values of a table's column that rules mask, among the rows of a condition. Fields of one JSON text count once.
func countValues(ctx context.Context, r *read.Reader, relation, where string, rules []maskrule.Rule) (values int64, err error) {
	p := rules[0]
	if len(p.Path) == 0 {
		if p.Hashed {
			where += " AND NOT " + looksHashed(p)
		}
		return values, r.DB.Scan(ctx, "SELECT count(*) FROM "+relation+" WHERE "+where, nil, &values)
	}
	masked := transform.MaskJSON(rules, nil)
	column := duck.Name(p.Column) + "::VARCHAR"
	err = r.DB.Each(ctx, "SELECT "+column+" FROM "+relation+" WHERE "+where, nil, func(rows *sql.Rows) error {
		var text string
		err := rows.Scan(&text)
		if err == nil && masked(text) != text {
			values++
		}
		return err
	})
	return values, err
}
