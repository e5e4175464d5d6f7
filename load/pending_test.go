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

// TestNewAndChangedRowsAreEnqueuedForChildStreams also commits an answer to an id: it leaves the queue, unless its row
// changed after the question.
func TestNewAndChangedRowsAreEnqueuedForChildStreams(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	if _, err := w.Tables.Ensure(t.Context(), "main", transform.Tables(committest.Stream())); err != nil {
		t.Fatal(err)
	}
	seqs := map[string]int64{}
	commit := func(stream string, batches []transform.Batch) {
		t.Helper()
		w.now = w.now.Add(time.Minute)
		defer committest.Release(batches)
		base, err := w.Checkpoints.Checkpoint(t.Context(), "main", stream)
		if err != nil {
			t.Fatal(err)
		}
		seqs[stream]++
		next := load.Checkpoint{Workspace: "main", Stream: stream, Seq: base.Seq + 1, State: strconv.FormatInt(seqs[stream], 10)}
		if _, err := w.Commit(t.Context(), "main", stream, base, next, batches); err != nil {
			t.Fatal(err)
		}
	}
	people := func(list ...committest.Person) {
		t.Helper()
		batches := committest.Batches(0, list...)
		batches[0].ChildStreams = []transform.ChildStream{{Stream: "over", Column: "id"}}
		commit("people", batches)
	}
	waiting := func(want ...string) (at time.Time) {
		t.Helper()
		ids, at, err := w.ChildQueue.Pending(t.Context(), "main", "over")
		slices.Sort(ids)
		if err != nil || !slices.Equal(ids, want) {
			t.Errorf("%v wait, want %v; %v", ids, want, err)
		}
		return at
	}
	person := func(id, name string) committest.Person { return committest.Person{Region: "eu", ID: id, Name: name} }
	answered := func(at time.Time, ids ...string) {
		t.Helper()
		batches := committest.Batches(0)
		batches[0].Answered, batches[0].AskedAt = ids, at
		commit("over", batches)
	}

	people(person("1", "a"), person("2", "b"))
	at := waiting("1", "2")
	people(person("1", "a"), person("2", "changed"), person("3", "c"))
	waiting("1", "2", "3")
	answered(at, "1", "2")
	at = waiting("2", "3")
	answered(at, "2", "3")
	waiting()
	people(person("1", "a"), person("2", "changed"))
	waiting() // the same as they were
	base, err := w.Checkpoints.Checkpoint(t.Context(), "main", "over")
	if err != nil {
		t.Fatal(err)
	}
	next := base
	next.Seq++
	origins := []load.ParentTable{{Table: transform.Tables(committest.Stream())[0], Column: "id"}}
	if err := w.ChildQueue.EnqueueStored(t.Context(), "main", "over", base, next, origins); err != nil {
		t.Fatal(err)
	}
	w.Restart(t)
	waiting("1", "2", "3")
}
