package transform

import (
	"bytes"
	"fmt"
	"testing"

	"aqueduck/schemas"

	"github.com/google/go-cmp/cmp"
)

// pageStream is a stream with an object of entries by locale and a list of bare ids.
func pageStream() *schemas.Stream {
	return &schemas.Stream{
		Name: "pages", Table: "pages", Key: []string{"id"}, Ignore: [][]string{{"translated", "type"}},
		Columns: []schemas.Column{newColumn("id", schemas.Text)},
		Children: []schemas.Child{
			{
				Table: "page_translations", From: []string{"translated"}, Entries: true, Key: []string{"page_id", "locale"}, Complete: true,
				Columns: []schemas.Column{newColumn("page_id", schemas.Text, schemas.FromParent, "id"), newColumn("locale", schemas.Text, schemas.FromKey),
					newColumn("title", schemas.Text), newColumn("at", schemas.Timestamp)},
			},
			{
				Table: "page_authors", From: []string{"author_ids"}, Key: []string{"page_id", "author_id"}, Complete: true,
				Columns: []schemas.Column{newColumn("page_id", schemas.Text, schemas.FromParent, "id"), newColumn("author_id", schemas.Text, schemas.FromItem)},
			},
		},
	}
}

const translated = `{"id": 1, "author_ids": [7, "8", null, {"id": 9}],
	"translated": {"type": "content", "en": {"type": "page_content", "title": "One", "at": "x", "odd": true}, "fr": null, "pt-BR": {"title": "Um"}, "de": "Eins"}}`

// Holds: T91.
func TestEntriesOfAnObjectAndBareItemsBecomeRows(t *testing.T) {
	t.Parallel()
	b := newTestDecoder(t, pageStream(), Options{}).appendAll(translated, `{"id": 2, "author_ids": null, "translated": []}`)
	rows := b.takeRows()
	want := map[string][]map[string]any{
		"page_translations": {
			{"page_id": "1", "locale": "en", "title": "One", "_extra": `{"at":"x","odd":true}`},
			{"page_id": "1", "locale": "pt-BR", "title": "Um"},
		},
		"page_authors": {{"page_id": "1", "author_id": "7"}, {"page_id": "1", "author_id": "8"}},
	}
	for table, list := range want {
		for _, row := range rows[table] {
			for _, own := range []string{"_hash", "_api_version", "_row"} {
				delete(row, own)
			}
		}
		if diff := cmp.Diff(list, rows[table]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", table, diff)
		}
	}
	told := []string{"page_authors  no_key 1 whole", "page_translations  not_an_object 1 whole", "page_translations at type 1"}
	if diff := cmp.Diff(told, b.rejectLines()); diff != "" {
		t.Errorf("what is no entry and no item (-want +got):\n%s", diff)
	}
}

// TestT128ANameTwiceInAnObjectOfEntries: the first counts, as for fields, and the others are reported.
func TestT128ANameTwiceInAnObjectOfEntries(t *testing.T) {
	t.Parallel()
	for record, want := range map[string][]string{
		`{"id":1,"translated":{"en":{"title":"One"},"fr":{"title":"Un"},"en":{"title":"Two"},"\u0065n":{"title":"Three"}}}`: {"en One", "fr Un", "page_translations  duplicate_key 2 whole"},
		`{"id":1,"translated":{"en":null,"en":{"title":"Two"}}}`:                                                            {"page_translations  duplicate_key 1 whole"},
		`{"id":1,"translated":{"en":{"title":"One"},"en":null}}`:                                                            {"en One", "page_translations  duplicate_key 1 whole"},
		`{"id":1,"translated":{"en":{"title":"One"},"EN":{"title":"Two"}}}`:                                                 {"en One", "EN Two"},
		`{"id":1,"translated":{"type":"a","en":{"title":"One"},"type":"b"}}`:                                                {"en One"},
	} {
		b := newTestDecoder(t, pageStream(), Options{}).appendAll(record, `{"id":2,"translated":{"en":{"title":"Other"}}}`)
		got := []string{}
		for _, row := range b.takeRows()["page_translations"] {
			if row["page_id"] == "1" {
				got = append(got, fmt.Sprintf("%v %v", row["locale"], row["title"]))
			}
		}
		if diff := cmp.Diff(want, append(got, b.rejectLines()...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", record, diff)
		}
	}
}

func TestHashReachesAllEntriesAndItems(t *testing.T) {
	t.Parallel()
	b := newTestDecoder(t, pageStream(), Options{Hash: []string{"page_translations.title", "page_authors.author_id"}, HashKey: []byte("k")}).appendAll(translated)
	for _, row := range append(b.takeRows()["page_translations"], b.takeRows()["page_authors"]...) {
		for _, name := range []string{"title", "author_id"} {
			if text, ok := row[name].(string); ok && len(text) != 32 {
				t.Errorf("%s is %q", name, text)
			}
		}
	}
	for _, r := range b.Rejects() {
		if r.Raw != nil && (bytes.Contains(r.Raw, []byte(`"Um"`)) || bytes.Contains(r.Raw, []byte(`"8"`))) {
			t.Errorf("kept as %s", r.Raw)
		}
	}
}
