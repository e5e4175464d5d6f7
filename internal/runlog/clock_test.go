package runlog

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"aqueduck/load/layout"
)

// writeState writes a file of a warehouse, and the directory above it.
func writeState(t *testing.T, dir layout.Dir, file, text string) {
	t.Helper()
	if err := os.MkdirAll(dir.State(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestAnEmulatedClockStandsAtTheNewestTimeOfTheRunLog: whatever is recorded last, the clock never goes back behind it. A real warehouse has
// the clock of this machine, whatever its run log says.
func TestAnEmulatedClockStandsAtTheNewestTimeOfTheRunLog(t *testing.T) {
	t.Parallel()
	machine := time.Date(2031, 5, 4, 3, 2, 1, 0, time.UTC)
	at := func(text string) time.Time {
		t.Helper()
		when, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	const ended, running = `{"run":"1","emulated":true,"outcome":"OK","started_at":"2026-11-20T02:00:00Z","finished_at":"2026-11-20T02:10:00Z"}`, `{"run":"2","pid":1,"at":"2026-11-20T02:20:00Z"}`
	for _, c := range []struct {
		name, emulator, ended, running string
		want                           time.Time
	}{
		{"a real workspace", "", ended, running, machine},
		{"the start of a run", `{"clock":"2026-11-20T02:00:00Z"}`, "", "", at("2026-11-20T02:00:00Z")},
		{"its end", `{"clock":"2026-11-20T02:00:00Z"}`, ended, "", at("2026-11-20T02:10:00Z")},
		{"a run under way, or one that was killed", `{"clock":"2026-11-20T02:00:00Z"}`, ended, running, at("2026-11-20T02:20:00Z")},
		{"the start of a run after hours", `{"clock":"2026-11-20T08:00:00Z"}`, ended, running, at("2026-11-20T08:00:00Z")},
		{"a file of an earlier build", `{"hours":6}`, ended, "", at("2026-11-20T02:10:00Z")},
		{"a damaged file", `{"cl`, ended, "", at("2026-11-20T02:10:00Z")},
		{"nothing is known", `{}`, "", "", machine},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := layout.Dir(t.TempDir())
			for file, text := range map[string]string{dir.EmulatorFile(): c.emulator, dir.EndsFile(): c.ended, dir.RunFile(): c.running} {
				if text != "" {
					writeState(t, dir, file, text)
				}
			}
			clock := NewClock(dir, func() time.Time { return machine })
			now, emulated := WarehouseTime(dir, machine)
			if !now.Equal(c.want) || !clock.TimeNow().Equal(c.want) || emulated != (c.emulator != "") || clock.IsEmulated() != emulated {
				t.Errorf("%s, emulated %t; want %s", now, emulated, c.want)
			}
			if sql := clock.OfSQL(); emulated && !sql.Equal(c.want) || !emulated && !sql.IsZero() {
				t.Errorf("now() in SQL is %s", sql)
			}
			clock.FollowEmulated(func() time.Time { return c.want.Add(time.Hour) })
			if now := clock.TimeNow(); !now.Equal(c.want.Add(time.Hour)) || !clock.IsEmulated() {
				t.Errorf("it does not follow an emulated workspace: %s", now)
			}
			clock.FollowMachine()
			if now := clock.TimeNow(); !now.Equal(machine) || clock.IsEmulated() {
				t.Errorf("it does not follow this machine: %s", now)
			}
		})
	}
}

func TestAWarehouseIsFilledByOneKindOfWorkspace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                string
		emulator, published bool
		wantReal, wantEmu   bool
	}{
		{"a new directory", false, false, true, true},
		{"an emulated one before its first publish", true, false, false, true},
		{"an emulated one", true, true, false, true},
		{"a real one", false, true, true, false},
	} {
		dir := layout.Dir(t.TempDir())
		if c.emulator {
			writeState(t, dir, dir.EmulatorFile(), "{}")
		}
		if c.published {
			if err := os.Symlink(".aqueduck/published/1.duckdb", dir.Link()); err != nil {
				t.Fatal(err)
			}
		}
		if real, emulated := layout.TakesKind(dir, false), layout.TakesKind(dir, true); real != c.wantReal || emulated != c.wantEmu {
			t.Errorf("%s: a real workspace may fill it: %t, an emulated one: %t", c.name, real, emulated)
		}
	}
}

// TestRunsOfAnEmulatedWorkspaceThatNeverFilledTheDirectoryHaveTheTimeOfThisMachine: its clock is known only from the first page on. A run that failed
// or was killed before that has its times by this machine's clock, which its id has.
func TestRunsOfAnEmulatedWorkspaceThatNeverFilledTheDirectoryHaveTheTimeOfThisMachine(t *testing.T) {
	t.Parallel()
	machine := time.Date(2031, 5, 4, 3, 2, 1, 0, time.UTC)
	id := ulid.MustNew(ulid.Timestamp(machine), nil).String()
	const failed = `{"run":"%s","emulated":true,"outcome":"FAILED","class":"disk","started_at":"2026-11-20T02:00:00Z","finished_at":"2026-11-20T02:10:00Z"}`
	const killed = `{"run":"%s","pid":1,"emulated":true,"started":"2026-11-20T02:00:00Z","at":"2026-11-20T02:10:00Z"}`
	for name, write := range map[string]func(layout.Dir){
		"failed": func(dir layout.Dir) { writeState(t, dir, dir.EndsFile(), fmt.Sprintf(failed, id)) },
		"killed": func(dir layout.Dir) {
			writeState(t, dir, dir.RunFile(), fmt.Sprintf(killed, id))
			if err := os.Chtimes(dir.RunFile(), machine, machine.Add(-20*365*24*time.Hour)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		dir := layout.Dir(t.TempDir())
		write(dir)
		runs, err := PastRuns(t.Context(), dir, "", 5)
		if err != nil || len(runs) != 1 || !runs[0].Started.Equal(machine) || !runs[0].Finished.Equal(machine.Add(10*time.Minute)) || runs[0].Emulated {
			t.Errorf("%s: %v %+v", name, err, runs)
		}
		writeState(t, dir, dir.EmulatorFile(), `{"clock":"2026-11-20T02:00:00Z"}`)
		if runs, err = PastRuns(t.Context(), dir, "", 5); err != nil || len(runs) != 1 || runs[0].Started.Year() != 2026 || !runs[0].Emulated {
			t.Errorf("%s, of a directory that the workspace fills: %v %+v", name, err, runs)
		}
	}
}

// TestRollbacksOfOneMomentAreListedNewestFirst: the clock of an emulated workspace may stand still between them, and they have no id.
func TestRollbacksOfOneMomentAreListedNewestFirst(t *testing.T) {
	t.Parallel()
	dir := layout.Dir(t.TempDir())
	writeState(t, dir, dir.EmulatorFile(), `{"clock":"2026-11-20T02:00:00Z"}`)
	at := time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)
	for _, to := range []string{"A-01", "B-01", "C-01"} {
		if err := (Rollback{At: at, ToRun: to}).Save(dir); err != nil {
			t.Fatal(err)
		}
	}
	runs, err := History(t.Context(), dir, "", 5)
	if err != nil || len(runs) != 3 {
		t.Fatalf("%v %+v", err, runs)
	}
	if got := runs[0].Rollback.ToRun + " " + runs[1].Rollback.ToRun + " " + runs[2].Rollback.ToRun; got != "C-01 B-01 A-01" {
		t.Errorf("listed: %s", got)
	}
}
