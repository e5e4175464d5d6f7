package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/config"
	"aqueduck/internal/crash"
	"aqueduck/internal/lane"
	"aqueduck/internal/runlog"
	"aqueduck/load"
	"aqueduck/load/layout"
)

// serveInterrupted stops serve in the middle of the first night's run.
func serveInterrupted(t *testing.T, config string) *serveHost {
	t.Helper()
	h := newHost(t, date2026(time.March, 2, 0, 0), config)
	h.took = time.Minute
	if out, _ := h.serveUntil(date2026(time.March, 2, 1, 32)); !strings.Contains(out, "INTERRUPTED nightly ") {
		t.Fatalf("nothing was interrupted:\n%s", out)
	}
	h.took = 0
	return h
}

// TestServeCatchesUpAfterAnInterruptedRun once, at the next start. With catch_up: none the next run is that of the next night.
func TestServeCatchesUpAfterAnInterruptedRun(t *testing.T) {
	t.Parallel()
	h := serveInterrupted(t, served)
	h.space.Advance(time.Hour)
	began := h.clockTime().Format("01-02 15:04")
	h.serveUntil(date2026(time.March, 2, 12, 0))
	h.serveUntil(date2026(time.March, 2, 13, 0))
	h.requireEqual("runs", h.runStarts()[1:], began)
	a, stdout, _ := inProcess("runs", "--dir", filepath.Join(h.home, "data"), "-o", "csv")
	runCommand(t.Context(), a)
	var notes []string
	for line := range strings.Lines(stdout.String()) {
		notes = append(notes, line[strings.LastIndex(line, ",")+1:])
	}
	h.requireEqual("notes of runs", notes, "note\n", "caught up\n", "\n")
	a, stdout, _ = inProcess("runs", "show", "--dir", filepath.Join(h.home, "data"))
	if runCommand(t.Context(), a); !strings.Contains(stdout.String(), "\n          catch-up run: ") {
		t.Errorf("the run is told as\n%s", stdout)
	}
	h = serveInterrupted(t, strings.Replace(served, "schedule:", "catch_up: none, schedule:", 1))
	if out, _ := h.serveUntil(date2026(time.March, 2, 12, 0)); strings.Contains(out, "nightly") {
		t.Errorf("it was made up for:\n%s", out)
	}
}

// TestServeCatchesUpAfterACrashedRun as after an interrupted one. An alert is sent only if there is no catch-up run.
func TestServeCatchesUpAfterACrashedRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		catchUp string
		try     int
		alerts  []string
		act     bool
	}{
		{"one", 1, []string{"02 04:00 /ping/start", "02 04:00 /ping"}, false},
		{"one", runlog.Tries(), []string{"02 04:00 /ping/fail", "02 04:00 /hook failure interrupted"}, true},
		{"one", 0, []string{"02 04:00 /ping/fail", "02 04:00 /hook failure interrupted"}, true},
		{"none", 1, []string{"02 04:00 /ping/fail", "02 04:00 /hook failure interrupted"}, true},
	} {
		h := newHost(t, date2026(time.March, 2, 4, 0), strings.Replace(alerted, "schedule:", "catch_up: "+c.catchUp+", schedule:", 1))
		came := h.collectAlerts()
		dir := layout.Dir(filepath.Join(h.home, "data"))
		if err := load.Prepare(dir); err != nil {
			t.Fatal(err)
		}
		// What a killed run leaves, with the id of this process, as in a restarted container.
		left, err := json.Marshal(runlog.Running{Run: "01KJP3D2M0000000000000000A", Pipeline: "nightly", PID: os.Getpid(), Started: date2026(time.March, 2, 1, 30), At: date2026(time.March, 2, 1, 31), Try: c.try})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dir.RunFile(), left, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(dir.RunFile(), time.Unix(1, 0), time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
		listed := ""
		needs := func() []runlog.ActionItem {
			config, catalogue, err := config.LoadConfig(filepath.Join(h.home, "pipelines.yaml"), lookupIn(append(h.env, "WORKSPACE_URL="+h.server.URL, "WORKSPACE_TOKEN=x")))
			if err != nil {
				t.Fatal(err)
			}
			o, err := runlog.ReadOverview(t.Context(), dir, config, catalogue, h.clockTime())
			if err != nil {
				t.Fatal(err)
			}
			listed = o.Pipelines[0].Runs[0].Outcome
			return o.Needs
		}
		if n := needs(); listed != runlog.Killed || len(n) != 1 || n[0].Act != c.act || strings.Contains(n[0].What, "starts a catch-up run") == c.act || strings.Contains(n[0].What, "starts at") {
			t.Errorf("%s, try %d: before serve starts the run is %q: %+v", c.catchUp, c.try, listed, n)
		}
		h.serveUntil(date2026(time.March, 2, 12, 0))
		h.serveUntil(date2026(time.March, 2, 13, 0))
		h.requireEqual("alerts with catch_up: "+c.catchUp, *came, c.alerts...)
		if n := needs(); len(n) > 0 != c.act || c.act && !n[0].Act {
			t.Errorf("%s, try %d: after it %+v", c.catchUp, c.try, n)
		}
	}
}

// TestKilledRunIsListedBeforeAnotherNotesIt, also if it was killed before its first request.
func TestKilledRunIsListedBeforeAnotherNotesIt(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	s := newSite(t, 15)
	defer s.closeSite()
	for killed, point := range []string{crash.OpenCreated, crash.TablesMade} {
		s.crashAt(point + ":1")
		a, stdout, _ := inProcess("runs", "--dir", string(s.dir), "-o", "csv")
		if runCommand(t.Context(), a); strings.Count(stdout.String(), runlog.Killed) != killed+1 {
			t.Errorf("killed at %s, the runs are\n%s", point, stdout)
		}
		a, stdout, _ = inProcess("runs", "show", "--dir", string(s.dir))
		if runCommand(t.Context(), a); !strings.Contains(stdout.String(), runlog.Killed) || !strings.Contains(stdout.String(), "next: aqueduck sync") {
			t.Errorf("killed at %s, the run is\n%s", point, stdout)
		}
	}
}

// TestARestartOfServeRepeatsNoRunThatPublishedNothing: with a refused token no run publishes, and yet each took place at its time.
func TestARestartOfServeRepeatsNoRunThatPublishedNothing(t *testing.T) {
	t.Parallel()
	h := newHost(t, date2026(time.March, 2, 0, 0), strings.Replace(served, "30 2 * * *", "*/10 * * * *", 1))
	h.serveUntil(date2026(time.March, 2, 0, 11))
	h.requireEqual("runs", h.runStarts(), "03-02 00:10")
	good := h.token
	h.token = "dG9rOjEyMzQ1Njc4"
	h.serveUntil(date2026(time.March, 2, 0, 31))
	for range 2 {
		h.space.Advance(time.Minute)
		h.serveUntil(h.clockTime().Add(time.Minute))
	}
	h.token = good
	runs, err := runlog.History(t.Context(), layout.Dir(filepath.Join(h.home, "data")), "", 100)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range runs {
		got = append(got, r.Started.Format("15:04 ")+r.Outcome)
	}
	h.requireEqual("runs and skipped ones", got, "00:30 FAILED", "00:20 FAILED", "00:10 OK")
}
