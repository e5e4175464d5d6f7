package layout

import (
	"errors"
	"os"
	"path/filepath"

	"aqueduck/load/internal/disk"
)

// Foreign is why a directory is no place for a warehouse, although it exists: it has files of others. It is nil for a warehouse, and for what a
// first run may make into one.
func Foreign(d Dir) error {
	if marked, err := isWarehouse(d); marked || err != nil {
		return nil
	}
	err := refuseOther(d)
	if unmarked := (*UnmarkedError)(nil); errors.As(err, &unmarked) {
		return nil
	}
	return err
}

// Refused is why a run would refuse the directory as it is now; nil if it would not. It changes nothing.
func Refused(d Dir) error {
	if err := Trusted(d); err != nil {
		return err
	}
	marked, err := isWarehouse(d)
	if err == nil && !marked {
		if err = refuseOther(d); err == nil {
			err = unwritable(d)
		}
	}
	if err != nil {
		return err
	}
	return LinkReplaced(d)
}

// unwritable is why this user cannot make a warehouse in a directory, or make the directory; nil if that is allowed.
func unwritable(d Dir) error {
	dir, err := filepath.Abs(string(d))
	if err != nil {
		return err
	}
	for dir != filepath.Dir(dir) && !disk.Exists(dir) {
		dir = filepath.Dir(dir)
	}
	return disk.Writable(dir)
}

// LinkReplaced returns a *LinkReplacedError if the directory has published files, and a file where readers expect the link to one of them.
func LinkReplaced(d Dir) error {
	if info, err := os.Lstat(d.Link()); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	if files, err := d.PublishedFiles(); err != nil || len(files) == 0 && !disk.Exists(d.Work()) {
		return nil // a backup that a run adopts
	}
	return &LinkReplacedError{d.Link()}
}

// LinkMissing reports whether the directory has published files, and no link to one of them. The next run makes it again.
func LinkMissing(d Dir) bool {
	files, err := d.PublishedFiles()
	return err == nil && len(files) > 0 && !disk.Exists(d.Link())
}
