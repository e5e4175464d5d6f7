package workdb

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"aqueduck/load/failure"
	"aqueduck/load/internal/disk"
)

// SuspectName is the name of a file beside a work database that has shown damage.
const SuspectName = "suspect"

// markSuspect tells the next Open, by a file, that the database has shown damage.
func (w *Database) markSuspect() error {
	if !w.suspect {
		return nil
	}
	return os.WriteFile(filepath.Join(w.path.Work(), SuspectName), nil, 0o600)
}

// ReportDamage returns an error that a copy of the database gave. An error about damage becomes failure.ErrDamaged, and
// the next Open sets the database aside, even if it is closed already.
func (w *Database) ReportDamage(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err = w.classifyError(err)
	if w.DB != nil {
		return err // Close marks it
	}
	return errors.Join(err, w.markSuspect())
}

// classifyError returns an error as ErrDamaged or ErrFull where it is about damage or a full disk, and remembers damage.
func (w *Database) classifyError(err error) error {
	if err == nil {
		return nil
	}
	err = disk.Explain(err, string(w.path))
	if errors.Is(err, disk.ErrFull) || errors.Is(err, failure.ErrDamaged) {
		return err
	}
	for _, sign := range []string{"Corrupt database file", "Corrupt WAL", "INTERNAL Error", "Serialization Error"} {
		if strings.Contains(err.Error(), sign) {
			w.suspect = true
			return fmt.Errorf("%w (%s): %w", failure.ErrDamaged, w.path.Database(), err)
		}
	}
	return err
}
