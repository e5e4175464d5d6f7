package pipeline_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/api/fault"
	"aqueduck/internal/oracletest"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
)

// people makes contacts for a test's story and fails it when the workspace refuses.
type people struct{ *bed }

func (p people) lead() string { return p.create("lead") }

func (p people) user() string { return p.create("user") }

func (p people) create(role string) string {
	p.t.Helper()
	id, err := p.space.CreateContact(role)
	p.did(err)
	return id
}

// did fails the test for the first error, and lets time pass between two events.
func (p people) did(errs ...error) {
	p.t.Helper()
	for _, err := range errs {
		if err != nil {
			p.t.Fatal(err)
		}
	}
	p.space.Advance(time.Second)
}

// once runs f before the first request that fits, from now on.
func (b *bed) once(path string, f func()) {
	var once sync.Once
	b.before(func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasPrefix(r.URL.Path, path) {
			once.Do(f)
		}
		return false
	})
}

// is checks what has become of contacts, and who carries their data now.
func (b *bed) is(lifecycle, current string, ids ...string) {
	b.t.Helper()
	for _, id := range ids {
		want := lifecycle + "|" + current
		if current == "" {
			want = lifecycle + "|" + id
		}
		got := b.rows("SELECT lifecycle, current_contact_id FROM contact_identity WHERE contact_id = '" + id + "'")
		if len(got) != 1 || got[0] != want {
			b.t.Errorf("%s: got %v, want %s", id, got, want)
		}
	}
}

// TestT24MergedLeadLeavesSearch merges leads that were never seen, that are stored, and while search is paged. Chains of
// merges lead to the one contact that is left (T25), also when that is deleted in the end.
func TestT24T25MergedLeadLeavesSearch(t *testing.T) {
	t.Parallel()
	serial(t)
	b := newBed(t, tiny(31))
	p := people{b}
	unseen, stored, paged, user, other := p.lead(), p.lead(), p.lead(), p.user(), p.user()
	p.did(b.space.Merge(unseen, user))
	b.space.Advance(time.Hour)
	b.sync(runner.Options{})
	b.is("merged", user, unseen)
	b.is("active", "", stored, paged, user)

	p.did(b.space.Merge(stored, user))
	chain := []string{p.lead(), p.lead(), p.lead(), p.lead(), p.lead()}
	for i, id := range chain {
		into := user
		if i+1 < len(chain) {
			into = chain[i+1]
		}
		p.did(b.space.MergeAnyway(id, into))
	}
	b.once("/contacts/search", func() { p.did(b.space.Merge(paged, other)) })
	b.sync(runner.Options{})
	b.space.Advance(time.Hour)
	b.sync(runner.Options{})
	b.is("merged", user, append(chain, stored)...)
	b.is("merged", other, paged)
	b.equalsOracle()

	p.did(b.space.RequestDeletion(user), b.space.Erase(user))
	b.space.Advance(time.Hour)
	b.sync(runner.Options{})
	b.is("merged", user, append(chain, stored, unseen)...)
	b.is("permanently_deleted", "", user)
	b.equalsOracle()
}

func TestT25ACycleOfMergesEnds(t *testing.T) {
	t.Parallel()
	serial(t)
	b := newBed(t, tiny(32))
	p := people{b}
	one, two, three, lead := p.user(), p.user(), p.user(), p.lead()
	p.did(b.space.Merge(lead, one))
	p.did(b.space.MergeAnyway(one, two))
	p.did(b.space.MergeAnyway(two, three))
	p.did(b.space.MergeAnyway(three, one))
	b.space.Advance(time.Hour)
	b.sync(runner.Options{})
	got := b.rows("SELECT lifecycle, count(*) FROM contact_identity WHERE contact_id IN ('" + strings.Join([]string{one, two, three, lead}, "','") + "') GROUP BY 1")
	if len(got) != 1 || got[0] != "merged|4" {
		t.Errorf("got %v, want four merged contacts, each once", got)
	}
}

// TestT27UnarchivedContactIsActiveAgain brings contacts back with and without a new updated_at, between the runs and
// while the inactive list is being read; and once the API's first answer to that is that there is no such contact.
// Holds: T40.
func TestT27UnarchivedContactIsActiveAgain(t *testing.T) {
	t.Parallel()
	serial(t)
	b := newBed(t, tiny(33))
	p := people{b}
	ids := []string{p.user(), p.lead(), p.user(), p.lead(), p.user()}
	late := p.user()
	b.space.Advance(80 * time.Hour) // older than the overlap
	b.sync(runner.Options{})
	for i, id := range append(ids, late) {
		if i%2 == 0 {
			p.did(b.space.Archive(id))
		} else {
			p.did(b.space.Block(id))
		}
	}
	b.sync(runner.Options{})
	b.is("archived", "", ids[0], ids[2], ids[4])
	b.is("blocked", "", ids[1], ids[3], late)

	b.space.Advance(80 * time.Hour)
	p.did(b.space.Unarchive(ids[0], false), b.space.Unblock(ids[1], false), b.space.Unarchive(ids[2], true), b.space.Unblock(ids[3], true))
	b.once("/contacts/deleted", func() { p.did(b.space.Unarchive(ids[4], false)) })
	b.sync(runner.Options{})
	b.is("active", "", ids...)

	p.did(b.space.Unblock(late, false))
	replica := true // which has not heard of it yet
	b.space.Inject(func(_ int, r *http.Request) *fault.Fault {
		if replica && strings.HasSuffix(r.URL.Path, late) {
			return &fault.Fault{Status: http.StatusNotFound}
		}
		return nil
	})
	b.sync(runner.Options{})
	b.is("deleted", "", late)
	replica = false
	b.space.Advance(time.Hour)
	b.sync(runner.Options{})
	b.is("active", "", late)
	b.equalsOracle()
}

// TestT36AnySignOfADeletionSuffices takes each source of evidence away in turn.
// Holds: T40.
func TestT36AnySignOfADeletionSuffices(t *testing.T) {
	t.Parallel()
	serial(t)
	for _, evidence := range []struct {
		name, word, unavailable string
		lists                   emulator.Listing
	}{
		{"the event alone", "deleted", "", emulator.ListNone},
		{"the event, the list is not to be had", "deleted", "contacts.deleted", emulator.ListAll},
		{"the list, events are not to be had", "pending_deletion", "contacts.activities", emulator.ListAll},
	} {
		t.Run(evidence.name, func(t *testing.T) {
			t.Parallel()
			c := tiny(34)
			c.ListDeletes, c.Unavailable = evidence.lists, []string{evidence.unavailable}
			b := newBed(t, c)
			p := people{b}
			unseen, stored := p.user(), p.lead()
			p.did(b.space.Delete(unseen))
			b.space.Advance(time.Hour)
			b.sync(runner.Options{})
			p.did(b.space.Delete(stored))
			b.sync(runner.Options{})
			b.is(evidence.word, "", unseen, stored)
		})
	}
}

// TestT31StatusesFollowEachOther lets a contact go through every status, and takes a contact's role change while it is
// archived for no sign of life.
// Holds: T32.
func TestT31StatusesFollowEachOther(t *testing.T) {
	t.Parallel()
	serial(t)
	b := newBed(t, tiny(35))
	p := people{b}
	id, promoted := p.user(), p.lead()
	p.did(b.space.Archive(id), b.space.Archive(promoted))
	b.space.Advance(time.Hour)
	b.sync(runner.Options{})
	b.is("archived", "", id, promoted)
	p.did(b.space.RequestDeletion(id), b.space.Promote(promoted))
	b.sync(runner.Options{})
	b.is("pending_deletion", "", id)
	b.is("archived", "", promoted)
	p.did(b.space.Erase(id))
	b.sync(runner.Options{})
	b.is("permanently_deleted", "", id)
	b.equalsOracle()
	if got := b.rows("SELECT email, external_id FROM deleted_contacts WHERE id = '" + id + "'"); got[0] != "∅|∅" {
		t.Errorf("the entry still has %v (T32)", got)
	}
}

// TestT41EventsThatMeanNothingChangeNothing: merges that failed, and events nobody has heard of.
func TestT41EventsThatMeanNothingChangeNothing(t *testing.T) {
	t.Parallel()
	serial(t)
	b := newBed(t, tiny(36))
	p := people{b}
	lead, user, other := p.lead(), p.user(), p.user()
	p.did(b.space.FailMerge(lead, user, "conflict"), b.space.FailMerge(other, user, "conflict"))
	b.space.SetKnobs(func(k *emulator.Knobs) {
		k.Mutate = func(route string, body []byte) []byte {
			if route == "contacts.activities" {
				return bytes.ReplaceAll(body, []byte(`"event_type":"contact.merge_failed","contact_id":"`+other), []byte(`"event_type":"contact.vanished","contact_id":"`+other))
			}
			return body
		}
	})
	b.space.Advance(time.Hour)
	b.sync(runner.Options{})
	b.is("active", "", lead, user, other)
	if got := b.rows("SELECT event_type FROM contact_activities WHERE contact_id = '" + other + "' ORDER BY 1"); len(got) != 2 || got[1] != "contact.vanished" {
		t.Errorf("the events of the contact are %v", got)
	}
}

// TestT6ContactThatSearchDoesNotKnowYetIsReadByID finds it the same night, and takes search's word later.
func TestT6ContactThatSearchDoesNotKnowYetIsReadByID(t *testing.T) {
	t.Parallel()
	serial(t)
	b := newBed(t, tiny(37))
	b.sync(runner.Options{})
	b.space.SetKnobs(func(k *emulator.Knobs) { k.TailShare, k.Tail = 1, 40*time.Hour })
	p := people{b}
	var ids []string
	for range 6 {
		ids = append(ids, p.user())
	}
	b.space.Advance(time.Minute)
	report := b.sync(runner.Options{})
	b.is("active", "", ids...)
	if found := stream(t, report, "contacts_by_id"); found.Extracted < 5 {
		t.Errorf("%d were read by id, want nearly all of 6", found.Extracted)
	}
	b.equalsOracle()
	p.did(b.space.UpdateContact(ids[0], emulator.Change{Field: "name", Value: "Second Version"}))
	b.space.Advance(41 * time.Hour)
	report = b.sync(runner.Options{})
	if again := stream(t, report, "contacts_by_id"); again.Requests != 0 {
		t.Errorf("%d were asked for by id again", again.Requests)
	}
	b.equalsOracle()
}

// TestT37OnlyTheAPIsOwnWordMeansGone: a proxy's 404 settles nothing, and is asked about again.
func TestT37OnlyTheAPIsOwnWordMeansGone(t *testing.T) {
	t.Parallel()
	serial(t)
	b := newBed(t, tiny(38))
	p := people{b}
	id := p.user()
	p.did(b.space.Archive(id))
	b.space.Advance(80 * time.Hour)
	b.sync(runner.Options{})
	p.did(b.space.Unarchive(id, false))
	b.space.Inject(func(_ int, r *http.Request) *fault.Fault {
		if strings.HasSuffix(r.URL.Path, id) {
			return &fault.Fault{HTML: true}
		}
		return nil
	})
	if report := b.try(runner.Options{}); report.Exit() != problem.ExitFailed || stream(t, report, "contacts_by_id").Class != "transient" {
		t.Errorf("%s\n%+v", report.LastLine(), report.Streams)
	}
	b.is("archived", "", id)
	b.space.Inject(nil)
	b.sync(runner.Options{Failed: true})
	b.is("active", "", id)
	b.equalsOracle()
}

// TestASignInTheSecondOfTheReadingIsAskedAbout archives a contact in the very second in which it was read by id: the two
// times are the same, so another reading has to tell.
func TestASignInTheSecondOfTheReadingIsAskedAbout(t *testing.T) {
	t.Parallel()
	serial(t)
	b := newBed(t, tiny(39))
	p := people{b}
	listed, deleted := p.user(), p.user()
	p.did(b.space.Archive(listed), b.space.Archive(deleted))
	b.space.Advance(80 * time.Hour)
	b.sync(runner.Options{})
	p.did(b.space.Unarchive(listed, false), b.space.Unarchive(deleted, false))
	b.sync(runner.Options{}) // the clock stands still meanwhile, and the reading is of this second
	b.is("active", "", listed, deleted)
	b.space.SetKnobs(func(k *emulator.Knobs) { k.ListDeletes = emulator.ListNone })
	if err := b.space.Archive(listed); err != nil {
		t.Fatal(err)
	}
	if err := b.space.Delete(deleted); err != nil {
		t.Fatal(err)
	}
	b.space.Advance(time.Hour)
	b.sync(runner.Options{})
	b.is("archived", "", listed)
	b.is("deleted", "", deleted)
	b.equalsOracle()
	b.space.Advance(time.Hour)
	if report := b.sync(runner.Options{}); stream(t, report, "contacts_by_id").Requests != 0 {
		t.Errorf("asked again: %+v", report.Streams)
	}
}

// TestT42OrderOfReadingDoesNotMatter reads the same history in orders that streams can come in. What a source told of a
// contact stays, even where the answer by id was that there is no such contact.
func TestT42OrderOfReadingDoesNotMatter(t *testing.T) {
	t.Parallel()
	serial(t)
	for _, order := range [][]string{
		{"contact_activities", "contacts", "deleted_contacts"},
		{"deleted_contacts", "contact_activities", "contacts"},
	} {
		b := newBed(t, tiny(40))
		l := newLife(b, 40)
		for range 2 {
			for _, name := range order {
				b.sync(runner.Options{Select: []string{name}})
			}
			l.happen(40)
			b.space.Advance(time.Hour)
		}
		b.sync(runner.Options{})
		b.equalsOracle()
		if got := b.rows("SELECT id FROM contacts_all JOIN deleted_contacts d USING (id) WHERE contacts_all.role IS NULL"); len(got) != 0 {
			t.Errorf("%v: the inactive list's word on %v was lost", order, got)
		}
	}
}

// TestT43TheIDIsTheOnlyKey swaps the e-mail addresses of two contacts and makes a lead a user.
func TestT43TheIDIsTheOnlyKey(t *testing.T) {
	t.Parallel()
	serial(t)
	b := newBed(t, tiny(30))
	p := people{b}
	one, two := p.user(), p.lead()
	email := func(id, address string) error {
		return b.space.UpdateContact(id, emulator.Change{Field: "email", Value: address}, emulator.Change{Field: "external_id", Value: "ext-" + address})
	}
	p.did(email(one, "a@example.com"), email(two, "b@example.com"))
	b.space.Advance(time.Hour)
	b.sync(runner.Options{})
	p.did(email(one, "b@example.com"), email(two, "a@example.com"), b.space.Promote(two))
	b.space.Advance(time.Hour)
	b.sync(runner.Options{})
	b.equalsOracle()
	var want []string
	for _, row := range b.space.Oracle("contacts") {
		want = append(want, fmt.Sprintf("%v|%v", row["id"], row["custom_attributes"]))
	}
	got := b.rows("SELECT id, custom_attributes::VARCHAR FROM contacts")
	oracletest.Same(t, "custom attributes", got, want)
}
