package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"

	"aqueduck/internal/lane"
	"aqueduck/internal/problem"
	"aqueduck/tools/diskfault"
)

// TestDiskFaults makes the disk fail in every way, for the calls of Go and for those of DuckDB. Each kind of fault is a
// lane.
// Holds: F3, F4, F10, F11.
func TestDiskFaults(t *testing.T) {
	t.Parallel()
	y := newYard(t, 31)
	t.Run("F3", func(t *testing.T) { powerLosses(t, y) })
	t.Run("F4", func(t *testing.T) { diskErrors(t, y) })
	t.Run("F10", func(t *testing.T) { damageEachFile(t, y) })
	rolled := histories[2:3]
	if os.Getenv("AQUEDUCK_LONG") != "" {
		rolled = histories[1:]
	}
	t.Run("F11", func(t *testing.T) { rolledBack(t, y, rolled) })
	t.Run("F1", func(t *testing.T) { killsAtRarePlaces(t, y) })
	t.Run("ObjectStore", func(t *testing.T) { killsAroundTheObjectStore(t, y) })
}

// eachTrial runs the trials of a lane separately: the same seed repeats the same fault.
func eachTrial(t *testing.T, l *lane.Trials, do func(t *testing.T, r *rand.Rand)) {
	t.Helper()
	for l.HasNext() {
		t.Run(fmt.Sprint(l.Seed()), func(t *testing.T) { do(t, rand.New(rand.NewPCG(l.Seed(), 0))) })
		l.CountTrials(1)
	}
}

// powerLosses records what runs write. It starts runs from states that a disk may have after a power loss.
func powerLosses(t *testing.T, y *frozenSite) {
	var journals []*diskfault.Journal
	for _, history := range histories {
		journals = append(journals, y.recordWrites(t, history))
	}
	for i, j := range journals { // what was noted is what happened
		p := y.copyWarehouse(t, empty)
		p.restoreDisk(j.State(j.Len(), diskfault.LoseNothing, rand.New(rand.NewPCG(1, 0))))
		p.requireOracleData()
		if err := j.CheckOrder(); err != nil {
			t.Errorf("a run in a warehouse with history %q: %v", histories[i], err)
		}
	}
	eachTrial(t, lane.New(t, "states of a disk that lost power", 3), func(t *testing.T, r *rand.Rand) {
		j := journals[r.IntN(len(journals))]
		n, loss := r.IntN(j.Len()+1), diskfault.Losses()[r.IntN(len(diskfault.Losses()))]
		p := y.copyWarehouse(t, empty)
		p.restoreDisk(j.State(n, loss, r))
		p.requireReadable()
		p.requireRecovery()
		if t.Failed() {
			t.Logf("after change %d of %d (%s), losing %s", n, j.Len(), j.Change(n), loss)
		}
	})
}

// restoreDisk gives the warehouse the content of a disk.
func (p *warehouseCopy) restoreDisk(s diskfault.State) {
	p.t.Helper()
	if err := s.Write(string(p.dir)); err != nil {
		p.t.Fatal(err)
	}
}

// recordWrites runs without a fault and records all writes.
func (y *frozenSite) recordWrites(t *testing.T, history string) *diskfault.Journal {
	t.Helper()
	p := y.copyWarehouse(t, history)
	j, err := diskfault.NewJournal(string(p.dir))
	if err != nil {
		t.Fatal(err)
	}
	if e := p.syncWatched(diskfault.Watch{After: j.RecordCall}); !e.succeeded() {
		t.Fatal(e)
	}
	return j
}

// diskFault is one fault of a run.
type diskFault struct {
	what  string
	errno syscall.Errno
	short bool
	reads bool // it happens to calls that read, too
	hits  func(diskfault.Call) bool
}

// faults are the kinds of faults.
var faults = []diskFault{
	{what: "EIO", errno: syscall.EIO, hits: func(c diskfault.Call) bool { return true }},
	{what: "EIO while reading", errno: syscall.EIO, reads: true, hits: func(c diskfault.Call) bool { return c.Name == "read" }},
	{what: "ENOSPC", errno: syscall.ENOSPC, hits: needsDiskSpace},
	{what: "EDQUOT", errno: syscall.EDQUOT, hits: needsDiskSpace},
	{what: "EMFILE", errno: syscall.EMFILE, hits: diskfault.Call.Opens},
	{what: "a short write", short: true, hits: func(c diskfault.Call) bool { return c.Name == "write" }},
}

// needsDiskSpace reports whether a call needs disk space.
func needsDiskSpace(c diskfault.Call) bool {
	switch c.Name {
	case "write", "mkdir", "rename", "symlink", "fsync", "truncate":
		return true
	}
	return c.Opens() && c.Flags&os.O_CREATE != 0
}

// diskErrors makes calls of runs fail, each with equal probability.
func diskErrors(t *testing.T, y *frozenSite) {
	type point struct {
		history string
		fault   diskFault
		n       int
	}
	var points []point
	for _, history := range histories {
		calls := make([]int, len(faults))
		p := y.copyWarehouse(t, history)
		if e := p.syncWatched(diskfault.Watch{Reads: true, Fault: func(c diskfault.Call) diskfault.Fault {
			for i, f := range faults {
				if f.hits(c) && (f.reads || c.Name != "read") {
					calls[i]++
					points = append(points, point{history, f, calls[i]})
				}
			}
			return diskfault.Fault{}
		}}); !e.succeeded() {
			t.Fatal(e)
		}
	}
	t.Logf("%d calls that can fail", len(points))
	ends := map[string]int{}
	eachTrial(t, lane.New(t, "errors of the disk", 3), func(t *testing.T, r *rand.Rand) {
		at := points[r.IntN(len(points))]
		p := y.copyWarehouse(t, at.history)
		ends[p.injectFault(at.fault, at.n)]++
		if t.Failed() {
			t.Logf("%s at call %d in a warehouse with history %q", at.fault.what, at.n, at.history)
		}
	})
	t.Logf("%v", ends)
}

// injectFault makes the n-th suitable call fail and returns how the run ended: with an error, or as if nothing had happened. The next run
// repairs everything.
func (p *warehouseCopy) injectFault(f diskFault, n int) string {
	p.t.Helper()
	var hit diskfault.Call
	e := p.syncWatched(diskfault.Watch{Reads: f.reads, Fault: func(c diskfault.Call) diskfault.Fault {
		if f.hits(c) {
			if n--; n == 0 {
				hit = c
				return diskfault.Fault{Errno: f.errno, Short: f.short}
			}
		}
		return diskfault.Fault{}
	}})
	p.t.Logf("%s: %s", f.what, hit)
	how := "another error"
	switch {
	case e.succeeded():
		how = "no effect"
		p.requireOracleData()
		p.requireTidyCopy()
		if hit.Name != "" && !f.short && !isHarmless(hit) {
			p.t.Errorf("%s of %s was passed over: %v", f.what, hit, e)
		}
	case e.status.ExitStatus() == problem.ExitInternal:
		how = "taken for a fault of the program"
		p.t.Errorf("%s is taken for a fault of the program: %v", f.what, e)
	case e.status.Signaled():
		how = "died of " + e.status.Signal().String()
	case strings.Contains(e.said, "the disk is full"), strings.Contains(e.said, "too little disk space"):
		how = "the disk is full"
	case f.errno == syscall.ENOSPC || f.errno == syscall.EDQUOT:
		p.t.Errorf("nobody says that the disk is full: %v", e)
	}
	if strings.Contains(e.said, "goroutine ") {
		p.t.Errorf("it did not end, it broke: %v", e)
	}
	p.requireReadable()
	p.requireRecovery()
	return how
}

// isHarmless reports whether a run may ignore the error of a call. Unreadable files are written again and files that stay are removed later.
// run.json, traces and ended.jsonl only repeat what the database has, and what the kernel cannot copy is copied by reading and writing.
func isHarmless(c diskfault.Call) bool {
	return c.Reads() || c.Name == "unlink" || c.Copies || strings.Contains(c.Path+c.To, "run.json") || strings.Contains(c.Path, "ended.jsonl") ||
		strings.Contains(c.Path+c.To, ".aqueduck/runs/")
}
