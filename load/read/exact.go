package read

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"aqueduck/load/internal/duck"
)

// answerColumn is one column of an answer, and how its values are converted without loss.
type answerColumn struct {
	name string
	kind string                // its type in the answer
	form string                // SQL that selects it, with %s for the column
	give func(text string) any // converts the selected text to what Query gives; nil: no conversion
}

// A decimal inside a list or struct is left to the driver: to_json makes a float of it.
var (
	nestedType    = regexp.MustCompile(`^(STRUCT|MAP|UNION)\(|\[[0-9]*\]$`)
	decimalType   = regexp.MustCompile(`\bDECIMAL\(`)
	scalarDecimal = regexp.MustCompile(`^DECIMAL\([0-9,]+\)$`)
	jsonInside    = regexp.MustCompile(`\bJSON\b`)
)

// columnOf chooses the conversion for a type that the driver's Go value would damage: the driver decodes JSON into
// floats, which lose integers beyond 2^53, loses the order of a struct's fields, makes instants of dates and bytes of
// UUIDs.
func columnOf(name, kind string) answerColumn {
	c := answerColumn{name: name, kind: kind, form: "%s"}
	switch {
	case kind == "JSON":
		c.form, c.give = "%s::VARCHAR", rawJSON
	case nestedType.MatchString(kind) && (jsonInside.MatchString(kind) || !decimalType.MatchString(kind)):
		c.form, c.give = "to_json(%s)::VARCHAR", rawJSON
	case scalarDecimal.MatchString(kind):
		c.form, c.give = "%s::VARCHAR", func(text string) any { return json.Number(text) }
	case slices.Contains([]string{"TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"}, kind):
		c.form, c.give = "replace(%s::VARCHAR, ' ', 'T')", sameText
	case slices.Contains([]string{"DATE", "TIME", "TIME_NS", "TIME WITH TIME ZONE", "INTERVAL", "UUID", "BLOB"}, kind):
		c.form, c.give = "%s::VARCHAR", sameText
	}
	return c
}

func sameText(text string) any { return text }

func rawJSON(text string) any {
	if !json.Valid([]byte(text)) { // for example NaN inside a list, which JSON cannot express
		return text
	}
	return json.RawMessage(text)
}

// exactStatement gives the statement to run so that no column loses precision: a SELECT on a temporary view of the
// statement, with its columns, and done, which drops the view. It gives the statement itself and no columns where no
// column needs a conversion, and where it cannot be a view: EXPLAIN, DESCRIBE, a PIVOT that finds its columns while it
// runs. The view has a random name, since a temporary view would hide a table of the same name.
func exactStatement(ctx context.Context, db *duck.DB, statement string) (_ string, _ []answerColumn, done func() error) {
	done = func() error { return nil }
	columns, err := describeColumns(ctx, db, statement)
	if err != nil || !slices.ContainsFunc(columns, func(c answerColumn) bool { return c.give != nil }) {
		return statement, nil, done
	}
	var names, asked []string
	for i, c := range columns {
		name := fmt.Sprintf("c%d", i) // the statement's own names need not be unique
		names, asked = append(names, name), append(asked, fmt.Sprintf(c.form, name))
	}
	view := duck.Name("answer_" + rand.Text())
	if _, err := db.Exec(ctx, "CREATE TEMP VIEW "+view+"("+strings.Join(names, ", ")+") AS "+statement); err != nil {
		return statement, nil, done
	}
	return "SELECT " + strings.Join(asked, ", ") + " FROM temp." + view, columns, func() error {
		_, err := db.Exec(context.WithoutCancel(ctx), "DROP VIEW temp."+view)
		return err
	}
}

func describeColumns(ctx context.Context, db *duck.DB, statement string) (columns []answerColumn, err error) {
	err = db.Each(ctx, "DESCRIBE "+statement, nil, func(rows *sql.Rows) error {
		var name, kind string
		var rest [4]any
		err := rows.Scan(&name, &kind, &rest[0], &rest[1], &rest[2], &rest[3])
		columns = append(columns, columnOf(name, kind))
		return err
	})
	return columns, err
}

func (c answerColumn) exactValue(v any) any {
	if text, ok := v.(string); ok && c.give != nil {
		return c.give(text)
	}
	return v
}
