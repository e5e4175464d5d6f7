package pipeline_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/api/fault"
	"aqueduck/internal/lane"
	"aqueduck/internal/oracletest"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync"
)

// reporting reads the exports alone, from forty days before hour 0.
const reporting = `version: 1
warehouse: {dir: data}
workspaces:
  main: {base_url: "${WORKSPACE_URL}", token: "${WORKSPACE_TOKEN}", api_version: "2.17"}
streams:
  "reporting_*": {start: 2024-05-06}
pipelines:
  nightly: {streams: ["reporting_*"]}
`

// reportStart is the first day of the exports.
var reportStart = time.Date(2024, 5, 6, 0, 0, 0, 0, time.UTC)

// reportsEqualOracle compares the tables of the datasets with the oracle.
func (b *testBed) reportsEqualOracle(start time.Time) {
	b.t.Helper()
	oracletest.CompareReports(b.t, b.space, b.runner.Dir.Current(), start)
}

func (b *testBed) reportEqualsOracle(set string, start time.Time) {
	b.t.Helper()
	oracletest.CompareReport(b.t, b.space, b.runner.Dir.Current(), set, start)
}

func exportBed(t testing.TB, k emulator.ExportKnobs) *testBed {
	t.Helper()
	c := tinyConfig(31)
	c.Export = k
	return newBedWith(t, c, reporting)
}

// countExportJobs counts the enqueued jobs.
func (b *testBed) countExportJobs() (n int) {
	for _, r := range b.space.Requests() {
		if strings.HasSuffix(r.Path, "/enqueue") {
			n++
		}
	}
	return n
}

// Holds: T96.
func TestEveryDatasetHasItsTable(t *testing.T) {
	t.Parallel()
	b := exportBed(t, emulator.ExportKnobs{}).publishingAll()
	report := b.syncOnce(runner.Options{})
	if len(report.Streams) != 3 || report.Streams[0].New == 0 || report.Streams[0].Backfill != 1 {
		t.Fatalf("%s\n%+v", report.LastLine(), report.Streams)
	}
	b.reportsEqualOracle(reportStart)
	if _, most := b.space.ExportJobs(); most > 3 {
		t.Errorf("%d jobs were under way at once", most)
	}
	header := b.queryRows("SELECT comment FROM duckdb_columns() WHERE table_name = 'reporting_conversation' AND column_name = 'csat_score'")
	if !slices.Equal(header, []string{"CSAT score, %"}) {
		t.Errorf("the comment of the column is %q", header)
	}
	if n := b.queryRows("SELECT count(*) FROM reporting_conversation WHERE _time < TIMESTAMPTZ '2024-05-06 00:00:00+00'"); n[0] != "0" {
		t.Errorf("%s rows before the start", n)
	}
	before := b.countExportJobs()
	b.space.Advance(time.Hour)
	again := b.syncOnce(runner.Options{})
	if again.TotalRows() != 0 || !again.Unchanged || b.countExportJobs()-before != 3 {
		t.Errorf("an hour later: %s, %d jobs", again.LastLine(), b.countExportJobs()-before)
	}
	b.reportsEqualOracle(reportStart)
}

// TestT106ExportValueChangedTwentyDaysLaterIsFound lets a month pass, with a run each night.
func TestT106ExportValueChangedTwentyDaysLaterIsFound(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := exportBed(t, emulator.ExportKnobs{})
	b.syncOnce(runner.Options{})
	day := b.space.CurrentTime().Unix()
	b.failOn(b.space.ReportRow("conversation", "late", day-3*24*3600, map[string]any{"conversation_id": "late", "created_at": fmt.Sprint(day - 3*24*3600), "state": "open"}))
	for range 20 {
		b.space.SimulateHours(24)
	}
	b.syncOnce(runner.Options{})
	b.reportsEqualOracle(reportStart)
	b.failOn(b.space.ReportChange("conversation", "late", "state", "closed"))
	b.space.SimulateHours(24)
	report := b.syncOnce(runner.Options{})
	b.reportsEqualOracle(reportStart)
	if got := b.queryRows("SELECT current_state FROM reporting_conversation WHERE conversation_id = 'late'"); !slices.Equal(got, []string{"closed"}) {
		t.Errorf("it is stored as %q\n%s", got, report.LastLine())
	}
}

func TestT105RowsOnTheBoundsOfADayAreStoredOnce(t *testing.T) {
	t.Parallel()
	for name, outside := range map[string]bool{"bounds are in": false, "bounds are out": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := exportBed(t, emulator.ExportKnobs{Outside: outside})
			for d := range 38 {
				for _, second := range []int64{-1, 0, 1} {
					at := reportStart.AddDate(0, 0, d).Unix() + second
					b.failOn(b.space.ReportRow("conversation", fmt.Sprint(d, second), at, map[string]any{"conversation_id": fmt.Sprint(d, second), "created_at": fmt.Sprint(at)}))
				}
			}
			b.syncOnce(runner.Options{})
			b.reportsEqualOracle(reportStart)
			b.space.SimulateHours(24)
			b.syncOnce(runner.Options{})
			b.reportsEqualOracle(reportStart)
		})
	}
}

// TestT97EnqueuedJobIsContinuedByTheNextRun cuts runs at every request of the first job. The next run polls a job that the source has accepted,
// and enqueues no other.
func TestT97EnqueuedJobIsContinuedByTheNextRun(t *testing.T) {
	t.Parallel()
	b := exportBed(t, emulator.ExportKnobs{Pending: 10 * time.Minute})
	b.writeConfig(strings.Replace(reporting, `["reporting_*"]`, `[reporting_conversation]`, 1))
	ctx, cancel := context.WithCancel(context.Background())
	polled := ""
	b.space.InjectFaults(func(_ int, r *http.Request) *fault.Fault {
		if strings.Contains(r.URL.Path, "/job_") {
			polled = r.URL.Path
			cancel()
		}
		return nil
	})
	report, err := sync.Sync(ctx, b.runner, b.runner.Config.Pipelines[0], runner.Options{})
	if err != nil || report.Exit() != problem.ExitInterrupted || polled == "" {
		t.Fatalf("the run was not cut while it waited: %v %+v", err, report)
	}
	if n := b.countExportJobs(); n != 1 {
		t.Fatalf("%d jobs were asked for", n)
	}
	var first string
	b.space.InjectFaults(func(_ int, r *http.Request) *fault.Fault {
		if first == "" && (strings.HasSuffix(r.URL.Path, "/enqueue") || strings.Contains(r.URL.Path, "/job_")) {
			first = r.URL.Path
		}
		return nil
	})
	b.syncOnce(runner.Options{})
	if first != polled {
		t.Errorf("the next run began with %s, the job was %s", first, polled)
	}
	b.reportEqualsOracle("conversation", reportStart)
	made, _ := b.space.ExportJobs()
	fresh := exportBed(t, emulator.ExportKnobs{})
	fresh.writeConfig(strings.Replace(reporting, `["reporting_*"]`, `[reporting_conversation]`, 1))
	fresh.syncOnce(runner.Options{})
	if uncut, _ := fresh.space.ExportJobs(); made != uncut {
		t.Errorf("%d jobs were made, %d without the cut", made, uncut)
	}
}

// TestT98LostAnswerCostsAJobAndNoRow loses the answers to enqueueing, after the source has accepted the job.
func TestT98LostAnswerCostsAJobAndNoRow(t *testing.T) {
	t.Parallel()
	b := exportBed(t, emulator.ExportKnobs{})
	lost := 0
	b.space.InjectFaults(func(_ int, r *http.Request) *fault.Fault {
		if strings.HasSuffix(r.URL.Path, "/enqueue") && lost < 2 {
			lost++
			return &fault.Fault{Truncate: true}
		}
		return nil
	})
	b.syncOnce(runner.Options{})
	b.reportsEqualOracle(reportStart)
	if lost != 2 {
		t.Errorf("%d answers were lost", lost)
	}
}

func TestT96FullSlotsAreWaitedFor(t *testing.T) {
	t.Parallel()
	b := exportBed(t, emulator.ExportKnobs{Pending: 4 * time.Minute, Working: time.Minute})
	b.space.OccupyExports(5)
	b.syncOnce(runner.Options{})
	b.reportsEqualOracle(reportStart)
}

func TestReportsOfAllKindsOfWorkspacesEqualTheOracle(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	for _, temper := range []struct {
		name  string
		later bool
		k     emulator.ExportKnobs
	}{
		{"T99 addresses expire", true, emulator.ExportKnobs{URLLife: time.Nanosecond, Expired: "html", NoURL: false}},
		{"T100 no address", true, emulator.ExportKnobs{NoURL: true}},
		{"T100 two jobs fail", true, emulator.ExportKnobs{Fail: 2}},
		{"T110 a mark, bare line ends", false, emulator.ExportKnobs{File: emulator.ExportFile{LF: true, BOM: true}}},
		{"T112 three members", false, emulator.ExportKnobs{File: emulator.ExportFile{Members: 3}}},
		{"zip", false, emulator.ExportKnobs{File: emulator.ExportFile{Form: "zip", Members: 2}}},
		{"gzip", false, emulator.ExportKnobs{File: emulator.ExportFile{Form: "gzip"}}},
		{"plain", false, emulator.ExportKnobs{File: emulator.ExportFile{Form: "csv"}}},
	} {
		t.Run(temper.name, func(t *testing.T) {
			t.Parallel()
			b := exportBed(t, temper.k)
			b.syncOnce(runner.Options{})
			b.reportsEqualOracle(reportStart)
			if !temper.later {
				return // the next night has the same form
			}
			b.space.SimulateHours(30)
			b.syncOnce(runner.Options{})
			b.reportsEqualOracle(reportStart)
		})
	}
}

// TestUnusableDatasetBlocksNoOther: the unusable dataset is reported, and the others are read.
func TestUnusableDatasetBlocksNoOther(t *testing.T) {
	t.Parallel()
	b := exportBed(t, emulator.ExportKnobs{})
	b.answerWith("exports.datasets", func(body []byte) []byte {
		return bytes.Replace(body, []byte(`[{`), []byte(`[{"id":"!!","attributes":[{"id":"x"}]},{`), 1)
	})
	report := b.syncOnce(runner.Options{})
	if told := findingsNamed(report, "dataset_odd"); len(told) != 1 || !strings.Contains(told[0].Message, `"!!"`) {
		t.Errorf("told %+v", told)
	}
	b.reportsEqualOracle(reportStart)
	b.space.Advance(25 * time.Hour)
	b.answerWith("exports.datasets", func(body []byte) []byte {
		return bytes.Replace(body, []byte(`"attributes":[{`), []byte(`"attributes":[],"other":[{`), 1)
	})
	report = b.trySync(runner.Options{})
	if s := streamResult(t, report, "reporting_conversation"); s.Status != runlog.StatusFailed || s.Class != "source" {
		t.Errorf("a dataset that was read before: %+v", s)
	}
	if report.Count(runlog.StatusOK) != len(report.Streams)-1 {
		t.Errorf("the others: %s", report.LastLine())
	}
}
