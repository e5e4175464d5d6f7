package pipeline_test

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/lane"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/load"
	"aqueduck/transform"
)

// TestT28ShiftingListDeletesNoContact removes entries from the first page of the inactive list, and adds others, while the second page is
// requested. Each shift hides an entry from the sweep. No listed contact may count as gone.
func TestT28ShiftingListDeletesNoContact(t *testing.T) {
	t.Parallel()
	orders := []emulator.InactiveOrder{emulator.OrderRandom, emulator.OrderRecent, emulator.OrderOldest}
	for _, order := range orders[:lane.Cases(1, 3)] {
		t.Run("order "+string(order), func(t *testing.T) {
			t.Parallel()
			c := tinyConfig(51)
			c.Inactive, c.DeletedOrder = 158, order
			b := newBed(t, c)
			b.syncOnce(runner.Options{})
			for round := range 2 {
				moved := 0
				b.space.RunBetween(func(int) {
					if moved >= 3 {
						return
					}
					moved++
					b.space.Advance(time.Second)
					first, last := b.space.ContactIDs("archived"), b.space.ContactIDs("active")
					err := b.space.UnarchiveContact(first[moved+5*round], false)
					if err == nil && round == 0 {
						err = b.space.ArchiveContact(last[moved])
					}
					if err != nil {
						t.Error(err)
					}
				})
				b.syncOnce(runner.Options{})
				b.space.RunBetween(nil)
				b.space.Advance(time.Hour)
				b.syncOnce(runner.Options{})
				b.equalsOracle()
			}
		})
	}
}

// TestUnchangedListNeedsOneSweep: no row is missing from a list that did not change.
// Holds: T28.
func TestUnchangedListNeedsOneSweep(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(52))
	b.syncOnce(runner.Options{})
	report := b.syncOnce(runner.Options{Select: []string{"deleted_contacts"}})
	if s := streamResult(t, report, "deleted_contacts"); s.Requests != 1 {
		t.Errorf("%d requests for 40 entries that have not changed", s.Requests)
	}
	if err := b.space.UnarchiveContact(b.space.ContactIDs("archived")[0], false); err != nil {
		t.Fatal(err)
	}
	report = b.syncOnce(runner.Options{Select: []string{"deleted_contacts"}})
	if s := streamResult(t, report, "deleted_contacts"); s.Requests != 2 || s.Gone != 1 {
		t.Errorf("%d requests and %d gone; want a second walk that agrees about the one", s.Requests, s.Gone)
	}
}

// TestAListThatDidNotChangeIsReadRightWhenItDoes reads a list until its checkpoint notes that it stays the same, and then changes it in each
// way: an entry leaves, returns, and two at once take each other's place. In between the list is as it was.
// Holds: T28, T199.
func TestAListThatDidNotChangeIsReadRightWhenItDoes(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	b := newBed(t, tinyConfig(52))
	noted := func() (unchanged bool, moves int) {
		row := b.queryRows("SELECT state->>'$.unchanged.list' IS NOT NULL, seq FROM _sync.checkpoints WHERE stream = 'deleted_contacts'")[0]
		if _, err := fmt.Sscanf(strings.ReplaceAll(row, "|", " "), "%t %d", &unchanged, &moves); err != nil {
			t.Fatalf("%q: %v", row, err)
		}
		return unchanged, moves
	}
	only := runner.Options{Select: []string{"deleted_contacts"}}
	quiet := func() {
		t.Helper()
		b.syncOnce(only)
		unchanged, before := noted()
		b.space.Advance(time.Minute)
		report := b.syncOnce(only)
		if still, after := noted(); !unchanged || !still || after != before+1 || report.TotalRows() != 0 {
			t.Errorf("a list that did not change: noted %t, then %t; %d moves of its checkpoint, want 1; %d rows", unchanged, still, after-before, report.TotalRows())
		}
	}
	b.syncOnce(runner.Options{})
	quiet()
	left := b.space.ContactIDs("archived")[0]
	for what, change := range map[string]func() error{
		"one leaves":  func() error { return b.space.UnarchiveContact(left, false) },
		"one arrives": func() error { return b.space.ArchiveContact(b.space.ContactIDs("active")[3]) },
		"one each": func() error {
			err := b.space.UnarchiveContact(b.space.ContactIDs("archived")[1], false)
			return errors.Join(err, b.space.ArchiveContact(b.space.ContactIDs("active")[5]))
		},
	} {
		if err := change(); err != nil {
			t.Fatal(what, err)
		}
		b.space.Advance(time.Hour)
		b.syncOnce(runner.Options{})
		if unchanged, _ := noted(); unchanged {
			t.Errorf("%s: the checkpoint notes an unchanged list", what)
		}
		b.equalsOracle()
		quiet()
		b.equalsOracle()
	}
}

// TestT199AnUnchangedListIsComparedWhenItsRowsChanged: a stored entry is soft-deleted beside the list, which still has it. The next run stores it
// again.
func TestT199AnUnchangedListIsComparedWhenItsRowsChanged(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(52))
	only := runner.Options{Select: []string{"deleted_contacts"}}
	b.syncOnce(runner.Options{})
	b.syncOnce(only)
	if b.loadState("deleted_contacts").Unchanged == nil {
		t.Fatal("the checkpoint does not note that the list stayed the same")
	}
	s, _ := b.runner.Catalogue.Stream("deleted_contacts")
	d, err := transform.NewDecoder(s, transform.Options{})
	b.failOn(err)
	d.AppendGone(b.space.ContactIDs("archived")[0], transform.Meta{ReadAt: b.space.CurrentTime()})
	work, err := load.OpenWork(t.Context(), b.runner.Dir, load.Options{Now: b.space.CurrentTime, RunID: "beside"})
	b.failOn(err)
	_, err = work.Tables.Ensure(t.Context(), "main", transform.Tables(s))
	b.failOn(err)
	base, err := work.Checkpoints.Checkpoint(t.Context(), "main", s.Name)
	b.failOn(err)
	next := base
	next.Seq++
	_, err = work.Commit(t.Context(), "main", s.Name, base, next, d.Take())
	b.failOn(errors.Join(err, work.Close()))
	b.space.Advance(time.Minute)
	if report := b.syncOnce(only); report.TotalRows() != 1 {
		t.Errorf("%d rows were written, want the entry that was soft-deleted", report.TotalRows())
	}
	b.equalsOracle()
}

// TestT152EmptyListsDeleteNoContact: a source that answers with empty lists looks like one that lost everything. The run reports it until the
// operator accepts it, and reads again each time.
// Holds: F19.
func TestT152EmptyListsDeleteNoContact(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := newBed(t, tinyConfig(53))
	b.syncOnce(runner.Options{})
	const stored = "SELECT count(*), count(_gone_at), (SELECT synced_to FROM _sync.checkpoints WHERE stream = 'deleted_contacts') FROM deleted_contacts_all"
	before := b.queryRows(stored)
	b.space.SetKnobs(func(k *emulator.Knobs) { k.EmptyLists = true })
	for range 3 {
		b.space.Advance(time.Minute)
		report := b.trySync(runner.Options{})
		if s := streamResult(t, report, "deleted_contacts"); report.Exit() != problem.ExitFailed || s.Class != "data" || s.Requests == 0 {
			t.Errorf("%s\n%+v", report.LastLine(), report.Streams)
		}
		if got := b.queryRows(stored); got[0] != before[0] {
			t.Fatalf("inactive contacts, those gone, and the watermark: %s, then %s", before, got)
		}
	}
	b.space.SetKnobs(func(k *emulator.Knobs) { k.EmptyLists = false })
	b.syncOnce(runner.Options{})
	b.equalsOracle()

	b.space.SetKnobs(func(k *emulator.Knobs) { k.EmptyLists = true })
	b.trySync(runner.Options{})
	b.syncOnce(runner.Options{Select: []string{"deleted_contacts"}, AcceptDrop: []string{"deleted_contacts"}})
	if got := b.queryRows("SELECT count(*) FROM deleted_contacts"); got[0] != "0" {
		t.Errorf("%s entries are left after the loss was accepted", got)
	}
}

// TestT152GuardAllowsFewDeletions: ten rows of a small table may disappear at once.
func TestT152GuardAllowsFewDeletions(t *testing.T) {
	t.Parallel()
	c := tinyConfig(54)
	c.Inactive = 12
	b := newBed(t, c)
	b.syncOnce(runner.Options{})
	for _, id := range b.space.ContactIDs("archived") {
		if err := b.space.UnarchiveContact(id, false); err != nil {
			t.Fatal(err)
		}
	}
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	b.equalsOracle()
}

// TestT152LossOfAThirdOfAListNeedsConsent: more than ten rows may disappear at once when they are less than 30 % of the table, or with the
// operator's consent.
func TestT152LossOfAThirdOfAListNeedsConsent(t *testing.T) {
	lane.SkipHeavy(t)
	skipInRaceRun(t)
	t.Parallel()
	c := tinyConfig(56)
	c.Inactive = 60
	for leaving, unasked := range map[int]bool{17: true, 20: false} {
		b := newBed(t, c)
		b.syncOnce(runner.Options{})
		for _, id := range b.space.ContactIDs("archived")[:leaving] {
			b.failOn(b.space.UnarchiveContact(id, false))
		}
		b.space.Advance(time.Hour)
		report := b.trySync(runner.Options{})
		if !unasked {
			failed := streamResult(t, report, "deleted_contacts")
			if want := fmt.Sprintf("%d of 60 rows are missing from the source list", leaving); failed.Status != runlog.StatusFailed || failed.Class != "data" || !strings.Contains(failed.Error, want) {
				t.Errorf("%d left: %+v", leaving, failed)
			}
			if got := b.queryRows("SELECT count(*) FROM deleted_contacts"); got[0] != "60" {
				t.Errorf("%s of 60 are left", got)
			}
			report = b.trySync(runner.Options{AcceptDrop: []string{"deleted_contacts"}})
		}
		if report.Exit() != problem.ExitOK {
			t.Errorf("%d left: %s\n%+v", leaving, report.LastLine(), report.Streams)
		}
		b.equalsOracle()
	}
}

// TestInterruptedSweepContinues: a list that max_requests cut between two pages is completed by the next runs, which do not read the earlier pages
// again.
func TestInterruptedSweepContinues(t *testing.T) {
	t.Parallel()
	c := tinyConfig(55)
	c.Inactive = 400
	b := newBed(t, c)
	for n := range 6 {
		report := b.syncOnce(runner.Options{Select: []string{"deleted_contacts"}, MaxRequests: 3})
		if s := streamResult(t, report, "deleted_contacts"); !s.Cut {
			if n == 0 {
				t.Error("three requests, one of them to identify the workspace, read three pages")
			}
			break
		}
	}
	want := fmt.Sprint(len(b.space.Oracle("deleted_contacts")))
	if got := b.queryRows("SELECT count(*) FROM deleted_contacts"); got[0] != want {
		t.Errorf("%s entries, want %s", got, want)
	}
}

// TestT165AShortListOfATreeDeletesNothing: the list of the root states twelve folders and leaves one out, in one night. The list that is read
// last is whole.
func TestT165AShortListOfATreeDeletesNothing(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := newBedWith(t, tinyConfig(142), strings.Replace(nightly, "contacts, deleted_contacts, contact_activities", "folders", 1))
	short := false
	b.interceptRequests(func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/folders" {
			return false
		}
		var records []string
		parent, stated := r.URL.Query().Get("parent_folder_id"), 0
		note := func(id, within string) {
			records = append(records, fmt.Sprintf(`{"type":"folder","id":%q,"parent_folder_id":%s,"name":"x","created_at":1700000000,"updated_at":1700000000}`, id, within))
		}
		if parent == "" {
			stated = 12
			for i := range 12 {
				if i != 5 || !short {
					note(fmt.Sprint("r", i), "null")
				}
			}
		} else if parent[0] == 'r' {
			stated = 1
			note("c"+parent[1:], strconv.Quote(parent))
		}
		if r.URL.Query().Get("page") != "1" {
			records = nil
		}
		rw.Header().Set("Date", b.space.CurrentTime().UTC().Format(http.TimeFormat))
		fmt.Fprintf(rw, `{"type":"list","data":[%s],"total_count":%d,"pages":{"type":"pages","next":null}}`, strings.Join(records, ","), stated)
		return true
	})
	b.syncOnce(runner.Options{})
	for range 2 {
		short = !short
		b.space.Advance(24 * time.Hour)
		report := b.trySync(runner.Options{})
		if s := streamResult(t, report, "folders"); short && (s.Class != "source" || !strings.Contains(s.Error, "states 23 records, but every sweep returned 22")) {
			t.Errorf("%s\n%+v", report.LastLine(), s)
		}
		if got := b.queryRows("SELECT count(*) FROM folders"); got[0] != "24" || !short && report.Exit() != problem.ExitOK {
			t.Errorf("short %t: %s of 24 folders; %s", short, got[0], report.LastLine())
		}
	}
}
