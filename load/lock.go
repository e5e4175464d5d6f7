package load

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

// BusyError is the answer when another process writes.
type BusyError struct {
	Holder string // who, as far as it has said
	Waited time.Duration
}

func (e *BusyError) Error() string {
	if e.Waited == 0 {
		return "another process writes this warehouse: " + e.Holder
	}
	return fmt.Sprintf("another process writes this warehouse, after %s still: %s", e.Waited, e.Holder)
}

// Held is the right to write a warehouse. It ends with Release, or with the process.
type Held struct{ file *flock.Flock }

// lockPause is how long a waiting process sleeps between two tries.
const lockPause = 250 * time.Millisecond

// Lock waits, at most that long, for the right to write; it gives a *BusyError when another process keeps it.
func Lock(ctx context.Context, d Dir, wait time.Duration, pause func(context.Context, time.Duration) error) (*Held, error) {
	file := flock.New(d.LockFile(), flock.SetPermissions(0o600))
	var waited time.Duration
	for {
		got, err := file.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", d.LockFile(), err)
		}
		if got {
			if err := os.WriteFile(d.LockFile(), []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
				return nil, disk.Explain(errors.Join(fmt.Errorf("lock %s: %w", d.LockFile(), err), file.Unlock()), string(d))
			}
			return &Held{file: file}, nil
		}
		if waited >= wait {
			return nil, &BusyError{Holder: d.holder(), Waited: waited}
		}
		if err := pause(ctx, min(lockPause, wait-waited)); err != nil {
			return nil, err
		}
		waited += min(lockPause, wait-waited)
	}
}

// Release lets others write.
func (h *Held) Release() error { return h.file.Unlock() }

// holder names the process that holds the lock. What run.json tells counts only when that process wrote it: a killed
// one leaves its own behind.
func (d Dir) holder() string {
	text, err := os.ReadFile(d.LockFile())
	if err != nil || len(text) == 0 {
		return "which one it has not said"
	}
	holder := "process " + string(text)
	var run struct {
		PID      int       `json:"pid"`
		Run      string    `json:"run"`
		Pipeline string    `json:"pipeline"`
		Started  time.Time `json:"started"`
	}
	if text, err = os.ReadFile(d.RunFile()); err != nil || json.Unmarshal(text, &run) != nil || holder != "process "+strconv.Itoa(run.PID) {
		return holder
	}
	return fmt.Sprintf("%s, pipeline %s, run %s, since %s", holder, run.Pipeline, run.Run, run.Started.UTC().Format(time.RFC3339))
}
