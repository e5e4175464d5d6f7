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

// forms says how to ask for columns whose Go values would be less than what is stored: the driver decodes JSON into
// floats, which lose integers beyond 2^53, and makes instants of dates and bytes of UUIDs.
var forms = []struct {
	kind *regexp.Regexp
	form string // SQL, %s is the column
	give func(text string) any
}{
	{regexp.MustCompile(`^JSON$`), "%s::VARCHAR", rawJSON},
	{regexp.MustCompile(`^(STRUCT|MAP|UNION|JSON)\b.*\bJSON\b|^JSON\[`), "to_json(%s)::VARCHAR", rawJSON},
	{regexp.MustCompile(`^DECIMAL\([0-9,]+\)$`), "%s::VARCHAR", func(text string) any { return json.Number(text) }},
	{regexp.MustCompile(`^TIMESTAMP(_S|_MS|_NS)?$`), "replace(%s::VARCHAR, ' ', 'T')", sameText},
	{regexp.MustCompile(`^(DATE|TIME|TIME_NS|TIME WITH TIME ZONE|INTERVAL|UUID|BLOB)$`), "%s::VARCHAR", sameText},
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
	if err != nil || !slices.ContainsFunc(columns, func(c column) bool { return c.form() != "" }) {
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
		form := c.form()
		if form == "" {
			form = "%s"
		}
		names, asked = append(names, name), append(asked, fmt.Sprintf(form, name))
	}
	if _, err := db.Exec(ctx, "CREATE TEMP VIEW answer("+strings.Join(names, ", ")+") AS "+statement); err != nil {
		return statement
	}
	return "SELECT " + strings.Join(asked, ", ") + " FROM temp.answer"
}

func (c column) form() string {
	for _, f := range forms {
		if f.kind.MatchString(c.kind) {
			return f.form
		}
	}
	return ""
}

// value is what Query gives for what the wrapped statement gave.
func (c column) value(v any) any {
	text, ok := v.(string)
	if !ok {
		return v
	}
	for _, f := range forms {
		if f.kind.MatchString(c.kind) {
			return f.give(text)
		}
	}
	return v
}
