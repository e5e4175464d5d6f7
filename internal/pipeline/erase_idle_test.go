package pipeline_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/admin"
	"aqueduck/internal/emulator"
	"aqueduck/internal/lane"
	"aqueduck/internal/runner"
)

// ownPeople are persons of a user's own stream file, who can be erased.
const ownPeople = `stream: my_people
doc: One row per contact.
read: {endpoint: GET /contacts, records: data, page: {by: cursor, in: query, size: 150}, since: {by: full}}
key: [id]
erase: rows
columns:
  - {name: id, type: text, person: true, doc: Contact.}
  - {name: name, type: text, pii: true, doc: Name.}
`

// ownTalk are conversations of a stream file that declares no persons.
const ownTalk = `stream: my_talk
doc: One row per conversation.
read: {endpoint: POST /tickets/search, records: tickets, page: {by: cursor, in: body, size: 150}, since: {by: search, field: updated_at}}
key: [id]
columns: [{name: id, type: text, doc: Id.}, {name: updated_at, type: timestamp, doc: When it changed.}]
`

// TestT34ErasureReachesTablesNoLongerRead: a history that was turned off, and tables of streams that are no longer or not yet named. Tables
// without any description are in the certificate, and are erased once a file describes them.
func TestT34ErasureReachesTablesNoLongerRead(t *testing.T) {
	lane.SkipHeavy(t)
	skipInRaceRun(t)
	t.Parallel()
	b := newBed(t, tinyConfig(176)).publishingLake()
	var ids []string
	for range 2 {
		id, err := b.space.CreateContact("user", emulator.FieldChange{Field: "name", Value: canary + "name"}, emulator.FieldChange{Field: "email", Value: canary + "@x.example"})
		b.failOn(err)
		ids = append(ids, id)
	}
	b.space.Advance(time.Hour)
	b.writeStreamFiles("contacts, deleted_contacts, contact_activities, my_people, my_talk", ownPeople, ownTalk)
	with := b.readConfig() + "streams: {contacts: {history: true}}\n"
	b.writeConfig(with)
	b.syncOnce(runner.Options{})
	b.writeConfig(nightly) // without the history and the user's streams

	done, err := admin.Erase(context.Background(), b.runner, ids[0], func([]admin.Erased) (bool, error) { return true, nil })
	b.failOn(err)
	if len(done) != 1 || done[0].Tables["contacts_history"] == 0 {
		t.Fatalf("%+v", done)
	}
	for _, name := range []string{"my_people", "my_talk"} {
		if !strings.Contains(strings.Join(done[0].NotCovered, "\n"), name+": no stream file describes it") {
			t.Errorf("not covered is %q, not %s", done[0].NotCovered, name)
		}
	}
	b.failOn(b.space.EraseContact(ids[1]))
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	if got := b.queryRows("SELECT count(*) FROM contacts_history WHERE name IS NOT NULL AND id IN ('" + strings.Join(ids, "', '") + "')"); got[0] != "0" {
		t.Errorf("states of the forgotten: %v", got)
	}
	if len(b.filesContaining(string(b.runner.Dir), canary)) == 0 {
		t.Fatal("the stream of one's own holds nothing of them: the test finds nothing")
	}

	b.writeConfig(with)
	b.syncOnce(runner.Options{Select: []string{"deleted_contacts"}})
	b.noCanary(string(b.runner.Dir))
	id := b.space.ContactIDs("active")[0]
	done, err = admin.Erase(context.Background(), b.runner, id, func([]admin.Erased) (bool, error) { return true, nil })
	b.failOn(err)
	if all := strings.Join(done[0].NotCovered, "\n"); !strings.Contains(all, "my_talk: unknown whether its rows are about persons") || strings.Contains(all, "my_people") {
		t.Errorf("not covered: %s", all)
	}
	if done[0].Tables["my_people"] != 1 {
		t.Errorf("%+v", done[0].Tables)
	}
	first := b.space.RequestCount()
	b.syncOnce(runner.Options{Select: []string{"deleted_contacts"}})
	if log := b.log.String(); strings.Count(log, "or had a new table") != 1 || b.space.RequestCount() == first {
		t.Errorf("the tables are looked through at each start:\n%s", log)
	}
}

// TestT202ErasureReachesColumnsThatNoFileDeclares: the stream file has lost a column, or calls it otherwise, since the person was stored. The history and
// the files that are published already have it too.
func TestT202ErasureReachesColumnsThatNoFileDeclares(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := newBed(t, tinyConfig(176)).publishingLake()
	id, err := b.space.CreateContact("user", emulator.FieldChange{Field: "name", Value: canary + "name"}, emulator.FieldChange{Field: "email", Value: canary + "@x.example"})
	b.failOn(err)
	b.space.Advance(time.Hour)
	people := strings.NewReplacer("erase: rows\n", "", "GET /contacts,", "POST /contacts/search,", "in: query", "in: body", "by: full", "by: search, field: updated_at",
		"columns:\n", "columns:\n  - {name: updated_at, type: timestamp, doc: Last change.}\n").Replace(ownPeople)
	settings := "streams: {my_people: {history: true}}\n"
	b.writeStreamFiles("my_people", people+"  - {name: email, type: text, pii: true, doc: Address.}\n")
	b.writeConfig(b.readConfig() + settings)
	for range 2 {
		b.syncOnce(runner.Options{})
		b.space.Advance(5 * 24 * time.Hour) // then the record is older than the lookback window
	}
	b.writeStreamFiles("my_people", strings.Replace(people, "{name: name,", "{name: called, from: name,", 1))
	b.writeConfig(b.readConfig() + settings)
	b.syncOnce(runner.Options{})
	if got := b.queryRows("SELECT count(email), count(name) FROM my_people WHERE id = '" + id + "'"); len(b.filesContaining(string(b.runner.Dir), canary)) == 0 || got[0] != "1|1" {
		t.Fatalf("the old columns are empty: the test finds nothing: %v", got)
	}
	done, err := admin.Erase(context.Background(), b.runner, id, func([]admin.Erased) (bool, error) { return true, nil })
	b.failOn(err)
	if len(done) != 1 || done[0].Tables["my_people"] != 1 || len(done[0].NotCovered) > 0 {
		t.Errorf("%+v", done)
	}
	b.noCanary(string(b.runner.Dir))
	b.syncOnce(runner.Options{})
	b.noCanary(string(b.runner.Dir))
}

// TestLaterMaskingReachesAHistoryTurnedOff: no older state keeps a value that is hashed now.
func TestLaterMaskingReachesAHistoryTurnedOff(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := newBed(t, tinyConfig(177)).publishingLake()
	b.writeConfig(nightly + "streams: {contacts: {history: true}}\n")
	b.syncOnce(runner.Options{})
	if got := b.queryRows("SELECT count(*) FILTER (email LIKE '%@%') > 10 FROM contacts_history"); got[0] != "true" {
		t.Fatal("the history has no addresses: the test finds nothing")
	}
	b.writeConfig(nightly + "streams: {contacts: {hash: [email], drop: [phone]}}\n")
	b.syncOnce(runner.Options{})
	if got := b.queryRows("SELECT count(*) FILTER (email LIKE '%@%'), count(phone) FROM contacts_history"); got[0] != "0|0" {
		t.Errorf("in clear, phones: %v", got)
	}
}

// TestErasureKeepsOnlyOlderFilesOfTheCurrentOne: after a rollback, a file that the current one was not made from cannot be freed of the person. A rollback
// that finds no file says why.
func TestErasureKeepsOnlyOlderFilesOfTheCurrentOne(t *testing.T) {
	lane.SkipHeavy(t)
	skipInRaceRun(t)
	t.Parallel()
	b := newBed(t, tinyConfig(177)).publishingAll()
	agree := func(_, _ admin.PublishedFile) (bool, error) { return true, nil }
	id, err := b.space.CreateContact("user", emulator.FieldChange{Field: "name", Value: canary + "name"})
	b.failOn(err)
	publish := func() string {
		b.space.Advance(time.Hour)
		_, err := b.space.CreateContact("user")
		b.failOn(err)
		b.space.Advance(time.Hour)
		b.syncOnce(runner.Options{})
		files, err := admin.PublishedFiles(b.t.Context(), b.runner.Dir)
		b.failOn(err)
		return files[0].Run
	}
	first, _ := publish(), publish()
	_, err = admin.Rollback(t.Context(), b.runner, first, agree)
	b.failOn(err)
	publish()
	_, err = admin.Erase(t.Context(), b.runner, id, func([]admin.Erased) (bool, error) { return true, nil })
	b.failOn(err)
	b.noCanary(string(b.runner.Dir))
	files, err := admin.PublishedFiles(b.t.Context(), b.runner.Dir)
	b.failOn(err)
	// The erasure replaces the file that it was made from. The current file was not made from the one that the rollback left.
	if len(files) != 2 || files[1].Run != first {
		t.Errorf("kept: %+v, want the erased file and the one that the rollback went to", files)
	}

	b.writeConfig(b.readConfig() + "streams: {contacts: {hash: [email]}}\n")
	publish()
	_, err = admin.Rollback(t.Context(), b.runner, "", agree)
	if want := "there is no older published file to restore: the last ones were removed, because the configuration masks more values than before"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a rollback says %v, want %q", err, want)
	}
}
