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

func TestT162ARecordWithoutAListThatOthersHaveEmptyIsSuspect(t *testing.T) {
	t.Parallel()
	b := decoder(t, things(), Options{})
	steps := []struct {
		record string
		want   []string
	}{
		{`{"id":"1","tags":{"data":[{"id":"x"}]},"parts":[{"body":"a"}]}`, nil},
		{`{"id":"2","parts":[{"body":"a"}]}`, nil}, // perhaps this source leaves out what is empty
		{`{"id":"3","tags":{"data":[]},"parts":[{"body":"a"}]}`, []string{"2"}},
		{`{"id":"4","tags":{"total_count":3},"parts":[{"body":"a"}]}`, []string{"4"}},
		{`{"id":"5","tags":{"total_count":0}}`, nil}, // parts are never empty
		{`{"id":"6","tags":null,"parts":null}`, []string{"5"}},
		{`{"id":"7"}`, []string{"7"}},
	}
	for _, step := range steps {
		if got := b.add(step.record).Suspects(); !slices.Equal(got, step.want) {
			t.Errorf("%s: got %v, want %v", step.record, got, step.want)
		}
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
