package render

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/fleet"
	"aqueduck/internal/remote"
	"aqueduck/internal/runlog"
)

// TestStatusOfAnEmulatedWarehouseHasTheScheduledTime: the emulated clock stands until the next run, so its time then is not that of the schedule.
func TestStatusOfAnEmulatedWarehouseHasTheScheduledTime(t *testing.T) {
	t.Parallel()
	now, machine := time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC), time.Date(2031, 5, 4, 21, 19, 0, 0, time.UTC)
	for _, step := range []struct {
		next runlog.NextRun
		want string
	}{
		{runlog.NextRun{Pipeline: "nightly", At: now.Add(24 * time.Hour)}, "next      nightly at 21 Nov 02:00, in 24 h\n"},
		{runlog.NextRun{Pipeline: "nightly", At: now.Add(40 * time.Minute), Machine: machine.Add(40 * time.Minute)}, "next      nightly in 40 min, at 21:59 on this machine\n"},
		{runlog.NextRun{Pipeline: "nightly", At: now.Add(281 * time.Minute), Machine: machine.Add(281 * time.Minute), Try: 2},
			"next      nightly in 5 h, at 5 May 02:00 on this machine: retry 2 of 4, by aqueduck serve\n"},
	} {
		var out bytes.Buffer
		if PrintStatus(&runlog.Status{Dir: "data", Now: now, Next: []runlog.NextRun{step.next}}, &out); !strings.Contains(out.String(), step.want) {
			t.Errorf("it prints no line %q:\n%s", step.want, out.String())
		}
	}
}

// TestAMissingModelIsShown: a run whose models DuckDB refused ends well, and the models stay away until the file is corrected.
func TestAMissingModelIsShown(t *testing.T) {
	t.Parallel()
	const missing = "models/bad.sql:3: model models.bad: Binder Error: no column nope"
	kept := runlog.PastRun{Pipeline: "nightly", Line: "FAILED nightly published=no time=1s"}
	bad := runlog.PastRun{Pipeline: "nightly", Line: "OK nightly published=yes time=1s", MissingModels: missing}
	good := runlog.PastRun{Pipeline: "nightly", Line: "OK nightly published=unchanged time=1s"}
	const want = "missing   " + missing + "\n          next: correct the file, then aqueduck sync\n"
	for _, step := range []struct {
		runs  []runlog.PastRun
		shown bool
	}{{[]runlog.PastRun{kept, bad, good}, true}, {[]runlog.PastRun{good, bad}, false}} {
		var out bytes.Buffer
		if PrintStatus(&runlog.Status{Dir: "data", Runs: step.runs}, &out); strings.Contains(out.String(), want) != step.shown {
			t.Errorf("status prints:\n%s", out.String())
		}
	}
	var out bytes.Buffer
	if PrintRun(&runlog.RunDetail{PastRun: bad}, &out); !strings.Contains(out.String(), missing) {
		t.Errorf("runs show prints:\n%s", out.String())
	}
}

// TestStatusNamesStreamsThatAreNotRead: streams that no run has read to the end are named, with their own next step, and so are those that no run has begun.
// The error of each stream that failed is there, not only that of the first; and so is an object store that may have erased data.
func TestStatusNamesStreamsThatAreNotRead(t *testing.T) {
	t.Parallel()
	tags := runlog.StreamStatus{Workspace: "main", Stream: "tags", Outcome: "FAILED", Error: "stream tags: the key id is missing", Hint: "compare key: in streams/tags.yaml"}
	admins := runlog.StreamStatus{Workspace: "main", Stream: "admins", Outcome: "FAILED", Error: "10 of 10 rows are missing from the source list", Hint: "check the source"}
	begun := runlog.StreamStatus{Workspace: "main", Stream: "contacts"}
	for _, c := range []struct {
		status runlog.Status
		want   []string
	}{
		{runlog.Status{Unfinished: []runlog.StreamStatus{begun}, Streams: []runlog.StreamStatus{begun}}, []string{"data      published, but no run has read contacts to the end\n          next: aqueduck sync\n"}},
		{runlog.Status{Unfinished: []runlog.StreamStatus{begun, tags}, Streams: []runlog.StreamStatus{begun, tags, admins}}, []string{
			"data      published, but no run has read contacts, tags to the end\n          next: compare key: in streams/tags.yaml\n",
			"  tags: the key id is missing\n       next: compare key: in streams/tags.yaml\n", "  admins: 10 of 10 rows are missing from the source list\n       next: check the source\n"}},
		{runlog.Status{Streams: []runlog.StreamStatus{begun}, AsOf: time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC), NotRead: []runlog.NotRead{{Pipeline: "nightly", Streams: []string{"a", "b", "c", "d", "e", "f", "g"}}}},
			[]string{"not read  7 streams of nightly, which no run has begun: a, b, c, d, e and 2 more\n          next: aqueduck sync nightly --failed\n"}},
		{runlog.Status{Remote: &remote.StoreState{Place: "s3://lake/w", Epoch: 1, Whole: true, Unclean: true}},
			[]string{"store     s3://lake/w has this file\n          older objects there may still have erased or masked data: the next run deletes them\n"}},
	} {
		c.status.Dir = "data"
		var out strings.Builder
		PrintStatus(&c.status, &out)
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("got\n%s\nwant\n%s", out.String(), want)
			}
		}
	}
}

// TestStatusPassesOverRunsThatFoundALock: such a run says nothing about the data, and the process that it waited for has ended.
func TestStatusPassesOverRunsThatFoundALock(t *testing.T) {
	t.Parallel()
	busy := runlog.PastRun{Pipeline: "nightly", Class: "busy", Error: "another process still writes this warehouse", Next: "wait"}
	failed := runlog.PastRun{Pipeline: "nightly", Class: "auth", Error: "the token was refused", Next: "give a valid token"}
	var out strings.Builder
	PrintStatus(&runlog.Status{Dir: "data", Runs: []runlog.PastRun{busy, failed}}, &out)
	if got := out.String(); strings.Contains(got, "another process still") || !strings.Contains(got, "error[auth] the token was refused\n          next: give a valid token\n") {
		t.Errorf("status prints:\n%s", got)
	}
}

// TestAnErrorIsPrintedOnce: that of a single stream is the error of its run, too, and a full disk is the error of each stream.
func TestAnErrorIsPrintedOnce(t *testing.T) {
	t.Parallel()
	var streams []runlog.StreamStatus
	var ofRun []runlog.RunStream
	for _, name := range []string{"admins", "tags", "teams"} {
		text := "stream " + name + ": its list is empty"
		if name == "teams" {
			text = "the disk is full"
		}
		streams = append(streams, runlog.StreamStatus{Workspace: "eu", Stream: name, Outcome: "FAILED", Error: text, Hint: "wait"})
		ofRun = append(ofRun, runlog.RunStream{Workspace: "eu", Stream: name, Outcome: "FAILED", Error: text, Next: "wait"})
	}
	for _, told := range []string{"admins: its list is empty", "the disk is full"} {
		run := runlog.PastRun{Run: "R", Pipeline: "nightly", Outcome: "FAILED", Class: "data", Error: told, Next: "wait"}
		var status, detail strings.Builder
		PrintStatus(&runlog.Status{Dir: "data", Runs: []runlog.PastRun{run}, Streams: streams}, &status)
		PrintRun(&runlog.RunDetail{PastRun: run, Streams: ofRun}, &detail)
		for _, out := range []string{status.String(), detail.String()} {
			for line, want := range map[string]int{"error[data] " + told: 1, told: 1, "  tags: its list is empty\n       next: wait\n": 1} {
				if got := strings.Count(out, line); got != want {
					t.Errorf("with %q as the error of the run, %q is there %d times:\n%s", told, line, got, out)
				}
			}
		}
	}
}

// TestStatusOfARunUnderWayNamesItsPhases in words of one width.
func TestStatusOfARunUnderWayNamesItsPhases(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	PrintStatus(&runlog.Status{Dir: "data", Running: &runlog.Running{Pipeline: "nightly", Doing: "reading", Streams: []runlog.RunningStream{
		{Stream: "conversation_data_attributes", Phase: "reading"}, {Stream: "contacts", Phase: "backfill"}, {Stream: "tags", Phase: "waiting"}}}}, &out)
	for _, want := range []string{"          conversation_data_attributes reading  0 read", "          contacts                     backfill 0 read", "          tags                         waiting  0 read"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it prints no line %q:\n%s", want, out.String())
		}
	}
}

// TestTheNextRunOfAnEmulatedWorkspaceIsInTheTimeOfThisMachine: the same schedule stands in two lines of the list of workspaces as one time.
func TestTheNextRunOfAnEmulatedWorkspaceIsInTheTimeOfThisMachine(t *testing.T) {
	t.Parallel()
	machine, emulated := time.Date(2026, 11, 28, 13, 30, 0, 0, time.UTC), time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)
	next := time.Date(2026, 11, 29, 2, 0, 0, 0, time.UTC)
	var out strings.Builder
	err := PrintFleet([]fleet.Row{
		{Workspace: "eu", Now: emulated, Next: emulated.Add(next.Sub(machine)), Machine: next, Emulated: true, Last: &fleet.LastRun{Pipeline: "nightly", Started: emulated, Outcome: "OK"}},
		{Workspace: "us", Now: machine, Next: next}}, &out)
	if got := out.String(); err != nil || strings.Count(got, "29 Nov 02:00") != 2 || !strings.Contains(got, "\n  eu: emulated: LAST RUN is a time of that workspace, NEXT RUN a time of this machine\n") {
		t.Errorf("%v:\n%s", err, got)
	}
}
