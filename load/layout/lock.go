package layout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/gofrs/flock"

	"aqueduck/load/internal/disk"
)

// BusyError is the answer when another process has what only one can have.
type BusyError struct {
	Serves bool          // it runs the pipelines at their times; else it writes
	Holder string        // who, as far as it has said
	Waited time.Duration // for the lock; 0: it was asked for once
}

// Error says what the other process has, and which one it is.
func (e *BusyError) Error() string {
	switch {
	case e.Serves:
		return "another serve runs the pipelines of this warehouse: " + e.Holder
	case e.Waited == 0:
		return "another process writes this warehouse: " + e.Holder
	}
	return fmt.Sprintf("another process still writes this warehouse after %s: %s", e.Waited, e.Holder)
}

// LockHandle is the right to write a warehouse, or to serve it. It ends with Release, or with the process.
type LockHandle struct{ file *flock.Flock }

// lockPause is how long a waiting process sleeps between two tries.
const lockPause = 250 * time.Millisecond

// Lock waits, at most that long, for the right to write; it gives a *BusyError when another process keeps it.
func Lock(ctx context.Context, d Dir, wait time.Duration, pause func(context.Context, time.Duration) error) (*LockHandle, error) {
	var waited time.Duration
	for {
		if held, err := takeLock(d, d.lockFile()); held != nil || err != nil {
			return held, err
		}
		if waited >= wait {
			return nil, &BusyError{Holder: lockHolder(d), Waited: waited}
		}
		if err := pause(ctx, min(lockPause, wait-waited)); err != nil {
			return nil, err
		}
		waited += min(lockPause, wait-waited)
	}
}

// LockServing gives the right to run the pipelines at their times: two processes that did would each read everything. It gives a
// *BusyError when another has it. Runs need Lock besides, each for itself.
func LockServing(d Dir) (*LockHandle, error) {
	held, err := takeLock(d, d.serveFile())
	if held == nil && err == nil {
		err = &BusyError{Serves: true, Holder: lockOwner(d.serveFile())}
	}
	return held, err
}

// takeLock locks a file and writes this process into it; nil when another process has it.
func takeLock(d Dir, path string) (*LockHandle, error) {
	file := flock.New(path, flock.SetPermissions(0o600))
	got, err := file.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if !got {
		return nil, nil
	}
	if err := os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
		return nil, disk.Explain(errors.Join(fmt.Errorf("lock %s: %w", path, err), file.Unlock()), string(d))
	}
	return &LockHandle{file: file}, nil
}

// Release gives the right back.
func (h *LockHandle) Release() error { return h.file.Unlock() }

// lockHolder names the process that holds the lock. What run.json tells counts only when that process wrote it: a killed
// one leaves its own behind.
func lockHolder(d Dir) string {
	holder := lockOwner(d.lockFile())
	var run struct {
		PID      int       `json:"pid"`
		Run      string    `json:"run"`
		Pipeline string    `json:"pipeline"`
		Started  time.Time `json:"started"`
	}
	if text, err := os.ReadFile(d.RunFile()); err != nil || json.Unmarshal(text, &run) != nil || holder != "process "+strconv.Itoa(run.PID) {
		return holder
	}
	return fmt.Sprintf("%s, pipeline %s, run %s, since %s", holder, run.Pipeline, run.Run, run.Started.UTC().Format(time.RFC3339))
}

// lockOwner names the process that a locked file does.
func lockOwner(path string) string {
	text, err := os.ReadFile(path)
	if err != nil || len(text) == 0 {
		return "it has not recorded its name"
	}
	return "process " + string(text)
}
