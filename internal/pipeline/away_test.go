package pipeline_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/admin"
	"aqueduck/internal/emulator"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
	"aqueduck/load/layout"
)

// newArchivedBed is a workspace in which a contact with a long list of tags is archived between the page of search that has it and the request for
// that list. It comes back later without a new updated_at.
func newArchivedBed(t *testing.T) (b *testBed, who string) {
	b = newBed(t, smallConfig())
	b.front = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p := strings.Split(r.URL.Path, "/"); who == "" && len(p) == 4 && p[1] == "contacts" && p[3] == "tags" {
			who = p[2]
			b.failOn(b.space.ArchiveContact(who))
		}
		b.space.ServeHTTP(w, r)
	})
	b.syncOnce(runner.Options{})
	b.failOn(b.space.UnarchiveContact(who, false))
	return b, who
}

// TestContactArchivedDuringAReadGetsItsListsLater: neither search nor a list of deletions shows that the contact was away.
// Holds: F1.
func TestContactArchivedDuringAReadGetsItsListsLater(t *testing.T) {
	t.Parallel()
	b, who := newArchivedBed(t)
	tags := "SELECT count(*) > 10 FROM contact_tags WHERE contact_id = '" + who + "'"
	if got := b.queryRows(tags); got[0] != "false" {
		t.Fatalf("%s has all its tags already: the test shows nothing", who)
	}
	b.space.Advance(25 * time.Hour)
	b.syncOnce(runner.Options{})
	b.equalsOracle()
	n := b.space.RequestCount()
	b.syncOnce(runner.Options{})
	quiet := b.space.RequestCount() - n
	b.syncOnce(runner.Options{})
	if again := b.space.RequestCount() - n - quiet; again != quiet || b.queryRows(tags)[0] != "true" {
		t.Errorf("%d requests, then %d: it is asked for again and again", quiet, again)
	}
}

// TestT190ContactArchivedDuringAReadByIDIsNoFailure: the second request by id in the same run finds it gone.
func TestT190ContactArchivedDuringAReadByIDIsNoFailure(t *testing.T) {
	t.Parallel()
	b, who := newArchivedBed(t)
	b.space.Advance(25 * time.Hour)
	left := false
	b.front = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/contacts/"+who+"/tags" && !left {
			left = true
			b.failOn(b.space.ArchiveContact(who))
		}
		b.space.ServeHTTP(w, r)
	})
	b.syncOnce(runner.Options{})
	if noted := b.queryRows("FROM _sync.incomplete"); !left || len(noted) > 0 {
		t.Errorf("left while he was read: %t; noted is %v", left, noted)
	}
	b.space.Advance(25 * time.Hour)
	b.failOn(b.space.UnarchiveContact(who, false))
	b.space.Advance(25 * time.Hour)
	b.syncOnce(runner.Options{})
	b.equalsOracle()
}

// TestT186ContactArchivedTwiceReturnsTwice, although the second answer by id equals the first one.
func TestT186ContactArchivedTwiceReturnsTwice(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(34))
	b.syncOnce(runner.Options{})
	b.space.Advance(80 * time.Hour) // older than the lookback window
	people := b.space.ContactIDs("active")
	for range 2 {
		for _, leave := range []bool{true, false} {
			for _, id := range people[:12] {
				if leave {
					b.failOn(b.space.ArchiveContact(id))
				} else {
					b.failOn(b.space.UnarchiveContact(id, false))
				}
				b.space.Advance(time.Second)
			}
			b.syncOnce(runner.Options{})
			b.space.Advance(25 * time.Hour)
		}
		b.checkLifecycle("active", "", people[:12]...)
	}
	b.equalsOracle()
}

// TestErasedContactIsInNoNoteOfAStream, nor in the notes of ended runs and in the logs of runs. Other lines of a log stay byte by byte.
func TestErasedContactIsInNoNoteOfAStream(t *testing.T) {
	t.Parallel()
	b, who := newArchivedBed(t)
	if got := b.queryRows("SELECT count(*) FROM _sync.checkpoints WHERE contains(state, '" + who + "')"); got[0] != "1" {
		t.Fatalf("%s is in no state: the test shows nothing", who)
	}
	note := `{"run":"01K9","pipeline":"nightly","outcome":"FAILED","class":"transient","error":"GET /contacts/` + who + `: 503"}`
	b.failOn(os.WriteFile(b.runner.Dir.EndsFile(), []byte("\n"+note+"\ntorn"), 0o600))
	log := filepath.Join(b.runner.Dir.RunDir(), "01J00000000000000000000000"+layout.LogSuffix)
	const other = `{"time":"2024-06-15T02:00:00Z","level":"INFO","msg":"stream ok","stream":"tags","rows":9007199254740993}`
	b.failOn(os.WriteFile(log, []byte("\n"+other+"\n"+`{"time":"2024-06-15T02:00:01Z","level":"INFO","msg":"stream FAILED","stream":"contacts","error":"GET /contacts/`+who+`: 503","requests":9007199254740993}`+"\ntorn"), 0o600))
	if _, err := admin.Erase(context.Background(), b.runner, who, func([]admin.Erased) (bool, error) { return true, nil }); err != nil {
		t.Fatal(err)
	}
	if got := b.queryRows("SELECT count(*) FROM _sync.checkpoints WHERE contains(state, '" + who + "')"); got[0] != "0" {
		t.Error("the state of a stream still names him")
	}
	text, err := os.ReadFile(b.runner.Dir.EndsFile())
	if err != nil || strings.Contains(string(text), who) || !strings.Contains(string(text), `"class":"transient"`) {
		t.Errorf("the notes of ended runs are %s (%v)", text, err)
	}
	text, err = os.ReadFile(log)
	if lines := strings.Split(string(text), "\n"); err != nil || len(lines) != 3 || lines[1] != other || strings.Contains(lines[2], who) || !strings.Contains(lines[2], `GET /contacts/(erased): 503","level":"INFO"`) ||
		!strings.Contains(lines[2], `"requests":9007199254740993`) || !strings.Contains(lines[2], `"time":"2024-06-15T02:00:01Z"`) {
		t.Errorf("the log of a run is %s (%v)", text, err)
	}
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
}

// TestT190FieldMissingFromSearchKeepsTheValueByID: the contact has tags since search last returned all its fields, and with so few records the
// program cannot know which fields the source always sends.
func TestT190FieldMissingFromSearchKeepsTheValueByID(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	c := tinyConfig(94)
	c.Contacts, c.Inactive, c.Activities = 12, 2, 20
	b := newBed(t, c)
	b.syncOnce(runner.Options{})
	id := b.space.ContactIDs("active")[0]
	tags := "SELECT tag_id FROM contact_tags WHERE contact_id = '" + id + "' ORDER BY 1"
	was := b.queryRows(tags)
	b.space.Advance(time.Hour)
	for n := range 3 {
		b.failOn(b.space.TagContact(id, n))
	}
	b.failOn(b.space.ArchiveContact(id))
	b.syncOnce(runner.Options{})
	b.space.Advance(80 * time.Hour) // search will not return the contact again
	b.failOn(b.space.UnarchiveContact(id, false))
	leaving := func(routes ...string) {
		b.space.SetKnobs(func(k *emulator.Knobs) {
			k.Mutate = func(route string, body []byte) []byte {
				if slices.Contains(routes, route) {
					return withoutTags(t, body, id)
				}
				return body
			}
		})
	}
	leaving("contacts.search")
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	all := b.queryRows(tags)
	if len(all) <= len(was) {
		t.Fatalf("read by id he has the tags %v, and had %v: the test shows nothing", all, was)
	}
	leaving("contacts.search", "contacts.get")
	for n := range 2 {
		b.failOn(b.space.UpdateContact(id, emulator.FieldChange{Field: "name", Value: fmt.Sprint("Name ", n)}))
		b.space.Advance(25 * time.Hour)
		report := b.trySync(runner.Options{})
		if got := b.queryRows(tags); !slices.Equal(got, all) || report.Exit() != problem.ExitFailed || len(findingsNamed(report, "incomplete")) != 1 {
			t.Errorf("run %d: the tags are %v, were %v: %s", n, got, all, report.LastLine())
		}
	}
	leaving("contacts.search")
	b.syncOnce(runner.Options{})
	b.equalsOracle()
}
