package committest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"aqueduck/load"
	"aqueduck/transform"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Committer is a destination under test.
type Committer interface {
	Ensure(ctx context.Context, schema string, tables []transform.Table) ([]load.Change, error)
	Checkpoint(ctx context.Context, workspace, stream string) (load.Checkpoint, error)
	Commit(ctx context.Context, workspace, stream string, base, next load.Checkpoint, batches []transform.Batch) (load.Written, error)

	// Rows gives all rows of a table, timestamps as 2006-01-02T15:04:05[.000000] in UTC.
	Rows(t testing.TB, schema, table string) []Row
	// Restart closes the destination as it is, and opens it again.
	Restart(t testing.TB)
}

// Run proves that a destination keeps the contract. The clock of the destination may stand still.
func Run(t *testing.T, open func(testing.TB) Committer) {
	t.Run("CommitIsIdempotent", func(t *testing.T) { idempotent(t, newSession(t, open(t), "main")) })
	t.Run("CommitRefusesStaleCheckpoint", func(t *testing.T) { fenced(t, newSession(t, open(t), "main")) })
	t.Run("FailedCommitChangesNothing", func(t *testing.T) { whole(t, newSession(t, open(t), "main")) })
	t.Run("SyncedAtAlwaysGrows", func(t *testing.T) { growing(t, newSession(t, open(t), "main")) })
	t.Run("T8LaterCopyOfTheSameSecondWins", func(t *testing.T) { sameSecond(t, newSession(t, open(t), "main")) })
	t.Run("MergeIsTheModel", func(t *testing.T) { model(t, open) })
}

// session commits one batch after the other.
type session struct {
	to     Committer
	schema string
	at     load.Checkpoint
}

func newSession(t testing.TB, to Committer, schema string) *session {
	t.Helper()
	if _, err := to.Ensure(t.Context(), schema, transform.Tables(Stream())); err != nil {
		t.Fatal(err)
	}
	return &session{to: to, schema: schema}
}

func (s *session) next() load.Checkpoint {
	n := s.at
	n.Seq++
	n.State = fmt.Sprintf(`{"n":%d}`, n.Seq)
	n.SyncedTo = time.Unix(n.Seq, 0).UTC()
	return n
}

func (s *session) commit(t rapid.TB, people ...Person) load.Written {
	t.Helper()
	batches := Batches(0, people...)
	defer Release(batches)
	next := s.next()
	w, err := s.to.Commit(context.Background(), s.schema, "people", s.at, next, batches)
	if err != nil {
		t.Fatal(err)
	}
	s.at = next
	return w
}

func idempotent(t *testing.T, s *session) {
	batches := Batches(0, Person{Region: "eu", ID: "1", Updated: 5, Name: "a", Tags: []string{"x"}})
	defer Release(batches)
	next := s.next()
	first, err := s.to.Commit(t.Context(), s.schema, "people", s.at, next, batches)
	if err != nil || first.New != 1 || first.Rows != 2 {
		t.Fatalf("first commit: %+v, %v", first, err)
	}
	again, err := s.to.Commit(t.Context(), s.schema, "people", s.at, next, batches)
	if err != nil || again.Rows != 0 {
		t.Fatalf("the same commit again: %+v, %v; want no rows and no error", again, err)
	}
	s.at = next
	replay := s.commit(t, Person{Region: "eu", ID: "1", Updated: 5, Name: "a", Tags: []string{"x"}})
	if replay.Rows != 0 {
		t.Errorf("the same record again wrote %d rows, want 0", replay.Rows)
	}
	if rows := s.to.Rows(t, s.schema, "people_all"); len(rows) != 1 || rows[0]["_synced_at"] != stamp(first.SyncedAt) {
		t.Errorf("rows %v, want one of %s", rows, stamp(first.SyncedAt))
	}
	stored, err := s.to.Checkpoint(t.Context(), s.schema, "people")
	s.at.Workspace, s.at.Stream = s.schema, "people"
	if diff := cmp.Diff(s.at, stored); err != nil || diff != "" {
		t.Errorf("checkpoint: %v %s", err, diff)
	}
}

func fenced(t *testing.T, s *session) {
	old := *s
	s.commit(t, Person{Region: "eu", ID: "1", Updated: 5, Name: "a"})
	s.commit(t, Person{Region: "eu", ID: "1", Updated: 6, Name: "b"})
	batches := Batches(0, Person{Region: "eu", ID: "1", Updated: 7, Name: "c"})
	defer Release(batches)
	next := old.next()
	next.State = "of somebody else"
	if _, err := s.to.Commit(t.Context(), s.schema, "people", old.at, next, batches); !errors.Is(err, load.ErrFenced) {
		t.Errorf("a commit on an old checkpoint: %v, want ErrFenced", err)
	}
	skipped := s.next()
	skipped.Seq++
	if _, err := s.to.Commit(t.Context(), s.schema, "people", s.at, skipped, batches); err == nil {
		t.Error("a commit that skips a number succeeded")
	}
	if rows := s.to.Rows(t, s.schema, "people_all"); len(rows) != 1 || rows[0]["name"] != "b" {
		t.Errorf("rows %v, want b alone", rows)
	}
}

func whole(t *testing.T, s *session) {
	s.commit(t, Person{Region: "eu", ID: "1", Updated: 5, Name: "a", Tags: []string{"x"}})
	before := s.to.Rows(t, s.schema, "people_all")
	batches := Batches(0, Person{Region: "eu", ID: "1", Updated: 6, Name: "b"}, Person{Region: "eu", ID: "2", Updated: 6, Name: "c"})
	defer Release(batches)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.to.Commit(ctx, s.schema, "people", s.at, s.next(), batches); err == nil {
		t.Fatal("a commit whose context has ended succeeded")
	}
	stranger := batches[0]
	stranger.Table.Name = "nobody_all"
	if _, err := s.to.Commit(t.Context(), s.schema, "people", s.at, s.next(), append(batches, stranger)); err == nil {
		t.Fatal("a commit into a table that is not there succeeded")
	}
	if diff := cmp.Diff(before, s.to.Rows(t, s.schema, "people_all")); diff != "" {
		t.Errorf("failed commits changed rows: %s", diff)
	}
	if stored, err := s.to.Checkpoint(t.Context(), s.schema, "people"); err != nil || stored.Seq != s.at.Seq {
		t.Errorf("failed commits moved the checkpoint to %d, %v; want %d", stored.Seq, err, s.at.Seq)
	}
	if w := s.commit(t, Person{Region: "eu", ID: "2", Updated: 6, Name: "c"}); w.New != 1 {
		t.Errorf("the commit after them: %+v", w)
	}
}

func growing(t *testing.T, s *session) {
	var last time.Time
	for i := range 6 {
		if i%2 == 1 {
			s.to.Restart(t)
			newSession(t, s.to, s.schema)
		}
		w := s.commit(t, Person{Region: "eu", ID: fmt.Sprint(i), Updated: 5})
		if !w.SyncedAt.After(last) {
			t.Errorf("commit %d is of %s, the one before of %s", i, w.SyncedAt, last)
		}
		last = w.SyncedAt
	}
}

func sameSecond(t *testing.T, s *session) {
	s.commit(t, Person{Region: "eu", ID: "1", Updated: 5, Name: "first"})
	s.commit(t, Person{Region: "eu", ID: "1", Updated: 5, Name: "second"}, Person{Region: "eu", ID: "1", Updated: 5, Name: "third"})
	s.commit(t, Person{Region: "eu", ID: "1", Updated: 4, Name: "stale"})
	if rows := s.to.Rows(t, s.schema, "people_all"); len(rows) != 1 || rows[0]["name"] != "third" {
		t.Errorf("rows %v, want the third copy", rows)
	}
}

// people draws a batch in which keys repeat, within it and over time.
func people() *rapid.Generator[[]Person] {
	letter := rapid.SampledFrom([]string{"a", "b", "c"})
	one := rapid.Custom(func(t *rapid.T) Person {
		p := Person{Region: rapid.SampledFrom([]string{"eu", "us"}).Draw(t, "region"), ID: rapid.SampledFrom([]string{"1", "2", "3", "4"}).Draw(t, "id")}
		if rapid.IntRange(0, 5).Draw(t, "gone") == 0 {
			p.GoneAt = rapid.Int64Range(1, 9).Draw(t, "gone at")
			return p
		}
		p.Updated = rapid.Int64Range(0, 4).Draw(t, "updated")
		p.Name = letter.Draw(t, "name")
		p.Tags = rapid.SliceOfN(letter, 0, 3).Draw(t, "tags")
		for _, id := range rapid.SliceOfN(letter, 0, 3).Draw(t, "visits") {
			p.Visits = append(p.Visits, Visit{ID: p.Region + p.ID + id, Note: letter.Draw(t, "note"), Photos: rapid.StringMatching("[ab]{0,2}").Draw(t, "photos")})
		}
		return p
	})
	return rapid.SliceOfN(one, 0, 8)
}

// model commits random batches and compares every table with the model after each, and a consumer that follows
// _synced_at with the tables.
func model(t *testing.T, open func(testing.TB) Committer) {
	var n atomic.Int64
	var to Committer
	rapid.Check(t, func(rt *rapid.T) {
		if n.Load()%20 == 0 { // tables of many sessions are more than one database has the memory for
			to = open(t)
		}
		s := newSession(t, to, fmt.Sprint("model_", n.Add(1)))
		m, follower := NewModel(), newFollower()
		for range rapid.IntRange(1, 6).Draw(rt, "commits") {
			batch := people().Draw(rt, "people")
			w := s.commit(rt, batch...)
			added, changed := m.Commit(w.SyncedAt, batch...)
			if int(w.New) != added || int(w.Changed) != changed {
				rt.Errorf("commit counted %d new and %d changed, want %d and %d", w.New, w.Changed, added, changed)
			}
			compare(t, rt, s, m)
			follower.read(t, s)
			follower.compare(rt, m)
		}
	})
}

func compare(t testing.TB, rt rapid.TB, s *session, m *Model) {
	rt.Helper()
	got := map[string]Row{}
	for _, row := range s.to.Rows(t, s.schema, "people_all") {
		k := row["region"] + "/" + row["id"]
		if got[k] != nil {
			rt.Fatalf("person %s is stored twice", k)
		}
		delete(row, "_api_version")
		delete(row, "_run_id")
		got[k] = row
	}
	if diff := cmp.Diff(m.People(), got); diff != "" {
		rt.Fatalf("people (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(m.Tags(), texts(t, rt, s, "people_tags", "person_region", "person_id", "tag")); diff != "" {
		rt.Fatalf("tags (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(m.photoRows(), texts(t, rt, s, "people_photos", "region", "person", "visit_id", "photo")); diff != "" {
		rt.Fatalf("photos (-want +got):\n%s", diff)
	}
	visits := map[string]Row{}
	for _, row := range s.to.Rows(t, s.schema, "people_visits") {
		if visits[row["id"]] != nil {
			rt.Fatalf("visit %s is stored twice", row["id"])
		}
		visits[row["id"]] = Row{"person_region": row["person_region"], "person_id": row["person_id"], "note": row["note"], "_synced_at": row["_synced_at"]}
	}
	if diff := cmp.Diff(m.Visits(), visits); diff != "" {
		rt.Fatalf("visits (-want +got):\n%s", diff)
	}
}

// texts are the rows of a table, their columns joined; none may come twice.
func texts(t testing.TB, rt rapid.TB, s *session, table string, columns ...string) map[string]bool {
	rt.Helper()
	all := map[string]bool{}
	for _, row := range s.to.Rows(t, s.schema, table) {
		var parts []string
		for _, c := range columns {
			parts = append(parts, row[c])
		}
		k := strings.Join(parts, "/")
		if all[k] {
			rt.Fatalf("%s of %s is stored twice", k, table)
		}
		all[k] = true
	}
	return all
}

// follower is a consumer downstream: it reads what moved since it last looked and replaces the children of it.
type follower struct {
	seen   string
	people map[string]Row
	tags   map[string]bool
	photos map[string]bool
}

func newFollower() *follower {
	return &follower{people: map[string]Row{}, tags: map[string]bool{}, photos: map[string]bool{}}
}

func (f *follower) read(t testing.TB, s *session) {
	moved := map[string]bool{}
	latest := f.seen
	for _, row := range s.to.Rows(t, s.schema, "people_all") {
		if row["_synced_at"] <= f.seen {
			continue
		}
		k := row["region"] + "/" + row["id"]
		moved[k], f.people[k] = true, row
		latest = max(latest, row["_synced_at"])
	}
	maps.DeleteFunc(f.tags, func(tag string, _ bool) bool { return moved[tag[:strings.LastIndex(tag, "/")]] })
	for _, row := range s.to.Rows(t, s.schema, "people_tags") {
		if k := row["person_region"] + "/" + row["person_id"]; moved[k] {
			f.tags[k+"/"+row["tag"]] = true
		}
	}
	maps.DeleteFunc(f.photos, func(photo string, _ bool) bool { return moved[owner(photo)] })
	for photo := range texts(t, t, s, "people_photos", "region", "person", "visit_id", "photo") {
		if moved[owner(photo)] {
			f.photos[photo] = true
		}
	}
	f.seen = latest
}

// owner is the person that a text of a child table begins with.
func owner(text string) string {
	parts := strings.SplitN(text, "/", 3)
	return parts[0] + "/" + parts[1]
}

func (f *follower) compare(rt rapid.TB, m *Model) {
	rt.Helper()
	got := map[string]Row{}
	for k, row := range f.people {
		row = maps.Clone(row)
		delete(row, "_api_version")
		delete(row, "_run_id")
		got[k] = row
	}
	if diff := cmp.Diff(m.People(), got); diff != "" {
		rt.Fatalf("a consumer of _synced_at has other people (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(m.Tags(), f.tags); diff != "" {
		rt.Fatalf("a consumer of _synced_at has other tags (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(m.photoRows(), f.photos); diff != "" {
		rt.Fatalf("a consumer of _synced_at has other photos (-want +got):\n%s", diff)
	}
}
