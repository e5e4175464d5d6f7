package load

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// Running is what run.json tells about the process that writes.
type Running struct {
	PID       int       `json:"pid"`
	RunID     string    `json:"run_id"`
	Pipeline  string    `json:"pipeline"`
	StartedAt time.Time `json:"started_at"`
}

// BusyError is the answer when another process writes.
type BusyError struct {
	Holder string // who, as far as run.json tells
	Waited time.Duration
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("another process writes this warehouse (%s), waited %s: wait for it, or give --wait more time", e.Holder, e.Waited)
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

// holder names the process that run.json tells of.
func (d Dir) holder() string {
	text, err := os.ReadFile(d.RunFile())
	if err != nil {
		return "it has not said which"
	}
	var r Running
	if err := json.Unmarshal(text, &r); err != nil || r.PID == 0 {
		return "it has not said which"
	}
	return fmt.Sprintf("process %d, pipeline %s, run %s, since %s", r.PID, r.Pipeline, r.RunID, r.StartedAt.UTC().Format(time.RFC3339))
}
