package transform

import (
	"testing"

	"aqueduck/schemas"

	"github.com/google/go-cmp/cmp"
)

// reviewStream is a stream with lists inside lists, of a complete list and of one that is never complete.
func reviewStream() *schemas.Stream {
	return &schemas.Stream{
		Name: "reviews", Table: "reviews", Key: []string{"id"}, Ignore: [][]string{{"cards", "type"}},
		Columns: []schemas.Column{newColumn("id", schemas.Text)},
		Children: []schemas.Child{
			{
				Table: "cards", From: []string{"cards"}, Key: []string{"review_id", "card_id"}, Complete: true,
				Columns: []schemas.Column{newColumn("review_id", schemas.Text, schemas.FromParent, "id"), newColumn("card_id", schemas.Text, "id"), newColumn("name", schemas.Text)},
			},
			{
				Table: "notes", Within: "cards", From: []string{"more", "notes"}, Key: []string{"review_id", "card_id", "note_id"}, Complete: true,
				Columns: []schemas.Column{
					newColumn("review_id", schemas.Text, schemas.FromParent, "review_id"), newColumn("card_id", schemas.Text, schemas.FromParent, "card_id"),
					newColumn("note_id", schemas.Text, "id"), newColumn("body", schemas.Text), newColumn("card_name", schemas.Text, schemas.FromParent, "name"),
				},
			},
			{
				Table: "words", Within: "notes", From: []string{"words"}, Key: []string{"review_id", "card_id", "note_id", "position"}, Complete: true,
				Columns: []schemas.Column{
					newColumn("review_id", schemas.Text, schemas.FromParent, "review_id"), newColumn("card_id", schemas.Text, schemas.FromParent, "card_id"),
					newColumn("note_id", schemas.Text, schemas.FromParent, "note_id"), newColumn("position", schemas.Int, schemas.FromPosition), newColumn("w", schemas.Text),
				},
			},
		},
	}
}

const reviewed = `{"id": 1, "cards": [
	{"id": "a", "type": "card", "name": "A", "more": {"notes": [{"id": "n", "body": "x", "words": [{"w": "p"}, {"w": "q"}]}, {"id": "m"}], "odd": 1}},
	{"name": "without id", "more": {"notes": [{"id": "lost", "words": [{"w": "lost"}]}]}},
	{"id": "b", "more": {"notes": []}},
	{"id": "c", "more": {"notes": [{"id": "n", "words": [{"w": "r"}]}]}}]}`

func TestListsInsideItemsBecomeRowsOfTheirOwn(t *testing.T) {
	t.Parallel()
	b := newTestDecoder(t, reviewStream(), Options{APIVersion: "2.17"}).appendAll(`{"id": "0", "cards": [{"id": "z"}]}`, reviewed)
	rows := b.takeRows()
	want := map[string][]map[string]any{
		"cards": {
			{"_row": int64(0), "review_id": "0", "card_id": "z"},
			{"_row": int64(1), "review_id": "1", "card_id": "a", "name": "A", "_extra": `{"more":{"odd":1}}`},
			{"_row": int64(1), "review_id": "1", "card_id": "b"},
			{"_row": int64(1), "review_id": "1", "card_id": "c"},
		},
		"notes": {
			{"_row": int64(1), "review_id": "1", "card_id": "a", "note_id": "n", "body": "x", "card_name": "A"},
			{"_row": int64(1), "review_id": "1", "card_id": "a", "note_id": "m", "card_name": "A"},
			{"_row": int64(1), "review_id": "1", "card_id": "c", "note_id": "n"},
		},
		"words": {
			{"_row": int64(1), "review_id": "1", "card_id": "a", "note_id": "n", "position": int64(0), "w": "p"},
			{"_row": int64(1), "review_id": "1", "card_id": "a", "note_id": "n", "position": int64(1), "w": "q"},
			{"_row": int64(1), "review_id": "1", "card_id": "c", "note_id": "n", "position": int64(0), "w": "r"},
		},
	}
	for table, list := range want {
		for _, row := range rows[table] {
			delete(row, "_hash")
			delete(row, "_api_version")
		}
		if diff := cmp.Diff(list, rows[table]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", table, diff)
		}
	}
	if diff := cmp.Diff([]string{"cards  no_key 1 whole"}, b.rejectLines()); diff != "" {
		t.Errorf("an item without its key is told of, once (-want +got):\n%s", diff)
	}
}

func TestAChangeInsideAnItemIsAChangeOfTheRecord(t *testing.T) {
	t.Parallel()
	hash := func(record string) any {
		return newTestDecoder(t, reviewStream(), Options{}).appendAll(record).onlyRow()["_hash"]
	}
	one := hash(`{"id": 1, "cards": [{"id": "a", "more": {"notes": [{"id": "n", "words": [{"w": "p"}]}]}}]}`)
	other := hash(`{"id": 1, "cards": [{"id": "a", "more": {"notes": [{"id": "n", "words": [{"w": "q"}]}]}}]}`)
	if one == other {
		t.Error("a word inside a note inside a card changed, and the record did not")
	}
}

func TestHashAndDropReachInsideItems(t *testing.T) {
	t.Parallel()
	b := newTestDecoder(t, reviewStream(), Options{Hash: []string{"notes.body"}, Drop: []string{"cards.more.notes.words"}, HashKey: []byte("k")}).appendAll(reviewed)
	rows := b.takeRows()
	if len(rows["words"]) != 0 {
		t.Errorf("dropped, and stored: %v", rows["words"])
	}
	if body := rows["notes"][0]["body"]; body == "x" || body == nil {
		t.Errorf("the body is stored as %v", body)
	}
}
