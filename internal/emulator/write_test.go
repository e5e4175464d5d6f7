package emulator_test

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// newJournaledClient returns a workspace with a journal, and the function that lets time pass in it; again replays the journal in a new
// workspace.
func newJournaledClient(t *testing.T) (c *apiClient, pass func(time.Duration), done *[]emulator.JournalEntry, again func() *emulator.Workspace) {
	t.Helper()
	var passed atomic.Int64
	config := emulator.Config{Contacts: 60, Now: func() time.Time {
		return time.Date(2024, 6, 15, 2, 0, 0, 0, time.UTC).Add(time.Duration(passed.Load()))
	}}
	c, done = startWorkspace(t, config), &[]emulator.JournalEntry{}
	c.w.SetJournal(func(d emulator.JournalEntry) error {
		*done = append(*done, d)
		return nil
	})
	return c, func(d time.Duration) { passed.Add(int64(d)) }, done, func() *emulator.Workspace {
		t.Helper()
		w := emulator.New(config)
		for _, d := range *done {
			failOn(t, w.ReplayOperation(d))
		}
		return w
	}
}

// sameTruth compares the oracles of two workspaces, for now and for the given times.
func sameTruth(t *testing.T, got, want *emulator.Workspace, times ...time.Time) {
	t.Helper()
	mine, theirs := snapshotOracle(got), snapshotOracle(want)
	for stream, rows := range mine.rows {
		if d := firstDifference(rows, theirs.rows[stream]); d != "" {
			t.Errorf("%s%s", stream, d)
		}
		for _, at := range times {
			now, err := got.TruthAt(stream, at)
			failOn(t, err)
			then, err := want.TruthAt(stream, at)
			failOn(t, err)
			if d := firstDifference(collectRows(now), collectRows(then)); d != "" {
				t.Errorf("%s at %s%s", stream, at, d)
			}
		}
	}
}

func collectRows(rows func(yield func(map[string]any) bool)) []string {
	var list []map[string]any
	for row := range rows {
		list = append(list, row)
	}
	return comparableRows(list)
}

func TestTheJournalHasWritesAndNoRefusals(t *testing.T) {
	t.Parallel()
	c, pass, done, again := newJournaledClient(t)
	id := c.createRecord("POST", "/contacts", m{"email": "a@example.com", "custom_attributes": m{"n": 1.5}})
	pass(time.Minute)
	c.createRecord("PUT", "/contacts/"+id, m{"name": "A", "email_verified": true})
	c.do("PUT", "/contacts/"+id, m{"name": 5})
	c.do("PUT", "/contacts/nobody", m{"name": "A"})
	if len(*done) != 2 {
		t.Errorf("the journal has %v", *done)
	}
	sameTruth(t, again(), c.w)
	c.w.SetJournal(func(emulator.JournalEntry) error { return errors.New("the disk is full") })
	if r := c.do("PUT", "/contacts/"+id, m{"name": "B"}); r.status != 500 || r.errorCode() != "server_error" {
		t.Errorf("what could not be written down is answered %d %s", r.status, r.raw)
	}
}

// An action that becomes due later never runs between the moment at which an operation, or a writing request, reads the clock and its change.
func TestDueActionsDoNotInterruptAnOperation(t *testing.T) {
	t.Parallel()
	var seconds atomic.Int64
	var interrupted atomic.Bool
	var asking sync.WaitGroup
	var w *emulator.Workspace
	config := emulator.Config{Contacts: 60, Now: func() time.Time {
		now := time.Date(2024, 6, 15, 2, 0, 0, 0, time.UTC).Add(time.Duration(seconds.Load()) * time.Second)
		if interrupted.CompareAndSwap(true, false) {
			seconds.Add(600)
			asking.Go(func() { w.CurrentState() })
		}
		return now
	}}
	w = emulator.New(config)
	c := serveWorkspace(t, w)
	var done []emulator.JournalEntry
	w.SetJournal(func(d emulator.JournalEntry) error { done = append(done, d); return nil })
	id := c.createRecord("POST", "/contacts", m{"external_id": "a"})
	c.submitBulkJob("PUT", "/contacts/bulk", m{"id": id, "name": "second"})
	interrupted.Store(true)
	c.doOperation("contacts.update", m{"id": id, "set": m{"name": "first", "phone": strings.Repeat("4", 4<<20)}}) // large enough to take a while to parse
	asking.Wait()
	again := emulator.New(config)
	for _, d := range done {
		failOn(t, again.ReplayOperation(d))
	}
	if got, redone := c.oracleRow("contacts", id)["name"], serveWorkspace(t, again).oracleRow("contacts", id)["name"]; got != "second" || redone != got {
		t.Errorf("it is called %v, and %v when the journal is done again", got, redone)
	}
}
