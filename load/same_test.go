package load_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"aqueduck/load"
	"aqueduck/load/committest"
	"aqueduck/transform"
)

func TestUnchangedFingerprintsMatchLiveRows(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	w.ensureStream(t, committest.Stream())
	table := transform.Tables(committest.Stream())[0]
	table.Key = []string{"id"} // no region is needed to tell these apart
	columns := []transform.Column{table.Columns[2], table.Columns[3]}
	const at = 1_700_000_000
	head := func(id string, seconds int64, name string) transform.ListFingerprint {
		return transform.ListFingerprint{Key: id, Values: []string{strconv.FormatInt(seconds*1_000_000, 10), name}}
	}
	same := func(heads ...transform.ListFingerprint) []bool {
		t.Helper()
		got, err := w.Facts.UnchangedFingerprints(t.Context(), "main", table, columns, heads)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := same(head("1", at, "a")); !slices.Equal(got, []bool{false}) {
		t.Errorf("of an empty table: %v", got)
	}
	w.commitPeople(t, 0,
		committest.Person{Region: "eu", ID: "1", Updated: at, Name: "a"},
		committest.Person{Region: "eu", ID: "2", Updated: at + 5, Name: "it's"},
		committest.Person{Region: "eu", ID: "3", Name: "timeless"},
		committest.Person{Region: "eu", ID: "4", Updated: at, Name: "d"})
	w.commitPeople(t, 0, committest.Person{Region: "eu", ID: "4", GoneAt: at + 9})
	for i, c := range []struct {
		head transform.ListFingerprint
		want bool
	}{
		{head("1", at, "a"), true},
		{head("2", at+5, "it's"), true},
		{head("1", at+1, "a"), false},
		{head("1", at, "b"), false},
		{head("3", at, "timeless"), false},
		{head("4", at, "d"), false},
		{head("5", at, "a"), false},
		{transform.ListFingerprint{}, false},
		{head("1\x1f2", at, "a"), false},
	} {
		all := []transform.ListFingerprint{head("2", at+5, "other"), c.head, {}}
		if got := same(all...); !slices.Equal(got, []bool{false, c.want, false}) {
			t.Errorf("%d: %v, want %t", i, got, c.want)
		}
	}
	if got := same(); len(got) != 0 {
		t.Errorf("of none: %v", got)
	}
}

// TestTheNewestRowIsFoundHoweverOldItIs: the last month is looked at first.
func TestTheNewestRowIsFoundHoweverOldItIs(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	w.ensureStream(t, committest.Stream())
	table := transform.Tables(committest.Stream())[0]
	const at, day = 1_700_000_000, 24 * 3600
	w.commitPeople(t, 0, committest.Person{Region: "eu", ID: "1", Updated: at}, committest.Person{Region: "eu", ID: "2", Updated: at + 60*day}, committest.Person{Region: "eu", ID: "3", Name: "timeless"})
	w.commitPeople(t, 0, committest.Person{Region: "eu", ID: "4", Updated: at + 61*day})
	w.commitPeople(t, 0, committest.Person{Region: "eu", ID: "4", GoneAt: at + 62*day})
	for until, want := range map[int64]int64{at - 1: 0, at: at, at + 59*day: at, at + 60*day: at + 60*day, at + 75*day: at + 60*day, at + 900*day: at + 60*day} {
		got, err := w.Facts.Newest(t.Context(), "main", table, "updated_at", time.Unix(until, 0))
		if must(t, err); want == 0 && !got.IsZero() || want > 0 && got.Unix() != want {
			t.Errorf("up to day %d: %v, want day %d", (until-at)/day, got, (want-at)/day)
		}
	}
}
