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

// Run tests that a destination keeps the contract. The clock of the destination may stand still.
func Run(t *testing.T, open func(testing.TB) Committer) {
	t.Run("CommitIsIdempotent", func(t *testing.T) { checkIdempotent(t, newSession(t, open(t), "main")) })
	t.Run("CommitRefusesStaleCheckpoint", func(t *testing.T) { checkFencing(t, newSession(t, open(t), "main")) })
	t.Run("FailedCommitChangesNothing", func(t *testing.T) { checkAtomicity(t, newSession(t, open(t), "main")) })
	t.Run("SyncedAtAlwaysGrows", func(t *testing.T) { checkMonotonic(t, newSession(t, open(t), "main")) })
	t.Run("T8LaterCopyOfTheSameSecondWins", func(t *testing.T) { checkSameSecond(t, newSession(t, open(t), "main")) })
	t.Run("ListsThatStayTheSameAreNotWritten", func(t *testing.T) { checkSameLists(t, newSession(t, open(t), "main")) })
	t.Run("MergeIsTheModel", func(t *testing.T) { checkModel(t, open) })
}

// commitSession commits one batch after the other into a schema of its own.
type commitSession struct {
	to     Committer
	schema string
	at     load.Checkpoint
}

func newSession(t testing.TB, to Committer, schema string) *commitSession {
	t.Helper()
	if _, err := to.Ensure(t.Context(), schema, transform.Tables(Stream())); err != nil {
		t.Fatal(err)
	}
	return &commitSession{to: to, schema: schema}
}

func (s *commitSession) nextCheckpoint() load.Checkpoint {
	n := s.at
	n.Seq++
	n.State = fmt.Sprintf(`{"n":%d}`, n.Seq)
	n.SyncedTo = time.Unix(n.Seq, 0).UTC()
	return n
}

func (s *commitSession) commitPeople(t rapid.TB, people ...Person) load.Written {
	t.Helper()
	batches := Batches(0, people...)
	defer Release(batches)
	next := s.nextCheckpoint()
	w, err := s.to.Commit(context.Background(), s.schema, "people", s.at, next, batches)
	if err != nil {
		t.Fatal(err)
	}
	s.at = next
	return w
}

func checkIdempotent(t *testing.T, s *commitSession) {
	batches := Batches(0, Person{Region: "eu", ID: "1", Updated: 5, Name: "a", Tags: []string{"x"}})
	defer Release(batches)
	next := s.nextCheckpoint()
	first, err := s.to.Commit(t.Context(), s.schema, "people", s.at, next, batches)
	if err != nil || first.New != 1 || first.Rows != 2 {
		t.Fatalf("first commit: %+v, %v", first, err)
	}
	again, err := s.to.Commit(t.Context(), s.schema, "people", s.at, next, batches)
	if err != nil || again.Rows != 0 {
		t.Fatalf("the same commit again: %+v, %v; want no rows and no error", again, err)
	}
	s.at = next
	replay := s.commitPeople(t, Person{Region: "eu", ID: "1", Updated: 5, Name: "a", Tags: []string{"x"}})
	if replay.Rows != 0 {
		t.Errorf("the same record again wrote %d rows, want 0", replay.Rows)
	}
	if rows := s.to.Rows(t, s.schema, "people_all"); len(rows) != 1 || rows[0]["_synced_at"] != formatTime(first.SyncedAt) {
		t.Errorf("rows %v, want one of %s", rows, formatTime(first.SyncedAt))
	}
	stored, err := s.to.Checkpoint(t.Context(), s.schema, "people")
	s.at.Workspace, s.at.Stream = s.schema, "people"
	if diff := cmp.Diff(s.at, stored); err != nil || diff != "" {
		t.Errorf("checkpoint: %v %s", err, diff)
	}
}

func checkFencing(t *testing.T, s *commitSession) {
	none := *s
	s.commitPeople(t, Person{Region: "eu", ID: "1", Updated: 5, Name: "a"})
	first := *s
	s.commitPeople(t, Person{Region: "eu", ID: "1", Updated: 6, Name: "b"})
	batches := Batches(0, Person{Region: "eu", ID: "1", Updated: 7, Name: "c"})
	defer Release(batches)
	for _, old := range []commitSession{none, first} {
		next := old.nextCheckpoint()
		next.State = "of somebody else"
		if _, err := s.to.Commit(t.Context(), s.schema, "people", old.at, next, batches); !errors.Is(err, load.ErrFenced) {
			t.Errorf("a commit on checkpoint %d: %v, want ErrFenced", old.at.Seq, err)
		}
	}
	skipped := s.nextCheckpoint()
	skipped.Seq++
	if _, err := s.to.Commit(t.Context(), s.schema, "people", s.at, skipped, batches); err == nil {
		t.Error("a commit that skips a number succeeded")
	}
	if rows := s.to.Rows(t, s.schema, "people_all"); len(rows) != 1 || rows[0]["name"] != "b" {
		t.Errorf("rows %v, want b alone", rows)
	}
}

func checkAtomicity(t *testing.T, s *commitSession) {
	s.commitPeople(t, Person{Region: "eu", ID: "1", Updated: 5, Name: "a", Tags: []string{"x"}})
	before := s.to.Rows(t, s.schema, "people_all")
	batches := Batches(0, Person{Region: "eu", ID: "1", Updated: 6, Name: "b"}, Person{Region: "eu", ID: "2", Updated: 6, Name: "c"})
	defer Release(batches)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.to.Commit(ctx, s.schema, "people", s.at, s.nextCheckpoint(), batches); err == nil {
		t.Fatal("a commit whose context has ended succeeded")
	}
	stranger := batches[0]
	stranger.Table.Name = "nobody_all"
	if _, err := s.to.Commit(t.Context(), s.schema, "people", s.at, s.nextCheckpoint(), append(batches, stranger)); err == nil {
		t.Fatal("a commit into a table that is not there succeeded")
	}
	if diff := cmp.Diff(before, s.to.Rows(t, s.schema, "people_all")); diff != "" {
		t.Errorf("failed commits changed rows: %s", diff)
	}
	if stored, err := s.to.Checkpoint(t.Context(), s.schema, "people"); err != nil || stored.Seq != s.at.Seq {
		t.Errorf("failed commits moved the checkpoint to %d, %v; want %d", stored.Seq, err, s.at.Seq)
	}
	if w := s.commitPeople(t, Person{Region: "eu", ID: "2", Updated: 6, Name: "c"}); w.New != 1 {
		t.Errorf("the commit after them: %+v", w)
	}
}

func checkMonotonic(t *testing.T, s *commitSession) {
	var last time.Time
	for i := range 6 {
		if i%2 == 1 {
			s.to.Restart(t)
			newSession(t, s.to, s.schema)
		}
		w := s.commitPeople(t, Person{Region: "eu", ID: fmt.Sprint(i), Updated: 5})
		if !w.SyncedAt.After(last) {
			t.Errorf("commit %d is of %s, the one before of %s", i, w.SyncedAt, last)
		}
		last = w.SyncedAt
	}
}

// checkSameLists changes people without their tags, then the tags of one.
func checkSameLists(t *testing.T, s *commitSession) {
	synced := func() map[string]string {
		at := map[string]string{}
		for _, row := range s.to.Rows(t, s.schema, "people_tags") {
			at[row["person_id"]+row["tag"]] = row["_synced_at"]
		}
		return at
	}
	first := formatTime(s.commitPeople(t, Person{Region: "eu", ID: "1", Updated: 5, Name: "a", Tags: []string{"x", "y"}}, Person{Region: "eu", ID: "2", Updated: 5, Tags: []string{"x"}}).SyncedAt)
	w := s.commitPeople(t, Person{Region: "eu", ID: "1", Updated: 6, Name: "b", Tags: []string{"y", "x", "y"}}, Person{Region: "eu", ID: "3", Updated: 6, Tags: []string{"z"}})
	second := formatTime(w.SyncedAt)
	if diff := cmp.Diff(map[string]string{"1x": first, "1y": first, "2x": first, "3z": second}, synced()); diff != "" || w.ChildRows != 1 || w.Deleted != 0 {
		t.Errorf("tags that stay the same have other times, %+v (-want +got):\n%s", w, diff)
	}
	w = s.commitPeople(t, Person{Region: "eu", ID: "1", Updated: 7, Name: "c", Tags: []string{"x"}}, Person{Region: "eu", ID: "2", Updated: 7})
	if diff := cmp.Diff(map[string]string{"1x": formatTime(w.SyncedAt), "3z": second}, synced()); diff != "" || w.ChildRows != 1 || w.Deleted != 3 {
		t.Errorf("other tags, %+v (-want +got):\n%s", w, diff)
	}
}

func checkSameSecond(t *testing.T, s *commitSession) {
	s.commitPeople(t, Person{Region: "eu", ID: "1", Updated: 5, Name: "first"})
	s.commitPeople(t, Person{Region: "eu", ID: "1", Updated: 5, Name: "second"}, Person{Region: "eu", ID: "1", Updated: 5, Name: "third"})
	s.commitPeople(t, Person{Region: "eu", ID: "1", Updated: 4, Name: "stale"})
	if rows := s.to.Rows(t, s.schema, "people_all"); len(rows) != 1 || rows[0]["name"] != "third" {
		t.Errorf("rows %v, want the third copy", rows)
	}
}

// drawPeople draws a batch where keys repeat, within it and over time.
func drawPeople() *rapid.Generator[[]Person] {
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

// checkModel commits random batches. After each it compares every table with the model, and what a consumer of _synced_at
// collected with the model too.
func checkModel(t *testing.T, open func(testing.TB) Committer) {
	var n atomic.Int64
	var to Committer
	rapid.Check(t, func(rt *rapid.T) {
		if n.Load()%20 == 0 { // one database has not enough memory for the tables of many sessions
			to = open(t)
		}
		s := newSession(t, to, fmt.Sprint("model_", n.Add(1)))
		m, follower := NewModel(), newFollower()
		for range rapid.IntRange(1, 6).Draw(rt, "commits") {
			batch := drawPeople().Draw(rt, "people")
			w := s.commitPeople(rt, batch...)
			added, changed := m.ApplyCommit(w.SyncedAt, batch...)
			if int(w.New) != added || int(w.Changed) != changed {
				rt.Errorf("commit counted %d new and %d changed, want %d and %d", w.New, w.Changed, added, changed)
			}
			compareTables(t, rt, s, m)
			follower.readMoved(t, s)
			follower.compareModel(rt, m)
		}
	})
}

func compareTables(t testing.TB, rt rapid.TB, s *commitSession, m *Model) {
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
	if diff := cmp.Diff(m.Tags(), joinedRows(t, rt, s, "people_tags", "person_region", "person_id", "tag")); diff != "" {
		rt.Fatalf("tags (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(m.photoRows(), joinedRows(t, rt, s, "people_photos", "region", "person", "visit_id", "photo")); diff != "" {
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

// joinedRows gives the rows of a table with their columns joined; a row that comes twice is an error.
func joinedRows(t testing.TB, rt rapid.TB, s *commitSession, table string, columns ...string) map[string]bool {
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

// syncedFollower is a consumer of _synced_at: it reads the rows that moved since it last looked, and replaces their
// children.
type syncedFollower struct {
	lastSynced string
	people     map[string]Row
	tags       map[string]bool
	photos     map[string]bool
}

func newFollower() *syncedFollower {
	return &syncedFollower{people: map[string]Row{}, tags: map[string]bool{}, photos: map[string]bool{}}
}

func (f *syncedFollower) readMoved(t testing.TB, s *commitSession) {
	moved := map[string]bool{}
	latest := f.lastSynced
	for _, row := range s.to.Rows(t, s.schema, "people_all") {
		if row["_synced_at"] <= f.lastSynced {
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
	maps.DeleteFunc(f.photos, func(photo string, _ bool) bool { return moved[ownerKey(photo)] })
	for photo := range joinedRows(t, t, s, "people_photos", "region", "person", "visit_id", "photo") {
		if moved[ownerKey(photo)] {
			f.photos[photo] = true
		}
	}
	f.lastSynced = latest
}

// ownerKey is the key of the person that a text of a child table begins with.
func ownerKey(text string) string {
	parts := strings.SplitN(text, "/", 3)
	return parts[0] + "/" + parts[1]
}

func (f *syncedFollower) compareModel(rt rapid.TB, m *Model) {
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
