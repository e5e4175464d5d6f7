package load_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"aqueduck/internal/sandbox"
	"aqueduck/load/failure"
	"aqueduck/load/read"
)

func TestMain(m *testing.M) {
	if sandbox.IsTaskProcess() {
		os.Exit(sandbox.Serve(read.Tasks()))
	}
	os.Exit(m.Run())
}

func newIsolation(t *testing.T) read.Isolation {
	t.Helper()
	program, err := sandbox.CurrentProgram()
	must(t, err)
	return read.Isolation{Program: program}
}

// TestIsolationGivesWhatQueryGives asks for values of all types here and in another process: names, values and their types are the same.
func TestIsolationGivesWhatQueryGives(t *testing.T) {
	t.Parallel()
	file := publishedWarehouse(t).dir.Current()
	for _, statement := range []string{
		`SELECT NULL AS a, true AS a, false, 1::TINYINT, -2::SMALLINT, 3::INTEGER, -9007199254740993::BIGINT, 1::UTINYINT, 2::USMALLINT, 3::UINTEGER, 18446744073709551615::UBIGINT,
			170141183460469231731687303715884105727, 1.5::FLOAT, 'nan'::DOUBLE, '-inf'::DOUBLE, 0.1::DOUBLE, 12345678901234567890.10 AS decimal`,
		`SELECT 'ä' || chr(0) || '"', ''::VARCHAR, '\xAA\x00'::BLOB, '{"n": 9007199254740993}'::JSON, DATE '2024-02-29', TIMESTAMP '1969-12-31 23:59:59.999999',
			TIMESTAMPTZ '0044-03-15 (BC) 12:00:00+00', TIMESTAMPTZ '2024-02-29 10:00:00.5+02', TIME '24:00:00', INTERVAL '1 month 2 days', uuid() = uuid(), '101'::BIT, 'a'::ENUM('a', 'b')`,
		`SELECT [1, NULL], [[1.5]], {'b': 1, 'a': {'c': [DATE '2024-02-29']}}, MAP {'a': 1.5}, [12345678901234567890.10], {'a': 1.10, 'b': [2.20]}, [1, 2]::INTEGER[2], []`,
		"EXPLAIN SELECT 1", "DESCRIBE people", "SUMMARIZE people", "FROM people", "SELECT 1 WHERE false", "SELECT 1 AS a, 2 AS a",
	} {
		type visit struct {
			Columns []string
			Values  []string
		}
		gather := func(into *[]visit) func([]string, []any) error {
			return func(columns []string, row []any) error {
				v := visit{Columns: slices.Clone(columns)}
				for _, value := range row {
					v.Values = append(v.Values, typedText(value))
				}
				*into = append(*into, v)
				return nil
			}
		}
		var here, there []visit
		must(t, read.Query(t.Context(), file, statement, gather(&here)))
		must(t, newIsolation(t).Query(t.Context(), file, statement, gather(&there)))
		if diff := cmp.Diff(here, there); diff != "" {
			t.Errorf("%s (-here +there):\n%s", statement, diff)
		}
	}
}

// typedText is a value with its type, where a type is its own; what has none but the driver's is what is printed of it.
func typedText(v any) string {
	switch v := v.(type) {
	case fmt.Stringer:
		return v.String()
	case []any, map[string]any:
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("%T %[1]v", v)
}

func TestIsolationGivesParquet(t *testing.T) {
	t.Parallel()
	file := publishedWarehouse(t).dir.Current()
	var here, there bytes.Buffer
	ready := false
	must(t, read.Parquet(t.Context(), file, "FROM people ORDER BY ALL", func() {}, &here))
	must(t, newIsolation(t).Parquet(t.Context(), file, "FROM people ORDER BY ALL", func() { ready = true }, &there))
	if !ready || here.Len() == 0 || !bytes.Equal(here.Bytes(), there.Bytes()) {
		t.Errorf("ready %t, %d bytes, want %d", ready, there.Len(), here.Len())
	}
}

// TestIsolationKeepsTheKindsOfErrors checks that errors from the other process can be told apart.
func TestIsolationKeepsTheKindsOfErrors(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test runs it: the race detector itself takes more memory than a statement may have")
	}
	file, in := publishedWarehouse(t).dir.Current(), newIsolation(t)
	for _, tc := range []struct {
		path, sql string
		want      error
	}{
		{"", "SELECT 1", failure.ErrNothingPublished},
		{t.TempDir() + "/none.duckdb", "SELECT 1", failure.ErrUnreadable},
		{file, "DELETE FROM people_all", read.ErrReadOnly},
		{file, "SELECT repeat('x', 130 * 1024 * 1024)", failure.ErrQueryRow},
	} {
		err := in.Query(t.Context(), tc.path, tc.sql, func([]string, []any) error { return nil })
		if !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", tc.sql, err, tc.want)
		}
	}
	var refused *read.Refused
	if err := in.Query(t.Context(), file, "SELECT 1,\nsleep_ms(1)", nil); !errors.As(err, &refused) || refused.Name != "sleep_ms" || refused.Line != 2 {
		t.Errorf("error %v", err)
	}
	if err := in.Query(t.Context(), file, "SELECT nme FROM people", nil); err == nil || err.Error() != read.Query(t.Context(), file, "SELECT nme FROM people", nil).Error() {
		t.Errorf("error %v", err)
	}
	enough := errors.New("enough")
	if err := in.Query(t.Context(), file, "FROM range(1000000)", func([]string, []any) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("error %v", err)
	}
}

// TestS51TheLimitsHoldInsideOneFunction has functions that hear of no interruption, and some that take memory that DuckDB does not count.
func TestS51TheLimitsHoldInsideOneFunction(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test runs it: the race detector itself takes more memory than a statement may have")
	}
	file, in := publishedWarehouse(t).dir.Current(), newIsolation(t)
	in.Memory = read.LeastMemory
	for _, sql := range []string{
		"SELECT length(repeat('x', 3000000000))",
		"SELECT len(list_sort(range(200000000)))",
		"FROM range(3000000) SELECT range, repeat('abcdefghijklmnopqrstuvwxyz', 30) || range",
		"SELECT list(range) FROM range(100000000)",
	} {
		if err := in.Query(t.Context(), file, sql, func([]string, []any) error { return nil }); !errors.Is(err, failure.ErrQueryMemory) {
			t.Errorf("%s: %v, want ErrMemory", sql, err)
		}
		if err := in.Parquet(t.Context(), file, sql, func() {}, &bytes.Buffer{}); !errors.Is(err, failure.ErrQueryMemory) {
			t.Errorf("%s as Parquet: %v, want ErrMemory", sql, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	began := time.Now()
	err := in.Query(ctx, file, "SELECT levenshtein(repeat('ab', 1000000), repeat('ba', 1000000))", func([]string, []any) error { return nil })
	if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > 20*time.Second {
		t.Errorf("error %v after %s", err, took)
	}
}

// TestS50AStatementThatCrashesDuckDBIsAnError runs a statement that overflows the stack: in this process it would end the
// tests.
func TestS50AStatementThatCrashesDuckDBIsAnError(t *testing.T) {
	t.Parallel()
	err := newIsolation(t).Query(t.Context(), publishedWarehouse(t).dir.Current(), "SELECT json_structure(repeat('[', 1000000) || repeat(']', 1000000))", func([]string, []any) error { return nil })
	if !errors.Is(err, failure.ErrQueryFault) {
		t.Errorf("error %v, want ErrFault", err)
	}
}
