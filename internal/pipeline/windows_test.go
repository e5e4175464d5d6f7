package pipeline_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/runner"
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
