package transform

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"aqueduck/schemas"

	"github.com/apache/arrow-go/v18/arrow/array"
)

// absentPaths gives, by table, the paths that each row of the next batches was sent without.
func (b testDecoder) absentPaths() map[string][]string {
	b.Helper()
	all := map[string][]string{}
	for _, batch := range b.Take() {
		at := batch.Rows.Schema().FieldIndices(AbsentColumn)
		if len(at) == 0 {
			continue
		}
		column := batch.Rows.Column(at[0]).(*array.Int64)
		for r := range column.Len() {
			var paths []string
			for _, g := range batch.Table.Groups {
				if uint64(column.Value(r))&g.Bit != 0 && !column.IsNull(r) {
					paths = append(paths, g.Path)
				}
			}
			all[batch.Table.Name] = append(all[batch.Table.Name], strings.Join(paths, " "))
		}
		batch.Rows.Release()
	}
	return all
}

func TestT162AnOmittedListDiffersFromAnEmptyOne(t *testing.T) {
	t.Parallel()
	s := thingStream()
	s.Children[1].Columns = append(s.Children[1].Columns, newColumn("note", schemas.JSON), newColumn("by", schemas.Text, "author", "id"))
	const all = "j parts place place.post tags.data"
	tests := []struct{ name, record, want, parts string }{
		{"nothing came", `{"id":"1"}`, all, ""},
		{"all of it", `{"id":"1","j":{"k":1},"parts":[],"place":{"city":"c","post":{"zip":"z"}},"tags":{"data":[]}}`, "", ""},
		{"null", `{"id":"1","j":null,"parts":null,"place":null,"tags":null}`, "", ""},
		{"empty", `{"id":"1","j":{},"parts":[],"place":{},"tags":{}}`, "", ""},
		{"an object without the one in it", `{"id":"1","j":1,"parts":[],"place":{"city":null},"tags":{"data":null}}`, "place.post", ""},
		{"a list that counts none", `{"id":"1","j":1,"parts":[],"place":null,"tags":{"total_count":0}}`, "", ""},
		{"a list that counts some", `{"id":"1","j":1,"parts":[],"place":null,"tags":{"total_count":3,"url":"/tags"}}`, "tags.data", ""},
		{"another kind of value", `{"id":"1","j":1,"parts":"x","place":"y","tags":[]}`, "", ""},
		{"items without theirs", `{"id":"1","j":1,"parts":[{"body":"a"},{"body":"b","note":null,"author":{}}],"place":null,"tags":null}`, "", "author note|"},
	}
	for _, tt := range tests {
		got := newTestDecoder(t, s, Options{}).appendAll(tt.record).absentPaths()
		own := strings.Fields(got["things"][0])
		slices.Sort(own)
		if text := strings.Join(own, " "); text != tt.want {
			t.Errorf("%s: absent are %q, want %q", tt.name, text, tt.want)
		}
		if text := strings.Join(got["thing_parts"], "|"); text != tt.parts {
			t.Errorf("%s: absent of parts are %q, want %q", tt.name, text, tt.parts)
		}
	}
}

func TestT162DroppedValuesAreNotKept(t *testing.T) {
	t.Parallel()
	got := newTestDecoder(t, thingStream(), Options{Drop: []string{"place", "j"}}).appendAll(`{"id":"1"}`).absentPaths()
	if want := "parts tags.data"; got["things"][0] != want {
		t.Errorf("absent are %q, want %q", got["things"][0], want)
	}
}

func TestATableHasNoMoreGroupsThanBits(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]bool{maxGroups: true, maxGroups + 1: false} {
		s := &schemas.Stream{Name: "s", Table: "s", Key: []string{"id"}, Columns: []schemas.Column{newColumn("id", schemas.Text)}}
		for i := range n {
			s.Columns = append(s.Columns, newColumn(fmt.Sprintf("j%d", i), schemas.JSON))
		}
		if _, err := NewDecoder(s, Options{}); (err == nil) != want {
			t.Errorf("%d: %v", n, err)
		}
	}
}

func TestT162ARecordWithoutWhatTheSourceAlwaysSendsIsSuspect(t *testing.T) {
	t.Parallel()
	record := func(id int, rest string) string { return fmt.Sprintf(`{"id":"%03d"%s}`, id, rest) }
	const all = `,"tags":{"data":[]},"place":null`
	b := newTestDecoder(t, thingStream(), Options{})
	b.appendAll(record(0, `,"place":null`)) // it is not known yet whether this source omits empty values
	for i := range 48 {
		b.appendAll(record(i+1, all))
	}
	if got := b.Suspects(); len(got) > 0 {
		t.Errorf("suspects %v", got)
	}
	b.appendAll(record(99, all)) // one of fifty lacks it
	if got := b.Suspects(); !slices.Equal(got, []string{"000"}) {
		t.Errorf("suspects %v, want the first", got)
	}
	b.appendAll(record(100, all), record(101, ""), record(102, `,"place":{},"tags":{"total_count":3}`), record(103, `,"place":{},"tags":{"total_count":0}`))
	if got := b.Suspects(); !slices.Equal(got, []string{"101", "102"}) {
		t.Errorf("suspects %v", got)
	}
	always := b.AlwaysSent()
	slices.Sort(always)
	if !slices.Equal(always, []string{"place", "place.post", "tags.data"}) {
		t.Errorf("it always sends %v", always)
	}

	next := newTestDecoder(t, thingStream(), Options{})
	next.ExpectGroups(always, nil)
	if got := next.appendAll(record(1, `,"place":null`)).Suspects(); !slices.Equal(got, []string{"001"}) {
		t.Errorf("suspects of the next run %v", got)
	}
	for i := range alwaysRecords {
		next.appendAll(record(i, `,"place":null`))
	}
	if got := next.VanishedGroups(); !slices.Equal(got, []string{"tags.data"}) {
		t.Errorf("vanished %v", got)
	}
}

// TestT162OccasionalFieldIsNotMissing: a record is complete without a field that many others lack.
func TestT162OccasionalFieldIsNotMissing(t *testing.T) {
	t.Parallel()
	with := func(id int) string { return fmt.Sprintf(`{"id":"%d","tags":{"data":[]},"place":{}}`, id) }
	without := func(id int) string { return fmt.Sprintf(`{"id":"%d","tags":{"data":[]}}`, id) }
	b := newTestDecoder(t, thingStream(), Options{}).appendAll(with(1))
	if b.appendAll(without(2)); !b.LacksUsual() {
		t.Error("the first that lacks what another one had is not told")
	}
	for i := range alwaysRecords {
		if b.appendAll(with(3 + 2*i)); b.LacksUsual() {
			t.Error("one that lacks nothing")
		}
		if b.appendAll(without(4 + 2*i)); b.LacksUsual() {
			t.Fatalf("record %d: half of those before it were without", i)
		}
	}
	if got := b.SometimesSent(); !slices.Equal(got, []string{"place", "place.post"}) || len(b.Suspects()) > 0 {
		t.Errorf("sent at times are %v", got)
	}
	next := newTestDecoder(t, thingStream(), Options{})
	next.ExpectGroups(b.AlwaysSent(), b.SometimesSent())
	if next.appendAll(with(1), without(2)); next.LacksUsual() {
		t.Error("the next run does not know what is sent at times")
	}
}

func TestT162WhereOmittedMeansEmptyNoGroupIsAbsent(t *testing.T) {
	t.Parallel()
	b := newTestDecoder(t, thingStream(), Options{OmittedIsEmpty: true}).appendAll(`{"id":"1","tags":{"data":[]}}`, `{"id":"2"}`)
	if got := b.Suspects(); len(got) > 0 {
		t.Errorf("suspects %v", got)
	}
	if got := b.absentPaths(); len(got) > 0 {
		t.Errorf("absent are %v", got)
	}
}
