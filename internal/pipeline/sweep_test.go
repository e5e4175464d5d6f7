package pipeline_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
)

// TestT28ListThatShiftsWhileItIsReadLosesNobody takes entries out of the inactive list's first page, and puts others in,
// while its second is asked for: each shift hides an entry from the walk. Nobody who is still listed may count as gone.
func TestT28ListThatShiftsWhileItIsReadLosesNobody(t *testing.T) {
	t.Parallel()
	for _, order := range []emulator.Order{emulator.OrderRecent, emulator.OrderOldest, emulator.OrderRandom} {
		t.Run("order "+string(order), func(t *testing.T) {
			t.Parallel()
			c := tiny(51)
			c.Inactive, c.DeletedOrder = 158, order
			b := newBed(t, c)
			b.sync(runner.Options{})
			for round := range 2 {
				moved := 0
				b.space.Between(func(int) {
					if moved >= 3 {
						return
					}
					moved++
					b.space.Advance(time.Second)
					first, last := b.space.IDs("archived"), b.space.IDs("active")
					err := b.space.Unarchive(first[moved+5*round], false)
					if err == nil && round == 0 {
						err = b.space.Archive(last[moved])
					}
					if err != nil {
						t.Error(err)
					}
				})
				b.sync(runner.Options{})
				b.space.Between(nil)
				b.space.Advance(time.Hour)
				b.sync(runner.Options{})
				b.equalsOracle()
			}
		})
	}
}

// TestSweepOfAQuietListIsOneWalk: nothing is missing from a list that stood still.
// Holds: T28.
func TestSweepOfAQuietListIsOneWalk(t *testing.T) {
	t.Parallel()
	b := newBed(t, tiny(52))
	b.sync(runner.Options{})
	report := b.sync(runner.Options{Select: []string{"deleted_contacts"}})
	if s := stream(t, report, "deleted_contacts"); s.Requests != 1 {
		t.Errorf("%d requests for 40 entries that have not changed", s.Requests)
	}
	if err := b.space.Unarchive(b.space.IDs("archived")[0], false); err != nil {
		t.Fatal(err)
	}
	report = b.sync(runner.Options{Select: []string{"deleted_contacts"}})
	if s := stream(t, report, "deleted_contacts"); s.Requests != 2 || s.Gone != 1 {
		t.Errorf("%d requests and %d gone; want a second walk that agrees about the one", s.Requests, s.Gone)
	}
}

// TestT152EmptyListsTakeNobodyAway: a source that answers with empty lists looks like one that lost everything. The run
// says so until somebody accepts it, and looks anew each time.
// Holds: F19.
func TestT152EmptyListsTakeNobodyAway(t *testing.T) {
	serial(t)
	t.Parallel()
	b := newBed(t, tiny(53))
	b.sync(runner.Options{})
	before := b.rows("SELECT count(*), count(_gone_at) FROM deleted_contacts_all")
	b.space.SetKnobs(func(k *emulator.Knobs) { k.EmptyLists = true })
	for range 3 {
		report := b.try(runner.Options{})
		if s := stream(t, report, "deleted_contacts"); report.Exit() != problem.ExitFailed || s.Class != "data" || s.Requests == 0 {
			t.Errorf("%s\n%+v", report.LastLine(), report.Streams)
		}
		if got := b.rows("SELECT count(*), count(_gone_at) FROM deleted_contacts_all"); got[0] != before[0] {
			t.Fatalf("inactive contacts and those gone: %s, then %s", before, got)
		}
	}
	b.space.SetKnobs(func(k *emulator.Knobs) { k.EmptyLists = false })
	b.sync(runner.Options{})
	b.equalsOracle()

	b.space.SetKnobs(func(k *emulator.Knobs) { k.EmptyLists = true })
	b.try(runner.Options{})
	b.sync(runner.Options{Select: []string{"deleted_contacts"}, AcceptDrop: []string{"deleted_contacts"}})
	if got := b.rows("SELECT count(*) FROM deleted_contacts"); got[0] != "0" {
		t.Errorf("%s entries are left after the loss was accepted", got)
	}
}

// TestGuardLetsAFewGo: ten rows of a small table may leave at once.
func TestT152GuardLetsAFewGo(t *testing.T) {
	t.Parallel()
	c := tiny(54)
	c.Inactive = 12
	b := newBed(t, c)
	b.sync(runner.Options{})
	for _, id := range b.space.IDs("archived") {
		if err := b.space.Unarchive(id, false); err != nil {
			t.Fatal(err)
		}
	}
	b.space.Advance(time.Hour)
	b.sync(runner.Options{})
	b.equalsOracle()
}

// TestT152AThirdOfAListDoesNotLeaveItUnasked: more than ten rows leave at once when they are less than three in ten, or when somebody says
// that it is right.
func TestT152AThirdOfAListDoesNotLeaveItUnasked(t *testing.T) {
	serial(t)
	t.Parallel()
	c := tiny(56)
	c.Inactive = 60
	for leaving, unasked := range map[int]bool{17: true, 20: false} {
		b := newBed(t, c)
		b.sync(runner.Options{})
		for _, id := range b.space.IDs("archived")[:leaving] {
			b.must(b.space.Unarchive(id, false))
		}
		b.space.Advance(time.Hour)
		report := b.try(runner.Options{})
		if !unasked {
			failed := stream(t, report, "deleted_contacts")
			if want := fmt.Sprintf("%d of 60 rows have left the list at once", leaving); failed.Status != runlog.StatusFailed || failed.Class != "data" || !strings.Contains(failed.Error, want) {
				t.Errorf("%d left: %+v", leaving, failed)
			}
			if got := b.rows("SELECT count(*) FROM deleted_contacts"); got[0] != "60" {
				t.Errorf("%s of 60 are left", got)
			}
			report = b.try(runner.Options{AcceptDrop: []string{"deleted_contacts"}})
		}
		if report.Exit() != problem.ExitOK {
			t.Errorf("%d left: %s\n%+v", leaving, report.LastLine(), report.Streams)
		}
		b.equalsOracle()
	}
}

// TestInterruptedSweepGoesOn: a list cut between two pages by max_requests is finished by the next runs, which take the
// entries that were read for read.
func TestInterruptedSweepGoesOn(t *testing.T) {
	t.Parallel()
	c := tiny(55)
	c.Inactive = 400
	b := newBed(t, c)
	for n := range 6 {
		report := b.sync(runner.Options{Select: []string{"deleted_contacts"}, MaxRequests: 3})
		if s := stream(t, report, "deleted_contacts"); !s.Cut {
			if n == 0 {
				t.Error("three requests, one of them to know the workspace, read three pages")
			}
			break
		}
	}
	want := fmt.Sprint(len(b.space.Oracle("deleted_contacts")))
	if got := b.rows("SELECT count(*) FROM deleted_contacts"); got[0] != want {
		t.Errorf("%s entries, want %s", got, want)
	}
}
