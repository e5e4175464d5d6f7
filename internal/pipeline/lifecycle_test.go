package pipeline_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/api/fault"
	"aqueduck/internal/lane"
	"aqueduck/internal/oracletest"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
)

// contactBed makes contacts for a test, and fails it when the workspace refuses.
type contactBed struct{ *testBed }

func (p contactBed) createLead() string { return p.createContact("lead") }

func (p contactBed) createUser() string { return p.createContact("user") }

func (p contactBed) createContact(role string) string {
	p.t.Helper()
	id, err := p.space.CreateContact(role)
	p.advanceAfter(err)
	return id
}

// advanceAfter fails the test for the first error, and lets time pass between two events.
func (p contactBed) advanceAfter(errs ...error) {
	p.t.Helper()
	for _, err := range errs {
		if err != nil {
			p.t.Fatal(err)
		}
	}
	p.space.Advance(time.Second)
}

// onFirstRequest runs f before the first matching request from now on.
func (b *testBed) onFirstRequest(path string, f func()) {
	var once sync.Once
	b.interceptRequests(func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasPrefix(r.URL.Path, path) {
			once.Do(f)
		}
		return false
	})
}

// checkLifecycle checks the lifecycle status of contacts and their survivors.
func (b *testBed) checkLifecycle(lifecycle, current string, ids ...string) {
	b.t.Helper()
	for _, id := range ids {
		want := lifecycle + "|" + current
		if current == "" {
			want = lifecycle + "|" + id
		}
		got := b.queryRows("SELECT lifecycle, current_contact_id FROM contact_identity WHERE contact_id = '" + id + "'")
		if len(got) != 1 || got[0] != want {
			b.t.Errorf("%s: got %v, want %s", id, got, want)
		}
	}
}

// TestT24T25MergedLeadLeavesSearch merges leads that were never seen, that are stored, and while search is paged. Chains of
// merges lead to the one contact that is left (T25), also when that is deleted in the end.
func TestT24T25MergedLeadLeavesSearch(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	skipInRaceRun(t)
	b := newBed(t, tinyConfig(31))
	p := contactBed{b}
	unseen, stored, paged, user, other := p.createLead(), p.createLead(), p.createLead(), p.createUser(), p.createUser()
	p.advanceAfter(b.space.MergeContacts(unseen, user))
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	b.checkLifecycle("merged", user, unseen)
	b.checkLifecycle("active", "", stored, paged, user)

	p.advanceAfter(b.space.MergeContacts(stored, user))
	chain := []string{p.createLead(), p.createLead(), p.createLead(), p.createLead(), p.createLead()}
	for i, id := range chain {
		into := user
		if i+1 < len(chain) {
			into = chain[i+1]
		}
		p.advanceAfter(b.space.ForceMerge(id, into))
	}
	b.onFirstRequest("/contacts/search", func() { p.advanceAfter(b.space.MergeContacts(paged, other)) })
	b.syncOnce(runner.Options{})
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	b.checkLifecycle("merged", user, append(chain, stored)...)
	b.checkLifecycle("merged", other, paged)
	b.equalsOracle()

	p.advanceAfter(b.space.RequestDeletion(user), b.space.EraseContact(user))
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	b.checkLifecycle("merged", user, append(chain, stored, unseen)...)
	b.checkLifecycle("permanently_deleted", "", user)
	b.equalsOracle()
}

func TestT25CycleOfMergesEnds(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := newBed(t, tinyConfig(32))
	p := contactBed{b}
	one, two, three, lead := p.createUser(), p.createUser(), p.createUser(), p.createLead()
	p.advanceAfter(b.space.MergeContacts(lead, one))
	p.advanceAfter(b.space.ForceMerge(one, two))
	p.advanceAfter(b.space.ForceMerge(two, three))
	p.advanceAfter(b.space.ForceMerge(three, one))
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	got := b.queryRows("SELECT lifecycle, count(*) FROM contact_identity WHERE contact_id IN ('" + strings.Join([]string{one, two, three, lead}, "','") + "') GROUP BY 1")
	if len(got) != 1 || got[0] != "merged|4" {
		t.Errorf("got %v, want four merged contacts, each once", got)
	}
}

// TestT27UnarchivedContactIsActiveAgain brings contacts back with and without a new updated_at, between the runs and
// while the inactive list is being read; and once the API's first answer to that is that there is no such contact.
// Holds: T40.
func TestT27UnarchivedContactIsActiveAgain(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := newBed(t, tinyConfig(33))
	p := contactBed{b}
	ids := []string{p.createUser(), p.createLead(), p.createUser(), p.createLead(), p.createUser()}
	late := p.createUser()
	b.space.Advance(80 * time.Hour) // older than the lookback window
	b.syncOnce(runner.Options{})
	for i, id := range append(ids, late) {
		if i%2 == 0 {
			p.advanceAfter(b.space.ArchiveContact(id))
		} else {
			p.advanceAfter(b.space.BlockContact(id))
		}
	}
	b.syncOnce(runner.Options{})
	b.checkLifecycle("archived", "", ids[0], ids[2], ids[4])
	b.checkLifecycle("blocked", "", ids[1], ids[3], late)

	b.space.Advance(80 * time.Hour)
	p.advanceAfter(b.space.UnarchiveContact(ids[0], false), b.space.UnblockContact(ids[1], false), b.space.UnarchiveContact(ids[2], true), b.space.UnblockContact(ids[3], true))
	b.onFirstRequest("/contacts/deleted", func() { p.advanceAfter(b.space.UnarchiveContact(ids[4], false)) })
	b.syncOnce(runner.Options{})
	b.checkLifecycle("active", "", ids...)

	p.advanceAfter(b.space.UnblockContact(late, false))
	replica := true // which does not know the contact yet
	b.space.InjectFaults(func(_ int, r *http.Request) *fault.Fault {
		if replica && strings.HasSuffix(r.URL.Path, late) {
			return &fault.Fault{Status: http.StatusNotFound}
		}
		return nil
	})
	b.syncOnce(runner.Options{})
	b.checkLifecycle("deleted", "", late)
	replica = false
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	b.checkLifecycle("active", "", late)
	b.equalsOracle()
}

// TestT36AnyEvidenceOfADeletionSuffices removes each source of evidence in turn.
// Holds: T40.
func TestT36AnyEvidenceOfADeletionSuffices(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	skipInRaceRun(t)
	for _, evidence := range []struct {
		name, word, unavailable string
		lists                   emulator.DeleteListing
	}{
		{"the event alone", "deleted", "", emulator.ListNone},
		{"the event, the list is not to be had", "deleted", "contacts.deleted", emulator.ListAll},
		{"the list, events are not to be had", "pending_deletion", "contacts.activities", emulator.ListAll},
	} {
		t.Run(evidence.name, func(t *testing.T) {
			t.Parallel()
			c := tinyConfig(34)
			c.ListDeletes, c.Unavailable = evidence.lists, []string{evidence.unavailable}
			b := newBed(t, c)
			p := contactBed{b}
			unseen, stored := p.createUser(), p.createLead()
			p.advanceAfter(b.space.DeleteContact(unseen))
			b.space.Advance(time.Hour)
			b.syncOnce(runner.Options{})
			p.advanceAfter(b.space.DeleteContact(stored))
			b.syncOnce(runner.Options{})
			b.checkLifecycle(evidence.word, "", unseen, stored)
			if got := b.queryRows("SELECT how, certainty FROM contacts_deleted WHERE id IN ('" + unseen + "', '" + stored + "')"); !slices.Equal(got, []string{evidence.word + "|stated", evidence.word + "|stated"}) {
				t.Errorf("contacts_deleted: %v", got)
			}
		})
	}
}

// TestT36DeletionThatOnlyAReadByIDShowsIsInferred deletes an archived contact: its entry leaves the list, and no event is to be had.
func TestT36DeletionThatOnlyAReadByIDShowsIsInferred(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	c := tinyConfig(34)
	c.ListDeletes, c.Unavailable = emulator.ListNone, []string{"contacts.activities"}
	b := newBed(t, c)
	p := contactBed{b}
	id := p.createUser()
	p.advanceAfter(b.space.ArchiveContact(id))
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	b.checkLifecycle("archived", "", id)
	p.advanceAfter(b.space.DeleteContact(id))
	b.syncOnce(runner.Options{})
	b.checkLifecycle("deleted", "", id)
	if got := b.queryRows("SELECT how, certainty FROM contacts_deleted WHERE id = '" + id + "'"); !slices.Equal(got, []string{"deleted|inferred"}) {
		t.Errorf("contacts_deleted: %v", got)
	}
}

// TestT31LifecycleStatusesFollowEachOther leads a contact through every status. A change of role while a contact is archived is no evidence that
// it is active.
// Holds: T32.
func TestT31LifecycleStatusesFollowEachOther(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := newBed(t, tinyConfig(35))
	p := contactBed{b}
	id, promoted := p.createUser(), p.createLead()
	p.advanceAfter(b.space.ArchiveContact(id), b.space.ArchiveContact(promoted))
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	b.checkLifecycle("archived", "", id, promoted)
	p.advanceAfter(b.space.RequestDeletion(id), b.space.PromoteLead(promoted))
	b.syncOnce(runner.Options{})
	b.checkLifecycle("pending_deletion", "", id)
	b.checkLifecycle("archived", "", promoted)
	p.advanceAfter(b.space.EraseContact(id))
	b.syncOnce(runner.Options{})
	b.checkLifecycle("permanently_deleted", "", id)
	b.equalsOracle()
	if got := b.queryRows("SELECT email, external_id FROM deleted_contacts WHERE id = '" + id + "'"); got[0] != "∅|∅" {
		t.Errorf("the entry still has %v (T32)", got)
	}
}

// TestT41UnknownEventsChangeNothing: failed merges and undocumented events.
func TestT41UnknownEventsChangeNothing(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := newBed(t, tinyConfig(36))
	p := contactBed{b}
	lead, user, other := p.createLead(), p.createUser(), p.createUser()
	p.advanceAfter(b.space.FailMerge(lead, user, "conflict"), b.space.FailMerge(other, user, "conflict"))
	b.space.SetKnobs(func(k *emulator.Knobs) {
		k.Mutate = func(route string, body []byte) []byte {
			if route == "contacts.activities" {
				return bytes.ReplaceAll(body, []byte(`"event_type":"contact.merge_failed","contact_id":"`+other), []byte(`"event_type":"contact.vanished","contact_id":"`+other))
			}
			return body
		}
	})
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	b.checkLifecycle("active", "", lead, user, other)
	if got := b.queryRows("SELECT event_type FROM contact_activities WHERE contact_id = '" + other + "' ORDER BY 1"); len(got) != 2 || got[1] != "contact.vanished" {
		t.Errorf("the events of the contact are %v", got)
	}
}

// TestT6ContactMissingFromSearchIsReadByID in the same night; search returns it later.
func TestT6ContactMissingFromSearchIsReadByID(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := newBed(t, tinyConfig(37))
	b.syncOnce(runner.Options{})
	b.space.SetKnobs(func(k *emulator.Knobs) { k.TailShare, k.Tail = 1, 40*time.Hour })
	p := contactBed{b}
	var ids []string
	for range 6 {
		ids = append(ids, p.createUser())
	}
	b.space.Advance(time.Minute)
	report := b.syncOnce(runner.Options{})
	b.checkLifecycle("active", "", ids...)
	if found := streamResult(t, report, "contacts_by_id"); found.Extracted < 5 {
		t.Errorf("%d were read by id, want nearly all of 6", found.Extracted)
	}
	b.equalsOracle()
	p.advanceAfter(b.space.UpdateContact(ids[0], emulator.FieldChange{Field: "name", Value: "Second Version"}))
	b.space.Advance(41 * time.Hour)
	report = b.syncOnce(runner.Options{})
	if again := streamResult(t, report, "contacts_by_id"); again.Requests != 0 {
		t.Errorf("%d were asked for by id again", again.Requests)
	}
	if f, line := b.streamFreshness("contacts_by_id"); f != runlog.Fresh {
		t.Errorf("nothing was to be read by id: %q", line)
	}
	b.equalsOracle()
}

// TestRelationsHaveTheStoredRowsThatTheyName: a publish compares only some columns of such a relation with its Parquet files.
func TestRelationsHaveTheStoredRowsThatTheyName(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := newBed(t, tinyConfig(39))
	p := contactBed{b}
	archived, lead, user := p.createUser(), p.createLead(), p.createUser()
	b.space.Advance(80 * time.Hour)
	b.syncOnce(runner.Options{})
	p.advanceAfter(b.space.ArchiveContact(archived), b.space.MergeContacts(lead, user))
	b.space.SetKnobs(func(k *emulator.Knobs) { k.TailShare, k.Tail = 1, 40*time.Hour })
	p.createUser() // is read by id
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	relations, err := b.runner.Catalogue.Relations("contact_lifecycle")
	b.failOn(err)
	checked := 0
	for _, r := range relations {
		if len(r.RowsOf) == 0 {
			continue
		}
		checked++
		columns := b.queryRows("SELECT column_name FROM duckdb_columns() WHERE database_name = current_database() AND table_name IN ('" + strings.Join(append(r.RowsOf, r.Name), "', '") + "') AND column_name <> '_synced_at'" +
			fmt.Sprintf(" GROUP BY column_name HAVING count(DISTINCT table_name) = %d ORDER BY 1", len(r.RowsOf)+1))
		names := strings.Join(columns, ", ")
		var stored []string
		for _, table := range r.RowsOf {
			stored = append(stored, fmt.Sprintf("SELECT %s, _synced_at FROM _raw.%s", names, table))
		}
		rows := b.queryRows(fmt.Sprintf("SELECT count(*) || ' ' || count(*) FILTER (NOT EXISTS (FROM (%s) s WHERE [%s] = [%s] AND s._synced_at <= r._synced_at)) FROM main.%s r",
			strings.Join(stored, " UNION ALL "), textsOf("s.", columns), textsOf("r.", columns), r.Name))
		if total, without, _ := strings.Cut(rows[0], " "); without != "0" || total == "0" && r.Name == "contacts" || len(columns) < 5 {
			t.Errorf("%s: %s rows, %s of them unlike the stored ones in %v", r.Name, total, without, columns)
		}
	}
	if checked < 8 {
		t.Errorf("%d relations", checked)
	}
}

// TestContactsOfCompaniesKeepTheirTime: a changed contact leaves its rows of company_contacts as they are, so that their Parquet is not written again.
// A changed lifecycle moves their time.
func TestContactsOfCompaniesKeepTheirTime(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := newBed(t, tinyConfig(40))
	p := contactBed{b}
	id, ok := b.space.Oracle("contact_companies")[0]["contact_id"].(string)
	if !ok {
		t.Fatal("no contact has a company")
	}
	sync := func() (ofContact, ofCompany string) {
		t.Helper()
		b.space.Advance(time.Hour)
		b.syncOnce(runner.Options{})
		rows := b.queryRows("SELECT c._synced_at, min(p._synced_at), max(p._synced_at) FROM main.contacts c JOIN main.company_contacts p ON p.contact_id = c.id WHERE c.id = '" + id + "' GROUP BY ALL")
		if len(rows) != 1 {
			t.Fatalf("the contact has %d rows", len(rows))
		}
		ofContact, ofCompany, _ = strings.Cut(rows[0], "|")
		return ofContact, ofCompany
	}
	contact, company := sync()
	p.advanceAfter(b.space.UpdateContact(id, emulator.FieldChange{Field: "name", Value: "Another Name"}))
	if nowContact, nowCompany := sync(); nowContact == contact || nowCompany != company {
		t.Errorf("after a new name the contact has the time %s (%s before), its rows of companies %s (%s before)", nowContact, contact, nowCompany, company)
	}
	p.advanceAfter(b.space.ArchiveContact(id))
	b.syncOnce(runner.Options{})
	p.advanceAfter(b.space.UnarchiveContact(id, false))
	if _, nowCompany := sync(); nowCompany == company {
		t.Errorf("after an archive and its end its rows of companies have the time of before: %s", company)
	}
	b.equalsOracle()
}

func textsOf(prefix string, columns []string) string {
	return prefix + strings.Join(columns, "::VARCHAR, "+prefix) + "::VARCHAR"
}

// TestT37OnlyTheAPIsOwn404MeansGone: a 404 of a proxy is no evidence, and the record is read again.
func TestT37OnlyTheAPIsOwn404MeansGone(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := newBed(t, tinyConfig(38))
	p := contactBed{b}
	id := p.createUser()
	p.advanceAfter(b.space.ArchiveContact(id))
	b.space.Advance(80 * time.Hour)
	b.syncOnce(runner.Options{})
	p.advanceAfter(b.space.UnarchiveContact(id, false))
	b.space.InjectFaults(func(_ int, r *http.Request) *fault.Fault {
		if strings.HasSuffix(r.URL.Path, id) {
			return &fault.Fault{HTML: true}
		}
		return nil
	})
	if report := b.trySync(runner.Options{}); report.Exit() != problem.ExitFailed || streamResult(t, report, "contacts_by_id").Class != "transient" {
		t.Errorf("%s\n%+v", report.LastLine(), report.Streams)
	}
	b.checkLifecycle("archived", "", id)
	b.space.InjectFaults(nil)
	b.syncOnce(runner.Options{Failed: true})
	b.checkLifecycle("active", "", id)
	b.equalsOracle()
}

// TestEvidenceInTheSecondOfAReadIsCheckedAgain archives a contact in the second in which it was read by id. Both times are equal, so another read
// must decide.
func TestEvidenceInTheSecondOfAReadIsCheckedAgain(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := newBed(t, tinyConfig(39))
	p := contactBed{b}
	listed, deleted := p.createUser(), p.createUser()
	p.advanceAfter(b.space.ArchiveContact(listed), b.space.ArchiveContact(deleted))
	b.space.Advance(80 * time.Hour)
	b.syncOnce(runner.Options{})
	p.advanceAfter(b.space.UnarchiveContact(listed, false), b.space.UnarchiveContact(deleted, false))
	b.syncOnce(runner.Options{}) // the clock stands still, so the read has this second
	b.checkLifecycle("active", "", listed, deleted)
	b.space.SetKnobs(func(k *emulator.Knobs) { k.ListDeletes = emulator.ListNone })
	if err := b.space.ArchiveContact(listed); err != nil {
		t.Fatal(err)
	}
	if err := b.space.DeleteContact(deleted); err != nil {
		t.Fatal(err)
	}
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	b.checkLifecycle("archived", "", listed)
	b.checkLifecycle("deleted", "", deleted)
	b.equalsOracle()
	b.space.Advance(time.Hour)
	if report := b.syncOnce(runner.Options{}); streamResult(t, report, "contacts_by_id").Requests != 0 {
		t.Errorf("asked again: %+v", report.Streams)
	}
}

// TestT42OrderOfStreamsDoesNotMatter reads the same events with different orders of streams. Evidence of one stream about a contact stays, even
// when the answer by id was 404.
func TestT42OrderOfStreamsDoesNotMatter(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	for _, order := range [][]string{
		{"contact_activities", "contacts", "deleted_contacts"},
		{"deleted_contacts", "contact_activities", "contacts"},
	} {
		b := newBed(t, tinyConfig(40))
		l := newLife(b, 40)
		for range 2 {
			for _, name := range order {
				b.syncOnce(runner.Options{Select: []string{name}})
			}
			l.applyEvents(40)
			b.space.Advance(time.Hour)
		}
		b.syncOnce(runner.Options{})
		b.equalsOracle()
		if got := b.queryRows("SELECT id FROM contacts_all JOIN deleted_contacts d USING (id) WHERE contacts_all.role IS NULL"); len(got) != 0 {
			t.Errorf("%v: the inactive list's word on %v was lost", order, got)
		}
	}
}

// TestT43TheIDIsTheOnlyKey swaps the e-mail addresses of two contacts, and turns a lead into a user.
func TestT43TheIDIsTheOnlyKey(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := newBed(t, tinyConfig(30))
	p := contactBed{b}
	one, two := p.createUser(), p.createLead()
	email := func(id, address string) error {
		return b.space.UpdateContact(id, emulator.FieldChange{Field: "email", Value: address}, emulator.FieldChange{Field: "external_id", Value: "ext-" + address})
	}
	p.advanceAfter(email(one, "a@example.com"), email(two, "b@example.com"))
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	p.advanceAfter(email(one, "b@example.com"), email(two, "a@example.com"), b.space.PromoteLead(two))
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	b.equalsOracle()
	var want []string
	for _, row := range b.space.Oracle("contacts") {
		want = append(want, fmt.Sprintf("%v|%v", row["id"], row["custom_attributes"]))
	}
	got := b.queryRows("SELECT id, custom_attributes::VARCHAR FROM contacts")
	oracletest.CompareRows(t, "custom attributes", got, want)
}
