package pipeline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/grammar"
	"aqueduck/internal/oracletest"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
	"aqueduck/schemas"
)

// ownStreams are stream files of a user. Together they use each value of page, since and over.
const ownStreams = `stream: my_tags
doc: page none, since full.
read: {endpoint: GET /tags, records: data, page: {by: none}, since: {by: full}}
key: [id]
columns: [{name: id, type: text, doc: Id.}]
---
stream: my_calls
doc: page number, since full.
read: {endpoint: GET /calls, records: data, page: {by: number, in: query, size: 25}, since: {by: full}}
key: [id]
ignore: [recording_url, transcription_url]
columns: [{name: id, type: text, doc: Id.}, {name: conversation_id, type: text, doc: Conversation.}]
---
stream: my_contacts
doc: page cursor, since search.
read: {endpoint: POST /contacts/search, records: data, page: {by: cursor, in: body, size: 150}, since: {by: search, field: updated_at}}
key: [id]
columns: [{name: id, type: text, doc: Id.}, {name: updated_at, type: timestamp, doc: When it changed.}]
---
stream: my_events
doc: since bookmark.
read: {endpoint: GET /contacts/activities, records: data, page: {by: cursor, in: query, size: 50}, since: {by: bookmark}}
key: [id]
columns: [{name: id, type: text, doc: Id.}]
---
stream: my_log
doc: since between.
read: {endpoint: GET /admins/activity_logs, records: activity_logs, page: {by: none}, since: {by: between, field: created_at}}
key: [id]
columns: [{name: id, type: text, doc: Id.}, {name: created_at, type: timestamp, doc: When.}]
---
stream: my_exports
doc: since export.
read: {endpoint: GET /export/reporting_data/get_datasets, records: data, page: {by: none}, since: {by: export}}
---
stream: my_notes
doc: over view.
read: {endpoint: "GET /contacts/{id}/notes", records: data, page: {by: none}, since: {by: full}, over: {view: my_notes.sql, after: [my_contacts]}}
key: [id]
columns: [{name: id, type: text, doc: Id.}, {name: contact_id, from: $over, type: text, doc: Contact.}]
---
stream: my_versions
doc: over stream.
read: {endpoint: "GET /data_connectors/{id}/versions", records: data, page: {by: cursor, in: query, size: 50}, since: {by: full}, over: {stream: data_connectors, where: id}}
key: [connector_id, id]
columns: [{name: connector_id, from: $over, type: text, doc: Connector.}, {name: id, from: entity_version_id, type: text, doc: Id.}]
---
stream: my_transcripts
doc: over batch.
read: {endpoint: POST /calls/search, records: [data, calls], page: {by: none}, since: {by: full}, over: {batch: my_transcripts.sql, as: conversation_ids, size: 20, after: [my_calls]}}
key: [id]
columns: [{name: id, type: text, doc: Call.}]
---
stream: my_attributes
doc: over values.
read: {endpoint: GET /data_attributes, query: {include_archived: true}, records: data, page: {by: none}, since: {by: full}, over: {values: [contact, company, conversation], as: model}}
key: [model, full_name]
columns: [{name: model, type: text, doc: Whose.}, {name: full_name, type: text, doc: Name.}]
`

// TestEveryKindOfStreamNeedsNoGo reads the emulator with a user's stream files only, and finds all records.
func TestEveryKindOfStreamNeedsNoGo(t *testing.T) {
	t.Parallel()
	b := newBed(t, emulator.Config{Seed: 172, Contacts: 60, Inactive: 20, Activities: 150, Conversations: 120, Calls: 60,
		Knobs: emulator.Knobs{Export: emulator.ExportKnobs{Pending: -1, Working: -1}}})
	dir := filepath.Join(filepath.Dir(b.file), "streams")
	b.failOn(os.MkdirAll(dir, 0o755))
	for name, text := range map[string]string{"my_notes.sql": "SELECT id FROM {schema}.my_contacts ORDER BY id",
		"my_transcripts.sql": "SELECT DISTINCT conversation_id, id FROM {schema}.my_calls WHERE conversation_id IS NOT NULL ORDER BY ALL"} {
		b.failOn(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	b.writeStreamFiles(`"my_*", data_connectors`, ownStreams)
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	all := func(row map[string]any) bool { return true }
	for _, want := range []struct {
		table, oracle string
		columns       []string // of the oracle, in the order of the table's columns
		where         func(row map[string]any) bool
	}{
		{"my_tags", "tags", []string{"id"}, all},
		{"my_calls", "calls", []string{"id", "conversation_id"}, all},
		{"my_contacts", "contacts", []string{"id", "updated_at"}, all},
		{"my_events", "contact_activities", []string{"id"}, all},
		{"my_log", "admin_activity_logs", []string{"id", "created_at"}, all},
		{"my_notes", "contact_notes", []string{"note_id", "contact_id"}, all},
		{"my_versions", "data_connector_versions", []string{"data_connector_id", "entity_version_id"}, all},
		{"my_transcripts", "calls", []string{"id"}, func(row map[string]any) bool { return row["conversation_id"] != nil }},
		{"my_attributes", "data_attributes", []string{"model", "full_name"}, all},
	} {
		columns := b.queryRows(fmt.Sprintf("SELECT string_agg(CASE data_type WHEN 'TIMESTAMP WITH TIME ZONE' THEN 'epoch('||column_name||')::BIGINT' ELSE column_name END, ', ' ORDER BY column_index) FROM duckdb_columns() WHERE table_name = '%s' AND NOT starts_with(column_name, '_')", want.table))
		var rows []string
		for _, row := range b.space.Oracle(want.oracle) {
			var cells []string
			for _, c := range want.columns {
				cells = append(cells, fmt.Sprint(row[c]))
			}
			if want.where(row) {
				rows = append(rows, strings.Join(cells, "|"))
			}
		}
		if len(rows) < 5 {
			t.Errorf("%s: the source has only %d", want.table, len(rows))
		}
		oracletest.CompareRows(t, want.table, b.queryRows("SELECT "+columns[0]+" FROM "+want.table), rows)
	}
	if got := b.queryRows("SELECT count(*) > 20 FROM my_exports_conversation"); got[0] != "true" {
		t.Error("no rows of a dataset")
	}
	if report := b.syncOnce(runner.Options{Exclude: []string{"my_notes", "my_transcripts"}}); report.TotalRows() != 0 {
		t.Errorf("the second run wrote %d rows\n%+v", report.TotalRows(), report.Streams)
	}
}

// TestUserStreamsCoverEveryKindOfStream: a new kind of stream in the grammar must be tried by a user's stream file.
func TestUserStreamsCoverEveryKindOfStream(t *testing.T) {
	t.Parallel()
	read := specKey(t, schemas.Spec(), "read")
	var ways []string
	for _, name := range []string{"page", "since"} {
		for _, choice := range specKey(t, specKey(t, read, name), "by").Values {
			ways = append(ways, name+": {by: "+choice.Name)
		}
	}
	for _, name := range []string{"view", "stream", "batch", "values"} {
		specKey(t, specKey(t, read, "over"), name)
		ways = append(ways, "over: {"+name+": ")
	}
	for _, way := range ways {
		if !strings.Contains(ownStreams, way) {
			t.Errorf("no file has %s", way)
		}
	}
}

func specKey(t *testing.T, s *grammar.Spec, name string) *grammar.Spec {
	t.Helper()
	i := slices.IndexFunc(s.Keys, func(k grammar.Spec) bool { return k.Name == name })
	if i < 0 {
		t.Fatalf("the grammar has no %s", name)
	}
	return &s.Keys[i]
}

// TestT162ARecordThatOmitsAListIsReportedUntilItIsWholeOrGone, whether its key has one column or several.
func TestT162ARecordThatOmitsAListIsReportedUntilItIsWholeOrGone(t *testing.T) {
	t.Parallel()
	for key, of := range map[string]string{"id": "door_id", "id, owner": "door_id, door_owner"} {
		for name, after := range map[string]string{"whole": `{"id":"1","owner":"ann@x.example","v":3,"users":[{"id":"c"}]},`, "gone": ""} {
			t.Run(key+", "+name, func(t *testing.T) {
				t.Parallel()
				b := newBed(t, tinyConfig(176)).publishingLake()
				const other = `{"id":"2","owner":"bob@x.example","v":1,"users":[{"id":"b"}]}`
				lists := map[string]string{"doors": `{"id":"1","owner":"ann@x.example","v":1,"users":[{"id":"a"}]},` + other}
				b.serveLists(lists)
				b.writeStreamFiles("doors", strings.Replace(listStream("doors", "absent: gone\ncolumns: [{name: id, type: text}, {name: owner, type: text}, {name: v, type: int}]\nchildren:\n"+
					"  - {table: door_users, from: users, key: ["+of+", user], columns: [{name: door_id, from: $parent.id, type: text}, {name: door_owner, from: $parent.owner, type: text}, {name: user, from: id, type: text}]}\n"),
					"key: [id]", "key: ["+key+"]", 1))
				b.syncOnce(runner.Options{})
				lists["doors"] = `{"id":"1","owner":"ann@x.example","v":2},` + other
				for range 2 {
					b.space.Advance(24 * time.Hour)
					report := b.trySync(runner.Options{})
					if found := findingsNamed(report, "incomplete"); report.Exit() != problem.ExitFailed || len(found) != 1 || found[0].Found != "1" {
						t.Errorf("a list that is left out: exit %d, findings %+v", report.Exit(), found)
					}
				}
				lists["doors"] = after + other
				for range 2 { // two sweeps agree that a record is gone
					b.space.Advance(24 * time.Hour)
					b.trySync(runner.Options{})
				}
				b.space.Advance(24 * time.Hour)
				b.syncOnce(runner.Options{})
				if got := b.queryRows("SELECT count(*) FROM _sync.incomplete"); got[0] != "0" {
					t.Errorf("%v notes are left", got)
				}
			})
		}
	}
}
