package transform

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"aqueduck/schemas"
)

// driftOf returns a function that decodes one record and returns its drift.
func driftOf(t *testing.T, s *schemas.Stream, o Options) func(record string) []SchemaDrift {
	t.Helper()
	d, err := NewDecoder(s, o)
	if err != nil {
		t.Fatal(err)
	}
	return func(record string) []SchemaDrift {
		t.Helper()
		if err := d.Append([]byte(record), Meta{}); err != nil {
			t.Fatal(err)
		}
		batches := d.Take()
		for _, b := range batches {
			b.Rows.Release()
		}
		return batches[0].SchemaDrift
	}
}

// TestT122UndeclaredFieldsAreReportedOnce, each with its path and the type of its first value that is not null.
func TestT122UndeclaredFieldsAreReportedOnce(t *testing.T) {
	t.Parallel()
	add := driftOf(t, thingStream(), Options{APIVersion: "2.17"})
	if got := add(`{"id":"1","odd":null}`); len(got) != 0 {
		t.Errorf("a field that is null: %v", got)
	}
	want := []SchemaDrift{{"things", "", "odd", "double", ""}, {"things", "", "place.more", "object", ""}, {"thing_tags", "", "colour", "text", ""}, {"things", "i", "i", "text", ""}}
	if got := add(`{"id":"1","odd":1.5,"place":{"more":{"x":1}},"tags":{"data":[{"id":"7","colour":"red"}]},"i":"many"}`); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := add(`{"id":"2","odd":"text","place":{"more":[]},"i":"few"}`); len(got) != 0 {
		t.Errorf("told twice: %v", got)
	}
}

// TestNewWordsOfAColumnAreReportedOnce, wherever the column takes its value from: a field, a later place, an item of a list. The value is stored as
// sent. What does not look like a word is not repeated, a hash is no word, and a column with many new words has no closed list.
// Holds: F13, T122.
func TestNewWordsOfAColumnAreReportedOnce(t *testing.T) {
	t.Parallel()
	s := thingStream()
	s.Columns = append(s.Columns,
		schemas.Column{Name: "state", Type: schemas.Text, From: []string{"state"}, Or: [][]string{{"old", "state"}}, Words: []string{"open", "shut"}},
		schemas.Column{Name: "secret", Type: schemas.Text, From: []string{"secret"}, Words: []string{"open"}})
	s.Children = append(s.Children, schemas.Child{Table: "thing_places", From: []string{"places"}, Key: []string{"thing_id", "place"}, Complete: true, Columns: []schemas.Column{
		newColumn("thing_id", schemas.Text, schemas.FromParent, "id"), {Name: "place", Type: schemas.Text, From: []string{schemas.FromItem}, Words: []string{"inbox"}}}})
	add := driftOf(t, s, Options{APIVersion: "2.17", Hash: []string{"secret"}, HashKey: []byte("key")})
	word := func(table, column, path, word string) SchemaDrift {
		return SchemaDrift{table, column, path, DriftWord, word}
	}
	for _, step := range []struct {
		name, record string
		want         []SchemaDrift
	}{
		{"known words, null, nothing, an empty text", `{"id":"1","state":"open","places":["inbox"]}`, nil},
		{"null", `{"id":"1","state":null,"old":{"state":"shut"}}`, nil},
		{"an empty text", `{"id":"1","state":""}`, nil},
		{"a new word", `{"id":"1","state":"ajar"}`, []SchemaDrift{word("things", "state", "state", "ajar")}},
		{"the same word with an escape", `{"id":"1","state":"\u0061jar"}`, nil},
		{"a new word at the later place", `{"id":"1","old":{"state":"broken"}}`, []SchemaDrift{word("things", "state", "old.state", "broken")}},
		{"an item", `{"id":"1","places":["inbox","side-bar"]}`, []SchemaDrift{word("thing_places", "place", "$item", "side-bar")}},
		{"no word", `{"id":"1","state":"Ann <ann@example.com>"}`, []SchemaDrift{word("things", "state", "state", "a value that is no word")}},
		{"a hashed column", `{"id":"1","secret":"shut"}`, nil},
	} {
		if got := add(step.record); !slices.Equal(got, step.want) {
			t.Errorf("%s: %v, want %v", step.name, got, step.want)
		}
	}
	for i := range 2 * maxWords {
		add(fmt.Sprintf(`{"id":"1","state":"word_%d"}`, i))
	}
	if got := add(`{"id":"1","state":"one_more","odd":1}`); len(got) != 1 || got[0].Path != "odd" {
		t.Errorf("after many words: %v, want the new field alone", got)
	}
	if long := strings.Repeat("x", 65); schemas.IsWord(long) || !schemas.IsWord(long[1:]) || schemas.IsWord("") || schemas.IsWord("two words") {
		t.Error("a word has up to 64 letters, digits, _, . and -")
	}
}
