package runlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"aqueduck/internal/problem"
	"aqueduck/load/failure"
	"aqueduck/load/layout"
)

// NextAfterLoss is the next step where the published files of a warehouse are gone or damaged.
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
	return slices.ContainsFunc(notes, PastRun.hasFile), err
}

// ExplainUnreadable adds to the error of a reader that found no published file, or a damaged one, why that is so in this directory, and a next step
// that helps. Other errors stay as they are.
func ExplainUnreadable(dir layout.Dir, err error) error {
	files, unlisted := dir.PublishedFiles()
	if unlisted != nil && failure.Forbidden(unlisted) && errors.Is(err, failure.ErrNothingPublished) {
		return unlisted // this user cannot know whether anything is published
	}
	if unlisted != nil && !errors.Is(unlisted, fs.ErrNotExist) {
		return err
	}
	wrong := ExplainWrong(dir)
	switch {
	case errors.Is(err, failure.ErrNothingPublished) && wrong != nil:
		return wrong
	case errors.Is(err, failure.ErrNothingPublished) && layout.LinkReplaced(dir) != nil:
		return layout.LinkReplaced(dir)
	case errors.Is(err, failure.ErrNothingPublished) && len(files) > 0:
		return &problem.Problem{Class: "data", What: "the link " + dir.Link() + " to the published file is missing", Next: "aqueduck sync, which makes it again; nothing is lost"}
	case errors.Is(err, failure.ErrUnreadable) && len(files) > 0:
		older, atFault := findIntact(dir, files)
		if !atFault {
			return err
		}
		if older != "" {
			return &problem.Problem{Class: "data", What: problem.FirstLine(err), Next: "aqueduck sync, which goes on from an intact file; until then, open " + older}
		}
		if _, missing := os.Stat(dir.Database()); missing == nil {
			return &problem.Problem{Class: "data", What: problem.FirstLine(err), Next: "aqueduck sync, which publishes a new one"}
		}
		return &problem.Problem{Class: "data", What: "the published file is damaged, and no older file is intact", Err: err, Next: NextAfterLoss}
	case errors.Is(err, failure.ErrNothingPublished), errors.Is(err, failure.ErrUnreadable):
		if gone, unread := LostPublished(dir); unread == nil && gone {
			return &problem.Problem{Class: "data", What: fmt.Sprintf("runs published to %s/, and no published file is left", dir), Next: NextAfterLoss + "; without a backup: aqueduck sync"}
		}
	}
	return err
}

// ExplainWrong is the error of a directory that is no warehouse, for a reader that found nothing in it; nil for a warehouse, and before the first run.
func ExplainWrong(dir layout.Dir) error {
	if foreign := layout.Foreign(dir); foreign != nil {
		return &problem.Problem{Class: "config", What: "wrong directory", Err: foreign, Next: "give the directory of a warehouse: --dir DIR"}
	}
	return nil
}

// WhyUnreadable is why readers cannot open a published file that should be there, with the next step. It is nil where they can, and where nothing is
// published yet.
func (s *Status) WhyUnreadable() (found *problem.Problem) {
	if s.Foreign == nil && !s.Gone && s.MissingLink == "" {
		return nil
	}
	found = problem.Classify(ExplainUnreadable(layout.Dir(s.Dir), failure.ErrNothingPublished))
	found.Next = s.Given.Append(found.Next)
	return found
}

// findIntact returns the newest older file that is intact, "" without one. The next run begins from it, and without one from the work database.
// atFault is false if the file of readers is intact, or this user may not read the files.
func findIntact(dir layout.Dir, files []string) (older string, atFault bool) {
	for _, file := range files {
		changed := layout.CheckSum(file, layout.SumFile(file))
		switch {
		case changed != nil && failure.Forbidden(changed), changed == nil && file == dir.Current():
			return "", false
		case changed == nil:
			return file, true
		}
	}
	return "", true
}
