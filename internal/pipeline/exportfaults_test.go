package pipeline_test

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/api/fault"
	"aqueduck/internal/lane"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync"
)

// onlyDataset makes the pipeline read one dataset.
func onlyDataset(config, stream string) string {
	return strings.Replace(config, `["reporting_*"]`, "["+stream+"]", 1)
}

// TestT97RunKilledBeforeItKnowsItsJobStartsAnother ends a run while the answer to its enqueueing is on the way. No run waits for that job, and its
// days are exported again.
func TestT97RunKilledBeforeItKnowsItsJobStartsAnother(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := exportBed(t, emulator.ExportKnobs{})
	b.writeConfig(onlyDataset(reporting, "reporting_conversation"))
	ctx, cancel := context.WithCancel(context.Background())
	b.space.InjectFaults(func(_ int, r *http.Request) *fault.Fault {
		if strings.HasSuffix(r.URL.Path, "/enqueue") {
			cancel()
			return &fault.Fault{Truncate: true}
		}
		return nil
	})
	if report, err := sync.Sync(ctx, b.runner, b.runner.Config.Pipelines[0], runner.Options{}); err != nil || report.Exit() != problem.ExitInterrupted {
		t.Fatalf("%v %+v", err, report)
	}
	b.space.InjectFaults(nil)
	b.syncOnce(runner.Options{})
	b.reportEqualsOracle("conversation", reportStart)
}

// TestExportRunsCutAtEveryRequestLoseAndDoubleNothing ends runs by their number of requests until one completes.
// Holds: T97.
func TestExportRunsCutAtEveryRequestLoseAndDoubleNothing(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	skipInRaceRun(t)
	for _, most := range []int64{14, 25} {
		b := exportBed(t, emulator.ExportKnobs{})
		for n := 0; ; n++ {
			report := b.trySync(runner.Options{MaxRequests: most})
			if report.Exit() != problem.ExitOK || n > 60 {
				t.Fatalf("%d requests a run, run %d: %s\n%+v", most, n, report.LastLine(), report.Streams)
			}
			cut := slices.ContainsFunc(report.Streams, func(s runlog.StreamResult) bool { return s.Cut || s.Backfill < 1 })
			if len(report.Streams) == 3 && !cut {
				break
			}
			b.space.Advance(time.Minute)
		}
		b.reportsEqualOracle(reportStart)
	}
}

// TestT101BrokenExportFileKeepsStoredRows serves files that are never complete. Their stream fails, no row is lost, and the first complete file
// brings the days up to date.
// Holds: T102, T111.
func TestT101BrokenExportFileKeepsStoredRows(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := exportBed(t, emulator.ExportKnobs{})
	b.syncOnce(runner.Options{})
	b.space.SimulateHours(24)
	for name, file := range map[string]emulator.ExportFile{
		"T101 truncated": {Truncate: 0.01}, "T102 a second member": {SecondMember: true}, "T111 no member": {NoMember: true},
		"T101 truncated zip": {Form: "zip", Truncate: 0.01}, "T99 a page": {Spoil: func([]byte) []byte { return []byte("<html></html>") }},
	} {
		b.space.SetKnobs(func(k *emulator.Knobs) { k.Export.File = file })
		before := b.queryRows("FROM (SELECT * EXCLUDE (_run_id) FROM reporting_conversation) ORDER BY ALL")
		report := b.trySync(runner.Options{})
		if report.Exit() != problem.ExitFailed || report.Count(runlog.StatusFailed) != 3 {
			t.Errorf("%s: %s", name, report.LastLine())
		}
		if after := b.queryRows("FROM (SELECT * EXCLUDE (_run_id) FROM reporting_conversation) ORDER BY ALL"); !slices.Equal(after, before) {
			t.Errorf("%s: rows have changed", name)
		}
	}
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Export.File = emulator.ExportFile{} })
	b.syncOnce(runner.Options{})
	b.reportsEqualOracle(reportStart)
}

// TestS10UnlistedDownloadHostIsRefusedWithNextStep serves the files from another host. Once that host is listed, the run requests it; that it does
// not answer is another failure.
func TestS10UnlistedDownloadHostIsRefusedWithNextStep(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := exportBed(t, emulator.ExportKnobs{Storage: "https://198.51.100.7"})
	config := onlyDataset(reporting, "reporting_conversation")
	b.space.InjectFaults(func(_ int, r *http.Request) *fault.Fault {
		if strings.HasPrefix(r.URL.Path, "/download/") {
			return &fault.Fault{Status: http.StatusNotFound}
		}
		return nil
	})
	const line = "download_hosts: [198.51.100.7]"
	for _, test := range []struct{ config, class, why, next string }{
		{config, "config", "downloads are not allowed from 198.51.100.7; the API does not return the file either", "allow the host in pipelines.yaml: workspaces.main." + line},
		{strings.Replace(config, "base_url:", line+", base_url:", 1), "transient", "the source no longer has the export", "sync nightly --failed"},
	} {
		b.writeConfig(test.config)
		report := b.trySync(runner.Options{})
		s := report.Streams[0]
		if report.Exit() != problem.ExitFailed || s.Class != test.class || !strings.Contains(s.Error, test.why) || !strings.Contains(s.Next, test.next) {
			t.Errorf("exit %d, %+v", report.Exit(), s)
		}
	}
	b.space.InjectFaults(nil)
	b.syncOnce(runner.Options{})
	b.reportEqualsOracle("conversation", reportStart)
}

func TestT109ColumnsMayComeInAnyOrderUnlessTheirNamesAreDoubled(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := exportBed(t, emulator.ExportKnobs{})
	b.syncOnce(runner.Options{})
	b.space.SimulateHours(24)
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Export.File.Reversed = true })
	report := b.trySync(runner.Options{})
	if s := streamResult(t, report, "reporting_conversation"); s.Status != runlog.StatusFailed || s.Class != "data" || report.Count(runlog.StatusFailed) != 1 {
		t.Errorf("%s\n%+v", report.LastLine(), report.Streams)
	}
	b.reportEqualsOracle("admin_status_change", reportStart)
	b.reportEqualsOracle("conversation_state", reportStart)
}

// TestAChangedHeaderAddsColumns adds columns to an export between two runs, one more during a run, and removes one.
// Holds: F13.
func TestAChangedHeaderAddsColumns(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := exportBed(t, emulator.ExportKnobs{}).publishingAll()
	b.syncOnce(runner.Options{})
	b.space.SimulateHours(24)
	b.space.SetKnobs(func(k *emulator.Knobs) {
		k.Export.File.Added = []string{"Brand new", "Brand-New"}
		k.Export.File.Without = []string{"channel"}
	})
	report := b.syncOnce(runner.Options{})
	var added []string
	for _, c := range report.Changes {
		if c.Table == "reporting_conversation" {
			added = append(added, c.Column)
		}
	}
	slices.Sort(added)
	if !slices.Equal(added, []string{"brand_new", "brand_new_2"}) && !slices.Equal(added, []string{"added_brand_new", "brand_new"}) {
		t.Errorf("columns added: %v", added)
	}
	if got := b.queryRows("SELECT count(*) > 0, count(*) FILTER (channel IS NOT NULL) FROM reporting_conversation WHERE brand_new = 'more'"); !slices.Equal(got, []string{"true|0"}) {
		t.Errorf("rows read since then: %v", got)
	}
	if got := b.queryRows("SELECT comment FROM duckdb_columns() WHERE table_name = 'reporting_conversation' AND column_name = 'brand_new'"); !slices.Equal(got, []string{"Brand new"}) {
		t.Errorf("comment %q", got)
	}
	if got := b.queryRows("SELECT count(*) FROM reporting_conversation WHERE _time < TIMESTAMPTZ '2024-05-10 00:00:00+00' AND channel IS NOT NULL"); got[0] == "0" {
		t.Error("days that were not read again have lost the column")
	}
}

func TestT109LossOfMostColumnsNeedsConsent(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := exportBed(t, emulator.ExportKnobs{})
	b.writeConfig(onlyDataset(reporting, "reporting_conversation"))
	b.syncOnce(runner.Options{})
	b.space.SimulateHours(24)
	b.space.SetKnobs(func(k *emulator.Knobs) {
		k.Export.File.Lost = []string{"Channel", "Name", "Time to first response (seconds)", "CSAT score, %", "Current state", "Subject", "User replied"}
	})
	report := b.trySync(runner.Options{})
	if s := streamResult(t, report, "reporting_conversation"); s.Class != "data" || !strings.Contains(s.Next, "--accept-drop reporting_conversation") {
		t.Fatalf("%+v", s)
	}
	b.syncOnce(runner.Options{AcceptDrop: []string{"reporting_conversation"}})
	b.space.SimulateHours(24)
	b.syncOnce(runner.Options{})
}

// TestT152SuddenlyEmptyExportsReplaceNothing serves exports with a header alone.
// Holds: F19.
func TestT152SuddenlyEmptyExportsReplaceNothing(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := exportBed(t, emulator.ExportKnobs{})
	b.syncOnce(runner.Options{})
	stored := b.queryRows("SELECT count(*) FROM reporting_conversation")
	b.space.SimulateHours(24)
	b.space.SetKnobs(func(k *emulator.Knobs) {
		k.Export.File.Form = "csv"
		k.Export.File.Spoil = func(file []byte) []byte {
			header, _, _ := strings.Cut(string(file), "\r\n")
			return []byte(header + "\r\n")
		}
	})
	report := b.trySync(runner.Options{})
	if report.Count(runlog.StatusFailed) != 3 {
		t.Errorf("%s", report.LastLine())
	}
	if got := b.queryRows("SELECT count(*) FROM reporting_conversation"); !slices.Equal(got, stored) {
		t.Errorf("%s rows are left of %s", got, stored)
	}
}

// TestT107TimesWithoutAZoneUseTheWarehouseTimezone reads local times across both changes of the clocks, and refuses them when the zone is wrong.
func TestT107TimesWithoutAZoneUseTheWarehouseTimezone(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	york, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	c := tinyConfig(33)
	c.Zone, c.Export.File.Local = york, true
	c.Start = time.Date(2024, 11, 20, 2, 0, 0, 0, time.UTC)
	config := strings.Replace(onlyDataset(reporting, "reporting_conversation"), "2024-05-06", "2024-10-20", 1)
	b := newBedWith(t, c, strings.Replace(config, "{dir: data}", "{dir: data, timezone: America/New_York}", 1))
	twice := time.Date(2024, 11, 3, 5, 30, 0, 0, time.UTC).Unix()
	b.failOn(b.space.ReportRow("conversation", "twice", twice, map[string]any{"conversation_id": "twice"}))
	report := b.syncOnce(runner.Options{})
	if got := b.queryRows("SELECT epoch(_time)::BIGINT, created_at FROM reporting_conversation WHERE conversation_id = 'twice'"); !slices.Equal(got, []string{"1730611800|2024-11-03 01:30:00"}) {
		t.Errorf("the hour that comes twice: %v\n%s", got, report.LastLine())
	}
	if got := b.queryRows("SELECT reason, sum(count) > 0 FROM _sync.rejects GROUP BY ALL"); !slices.Equal(got, []string{"ambiguous_time|true"}) {
		t.Errorf("rejects %v", got)
	}
	start := time.Date(2024, 10, 20, 0, 0, 0, 0, york)
	truth := 0
	for _, row := range b.space.Oracle("reporting_conversation") {
		if row["_time"].(int64) >= start.Unix() {
			truth++
		}
	}
	if got := b.queryRows("SELECT count(*) FROM reporting_conversation"); got[0] != numberText(truth) {
		t.Errorf("%s rows, %d in truth", got, truth)
	}
	wrong := newBedWith(t, c, config)
	if report := wrong.trySync(runner.Options{}); report.Count(runlog.StatusFailed) != 1 || !strings.Contains(report.Streams[0].Next, "warehouse.timezone") {
		t.Errorf("in another zone: %+v", report.Streams)
	}
}

// TestT108NewVersionReReadsAllExports leaves a version that exports only conversations with a reply.
func TestT108NewVersionReReadsAllExports(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := exportBed(t, emulator.ExportKnobs{})
	b.writeConfig(strings.Replace(onlyDataset(reporting, "reporting_conversation"), `"2.17"`, `"2.16"`, 1))
	b.syncOnce(runner.Options{})
	if got := b.queryRows("SELECT count(*) > 10, count(*) FILTER (user_replied = 'false') FROM reporting_conversation"); !slices.Equal(got, []string{"true|0"}) {
		t.Fatalf("under 2.16: %v", got)
	}
	b.space.SimulateHours(24)
	b.writeConfig(onlyDataset(reporting, "reporting_conversation"))
	b.syncOnce(runner.Options{})
	b.reportEqualsOracle("conversation", reportStart)
}

func numberText(n int) string { return strconv.Itoa(n) }

// TestReusedJobIDStartsANewJob: a source that was restarted may give the id to another job.
func TestReusedJobIDStartsANewJob(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := exportBed(t, emulator.ExportKnobs{Pending: time.Hour})
	b.writeConfig(onlyDataset(reporting, "reporting_conversation"))
	b.trySync(runner.Options{MaxTime: time.Minute})
	states, err := runlog.ReadStates(t.Context(), b.runner.Dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	id := regexp.MustCompile(`"id":"(job_[0-9a-f]+)"`).FindStringSubmatch(states[0].State)
	if id == nil {
		t.Fatalf("no job is remembered: %s", states[0].State)
	}
	b.interceptRequests(func(rw http.ResponseWriter, r *http.Request) bool {
		switch {
		case strings.HasSuffix(r.URL.Path, "/reporting_data/"+id[1]):
			_, _ = io.WriteString(rw, `{"job_identifier": "`+id[1]+`", "status": "complete", "download_url": "`+b.url+`/foreign.csv", "download_expires_at": ""}`)
		case r.URL.Path == "/foreign.csv":
			rw.Header().Set("Content-Length", "8")
			_, _ = io.WriteString(rw, "other\n1\n")
		default:
			return false
		}
		return true
	})
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Export.Pending = 0 })
	b.syncOnce(runner.Options{})
	b.reportEqualsOracle("conversation", reportStart)
}

// TestABusyDownloadKeepsItsJobForTheNextRun: a run in which each download is refused asks for one export, and the next run fetches that one.
func TestABusyDownloadKeepsItsJobForTheNextRun(t *testing.T) {
	t.Parallel()
	b := exportBed(t, emulator.ExportKnobs{NoURL: true})
	b.writeConfig(onlyDataset(reporting, "reporting_conversation"))
	b.space.InjectFaults(func(_ int, r *http.Request) *fault.Fault {
		if strings.HasPrefix(r.URL.Path, "/download/") {
			return &fault.Fault{Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": "60"}}
		}
		return nil
	})
	report := b.trySync(runner.Options{})
	if s := streamResult(t, report, "reporting_conversation"); s.Class != "transient" || b.countExportJobs() != 1 {
		t.Errorf("%d jobs, %+v", b.countExportJobs(), s)
	}
	b.space.InjectFaults(nil)
	enqueued := func() (ids []string) {
		for _, r := range b.space.Requests() {
			if id, found := strings.CutPrefix(r.Path, "/download/reporting_data/"); found && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		return ids
	}
	first := enqueued()
	if report = b.syncOnce(runner.Options{}); len(first) != 1 || enqueued()[0] != first[0] || streamResult(t, report, "reporting_conversation").Rows == 0 {
		t.Errorf("files of %v, %s", enqueued(), report.LastLine())
	}
}
