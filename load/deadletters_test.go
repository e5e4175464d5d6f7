package load_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"aqueduck/load"
	"aqueduck/transform"
)

// deadLetterText gives the dead letters of the talks, in one line.
func (s *talkStore) deadLetterText(complete time.Time) string {
	s.t.Helper()
	err := s.work.DeadLetters.ClearResolved(s.t.Context(), "main", "talks", []transform.Table{s.d.Take()[0].Table}, complete)
	if err != nil {
		s.t.Fatal(err)
	}
	list, err := s.work.DeadLetters.CountByColumn(s.t.Context(), "main", "talks")
	if err != nil {
		s.t.Fatal(err)
	}
	text := ""
	for _, m := range list {
		text += fmt.Sprintf("%s.%s %s %d (%d new) ", m.Table, m.Column, m.Reason, m.Count, m.New)
	}
	return text
}

func TestDeadLettersCountEachValueOnce(t *testing.T) {
	t.Parallel()
	const odd = `{"id":"1","at":1700000000,"title":{"not":"a text"},"parts":[{"id":"m","body":[1]},{"id":"n","body":[2]}]}`
	const two = "talk_parts.body type 2 (2 new) talks.title type 1 (1 new) "
	s := newTalkStore(t, talkStream())
	for range 3 {
		s.commitRecords(odd, `{"id":"2","at":1700000000,"title":"t"}`)
		if got := s.deadLetterText(time.Time{}); got != two {
			t.Errorf("got %s, want %s", got, two)
		}
	}
	s.commitRecords(odd, odd)
	if got := s.deadLetterText(time.Time{}); got != two {
		t.Errorf("twice in one batch: got %s, want %s", got, two)
	}
	s.commitRecords(`{"id":"2","at":1700000000,"title":[]}`)
	if got, want := s.deadLetterText(time.Time{}), "talk_parts.body type 2 (2 new) talks.title type 2 (2 new) "; got != want {
		t.Errorf("one more record: got %s, want %s", got, want)
	}
	s.commitRecords(`{"id":"1","at":1700000001,"title":"mended","parts":[{"id":"m","body":"M"},{"id":"n","body":[2]}]}`)
	if got, want := s.deadLetterText(time.Time{}), "talk_parts.body type 1 (1 new) talks.title type 1 (1 new) "; got != want {
		t.Errorf("mended in part: got %s, want %s", got, want)
	}
}

// Holds: T198.
func TestARejectedRecordCountsOnceUntilItChanges(t *testing.T) {
	t.Parallel()
	s := newTalkStore(t, talkStream())
	const nameless, number = `{"at":1700000000,"title":"t"}`, `7`
	for range 2 {
		s.commitRecords(nameless, number)
		if got, want := s.deadLetterText(time.Time{}), "talks. no_key 1 (1 new) talks. not_an_object 1 (1 new) "; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	between := s.work.CommitClock()
	s.commitRecords(number)
	if got, want := s.deadLetterText(between), "talks. not_an_object 1 (1 new) "; got != want {
		t.Errorf("after a complete reading: got %s, want %s", got, want)
	}
	deep := `{"id":"3","at":1700000000,"attributes":` + nestedJSON(70) + `}`
	s.commitRecords(deep)
	if got, want := s.deadLetterText(time.Time{}), "talks. depth 1 (1 new) talks. not_an_object 1 (1 new) "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s.commitRecords(`{"id":"3","at":1700000000,"attributes":{}}`)
	if got, want := s.deadLetterText(time.Time{}), "talks. not_an_object 1 (1 new) "; got != want {
		t.Errorf("it fits by now: got %s, want %s", got, want)
	}
}

func nestedJSON(levels int) string {
	return strings.Repeat(`{"a":`, levels) + "1" + strings.Repeat("}", levels)
}

// TestDeadLettersAreComparedAgainAfterAChange: a run without a change does not look for the stored rows of dead letters. It does after rows or columns
// of the table have changed, and for new dead letters.
func TestDeadLettersAreComparedAgainAfterAChange(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	s := newTalkStoreIn(t, w.Work, talkStream())
	expect := func(when, want string) {
		t.Helper()
		if got := s.deadLetterText(time.Time{}); got != want {
			t.Errorf("%s: got %q, want %q", when, got, want)
		}
	}
	s.commitRecords(`{"id":"1","at":1700000000,"title":[]}`, `{"id":"2","at":1700000000,"title":[]}`, `{"id":"3","at":1700000000,"title":[]}`)
	expect("three", "talks.title type 3 (3 new) ")
	must(t, w.Plant(t.Context(), "DELETE FROM main.talks WHERE id = '1'"))
	expect("no commit has changed a row", "talks.title type 3 (3 new) ")
	must(t, w.Plant(t.Context(), "UPDATE _sync.tables SET rows = rows - 1 WHERE table_name = 'talks'"))
	expect("a row less", "talks.title type 2 (2 new) ")
	must(t, w.Plant(t.Context(), "UPDATE main.talks SET title = 'mended' WHERE id = '2'"))
	s.commitRecords(`{"id":"3","at":1700000000,"title":[],"source":{"subject":[]}}`)
	expect("another dead letter", "talks.subject type 1 (1 new) talks.title type 1 (1 new) ")
	must(t, w.Plant(t.Context(), "UPDATE main.talks SET title = 'mended' WHERE id = '3'"))
	table := transform.Tables(talkStream())[0]
	table.Columns[2].SQL = "JSON"
	must(t, w.DeadLetters.ClearResolved(t.Context(), "main", "talks", []transform.Table{table}, time.Time{}))
	expect("a column has another type", "talks.subject type 1 (1 new) ")
}

// TestDeadLettersAreLookedUpAmongManyRecordsInLittleMemory: the keys of all stored records would not fit, those of the dead letters do.
func TestDeadLettersAreLookedUpAmongManyRecordsInLittleMemory(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{Memory: 12_000_000})
	s := newTalkStoreIn(t, w.Work, talkStream())
	s.commitRecords(`{"id":"1","at":1700000000,"title":[]}`, `{"id":"2","at":1700000000,"title":[]}`, `{"id":"3","at":1700000000,"title":[]}`)
	must(t, w.Plant(t.Context(), `INSERT INTO main.talks BY NAME SELECT t.* REPLACE ('a key of a record that is stored ' || i AS id) FROM main.talks t, range(1000000) r(i) WHERE t.id = '1'`))
	must(t, w.Plant(t.Context(), "DELETE FROM main.talks WHERE id = '2'; UPDATE main.talks SET title = 'mended' WHERE id = '3'"))
	if got, want := s.deadLetterText(time.Time{}), "talks.title type 1 (1 new) "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
