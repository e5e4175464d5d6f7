package runlog

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"aqueduck/load/layout"
)

// NextAfterLoss is the next step where the published files of a warehouse are gone.
const NextAfterLoss = "restore a backup into an empty directory, with its erasures.log and hash.key (docs/recover.md), and give that directory: --dir DIR"

// LostPublished reports whether runs have published to a directory that has no published file any more. The link to the file shows it, and so do the
// notes of runs.
func LostPublished(dir layout.Dir) (bool, error) {
	files, err := dir.PublishedFiles()
	if err != nil && !errors.Is(err, fs.ErrNotExist) || len(files) > 0 {
		return false, err
	}
	if dir.Current() != "" {
		return true, nil
	}
	notes, err := ReadRunNotes(dir)
	return slices.ContainsFunc(notes, func(e PastRun) bool {
		return strings.Contains(e.Line, " published=yes ") || strings.Contains(e.Line, " published=unchanged ")
	}), err
}
