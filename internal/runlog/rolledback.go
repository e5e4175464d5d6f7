package runlog

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/term"
	"aqueduck/load/layout"
)

// RolledBack is the outcome of a rollback in a list of runs. Its note has no run id.
const RolledBack = "ROLLED BACK"

// Rollback is a change of the published file to an older one, by a command. Files are named by the run that published them, as `rollback --list` does.
type Rollback struct {
	At time.Time `json:"at"` // by the warehouse's clock
	// FromRun is the file that readers had before, ToRun the one that they have since.
	FromRun string `json:"from_run"`
	ToRun   string `json:"to_run"`
	By      string `json:"rolled_back_by"`
}

// String says which file readers got in place of which, when and by whom.
func (b Rollback) String() string {
	return fmt.Sprintf("readers have the file %s again since %s, in place of %s, by %s", ShortRun(b.ToRun), term.OrDash(b.At), ShortRun(b.FromRun), b.By)
}

// Save appends the rollback to the notes of runs.
func (b Rollback) Save(dir layout.Dir) error {
	b.At = ToMicroseconds(b.At)
	return PastRun{Started: b.At, Finished: b.At, Outcome: RolledBack, Rollback: &b}.Save(dir)
}

// Rollbacks returns the rollbacks that the notes of runs have, the oldest first.
func Rollbacks(dir layout.Dir) (all []Rollback, err error) {
	notes, err := readNotes(dir)
	for _, e := range notes {
		if e.Rollback != nil {
			all = append(all, *e.Rollback)
		}
	}
	return all, err
}

// LastRollback returns the last rollback if nothing was published since; nil: readers have the newest file.
func LastRollback(dir layout.Dir) (*Rollback, error) {
	notes, err := readNotes(dir)
	for _, e := range slices.Backward(notes) {
		if e.Rollback != nil {
			if strings.TrimSuffix(filepath.Base(dir.Current()), ".duckdb") != e.Rollback.ToRun {
				return nil, err
			}
			return e.Rollback, err
		}
	}
	return nil, err
}
