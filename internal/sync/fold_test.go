package sync

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/sync/warehouse"
	"aqueduck/load"
	"aqueduck/load/committest"
	"aqueduck/load/layout"
	"aqueduck/load/publish"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// TestALongLogIsFoldedBetweenTheCommitsOfARun: the log stays short, but an interrupted run only commits. Every row is there for the next run.
func TestALongLogIsFoldedBetweenTheCommitsOfARun(t *testing.T) {
	t.Parallel()
	const foldAt, commits, people = 100 << 10, 12, 200
	dir, at := layout.Dir(t.TempDir()), time.Unix(1_700_000_000, 0)
	o := load.Options{RunID: "run", FoldAt: foldAt, Now: func() time.Time { at = at.Add(time.Second); return at }}
	if err := load.Prepare(dir); err != nil {
		t.Fatal(err)
	}
	w, err := warehouse.OpenWriter(t.Context(), dir, o, publish.Spec{RunID: "run"}, &schemas.Catalogue{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := w.Prepare(t.Context(), "main", transform.Tables(committest.Stream())); err != nil {
		t.Fatal(err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	var longest, added int64
	folds, bases := 0, map[string]load.Checkpoint{}
	for i := range commits {
		ctx := t.Context()
		if i >= commits/2 {
			ctx = stopped
		}
		var list []committest.Person
		for j := range people {
			list = append(list, committest.Person{Region: "eu", ID: fmt.Sprint(i, "-", j), Updated: 1_600_000_000, Name: strings.Repeat("x", 100)})
		}
		batches := committest.Batches(0, list...)
		stream := []string{"people", "others"}[i%2]
		base := bases[stream]
		bases[stream] = load.Checkpoint{Workspace: "main", Stream: stream, Seq: base.Seq + 1, State: fmt.Sprint(i)}
		before := w.Work.LogSize()
		written, err := w.Commit(ctx, "main", stream, base, bases[stream], batches)
		if committest.Release(batches); err != nil {
			t.Fatalf("commit %d: %v", i, err)
		}
		added += written.New
		if after := w.Work.LogSize(); after < before {
			folds++
		} else if ctx.Err() == nil {
			longest = max(longest, before)
		}
	}
	if folds == 0 || longest > foldAt {
		t.Errorf("%d folds, a log of %d bytes grew further, want at most %d", folds, longest, foldAt)
	}
	if w.Work.LogSize() < 2*foldAt {
		t.Errorf("the interrupted run has a log of %d bytes: it was folded", w.Work.LogSize())
	}
	if err := w.Work.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := load.OpenWork(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	own := transform.Tables(committest.Stream())[0]
	own.Key = []string{"id"} // EachKey takes one column
	var stored int64
	err = again.Facts.EachKey(t.Context(), "main", own, time.Time{}, func(string) { stored++ })
	if err != nil || stored != commits*people || added != stored {
		t.Errorf("%d rows stored, %d new, want %d: %v", stored, added, commits*people, err)
	}
}
