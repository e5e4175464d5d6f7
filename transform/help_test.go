package transform

import (
	"fmt"
	"testing"
	"time"
	"unicode/utf8"

	"aqueduck/schemas"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// readAt is the server's time in all tests.
var readAt = time.Date(2026, 11, 3, 2, 0, 0, 0, time.UTC)

func newColumn(name string, t schemas.Type, from ...string) schemas.Column {
	if len(from) == 0 {
		from = []string{name}
	}
	return schemas.Column{Name: name, Type: t, From: from}
}

// thingStream is a stream with a column of each type, a flattened object, free JSON and two child tables.
func thingStream() *schemas.Stream {
	return &schemas.Stream{
		Name: "things", Table: "things", Doc: "One row per thing.", Key: []string{"id"}, Newest: "at",
		Ignore: [][]string{{"type"}, {"tags", "data", "type"}},
		Columns: []schemas.Column{
			newColumn("id", schemas.Text),
			newColumn("t", schemas.Text),
			newColumn("i", schemas.Int),
			newColumn("d", schemas.Double),
			newColumn("b", schemas.Bool),
			newColumn("at", schemas.Timestamp),
			newColumn("day", schemas.Date),
			newColumn("j", schemas.JSON),
			newColumn("jk", schemas.Text, "j", "k"),
			newColumn("city", schemas.Text, "place", "city"),
			newColumn("zip", schemas.Text, "place", "post", "zip"),
			{Name: "link", Type: schemas.Text, From: []string{"link"}, As: "url"},
			newColumn("body", schemas.Text),
			{Name: "body_text", Type: schemas.Text, From: []string{"body"}, As: "plain_text"},
			{Name: "has_words", Type: schemas.Bool, From: []string{"body"}, As: "has_text"},
		},
		Children: []schemas.Child{
			{
				Table: "thing_tags", Doc: "One row per tag.", From: []string{"tags", "data"}, Key: []string{"thing_id", "tag_id"}, Complete: true,
				Count: []string{"tags", "total_count"}, Rest: []string{"tags", "url"},
				Columns: []schemas.Column{
					newColumn("thing_id", schemas.Text, schemas.FromParent, "id"),
					newColumn("tag_id", schemas.Text, "id"),
					newColumn("name", schemas.Text),
					newColumn("set_at", schemas.Timestamp),
				},
			},
			{
				Table: "thing_parts", Doc: "One row per part.", From: []string{"parts"}, Key: []string{"thing_id", "position"},
				Columns: []schemas.Column{
					newColumn("thing_id", schemas.Text, schemas.FromParent, "id"),
					newColumn("position", schemas.Int, schemas.FromPosition),
					newColumn("read_at", schemas.Timestamp, schemas.FromReadAt),
					newColumn("body", schemas.Text),
				},
			},
		},
	}
}

// testDecoder is a decoder with its memory watched.
type testDecoder struct {
	testing.TB
	*Decoder
}

func newTestDecoder(t testing.TB, s *schemas.Stream, o Options) testDecoder {
	t.Helper()
	d, err := NewDecoder(s, o)
	if err != nil {
		t.Fatal(err)
	}
	return testDecoder{t, d}
}

func (b testDecoder) appendAll(records ...string) testDecoder {
	b.Helper()
	for _, r := range records {
		if err := b.Append([]byte(r), Meta{ReadAt: readAt}); err != nil {
			b.Fatalf("%s: %v", r, err)
		}
	}
	return b
}

// takeRows gives the rows of the next batches, by table; a column that is NULL is not there.
func (b testDecoder) takeRows() map[string][]map[string]any {
	b.Helper()
	all := map[string][]map[string]any{}
	for _, batch := range b.Take() {
		all[batch.Table.Name] = rowsOf(b, batch.Rows)
		batch.Rows.Release()
	}
	return all
}

// onlyRow gives the only row of the stream's own table.
func (b testDecoder) onlyRow() map[string]any {
	b.Helper()
	rows := b.takeRows()[b.plans[0].table.Name]
	if len(rows) != 1 {
		b.Fatalf("%d rows, rejected %+v", len(rows), b.Rejects())
	}
	return rows[0]
}

// rejectLines gives the rejects as "table column reason count", with " whole" for those of whole records.
func (b testDecoder) rejectLines() []string {
	list := []string{}
	for _, r := range b.Rejects() {
		line := fmt.Sprintf("%s %s %s %d", r.Table, r.Column, r.Reason, r.Count)
		if r.Raw != nil {
			line += " whole"
		}
		list = append(list, line)
	}
	return list
}

func rowsOf(t testing.TB, batch arrow.RecordBatch) []map[string]any {
	t.Helper()
	rows := make([]map[string]any, batch.NumRows())
	for r := range rows {
		rows[r] = map[string]any{}
		for c := range int(batch.NumCols()) {
			if column := batch.Column(c); !column.IsNull(r) && batch.ColumnName(c) != AbsentColumn {
				rows[r][batch.ColumnName(c)] = cellValue(t, column, r)
			}
		}
	}
	return rows
}

func cellValue(t testing.TB, column arrow.Array, r int) any {
	switch a := column.(type) {
	case *array.String:
		if !utf8.ValidString(a.Value(r)) {
			t.Errorf("%q is not UTF-8", a.Value(r))
		}
		return a.Value(r)
	case *array.Int64:
		return a.Value(r)
	case *array.Float64:
		return a.Value(r)
	case *array.Boolean:
		return a.Value(r)
	case *array.Timestamp:
		return a.Value(r).ToTime(arrow.Microsecond).Format(time.RFC3339Nano)
	case *array.Date32:
		return a.Value(r).ToTime().Format(time.DateOnly)
	}
	t.Fatalf("no test reads %s", column.DataType())
	return nil
}
