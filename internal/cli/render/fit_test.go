package render

import (
	"bytes"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/admin"
	"aqueduck/internal/dictionary"
	"aqueduck/internal/goldentest"
	"aqueduck/internal/plan"
	"aqueduck/internal/preview"
	"aqueduck/internal/runlog"
	"aqueduck/internal/verify"
	"aqueduck/load/erase"
	"aqueduck/load/layout"
)

// fakeTerminal is a terminal of a width that keeps what is printed.
type fakeTerminal struct {
	bytes.Buffer
	columns int
}

func (f *fakeTerminal) Columns() int { return f.columns }

// shownAt is when the tests look at their tables.
var shownAt = time.Date(2026, 11, 20, 5, 54, 30, 0, time.UTC)

// wideAnswer writes 10,400 rows of 48 columns.
func wideAnswer(t *testing.T, w io.Writer, complete bool) {
	t.Helper()
	names := []string{"id", "role", "email", "name", "created_at", "revenue", "seats", "share", "note", "verified", "last_seen_at"}
	types := []string{"VARCHAR", "VARCHAR", "VARCHAR", "VARCHAR", "TIMESTAMP WITH TIME ZONE", "DOUBLE", "BIGINT", "DOUBLE", "VARCHAR", "BOOLEAN", "TIMESTAMP WITH TIME ZONE"}
	for len(names) < 48 {
		names, types = append(names, fmt.Sprintf("custom_attribute_%d", len(names))), append(types, "STRUCT(a INTEGER, b VARCHAR)[]")
	}
	r := NewAnswer("table", w, complete)
	if err := r.WriteHeader(names, types); err != nil {
		t.Fatal(err)
	}
	for i := range 10_400 {
		row := make([]any, len(names))
		copy(row, []any{fmt.Sprintf("6453768afa5743cf%08d", i), "user", fmt.Sprintf("rosa.%d@example.org", i), "Rosa Díaz 生命", shownAt.Add(-time.Duration(i) * time.Hour),
			3.074269e+06 + float64(i)/3, int64(9_990 + i), 1 / float64(i+3), "first line\nsecond line", i%2 == 0, nil})
		if err := r.WriteRow(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.FinishTable(); err != nil {
		t.Fatal(err)
	}
}

// printCommands prints what each command prints for people.
func printCommands(t *testing.T, w io.Writer) {
	t.Helper()
	at := func(d time.Duration) time.Time { return shownAt.Add(-d) }
	const run = "01K9F3Z6QH8V2M4N7QRSTVWXYZ"
	title := func(command string) { fmt.Fprintf(w, "\n$ aqueduck %s\n", command) }
	title("status")
	runs := []runlog.PastRun{{Run: run, Pipeline: "nightly", Started: at(2 * time.Hour), Finished: at(116 * time.Minute), Outcome: "OK", Rows: 18_904, Requests: 31_200},
		{Run: "01K9CJ5W8XAB0CDEFGHJKMNPQR", Pipeline: "nightly", Started: at(26 * time.Hour), Finished: at(26 * time.Hour), Outcome: "FAILED", Exit: 3, Class: "config",
			Error: "this warehouse was filled by the emulator and workspace main is a real one; nothing was written", Next: "give another directory: --dir DIR"}}
	var drift []runlog.Drift
	for i := range shownDrift + 2 {
		drift = append(drift, runlog.Drift{Workspace: "main", Stream: "contacts", RunChange: runlog.RunChange{Table: "main.contacts_attributes", Column: fmt.Sprintf("score_\x1b%d", i), Change: "a new custom attribute, a column of type BIGINT"}})
	}
	PrintStatus(&runlog.Status{Dir: "data", Drift: drift, AsOf: at(2 * time.Hour), Now: shownAt, Next: []runlog.NextRun{{Pipeline: "nightly", At: shownAt.Add(20 * time.Hour)}}, Runs: runs,
		Streams: []runlog.StreamStatus{{Workspace: "main", Stream: "contacts", Outcome: "ok", Freshness: runlog.Fresh, SyncedTo: at(2 * time.Hour)},
			{Workspace: "main", Stream: "conversation_data_attributes", Outcome: "FAILED", Freshness: "late", OK: at(50 * time.Hour), SyncedTo: at(50 * time.Hour), HistoryTo: at(9000 * time.Hour), Backfill: 0.4}}}, w)
	list := func(command string, l List) {
		title(command)
		if err := WriteList("table", w, shownAt, l); err != nil {
			t.Fatal(err)
		}
	}
	list("runs", ListRuns(runs))
	list("runs -n 1", ListRuns(runs[:1]))
	list("runs, after a rollback", ListRuns(append(runs, runlog.PastRun{Run: "01K9CJ5W8XAB0CDEFGHJKMNPQS", Started: at(time.Hour), Finished: at(time.Hour), Outcome: "ROLLED BACK",
		Rollback: &runlog.Rollback{FromRun: run, ToRun: runs[1].Run, By: "rosa"}})))
	title("sync")
	PrintReport(&runlog.Report{Pipeline: "nightly", RunID: run, APIVersions: []string{"2.17"}, Dir: "data", Started: at(2 * time.Hour), Time: 4 * time.Minute, Published: true, Streams: []runlog.StreamResult{
		{Workspace: "main", Stream: "contacts", Status: runlog.StatusOK, Extracted: 1_005_000, New: 5000, Changed: 12, Requests: 6700, Retries: 3, Time: 250 * time.Second, SyncedTo: at(2 * time.Hour), Backfill: 1},
		{Workspace: "main", Stream: "conversation_data_attributes", Status: runlog.StatusOK, Extracted: 2310, New: 2310, Requests: 2357, Time: 4 * time.Second, SyncedTo: at(30 * time.Hour), Backfill: 0.19}}}, w)
	title("plan")
	planned := &plan.Plan{Requests: 128, Drift: drift[:1], Widened: []plan.WidenedColumn{{Column: "main.doors.n", From: "BIGINT", To: "DOUBLE"}}, Unfilled: []string{"main.doors.colour"}, Streams: []plan.PlannedStream{
		{Workspace: "main", Stream: "contacts", Read: "changes since 2026-11-18T02:00:00Z", Shown: "since 18 Nov 02:00", Records: 1_005_000, Requests: 6700, Basis: "as many changes as before", Change: 0.007},
		{Workspace: "main", Stream: "conversations", Read: "changes since 2026-11-18T02:00:00Z, then from 2025-11-01T00:00:00Z back to the beginning", Shown: "since 18 Nov 02:00, then from 2025-11-01 back to the beginning",
			Records: 1_005_000, Requests: 6700, Basis: "150 a page, then each record by id", Change: 0.007},
		{Workspace: "main", Stream: "conversation_data_attributes", Read: "the whole list", Records: -1, Requests: 1, Basis: "the list is one answer"},
		{Workspace: "main", Stream: "tickets", Read: "changes since 2026-11-18T02:00:00Z", Shown: "since 18 Nov 02:00", Records: -1, Requests: 3, Basis: "as many changes as before", Change: 1}}}
	PrintPlan(planned, w)
	title("plan, of two workspaces")
	planned.Streams = append(slices.Clone(planned.Streams), planned.Streams[0])
	planned.Streams[4].Workspace = "shop"
	PrintPlan(planned, w)
	title("verify")
	PrintVerification(&verify.Verification{Sampled: 1879, Under: 0.0016, Requests: 120, Streams: []verify.Verified{{Workspace: "main", Stream: "contacts", Sampled: 1879, Missing: 1, Requests: 120, How: "3 pages, 1,429 rows by id", Under: 0.0016},
		{Workspace: "main", Stream: "tags", Sampled: 12, Requests: 1, How: "the whole list", Whole: true, Under: 1},
		{Workspace: "main", Stream: "contacts_by_id", How: "not compared: this stream only completes rows of another stream", Under: 1},
		{Workspace: "main", Stream: "conversation_data_attributes", How: "not compared: no run has read it", Under: 1}}}, w)
	title("check --online")
	PrintOnline(&preview.Online{Notes: []string{"main: workspace emu_1, API 2.17"}, Dir: "data", Room: layout.Room{Free: 9 << 30, Needs: 1 << 30}, Streams: []preview.Readable{
		{Workspace: "main", Stream: "data_connectors", Request: "GET /data_connectors", Named: true, Answer: "yes"},
		{Workspace: "main", Stream: "data_connector_versions", Request: "GET /data_connectors/{id}/versions", Answer: "by id", Why: "read for the ids of data_connectors"},
		{Workspace: "main", Stream: "conversation_data_attributes", Request: "GET /conversations/attributes", Named: true, Answer: "scope", Why: "the token lacks a scope"}}}, w)
	title("streams")
	PrintCatalogue([]dictionary.StreamDescription{{Stream: "data_connectors", Request: "GET /data_connectors", Since: "full", Doc: "One row per data connector. It calls.", Shown: []string{"data_connectors", "data_connectors_all"}},
		{Stream: "conversation_data_attributes", Request: "GET /conversations/attributes", Since: "full", Doc: "One row per attribute of conversations, with its options and its conditions.", Shown: []string{"conversation_data_attributes"}}}, w)
	states := []runlog.StreamState{{Workspace: "main", Stream: "conversation_data_attributes", Seq: 3, SyncedTo: at(2 * time.Hour), State: `{"number":3}`},
		{Workspace: "main", Stream: "conversations", Seq: 412, SyncedTo: at(2 * time.Hour), HistoryTo: at(9000 * time.Hour), State: `{"after":1718400000,"version":"2.17"}`}}
	list("state show", ListCheckpoints(states, false))
	list("state show -v", ListCheckpoints(states, true))
	list("rollback --list", ListPublished([]admin.PublishedFile{{Run: run, At: at(2 * time.Hour), What: "run of nightly, by a rollback", Bytes: 31_457_280, Current: true}, {Run: "01K9CJ5W8XAB0CDEFGHJKMNPQR-01", At: at(26 * time.Hour), What: "state rewind", Bytes: 30_932_992}}))
	list("erase --yes -v", ListErased([]admin.Erased{{Workspace: "main", Certificate: erase.Certificate{Tables: map[string]int64{"contacts_raw": 1, "contact_tags_raw": 12},
		Files: []string{".aqueduck/published/" + run + ".duckdb", "lake/main/contacts_all/contacts-first-4148ba547851.parquet"}}}}))
	title("runs show")
	PrintRun(&runlog.RunDetail{PastRun: runs[0], Published: true, Version: "1.0.0", Streams: []runlog.RunStream{
		{Workspace: "main", Stream: "contacts", Outcome: "ok", Records: 1_005_000, New: 5000, Changed: 12, Requests: 6700, Retries: 3, SyncedTo: at(2 * time.Hour)},
		{Workspace: "main", Stream: "conversation_data_attributes", Outcome: "ok", Records: 2310, New: 2310, Requests: 2357, SyncedTo: at(30 * time.Hour)}},
		Publishes: []runlog.RunPublished{{File: run + ".duckdb", At: at(2 * time.Hour), Changed: 9}}}, w)
	title("sync, while it runs")
	columns := columnsOf(w)
	fmt.Fprintln(w, runningTable(&runlog.Running{Pipeline: "nightly", Doing: "reading", Started: at(5 * time.Minute), At: shownAt, Rows: 18_904, Requests: 31_200, Done: 41.6, Left: 425 * time.Second,
		Streams: []runlog.RunningStream{{Workspace: "main", Stream: "teams", Phase: "done", Backfill: 1}, {Workspace: "main", Stream: "contacts", Phase: "backfill", WaitsFor: "rate limit", Extracted: 1_005_000, Rows: 9000, Requests: 6700, Backfill: 0.4},
			{Workspace: "main", Stream: "conversation_data_attributes", Phase: "waiting", WaitsFor: "contacts, conversations"}, {Workspace: "main", Stream: "tickets", Phase: "waiting", WaitsFor: "its turn"}}}, columns, 6))
}

// TestTablesFitTheTerminal compares what commands print at three widths, and in a file, with what is expected. No line is longer than the terminal
// is wide, but for sentences, which the terminal wraps.
func TestTablesFitTheTerminal(t *testing.T) {
	t.Parallel()
	for _, columns := range []int{80, 100, 140} {
		w := &fakeTerminal{columns: columns}
		fmt.Fprintln(w, "$ aqueduck query")
		wideAnswer(t, w, false)
		printCommands(t, w)
		goldentest.Compare(t, fmt.Sprintf("testdata/terminal-%d.txt", columns), w.String())
		sentence := strings.NewReplacer("published ", "", "  note: ", "", "  drift: ", "", "          main.", "", "          all of them", "", "  - column", "", "failed    ", "", "OK nightly", "", "Plan: ", "", "nightly  run", "", "  the Parquet", "")
		for line := range strings.SplitSeq(w.String(), "\n") {
			if n := widthOf(line); n > columns && sentence.Replace(line) == line {
				t.Errorf("%d characters in a terminal of %d: %s", n, columns, line)
			}
		}
	}
	var file bytes.Buffer
	printCommands(t, &file)
	goldentest.Compare(t, "testdata/file.txt", file.String())
	if strings.Contains(file.String(), "not shown") {
		t.Error("a file lacks columns")
	}
}

// TestNarrowTablesKeepWhatMatters: at 80 columns an error, a reason, a percentage and a basis are there, and what was left out for them is named.
func TestNarrowTablesKeepWhatMatters(t *testing.T) {
	t.Parallel()
	w := &fakeTerminal{columns: 80}
	printCommands(t, w)
	for _, want := range []string{"FAILED        0  [config] this warehouse wa", "  NOTE: from RSTVWXYZ to HJKMNPQR by rosa: HJKMNPQS\n", "not shown in this width: FINISHED, EXIT, REQUESTS", "2025-11-10, 40%\n", "18 Nov 23:54, 19%\n",
		"contacts                      since 18 Nov 02:00", "  BASIS: as many changes as before: contacts, tickets\n", "not shown in this width: WORKSPACE, A CHANGE, BASIS",
		"  HOW: not compared: this stream only completes rows of another stream:\n    contacts_by_id\n"} {
		if !strings.Contains(w.String(), want) {
			t.Errorf("it lacks %q", want)
		}
	}
	wide := &fakeTerminal{columns: 200}
	if printCommands(t, wide); !strings.Contains(wide.String(), "  1 per 143  ") {
		t.Errorf("the requests for a changed record are not in the words of the streams page:\n%s", wide.String())
	}
	one, _, _ := strings.Cut(w.String(), "two workspaces")
	if _, table, _ := strings.Cut(one, "$ aqueduck plan\n"); strings.Contains(table, "A CHANGE: ") {
		t.Error("the legend explains a column that is not shown")
	}
	if _, table, _ := strings.Cut(w.String(), "$ aqueduck runs -n 1\n"); strings.Contains(strings.SplitN(table, "\n", 2)[0], "NOTE") {
		t.Error("an empty NOTE is shown")
	}
}

// TestErasureSaysOnceWhatItDoesNotCover prints what an erasure would do, and the summary of what it did.
func TestErasureSaysOnceWhatItDoesNotCover(t *testing.T) {
	t.Parallel()
	done := []admin.Erased{{Workspace: "main", IDs: []string{"7"}, Certificate: erase.Certificate{Rows: 1, Tables: map[string]int64{"contacts_raw": 1}, NotCovered: []string{"doors.owner: no column names its person"}}}}
	var both bytes.Buffer
	PrintTouched(done, &both)
	PrintErased(done, &both)
	if n := strings.Count(both.String(), "not covered: doors.owner"); n != 1 || !strings.Contains(both.String(), "erased    7 of main: 1 row") {
		t.Errorf("%d times:\n%s", n, &both)
	}
}

// TestAnswersAreCompleteElsewhere: a file, and a terminal where everything is asked for, get each row, column and digit.
func TestAnswersAreCompleteElsewhere(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	wideAnswer(t, &file, false)
	all := &fakeTerminal{columns: 80}
	wideAnswer(t, all, true)
	if file.String() != all.String() {
		t.Error("what a file gets is not what a terminal shows when everything is asked for")
	}
	for _, want := range []string{"\n\n  10,400 rows, 48 columns\n", "custom_attribute_47", "6453768afa5743cf00010399", "3,074,269.3333333335", "second line"} {
		if !strings.Contains(file.String(), want) {
			t.Errorf("it lacks %q", want)
		}
	}
	if n := strings.Count(file.String(), "6453768afa5743cf"); n != 10_400 || strings.Contains(file.String(), "…") {
		t.Errorf("%d rows, or a cut value", n)
	}
}

// TestNumbersAreWrittenAsPeopleDo shows numbers on a terminal and where they are complete.
func TestNumbersAreWrittenAsPeopleDo(t *testing.T) {
	t.Parallel()
	huge, _ := new(big.Int).SetString("-170141183460469231731687303715884105727", 10)
	for _, tt := range []struct {
		value           any
		shown, complete string
	}{
		{3.074269e+06, "3,074,269", "3,074,269"}, {1234567.0, "1,234,567", "1,234,567"}, {int64(2026), "2026", "2026"}, {int64(-10_400), "-10,400", "-10,400"}, {100.0 / 3, "33.3333", "33.333333333333336"},
		{float32(0.1), "0.1", "0.1"}, {2.0 / 3000, "0.0006667", "0.0006666666666666666"}, {1e300, "1e+300", "1e+300"}, {huge, "-170,141,183,460,469,231,731,687,303,715,884,105,727", "-170,141,183,460,469,231,731,687,303,715,884,105,727"},
	} {
		if shown, complete := groupDigits("n", decimalText(tt.value, true)), groupDigits("n", decimalText(tt.value, false)); shown != tt.shown || complete != tt.complete {
			t.Errorf("%v is %s, and complete %s; want %s and %s", tt.value, shown, complete, tt.shown, tt.complete)
		}
	}
	if got := groupDigits("admin_id", "123456"); got != "123456" {
		t.Errorf("an id is written %s", got)
	}
}

// An error that kept a stream from being compared has the form of every error.
func TestVerificationPrintsClassAndNextStepOfAnError(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	PrintVerification(&verify.Verification{Given: "--dir demo", Streams: []verify.Verified{{Workspace: "main", Stream: "tags", Class: "transient", Error: "GET /tags: 503", Next: "aqueduck verify --select tags"}},
		Lakes: []verify.VerifiedLake{{Workspace: "main", Class: "disk", Error: "no space", Next: "aqueduck verify"}}}, &out)
	for _, want := range []string{"\n  error[transient] tags could not be compared: GET /tags: 503\n       next: aqueduck verify --dir demo --select tags\n",
		"\n  error[disk] the Parquet files of main could not be compared: no space\n       next: aqueduck verify --dir demo\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("there is no %q in\n%s", want, out.String())
		}
	}
}
