package transform

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"aqueduck/schemas"

	"github.com/apache/arrow-go/v18/arrow/array"
)

// absent gives, by table, the paths that each row of the next batches was sent without.
func (b bench) absent() map[string][]string {
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

func TestT162WhatAnAnswerLeavesOutIsToldFromWhatIsEmpty(t *testing.T) {
	t.Parallel()
	s := things()
	s.Children[1].Columns = append(s.Children[1].Columns, col("note", schemas.JSON), col("by", schemas.Text, "author", "id"))
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
		got := decoder(t, s, Options{}).add(tt.record).absent()
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
	got := decoder(t, things(), Options{Drop: []string{"place", "j"}}).add(`{"id":"1"}`).absent()
	if want := "parts tags.data"; got["things"][0] != want {
		t.Errorf("absent are %q, want %q", got["things"][0], want)
	}
}

func TestATableHasNoMoreGroupsThanItsMarksHaveBits(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]bool{maxGroups: true, maxGroups + 1: false} {
		s := &schemas.Stream{Name: "s", Table: "s", Key: []string{"id"}, Columns: []schemas.Column{col("id", schemas.Text)}}
		for i := range n {
			s.Columns = append(s.Columns, col(fmt.Sprintf("j%d", i), schemas.JSON))
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
	b := decoder(t, things(), Options{})
	b.add(record(0, `,"place":null`)) // nobody knows yet whether this source leaves out what is empty
	for i := range 48 {
		b.add(record(i+1, all))
	}
	if got := b.Suspects(); len(got) > 0 {
		t.Errorf("suspects %v", got)
	}
	b.add(record(99, all)) // one of fifty lacks it
	if got := b.Suspects(); !slices.Equal(got, []string{"000"}) {
		t.Errorf("suspects %v, want the first", got)
	}
	b.add(record(100, all), record(101, ""), record(102, `,"place":{},"tags":{"total_count":3}`), record(103, `,"place":{},"tags":{"total_count":0}`))
	if got := b.Suspects(); !slices.Equal(got, []string{"101", "102"}) {
		t.Errorf("suspects %v", got)
	}
	always := b.Always()
	slices.Sort(always)
	if !slices.Equal(always, []string{"place", "place.post", "tags.data"}) {
		t.Errorf("it always sends %v", always)
	}

	next := decoder(t, things(), Options{})
	next.Expect(always)
	if got := next.add(record(1, `,"place":null`)).Suspects(); !slices.Equal(got, []string{"001"}) {
		t.Errorf("suspects of the next run %v", got)
	}
	for i := range alwaysRecords {
		next.add(record(i, `,"place":null`))
	}
	if got := next.Vanished(); !slices.Equal(got, []string{"tags.data"}) {
		t.Errorf("vanished %v", got)
	}
}

func TestT162WhereWhatIsLeftOutIsEmptyNothingIsMarked(t *testing.T) {
	t.Parallel()
	b := decoder(t, things(), Options{LeftOutEmpty: true}).add(`{"id":"1","tags":{"data":[]}}`, `{"id":"2"}`)
	if got := b.Suspects(); len(got) > 0 {
		t.Errorf("suspects %v", got)
	}
	if got := b.absent(); len(got) > 0 {
		t.Errorf("absent are %v", got)
	}
}
