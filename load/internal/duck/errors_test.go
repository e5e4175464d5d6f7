package duck_test

import (
	"strings"
	"testing"

	"aqueduck/load/internal/duck"
)

// TestS2ErrorsOfTheDatabaseHoldNoValue makes DuckDB complain of values that it has read, in each way that quotes them. What it says of names stays.
func TestS2ErrorsOfTheDatabaseHoldNoValue(t *testing.T) {
	t.Parallel()
	db, err := duck.Open(t.Context(), duck.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(t.Context(), `CREATE TABLE t AS SELECT 'rosa ''canary'' "x" canary' AS s, E'rosa\ncanary' AS m, '{"canary": canary' AS j, 998877665544 AS n`); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{
		"s::INTEGER", "m::INTEGER", "m::DATE", "strptime(m, '%Y')", "s::BIGINT", "s::DOUBLE", "s::DECIMAL(5,2)", "s::DATE", "s::TIMESTAMP", "s::TIMESTAMPTZ", "s::TIME", "s::UUID", "s::BOOLEAN", "s::INTERVAL",
		"s::BLOB::BIT", "s::INTEGER[]", "s::STRUCT(a INT)", "s::ENUM('a', 'b')", "j::JSON", "json_extract(j, '$.a')", "json_transform(j, '{\"a\": \"INTEGER\"}')",
		"strptime(s, '%Y')", "s::INET", "n::INTEGER", "n::TINYINT", "n * n * n", "timezone(s, now())", "date_part(s, now())",
		"chr(n::BIGINT::INTEGER)", "make_date(n::BIGINT, 1, 1)", "unhex(s)", "from_base64(s)",
	} {
		_, err := db.Exec(t.Context(), "CREATE OR REPLACE TEMP TABLE x AS SELECT "+query+" AS v FROM t")
		if err != nil && (strings.Contains(err.Error(), "canary") || strings.Contains(err.Error(), "998877665544")) {
			t.Errorf("%s: %v", query, err)
		}
	}
	for query, want := range map[string]string{
		"s::INTEGER": "Conversion Error: Could not convert string [value] to INT32 when casting from source column s",
		"n::TINYINT": "Conversion Error: Type INT64 with value [value] cannot be cast because the value is out of range for the destination type INT8 when casting from source column n",
		"s.canary":   `Binder Error: Cannot extract field 'canary' from expression "s"`,
	} {
		if err := db.Scan(t.Context(), "SELECT max("+query+") FROM t", nil, new(any)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", query, err, want)
		}
	}
}
