package extract

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"aqueduck/extract/internal/apitest"
	"aqueduck/extract/internal/scan"
	"aqueduck/schemas"
)

// serveTree is a list by number with records below each other: by the id of a record, or none, the ids of the records below.
func serveTree(t testing.TB, inside map[string][]string) *fakeAPI {
	t.Helper()
	return serveAPI(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		q := r.URL.Query()
		ids, there := inside[q.Get("within")]
		if !there {
			apitest.Reply(w, errNotFound)
			return
		}
		page, size := scan.Count([]byte(q.Get("page"))), scan.Count([]byte(q.Get("per_page")))
		var records []string
		from := min((page-1)*size, int64(len(ids)))
		for _, id := range ids[from:min(from+size, int64(len(ids)))] {
			records = append(records, fmt.Sprintf(`{"id":%q,"in":%q}`, id, q.Get("within")))
		}
		var next any
		if page*size < int64(len(ids)) {
			next = map[string]any{"page": page + 1}
		}
		apitest.Reply(w, envelopeOf(records, len(ids), next))
	})
}

func treeStream(unless ...string) *schemas.Stream {
	s := sweepStream()
	s.Read.Page.Size = 2
	s.Read.Below = &schemas.Below{As: "within", Unless: unless}
	return s
}

// TestATreeIsWalkedToItsLeavesInOneSweep has a record that disappeared since it was listed, and a cycle.
func TestATreeIsWalkedToItsLeavesInOneSweep(t *testing.T) {
	t.Parallel()
	a := serveTree(t, map[string][]string{"": {"a", "b", "c"}, "a": {"d"}, "c": {}, "d": {"e", "a"}, "e": {}})
	ids, pages := drainPhase(t, NewReader(a.newClient(t), Request{Stream: treeStream()}))
	if slices.Sort(ids); !slices.Equal(ids, []string{"a", "a", "b", "c", "d", "e"}) || len(a.Requests()) != 7 {
		t.Errorf("read %v in %d requests", ids, len(a.Requests()))
	}
	for i, p := range pages {
		if end := i == len(pages)-1; p.Boundary != end || p.State.Position != nil || (p.State.Window == nil) != end || (p.State.SyncedTo > 0) != end {
			t.Errorf("page %d of %d: %s", i, len(pages), p.State)
		}
	}
	if lastState(pages).Sweep.Steady {
		t.Error("a list that one has gone from stood still")
	}
}

// TestATreeWhoseRootIsAskedForByTheSameParameter sends the key of a record in place of the root's.
func TestATreeWhoseRootIsAskedForByTheSameParameter(t *testing.T) {
	t.Parallel()
	a := serveTree(t, map[string][]string{"root": {"a", "b"}, "a": {"c"}, "b": {}, "c": {}})
	s := treeStream()
	s.Read.Query = []schemas.Param{{Name: "within", Value: "root"}}
	ids, _ := drainPhase(t, NewReader(a.newClient(t), Request{Stream: s}))
	if slices.Sort(ids); !slices.Equal(ids, []string{"a", "b", "c"}) {
		t.Errorf("read %v", ids)
	}
}

// TestInterruptedTreeIsWalkedFromItsRoot because no state has the lists below earlier pages.
func TestInterruptedTreeIsWalkedFromItsRoot(t *testing.T) {
	t.Parallel()
	a := serveTree(t, map[string][]string{"": {"a", "b", "c"}, "a": {"d"}, "b": {}, "c": {}, "d": {}})
	c := a.newClient(t)
	page, err := NewReader(c, Request{Stream: treeStream()}).Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ids, pages := drainPhase(t, NewReader(c, Request{Stream: treeStream(), State: page.State}))
	if slices.Sort(ids); !slices.Equal(ids, []string{"a", "b", "c", "d"}) || !lastState(pages).Sweep.Steady {
		t.Errorf("read %v, %s", ids, lastState(pages))
	}
}

// TestListThatIncludesChildrenIsNotWalkedAsATree shows it only on the second page.
func TestListThatIncludesChildrenIsNotWalkedAsATree(t *testing.T) {
	t.Parallel()
	var asked int
	a := serveAPI(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		asked++
		if r.URL.Query().Get("page") == "1" {
			apitest.Reply(w, envelopeOf([]string{`{"id":"a","in":null}`, `{"id":"b"}`}, 3, map[string]any{"page": 2}))
			return
		}
		apitest.Reply(w, envelopeOf([]string{`{"id":"c","in":"a"}`}, 3, nil))
	})
	ids, pages := drainPhase(t, NewReader(a.newClient(t), Request{Stream: treeStream("in")}))
	if !slices.Equal(ids, []string{"a", "b", "c"}) || asked != 2 || !pages[1].Boundary {
		t.Errorf("read %v in %d requests", ids, asked)
	}
}
