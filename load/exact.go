package load

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"aqueduck/load/internal/duck"
)

// column is one column of an answer.
type column struct{ name, kind string }

// decimal inside a list or struct stays with the driver: to_json makes a float of it.
var (
	nested  = regexp.MustCompile(`^(STRUCT|MAP|UNION)\(|\[[0-9]*\]$`)
	decimal = regexp.MustCompile(`\bDECIMAL\(`)
	inner   = regexp.MustCompile(`\bJSON\b`)
)

// form says how to ask for a column whose Go value would be less than what is stored, in SQL with %s for the column,
// and what to make of the text that comes; "" for a column that is right as it is. The driver decodes JSON into floats,
// which lose integers beyond 2^53, forgets the order of a struct, and makes instants of dates and bytes of UUIDs.
func (c column) form() (sql string, give func(text string) any) {
	switch {
	case c.kind == "JSON":
		return "%s::VARCHAR", rawJSON
	case nested.MatchString(c.kind) && (inner.MatchString(c.kind) || !decimal.MatchString(c.kind)):
		return "to_json(%s)::VARCHAR", rawJSON
	case strings.HasPrefix(c.kind, "DECIMAL("):
		return "%s::VARCHAR", func(text string) any { return json.Number(text) }
	case slices.Contains([]string{"TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"}, c.kind):
		return "replace(%s::VARCHAR, ' ', 'T')", sameText
	case slices.Contains([]string{"DATE", "TIME", "TIME_NS", "TIME WITH TIME ZONE", "INTERVAL", "UUID", "BLOB"}, c.kind):
		return "%s::VARCHAR", sameText
	}
	return "", nil
}

func sameText(text string) any { return text }

func rawJSON(text string) any {
	if !json.Valid([]byte(text)) { // NaN inside a list, which JSON has no word for
		return text
	}
	return json.RawMessage(text)
}

// describe gives the columns of a statement; none for one that DESCRIBE does not take, like EXPLAIN or DESCRIBE itself.
func describe(ctx context.Context, db *duck.DB, statement string) []column {
	var columns []column
	err := db.Each(ctx, "DESCRIBE "+statement, nil, func(rows *sql.Rows) error {
		var c column
		var rest [4]any
		err := rows.Scan(&c.name, &c.kind, &rest[0], &rest[1], &rest[2], &rest[3])
		columns = append(columns, c)
		return err
	})
	if err != nil || !slices.ContainsFunc(columns, column.formed) {
		return nil
	}
	return columns
}

// exactly gives the statement to run so that its columns come in the forms that keep them exact: itself, or one on a view
// of it. A statement that cannot be a view, like a PIVOT that finds its columns while it runs, stays as it is.
func exactly(ctx context.Context, db *duck.DB, statement string, columns []column) string {
	if len(columns) == 0 {
		return statement
	}
	var names, asked []string
	for i, c := range columns {
		name := fmt.Sprintf("c%d", i) // the statement's own names need not be unique
		form, give := c.form()
		if give == nil {
			form = "%s"
		}
		names, asked = append(names, name), append(asked, fmt.Sprintf(form, name))
	}
	if _, err := db.Exec(ctx, "CREATE TEMP VIEW answer("+strings.Join(names, ", ")+") AS "+statement); err != nil {
		return statement
	}
	return "SELECT " + strings.Join(asked, ", ") + " FROM temp.answer"
}

func (c column) formed() bool {
	_, give := c.form()
	return give != nil
}

// value is what Query gives for what the wrapped statement gave.
func (c column) value(v any) any {
	if text, ok := v.(string); ok {
		if _, give := c.form(); give != nil {
			return give(text)
		}
	}
	return v
}
