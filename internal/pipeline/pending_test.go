package pipeline_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator/api/fault"
	"aqueduck/internal/oracletest"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
)

const connectors = `stream: connectors
doc: One row per data connector.
read: {endpoint: GET /data_connectors, records: data, page: {by: cursor, in: query, size: 2}, since: {by: full}}
key: [id]
newest: updated_at
absent: gone
columns:
  - {name: id, type: text, doc: Id.}
  - {name: name, type: text, doc: Name.}
  - {name: updated_at, type: timestamp, doc: Last change.}
`

const connectorVersions = `stream: connector_versions
doc: One row per version of a data connector.
read:
  endpoint: GET /data_connectors/{id}/versions
  records: data
  page: {by: cursor, in: query, size: 2}
  since: {by: full}
  over: {stream: connectors, where: id}
key: [connector_id, version_id]
columns:
  - {name: connector_id, from: $over, type: text, doc: The connector.}
  - {name: version_id, from: entity_version_id, type: text, doc: Id.}
`

// folderStreams are a list of folders, and the folders inside each.
const folderStreams = `stream: tree
doc: One row per folder.
read: {endpoint: GET /folders, records: data, page: {by: number, in: query, size: 3}, since: {by: full}}
key: [id]
columns: [{name: id, type: text, doc: Id.}]
---
stream: branches
doc: One row per folder inside another.
read:
  endpoint: GET /folders
  records: data
  page: {by: number, in: query, size: 3}
  since: {by: full}
  over: {stream: [tree, branches], where: id, as: parent_folder_id}
key: [id]
columns: [{name: id, type: text, doc: Id.}, {name: parent_id, from: $over, type: text, doc: The folder around it.}]
`

// writeStreamFiles names a user's stream files in the configuration, with the streams of the pipeline.
func (b *testBed) writeStreamFiles(streams string, files ...string) {
	b.t.Helper()
	dir := filepath.Join(filepath.Dir(b.file), "streams")
	b.failOn(os.MkdirAll(dir, 0o755))
	for _, text := range files {
		for _, one := range strings.Split(text, "---\n") {
			name, _, _ := strings.Cut(strings.TrimPrefix(one, "stream: "), "\n")
			b.failOn(os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(one), 0o600))
		}
	}
	b.writeConfig(strings.Replace(nightly, "contacts, deleted_contacts, contact_activities", streams, 1) + "stream_files: [streams/*.yaml]\n")
}

// checkVersions compares the stored versions of connectors with the oracle.
func (b *testBed) checkVersions() {
	b.t.Helper()
	var want []string
	for _, row := range b.space.Oracle("data_connector_versions") {
		want = append(want, row["entity_version_id"].(string))
	}
	oracletest.CompareRows(b.t, "versions", b.queryRows("SELECT version_id FROM connector_versions v JOIN connectors c ON c.id = v.connector_id"), want)
}

// TestAChildStreamWithoutAParentIsNoted: without rows of its parent it reads nothing, which looks like a source without records.
func TestAChildStreamWithoutAParentIsNoted(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := newBed(t, tinyConfig(145))
	b.writeStreamFiles("tags, connector_versions", connectors, connectorVersions)
	const want = "connector_versions has no rows to read lists for"
	if report := b.syncOnce(runner.Options{}); !strings.Contains(strings.Join(report.Notes, "\n"), want) {
		t.Errorf("the run notes %q", report.Notes)
	}
	b.writeStreamFiles("connectors, connector_versions", connectors, connectorVersions)
	if report := b.syncOnce(runner.Options{}); strings.Contains(strings.Join(report.Notes, "\n"), want) {
		t.Errorf("with its parent the run notes %q", report.Notes)
	}
	b.writeStreamFiles("connector_versions", connectors, connectorVersions) // the rows of its parent stay stored
	if report := b.syncOnce(runner.Options{}); strings.Contains(strings.Join(report.Notes, "\n"), want) {
		t.Errorf("with stored rows of its parent the run notes %q", report.Notes)
	}
}

// TestChildStreamReadsNewAndChangedParents reads under each parent row once, and again when the parent has changed, whichever stream was added
// first. A run that is refused or cut loses nothing in the queue.
func TestChildStreamReadsNewAndChangedParents(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(141))
	b.writeStreamFiles("connectors", connectors)
	b.syncOnce(runner.Options{})
	b.writeStreamFiles("connectors, connector_versions", connectors, connectorVersions)
	b.syncOnce(runner.Options{})
	b.checkVersions()
	if report := b.syncOnce(runner.Options{}); report.TotalRows() != 0 || streamResult(t, report, "connector_versions").Requests != 0 {
		t.Errorf("without news: %s\n%+v", report.LastLine(), report.Streams)
	}
	all := b.queryRows("SELECT id FROM connectors ORDER BY id")
	b.space.Advance(time.Minute)
	b.failOn(b.space.EditContent("data_connectors", all[0]))
	fresh, err := b.space.CreateContent("data_connectors")
	b.failOn(err)
	b.space.InjectFaults(func(_ int, r *http.Request) *fault.Fault {
		if strings.HasSuffix(r.URL.Path, all[0]+"/versions") {
			return &fault.Fault{Status: http.StatusInternalServerError}
		}
		return nil
	})
	if report := b.trySync(runner.Options{}); report.Exit() != problem.ExitFailed {
		t.Errorf("one that cannot be read: %s", report.LastLine())
	}
	if got := b.queryRows("SELECT id FROM _sync.pending"); len(got) != 1 || got[0] != all[0] {
		t.Errorf("there waits %v, and not only %s; %s was read", got, all[0], fresh)
	}
	b.space.InjectFaults(nil)
	if s := streamResult(t, b.syncOnce(runner.Options{}), "connector_versions"); s.Requests > 2 || s.New != 1 {
		t.Errorf("the one that waited: %+v", s)
	}
	b.checkVersions()
	b.failOn(b.space.EditContent("data_connectors", all[1]))
	b.space.Advance(time.Minute)
	b.syncOnce(runner.Options{Select: []string{"connectors"}})
	b.failOn(b.space.RemoveContent("data_connectors", all[1]))
	b.space.Advance(time.Minute)
	b.syncOnce(runner.Options{})
	if got := b.queryRows("SELECT count(*) FROM _sync.pending"); got[0] != "0" {
		t.Errorf("%s wait after a 404", got[0])
	}
	b.checkVersions()
	if s := streamResult(t, b.syncOnce(runner.Options{FullRefresh: true}), "connector_versions"); s.Requests < int64(len(all)) || s.Rows != 0 {
		t.Errorf("a full refresh: %+v", s)
	}
}

// TestStreamOverItselfEndsWithoutNewRows reads a tree, level by level.
func TestStreamOverItselfEndsWithoutNewRows(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(142))
	b.writeStreamFiles("tree, branches", folderStreams)
	tree := map[string]string{"": "ab", "a": "cd", "c": "e", "e": "f"}
	b.interceptRequests(func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/folders" {
			return false
		}
		var records []string
		for _, id := range tree[r.URL.Query().Get("parent_folder_id")] {
			records = append(records, `{"id":"`+string(id)+`"}`)
		}
		rw.Header().Set("Date", b.space.CurrentTime().UTC().Format(http.TimeFormat))
		fmt.Fprintf(rw, `{"type":"list","data":[%s],"pages":{"next":null}}`, strings.Join(records, ","))
		return true
	})
	report := b.syncOnce(runner.Options{})
	oracletest.CompareRows(t, "branches", b.queryRows("SELECT id || ' in ' || parent_id FROM branches"), []string{"c in a", "d in a", "e in c", "f in e"})
	if s := streamResult(t, report, "branches"); s.Requests != 6 {
		t.Errorf("one request a folder: %+v", s)
	}
	if s := streamResult(t, b.syncOnce(runner.Options{}), "branches"); s.Requests != 0 {
		t.Errorf("without news: %+v", s)
	}
}

const asks = `stream: asks
doc: One row per event of a consultation.
read:
  endpoint: GET /conversations/{id}/hitl_events
  records: data
  page: {by: none}
  since: {by: full}
  over: {stream: conversations, where: id, refresh: {for: 3d, every: 20h}}
key: [conversation_id, cycle_id, event_type]
columns:
  - {name: conversation_id, from: $over, type: text, doc: Conversation.}
  - {name: cycle_id, from: hitl_cycle_id, type: text, doc: Consultation.}
  - {name: event_type, type: text, doc: Type.}
`

// TestT69ChildRowsWithoutParentChangeAreFound: the events of a consultation appear when it has ended, which does not change the conversation.
func TestT69ChildRowsWithoutParentChangeAreFound(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	c := tinyConfig(143)
	c.Conversations = 12
	b := newBed(t, c)
	b.writeStreamFiles("conversations, asks", asks)
	id, err := b.space.OpenConversation(b.space.ContactIDs("active")[0], 1)
	b.failOn(err)
	b.failOn(b.space.StartConsultation(id, "approved", 0, 26*time.Hour))
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	found := func() string {
		return b.queryRows("SELECT count(*) FROM asks WHERE conversation_id = '" + id + "'")[0]
	}
	if found() != "0" {
		t.Fatalf("%s events before the end", found())
	}
	b.space.Advance(10 * time.Hour)
	if s := streamResult(t, b.syncOnce(runner.Options{}), "asks"); s.Requests != 0 {
		t.Errorf("asked %d times before it is due", s.Requests)
	}
	b.space.Advance(16 * time.Hour)
	s := streamResult(t, b.syncOnce(runner.Options{}), "asks")
	if found() != "3" || s.Requests == 0 || s.Requests > 6 {
		t.Errorf("%s events after the end, in %d requests", found(), s.Requests)
	}
}
