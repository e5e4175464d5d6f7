package runlog

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"sync/atomic"
	"time"

	"aqueduck/internal/problem"
	"aqueduck/load/layout"
)

// SaysEmulated explains the times of an emulated warehouse. Each output says it once.
const SaysEmulated = "times are those of the emulated workspace, not of this machine"

// WarehouseClock is the clock of a warehouse: this machine's, or that of the emulated workspace that fills it. An emulated clock passes only while the
// workspace is served; else it stands (WarehouseTime). It is safe for concurrent use.
type WarehouseClock struct {
	dir     layout.Dir
	machine func() time.Time
	source  atomic.Pointer[sourceClock] // of the connected workspace; nil: none has been connected
}

type sourceClock struct {
	now      func() time.Time
	emulated bool
}

// NewClock returns the clock of a warehouse, given this machine's.
func NewClock(dir layout.Dir, machine func() time.Time) *WarehouseClock {
	return &WarehouseClock{dir: dir, machine: machine}
}

// TimeNow is the time on the clock.
func (c *WarehouseClock) TimeNow() time.Time {
	if source := c.source.Load(); source != nil {
		return source.now()
	}
	now, _ := WarehouseTime(c.dir, c.machine())
	return now
}

// IsEmulated reports whether it is the clock of an emulated workspace.
func (c *WarehouseClock) IsEmulated() bool {
	if source := c.source.Load(); source != nil {
		return source.emulated
	}
	return layout.IsEmulated(c.dir)
}

// OfSQL is what now() in SQL returns: the time on an emulated clock; zero for this machine's, which SQL asks itself.
func (c *WarehouseClock) OfSQL() time.Time {
	if !c.IsEmulated() {
		return time.Time{}
	}
	return c.TimeNow()
}

// FollowMachine makes it this machine's clock: a real workspace is connected.
func (c *WarehouseClock) FollowMachine() { c.source.Store(&sourceClock{c.machine, false}) }

// FollowEmulated makes it the clock of an emulated workspace.
func (c *WarehouseClock) FollowEmulated(now func() time.Time) {
	c.source.Store(&sourceClock{now, true})
}

// DamagedEmulator is the problem of an emulated warehouse whose hours and clock cannot be read.
func DamagedEmulator(dir layout.Dir, err error) *problem.Problem {
	return &problem.Problem{Class: "config", What: "read the emulated hours: " + dir.EmulatorFile(), Err: err,
		Next: "restore the file, or start again in another directory: --dir DIR"}
}

// WarehouseTime returns the time on the clock of a warehouse when this machine's shows a time, as the files tell: the same time, or for an
// emulated warehouse the newest time in its run log.
func WarehouseTime(dir layout.Dir, machine time.Time) (now time.Time, emulated bool) {
	text, err := os.ReadFile(dir.EmulatorFile())
	if errors.Is(err, fs.ErrNotExist) {
		return machine, false
	}
	var file struct {
		Clock time.Time `json:"clock"`
	}
	_ = json.Unmarshal(text, &file) // of a damaged file the next run tells
	later := func(t time.Time) {
		if t.After(file.Clock) {
			file.Clock = t
		}
	}
	notes, _ := readNotes(dir) // whoever may not read them knows the start of the last run
	for _, e := range notes {
		later(e.Finished)
	}
	running, lost, _ := readRunFile(dir)
	for _, r := range []*Running{running, lost} {
		if r != nil {
			later(r.At)
		}
	}
	if file.Clock.IsZero() {
		return machine, true
	}
	return file.Clock, true
}
