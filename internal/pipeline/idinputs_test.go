package pipeline_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/runner"
)

// TestIDsAreSelectedAgainWhereWhatTheyComeFromChanged: in a night without a change the ids to read are not searched for. Each kind of evidence then
// makes the next run search for them: an entry leaves a list, an event names a new contact, and a list of an unchanged contact is missing.
func TestIDsAreSelectedAgainWhereWhatTheyComeFromChanged(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := newBed(t, tinyConfig(38))
	p := contactBed{b}
	archived, long := p.createUser(), p.createUser()
	for n := range 25 {
		b.failOn(b.space.TagContact(long, n))
	}
	p.advanceAfter(b.space.ArchiveContact(archived))
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	noted := func() string {
		return strings.Join(b.queryRows("SELECT state->>'$.unchanged.tables', seq FROM _sync.checkpoints WHERE stream = 'contacts_by_id'"), "")
	}
	quiet := func() {
		t.Helper()
		b.syncOnce(runner.Options{})
		before := noted()
		report := b.syncOnce(runner.Options{})
		if after := noted(); before == "" || strings.HasPrefix(before, "|") || after != before || streamResult(t, report, "contacts_by_id").Requests != 0 {
			t.Errorf("in a quiet night the checkpoint notes %q, then %q: %+v", before, after, streamResult(t, report, "contacts_by_id"))
		}
	}
	isRead := func(what, id string) {
		t.Helper()
		asked := false
		b.interceptRequests(func(_ http.ResponseWriter, r *http.Request) bool {
			asked = asked || r.URL.Path == "/contacts/"+id
			return false
		})
		b.syncOnce(runner.Options{})
		if b.front = b.space; !asked {
			t.Errorf("%s: the contact is not read", what)
		}
		b.equalsOracle()
	}
	quiet()
	p.advanceAfter(b.space.UnarchiveContact(archived, false))
	isRead("left the inactive list", archived)
	quiet()
	b.space.SetKnobs(func(k *emulator.Knobs) {
		k.LagOf = map[string]emulator.SearchLag{"contacts.new": {Max: 200 * time.Hour, TailShare: 1, Tail: 200 * time.Hour}}
	})
	fresh := p.createUser()
	b.space.Advance(time.Hour)
	isRead("named by an event", fresh)
	quiet()
	b.interceptRequests(func(rw http.ResponseWriter, r *http.Request) bool {
		gone := r.URL.Path == "/contacts/"+long+"/tags"
		if gone {
			rw.Header().Set("Content-Type", "application/json")
			rw.WriteHeader(http.StatusNotFound)
			_, _ = rw.Write([]byte(`{"type":"error.list","request_id":"x","errors":[{"code":"not_found","message":"User Not Found"}]}`))
		}
		return gone
	})
	b.trySync(runner.Options{Select: []string{"contacts"}})
	isRead("its list was missing", long)
}
