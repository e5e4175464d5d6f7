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

// journaled is a workspace whose journal is kept, and how time passes in it; again makes the workspace that does the journal again.
func journaled(t *testing.T) (c *client, pass func(time.Duration), done *[]emulator.Done, again func() *emulator.Workspace) {
	t.Helper()
	var passed atomic.Int64
	config := emulator.Config{Contacts: 60, Now: func() time.Time {
		return time.Date(2024, 6, 15, 2, 0, 0, 0, time.UTC).Add(time.Duration(passed.Load()))
	}}
	c, done = start(t, config), &[]emulator.Done{}
	c.w.Journal(func(d emulator.Done) error {
		*done = append(*done, d)
		return nil
	})
	return c, func(d time.Duration) { passed.Add(int64(d)) }, done, func() *emulator.Workspace {
		t.Helper()
		w := emulator.New(config)
		for _, d := range *done {
			must(t, w.Redo(d))
		}
		return w
	}
}

// sameTruth compares what two workspaces tell, of now and of the times given.
func sameTruth(t *testing.T, got, want *emulator.Workspace, times ...time.Time) {
	t.Helper()
	mine, theirs := remember(got), remember(want)
	for stream, rows := range mine.rows {
		if d := difference(rows, theirs.rows[stream]); d != "" {
			t.Errorf("%s%s", stream, d)
		}
		for _, at := range times {
			now, err := got.TruthAt(stream, at)
			must(t, err)
			then, err := want.TruthAt(stream, at)
			must(t, err)
			if d := difference(all(now), all(then)); d != "" {
				t.Errorf("%s at %s%s", stream, at, d)
			}
		}
	}
}

func all(rows func(yield func(map[string]any) bool)) []string {
	var list []map[string]any
	for row := range rows {
		list = append(list, row)
	}
	return alike(list)
}

func TestWhatIsWrittenIsInTheJournalAndWhatIsRefusedIsNot(t *testing.T) {
	t.Parallel()
	c, pass, done, again := journaled(t)
	id := c.made("POST", "/contacts", m{"email": "a@example.com", "custom_attributes": m{"n": 1.5}})
	pass(time.Minute)
	c.made("PUT", "/contacts/"+id, m{"name": "A", "email_verified": true})
	c.do("PUT", "/contacts/"+id, m{"name": 5})
	c.do("PUT", "/contacts/nobody", m{"name": "A"})
	if len(*done) != 2 {
		t.Errorf("the journal has %v", *done)
	}
	sameTruth(t, again(), c.w)
	c.w.Journal(func(emulator.Done) error { return errors.New("the disk is full") })
	if r := c.do("PUT", "/contacts/"+id, m{"name": "B"}); r.status != 500 || r.code() != "server_error" {
		t.Errorf("what could not be written down is answered %d %s", r.status, r.raw)
	}
}

// Between what an operation, or a writing request, reads of the clock and what it does nobody has anything happen that is due later.
func TestWhatIsDueLaterDoesNotHappenBeforeWhatIsBeingDone(t *testing.T) {
	t.Parallel()
	var seconds atomic.Int64
	var interrupted atomic.Bool
	var asking sync.WaitGroup
	var w *emulator.Workspace
	config := emulator.Config{Contacts: 60, Now: func() time.Time {
		now := time.Date(2024, 6, 15, 2, 0, 0, 0, time.UTC).Add(time.Duration(seconds.Load()) * time.Second)
		if interrupted.CompareAndSwap(true, false) {
			seconds.Add(600)
			asking.Go(func() { w.State() })
		}
		return now
	}}
	w = emulator.New(config)
	c := serve(t, w)
	var done []emulator.Done
	w.Journal(func(d emulator.Done) error { done = append(done, d); return nil })
	id := c.made("POST", "/contacts", m{"external_id": "a"})
	c.bulked("PUT", "/contacts/bulk", m{"id": id, "name": "second"})
	interrupted.Store(true)
	c.does("contacts.update", m{"id": id, "set": m{"name": "first", "phone": strings.Repeat("4", 4<<20)}}) // which takes a while to read
	asking.Wait()
	again := emulator.New(config)
	for _, d := range done {
		must(t, again.Redo(d))
	}
	if got, redone := c.row("contacts", id)["name"], serve(t, again).row("contacts", id)["name"]; got != "second" || redone != got {
		t.Errorf("it is called %v, and %v when the journal is done again", got, redone)
	}
}
