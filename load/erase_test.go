package load_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"aqueduck/load"
	"aqueduck/load/committest"
	"aqueduck/load/erase"
	"aqueduck/schemas"
	"aqueduck/transform"
)

const talks = `stream: talks
doc: One row per talk.
read: {endpoint: POST /talks/search, records: data, page: {by: cursor, in: body, size: 9}, since: {by: search, field: updated_at}}
key: [id]
newest: updated_at
columns:
  - {name: id, type: text}
  - {name: updated_at, type: timestamp}
  - {name: author_id, type: text, person: true}
  - {name: body, type: text, pii: true}
  - {name: title, type: text, pii: true, whose: record}
  - {name: plan, type: text, pii: true, whose: record}
  - {name: erased, from: $erased, type: bool}
children:
  - {table: talk_contacts, from: contacts, key: [talk_id, contact_id], columns: [{name: contact_id, from: id, type: text, person: true}, {name: mail, type: text, pii: true}]}
  - table: talk_parts
    from: parts
    key: [talk_id, id]
    complete: false
    columns: [{name: id, type: text}, {name: author_id, type: text, person: true}, {name: text, type: text, pii: true}]
    children: [{table: talk_files, from: files, key: [talk_id, part_id, _position], columns: [{name: _position, from: $position, type: int}, {name: file, type: text, pii: true}]}]
`

// reports is about talks, and never names a person itself; notes is about nobody that could be known.
const reports = `stream: reports
doc: One row per line of a report.
read: {endpoint: GET /reports, records: data, page: {by: none}, since: {by: full}}
key: [id]
columns:
  - {name: id, type: text}
  - {name: talk_id, type: text, references: talks.id}
  - {name: who, type: text, pii: true, whose: talk_id}
`

const notes = `stream: notes
doc: One row per note.
read: {endpoint: GET /notes, records: data, page: {by: none}, since: {by: full}}
key: [id]
columns: [{name: id, type: text}, {name: text, type: text, pii: true}]
`

// erasureFixture is a warehouse with the three streams.
type erasureFixture struct {
	*testWarehouse
	t       *testing.T
	streams map[string]*schemas.Stream
}

func newErasing(t *testing.T, o load.Options) *erasureFixture {
	t.Helper()
	e := &erasureFixture{newWarehouse(t, o), t, map[string]*schemas.Stream{}}
	e.addStreams(talks, reports, notes)
	return e
}

// addStreams makes the tables of streams.
func (e *erasureFixture) addStreams(files ...string) {
	e.t.Helper()
	catalogue, err := schemas.Builtin()
	must(e.t, err)
	var names []string
	for _, text := range files {
		name := schemas.DeclaredName([]byte(text))
		must(e.t, catalogue.AddStream(name+".yaml", []byte(text)))
		names = append(names, name)
	}
	for _, name := range names {
		e.streams[name], _ = catalogue.Stream(name)
	}
	e.ensureAll()
}

func (e *erasureFixture) ensureAll() {
	e.t.Helper()
	for _, s := range e.streams {
		_, err := e.Tables.Ensure(e.t.Context(), "main", transform.Tables(s))
		must(e.t, err)
	}
}

// commitRecords commits records of a stream and tells how many rows that wrote.
func (e *erasureFixture) commitRecords(stream string, records ...string) int64 {
	e.t.Helper()
	d, err := transform.NewDecoder(e.streams[stream], transform.Options{APIVersion: "2.17"})
	must(e.t, err)
	for _, r := range records {
		must(e.t, d.Append([]byte(r), transform.Meta{ReadAt: e.now}))
	}
	base, err := e.Checkpoints.Checkpoint(e.t.Context(), "main", stream)
	must(e.t, err)
	next := base
	next.Seq++
	e.now = e.now.Add(time.Second)
	batches := d.Take()
	written, err := e.Commit(e.t.Context(), "main", stream, base, next, batches)
	committest.Release(batches)
	must(e.t, err)
	return written.Rows
}

// expectRows compares what a query gives, one text a row.
func (e *erasureFixture) expectRows(sql string, want ...string) {
	e.t.Helper()
	got, err := e.Facts.IDs(e.t.Context(), "main", sql)
	must(e.t, err)
	if strings.Join(got, ", ") != strings.Join(want, ", ") {
		e.t.Errorf("%s:\n%q, want\n%q", sql, got, want)
	}
}

const (
	annTalk = `{"id":"1","updated_at":1700000000,"author_id":"ann","body":"ann said","title":"about ann","plan":"gold","contacts":[{"id":"ann","mail":"ann@x"},{"id":"bob","mail":"bob@x"}],
		"parts":[{"id":"1","author_id":"ann","text":"ann wrote","files":[{"file":"ann.pdf"}],"odd":"ann"},{"id":"2","author_id":"bob","text":"bob wrote","files":[{"file":"bob.pdf"}]}]}`
	bobTalk = `{"id":"2","updated_at":1700000000,"author_id":"bob","body":"bob said","title":"about bob","plan":"tin","contacts":[{"id":"bob","mail":"bob@x"}],"parts":[]}`
)

// expectErased holds when nothing that is about ann is stored, and all that is not is.
func (e *erasureFixture) expectErased() {
	e.t.Helper()
	e.expectRows("SELECT concat_ws('|', id, body, title, erased) FROM {schema}.talks", "1|true", "2|bob said|about bob")
	e.expectRows("SELECT concat_ws('|', talk_id, contact_id, mail) FROM {schema}.talk_contacts", "1|ann", "1|bob|bob@x", "2|bob|bob@x")
	e.expectRows("SELECT concat_ws('|', id, author_id, text, _extra::VARCHAR) FROM {schema}.talk_parts", "1|ann", "2|bob|bob wrote")
	e.expectRows("SELECT concat_ws('|', part_id, file) FROM {schema}.talk_files", "1", "2|bob.pdf")
	e.expectRows("SELECT concat_ws('|', id, who) FROM {schema}.reports", "1", "2|bob")
}

// TestT35TombstonesOverrideIncomingRecords erases a person from stored rows. It commits the same rows again, unchanged
// and changed, and into an empty database that has only the log. The tables are the same each time.
func TestT35TombstonesOverrideIncomingRecords(t *testing.T) {
	t.Parallel()
	e := newErasing(t, load.Options{})
	fill := func() (rows int64) {
		return e.commitRecords("talks", annTalk, bobTalk) + e.commitRecords("reports", `{"id":"1","talk_id":"1","who":"ann"}`, `{"id":"2","talk_id":"2","who":"bob"}`) +
			e.commitRecords("notes", `{"id":"1","text":"of nobody known"}`)
	}
	fill()
	c, err := e.Erasures.Erase(t.Context(), "main", erase.ErasedByCommand, []string{"ann"})
	must(t, err)
	e.expectErased()
	e.expectRows("SELECT concat_ws('|', id, plan) FROM {schema}.talks", "1", "2|tin")
	if c.Rows != 5 || strings.Join(c.NotCovered, " ") != "notes.text: no column names its person notes._extra: no column names its person" || !e.dir.Erasing() {
		t.Errorf("the certificate: %+v", c)
	}
	if rows := fill(); rows != 0 {
		t.Errorf("the same rows again wrote %d", rows)
	}
	e.commitRecords("talks", strings.Replace(annTalk, "ann said", "ann said more", 1), strings.Replace(bobTalk, "tin", "iron", 1))
	e.expectErased()
	e.expectRows("SELECT concat_ws('|', id, plan) FROM {schema}.talks", "1", "2|iron")

	must(t, e.Close()) // and a database that is older than the erasure
	log := e.dir.Erasures()
	fresh := newErasing(t, load.Options{})
	fresh.commitRecords("talks", annTalk, bobTalk)
	fresh.commitRecords("reports", `{"id":"1","talk_id":"1","who":"ann"}`, `{"id":"2","talk_id":"2","who":"bob"}`)
	copyFile(t, fresh.dir.Erasures(), log)
	fresh.Restart(t)
	fresh.ensureAll()
	if !fresh.Erasures.NeedsReapply("main") {
		t.Error("the older database does not know that it is")
	}
	_, err = fresh.Erasures.Reapply(t.Context(), "main")
	must(t, err)
	fresh.expectErased()
	if fresh.Erasures.NeedsReapply("main") {
		t.Error("it is still behind")
	}
}

// TestT35ARowStoredBeforeItsErasedRecordIsErased stores a report about a talk that is not stored yet, so that nothing
// says which person it is about. Then the talk comes, and names an erased person.
func TestT35ARowStoredBeforeItsErasedRecordIsErased(t *testing.T) {
	t.Parallel()
	e := newErasing(t, load.Options{})
	e.commitRecords("talks", annTalk, bobTalk)
	_, err := e.Erasures.Erase(t.Context(), "main", erase.ErasedByCommand, []string{"ann"})
	must(t, err)
	e.commitRecords("reports", `{"id":"3","talk_id":"3","who":"ann"}`, `{"id":"4","talk_id":"4","who":"bob"}`)
	e.commitRecords("talks", strings.Replace(annTalk, `"id":"1"`, `"id":"3"`, 1), strings.Replace(bobTalk, `"id":"2"`, `"id":"4"`, 1))
	e.expectRows("SELECT concat_ws('|', id, who) FROM {schema}.reports", "3", "4|bob")
	if !e.dir.Erasing() {
		t.Error("files that may have it are not written anew")
	}
}

// TestAnErasureRemovesTheHashOfComparedDeadLetters: of a single dead letter it would tell the id.
func TestAnErasureRemovesTheHashOfComparedDeadLetters(t *testing.T) {
	t.Parallel()
	e := newErasing(t, load.Options{})
	e.commitRecords("talks", annTalk, strings.Replace(bobTalk, `"id":"2"`, `"title":[],"id":"2"`, 1))
	tables := transform.Tables(e.streams["talks"])
	must(t, e.DeadLetters.ClearResolved(t.Context(), "main", "talks", tables, time.Time{}))
	const compared = "SELECT count(*) FROM _sync.meta WHERE key LIKE 'dead letters compared:%'"
	e.expectRows(compared, "1")
	_, err := e.Erasures.Erase(t.Context(), "main", erase.ErasedByCommand, []string{"ann"})
	must(t, err)
	e.expectRows(compared, "0")
}

// TestKeptColumnsStayWhenAPersonIsErased keeps one that the configuration names, and says so in the certificate.
func TestKeptColumnsStayWhenAPersonIsErased(t *testing.T) {
	t.Parallel()
	e := newErasing(t, load.Options{Keep: map[string]bool{"talks.plan": true}})
	e.commitRecords("talks", annTalk)
	c, err := e.Erasures.Erase(t.Context(), "main", erase.ErasedAtSource, []string{"ann"})
	must(t, err)
	e.expectRows("SELECT concat_ws('|', id, title, plan) FROM {schema}.talks", "1|gold")
	if !strings.Contains(strings.Join(c.NotCovered, " "), "talks.plan: kept") {
		t.Errorf("not covered: %v", c.NotCovered)
	}
	e.expectRows("SELECT reason FROM _sync.erasures", "erased")
}

// TestErasuresOfEarlierBuildsKeepTheirReason: they say forgotten. The person stays erased, and no row is written anew.
func TestErasuresOfEarlierBuildsKeepTheirReason(t *testing.T) {
	t.Parallel()
	e := newErasing(t, load.Options{})
	e.commitRecords("talks", annTalk)
	_, err := e.Erasures.Erase(t.Context(), "main", erase.ErasedAtSource, []string{"ann"})
	must(t, err)
	must(t, e.Plant(t.Context(), "UPDATE _sync.erasures SET reason = 'forgotten'"))
	must(t, e.Erasures.ReadErasures(t.Context()))
	_, err = e.Erasures.Erase(t.Context(), "main", erase.ErasedAtSource, []string{"ann"})
	must(t, err)
	e.expectRows("SELECT reason FROM _sync.erasures", "forgotten")
	if !e.Erasures.Erased("main", "ann") {
		t.Error("the person is no longer erased")
	}
}

// TestAnOlderFileLosesTheValuesThatALaterOneLacks: a row whose person only the later file knows, a text that the source took back, and a row that is
// gone. All that the later file still has stays.
func TestAnOlderFileLosesTheValuesThatALaterOneLacks(t *testing.T) {
	t.Parallel()
	later := newErasing(t, load.Options{})
	later.now = later.now.Add(time.Hour)
	later.commitRecords("talks", strings.Replace(annTalk, `[{"file":"bob.pdf"}]`, "[]", 1))
	later.commitRecords("reports", `{"id":"1","talk_id":"9"}`, `{"id":"2","talk_id":"2","who":"bob"}`)
	later.commitRecords("notes", `{"id":"1"}`, `{"id":"2","text":"stays"}`)
	must(t, later.Fold(t.Context()))
	must(t, later.Close())

	older := newErasing(t, load.Options{Later: later.dir.Database()})
	older.commitRecords("talks", annTalk)
	older.commitRecords("reports", `{"id":"1","talk_id":"9","who":"ann"}`, `{"id":"2","talk_id":"2","who":"bob"}`)
	older.commitRecords("notes", `{"id":"1","text":"taken back"}`, `{"id":"2","text":"stays"}`)
	must(t, older.Erasures.EmptyAsLater(t.Context(), "main"))
	older.expectRows("SELECT concat_ws('|', id, who) FROM {schema}.reports", "1", "2|bob")
	older.expectRows("SELECT concat_ws('|', id, text) FROM {schema}.notes", "1", "2|stays")
	older.expectRows("SELECT concat_ws('|', part_id, file) FROM {schema}.talk_files", "1|ann.pdf", "2")
	older.expectRows("SELECT concat_ws('|', id, body, title) FROM {schema}.talks", "1|ann said|about ann")
}

func copyFile(t *testing.T, to, from string) {
	t.Helper()
	text, err := os.ReadFile(from)
	must(t, err)
	must(t, os.WriteFile(to, text, 0o600))
}
