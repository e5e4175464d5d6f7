package pipeline_test

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/cli/render"
	"aqueduck/internal/lane"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync"
	"aqueduck/load/layout"
)

// TestRestoredBackupContinues puts a copied published file into an empty directory. The next run reads newer records only.
// Holds: F11.
func TestRestoredBackupContinues(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(111)).publishingAll()
	b.syncOnce(runner.Options{})
	backup, err := os.ReadFile(b.runner.Dir.Current())
	if err != nil {
		t.Fatal(err)
	}
	newLife(b, 111).applyEvents(15)
	b.syncOnce(runner.Options{}) // newer than the backup
	newLife(b, 112).applyEvents(15)
	b.space.Advance(time.Hour)

	dir := filepath.Join(filepath.Dir(b.file), "restored")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "warehouse.duckdb"), backup, 0o644); err != nil {
		t.Fatal(err)
	}
	b.writeConfig(strings.Replace(nightly, "{dir: data}", "{dir: restored}", 1))
	report := b.syncOnce(runner.Options{})
	if s := streamResult(t, report, "contacts"); s.New > 20 || s.Extracted > 60 {
		t.Errorf("read all over again: %+v", s)
	}
	b.equalsOracle()
	if _, err := os.Stat(filepath.Join(dir, "lake", "main", "contacts", "all.parquet")); err != nil {
		t.Errorf("the lake was not written: %v", err)
	}
}

// interruptAfter ends a run after n requests. Its commits stay in the work database, unpublished.
func (b *testBed) interruptAfter(after int) {
	b.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	last := b.space.RequestCount() + after
	b.space.RunBetween(func(n int) {
		if n == last {
			cancel()
		}
	})
	report, err := sync.Sync(ctx, b.runner, b.runner.Config.Pipelines[0], runner.Options{})
	if err != nil || report.Exit() != problem.ExitInterrupted {
		b.t.Fatalf("%v %+v", err, report)
	}
	b.space.RunBetween(nil)
}

// interruptWithWork interrupts runs, each a request later, until one leaves a work database: streams read at the same time, so the request at which the
// first one commits differs from run to run.
func (b *testBed) interruptWithWork() {
	b.t.Helper()
	for after := 4; after < 12; after++ {
		b.interruptAfter(after)
		if _, err := os.Stat(b.runner.Dir.Database()); err == nil {
			return
		}
	}
	b.t.Fatal("no interrupted run left a work database")
}

// TestLostWorkDatabaseIsRebuiltFromThePublishedFile deletes, and then damages, the work database of an interrupted run.
// Holds: F24.
func TestLostWorkDatabaseIsRebuiltFromThePublishedFile(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(113))
	b.syncOnce(runner.Options{})
	newLife(b, 113).applyEvents(30)
	b.space.Advance(time.Hour)
	b.interruptWithWork()
	if err := os.RemoveAll(b.runner.Dir.Work()); err != nil {
		t.Fatal(err)
	}
	b.syncOnce(runner.Options{})
	b.equalsOracle()

	newLife(b, 114).applyEvents(30)
	b.space.Advance(time.Hour)
	b.interruptWithWork()
	for _, name := range []string{b.runner.Dir.Database(), b.runner.Dir.Database() + ".wal"} {
		if err := os.WriteFile(name, []byte(strings.Repeat("spoiled ", 5000)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	report := b.syncOnce(runner.Options{})
	if len(report.Notes) == 0 || !strings.Contains(report.Notes[0], "set aside") {
		t.Errorf("the run says nothing of it: %v", report.Notes)
	}
	b.equalsOracle()
	if report := b.syncOnce(runner.Options{}); len(report.Notes) != 0 || report.TotalRows() != 0 {
		t.Errorf("the next run: %s %v", report.LastLine(), report.Notes)
	}
}

// runWhole is syncOnce with everything around a run: the commands of `after:` and the note of its end. The run may fail.
func (b *testBed) runWhole() *runlog.Report {
	b.t.Helper()
	report, err := sync.Run(context.Background(), b.runner, b.runner.Config.Pipelines[0], runner.Options{}, io.Discard)
	b.failOn(err)
	return report
}

// statusText is what `status` prints.
func (b *testBed) statusText() string {
	b.t.Helper()
	s, err := runlog.ReadStatus(context.Background(), b.runner.Dir, b.runner.Config, b.runner.Catalogue, b.space.CurrentTime())
	b.failOn(err)
	var text strings.Builder
	render.PrintStatus(s, &text)
	return text.String()
}

// TestARunThatStartsAnewSaysWhatIsLost removes the published files and the work database. The run reads everything, exits with 1 and names the next
// step; a run that was interrupted before it published says it again, and the run after the publish succeeds.
// Holds: F24.
func TestARunThatStartsAnewSaysWhatIsLost(t *testing.T) {
	lane.SkipHeavy(t)
	skipInRaceRun(t)
	t.Parallel()
	b := newBed(t, tinyConfig(117))
	if text := b.statusText(); strings.Contains(text, "gone") {
		t.Errorf("before the first run the status says\n%s", text)
	}
	if report := b.runWhole(); report.Exit() != problem.ExitOK {
		t.Fatalf("the first run: %s", report.LastLine())
	}
	for _, evidence := range []string{"the notes of runs", "the link"} {
		b.failOn(os.RemoveAll(b.runner.Dir.Published()))
		b.failOn(os.RemoveAll(b.runner.Dir.Work()))
		if evidence == "the link" {
			b.failOn(os.Remove(b.runner.Dir.EndsFile()))
		} else {
			b.failOn(os.Remove(b.runner.Dir.Link()))
		}
		if text := b.statusText(); !strings.Contains(text, "data      gone: ") || !strings.Contains(text, "restore a backup") {
			t.Errorf("%s: the status says\n%s", evidence, text)
		}
		b.interruptWithWork()
		report := b.runWhole()
		var text strings.Builder
		render.PrintReport(report, &text)
		if report.Exit() != problem.ExitFailed || !report.Published || !strings.Contains(text.String(), "  audit exact: warehouse_lost of main: runs published here before") || !strings.Contains(text.String(), "restore a backup") {
			t.Errorf("%s: the run ends with %d and says\n%s", evidence, report.Exit(), text.String())
		}
		if text := b.statusText(); !strings.Contains(text, "error[data] runs published here before") || !strings.Contains(text, "next: restore a backup") {
			t.Errorf("%s: afterwards the status says\n%s", evidence, text)
		}
		if got := b.queryRows("SELECT count(*) FROM _sync.audit WHERE name = 'warehouse_lost'"); got[0] == "0" {
			t.Errorf("%s: no finding is recorded", evidence)
		}
		run, err := runlog.FindRun(t.Context(), b.runner.Dir, report.RunID)
		b.failOn(err)
		if !slices.ContainsFunc(run.Findings, func(f runlog.RunFinding) bool { return f.Name == "warehouse_lost" && f.Table == "main" }) {
			t.Errorf("%s: runs show has the findings %+v", evidence, run.Findings)
		}
		if report := b.runWhole(); report.Exit() != problem.ExitOK {
			t.Errorf("%s: the next run: %s", evidence, report.LastLine())
		}
	}
	b.equalsOracle()
}

// TestLostLakeIsRebuilt: the next publish writes the lake from the published file.
// Holds: F24.
func TestLostLakeIsRebuilt(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(115)).publishingLake()
	b.syncOnce(runner.Options{})
	part := filepath.Join(b.runner.Dir.Lake("main"), "contacts", "all.parquet")
	before, err := os.ReadFile(part)
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func() error{
		"a part is lost":    func() error { return os.Remove(part) },
		"a part is cut":     func() error { return os.Truncate(part, 100) },
		"all of it is lost": func() error { return os.RemoveAll(b.runner.Dir.Lake("main")) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		b.syncOnce(runner.Options{})
		if after, err := os.ReadFile(part); err != nil || len(after) != len(before) {
			t.Errorf("%s: %d bytes, were %d: %v", name, len(after), len(before), err)
		}
	}
}

// TestFailedPublishReportsTheCauseAndLosesNothing fails a publish in the middle of a run, when other streams still have rows to write. The run
// ends with the cause, and the next one publishes its commits.
// Holds: F4.
func TestFailedPublishReportsTheCauseAndLosesNothing(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	for name, c := range map[string]struct{ when, want string }{
		"after a row was written": {"work/work.duckdb", "publish: "},
		"before one was":          {"", "make a copy of the published file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failPublishWhen(t, c.when, c.want)
		})
	}
}

// failPublishWhen moves the directory of the published files away once a file of the program's exists, and wants a text in the run's error.
func failPublishWhen(t *testing.T, exists, want string) {
	t.Helper()
	b := newBedWith(t, tinyConfig(116), strings.Replace(nightly, "{dir: data}", "{dir: data, publish: {every: 1m}}", 1)).publishingLake()
	b.syncOnce(runner.Options{})
	file := b.runner.Dir.Current()
	newLife(b, 116).applyEvents(20)
	b.space.Advance(time.Hour)
	published, away := b.runner.Dir.Published(), b.runner.Dir.Published()+".away"
	broken := false
	b.space.RunBetween(func(int) {
		b.space.Advance(40 * time.Second)
		if _, err := os.Stat(filepath.Join(b.runner.Dir.State(), exists)); err == nil && !broken {
			broken, file = true, b.runner.Dir.Current()
			if err := os.Rename(published, away); err != nil {
				t.Error(err)
			}
		}
	})
	_, err := sync.Sync(context.Background(), b.runner, b.runner.Config.Pipelines[0], runner.Options{FullRefresh: true})
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "no such file or directory") {
		t.Errorf("the run ended with %v", err)
	}
	b.space.RunBetween(nil)
	if err := os.Rename(away, published); err != nil {
		t.Fatal(err)
	}
	if b.runner.Dir.Current() != file {
		t.Errorf("the link leads to %s", b.runner.Dir.Current())
	}
	b.syncOnce(runner.Options{})
	b.equalsOracle()
}

// TestARestoredFileIsToldLater damages the current published file and removes the work database. The run goes on from the older file, warns, and its
// details have that line afterwards.
func TestARestoredFileIsToldLater(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(113))
	b.runWhole()
	current := b.runner.Dir.Current()
	older := strings.TrimSuffix(current, "-01.duckdb") + "-00.duckdb"
	b.failOn(os.Link(current, older))
	b.failOn(layout.WriteSum(b.runner.Dir, layout.SumFile(older), older, filepath.Base(older)))
	b.failOn(os.Remove(current))
	b.failOn(os.WriteFile(current, []byte("damaged"), 0o644))
	b.failOn(os.RemoveAll(b.runner.Dir.Work()))
	var log strings.Builder
	b.runner.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	report := b.runWhole()
	if !strings.Contains(log.String(), "restored from ") {
		t.Errorf("the log has\n%s", log.String())
	}
	run, err := runlog.FindRun(t.Context(), b.runner.Dir, report.RunID)
	b.failOn(err)
	var told strings.Builder
	if render.PrintRun(run, &told); !strings.Contains(told.String(), "restored: the published file could not be used") || !strings.Contains(told.String(), "restored from ") {
		t.Errorf("the run is told as\n%s", told.String())
	}
}
