package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/lane"
	"aqueduck/internal/runlog"
	"aqueduck/load/layout"
)

// emulatedBed is a copy of a warehouse that an emulated workspace has filled, on a machine whose clock shows May 2031.
type emulatedBed struct {
	t         *testing.T
	dir       layout.Dir
	file      string
	variables []string
}

func newEmulatedBed(t *testing.T) *emulatedBed {
	t.Helper()
	filled, err := filledOnce()
	if err != nil {
		t.Fatal(err)
	}
	b := &emulatedBed{t: t, dir: layout.Dir(filepath.Join(t.TempDir(), "data")), variables: []string{"WORKSPACE_URL=emulator", "EMULATOR_CONTACTS=60"}}
	if out, err := exec.Command("cp", "-a", filled, string(b.dir)).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	b.file = filepath.Join(filepath.Dir(string(b.dir)), "pipelines.yaml")
	if err := os.WriteFile(b.file, []byte(scripted), 0o600); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *emulatedBed) run(want int, args ...string) (stdout, stderr string) {
	b.t.Helper()
	began := time.Now()
	env, out, errs := inProcess(append(slices.Clone(args), "-f", b.file, "--dir", string(b.dir))...)
	env.Lookup, env.Wait = lookupIn(b.variables), func(ctx context.Context, d time.Duration) error { return Wait(ctx, min(d, 10*time.Millisecond)) }
	env.Now = func() time.Time { return time.Date(2031, 5, 4, 3, 2, 1, 0, time.UTC).Add(time.Since(began)) }
	if code := runCommand(context.Background(), env); code != want {
		b.t.Fatalf("%q ended with %d, want %d:\n%s%s", args, code, want, out, errs)
	}
	return out.String(), errs.String()
}

// lastRun returns the newest run as `aqueduck runs` lists it.
func (b *emulatedBed) lastRun() runlog.PastRun {
	b.t.Helper()
	text, _ := b.run(0, "runs", "-n", "1", "-o", "json")
	var runs []runlog.PastRun
	if err := json.Unmarshal([]byte(text), &runs); err != nil || len(runs) != 1 {
		b.t.Fatalf("%v: %s", err, text)
	}
	return runs[0]
}

// TestAnEmulatedWarehouseHasOneClock after runs, a refused run, a move of a checkpoint, an erasure and a rollback. No output and no file shows a
// time of this machine but that of the next run, and each output for people says once whose times it shows.
func TestAnEmulatedWarehouseHasOneClock(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	skipInsideSandbox(t)
	b := newEmulatedBed(t)
	outputs := map[string]string{}
	note := func(name, text string) { outputs[name] += text }
	says := func(count int, args ...string) {
		t.Helper()
		stdout, stderr := b.run(0, args...)
		if n := strings.Count(stdout, runlog.SaysEmulated); n != count {
			t.Errorf("%q says %d times, and not %d, whose times it shows:\n%s", args, n, count, stdout)
		}
		note(strings.Join(args, " "), stdout+stderr)
	}

	b.variables = append(b.variables, "EMULATOR_HOURS=6")
	stdout, log := b.run(0, "sync", "--log-format", "text")
	if strings.Count(stdout, runlog.SaysEmulated) != 1 || strings.Count(log, runlog.SaysEmulated) != 1 || !strings.Contains(log, "time=2026-11-20T08:00:0") {
		t.Errorf("the run says\n%s%s", stdout, log)
	}
	note("sync", stdout+log)
	address := b.variables[0]
	b.variables[0] = "WORKSPACE_URL=https://api.example.com"
	b.variables = append(b.variables, "WORKSPACE_TOKEN=t")
	_, refused := b.run(3, "sync")
	note("sync of a real workspace", refused)
	b.variables[0] = address
	says(0, "verify")
	says(0, "state", "rewind", "contacts", "--to", "2026-11-01", "--yes")
	id, _ := b.run(0, "query", "-o", "csv", "SELECT min(id) FROM contacts")
	says(0, "erase", strings.Fields(id)[1], "--yes")
	says(0, "query", "SELECT now(), current_timestamp, current_date, localtimestamp, age(TIMESTAMP '2026-11-01')")

	for _, args := range [][]string{{"status"}, {"runs"}, {"runs", "show"}, {"state", "show"}, {"rollback", "--list"}, {"plan"}} {
		says(1, args...)
		if args[0] != "plan" {
			says(0, append(args, "-o", "json")...)
		}
		says(0, append(args, "-o", "csv")...)
	}
	stored, _ := b.run(0, "query", "-o", "csv", "SELECT table_name FROM duckdb_tables() WHERE schema_name = '_sync'")
	for _, table := range strings.Fields(stored)[1:] {
		err := runlog.QueryPublished(t.Context(), b.dir, "SELECT x::VARCHAR FROM _sync."+table+" x", func(v []any) error { note(table, runlog.AsText(v[0])); return nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	err := filepath.WalkDir(string(b.dir), func(path string, e fs.DirEntry, err error) error {
		if err != nil || !slices.Contains([]string{".json", ".jsonl", ".log"}, filepath.Ext(path)) {
			return err
		}
		text, err := os.ReadFile(path)
		note(path, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	today := time.Now().UTC().Format(time.DateOnly)
	if len(outputs) < 40 || !strings.Contains(outputs["query SELECT now(), current_timestamp, current_date, localtimestamp, age(TIMESTAMP '2026-11-01')"], "2026-11-20") {
		t.Errorf("only %d outputs: %s", len(outputs), outputs["query SELECT now()"])
	}
	onThisMachine := regexp.MustCompile(`, at (\d+ May )?02:00 on this machine\n`)
	if !onThisMachine.MatchString(outputs["status"]) {
		t.Errorf("the status does not say when the next run begins on this machine:\n%s", outputs["status"])
	}
	for name, text := range outputs {
		text = onThisMachine.ReplaceAllString(text, "\n")
		if strings.Contains(text, "2031-") || strings.Contains(text, "May") || !strings.HasPrefix(today, "2026-11-2") && strings.Contains(text, today) {
			t.Errorf("%s shows a time of this machine:\n%s", name, text)
		}
	}
}

// TestAnEmulatedClockNeverGoesBack: neither where no hour passes between runs, nor after a refused run, nor in a run for which the files beside the
// database were lost.
func TestAnEmulatedClockNeverGoesBack(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	skipInsideSandbox(t)
	b := newEmulatedBed(t)
	first := b.lastRun()
	b.run(0, "sync", "-q")
	second := b.lastRun()
	if second.Run == first.Run || second.Started.Before(first.Finished) || second.Started.Sub(first.Finished) > time.Minute {
		t.Errorf("a run from %s to %s follows one from %s to %s", second.Started, second.Finished, first.Started, first.Finished)
	}
	b.variables = append(b.variables, "EMULATOR_HOURS=6", "WORKSPACE_TOKEN=t")
	address := b.variables[0]
	b.variables[0] = "WORKSPACE_URL=https://api.example.com"
	b.run(3, "sync", "-q")
	refused := b.lastRun()
	if refused.Run == second.Run || refused.Finished.Before(second.Finished) || refused.Finished.Sub(second.Finished) > time.Minute || refused.Finished.Before(refused.Started) {
		t.Errorf("no hour passes in a refused run: it lasted from %s to %s, after %s", refused.Started, refused.Finished, second.Finished)
	}
	b.variables[0] = address
	b.run(0, "sync", "-q")
	if last := b.lastRun(); last.Started.Sub(second.Started).Round(time.Minute) != 6*time.Hour {
		t.Errorf("six hours after %s a run begins at %s", second.Started, last.Started)
	}

	// A backup with the hours and the clock continues at once, wherever its owner put them.
	last := b.lastRun()
	for _, place := range []string{"", ".aqueduck"} {
		whole := *b
		whole.dir = layout.Dir(t.TempDir())
		script := fmt.Sprintf("cp -L %[1]s/warehouse.duckdb %[1]s/erasures.log %[2]s/ && mkdir -p %[2]s/%[3]s && cp %[4]s %[2]s/%[3]s/", b.dir, whole.dir, place, b.dir.EmulatorFile())
		if out, err := exec.Command("sh", "-c", script).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		whole.run(0, "sync", "-q")
		if next := whole.lastRun(); next.Started.Before(last.Finished) {
			t.Errorf("restored with its clock in %q, a run begins at %s, before the end of the last one at %s", place, next.Started, last.Finished)
		}
	}

	// Another backup has neither the hours nor the clock.
	restored := *b
	restored.dir = layout.Dir(t.TempDir())
	if out, err := exec.Command("cp", string(b.dir.Current()), filepath.Join(string(b.dir), "erasures.log"), string(restored.dir)).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.Rename(filepath.Join(string(restored.dir), filepath.Base(b.dir.Current())), restored.dir.Link()); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(b.dir.EmulatorFile()); err != nil {
		t.Fatal(err)
	}
	for _, lost := range []*emulatedBed{&restored, b} {
		if _, stderr := lost.run(3, "sync", "-q"); !strings.Contains(stderr, "error[config] the hours and the clock of the emulated workspace are missing: "+lost.dir.EmulatorFile()) {
			t.Errorf("without its file: %s", stderr)
		}
	}
}

// TestAnEmulatedWorkspaceBeginsItsOwnRunLog: a run of a real workspace has failed in the directory before, by the clock of this machine. Nothing
// shows it among the emulated times.
func TestAnEmulatedWorkspaceBeginsItsOwnRunLog(t *testing.T) {
	t.Parallel()
	skipInsideSandbox(t)
	b := &emulatedBed{t: t, dir: layout.Dir(filepath.Join(t.TempDir(), "data")), variables: []string{"WORKSPACE_URL=http://127.0.0.1:1", "WORKSPACE_TOKEN=t", "EMULATOR_CONTACTS=10"}}
	b.file = filepath.Join(filepath.Dir(string(b.dir)), "pipelines.yaml")
	if err := os.WriteFile(b.file, []byte(scripted), 0o600); err != nil {
		t.Fatal(err)
	}
	b.run(1, "sync", "-q")
	if failed := b.lastRun(); failed.Started.Year() != 2031 || failed.Outcome != "FAILED" || failed.Emulated {
		t.Errorf("where nobody answers: %+v", failed)
	}
	b.variables[0] = "WORKSPACE_URL=emulator"
	b.run(0, "sync", "-q", "--select", "contacts")
	text, _ := b.run(0, "runs", "-o", "json")
	if last := b.lastRun(); last.Outcome != "OK" || !last.Emulated || strings.Contains(text, "2031-") {
		t.Errorf("the runs of the emulated workspace are %s", text)
	}
}
