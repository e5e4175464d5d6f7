package stage

import (
	"context"
	"strings"

	"aqueduck/load/internal/duck"
)

// Fill makes a temporary table of texts, with n rows.
func Fill(ctx context.Context, db *duck.DB, name string, columns []string, n int, row func(int) []string) error {
	if _, err := db.Exec(ctx, "CREATE OR REPLACE TEMP TABLE "+name+" ("+strings.ReplaceAll(duck.Names("", columns), ",", " VARCHAR,")+" VARCHAR)"); err != nil {
		return err
	}
	const atOnce = 500 // a statement of a size that the parser takes easily
	for from := 0; from < n; from += atOnce {
		var rows []string
		for i := from; i < min(n, from+atOnce); i++ {
			values := row(i)
			quoted := make([]string, len(values))
			for j, v := range values {
				quoted[j] = duck.Text(v)
			}
			rows = append(rows, "("+strings.Join(quoted, ", ")+")")
		}
		if _, err := db.Exec(ctx, "INSERT INTO "+name+" VALUES "+strings.Join(rows, ", ")); err != nil {
			return err
		}
	}
	return nil
}

// Drop drops temporary tables. It ignores errors: a table that stays is replaced by the next one of its name.
func Drop(ctx context.Context, db *duck.DB, names ...string) {
	if len(names) > 0 {
		_, _ = db.Exec(context.WithoutCancel(ctx), "DROP TABLE IF EXISTS "+strings.Join(names, "; DROP TABLE IF EXISTS "))
	}
}
