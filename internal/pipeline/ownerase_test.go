package pipeline_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/admin"
	"aqueduck/internal/emulator"
	"aqueduck/internal/runner"
)

// serveLists serves GET /NAME: a list of records on one page.
func (b *testBed) serveLists(lists map[string]string) {
	b.interceptRequests(func(rw http.ResponseWriter, r *http.Request) bool {
		text, known := lists[strings.TrimPrefix(r.URL.Path, "/")]
		if known {
			rw.Header().Set("Date", b.space.CurrentTime().UTC().Format(http.TimeFormat))
			_, err := fmt.Fprintf(rw, `{"type":"list","data":[%s]}`, text)
			b.failOn(err)
		}
		return known
	})
}

// listStream is the file of a stream that serveLists serves.
func listStream(name, rest string) string {
	return "stream: " + name + "\ndoc: One row a record.\nread: {endpoint: GET /" + name + ", records: data, page: {by: none}, since: {by: full}}\nkey: [id]\n" + rest
}

// newPerson makes a contact whose name is no canary, so that only rows of the user's streams hold one.
func (b *testBed) newPerson() string {
	id, err := b.space.CreateContact("user", emulator.FieldChange{Field: "name", Value: "Nobody"})
	b.failOn(err)
	b.space.Advance(time.Hour)
	return id
}

// erasePerson erases a contact and gives the certificate.
func (b *testBed) erasePerson(id string) admin.Erased {
	b.t.Helper()
	done, err := admin.Erase(context.Background(), b.runner, id, func([]admin.Erased) (bool, error) { return true, nil })
	b.failOn(err)
	return done[0]
}

// TestT208AnErasureFindsAllRowsBeforeItChangesOne: what says who a row is about is in another table, which the erasure changes, too.
func TestT208AnErasureFindsAllRowsBeforeItChangesOne(t *testing.T) {
	t.Parallel()
	const id, person = "  - {name: id, type: text}\n", "{name: contact_id, type: text, person: true}"
	notes := func(table string) string {
		return listStream("people", "erase: rows\ncolumns:\n"+id+"  - "+person+"\n  - {name: name, type: text, pii: true}\nchildren:\n  - {table: "+table+
			", from: items, key: [people_id, id], columns: [{name: people_id, from: $parent.id, type: text}, {name: id, type: text}, {name: text, type: text, pii: true}]}\n")
	}
	users := func(table, how string) string {
		return listStream("doors", "columns:\n"+id+"  - {name: name, type: text, pii: true, whose: record}\nchildren:\n  - {table: "+table+", from: items, key: [doors_id, id], "+how+
			"columns: [{name: doors_id, from: $parent.id, type: text}, {name: id, type: text}, {name: contact_id, type: text, person: true, pii: true}, {name: text, type: text, pii: true}]}\n")
	}
	for name, file := range map[string]string{
		"a list of deleted records":            notes("people_notes"),
		"a list of deleted records, named a":   notes("a_notes"),
		"the person in a list that is deleted": users("door_users", "erase: rows, "),
		"the person in a list that is emptied": users("door_users", ""),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t, tinyConfig(176)).publishingLake()
			contact := b.newPerson()
			b.serveLists(map[string]string{"people": "", "doors": ""})
			stream, _, _ := strings.Cut(strings.TrimPrefix(file, "stream: "), "\n")
			b.serveLists(map[string]string{stream: fmt.Sprintf(`{"id":"7","contact_id":%q,"name":"%[2]sname","items":[{"id":"5","contact_id":%[1]q,"text":"%[2]stext"}]}`, contact, canary)})
			b.writeStreamFiles(stream, file)
			b.syncOnce(runner.Options{})
			if c := b.erasePerson(contact); len(c.NotCovered) > 0 || len(c.Tables) < 2 {
				t.Errorf("the certificate: %+v", c)
			}
			b.noCanary(string(b.runner.Dir))
			b.serveLists(map[string]string{stream: `{"id":"8","name":"other","items":[]}`})
			b.syncOnce(runner.Options{}) // no list has lost its record
			b.noCanary(string(b.runner.Dir))
		})
	}
}

// TestT209AnErasureReachesDailyCopiesAndHistories of records that it deletes, or of which it keeps nothing but the key.
func TestT209AnErasureReachesDailyCopiesAndHistories(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"rows", "all"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			b := newBed(t, tinyConfig(176)).publishingLake()
			contact := b.newPerson()
			b.serveLists(map[string]string{"people": fmt.Sprintf(`{"id":%q,"plan":"%[2]splan","name":"%[2]sname"}`, contact, canary)})
			b.writeStreamFiles("people", listStream("people", "absent: gone\nsnapshot: day\nerase: "+how+
				"\ncolumns:\n  - {name: id, type: text, person: true}\n  - {name: plan, type: text}\n  - {name: name, type: text, pii: true}\n"))
			b.writeConfig(b.readConfig() + "streams: {people: {history: true}}\n")
			for range 2 {
				b.syncOnce(runner.Options{})
				b.space.Advance(24 * time.Hour)
			}
			b.erasePerson(contact)
			b.noCanary(string(b.runner.Dir))
		})
	}
}

// TestT209ARedactionReachesDailyCopies, and is not undone by an older copy of a row whose key has a time.
func TestT209ARedactionReachesDailyCopies(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(176)).publishingLake()
	lists := map[string]string{}
	b.serveLists(lists)
	b.writeStreamFiles("talks", strings.Replace(listStream("talks", "absent: gone\nsnapshot: day\ncolumns:\n  - {name: id, type: text}\n  - {name: at, type: timestamp}\n  - {name: day, type: date}\n"+
		"  - {name: text, type: text, pii: true, redactable: true, redacted_by: redacted}\n  - {name: redacted, type: bool}\n"), "key: [id]", "key: [id, at, day]", 1))
	b.writeConfig(b.readConfig() + "streams: {talks: {history: true}}\n")
	const whole, redacted = `{"id":"1","at":1700000000,"day":"2023-11-14","text":"` + canary + `text","redacted":false}`, `{"id":"1","at":1700000000,"day":"2023-11-14","text":null,"redacted":true}`
	for _, answer := range []string{whole, whole, redacted} {
		lists["talks"] = answer
		b.syncOnce(runner.Options{})
		b.space.Advance(24 * time.Hour)
	}
	b.noCanary(string(b.runner.Dir))
	lists["talks"] = whole // a replica that lags
	b.syncOnce(runner.Options{})
	b.noCanary(string(b.runner.Dir))
	if got := b.queryRows("SELECT count(*), count(text) FROM talks"); got[0] != "1|0" {
		t.Errorf("stored %v", got)
	}
}

// TestACertificateNamesAPersonalKey: an erasure empties no column of a key.
func TestACertificateNamesAPersonalKey(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(176))
	contact := b.newPerson()
	b.serveLists(map[string]string{"people": fmt.Sprintf(`{"mail":"ada@x.example","owner":%q}`, contact)})
	b.writeStreamFiles("people", strings.Replace(listStream("people", "columns:\n  - {name: mail, type: text, pii: true}\n  - {name: owner, type: text, person: true}\n"), "key: [id]", "key: [mail]", 1))
	b.syncOnce(runner.Options{})
	if got := strings.Join(b.erasePerson(contact).NotCovered, "\n"); got != "people.mail: a part of the key; erase: rows removes the row" {
		t.Errorf("not covered: %s", got)
	}
}

// TestT202ErasureReachesWhatAFileHasLost: a column whose name begins with _, the column with the person's id, and the only personal column of a list. The
// rows are older than what the source sends, so they stay.
func TestT202ErasureReachesWhatAFileHasLost(t *testing.T) {
	t.Parallel()
	const notes = "children:\n  - {table: door_notes, from: notes, key: [door_id, id], columns: [{name: id, type: text}, {name: text, type: text, pii: true, whose: record}]}\n"
	owner := doors + "  - {name: owner, type: text, person: true}\n"
	for name, c := range map[string]struct{ before, after string }{
		"a name with _":        {owner + "  - {name: _text, from: text, type: text, pii: true}\n", owner + "  - {name: more, type: text, pii: true}\n"},
		"the person's id":      {owner + "  - {name: text, type: text, pii: true}\n", strings.Replace(owner, "{name: owner,", "{name: owner_id, from: owner,", 1) + "  - {name: text, type: text, pii: true}\n"},
		"all that is personal": {owner + notes, owner + strings.Replace(notes, ", {name: text, type: text, pii: true, whose: record}", "", 1)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t, tinyConfig(176)).publishingLake()
			contact := b.newPerson()
			d := b.withDoors("")
			record := func(updated int) string {
				return fmt.Sprintf(`{"id":1,"updated_at":%d,"owner":%q,"text":"%[3]stext","notes":[{"id":1,"text":"%[3]stext"}]}`, 1700000000+updated, contact, canary)
			}
			b.replaceDoors(c.before)
			d.showPages(record(1))
			b.syncOnce(runner.Options{})
			b.replaceDoors(c.after)
			d.showPages(record(0))
			b.space.Advance(time.Hour)
			b.syncOnce(runner.Options{})
			if len(b.filesContaining(string(b.runner.Dir), canary)) == 0 {
				t.Fatal("nothing of the person is left: the test finds nothing")
			}
			b.erasePerson(contact)
			b.noCanary(string(b.runner.Dir))
		})
	}
}

// TestOlderFilesKeepTheLostColumnsOfOthers: the erasure of one person is no reason to empty a column of all others in the files of a rollback.
func TestOlderFilesKeepTheLostColumnsOfOthers(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(176)).publishingLake()
	contact := b.newPerson()
	d := b.withDoors("")
	b.writeConfig(strings.Replace(b.readConfig(), "{dir: data", "{dir: data, publish: {keep: 5}", 1))
	before := doors + "  - {name: owner, type: text, person: true}\n"
	b.replaceDoors(before)
	d.showPages(fmt.Sprintf(`{"id":1,"updated_at":1700000001,"state":"open","owner":%q},{"id":2,"updated_at":1700000001,"state":"shut","owner":"someone"}`, contact))
	b.syncOnce(runner.Options{Select: []string{"doors"}})
	b.space.Advance(time.Hour)
	b.replaceDoors(strings.Replace(before, "{name: state,", "{name: status, from: state,", 1))
	b.syncOnce(runner.Options{Select: []string{"doors"}})
	b.erasePerson(contact)
	files, err := b.runner.Dir.PublishedFiles()
	b.failOn(err)
	var states []string
	for _, file := range files {
		states = append(states, b.rowsOf(file, "SELECT id, state FROM doors ORDER BY 1")...)
	}
	if got := strings.Join(states, " "); !strings.Contains(got, "2|shut") || strings.Contains(got, "1|open") {
		t.Errorf("the files have %s", got)
	}
}

// TestT210AnAnswerThatOmitsThePersonIsErased: who a record is about may be in a list or an object that a later answer omits. Then the stored rows say it.
func TestT210AnAnswerThatOmitsThePersonIsErased(t *testing.T) {
	t.Parallel()
	const columns = "columns:\n  - {name: id, type: text}\n  - {name: title, type: text, pii: true, whose: record}\n"
	const users = "children:\n  - {table: door_users, from: users, key: [doors_id, id], complete: true, columns: [{name: doors_id, from: $parent.id, type: text}, {name: id, type: text}, {name: contact_id, type: text, person: true}"
	const notes = "\n  - {table: door_notes, from: notes, key: [doors_id, id], columns: [{name: doors_id, from: $parent.id, type: text}, {name: id, type: text}, {name: text, type: text, pii: true, whose: record}]}\n"
	for name, c := range map[string]struct{ file, names string }{
		"a list":            {columns + users + "]}" + notes, `"users":[{"id":"5","contact_id":%q}],`},
		"a list in a list":  {columns + strings.Replace(users, "{name: contact_id, type: text, person: true}", "{name: name, type: text}], children: [{table: door_user_ids, from: ids, key: [doors_id, users_id, contact_id], columns: [{name: doors_id, from: $parent.doors_id, type: text}, {name: users_id, from: $parent.id, type: text}, {name: contact_id, type: text, person: true}]}", 1) + "]}" + notes, `"users":[{"id":"5","ids":[{"contact_id":%q}]}],`},
		"an object":         {columns + "  - {name: owner_id, from: owner.id, type: text, person: true}\nchildren:" + notes, `"owner":{"id":%q},`},
		"an object, direct": {strings.Replace(columns, ", whose: record", "", 1) + "  - {name: owner_id, from: owner.id, type: text, person: true}\nchildren:" + notes, `"owner":{"id":%q},`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t, tinyConfig(176)).publishingLake()
			contact := b.newPerson()
			lists := map[string]string{}
			b.serveLists(lists)
			record := func(names string, n int) string {
				return fmt.Sprintf(`{"id":"7",%s"title":"%[2]stitle%[3]d","notes":[{"id":"%[3]d","text":"%[2]stext%[3]d"}]},{"id":"8","title":"other%[3]d","notes":[]}`, names, canary, n)
			}
			lists["doors"] = record(fmt.Sprintf(c.names, contact), 1)
			b.writeStreamFiles("doors", listStream("doors", c.file))
			b.syncOnce(runner.Options{})
			b.erasePerson(contact)
			for n := range 2 {
				lists["doors"] = record("", n+2)
				b.space.Advance(time.Hour)
				b.trySync(runner.Options{}) // it fails, because the record lacks what is stored
				b.noCanary(string(b.runner.Dir))
			}
			if got := b.queryRows("SELECT id, title FROM doors ORDER BY 1"); strings.Join(got, " ") != "7|∅ 8|other3" {
				t.Errorf("stored %v", got)
			}
		})
	}
}

// TestT210ACommitAfterTheFileLostThePersonsColumn still keeps out who was erased before: the rows stay readable to the commit.
func TestT210ACommitAfterTheFileLostThePersonsColumn(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(176)).publishingLake()
	contact := b.newPerson()
	lists := map[string]string{"doors": fmt.Sprintf(`{"id":"7","title":"x","owner":{"id":%[1]q},"users":[{"id":"5","contact_id":%[1]q}]}`, contact)}
	b.serveLists(lists)
	const file = "columns:\n  - {name: id, type: text}\n  - {name: title, type: text, pii: true, whose: record}\n  - {name: owner_id, from: owner.id, type: text, person: true}\n" +
		"children:\n  - {table: door_users, from: users, key: [doors_id, id], complete: true, columns: [{name: doors_id, from: $parent.id, type: text}, {name: id, type: text}, {name: contact_id, type: text, person: true}, {name: name, type: text, pii: true}]}\n"
	b.writeStreamFiles("doors", listStream("doors", file))
	b.syncOnce(runner.Options{})
	b.erasePerson(contact)
	b.writeStreamFiles("doors", listStream("doors", strings.Replace(file, ", {name: contact_id, type: text, person: true}", "", 1)))
	lists["doors"] = fmt.Sprintf(`{"id":"7","title":"y","owner":{"id":%q},"users":[{"id":"5","name":"z"}]}`, contact)
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	if got := b.queryRows("SELECT id, title FROM doors"); got[0] != "7|∅" {
		t.Errorf("stored %v", got)
	}
}
