package load_test

import (
	"fmt"
	"testing"

	"aqueduck/load"
	"aqueduck/load/committest"
)

// TestFewRecordsAreComparedWithTheStoredRowsOfTheirTimes: of few records among many stored ones, those of the same times are looked at first. Whatever
// the records are, the outcome is that of a comparison with all rows.
func TestFewRecordsAreComparedWithTheStoredRowsOfTheirTimes(t *testing.T) {
	t.Parallel()
	const at = 1_700_000_000
	stored := func(i int64, name string) committest.Person {
		return committest.Person{Region: "eu", ID: fmt.Sprint(i), Updated: at + i, Name: name}
	}
	moved := func(i, updated int64) committest.Person {
		p := stored(i, "a")
		p.Updated = updated
		return p
	}
	for name, c := range map[string]struct {
		people   []committest.Person
		rows     int64 // written
		new      int64
		readBack string // id, name and time of the rows that are named "b" or moved, after the commit
	}{
		"unchanged, of odd years":   {[]committest.Person{moved(600, -99_999_999_999), stored(7, "a"), moved(601, 999_999_999_999)}, 0, 0, ""},
		"changed, of an odd year":   {[]committest.Person{{Region: "eu", ID: "600", Updated: -99_999_999_999, Name: "b"}, stored(7, "a")}, 1, 0, "600 b -101699999999;"},
		"one timeless, one new":     {[]committest.Person{stored(7, "a"), {Region: "eu", ID: "1000", Name: "b"}}, 1, 1, ""},
		"one stored twice, one new": {[]committest.Person{stored(11, "a"), stored(1000, "b")}, 1, 1, "1000 b 1000;"},
		"all unchanged":             {[]committest.Person{stored(7, "a"), stored(300, "a")}, 0, 0, ""},
		"one changed":               {[]committest.Person{stored(7, "a"), stored(300, "b")}, 1, 0, "300 b 300;"},
		"one changed, later":        {[]committest.Person{stored(7, "a"), moved(8, at+900)}, 1, 0, "8 a 900;"},
		"an older copy":             {[]committest.Person{moved(7, at+1), stored(9, "a")}, 0, 0, ""},
		"one new":                   {[]committest.Person{stored(7, "a"), stored(1000, "b")}, 1, 1, "1000 b 1000;"},
		"twice, the second changed": {[]committest.Person{stored(7, "a"), stored(7, "b")}, 1, 0, "7 b 7;"},
		"back after it was gone":    {[]committest.Person{stored(5, "a")}, 1, 0, ""},
		"gone, and unchanged":       {[]committest.Person{{Region: "eu", ID: "6", GoneAt: at + 2000}, stored(7, "a")}, 1, 0, ""},
		"of another region":         {[]committest.Person{{Region: "us", ID: "7", Updated: at + 7, Name: "b"}}, 1, 1, "7 b 7;"},
	} {
		w := newWarehouse(t, load.Options{})
		w.ensureStream(t, committest.Stream())
		var people []committest.Person
		for i := range int64(512) {
			people = append(people, stored(i, "a"))
		}
		w.commitPeople(t, 0, append(people, moved(600, -99_999_999_999), moved(601, 999_999_999_999))...)
		w.commitPeople(t, 0, committest.Person{Region: "eu", ID: "5", GoneAt: at + 1500})
		must(t, w.Plant(t.Context(), "INSERT INTO main.people_all FROM main.people_all WHERE id = '11'"))
		if got := w.commitPeople(t, 0, c.people...); got.Rows != c.rows || got.New != c.new {
			t.Errorf("%s: %d rows were written, %d of them new; want %d and %d", name, got.Rows, got.New, c.rows, c.new)
		}
		texts, err := w.Facts.IDs(t.Context(), "main", fmt.Sprintf("SELECT id || ' ' || name || ' ' || epoch(updated_at)::BIGINT - %d || ';' FROM {schema}.people_all WHERE name = 'b' OR id NOT IN ('600', '601') AND epoch(updated_at)::BIGINT - %d <> id::BIGINT", at, at))
		must(t, err)
		got := ""
		for _, text := range texts {
			got += text
		}
		if got != c.readBack {
			t.Errorf("%s: stored are %q, want %q", name, got, c.readBack)
		}
		if gone, err := w.Facts.IDs(t.Context(), "main", "SELECT id FROM {schema}.people_all WHERE _gone_at IS NOT NULL"); err != nil || (len(gone) == 0) != (name == "back after it was gone") {
			t.Errorf("%s: gone are %v, %v", name, gone, err)
		}
	}
}
