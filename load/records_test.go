package load_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"aqueduck/load"
	"aqueduck/load/committest"
	"aqueduck/load/facts"
	"aqueduck/transform"
)

// TestT152AbsentRowsAreSoftDeletedAfterTwoSweeps soft-deletes the rows that two sweeps did not read, but none that was
// written after they began.
func TestT152AbsentRowsAreSoftDeletedAfterTwoSweeps(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	w.ensureStream(t, committest.Stream())
	person := func(id string) committest.Person {
		return committest.Person{Region: "eu", ID: id, Updated: 5, Name: id}
	}
	w.commitPeople(t, 0, person("1"), person("2"), person("3"), person("4"))
	w.commitPeople(t, 0, committest.Person{Region: "eu", ID: "4", GoneAt: 9})
	opened := w.now.Add(time.Hour)
	w.now = opened.Add(time.Minute)
	w.commitPeople(t, 1, person("1"), person("1"))
	w.commitPeople(t, 2, person("2"))
	w.commitPeople(t, 0, person("5")) // written after the sweeps began

	sweep := load.Sweep{Table: "people_all", Number: 2, Opened: opened}
	absent, present, err := w.Sweeps.Absent(t.Context(), "main", "people", sweep, 1)
	if err != nil || absent != 1 || present != 3 {
		t.Fatalf("%d absent, %d present, %v; want 1 and 3", absent, present, err)
	}
	if absent, _, err = w.Sweeps.Absent(t.Context(), "main", "people", sweep); err != nil || absent != 2 {
		t.Fatalf("%d absent from the second sweep alone, %v; want 2", absent, err)
	}
	base, err := w.Checkpoints.Checkpoint(t.Context(), "main", "people")
	must(t, err)
	next := base
	next.Seq++
	written, err := w.Sweeps.SoftDeleteAbsent(t.Context(), "main", "people", base, next, sweep, 1)
	if err != nil || written.Changed != 1 {
		t.Fatalf("retire: %+v, %v; want one", written, err)
	}
	rows := byID(w.Rows(t, "main", "people_all"))
	if rows["3"]["_gone_at"] != "2026-11-01T03:00:00" || rows["3"]["name"] != "3" || rows["1"]["_gone_at"] != "" {
		t.Errorf("rows %v, want 3 alone gone, with its name", rows)
	}
	if left := len(w.Rows(t, "_sync", "seen")); left != 0 {
		t.Errorf("%d keys are left of the sweeps", left)
	}
	if view := byID(w.Rows(t, "main", "people")); len(view) != 3 || view["3"] != nil {
		t.Errorf("people %v, want 1, 2 and 5", view)
	}
	w.commitPeople(t, 0, person("3"))
	if view := byID(w.Rows(t, "main", "people")); view["3"] == nil {
		t.Error("a record that is read again is still gone")
	}
}

// Holds: T152.
func TestClearSeenKeysDropsOtherSweeps(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	w.ensureStream(t, committest.Stream())
	for sweep := range 3 {
		w.commitPeople(t, sweep+1, committest.Person{Region: "eu", ID: "1", Updated: 5})
	}
	must(t, w.Sweeps.ClearSeenKeys(t.Context(), "main", "people", 3))
	if rows := w.Rows(t, "_sync", "seen"); len(rows) != 1 || rows[0]["sweep"] != "3" || rows[0]["key"] != `["eu","1"]` {
		t.Errorf("seen %v, want the third sweep alone", rows)
	}
}

// Holds: S39.
func TestRunRecordsAreReplacedAndRetained(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	for _, c := range []struct {
		id  string
		age time.Duration
	}{{"ancient", 401 * 24 * time.Hour}, {"old", 91 * 24 * time.Hour}, {"new", time.Hour}, {"new", time.Hour}} {
		now := w.now
		w.now = now.Add(-c.age)
		must(t, w.Records.SaveRun(t.Context(), load.Run{RunID: c.id, Pipeline: "nightly", Started: w.now, Finished: w.now, Outcome: "OK", Rows: 5},
			[]load.StreamRun{{Schema: "main", Stream: "people", Outcome: "ok", Started: w.now, SyncedTo: w.now}},
			[]load.RejectRow{{Schema: "main", Stream: "people", Table: "people_all", Column: "name", Reason: "type", Count: 2}},
			[]load.Finding{{Schema: "main", Stream: "people", Kind: "soft", Name: "total_count", Message: "moved"}}))
		base, err := w.Checkpoints.Checkpoint(t.Context(), "main", "people")
		must(t, err)
		must(t, w.Checkpoints.MoveManually(t.Context(), base, load.Checkpoint{Workspace: "main", Stream: "people", Seq: base.Seq + 1}, "reset", c.id))
		w.now = now
	}
	must(t, w.Records.SaveRun(t.Context(), load.Run{RunID: "last", Started: w.now}, nil, nil, nil))
	for table, want := range map[string]string{"runs": "last new old", "stream_runs": "new", "rejects": "new", "audit": "new"} {
		ids, err := w.Facts.IDs(t.Context(), "main", "SELECT run_id || CASE WHEN count(*) > 1 THEN ' twice' ELSE '' END FROM _sync."+table+" GROUP BY run_id")
		if got := strings.Join(ids, " "); err != nil || got != want {
			t.Errorf("%s holds %q, %v; want %q", table, got, err, want)
		}
	}
	if by, err := w.Facts.IDs(t.Context(), "main", "SELECT DISTINCT moved_by FROM _sync.moves"); err != nil || strings.Join(by, " ") != "new old" {
		t.Errorf("moves by hand of %q, %v", by, err)
	}
}

// TestPastReadsAreThoseOfAUsualRun: the first run, which reads the history, and runs that were cut say nothing about the requests of the next one.
func TestPastReadsAreThoseOfAUsualRun(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	for i, run := range []struct {
		requests int64
		outcome  string
		share    float64
		want     facts.PastReads
	}{
		{40, "cut", 0.4, facts.PastReads{Share: 0.4}}, {5000, "ok", 1, facts.PastReads{Share: 1}}, {31, "ok", 1, facts.PastReads{Share: 1, Requests: 31}},
		{2, "FAILED", 1, facts.PastReads{Share: 1, Requests: 31}}, {33, "ok", 1, facts.PastReads{Share: 1, Requests: 33}}, {32, "ok", 1, facts.PastReads{Share: 1, Requests: 32}},
	} {
		w.now = w.now.Add(time.Hour)
		id := fmt.Sprint("run", i)
		must(t, w.Records.SaveRun(t.Context(), load.Run{RunID: id, Started: w.now, Finished: w.now, Outcome: "OK"},
			[]load.StreamRun{{Schema: "main", Stream: "people", Outcome: run.outcome, Started: w.now, Requests: run.requests, Backfill: run.share}}, nil, nil))
		if past, err := w.Facts.PastReads(t.Context(), "main"); err != nil || past["people"] != run.want {
			t.Errorf("after %s: %+v, %v; want %+v", id, past["people"], err, run.want)
		}
	}
}

func TestT115AnotherWorkspaceIsRefused(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	pinned := load.Workspace{Schema: "main", ID: "ws1", BaseURL: "https://api.example.test", APIVersion: "2.17"}
	if _, there, err := w.Records.FindWorkspace(t.Context(), "main"); there || err != nil {
		t.Fatalf("a new warehouse has a workspace: %t, %v", there, err)
	}
	must(t, w.Records.PinWorkspace(t.Context(), pinned))
	pinned.APIVersion = "2.18"
	must(t, w.Records.PinWorkspace(t.Context(), pinned))
	for _, other := range []load.Workspace{{Schema: "main", ID: "ws2"}, {Schema: "main", ID: "ws1", Emulated: true}} {
		if err := w.Records.PinWorkspace(t.Context(), other); !errors.Is(err, load.ErrOtherWorkspace) {
			t.Errorf("pin %+v: %v, want ErrOtherWorkspace", other, err)
		}
	}
	got, there, err := w.Records.FindWorkspace(t.Context(), "main")
	if diff := cmp.Diff(pinned, got); diff != "" || !there || err != nil {
		t.Errorf("workspace: %v %s", err, diff)
	}
}

func TestIDsAreReadFromTheFirstColumn(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	w.ensureStream(t, committest.Stream())
	w.commitPeople(t, 0, committest.Person{Region: "eu", ID: "2", Updated: 5}, committest.Person{Region: "us", ID: "2", Updated: 5}, committest.Person{Region: "eu", ID: "10", Updated: 5})
	ids, err := w.Facts.IDs(t.Context(), "main", "-- who\nSELECT id, region FROM {schema}.people UNION ALL SELECT NULL, NULL; ")
	if diff := cmp.Diff([]string{"10", "2"}, ids); err != nil || diff != "" {
		t.Errorf("ids: %v %s", err, diff)
	}
	if _, err := w.Facts.IDs(t.Context(), "main", "SELECT nothing FROM {schema}.people"); err == nil {
		t.Error("a query of a column that is not there succeeded")
	}
}

func TestWorkRefusesAfterClose(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	must(t, w.Close())
	if _, err := w.Checkpoints.Checkpoint(t.Context(), "main", "people"); err == nil {
		t.Error("a closed work database gave a checkpoint")
	}
	if _, err := w.Commit(t.Context(), "main", "people", load.Checkpoint{}, load.Checkpoint{Seq: 1}, nil); err == nil {
		t.Error("a closed work database took a commit")
	}
}

// TestT182RowsOfARefusedValueAreNotAbsent: a sweep that the source refused for one value proves nothing about the rows of
// that value.
func TestT182RowsOfARefusedValueAreNotAbsent(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	w.ensureStream(t, committest.Stream())
	w.commitPeople(t, 0, committest.Person{Region: "eu", ID: "1", Updated: 5, Name: "a"}, committest.Person{Region: "us", ID: "2", Updated: 5, Name: "b"},
		committest.Person{Region: "us", ID: "3", Updated: 5, Name: "c"})
	sweep := load.Sweep{Table: "people_all", Number: 1, Opened: w.now.Add(time.Hour)}
	if absent, present, err := w.Sweeps.Absent(t.Context(), "main", "people", sweep); err != nil || absent != 3 || present != 0 {
		t.Fatalf("%d absent, %d present, %v; want all absent", absent, present, err)
	}
	sweep.Column, sweep.Refused = "region", []string{"us", "it's"}
	if absent, present, err := w.Sweeps.Absent(t.Context(), "main", "people", sweep); err != nil || absent != 1 || present != 2 {
		t.Errorf("%d absent, %d present, %v; want those of us kept", absent, present, err)
	}
}

// TestTheStateOfTablesIsAnotherOneAfterEachChange: rows that come, change, are soft-deleted or return, and children alone.
func TestTheStateOfTablesIsAnotherOneAfterEachChange(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	tables := transform.Tables(committest.Stream())
	if _, err := w.Ensure(t.Context(), "main", tables); err != nil {
		t.Fatal(err)
	}
	state := func() string {
		t.Helper()
		text, err := w.Facts.TablesState(t.Context(), "main", tables)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	seen := map[string]string{state(): "nothing"}
	ada := committest.Person{Region: "eu", ID: "1", Updated: 10, Name: "Ada"}
	known := ada
	known.Visits = []committest.Visit{{ID: "v", Note: "n"}}
	renamed := known
	renamed.Name, renamed.Updated = "Ada L.", 20
	for i, step := range []struct {
		what   string
		person committest.Person
		same   bool
	}{
		{"a row", ada, false}, {"the same again", ada, true}, {"a child alone", known, false}, {"the same with it", known, true}, {"another name", renamed, false},
		{"it is gone", committest.Person{Region: "eu", ID: "1", GoneAt: 30}, false}, {"it returns", renamed, false},
	} {
		base, err := w.Checkpoint(t.Context(), "main", "people")
		if err != nil {
			t.Fatal(err)
		}
		next := base
		next.Seq, next.State = base.Seq+1, fmt.Sprint(i)
		batches := committest.Batches(0, step.person)
		before := state()
		if _, err := w.Commit(t.Context(), "main", "people", base, next, batches); err != nil {
			t.Fatal(err)
		}
		committest.Release(batches)
		if got := state(); (got == before) != step.same {
			t.Errorf("%s: %q, then %q", step.what, before, got)
		} else if other, taken := seen[got]; taken && !step.same {
			t.Errorf("%s: %q, as after %s", step.what, got, other)
		} else {
			seen[got] = step.what
		}
	}
}
