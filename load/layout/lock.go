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

// BusyError is the error where another process holds the lock.
type BusyError struct {
	Serves bool          // it runs the scheduled pipelines; else it writes
	Holder string        // the process, and its run where it has noted one
	Waited time.Duration // how long this process waited for the lock; 0: it tried once
}

// Error says what the other process holds, and which one it is.
func (e *BusyError) Error() string {
	switch {
	case e.Serves:
		return "another serve runs the pipelines of this warehouse: " + e.Holder
	case e.Waited == 0:
		return "another process writes this warehouse: " + e.Holder
	}
	return fmt.Sprintf("another process still writes this warehouse after %s: %s", e.Waited, e.Holder)
}

// LockHandle is a handle lock. It ends with Release, or with the process.
type LockHandle struct{ file *flock.Flock }

// lockPause is the wait between two tries.
const lockPause = 250 * time.Millisecond

// Lock takes the lock for writing, and waits for it at most wait. It returns a *BusyError where another process keeps the
// lock. pause sleeps.
func Lock(ctx context.Context, d Dir, wait time.Duration, pause func(context.Context, time.Duration) error) (*LockHandle, error) {
	var waited time.Duration
	for {
		if handle, err := takeLock(d, d.lockFile()); handle != nil || err != nil {
			return handle, err
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

// LockServing takes the lock for running scheduled pipelines: two such processes would each read everything. It returns a
// *BusyError where another process has it. Each run still needs Lock.
func LockServing(d Dir) (*LockHandle, error) {
	handle, err := takeLock(d, d.serveFile())
	if handle == nil && err == nil {
		err = &BusyError{Serves: true, Holder: lockOwner(d.serveFile())}
	}
	return handle, err
}

// takeLock locks a file and writes the process number into it; nil where another process has the lock.
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

// Release releases the lock.
func (h *LockHandle) Release() error { return h.file.Unlock() }

// lockHolder names the process that holds the lock for writing. It adds the run in run.json only where that process wrote
// the file: a killed process leaves its file behind.
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

// lockOwner names the process whose number a locked file has.
func lockOwner(path string) string {
	text, err := os.ReadFile(path)
	if err != nil || len(text) == 0 {
		return "it has not recorded its name"
	}
	return "process " + string(text)
}
