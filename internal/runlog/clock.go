package runlog

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"sync/atomic"
	"time"

	"aqueduck/load/layout"
)

// SaysEmulated explains the times of an emulated warehouse. Each output says it once.
const SaysEmulated = "times are those of the emulated workspace, not of this machine"

// Clock is the clock of a warehouse: this machine's, or that of the emulated workspace that fills it. An emulated clock passes only while the
// workspace is served; else it stands (WarehouseTime). It is safe for concurrent use.
type Clock struct {
	dir     layout.Dir
	machine func() time.Time
	source  atomic.Pointer[sourceClock] // of the connected workspace; nil: none has been connected
}

type sourceClock struct {
	now      func() time.Time
	emulated bool
}

// NewClock returns the clock of a warehouse, given this machine's.
func NewClock(dir layout.Dir, machine func() time.Time) *Clock {
	return &Clock{dir: dir, machine: machine}
}

// Now is the time on the clock.
func (c *Clock) Now() time.Time {
	if source := c.source.Load(); source != nil {
		return source.now()
	}
	now, _ := WarehouseTime(c.dir, c.machine())
	return now
}

// IsEmulated reports whether it is the clock of an emulated workspace.
func (c *Clock) IsEmulated() bool {
	if source := c.source.Load(); source != nil {
		return source.emulated
	}
	return IsEmulated(c.dir)
}

// OfSQL is what now() in SQL returns: the time on an emulated clock; zero for this machine's, which SQL asks itself.
func (c *Clock) OfSQL() time.Time {
	if !c.IsEmulated() {
		return time.Time{}
	}
	return c.Now()
}

// FollowMachine makes it this machine's clock: a real workspace is connected.
func (c *Clock) FollowMachine() { c.source.Store(&sourceClock{c.machine, false}) }

// FollowEmulated makes it the clock of an emulated workspace.
func (c *Clock) FollowEmulated(now func() time.Time) { c.source.Store(&sourceClock{now, true}) }

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
	var s Status
	_ = s.readRunning(dir)
	for _, r := range []*Running{s.Running, s.Lost} {
		if r != nil {
			later(r.At)
		}
	}
	if file.Clock.IsZero() {
		return machine, true
	}
	return file.Clock, true
}

// IsEmulated reports whether an emulated workspace fills the warehouse.
func IsEmulated(dir layout.Dir) bool {
	_, err := os.Stat(dir.EmulatorFile())
	return err == nil
}

// MayFill reports whether an emulated workspace, or a real one, may fill the warehouse as far as its files tell: before the first publish a run
// still has to ask the work database.
func MayFill(dir layout.Dir, emulated bool) bool {
	if IsEmulated(dir) {
		return emulated
	}
	return !emulated || dir.Current() == ""
}
