package pipeline_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/runner"
)

// TestIDsAreSelectedAgainAfterTheirInputsChanged: a night without a change does not select ids again, also of a stream that has never read a record,
// which has no checkpoint. The next run does after an event of a new contact, and after a list of an unchanged contact was missing for a moment.
func TestIDsAreSelectedAgainAfterTheirInputsChanged(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := newBed(t, tinyConfig(38))
	p := contactBed{b}
	archived, long := p.createUser(), p.createUser()
	for n := range 25 {
		b.failOn(b.space.TagContact(long, n))
		p.createUser() // a list that lacks one of few records is not trusted
	}
	p.advanceAfter(b.space.ArchiveContact(archived))
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	noted := func() string {
		return strings.Join(b.queryRows("SELECT value FROM _sync.meta WHERE key = 'inputs without ids: main.contacts_by_id'"), "")
	}
	quiet := func() {
		t.Helper()
		b.syncOnce(runner.Options{})
		before := noted()
		report := b.syncOnce(runner.Options{})
		if after := noted(); before == "" || after != before || streamResult(t, report, "contacts_by_id").Requests != 0 {
			t.Errorf("in a quiet night the file notes %q, then %q: %+v", before, after, streamResult(t, report, "contacts_by_id"))
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
	if read := b.queryRows("SELECT count(*) FROM _sync.checkpoints WHERE stream = 'contacts_by_id'")[0]; read != "0" {
		t.Error("a stream without a record has a checkpoint")
	}
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
	// It is archived between the page of search and the request for its list, and comes back at once.
	away, done := false, false
	b.interceptRequests(func(_ http.ResponseWriter, r *http.Request) bool {
		switch {
		case r.URL.Path == "/contacts/"+long+"/tags" && !done:
			away, done = true, true
			b.failOn(b.space.ArchiveContact(long))
		case away:
			away = false
			b.failOn(b.space.UnarchiveContact(long, false))
		}
		return false
	})
	b.syncOnce(runner.Options{Select: []string{"contacts"}})
	if b.front = b.space; b.queryRows("SELECT count(*) FROM _raw.contacts_by_id_all WHERE id = '" + long + "'")[0] != "1" {
		t.Error("its list was missing for a moment: the contact is not read")
	}
	b.syncOnce(runner.Options{})
	b.equalsOracle()
}
