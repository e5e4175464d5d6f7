package pipeline_test

import (
	"log/slog"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/lane"
	"aqueduck/load/layout"
)

// TestF17NightlyRunsWithFaultsStayEqualToTheOracle runs night after night with changes, and with faults for two requests in a hundred. Every
// morning the tables equal the oracle. Memory, open files and the size of the published file stay level.
func TestF17NightlyRunsWithFaultsStayEqualToTheOracle(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	l := lane.New(t, "nights", 2)
	b := newBedWith(t, emulator.Config{Seed: l.Seed(), Contacts: 120, Inactive: 40, Activities: 150, Conversations: 30, NoLog: true,
		Knobs: emulator.Knobs{NoLag: true, QuietConversations: emulator.Never, Chaos: mixedFaults(0.02)}}, conversing)
	b.runner.Log = slog.New(slog.DiscardHandler) // the test's own log must not count as the program's memory
	life := newLife(b, l.Seed())
	var early processUsage
	night := 0
	for l.HasNext() {
		night++
		life.applyEvents(12)
		for len(b.space.ContactIDs("active")) < 60 { // events remove more contacts than they add
			b.failOn(b.addContact())
		}
		b.space.SimulateHours(3)
		b.space.Advance(21 * time.Hour)
		b.untilWell(2)
		if night == 30 {
			early = measureUsage(t)
		}
		l.CountTrials(1)
		if night%25 == 0 {
			t.Logf("night %d: %+v, the file has %d KiB", night, measureUsage(t), fileSize(t, b.runner.Dir.Current())>>10)
		}
	}
	if early.files > 0 {
		late := measureUsage(t)
		t.Logf("after 30 nights %+v, now %+v", early, late)
		if late.resident > early.resident*5/4+32<<10+(night-30)*leaked || late.files > early.files+5 || late.goroutines > early.goroutines+5 {
			t.Errorf("the process held %+v after 30 nights, and holds %+v", early, late)
		}
	}
	grown := fileSize(t, b.runner.Dir.Current())
	b.runner.Dir = layout.Dir(t.TempDir() + "/fresh")
	b.untilWell(2)
	fresh := fileSize(t, b.runner.Dir.Current())
	t.Logf("the file has %d KiB, a fresh one %d", grown>>10, fresh>>10)
	const few = 64 * 256 << 10 // a file below this size is never rebuilt for its size
	if grown > fresh*3/2+few {
		t.Errorf("the file has grown to %d bytes, a fresh one has %d", grown, fresh)
	}
}

// addContact adds a contact to the workspace.
func (b *testBed) addContact() error {
	_, err := b.space.CreateContact("user")
	return err
}

// leaked is how many KiB each night may leak: DuckDB never frees the schema of a batch that it receives through Arrow (duckdb_arrow_scan).
const leaked = 512

// processUsage is what this process uses: KiB of memory without mapped files, open files, goroutines.
type processUsage struct{ resident, files, goroutines int }

func measureUsage(t *testing.T) processUsage {
	t.Helper()
	runtime.GC()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err) // not on Linux
	}
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "RssAnon:")
	kib, err := strconv.Atoi(strings.Fields(after)[0])
	if err != nil {
		t.Fatal(err)
	}
	return processUsage{kib, len(files), runtime.NumGoroutine()}
}

func fileSize(t *testing.T, file string) int64 {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
