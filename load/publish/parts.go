package publish

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"time"

	"aqueduck/load/internal/duck"
	"aqueduck/transform"
)

// partBytes is the size that a part should have. A change of one row costs the encoding of its part, 1.3 CPU-seconds for
// 64 MB of contacts; readers open each part.
const partBytes = 64 << 20

// timeColumns are the columns that may decide on a row's part, in this order. The source's lists come in the order of the
// first two, so the rows of a part lie together in the file, and rows that change often come to lie in the last parts.
var timeColumns = [...]string{"updated_at", "created_at"}

const timeKind = "TIMESTAMP WITH TIME ZONE"

// partColumn is the column that decides on the parts of a table; "" where it has one part. Relations are only divided by
// columns that they take from a table: a range of a computed one would compute the whole relation for each part.
func partColumn(want lakeTable, columns []duck.StoredColumn) string {
	names := timeColumns[:]
	if want.stored {
		names = append(slices.Clone(names), transform.SyncedAtColumn)
	}
	for _, name := range names {
		if slices.Contains(columns, duck.StoredColumn{Name: name, Type: timeKind}) {
			return name
		}
	}
	return ""
}

func (l *lakeWriter) sourceOf(want lakeTable) rowSource {
	columns := l.columns[want.name]
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(want.taken, name) })
	return rowSource{table: duck.Table(l.schema.Name, want.name), column: partColumn(want, columns), columns: columns,
		digest: "hash(" + duck.Names("", names) + ")"}
}

// condition is the range as SQL.
func (r timeRange) condition(column string) string {
	column = duck.Name(column)
	switch {
	case r.from.IsZero() && r.to.IsZero():
		return "true"
	case r.from.IsZero():
		return column + " < " + instant(r.to) + " OR " + column + " IS NULL"
	case r.to.IsZero():
		return column + " >= " + instant(r.from)
	}
	return column + " >= " + instant(r.from) + " AND " + column + " < " + instant(r.to)
}

func instant(at time.Time) string { return fmt.Sprintf("make_timestamptz(%d)", at.UnixMicro()) }

// partContent is what a part has, or had.
type partContent struct {
	rows   int64
	digest string
}

// contents counts the rows of each part and sums up their digests: the sum changes when a row of the part does, comes or
// goes. from are the beginnings of the parts; the first one is that of the range.
func (s rowSource) contents(ctx context.Context, db *duck.DB, r timeRange, from []time.Time) ([]partContent, error) {
	found := make([]partContent, len(from))
	for i := range found {
		found[i].digest = "0"
	}
	query := fmt.Sprintf("SELECT %s AS part, count(*), coalesce(sum(%s), 0)::VARCHAR FROM %s WHERE %s GROUP BY ALL",
		numberOf(s.column, from, 0), s.digest, s.table, r.condition(s.column))
	err := db.Each(ctx, query, nil, func(rows *sql.Rows) error {
		var part int
		var c partContent
		if err := rows.Scan(&part, &c.rows, &c.digest); err != nil {
			return err
		}
		if part < 0 || part >= len(found) {
			return fmt.Errorf("a row is in part %d of %d", part, len(found))
		}
		found[part] = c
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("compare the rows with those of the Parquet files: %w", err)
	}
	return found, nil
}

// numberOf is the SQL that gives the number of a row's part, by bisection. NULL belongs to the first part.
func numberOf(column string, from []time.Time, first int) string {
	if len(from) < 2 {
		return strconv.Itoa(first)
	}
	half := len(from) / 2
	return fmt.Sprintf("CASE WHEN %s >= %s THEN %s ELSE %s END", duck.Name(column), instant(from[half]),
		numberOf(column, from[half:], first+half), numberOf(column, from[:half], first))
}

// sampleSize is the number of times that the limits of row groups are estimated from.
const sampleSize = 8192

// Times that may limit a part: the manifest writes years with four digits.
var (
	earliest = time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
)

// limits divides a range into up to n of about as many rows each, and gives the times between them, in order.
func (s rowSource) limits(ctx context.Context, db *duck.DB, r timeRange, n int) (limits []time.Time, err error) {
	if n < 2 {
		return nil, nil
	}
	// Limits are times that the manifest can write. A sample is enough, because they decide only how large the pieces are.
	if r.from.Before(earliest) {
		r.from = earliest
	}
	if r.to.IsZero() {
		r.to = latest
	}
	query := fmt.Sprintf("SELECT epoch_us(%[1]s) FROM (SELECT %[1]s FROM %[2]s WHERE %[3]s) USING SAMPLE reservoir(%[4]d ROWS) REPEATABLE (1)",
		duck.Name(s.column), s.table, r.condition(s.column), sampleSize)
	var sample []int64
	err = db.Each(ctx, query, nil, func(rows *sql.Rows) error {
		var at int64
		err := rows.Scan(&at)
		sample = append(sample, at)
		return err
	})
	if err != nil || len(sample) == 0 {
		return nil, err
	}
	// Equal times stay in one piece: no two pieces may share a time.
	slices.Sort(sample)
	last := sample[0]
	for i := 1; i < n; i++ {
		if at := sample[i*len(sample)/n]; at > last {
			limits, last = append(limits, time.UnixMicro(at).UTC()), at
		}
	}
	return limits, nil
}

// partState is an old part beside the rows that belong into it now.
type partState struct {
	rows   int64
	digest string // of these rows; "": not computed
	bytes  int64  // that these rows will take, by the size of the old ones
	dirty  bool   // the rows differ, or the file is damaged
}

// span is a number of neighbouring parts that are written again together.
type span struct{ first, end int }

// planSpans groups the dirty parts: neighbours are written together, so that their rows are divided anew. A dirty part
// that has become small takes a neighbour along, if both fit into one.
func planSpans(states []partState, target int64) (spans []span) {
	write := make([]bool, len(states))
	for i, s := range states {
		write[i] = write[i] || s.dirty
		if !s.dirty || s.bytes >= target/4 {
			continue
		}
		// A neighbour is written too, so that small parts do not become many.
		for _, n := range []int{i - 1, i + 1} {
			if n >= 0 && n < len(states) && s.bytes+states[n].bytes <= target {
				write[n] = true
				break
			}
		}
	}
	// Neighbours become one span.
	for i, w := range write {
		switch last := len(spans) - 1; {
		case w && last >= 0 && spans[last].end == i:
			spans[last].end++
		case w:
			spans = append(spans, span{i, i + 1})
		}
	}
	return spans
}
