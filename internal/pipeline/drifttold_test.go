package pipeline_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/cli/render"
	"aqueduck/internal/emulator"
	"aqueduck/internal/lane"
	"aqueduck/internal/plan"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync"
	"aqueduck/schemas"
)

// driftDoors gives the doors a column with words, one with custom attributes and two numbers. The returned function runs the pipeline on some doors.
func (b *testBed) driftDoors(d *doorList, columns, settings string) func(pages ...string) *runlog.Report {
	b.t.Helper()
	b.failOn(os.WriteFile(filepath.Join(filepath.Dir(b.file), "streams", "doors.yaml"), []byte(strings.Replace(doors,
		"{name: state, type: text}", "{name: state, type: text, words: [open, shut]}", 1)+columns), 0o600))
	b.writeConfig(strings.Replace(nightly, "[contacts,", "[doors, contacts,", 1) + "stream_files: [streams/*.yaml]\nstreams:\n  doors: {" + settings + "}\n")
	return func(pages ...string) *runlog.Report {
		b.t.Helper()
		d.showPages(pages...)
		b.space.Advance(time.Hour)
		report, err := sync.Run(b.t.Context(), b.runner, b.runner.Config.Pipelines[0], runner.Options{Select: []string{"doors"}}, io.Discard)
		b.failOn(err)
		return report
	}
}

// readDriftStatus returns the status of the warehouse at its own time.
func (b *testBed) readDriftStatus() *runlog.Status {
	b.t.Helper()
	s, err := runlog.ReadStatus(b.t.Context(), b.runner.Dir, b.runner.Config, b.runner.Catalogue, b.space.CurrentTime())
	b.failOn(err)
	return s
}

const driftColumns = "  - {name: custom, type: json, attributes: door}\n  - {name: n, type: int}\n"

// TestDriftIsToldByTheRunStatusAndPlan sends a new field, a new word, a new custom attribute and a value that does not fit. The first run, whose table
// is new, reports none of its own. The next one reports each once, and so do its summary, the status and the plan, until a week has passed.
// Holds: F13, T122.
func TestDriftIsToldByTheRunStatusAndPlan(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(451))
	d := b.withDoors("")
	read := b.driftDoors(d, driftColumns, "on_change: evolve")
	first := []string{`{"id":1,"state":"open","old":1,"n":7,"custom":{"plan":"x"}}`, `{"id":2,"state":"ajar","n":7,"custom":{}}`}
	if report := read(first...); len(report.Drift) != 0 || len(b.readDriftStatus().Drift) != 0 {
		t.Errorf("the first run reports %v, the status %v", report.Drift, b.readDriftStatus().Drift)
	}
	report := read(first[0], `{"id":2,"state":"broken","brand_new":true,"n":8.5,"custom":{"score":5}}`, `{"id":3,"state":"x@example.com","custom":{}}`)
	want := []string{
		"main.doors_all: a field without a column: it is in _extra, at brand_new",
		"main.doors_all.n: a value that does not fit the column: it is in _extra, at n",
		"main.doors_all.state: a new word: a value that is no word, at state",
		"main.doors_all.state: a new word: broken, at state",
		"main.doors_attributes.score: a new custom attribute, a column of type BIGINT",
	}
	sent := func(what, text string) {
		t.Helper()
		for _, line := range want {
			if !strings.Contains(text, line) {
				t.Errorf("%s does not tell %q:\n%s", what, line, text)
			}
		}
		if strings.Contains(text, "ajar") || strings.Contains(text, "doors_attributes.plan") || strings.Contains(text, "example.com") {
			t.Errorf("%s tells what is not new, or a value that is no word:\n%s", what, text)
		}
	}
	var printed, status, csv strings.Builder
	render.PrintReport(report, &printed)
	sent("the run", printed.String())
	s := b.readDriftStatus()
	render.PrintStatus(s, &status)
	sent("the status", status.String())
	sent("the plan", b.planText())
	b.failOn(render.ListStatus(s).WriteCSV(&csv))
	if !strings.Contains(csv.String(), "schema_drift\n") || !strings.Contains(csv.String(), ",5\n") {
		t.Errorf("the status as CSV:\n%s", csv.String())
	}
	for _, line := range []string{"5 schema changes in the last run or the 7 days before it", `all of them: aqueduck query "FROM _sync.schema_changes ORDER BY recorded_at DESC"`} {
		if !strings.Contains(status.String(), line) {
			t.Errorf("the status lacks %q:\n%s", line, status.String())
		}
	}
	summary := runlog.Summary{}
	summary.Add(runlog.PastRun{Run: report.RunID}, report)
	text, err := json.Marshal(summary)
	b.failOn(err)
	log, err := runlog.ReadLog(b.runner.Dir, report.RunID, runlog.LogFilter{Stream: "doors"})
	b.failOn(err)
	sent("the log of the run", fmt.Sprint(log.Lines))
	detail, err := runlog.FindRun(t.Context(), b.runner.Dir, report.RunID)
	b.failOn(err)
	if got := len(detail.Changes); got != len(want) || strings.Count(string(text), `"change":`) != len(want) {
		t.Errorf("runs show has %d changes, want %d; the summary has %s", got, len(want), text)
	}

	// A run that meets nothing new reports nothing, but the status still does; after a week it does not.
	if report := read(first[0], `{"id":2,"state":"broken","brand_new":true,"n":8.5,"custom":{"score":6}}`); len(report.Drift) != 0 {
		t.Errorf("known fields, words and attributes are drift again: %v", report.Drift)
	}
	if got := len(b.readDriftStatus().Drift); got != 6 { // with the column that on_change: evolve has widened
		t.Errorf("the status tells %d changes, want 6", got)
	}
	b.space.Advance(8 * 24 * time.Hour)
	if read(first...); len(b.readDriftStatus().Drift) != 0 {
		t.Errorf("after a week: %v", b.readDriftStatus().Drift)
	}
}

// TestHistoryIsNoDrift reads contacts in two runs, of which the second meets custom attributes of older contacts. They are as new as the stream, and no
// drift; an attribute that comes after the history is read is.
func TestHistoryIsNoDrift(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(454))
	read := func(o runner.Options) []runlog.Drift {
		t.Helper()
		b.space.Advance(time.Hour)
		o.Select = []string{"contacts"}
		report, err := sync.Run(b.t.Context(), b.runner, b.runner.Config.Pipelines[0], o, io.Discard)
		b.failOn(err)
		return report.Drift
	}
	read(runner.Options{Limit: 1})
	const attributes = "SELECT count(*) FROM _sync.schema_changes WHERE table_name = 'contacts_attributes'"
	if drift := read(runner.Options{}); len(drift) > 0 || b.queryRows(attributes)[0] == "0" || len(b.readDriftStatus().Drift) > 0 {
		t.Errorf("the rest of the history, with %s attributes: %v", b.queryRows(attributes)[0], drift)
	}
	read(runner.Options{})
	b.failOn(b.space.UpdateContact(b.space.ContactIDs("active")[0], emulator.FieldChange{Field: "custom_attributes.brand_new", Value: "x"}))
	if drift := read(runner.Options{}); len(drift) != 1 || drift[0].String() != "main.contacts_attributes.brand_new: a new custom attribute, a column of type VARCHAR" {
		t.Errorf("a new attribute: %v", drift)
	}
}

// TestDriftOfARecordReadByIDIsTold reads one contact by id, alone with a new custom attribute and a new field. Both are told, and the view of
// attributes has the value.
// Holds: T122.
func TestDriftOfARecordReadByIDIsTold(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(455))
	p := contactBed{b}
	id := b.space.ContactIDs("active")[0]
	p.advanceAfter(b.space.ArchiveContact(id))
	b.syncOnce(runner.Options{})
	p.advanceAfter(b.space.UnarchiveContact(id, false))
	b.space.Advance(100 * time.Hour) // its search result is too old to be read again
	b.changeRecord("contacts.get", id, func(record map[string]any) {
		record["brand_new"] = true
		record["custom_attributes"].(map[string]any)["only_by_id"] = 5
	})
	report, err := sync.Run(t.Context(), b.runner, b.runner.Config.Pipelines[0], runner.Options{}, io.Discard)
	b.failOn(err)
	want := "main.contacts_attributes.only_by_id: a new custom attribute, a column of type BIGINT\nmain.contacts_by_id_all: a field without a column: it is in _extra, at brand_new"
	var told []string
	for _, d := range report.Drift {
		told = append(told, d.String())
	}
	if got := strings.Join(told, "\n"); got != want {
		t.Errorf("the run tells\n%s\nwant\n%s", got, want)
	}
	if got := b.queryRows("SELECT only_by_id FROM contacts_attributes WHERE id = '" + id + "'"); len(got) != 1 || got[0] != "5" {
		t.Errorf("the view has %q", got)
	}
}

// TestPlanTellsColumnsThatTheRunChanges adds, widens, drops and removes columns: in a stream file, in pipelines.yaml and by values that need a wider
// type. The run then does what the plan told.
func TestPlanTellsColumnsThatTheRunChanges(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(452))
	d := b.withDoors("")
	pages := []string{`{"id":1,"state":"open","n":7,"colour":"red","name":"front"}`, `{"id":2,"state":"open","n":7.5,"colour":"blue","name":"back"}`}
	read := b.driftDoors(d, driftColumns+"  - {name: colour, type: text}\n  - {name: name, type: text}\n", "on_change: freeze")
	read(pages...)
	if text := b.planText(); strings.Contains(text, " column main.") || !strings.Contains(text, "only a run finds new fields") {
		t.Errorf("nothing is to change, but the plan says\n%s", text)
	}
	read = b.driftDoors(d, strings.Replace(driftColumns, "type: json, attributes: door", "type: json", 1)+"  - {name: size, type: int}\n  - {name: name, type: text}\n", "on_change: evolve, drop: [name]")
	planned, err := plan.Make(t.Context(), b.runner, b.runner.Config.Pipelines, runner.Options{}, plan.AskNone)
	b.failOn(err)
	if !planned.Changes() || len(planned.Widened) != 1 || planned.Widened[0] != (plan.WidenedColumn{Column: "main.doors_all.n", From: "BIGINT", To: "DOUBLE"}) {
		t.Errorf("columns to widen: %+v", planned.Widened)
	}
	text := b.planText()
	for _, line := range []string{
		"  + column main.doors_all.size\n",
		"  ~ column main.doors_all.n: from BIGINT to DOUBLE\n",
		"  - column main.doors_all.colour: no stream file has it; it stays, and is null in new rows\n",
		"  note: doors: new settings: drop name; the next run rewrites 2 stored values, and every file\n",
		"\nPlan: 0 tables to create, 1 column to add, 1 column to widen, 5 streams to read ",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("the plan lacks %q:\n%s", line, text)
		}
	}
	if report := read(pages...); report.Exit() != problem.ExitOK {
		t.Fatalf("%s", report.LastLine())
	}
	if got := b.queryRows("SELECT n, name, size, colour FROM doors ORDER BY id"); strings.Join(got, " ") != "7|∅|∅|∅ 7.5|∅|∅|∅" {
		t.Errorf("rows after the run: %v", got)
	}
}

// TestTheWordsOfTheEmulatorAreKnown reads every stream whose columns name words, twice, with five days between. A word that is missing in a stream
// file would be schema drift in every workspace.
func TestTheWordsOfTheEmulatorAreKnown(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	c := conversationConfig(emulator.Knobs{})
	c.Seed, c.Contacts, c.Conversations, c.Calls, c.Tickets = 453, 60, 60, 20, 40
	var names []string
	hasWords := func(columns []schemas.Column) bool {
		return slices.ContainsFunc(columns, func(c schemas.Column) bool { return c.Words != nil })
	}
	b := newBed(t, c)
	for _, s := range b.runner.Catalogue.Streams() {
		if s.With == "" && (hasWords(s.Columns) || slices.ContainsFunc(s.Children, func(c schemas.Child) bool { return hasWords(c.Columns) })) {
			names = append(names, s.Name)
		}
	}
	if len(names) < 15 {
		t.Fatalf("only %v have words", names)
	}
	b.writeConfig(strings.Replace(nightly, "[contacts, deleted_contacts, contact_activities]", "["+strings.Join(names, ", ")+"]", 1))
	for range 2 {
		b.syncOnce(runner.Options{})
		if got := b.queryRows("SELECT table_name, column_name, change FROM _sync.schema_changes WHERE example_type = 'word'"); len(got) > 0 {
			t.Errorf("new words: %v", got)
		}
		b.space.SimulateHours(5 * 24)
	}
}
