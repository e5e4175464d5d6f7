package export

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/extract"
)

var people = Dataset{ID: "people", Time: "p.at", Attributes: []Attribute{
	{ID: "id", Qualified: "p.id", Name: "Person ID"}, {ID: "at", Qualified: "p.at", Name: "Created at"},
	{ID: "name", Qualified: "p.name", Name: "Name"}, {ID: "name", Qualified: "team.name", Name: "Name"}, {ID: "csat", Name: "CSAT score, %"},
}}

func columnNames(c Columns) (all []string) {
	for _, column := range c.All {
		all = append(all, column.Name)
	}
	return all
}

func matchHeader(t testing.TB, header string, known []extract.ExportColumn) (Columns, error) {
	t.Helper()
	return people.MatchColumns(strings.Split(header, "|"), known, false)
}

// Holds: S23.
func TestHeadersBecomeUniqueNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Conversation ID": "conversation_id", "CSAT score, %": "csat_score", "firstResponse": "first_response", "  a--b  ": "a_b", "1st": "n1st",
		"_time": "time", "名前": "", "": "", strings.Repeat("long ", 40): strings.TrimRight(strings.Repeat("long_", 11)+"l", "_"), `"; DROP TABLE x`: "drop_table_x",
	} {
		if got := SnakeCase(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	odd := Dataset{Time: "t", Attributes: []Attribute{{ID: "t", Name: "T"}}}
	c, err := odd.MatchColumns([]string{"T", "a b", "A-B", "a_b_2", "", "名", "a b", "Rowid"}, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := columnNames(c), []string{"t", "a_b", "a_b_2", "a_b_2_2", "column_5", "column_6", "a_b_3", "rowid_2"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for i, header := range []string{"T", "a b", "A-B", "a_b_2", "", "名", "a b"} {
		if c.All[i].Header != header {
			t.Errorf("column %d keeps %q of %q", i, c.All[i].Header, header)
		}
	}
}

func TestT109ColumnsAreKnownByTheirAttributeWhateverTheirOrder(t *testing.T) {
	t.Parallel()
	first, err := matchHeader(t, "Person ID|Created at|Name|Name|CSAT score, %", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"person_id", "created_at", "p_name", "team_name", "csat_score"}
	if got := columnNames(first); !slices.Equal(got, want) {
		t.Fatalf("%v, want %v", got, want)
	}
	permuted, err := matchHeader(t, "CSAT score, %|Created at|Person ID", first.All)
	if err != nil || !slices.Equal(permuted.place, []int{4, 1, 0}) || permuted.time != 1 {
		t.Errorf("permuted: %v %d %v", permuted.place, permuted.time, err)
	}
	localised, err := matchHeader(t, "Personen-ID|Erstellt am|Name|Name|CSAT score, %", first.All)
	if err != nil || !slices.Equal(columnNames(localised), want) || localised.time != 1 {
		t.Errorf("in another language: %v %v", columnNames(localised), err)
	}
	if _, err := matchHeader(t, "Name|Created at|Person ID|Name|CSAT score, %", first.All); !errors.Is(err, errHeader) {
		t.Errorf("doubled names out of order: %v", err)
	}
	if _, err := matchHeader(t, "Person ID|Name|CSAT score, %", first.All); !errors.Is(err, errHeader) {
		t.Errorf("without its time: %v", err)
	}
	more, err := matchHeader(t, "Person ID|Created at|Brand new|CSAT score, %", first.All)
	if err != nil || !slices.Equal(columnNames(more), append(want, "brand_new")) || !more.All[2].Gone || more.All[5].Gone {
		t.Errorf("one more, two less: %+v %v", more.All, err)
	}
}

func TestT109AHeaderThatLostMostColumnsIsRefusedUntilItIsAccepted(t *testing.T) {
	t.Parallel()
	first, err := matchHeader(t, "Person ID|Created at|Name|Name|CSAT score, %", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := matchHeader(t, "Person ID|Created at", first.All); !errors.Is(err, errHeader) {
		t.Errorf("most are gone: %v", err)
	}
	accepted, err := people.MatchColumns([]string{"Person ID", "Created at"}, first.All, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := matchHeader(t, "Person ID|Created at", accepted.All); err != nil {
		t.Errorf("accepted once: %v", err)
	}
}

func TestT107TimesAreReadByWhatTheySayAndElseInTheZone(t *testing.T) {
	t.Parallel()
	york, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text             string
		at               int64
		zoned, ambiguous bool
	}{
		{"1700000000", 1700000000, true, false}, {"1700000000.75", 1700000000, true, false}, {"1700000000123", 1700000000, true, false}, {"1700000000123456", 1700000000, true, false},
		{"2023-11-14T22:13:20Z", 1700000000, true, false}, {"2023-11-14 17:13:20 -0500", 1700000000, true, false},
		{"2023-11-14 22:13:20 UTC", 1700000000, true, false}, {"2023-11-14 17:13:20", 1700000000, false, false},
		{"2026-11-01 00:59:59", 1793509199, false, false}, // before the clocks are put back
		{"2026-11-01 01:30:00", 1793511000, false, true},  // shown twice: the first
		{"2026-11-01 02:00:00", 1793516400, false, false},
		{"2026-03-08 02:30:00", 1772955000, false, true}, // never shown
		{"2026-03-08 03:00:00", 1772953200, false, false},
	} {
		var r Row
		r.readTime(c.text, york)
		if !r.Timed || r.Time != c.at || r.Zoned != c.zoned || r.Ambiguous != c.ambiguous {
			t.Errorf("%s: %+v, want %d (%s)", c.text, r, c.at, time.Unix(c.at, 0).In(york))
		}
	}
	for _, text := range []string{"", "yesterday", "0", "-5", "2026-13-01 00:00:00", "2023-11-14 17:13:20 CST"} {
		var r Row
		if r.readTime(text, york); r.Timed {
			t.Errorf("%q is the time %d", text, r.Time)
		}
	}
}

func TestARecordHasItsColumnsAndItsTime(t *testing.T) {
	t.Parallel()
	c, err := matchHeader(t, "Person ID|Created at|Name|Name|CSAT score, %", nil)
	if err != nil {
		t.Fatal(err)
	}
	cell := func(s string) Cell { return Cell{Text: []byte(s)} }
	row := c.BuildRecord(nil, []Cell{cell("a\"b\\c\n\x01"), cell("1700000000"), {Null: true}, cell(""), cell("é")}, time.UTC)
	want := `{"person_id":"a\"b\\c\u000a\u0001","created_at":"1700000000","team_name":"","csat_score":"é","_time":1700000000}`
	if string(row.JSON) != want {
		t.Errorf("%s", row.JSON)
	}
}
