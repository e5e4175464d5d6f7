package pipeline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/lane"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
	"aqueduck/internal/verify"
)

// shownColumns are the columns of a contact that its history keeps.
const shownColumns = "id, role, email, name, phone, updated_at, custom_attributes::VARCHAR, owner_id, last_seen_at"

// TestT177HistoryAtATimeEqualsThePublishedRows runs six nights in which contacts are created, changed, merged, archived, blocked, deleted and
// reactivated, with and without a new updated_at. Each morning the published contacts equal the workspace's. In the end the history at the time of
// each run equals them, and between two runs the earlier ones. A state that ended with a deletion says how the contact left.
func TestT177HistoryAtATimeEqualsThePublishedRows(t *testing.T) {
	lane.SkipHeavy(t)
	skipInRaceRun(t)
	t.Parallel()
	c := tinyConfig(441)
	c.Contacts, c.Knobs = 80, emulator.Knobs{NoLag: true}
	b := newBedWith(t, c, nightly+"streams:\n  contacts: {history: true}\n")
	l := newLife(b, 441)
	type night struct {
		at    time.Time
		shown []string
		left  map[string]string
	}
	var nights []night
	ever := map[string]bool{}
	for range 6 {
		b.syncOnce(runner.Options{})
		b.equalsOracle()
		b.space.Advance(time.Second)
		n := night{at: b.space.CurrentTime(), shown: b.queryRows("SELECT " + shownColumns + " FROM contacts ORDER BY id"), left: map[string]string{}}
		for _, row := range b.queryRows("SELECT id, lifecycle FROM contacts_inactive") {
			id, word, _ := strings.Cut(row, "|")
			if n.left[id] = word; len(nights) > 0 {
				ever[word] = true
			}
		}
		nights = append(nights, n)
		if got := b.queryRows("SELECT count(*) FILTER (valid_to IS NULL), (SELECT count(*) FROM contacts) FROM contacts_history"); strings.Split(got[0], "|")[0] != strings.Split(got[0], "|")[1] {
			t.Errorf("night %d: open states, contacts: %s", len(nights), got[0])
		}
		l.applyEvents(40)
		b.space.Advance(20 * time.Hour)
	}
	for _, word := range []string{"archived", "blocked", "merged", "deleted", "pending_deletion", "permanently_deleted"} {
		if !ever[word] {
			t.Errorf("no contact was %s: the test says nothing of that", word)
		}
	}
	erased := b.queryRows("SELECT id FROM contacts_inactive WHERE lifecycle = 'permanently_deleted'")
	for i, n := range nights {
		want := slices.DeleteFunc(n.shown, func(row string) bool {
			id, _, _ := strings.Cut(row, "|")
			return slices.Contains(erased, id) // an erased contact has no history
		})
		for what, x := range map[string]time.Time{"that night": n.at, "before the next": n.at.Add(15 * time.Hour)} {
			at := "TIMESTAMPTZ '" + x.UTC().Format("2006-01-02 15:04:05.999999") + "+00'"
			got := b.queryRows(fmt.Sprintf("SELECT %s FROM contacts_history WHERE valid_from <= %s AND (valid_to IS NULL OR %[2]s < valid_to) ORDER BY id", shownColumns, at))
			if !slices.Equal(got, want) {
				t.Errorf("night %d, %s: %d contacts, were %d: %s", i+1, what, len(got), len(want), firstOther(got, want))
			}
		}
	}
	for _, row := range b.queryRows("SELECT id, arg_max(lifecycle, valid_from), max(epoch_us(valid_to)) FROM contacts_history GROUP BY id HAVING arg_max(valid_to IS NOT NULL, valid_from)") {
		told := strings.Split(row, "|")
		micros, err := strconv.ParseInt(told[2], 10, 64)
		b.failOn(err)
		at := slices.IndexFunc(nights, func(n night) bool { return !n.at.Before(time.UnixMicro(micros)) })
		if at < 0 || nights[at].left[told[0]] != told[1] {
			t.Errorf("contact %s ended as %s in night %d, was %s", told[0], told[1], at+1, nights[max(at, 0)].left[told[0]])
		}
	}
}

// TestT177VerifyFindsWrongHistoryStates plants the open state of an archived contact, as an earlier version left it, a missing state, and one with
// other values. Verify finds each without a request, and the next run corrects them.
func TestT177VerifyFindsWrongHistoryStates(t *testing.T) {
	t.Parallel()
	b := newBedWith(t, tinyConfig(443), nightly+"streams:\n  contacts: {history: true}\n")
	b.syncOnce(runner.Options{})
	ids := b.space.ContactIDs("active")
	b.failOn(b.space.ArchiveContact(ids[0]))
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	if v := b.verifyPublished(verify.VerifyOptions{}); v.Exit() != problem.ExitOK {
		t.Fatalf("before: %s", verificationText(v))
	}
	b.plantRows("UPDATE contacts_history SET valid_to = NULL, lifecycle = NULL WHERE id = '"+ids[0]+"'", "DELETE FROM contacts_history WHERE id = '"+ids[1]+"'",
		"UPDATE contacts_history SET name = 'another' WHERE id = '"+ids[2]+"' AND valid_to IS NULL", "DELETE FROM _sync.meta WHERE key LIKE 'aligned %'",
		"UPDATE _sync.tables SET rows = rows - 1 WHERE table_name = 'contacts_history'")
	want := []string{"contacts_history ghost " + ids[0] + " ", "contacts_history missing " + ids[1] + " ", "contacts_history stale " + ids[2] + " "}
	if got := listDifferences(b.verifyPublished(verify.VerifyOptions{})); !slices.Equal(got, want) {
		t.Errorf("verify finds\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	b.goOnFromPlanted()
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	if v := b.verifyPublished(verify.VerifyOptions{}); v.Exit() != problem.ExitOK {
		t.Errorf("after: %s", verificationText(v))
	}
	if got := b.queryRows("SELECT lifecycle FROM contacts_history WHERE id = '" + ids[0] + "' AND valid_to IS NOT NULL"); len(got) != 1 || got[0] != "archived" {
		t.Errorf("the archived contact's state ended as %v", got)
	}
}

// TestT178HistoryTurnedOffStaysInFileAndLake removes history: true from the configuration, and puts it back. File and lake have the same tables in
// each case, older states stay, none is open, and a note says so. Erasures reach them.
func TestT178HistoryTurnedOffStaysInFileAndLake(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(442)).publishingLake()
	with, without := "streams:\n  doors: {history: true}\n", ""
	d := b.withDoors(with)
	own := strings.TrimSuffix(b.readConfig(), with)
	doorsOnly := runner.Options{Select: []string{"doors"}}
	both := func(when string) {
		t.Helper()
		inFile := b.queryRows("SELECT table_name FROM _sync.tables WHERE schema = 'main' AND table_name LIKE 'doors%' ORDER BY 1")
		var inLake []string
		for _, name := range inFile {
			if _, err := os.Stat(filepath.Join(b.runner.Dir.Lake("main"), name, "all.parquet")); err == nil {
				inLake = append(inLake, name)
			}
		}
		if len(inFile) != 2 || !slices.Equal(inFile, inLake) {
			t.Errorf("%s: the file has %v, the lake %v", when, inFile, inLake)
		}
		if got := b.queryRows("SELECT count(*) FROM _sync.dictionary WHERE table_name = 'doors_history' AND doc <> ''"); got[0] == "0" {
			t.Errorf("%s: the dictionary does not say what doors_history is", when)
		}
	}
	history := func(want ...string) {
		t.Helper()
		if got := b.queryRows("SELECT id, state, valid_to IS NULL, lifecycle FROM doors_history ORDER BY id, valid_from"); !slices.Equal(got, want) {
			t.Errorf("history %v, want %v", got, want)
		}
	}
	d.showPages(doorJSON(1, 0, "open"), doorJSON(2, 0, "open"))
	b.syncOnce(doorsOnly)
	both("kept")
	b.space.Advance(time.Hour)
	d.showPages(doorJSON(1, 0, "open"), doorJSON(2, 5, "shut"))
	b.writeConfig(own + without)
	report := b.syncOnce(doorsOnly)
	if notes := strings.Join(report.Notes, "\n"); !strings.Contains(notes, "doors_history is no longer updated: 2 states ended with this run") {
		t.Errorf("the run says %q", notes)
	}
	both("taken out")
	history("1|open|false|∅", "2|open|false|∅")
	b.space.Advance(time.Hour)
	if report := b.syncOnce(doorsOnly); len(report.Notes) > 0 {
		t.Errorf("the run after says %q", report.Notes)
	}
	both("a run later")
	b.writeConfig(own + with)
	b.space.Advance(time.Hour)
	b.syncOnce(doorsOnly)
	both("put back")
	history("1|open|false|∅", "1|open|true|∅", "2|open|false|∅", "2|shut|true|∅")
	b.space.Advance(time.Hour)
	d.showPages(doorJSON(1, 0, "open"))
	b.syncOnce(doorsOnly)
	history("1|open|false|∅", "1|open|true|∅", "2|open|false|∅", "2|shut|false|gone")
}
