package transform

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEveryTypeTakesEveryShape is the table of what each type makes of each shape of JSON. "-" is a rejected value.
// Holds: T46.
func TestEveryTypeTakesEveryShape(t *testing.T) {
	t.Parallel()
	shapes := []string{`null`, `"x"`, `""`, `"12"`, `12`, `1.5`, `true`, `"true"`, `"2024-05-06"`, `1700000000`, `[ 1 ]`, `{ "a": 1 }`}
	tests := []struct {
		name string
		want []any
	}{
		{"t", []any{nil, "x", "", "12", "12", "1.5", "true", "true", "2024-05-06", "1700000000", "-", "-"}},
		{"i", []any{nil, "-", "-", int64(12), int64(12), "-", "-", "-", "-", int64(1700000000), "-", "-"}},
		{"d", []any{nil, "-", "-", 12.0, 12.0, 1.5, "-", "-", "-", 1.7e9, "-", "-"}},
		{"b", []any{nil, "-", "-", "-", "-", "-", true, true, "-", "-", "-", "-"}},
		{"at", []any{nil, "-", "-", "-", "-", "-", "-", "-", "-", "2023-11-14T22:13:20Z", "-", "-"}},
		{"day", []any{nil, "-", "-", "-", "-", "-", "-", "-", "2024-05-06", "-", "-", "-"}},
		{"j", []any{nil, `"x"`, `""`, `"12"`, `12`, `1.5`, `true`, `"true"`, `"2024-05-06"`, `1700000000`, `[1]`, `{"a":1}`}},
		{"city", []any{nil, "x", "", "12", "12", "1.5", "true", "true", "2024-05-06", "1700000000", "-", "-"}},
	}
	for _, tt := range tests {
		for i, shape := range shapes {
			record := fmt.Sprintf(`{"id":"1",%q:%s}`, tt.name, shape)
			if tt.name == "city" {
				record = fmt.Sprintf(`{"id":"1","place":{"city":%s}}`, shape)
			}
			b := newTestDecoder(t, thingStream(), Options{}).appendAll(record)
			row := b.onlyRow()
			got := row[tt.name]
			if extra, ok := row["_extra"].(string); ok {
				got = "-"
				if compact := strings.ReplaceAll(shape, " ", ""); !strings.Contains(extra, compact) {
					t.Errorf("%s: _extra %s is without %s", record, extra, compact)
				}
			}
			if got != tt.want[i] {
				t.Errorf("%s: got %v, want %v", record, got, tt.want[i])
			}
			if rejected := len(b.Rejects()); (rejected > 0) != (got == "-") {
				t.Errorf("%s: %d rejects", record, rejected)
			}
		}
	}
}

func TestColumnsOfARow(t *testing.T) {
	t.Parallel()
	b := newTestDecoder(t, thingStream(), Options{APIVersion: "2.17"}).appendAll(` {
		"type": "thing", "id": 7, "t": "a\u00e9\n", "place": {"city": "Ulm", "post": {"zip": 89073}},
		"link": "https://x.test/a?x=1&Signature=1", "body": "<p>one&amp;<b>two</b></p><p>three</p>",
		"tags": {"type": "list", "data": [{"type": "tag", "id": "t1"}, null, {"id": 2, "name": "n"}], "url": "/things/7/tags", "total_count": 2},
		"parts": [{"body": "first"}, {"body": "second"}]
	} `)
	got := b.takeRows()
	for _, rows := range got {
		for _, row := range rows {
			if row["_hash"] == nil || row["_api_version"] != "2.17" {
				t.Errorf("system columns of %v", row)
			}
			delete(row, "_hash")
			delete(row, "_api_version")
		}
	}
	now := "2026-11-03T02:00:00Z"
	want := map[string][]map[string]any{
		"things": {{
			"_row": int64(0), "id": "7", "t": "aé\n", "city": "Ulm", "zip": "89073", "link": "https://x.test/a?x=1",
			"body": "<p>one&amp;<b>two</b></p><p>three</p>", "body_text": "one&two\nthree", "has_words": true,
			"_extra": `{"tags":{"type":"list"}}`,
		}},
		"thing_tags": {
			{"_row": int64(0), "thing_id": "7", "tag_id": "t1"},
			{"_row": int64(0), "thing_id": "7", "tag_id": "2", "name": "n"},
		},
		"thing_parts": {
			{"_row": int64(0), "thing_id": "7", "position": int64(0), "read_at": now, "body": "first"},
			{"_row": int64(0), "thing_id": "7", "position": int64(1), "read_at": now, "body": "second"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := b.rejectLines(); len(got) > 0 {
		t.Error(got)
	}
}

// Holds: T83.
func TestT122UnknownFieldsKeepTheirNesting(t *testing.T) {
	t.Parallel()
	b := newTestDecoder(t, thingStream(), Options{}).appendAll(`{"zz": [1, {"a" : 2.50}], "place": {"post": {"box": 1e400}, "lat": 1, "city": ["a b"]}, "id": "1", "a\"b": null,
		"tags": {"data": [{"id": "t", "colour": {"r": 1}}]}}`)
	rows := b.takeRows()
	if got, want := rows["things"][0]["_extra"], `{"a\"b":null,"zz":[1,{"a":2.50}],"place":{"city":["a b"],"lat":1,"post":{"box":1e400}}}`; got != want {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if got, want := rows["thing_tags"][0]["_extra"], `{"colour":{"r":1}}`; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if diff := cmp.Diff([]string{"things city type 1"}, b.rejectLines()); diff != "" {
		t.Error(diff)
	}
}

// TestScalarBesideItsWholeObject: the JSON column has the whole object, so _extra has nothing of it, and a value that its own
// column rejects is not lost.
func TestScalarBesideItsWholeObject(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, sent       string
		scalar, j, extra any
		complaints       []string
	}{
		{"an object", `{"k": "c1", "x": {"y": 1}}`, "c1", `{"k":"c1","x":{"y":1}}`, nil, []string{}},
		{"without the scalar", `{"x": 1}`, nil, `{"x":1}`, nil, []string{}},
		{"an object in its place", `{"k": {"a": 1}}`, nil, `{"k":{"a":1}}`, nil, []string{"things jk type 1"}},
		{"no object", `"c1"`, nil, `"c1"`, nil, []string{}},
		{"null", `null`, nil, nil, nil, []string{}},
		{"twice", `{"k": "c1", "x": 1}, "j": {"k": "c2"}`, "c1", `{"k":"c1","x":1}`, `{"j":{"k":"c2"}}`, []string{"things j duplicate_key 1"}},
		{"the scalar twice", `{"k": "c1", "k": "c2"}`, "c1", `{"k":"c1","k":"c2"}`, nil, []string{"things jk duplicate_key 1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newTestDecoder(t, thingStream(), Options{}).appendAll(`{"id": "1", "j": ` + tt.sent + `}`)
			row := b.onlyRow()
			if diff := cmp.Diff([]any{tt.scalar, tt.j, tt.extra}, []any{row["jk"], row["j"], row["_extra"]}); diff != "" {
				t.Errorf("scalar, whole, _extra (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.complaints, b.rejectLines()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHashAndDropOfAScalarReachItsWholeObject(t *testing.T) {
	t.Parallel()
	const sent = `{"id": "1", "j": {"k": "secret", "x": 1}}`
	row := newTestDecoder(t, thingStream(), Options{Hash: []string{"jk"}, HashKey: []byte("k")}).appendAll(sent).onlyRow()
	if hashed, _ := row["jk"].(string); len(hashed) != 32 || row["j"] != `{"k":"`+hashed+`","x":1}` {
		t.Errorf("hashed: %v beside %v", row["jk"], row["j"])
	}
	row = newTestDecoder(t, thingStream(), Options{Drop: []string{"jk"}}).appendAll(sent).onlyRow()
	if row["jk"] != nil || row["j"] != `{"x":1}` {
		t.Errorf("dropped: %v beside %v", row["jk"], row["j"])
	}
}

func TestT123ShapeOfAnObjectChanged(t *testing.T) {
	t.Parallel()
	b := newTestDecoder(t, thingStream(), Options{}).appendAll(`{"id":"1","place":"Ulm","tags":{"data":{}},"parts":"none"}`, `{"id":"2","tags":[{"id":"t"}]}`)
	rows := b.takeRows()["things"]
	if got, want := rows[0]["_extra"], `{"parts":"none","place":"Ulm"}`; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := rows[1]["_extra"], `{"tags":[{"id":"t"}]}`; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if diff := cmp.Diff([]string{"things parts type 1", "things place type 1", "things tags type 1"}, b.rejectLines()); diff != "" {
		t.Error(diff)
	}
}

func TestT128DuplicateNames(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, record, extra string
		want                []string
	}{
		{"case is no duplicate", `{"id":"1","ID":2,"Id":3}`, `{"ID":2,"Id":3}`, []string{}},
		{"first copy is kept", `{"id":"1","t":"a","t":"b","t":"c"}`, `{"t":"b"}`, []string{"things t duplicate_key 2"}},
		{"a rejected value comes first", `{"id":"1","t":[],"t":"b"}`, `{"t":[]}`, []string{"things t duplicate_key 1", "things t type 1"}},
		{"a name written with escapes", `{"id":"1","t":"a","\u0074":"b"}`, `{"t":"b"}`, []string{"things t duplicate_key 1"}},
		{"an object", `{"id":"1","place":{"city":"a"},"place":{"city":"b"}}`, `{"place":{"city":"b"}}`, []string{"things place duplicate_key 1"}},
		{"an object with unknown fields", `{"id":"1","place":{"x":1},"place":{"x":2}}`, `{"place":{"x":1}}`, []string{"things place duplicate_key 1"}},
		{"unknown fields", `{"id":"1","x":1,"x":2}`, `{"x":1}`, []string{"things _extra duplicate_key 1"}},
		{"one name in two objects", `{"id":"1","x":1,"place":{"x":2}}`, `{"x":1,"place":{"x":2}}`, []string{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newTestDecoder(t, thingStream(), Options{}).appendAll(tt.record)
			if got := b.onlyRow()["_extra"]; got != tt.extra {
				t.Errorf("got %v, want %v", got, tt.extra)
			}
			if diff := cmp.Diff(tt.want, b.rejectLines()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRecordsWithoutKeyAreRejectedWhole(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, record, reason string }{
		{"missing", `{"t":"x"}`, ReasonNoKey},
		{"null", `{"id":null}`, ReasonNoKey},
		{"an object", `{"id":{}}`, ReasonNoKey},
		{"twice", `{"id":"1","id":"2"}`, ReasonDuplicate},
		{"no object", `[1]`, ReasonNotObject},
		{"T129 too deep", `{"id":"1","j":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`, ReasonDepth},
		{"T129 too deep for parsers", `{"id":"1","j":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`, ReasonDepth},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newTestDecoder(t, thingStream(), Options{}).appendAll(tt.record)
			rejects := b.Rejects()
			if len(rejects) != 1 || rejects[0].Reason != tt.reason || string(rejects[0].Raw) != tt.record || rejects[0].Count != 1 {
				t.Fatalf("rejects %+v", rejects)
			}
			if got := b.appendAll(`{"id":"9"}`).onlyRow()["id"]; got != "9" {
				t.Errorf("the record after it: %v", got)
			}
		})
	}
}

// Holds: T129.
func TestDepthAsAllowed(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 63) + strings.Repeat("]", 63)
	if got := newTestDecoder(t, thingStream(), Options{}).appendAll(`{"id":"1","j":` + deep + `}`).onlyRow()["j"]; got != deep {
		t.Errorf("got %v", got)
	}
}

func TestItemsWithoutKeyKeepTheRecord(t *testing.T) {
	t.Parallel()
	record := `{"id":"1","tags":{"data":[{"name":"no id"},"text",{"id":"t"},{"id":"a","id":"b"}]}}`
	b := newTestDecoder(t, thingStream(), Options{}).appendAll(record)
	if got := len(b.takeRows()["thing_tags"]); got != 1 {
		t.Errorf("%d tags", got)
	}
	var refused int64
	for _, r := range b.Rejects() {
		if r.Raw != nil {
			refused += r.Count
			if r.Table != "thing_tags" || string(r.Raw) != record || r.Key != "1" {
				t.Errorf("%+v", r)
			}
		}
	}
	if refused != 3 {
		t.Errorf("%d items refused", refused)
	}
}

func TestBrokenRecordIsAnErrorAndLeavesTheBatchUnchanged(t *testing.T) {
	t.Parallel()
	b := newTestDecoder(t, thingStream(), Options{})
	for _, broken := range []string{``, ` `, `{`, `{"id":"1"`, `{"id":"1"}}`, `{"id":"1"} {}`, `{"id":"1",}`, `{"id":01}`, `{"id":"1","tags":{"data":[{"id":"t"}`,
		`{"id":"1","x":tru}`, `{'id':1}`, "{\"id\":\"a\nb\"}", `{"id":"\x"}`, `<html>`, `[1`} {
		if err := b.Append([]byte(broken), Meta{}); err == nil {
			t.Errorf("%q is taken", broken)
		}
	}
	rows := b.appendAll(`{"id":"2","tags":{"data":[{"id":"t"}]}}`).takeRows()
	if len(rows["things"]) != 1 || len(rows["thing_tags"]) != 1 || rows["thing_tags"][0]["_row"] != int64(0) {
		t.Errorf("rows %v", rows)
	}
	if got := b.rejectLines(); len(got) > 0 {
		t.Error(got)
	}
}
