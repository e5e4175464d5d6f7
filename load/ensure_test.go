package load_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"aqueduck/load"
	"aqueduck/load/committest"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// commitPeople merges people as the next commit of their stream.
func (w *testWarehouse) commitPeople(t testing.TB, sweep int, people ...committest.Person) load.Written {
	t.Helper()
	base, err := w.Checkpoints.Checkpoint(t.Context(), "main", "people")
	must(t, err)
	next := base
	next.Seq++
	batches := committest.Batches(sweep, people...)
	defer committest.Release(batches)
	written, err := w.Commit(t.Context(), "main", "people", base, next, batches)
	must(t, err)
	return written
}

func (w *testWarehouse) ensureStream(t testing.TB, s *schemas.Stream) []load.Change {
	t.Helper()
	changes, err := w.Tables.Ensure(t.Context(), "main", transform.Tables(s))
	must(t, err)
	return changes
}

func TestEnsureIsRepeatable(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	if n := len(w.ensureStream(t, committest.Stream())); n != 4 {
		t.Errorf("%d changes at first, want 4 tables", n)
	}
	w.Restart(t)
	if changes := w.ensureStream(t, committest.Stream()); len(changes) != 0 {
		t.Errorf("changes %v on a database that has all", changes)
	}
}

func TestEnsureRefusesNamesThatAreTaken(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	for _, name := range []string{"", "_sync", "warehouse", "TEMP", "information_schema"} {
		if _, err := w.Tables.Ensure(t.Context(), name, nil); err == nil {
			t.Errorf("schema %q was accepted", name)
		}
	}
}

// TestT143NoIndexes holds for every table: DuckDB's replay of a log has had bugs with them.
func TestT143NoIndexes(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	w.ensureStream(t, committest.Stream())
	ids, err := w.Facts.IDs(t.Context(), "main", "SELECT index_name FROM duckdb_indexes() UNION ALL SELECT constraint_text FROM duckdb_constraints() WHERE constraint_type <> 'NOT NULL'")
	must(t, err)
	if len(ids) > 0 {
		t.Errorf("indexes and constraints %v, want none", ids)
	}
}

// TestT144AddedColumnsAreFilledAndFolded adds columns to a table with rows: values wait for them in _extra.
func TestT144AddedColumnsAreFilledAndFolded(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	s := committest.Stream()
	s.Columns = append(s.Columns, schemas.Column{Name: "seats", From: []string{"seats"}, Type: schemas.Int})
	w.ensureStream(t, committest.Stream())
	w.commitPeople(t, 0, committest.Person{Region: "eu", ID: "1", Updated: 5, Name: "a"}, committest.Person{Region: "eu", ID: "2", Updated: 5, Name: "b"})
	before := w.Rows(t, "main", "people_all")[0]["_synced_at"]
	w.setExtra(t, "1", `{"plan": {"name": "big", "since": 1700000000}, "a/b~c": true, "seats": "many"}`)

	s.Columns = append(s.Columns,
		schemas.Column{Name: "plan_name", From: []string{"plan", "name"}, Type: schemas.Text},
		schemas.Column{Name: "plan_since", From: []string{"plan", "since"}, Type: schemas.Timestamp},
		schemas.Column{Name: "odd", From: []string{"a/b~c"}, Type: schemas.Bool})
	if changes := w.ensureStream(t, s); len(changes) != 7 || changes[4].What != "filled in 1 rows" {
		t.Errorf("changes %v, want four columns, three of them filled", changes)
	}
	w.Restart(t)
	rows := byID(w.Rows(t, "main", "people_all"))
	got := committest.Row{}
	for _, name := range []string{"plan_name", "plan_since", "odd", "seats", "_extra"} {
		got[name] = rows["1"][name]
	}
	want := committest.Row{"plan_name": "big", "plan_since": "2023-11-14 22:13:20+00", "odd": "true", "seats": "", "_extra": `map[plan:map[] seats:many]`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("filled columns (-want +got):\n%s", diff)
	}
	if rows["1"]["_synced_at"] <= before || rows["2"]["_synced_at"] != before {
		t.Errorf("_synced_at %s and %s, want the first moved from %s and the second not", rows["1"]["_synced_at"], rows["2"]["_synced_at"], before)
	}
	if view := w.Rows(t, "main", "people"); len(view) != 2 || view[0]["_extra"] == "" && view[1]["_extra"] == "" {
		t.Errorf("the view of what is not gone gives %v", view)
	}
}

// setExtra puts a text where the decoder keeps fields without a column.
func (w *testWarehouse) setExtra(t testing.TB, id, extra string) {
	t.Helper()
	tables := transform.Tables(committest.Stream())
	base, err := w.Checkpoints.Checkpoint(t.Context(), "main", "people")
	must(t, err)
	next := base
	next.Seq++
	batches := committest.WithExtra(tables[0], committest.Person{Region: "eu", ID: id, Updated: 6, Name: "a"}, extra)
	defer committest.Release(batches)
	_, err = w.Commit(t.Context(), "main", "people", base, next, batches)
	must(t, err)
}

func byID(rows []committest.Row) map[string]committest.Row {
	table := map[string]committest.Row{}
	for _, row := range rows {
		table[row["id"]] = row
	}
	return table
}

// TestT183AddedNumberIsFilledFromTheTextColumnOfItsField adds a whole number beside a text. It takes what a new record would bring, and no more.
func TestT183AddedNumberIsFilledFromTheTextColumnOfItsField(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	w.ensureStream(t, committest.Stream())
	texts := []string{"12", "-3", "0", "007", "1_0", " 4", "12.5", "B-7", "123456789012345678901234567890", ""}
	var people []committest.Person
	for i, text := range texts {
		people = append(people, committest.Person{Region: "eu", ID: strconv.Itoa(i), Updated: 5, Name: text})
	}
	w.commitPeople(t, 0, people...)
	s := committest.Stream()
	s.Columns = append(s.Columns, schemas.Column{Name: "name_number", From: []string{"name"}, Type: schemas.Int})
	if changes := w.ensureStream(t, s); len(changes) != 2 || changes[1].What != "filled in 3 rows" {
		t.Errorf("changes %v, want one column, filled in three rows", changes)
	}
	w.Restart(t)
	rows := byID(w.Rows(t, "main", "people_all"))
	for i, text := range texts {
		want := map[string]string{"12": "12", "-3": "-3", "0": "0"}[text]
		if got := rows[strconv.Itoa(i)]; got["name_number"] != want || got["name"] != text {
			t.Errorf("%q became %q, want %q, and the text is %q", text, got["name_number"], want, got["name"])
		}
	}
}

// TestAddedHasTextIsFilledFromThePlainText adds it where the plain text is stored, and beside a plain text that is new itself.
func TestAddedHasTextIsFilledFromThePlainText(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	w.ensureStream(t, committest.Stream())
	for i, extra := range []string{`{"bio":"<p>Ann</p>","nick":"<p></p>"}`, `{"bio":"<p></p>","nick":"false"}`, `{"bio":"","nick":"&nbsp;"}`, `{"home":"a"}`} {
		w.setExtra(t, strconv.Itoa(i), extra)
	}
	s := committest.Stream()
	s.Columns = append(s.Columns, schemas.Column{Name: "bio", From: []string{"bio"}, Type: schemas.Text, As: schemas.PlainText})
	w.ensureStream(t, s)
	s.Columns = append(s.Columns, schemas.Column{Name: "has_bio", From: []string{"bio"}, Type: schemas.Bool, As: schemas.HasText},
		schemas.Column{Name: "nick", From: []string{"nick"}, Type: schemas.Text, As: schemas.PlainText}, schemas.Column{Name: "has_nick", From: []string{"nick"}, Type: schemas.Bool, As: schemas.HasText})
	w.ensureStream(t, s)
	w.Restart(t)
	got := map[string]string{}
	for id, row := range byID(w.Rows(t, "main", "people_all")) {
		got[id] = strings.Join([]string{row["has_bio"], row["nick"], row["has_nick"], row["_extra"]}, "|")
	}
	want := map[string]string{"0": "true||false|", "1": "false|false|true|", "2": "false|\u00a0|true|", "3": "|||map[home:a]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("filled columns (-want +got):\n%s", diff)
	}
}

func TestEnsureRefusesTypesThatCouldLoseValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		from, to schemas.Type
		refused  bool
	}{
		{"int to text", schemas.Int, schemas.Text, false},
		{"int to double", schemas.Int, schemas.Double, false},
		{"bool to int", schemas.Bool, schemas.Int, false},
		{"bool to double", schemas.Bool, schemas.Double, false},
		{"int to bool", schemas.Int, schemas.Bool, true},
		{"timestamp to text", schemas.Timestamp, schemas.Text, true},
		{"text to int", schemas.Text, schemas.Int, true},
		{"double to int", schemas.Double, schemas.Int, true},
		{"text to json", schemas.Text, schemas.JSON, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWarehouse(t, load.Options{})
			s := committest.Stream()
			s.Columns = append(s.Columns, schemas.Column{Name: "moving", From: []string{"moving"}, Type: c.from})
			w.ensureStream(t, s)
			s.Columns[len(s.Columns)-1].Type = c.to
			changes, err := w.Tables.Ensure(t.Context(), "main", transform.Tables(s))
			if c.refused != (err != nil) || !c.refused && len(changes) != 1 {
				t.Errorf("changes %v, error %v; want refused: %t", changes, err, c.refused)
			}
		})
	}
}

// TestT142LogIsFoldedBeforeItIsLong keeps the log, which a start has to replay, under a limit.
func TestT142LogIsFoldedBeforeItIsLong(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{FoldAt: 200 << 10})
	w.ensureStream(t, committest.Stream())
	folds := 0
	for i := range 60 {
		var list []committest.Person
		for j := range 100 {
			list = append(list, committest.Person{Region: "eu", ID: fmt.Sprint(i, "-", j), Updated: 5, Name: strings.Repeat("x", 50)})
		}
		w.commitPeople(t, 0, list...)
		if w.FoldNeeded() {
			must(t, w.Fold(t.Context()))
			folds++
			if w.LogSize() != 0 {
				t.Fatalf("%d bytes of log after a fold", w.LogSize())
			}
		}
	}
	if folds == 0 {
		t.Error("the log never passed its limit")
	}
	w.Restart(t)
	if n := len(w.Rows(t, "main", "people_all")); n != 6000 {
		t.Errorf("%d rows, want 6000", n)
	}
}

// TestT180T181AddedColumnsAreFilledFromExtraAsDecoded adds columns of addresses, and one of several places.
func TestT180T181AddedColumnsAreFilledFromExtraAsDecoded(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	s := committest.Stream()
	w.ensureStream(t, committest.Stream())
	w.commitPeople(t, 0, committest.Person{Region: "eu", ID: "1", Updated: 5, Name: "a"}, committest.Person{Region: "eu", ID: "2", Updated: 5, Name: "b"},
		committest.Person{Region: "eu", ID: "3", Updated: 5, Name: "c"})
	w.setExtra(t, "1", `{"avatar": "https://x.test/a?id=1&Signature=secret", "home": "https://x.test/?signature=secret&page=2"}`)
	w.setExtra(t, "2", `{"avatar": {"kind": "round", "image_url": "https://x.test/b?Signature=secret"}}`)
	w.setExtra(t, "3", `{"avatar": {"image_url": "https://x.test/c"}, "picture": "https://x.test/d"}`)

	s.Columns = append(s.Columns,
		schemas.Column{Name: "avatar", From: []string{"avatar"}, Or: [][]string{{"avatar", "image_url"}, {"picture"}}, Type: schemas.Text, As: "url"},
		schemas.Column{Name: "home", From: []string{"home"}, Type: schemas.Text, As: "url"})
	w.ensureStream(t, s)
	w.Restart(t)
	rows := byID(w.Rows(t, "main", "people_all"))
	got := map[string][]string{}
	for id, row := range rows {
		got[id] = []string{row["avatar"], row["home"], row["_extra"]}
	}
	want := map[string][]string{
		"1": {"https://x.test/a?id=1", "https://x.test/?page=2", ""},
		"2": {"https://x.test/b", "", "map[avatar:map[kind:round]]"},
		"3": {"https://x.test/c", "", "map[avatar:map[] picture:https://x.test/d]"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("avatar, home, _extra (-want +got):\n%s", diff)
	}
}
