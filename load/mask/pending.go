package mask

import (
	"context"
	"slices"
	"strings"

	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/workdb"
	"aqueduck/load/read"
	"aqueduck/transform"
)

// AddedNames gives, of the wanted entries of hash and drop of a stream, those that the rows of a published file were stored without.
func AddedNames(ctx context.Context, r *read.Reader, schema, stream string, wanted []string) (added []string, err error) {
	stored, _, err := workdb.ReadNames(ctx, r.DB, maskedKey(schema, stream))
	for _, name := range wanted {
		if !slices.Contains(stored, name) {
			added = append(added, name)
		}
	}
	return added, err
}

// CountUnmasked counts the values of a published file that masking rules would hash or drop, in tables with their histories
// and daily copies. Rows that a rule deletes count as one value each.
func CountUnmasked(ctx context.Context, r *read.Reader, schema string, tables []transform.Table, rules []transform.MaskRule) (values int64, err error) {
	stored, err := r.DB.Columns(ctx, schema)
	if err != nil {
		return 0, err
	}
	// Fields of one column may be in the same value, which then counts once.
	conditions := map[[2]string][]string{}
	for _, p := range rules {
		for _, t := range tables {
			if t.Name != p.Table && t.HistoryOf != p.Table && t.CopyOf != p.Table || len(stored[t.Name]) == 0 {
				continue
			}
			place := [2]string{t.Name, p.Column}
			conditions[place] = append(conditions[place], maskedCondition(p, func(column string) bool {
				return slices.ContainsFunc(stored[t.Name], func(c duck.StoredColumn) bool { return c.Name == column })
			}))
		}
	}
	counts := []string{"0"}
	for place, where := range conditions {
		counts = append(counts, "(SELECT count(*) FROM "+duck.Table(schema, place[0])+" WHERE "+strings.Join(where, " OR ")+")")
	}
	return values, r.DB.Scan(ctx, "SELECT "+strings.Join(counts, " + "), nil, &values)
}
