package load_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"aqueduck/load"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// fieldsStream is a stream with one column of each type for each of three fields, of a place in an object and of an item of a list.
func fieldsStream(table string, typed bool) *schemas.Stream {
	s := &schemas.Stream{Name: table, Table: table, Doc: "One row per record.", Key: []string{"id"}, Columns: []schemas.Column{{Name: "id", From: []string{"id"}, Type: schemas.Text, Doc: "Its id."}}}
	add := func(name string, kind schemas.Type, as string, from ...string) {
		s.Columns = append(s.Columns, schemas.Column{Name: name, From: from, Type: kind, As: as, Doc: "A value."})
	}
	if !typed {
		return s
	}
	for _, kind := range []schemas.Type{schemas.Text, schemas.Int, schemas.Double, schemas.Bool, schemas.Timestamp, schemas.Date, schemas.JSON} {
		add("v_"+string(kind), kind, "", "v_"+string(kind))
	}
	add("plain", schemas.Text, schemas.PlainText, "html")
	add("link", schemas.Text, "signed_url", "url")
	add("inner", schemas.Text, "", "object", "name")
	add("object", schemas.JSON, "", "object")
	add("item", schemas.Text, "", "items", "0")
	return s
}

// TestAFilledColumnHasWhatANewRecordWouldBring, for values of all kinds: the second table had its columns when the records came.
func TestAFilledColumnHasWhatANewRecordWouldBring(t *testing.T) {
	t.Parallel()
	var records []string
	for _, v := range []string{
		`"text"`, `""`, `"12"`, `12`, `-0`, `1.10`, `9.99999999999`, `9007199254740993`, `9007199254740993.0`, `123456789012345678901234567890`, `1e3`, `1e400`, `"nan"`, `"infinity"`, `true`, `"yes"`, `null`,
		`1700000000`, `1700000000123`, `"2024-05-06"`, `"2024-05-06T23:30:00-08:00"`, `"2024-05-06T07:08:09"`, `"0001-01-01T00:00:00Z"`, `"2024-05-06T07:08:09.123456Z"`, `[1,"a"]`, `{"a":{"b":1.10}}`, `"\u0000\ud800"`, `"a\/b"`,
	} {
		text := fmt.Sprintf(`{"id":"%d","more":{"price":19.90,"amount":0.12345678901234567890123},"items":["a","b"],"object":{"name":%s,"since":5}`, len(records), v)
		for _, kind := range []string{"text", "int", "double", "bool", "timestamp", "date", "json"} {
			text += fmt.Sprintf(`,"v_%s":%s`, kind, v)
		}
		records = append(records, text+`,"html":"<p>a &amp; b</p>","url":"https://x.example/f?Expires=1&Signature=2&v=3"}`)
	}
	const nulls = 16
	w := newWarehouse(t, load.Options{})
	newTalkStoreIn(t, w.Work, fieldsStream("late", false)).commitRecords(records...)
	newTalkStoreIn(t, w.Work, fieldsStream("soon", true)).commitRecords(records...)
	if _, err := w.Tables.Ensure(t.Context(), "main", append(transform.Tables(fieldsStream("late", true)), transform.Tables(fieldsStream("soon", true))...)); err != nil {
		t.Fatal(err)
	}
	w.Restart(t)
	texts, err := w.Facts.IDs(t.Context(), "main", `SELECT DISTINCT regexp_extract(_extra::VARCHAR, '"price":[^}]*') FROM main.late`)
	if must(t, err); !slices.Equal(texts, []string{`"price":19.90,"amount":0.12345678901234567890123`}) {
		t.Errorf("_extra has %v", texts)
	}
	filled, read := byID(w.Rows(t, "main", "late")), byID(w.Rows(t, "main", "soon"))
	for i, record := range records {
		a, b := filled[fmt.Sprint(i)], read[fmt.Sprint(i)]
		for name, want := range b {
			if record == records[nulls] && name == "_extra" {
				continue // the nulls stay in it
			}
			if got := a[name]; got != want && !slices.Contains([]string{"_synced_at", "_run_id", "_hash"}, name) {
				t.Errorf("%s of %s: %q, a new record has %q", name, record, got, want)
			}
		}
	}
}

// TestNewColumnsOfManyRowsAreFilledInLittleMemory: an UPDATE kept all changed values in memory, more than is allowed here.
func TestNewColumnsOfManyRowsAreFilledInLittleMemory(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{Memory: 40_000_000})
	newTalkStoreIn(t, w.Work, fieldsStream("late", false)).commitRecords(`{"id":"1"}`)
	must(t, w.Plant(t.Context(), fmt.Sprintf(`INSERT INTO main.late BY NAME SELECT t.* REPLACE (i::VARCHAR AS id, ('{"v_text":"t' || i || '","v_int":' || i || ',"rest":"%s' || i || '"}')::JSON AS _extra) FROM main.late t, range(20000) r(i)`, strings.Repeat("x", 250))))
	changes, err := w.Tables.Ensure(t.Context(), "main", transform.Tables(fieldsStream("late", true)))
	must(t, err)
	if n := slices.IndexFunc(changes, func(c load.Change) bool { return c.Column == "v_int" && c.What == "filled in 20000 rows" }); n < 0 {
		t.Errorf("changes %v", changes)
	}
	got, err := w.Facts.IDs(t.Context(), "main", "SELECT count(*)::VARCHAR FROM main.late WHERE v_text = 't' || id AND v_int::VARCHAR = id AND length(_extra->>'rest') > 250 AND len(json_keys(_extra)) = 1")
	if must(t, err); got[0] != "20000" {
		t.Errorf("%v rows have all values", got)
	}
}

// TestManyNewColumnsAreFilled: more than one query of DuckDB takes, each with two places.
func TestManyNewColumnsAreFilled(t *testing.T) {
	t.Parallel()
	var record string
	before, after := fieldsStream("late", false), fieldsStream("late", false)
	for i := range 150 {
		name := fmt.Sprintf("f%d", i)
		after.Columns = append(after.Columns, schemas.Column{Name: name, From: []string{name}, Or: [][]string{{"other", name}}, Type: schemas.Text, Doc: "A value."})
		record += fmt.Sprintf(`,"%s":"v"`, name)
	}
	w := newWarehouse(t, load.Options{})
	newTalkStoreIn(t, w.Work, before).commitRecords(`{"id":"1"`+record+`}`, `{"id":"2","other":{"f149":"w"}}`)
	_, err := w.Tables.Ensure(t.Context(), "main", transform.Tables(after))
	must(t, err)
	got, err := w.Facts.IDs(t.Context(), "main", "SELECT concat_ws(' ', f0, f99, f149, _extra) FROM main.late ORDER BY id")
	if must(t, err); !slices.Equal(got, []string{"v v v", `w {"other":{}}`}) {
		t.Errorf("the rows have %q", got)
	}
}

// TestANewFieldAndItsNewObjectAreBothFilled, and two columns of one field, however many other columns lie between: what one query takes out of _extra, the
// next one does not see. A new record brings both.
func TestANewFieldAndItsNewObjectAreBothFilled(t *testing.T) {
	t.Parallel()
	for name, between := range map[string]struct{ fields, inside int }{"other fields between": {fields: 70}, "a large object": {inside: 70}, "both": {70, 70}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, after := fieldsStream("late", false), fieldsStream("late", false)
			add := func(name string, kind schemas.Type, as string, from ...string) {
				after.Columns = append(after.Columns, schemas.Column{Name: name, From: from, Type: kind, As: as, Doc: "A value."})
			}
			record, object := "", `{"name":"n"`
			add("object", schemas.JSON, "", "object")
			add("plain", schemas.Text, schemas.PlainText, "html")
			for i := range between.fields {
				add(fmt.Sprintf("f%d", i), schemas.Text, "", fmt.Sprintf("f%d", i))
				record += fmt.Sprintf(`,"f%d":"v"`, i)
			}
			for i := range between.inside {
				add(fmt.Sprintf("in%d", i), schemas.Text, "", "object", fmt.Sprintf("in%d", i))
				object += fmt.Sprintf(`,"in%d":"v"`, i)
			}
			add("name", schemas.Text, "", "object", "name")
			add("html", schemas.Text, "", "html")
			w := newWarehouse(t, load.Options{})
			newTalkStoreIn(t, w.Work, before).commitRecords(`{"id":"1"` + record + `,"html":"<p>h</p>","object":` + object + `}}`)
			_, err := w.Tables.Ensure(t.Context(), "main", transform.Tables(after))
			must(t, err)
			got, err := w.Facts.IDs(t.Context(), "main", "SELECT concat_ws(' ', name, plain, html, object, _extra) FROM main.late")
			if must(t, err); !slices.Equal(got, []string{"n h <p>h</p> " + object + "}"}) {
				t.Errorf("the row has %q", got)
			}
		})
	}
}
