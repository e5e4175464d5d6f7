package layout

import (
	"os"
	"path/filepath"
	"strings"

	"aqueduck/internal/crash"
	"aqueduck/load/internal/disk"
)

// Folded is a work database whose log was merged into its file, before it replaces the old one.
func (d Dir) Folded() string { return filepath.Join(d.State(), "folded") }

// Tidy removes what a killed process left unfinished, and finishes a fold that was ready.
func Tidy(d Dir) error {
	if disk.Exists(d.Folded()) {
		if err := d.FinishFold(); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(d.State())
	if err != nil {
		return err
	}
	for _, e := range entries {
		for _, prefix := range []string{"trash-", "new-", "wtmp-", ".run.json"} { // the last is one that did not become run.json
			if strings.HasPrefix(e.Name(), prefix) {
				if err := os.RemoveAll(filepath.Join(d.State(), e.Name())); err != nil {
					return err
				}
			}
		}
	}
	return emptyDir(d.Temp())
}

// emptyDir removes everything in a directory.
func emptyDir(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(path, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// FinishFold replaces the work database by the folded copy, which has the same rows.
func (d Dir) FinishFold() error {
	if err := d.TrashWork(); err != nil {
		return err
	}
	crash.At(crash.FoldSwapping)
	if err := disk.Move(d.Work(), d.Folded()); err != nil {
		return err
	}
	crash.At(crash.FoldSwapped)
	return d.EmptyTrash()
}

func (d Dir) trashDir() string { return filepath.Join(d.State(), "trash-work") }

// TrashWork moves the work database with its log away, as one directory. The caller, or the next start, removes it.
func (d Dir) TrashWork() error {
	if err := os.RemoveAll(d.trashDir()); err != nil {
		return err
	}
	if !disk.Exists(d.Work()) {
		return nil
	}
	return disk.Move(d.trashDir(), d.Work())
}

// EmptyTrash removes what TrashWork moved away.
func (d Dir) EmptyTrash() error { return os.RemoveAll(d.trashDir()) }

const bookkeepingPrefix = "bookkeeping-"

// Bookkeeping has a newer schema _sync for a published file: that of the runs since which have written no row.
func (d Dir) Bookkeeping(published string) string {
	return filepath.Join(d.State(), bookkeepingPrefix+filepath.Base(published))
}

// DropBookkeeping removes the bookkeeping of all published files.
func (d Dir) DropBookkeeping() error {
	entries, err := os.ReadDir(d.State())
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), bookkeepingPrefix) {
			if err := os.Remove(filepath.Join(d.State(), e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
