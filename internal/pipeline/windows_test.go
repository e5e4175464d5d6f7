package pipeline_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/runner"
	"aqueduck/load/layout"
)

// TestT60FullRefreshesDoNotPutOffTheReconciliation: a full refresh every six days reads what the source has, and not what it no longer has.
func TestT60FullRefreshesDoNotPutOffTheReconciliation(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := newTalkBed(t, emulator.Knobs{NoLag: true})
	b.syncOnce(runner.Options{})
	id := b.space.ConversationIDs()[0]
	b.failOn(b.space.DeleteConversation(id))
	for range 3 {
		b.space.Advance(6 * 24 * time.Hour)
		b.syncOnce(runner.Options{FullRefresh: true})
	}
	if got := b.queryRows("SELECT count(*) FROM conversations WHERE id = '" + id + "'"); got[0] != "0" {
		t.Error("the deleted conversation is still there after 18 days")
	}
}

// TestT172AFullRefreshGoesOnWithStreamsThatItDidNotReach: the time of the run is over before tickets begin. The next run refreshes them, too.
func TestT172AFullRefreshGoesOnWithStreamsThatItDidNotReach(t *testing.T) {
	t.Parallel()
	b := newBedWith(t, emulator.Config{Seed: 423, Contacts: 20, Inactive: 4, Activities: 10, Tickets: 10}, strings.Replace(nightly, "contact_activities", "contact_activities, tickets", 1))
	b.runner.Parallel = 1
	b.syncOnce(runner.Options{})
	b.front = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.space.Advance(time.Minute)
		b.space.ServeHTTP(w, r)
	})
	if s := streamResult(t, b.syncOnce(runner.Options{FullRefresh: true, MaxTime: 3 * time.Minute}), "tickets"); s.Requests > 0 {
		t.Fatalf("the run has read tickets: %+v", s)
	}
	b.front = b.space
	if s := streamResult(t, b.syncOnce(runner.Options{}), "tickets"); s.Extracted != 10 {
		t.Errorf("the run after it read %d of 10 tickets", s.Extracted)
	}
	if got := b.queryRows("SELECT count(*) FROM _sync.checkpoints WHERE contains(state, 'replace') OR contains(state, 'due')"); got[0] != "0" {
		t.Errorf("%s streams are still in the refresh", got[0])
	}
}

// TestT172AKilledFullRefreshGoesOn: the run dies before it has changed a row.
func TestT172AKilledFullRefreshGoesOn(t *testing.T) {
	t.Parallel()
	b := newBedWith(t, emulator.Config{Seed: 425, Contacts: 20, Tickets: 10}, strings.Replace(nightly, "deleted_contacts, contact_activities", "tickets", 1))
	b.syncOnce(runner.Options{})
	killed := filepath.Join(t.TempDir(), "killed")
	b.interceptRequests(func(_ http.ResponseWriter, r *http.Request) bool {
		if _, err := os.Stat(killed); r.URL.Path == "/tickets/search" && err != nil {
			b.failOn(os.CopyFS(killed, os.DirFS(string(b.runner.Dir))))
		}
		return false
	})
	b.syncOnce(runner.Options{FullRefresh: true})
	b.runner.Dir = layout.Dir(killed)
	if s := streamResult(t, b.syncOnce(runner.Options{}), "tickets"); s.Extracted != 10 {
		t.Errorf("the run after it read %d of 10 tickets", s.Extracted)
	}
}

// TestT108AnotherAPIVersionBeforeAnyDayOfAnExportWasRead: there is nothing to read again, and the checkpoint stays readable.
func TestT108AnotherAPIVersionBeforeAnyDayOfAnExportWasRead(t *testing.T) {
	t.Parallel()
	config := strings.Replace(onlyDataset(reporting, "reporting_conversation"), "dir: data", "dir: data, timezone: Europe/Berlin", 1)
	b := newBedWith(t, tinyConfig(31), strings.Replace(config, `"2.17"`, `"2.16"`, 1))
	b.front = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/enqueue") {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		b.space.ServeHTTP(w, r)
	})
	b.trySync(runner.Options{})
	b.writeConfig(config)
	b.trySync(runner.Options{})
	b.front = b.space
	b.syncOnce(runner.Options{})
	b.reportEqualsOracle("conversation", reportStart.Add(-2*time.Hour))
}

// TestT107AnotherTimezoneReadsAllExportsAgain: the times of their rows have no zone. The first zone was wrong, and no row lay near the end of a
// day to show it.
func TestT107AnotherTimezoneReadsAllExportsAgain(t *testing.T) {
	t.Parallel()
	york, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	c := tinyConfig(33)
	c.Zone, c.Export.File.Local = york, true
	config := strings.Replace(onlyDataset(reporting, "reporting_conversation"), "{start: 2024-05-06}", "{start: 2024-06-09, refresh: 2d}", 1)
	b := newBedWith(t, c, config)
	b.syncOnce(runner.Options{})
	b.space.SimulateHours(48)
	b.writeConfig(strings.Replace(config, "dir: data", "dir: data, timezone: America/New_York", 1))
	report := b.syncOnce(runner.Options{})
	start := time.Date(2024, 6, 9, 0, 0, 0, 0, york).Unix()
	var truth []string
	for _, row := range b.space.Oracle("reporting_conversation") {
		if at := row["_time"].(int64); at >= start {
			truth = append(truth, fmt.Sprintf("%d|%s", at, row["conversation_id"]))
		}
	}
	slices.Sort(truth)
	if got := b.queryRows(fmt.Sprintf("SELECT epoch(_time)::BIGINT, conversation_id FROM reporting_conversation WHERE epoch(_time) >= %d ORDER BY ALL", start)); !slices.Equal(got, truth) {
		t.Errorf("%d rows, %d in truth: %v, want %v", len(got), len(truth), got, truth)
	}
	if report.Notes == nil {
		t.Error("no note says that days are read again")
	}
	jobs := b.countExportJobs()
	b.space.SimulateHours(1)
	if notes := b.syncOnce(runner.Options{}).Notes; b.countExportJobs() != jobs+1 || len(notes) > 0 {
		t.Errorf("the run after it asked for %d exports, and notes %q", b.countExportJobs()-jobs, notes)
	}
}

// TestT9CursorsThatCountLoseNoRecord: contacts that were read leave their window of the history while it is read, or before a later run goes on
// with it. The records after them move towards the reader.
func TestT9CursorsThatCountLoseNoRecord(t *testing.T) {
	t.Parallel()
	for name, most := range map[string]int64{"in one run": 0, "in several runs": 20} {
		b := newBedWith(t, emulator.Config{Seed: 7, Contacts: 600, Knobs: emulator.Knobs{NoLag: true, OffsetWalk: true}}, strings.Replace(nightly, ", deleted_contacts, contact_activities", "", 1))
		ids := b.space.ContactIDs("active")
		b.space.RunBetween(func(n int) {
			for i := range 3 {
				if n%2 == 0 && n < 20 {
					b.failOn(b.space.UpdateContact(ids[(n*37+i*411)%len(ids)], emulator.FieldChange{Field: "name", Value: "Changed"}))
				}
			}
		})
		for done, runs := false, 0; !done && runs < 12; runs++ {
			b.syncOnce(runner.Options{MaxRequests: most})
			done = b.loadState("contacts").HistoryDone
		}
		b.syncOnce(runner.Options{}) // contacts that left the window are new changes
		if got := b.queryRows("SELECT count(*) FROM contacts"); got[0] != "600" {
			t.Errorf("%s: %s of 600 contacts are here", name, got[0])
		}
	}
}
