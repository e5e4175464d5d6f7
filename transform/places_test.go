package transform

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"aqueduck/schemas"
	"aqueduck/transform/maskrule"
)

// placedStream is a stream whose columns and lists may be at several places.
func placedStream() *schemas.Stream {
	avatar := newColumn("avatar", schemas.Text)
	avatar.Or = [][]string{{"avatar", "image_url"}}
	count := newColumn("count", schemas.Int, "statistics", "count")
	count.Or = [][]string{{"statistics", "total"}, {"count"}}
	label := newColumn("label", schemas.Text, "state", "label")
	label.Or = [][]string{{"state_label"}}
	return &schemas.Stream{
		Name: "things", Table: "things", Key: []string{"id"}, Ignore: [][]string{{"avatar", "type"}, {"parts", "tags", "type"}, {"mates", "type"}},
		Columns: []schemas.Column{newColumn("id", schemas.Text), avatar, count, newColumn("state", schemas.JSON), label},
		Children: []schemas.Child{
			{
				Table: "thing_mates", From: []string{"mates", "mates"}, Or: [][]string{{"mates", "admins"}}, Key: []string{"thing_id", "mate_id"}, Complete: true,
				Columns: []schemas.Column{newColumn("thing_id", schemas.Text, schemas.FromParent, "id"), newColumn("mate_id", schemas.Text, "id")},
			},
			{
				Table: "thing_parts", From: []string{"parts"}, Key: []string{"thing_id", "part_id"}, Complete: true,
				Columns: []schemas.Column{newColumn("thing_id", schemas.Text, schemas.FromParent, "id"), newColumn("part_id", schemas.Text, "id")},
			},
			{
				Table: "thing_part_tags", Within: "thing_parts", From: []string{"tags"}, Or: [][]string{{"tags", "tags"}}, Key: []string{"thing_id", "part_id", "tag_id"}, Complete: true,
				Columns: []schemas.Column{
					newColumn("thing_id", schemas.Text, schemas.FromParent, "thing_id"), newColumn("part_id", schemas.Text, schemas.FromParent, "part_id"), newColumn("tag_id", schemas.Text, "id"),
				},
			},
		},
	}
}

func TestT180AValueIsTakenFromTheFirstPlaceThatHasOne(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, sent           string
		avatar, count, label any
		extra                any
		complaints           []string
	}{
		{"the first places", `"avatar": "a.png", "statistics": {"count": 7}, "state": {"label": "open"}`, "a.png", int64(7), "open", nil, []string{}},
		{"others", `"avatar": {"type": "avatar", "image_url": "a.png"}, "count": 7, "state_label": "open"`, "a.png", int64(7), "open", nil, []string{}},
		{"others before the first", `"count": 9, "statistics": {"total": 8, "count": 7}`, nil, int64(7), nil, `{"count":9,"statistics":{"total":8}}`, []string{}},
		{"the second before the third", `"count": 9, "statistics": {"total": 8}`, nil, int64(8), nil, `{"count":9}`, []string{}},
		{"the same in two", `"state_label": "open", "state": {"label": "open"}, "statistics": {"total": 7.0, "count": 7}`, nil, int64(7), "open", nil, []string{}},
		{"null in the first", `"avatar": null, "statistics": {"count": null, "total": 8}`, nil, int64(8), nil, nil, []string{}},
		{"null in all", `"avatar": {"type": "avatar", "image_url": null}, "statistics": null, "count": null`, nil, nil, nil, nil, []string{}},
		{"a text where others have an object", `"state": "open", "state_label": "Open"`, nil, nil, "Open", nil, []string{}},
		{"no number in one, a number in the other", `"statistics": {"count": "many", "total": 8}`, nil, int64(8), nil, `{"statistics":{"count":"many"}}`, []string{"things count type 1"}},
		{"a number in one, none in the other", `"statistics": {"total": "many", "count": 7}`, nil, int64(7), nil, `{"statistics":{"total":"many"}}`, []string{}},
		{"no number in any", `"count": "many"`, nil, nil, nil, `{"count":"many"}`, []string{"things count type 1"}},
		{"an object of another kind", `"avatar": {"image_url": {"x": 1}, "y": 2}`, nil, nil, nil, `{"avatar":{"image_url":{"x":1},"y":2}}`, []string{"things avatar type 1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newTestDecoder(t, placedStream(), Options{}).appendAll(`{"id": "1", ` + tt.sent + `}`)
			row := b.onlyRow()
			if diff := cmp.Diff([]any{tt.avatar, tt.count, tt.label, tt.extra}, []any{row["avatar"], row["count"], row["label"], row["_extra"]}); diff != "" {
				t.Errorf("avatar, count, label, _extra (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.complaints, b.rejectLines()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestT180AListIsTakenFromTheFirstPlaceThatHasItems(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, sent  string
		mates, tags []any
		extra       any
	}{
		{"the first places", `"mates": {"type": "x", "mates": [{"id": 1}]}, "parts": [{"id": 5, "tags": [{"id": 2}]}, {"id": 6, "tags": [{"id": 3}]}]`, []any{"1"}, []any{"5/2", "6/3"}, nil},
		{"others", `"mates": {"admins": [{"id": 1}, {"id": 2}]}, "parts": [{"id": 5, "tags": {"type": "x", "tags": [{"id": 2}]}}, {"id": 6, "tags": {"tags": [{"id": 3}]}}]`, []any{"1", "2"}, []any{"5/2", "6/3"}, nil},
		{"one place in this item, another in the next", `"parts": [{"id": 5, "tags": [{"id": 2}]}, {"id": 6, "tags": {"tags": [{"id": 3}]}}]`, nil, []any{"5/2", "6/3"}, nil},
		{"others before the first", `"mates": {"admins": [{"id": 2}], "mates": [{"id": 1}]}`, []any{"1"}, nil, `{"mates":{"admins":[{"id":2}]}}`},
		{"empty in the first", `"mates": {"mates": [], "admins": [{"id": 2}]}`, []any{"2"}, nil, nil},
		{"empty in all", `"mates": {"mates": [], "admins": []}, "parts": [{"id": 5, "tags": []}, {"id": 6, "tags": {}}, {"id": 7, "tags": {"tags": []}}]`, nil, nil, nil},
		{"null", `"mates": {"mates": null, "admins": null}, "parts": [{"id": 5, "tags": null}]`, nil, nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newTestDecoder(t, placedStream(), Options{}).appendAll(`{"id": "1", ` + tt.sent + `}`)
			rows := b.takeRows()
			var mates, tags []any
			for _, row := range rows["thing_mates"] {
				mates = append(mates, row["mate_id"])
			}
			for _, row := range rows["thing_part_tags"] {
				tags = append(tags, row["part_id"].(string)+"/"+row["tag_id"].(string))
			}
			if diff := cmp.Diff([]any{tt.mates, tt.tags, tt.extra}, []any{mates, tags, rows["things"][0]["_extra"]}); diff != "" {
				t.Errorf("mates, tags, _extra (-want +got):\n%s", diff)
			}
			if got := b.rejectLines(); len(got) > 0 {
				t.Error(got)
			}
		})
	}
}

func TestT180OrderOfFieldsDoesNotChangeTheHash(t *testing.T) {
	t.Parallel()
	hash := func(sent string) any {
		return newTestDecoder(t, placedStream(), Options{}).appendAll(sent).onlyRow()["_hash"]
	}
	one := hash(`{"id": 1, "count": 9, "statistics": {"count": 7, "total": 8}, "mates": {"mates": [{"id": 1}], "admins": [{"id": 2}]}}`)
	other := hash(`{"mates": {"admins": [{"id": 2}], "mates": [{"id": 1}]}, "statistics": {"total": 8, "count": 7}, "count": 9, "id": 1}`)
	if one != other {
		t.Error("another order gives another hash")
	}
}

func TestT180MaskingAppliesAtEveryPlace(t *testing.T) {
	t.Parallel()
	records := []string{
		`{"id": 1, "avatar": "canary", "mates": {"mates": [{"id": "canary"}]}}`, `{"id": 2, "avatar": {"image_url": "canary"}, "mates": {"admins": [{"id": "canary"}]}}`,
		`{"id": 3, "avatar": {"image_url": "canary"}, "mates": {"mates": [{"id": "x"}], "admins": [{"id": "canary"}]}}`,
	}
	for _, record := range records {
		for _, row := range newTestDecoder(t, placedStream(), Options{Drop: []string{"avatar"}, Hash: []string{"thing_mates.mate_id"}, HashKey: []byte("key")}).appendAll(record).takeRows() {
			for _, one := range row {
				for name, value := range one {
					if text, ok := value.(string); ok && containsText(text, "canary") {
						t.Errorf("%s: %s has %s", record, name, text)
					}
				}
			}
		}
	}
	paths := map[string]bool{}
	for _, h := range maskRulesFor(t, placedStream(), "avatar", false) {
		paths[h.Table+"/"+h.Column+"/"+joinPath(h.Path)] = true
	}
	for _, want := range []string{"things/avatar/", "things/_extra/avatar", "things/_extra/avatar.image_url"} {
		if !paths[want] {
			t.Errorf("what is stored at %s is not hidden: %v", want, paths)
		}
	}
}

func containsText(text, part string) bool { return strings.Contains(text, part) }

func joinPath(path []string) string { return strings.Join(path, ".") }

func maskRulesFor(t *testing.T, s *schemas.Stream, name string, hash bool) []maskrule.Rule {
	t.Helper()
	rules, err := maskrule.Find(s, name, hash)
	if err == nil {
		err = SetObjects(s, rules)
	}
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func TestAFieldOfAnObjectWhoseEntriesAreRowsMayHaveAColumn(t *testing.T) {
	t.Parallel()
	for _, whole := range []bool{true, false} {
		s := &schemas.Stream{
			Name: "things", Table: "things", Key: []string{"id"},
			Columns: []schemas.Column{newColumn("id", schemas.Text), newColumn("title", schemas.Text, "attributes", "_title_")},
			Children: []schemas.Child{{
				Table: "thing_attributes", From: []string{"attributes"}, Entries: true, Key: []string{"thing_id", "name"}, Complete: true,
				Columns: []schemas.Column{newColumn("thing_id", schemas.Text, schemas.FromParent, "id"), newColumn("name", schemas.Text, schemas.FromKey), newColumn("value", schemas.JSON, schemas.FromItem)},
			}},
		}
		if whole {
			s.Columns = append(s.Columns, newColumn("attributes", schemas.JSON))
		}
		b := newTestDecoder(t, s, Options{}).appendAll(`{"id": 1, "attributes": {"_title_": "Help", "n": 7, "none": null, "o": [1]}}`)
		rows := b.takeRows()
		row := rows["things"][0]
		if row["title"] != "Help" || row["_extra"] != nil || whole && row["attributes"] != `{"_title_":"Help","n":7,"none":null,"o":[1]}` {
			t.Errorf("whole %v: got %v", whole, row)
		}
		var entries []string
		for _, row := range rows["thing_attributes"] {
			entries = append(entries, row["name"].(string)+"="+row["value"].(string))
		}
		if diff := cmp.Diff([]string{`_title_="Help"`, "n=7", "o=[1]"}, entries); diff != "" || len(b.rejectLines()) > 0 {
			t.Errorf("whole %v: %s", whole, diff)
		}
	}
}
