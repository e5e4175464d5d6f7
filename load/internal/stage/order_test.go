package stage

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// batchOf makes a batch with a number, a text, which every third row lacks, and a time for each row.
func batchOf(t *testing.T, times []int64) arrow.RecordBatch {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{{Name: "_row", Type: arrow.PrimitiveTypes.Int64}, {Name: "name", Type: arrow.BinaryTypes.String},
		{Name: "updated_at", Type: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for i, at := range times {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		if name := b.Field(1).(*array.StringBuilder); i%3 == 0 {
			name.AppendNull()
		} else {
			name.Append("name " + strconv.Itoa(i))
		}
		b.Field(2).(*array.TimestampBuilder).Append(arrow.Timestamp(at))
	}
	batch := b.NewRecordBatch()
	t.Cleanup(batch.Release)
	return batch
}

// readRows reads a batch as it is staged: each row as text, and the times.
func readRows(t *testing.T, batch arrow.RecordBatch) (rows []string, times []int64) {
	t.Helper()
	reader, err := newReader(batch, "updated_at")
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Release()
	for reader.Next() {
		piece := reader.RecordBatch()
		for i := range int(piece.NumRows()) {
			at := piece.Column(2).(*array.Timestamp).Value(i)
			rows = append(rows, fmt.Sprint(piece.Column(0).ValueStr(i), piece.Column(1).ValueStr(i), at))
			times = append(times, int64(at))
		}
	}
	if err := reader.Err(); err != nil {
		t.Fatal(err)
	}
	return rows, times
}

// Pages of windows that are read side by side alternate in a batch. Their rows are staged in the order of their times, each with its own values.
func TestPagesOfWindowsAreStagedInOrderOfTime(t *testing.T) {
	const windows, pages, page = 7, 40, 50
	var times []int64
	for p := range pages {
		for w := range windows {
			// The windows do not take turns in the order of their times: some pages are followed by one of a later window.
			of := (w*3 + p) % windows
			for i := range page {
				times = append(times, int64(of)*int64(time.Hour)+int64(p*page+i))
			}
		}
	}
	batch := batchOf(t, times)
	rows, staged := readRows(t, batch)
	if !slices.IsSorted(staged) {
		t.Error("the rows are not in the order of their times")
	}
	var want []string
	for i, at := range times {
		want = append(want, fmt.Sprint(i, batch.Column(1).ValueStr(i), at))
	}
	slices.Sort(want)
	slices.Sort(rows)
	if !slices.Equal(rows, want) {
		t.Errorf("%d rows were staged with other values, or not all of %d", len(rows), len(want))
	}
}

// Rows without any order, whose runs are short, stay as they came: to move each by itself would cost more than it saves.
func TestRowsWithoutOrderAreStagedAsTheyCame(t *testing.T) {
	var times []int64
	for i := range int64(5_000) {
		times = append(times, i*7919%5_003)
	}
	if _, staged := readRows(t, batchOf(t, times)); !slices.Equal(staged, times) {
		t.Error("the rows were moved")
	}
}
