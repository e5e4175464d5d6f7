package transform

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"aqueduck/schemas"

	"github.com/google/go-cmp/cmp"
)

// rowHashes gives _hash of the record's own row.
func rowHashes(t *testing.T, s *schemas.Stream, records ...string) []int64 {
	t.Helper()
	var list []int64
	for _, row := range newTestDecoder(t, s, Options{}).appendAll(records...).takeRows()[s.Table] {
		list = append(list, row[HashColumn].(int64))
	}
	return list
}

func TestHashIsOfContent(t *testing.T) {
	t.Parallel()
	base := `{"id":"1","t":"a","i":1,"at":1700000000,"place":{"city":"c","x":1},"y":2,"tags":{"data":[{"id":"1","name":"n"},{"id":"2"}]},"parts":[{"body":"p"}]}`
	same := []string{
		`{"y":2,"tags":{"data":[{"name":"n","id":"1"},{"id":"2"}]},"place":{"x":1,"city":"c"},"at":1700000000,"i":1,"t":"a","id":"1"}`,               // order of fields
		`{"id":"1","t":"a","i":1.0,"at":"2023-11-14T22:13:20Z","place":{"city":"c","x":1},"y":2,"tags":{"data":[{"id":"2"},{"id":"1","name":"n"}]}}`, // order of items, an incomplete list
		`{"id":1,"t":"\u0061","i":"1","b":null,"at":1700000000,"place":{"city":"c","x": 1},"y":2,"tags":{"data":[null,{"id":"1","name":"n"},{"id":2}]},"parts":[{"body":"p"}]}`,
	}
	other := []string{
		`{"id":"2","t":"a","i":1,"at":1700000000,"place":{"city":"c","x":1},"y":2,"tags":{"data":[{"id":"1","name":"n"},{"id":"2"}]}}`,
		`{"id":"1","t":"b","i":1,"at":1700000000,"place":{"city":"c","x":1},"y":2,"tags":{"data":[{"id":"1","name":"n"},{"id":"2"}]}}`,
		`{"id":"1","t":"a","i":1,"at":1700000000,"place":{"city":"c","x":1},"y":3,"tags":{"data":[{"id":"1","name":"n"},{"id":"2"}]}}`,
		`{"id":"1","t":"a","i":1,"at":1700000000,"place":{"city":"c","x":1},"y":2,"tags":{"data":[{"id":"1","name":"m"},{"id":"2"}]}}`,
		`{"id":"1","t":"a","i":1,"at":1700000000,"place":{"city":"c","x":1},"y":2,"tags":{"data":[{"id":"1","name":"n"}]}}`,
		`{"id":"1","t":"a","i":1,"at":1700000000,"place":{"city":"c","x":1},"y":2,"tags":{"data":[{"id":"1"},{"id":"2","name":"n"}]}}`,
		`{"id":"1","body":"a","i":1,"at":1700000000,"place":{"city":"c","x":1},"y":2,"tags":{"data":[{"id":"1","name":"n"},{"id":"2"}]}}`,
		`{"id":"1"}`,
	}
	want := rowHashes(t, thingStream(), base)[0]
	for i, got := range rowHashes(t, thingStream(), same...) {
		if got != want {
			t.Errorf("%s: another hash", same[i])
		}
	}
	seen := map[int64]bool{want: true}
	for i, got := range rowHashes(t, thingStream(), other...) {
		if seen[got] {
			t.Errorf("%s: the same hash", other[i])
		}
		seen[got] = true
	}
}

func TestT47VolatileColumnsAreNoChange(t *testing.T) {
	t.Parallel()
	s := thingStream()
	s.Columns[1].Volatile = true
	if got := rowHashes(t, s, `{"id":"1","t":"a"}`, `{"id":"1","t":"b"}`); got[0] != got[1] {
		t.Error("a volatile column changed the hash")
	}
}

func TestTakeBeginsNewBatches(t *testing.T) {
	t.Parallel()
	b := newTestDecoder(t, thingStream(), Options{})
	for round := range 3 {
		for i := range 1000 {
			b.appendAll(fmt.Sprintf(`{"id":"%d","t":"x%d","b":%v,"tags":{"data":[{"id":"%d"}]}}`, i, round, i%3 == 0, i))
		}
		if b.Records() != 1000 || b.Bytes() < 1000*100 {
			t.Errorf("%d records, %d bytes", b.Records(), b.Bytes())
		}
		rows := b.takeRows()
		if b.Records() != 0 || b.Bytes() != 0 {
			t.Errorf("%d records, %d bytes after Take", b.Records(), b.Bytes())
		}
		for i, row := range rows["things"] {
			delete(row, HashColumn)
			want := map[string]any{"_row": int64(i), "id": fmt.Sprint(i), "t": fmt.Sprintf("x%d", round), "b": i%3 == 0, "_api_version": ""}
			if diff := cmp.Diff(want, row); diff != "" {
				t.Fatal(diff)
			}
		}
		if tags := rows["thing_tags"]; len(tags) != 1000 || tags[999]["_row"] != int64(999) || tags[999]["thing_id"] != "999" {
			t.Errorf("%d tags", len(tags))
		}
	}
	if got := b.takeRows(); len(got) != 3 || len(got["things"]) != 0 {
		t.Errorf("nothing more: %v", got)
	}
}

// TestBatchesStayAsTheyAre keeps a batch while others are built: its memory must not be reused before its release.
func TestBatchesStayAsTheyAre(t *testing.T) {
	t.Parallel()
	b := newTestDecoder(t, thingStream(), Options{})
	var held [][]Batch
	for round := range 4 {
		for i := range 300 {
			b.appendAll(fmt.Sprintf(`{"id":"%d-%d","i":%d}`, round, i, round))
		}
		held = append(held, b.Take())
		if round == 1 {
			for _, batch := range held[0] {
				batch.Rows.Release()
			}
		}
	}
	for round := 1; round < len(held); round++ {
		for i, row := range rowsOf(t, held[round][0].Rows) {
			if row["id"] != fmt.Sprintf("%d-%d", round, i) || row["i"] != int64(round) {
				t.Fatalf("round %d: row %v", round, row)
			}
		}
		for _, batch := range held[round] {
			batch.Rows.Release()
		}
	}
	if b.emitter.memory.out != 0 {
		t.Errorf("%d buffers did not come back", b.emitter.memory.out)
	}
}

func TestGone(t *testing.T) {
	t.Parallel()
	s := thingStream()
	s.Absent = "gone"
	s.Columns = append(s.Columns, newColumn("asked", schemas.Text, schemas.FromOver), newColumn("read_at", schemas.Timestamp, schemas.FromReadAt))
	b := newTestDecoder(t, s, Options{APIVersion: "v"}).appendAll(`{"id":"1"}`)
	b.AppendGone("2", Meta{ReadAt: readAt, Over: "2"})
	b.AppendGone("2", Meta{ReadAt: readAt.Add(time.Hour), Over: "2"})
	rows := b.takeRows()["things_all"]
	if len(rows) != 3 || rows[1][HashColumn] == rows[2][HashColumn] {
		t.Fatalf("rows %v", rows)
	}
	delete(rows[1], HashColumn)
	want := map[string]any{"_row": int64(1), "id": "2", "asked": "2", "read_at": "2026-11-03T02:00:00Z", "_gone_at": "2026-11-03T02:00:00Z", "_api_version": "v"}
	if diff := cmp.Diff(want, rows[1]); diff != "" {
		t.Error(diff)
	}
	if rows[0][GoneColumn] != nil {
		t.Errorf("a record that is there: %v", rows[0])
	}
}

// Holds: F13.
func TestT33AbsentColumns(t *testing.T) {
	t.Parallel()
	b := newTestDecoder(t, thingStream(), Options{Drop: []string{"body"}}).appendAll(`{"id":"1","t":null,"i":1,"d":1,"b":true,"day":"2024-01-01"}`, `{"id":"2","at":1700000000,"j":{},"place":{"zip":1}}`)
	names, records := b.AbsentColumns()
	if diff := cmp.Diff([]string{"t", "jk", "city", "zip", "link"}, names); diff != "" || records != 2 {
		t.Errorf("%d records, %s", records, diff)
	}
}

func TestTablesOfAStream(t *testing.T) {
	t.Parallel()
	s := thingStream()
	s.Absent = "gone"
	tables := Tables(s)
	own, tags := tables[0], tables[1]
	if own.Name != "things_all" || own.View != "things" || !own.Gone || own.Columns[0].SQL != "VARCHAR" || len(own.Columns) != len(s.Columns)+6 {
		t.Errorf("%+v", own)
	}
	if tags.Parent != "things_all" || !tags.Complete || tags.Gone || tags.Columns[0].Path != nil || !cmp.Equal(tags.ParentKey, []string{"thing_id"}) {
		t.Errorf("%+v", tags)
	}
	for i, batch := range newTestDecoder(t, s, Options{}).Take() {
		stored := tables[i].Columns[:len(tables[i].Columns)-2]
		for j, c := range stored {
			if f := batch.Rows.Schema().Field(j + 1); f.Name != c.Name || f.Type.ID() != c.Arrow.ID() {
				t.Errorf("%s: %v is not %+v", tables[i].Name, f, c)
			}
		}
		batch.Rows.Release()
	}
}

// TestBuiltinStreamsCompile compiles all built-in stream files.
func TestBuiltinStreamsCompile(t *testing.T) {
	t.Parallel()
	catalogue, err := schemas.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range catalogue.Streams() {
		if _, err := NewDecoder(s, Options{}); err != nil {
			t.Error(err)
		}
	}
}

func TestContactsLeaveNothingInExtra(t *testing.T) {
	t.Parallel()
	b := newTestDecoder(t, builtinStream(t, "contacts"), Options{}).appendAll(string(sampleContact(1)))
	for table, rows := range b.takeRows() {
		for _, row := range rows {
			if row[ExtraColumn] != nil {
				t.Errorf("%s: %v", table, row[ExtraColumn])
			}
		}
	}
	if got := b.rejectLines(); len(got) > 0 {
		t.Error(got)
	}
}

func TestDecodingAllocatesNothing(t *testing.T) {
	record := sampleContact(7)
	d, err := NewDecoder(builtinStream(t, "contacts"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	decode := func() {
		for range 2000 {
			if err := d.Append(record, Meta{ReadAt: readAt}); err != nil {
				t.Fatal(err)
			}
		}
		for _, batch := range d.Take() {
			batch.Rows.Release()
		}
	}
	decode()
	runtime.GC()
	// What is left are the headers of five batches.
	if per := testing.AllocsPerRun(5, decode) / 2000; per > 1 {
		t.Errorf("%.2f allocations a record", per)
	}
}
