package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync"
	"aqueduck/internal/term"
	"aqueduck/load/failure"
	"aqueduck/load/layout"
)

// PublishedFile is a published file that is kept.
type PublishedFile struct {
	Run     string    `json:"run"`                   // the run that published it; further files of one run end in -2, -3 …
	At      time.Time `json:"published_at,omitzero"` // by the warehouse's clock; absent: unknown
	What    string    `json:"what"`                  // what made it, and whether readers have it, or left it, by a rollback; "": an older version of the program did not record it
	Bytes   int64     `json:"bytes"`                 // size of the file
	Current bool      `json:"current"`               // readers have it now
	Path    string    `json:"path"`

	written time.Time // when it was published, by its own record; otherwise the time of the file
	age     string    // compared with the current file: older, newer
	left    bool      // a rollback took readers away from it
}

// Age says how the file compares with the one that readers have: older or newer.
func (f PublishedFile) Age() string { return f.age }

// IsLeft reports whether a rollback gave readers an older file in place of this one, and none gave it back to them.
func (f PublishedFile) IsLeft() bool { return f.left }

// Time says when the file was published; a dash if no file tells.
func (f PublishedFile) Time() string { return term.OrDash(f.At) }

// PublishedFiles returns the published files that are kept, newest first. After a rollback, the one that readers have is not the first.
func PublishedFiles(ctx context.Context, dir layout.Dir) ([]PublishedFile, error) {
	paths, err := dir.PublishedFiles()
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	rolledBack, err := runlog.LastRollback(dir)
	if err != nil {
		return nil, err
	}
	var files []PublishedFile
	records := runlog.PublishRecords(ctx, paths)
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		record, told := records[filepath.Base(path)]
		written := record.At
		if !told { // of a damaged file
			written = info.ModTime()
			if !layout.IsEmulated(dir) {
				record.At = written
			}
		}
		f := PublishedFile{Run: strings.TrimSuffix(filepath.Base(path), ".duckdb"), At: record.At.UTC().Truncate(time.Second), What: record.What,
			Bytes: info.Size(), Current: path == dir.Current(), Path: path, written: written}
		if f.Current && rolledBack != nil {
			f.What = strings.TrimPrefix(f.What+", by a rollback", ", ")
		}
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b PublishedFile) int {
		return cmp.Or(b.written.Compare(a.written), cmp.Compare(b.Path, a.Path))
	})
	age := "newer"
	for i := range files {
		if files[i].age = age; files[i].Current {
			age = "older"
		}
	}
	return files, markLeft(dir, files)
}

// markLeft marks the files, newest first, that a rollback took readers away from: whoever goes back another time may not want them.
func markLeft(dir layout.Dir, files []PublishedFile) error {
	rollbacks, err := runlog.Rollbacks(dir)
	find := func(run string) int {
		return slices.IndexFunc(files, func(f PublishedFile) bool { return f.Run == run })
	}
	for _, b := range rollbacks {
		from, to := find(b.FromRun), find(b.ToRun)
		if from >= 0 && (to < 0 || from < to) {
			files[from].left = true
		}
		if to >= 0 {
			files[to].left = false
		}
	}
	for i := range files {
		if f := &files[i]; f.left {
			f.What = strings.TrimPrefix(f.What+", left by a rollback", ", ")
		}
	}
	return err
}

// Rollback gives readers the file of an earlier run, if agreed returns true for the change; done reports whether it did. An empty run means the
// newest file that is older than the current one.
func Rollback(ctx context.Context, r *runner.Runner, run string, agreed func(from, to PublishedFile) (bool, error)) (done bool, err error) {
	if r.Dir.Current() == "" {
		return false, runlog.ExplainUnreadable(r.Dir, failure.ErrNothingPublished)
	}
	held, err := r.Lock(ctx, 0)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	if _, err := sync.TakeRemote(ctx, r); err != nil {
		return false, err
	}
	files, err := PublishedFiles(ctx, r.Dir)
	if err != nil {
		return false, err
	}
	current := slices.IndexFunc(files, func(f PublishedFile) bool { return f.Current })
	switch {
	case current < 0:
		return false, runlog.ExplainUnreadable(r.Dir, failure.ErrNothingPublished)
	case run == "" && current == len(files)-1:
		return false, noOlderFile(r.Dir, files)
	case run == "":
		run = files[current+1].Run
	}
	from := files[current]
	to, err := chooseFile(files, run)
	if err != nil {
		return false, err
	}
	if ok, err := agreed(from, to); err != nil || !ok {
		return false, err
	}
	if err := r.Dir.Rollback(to.Path); err != nil {
		return false, &problem.Problem{Class: "data", What: "restore the published file of run " + to.Run, Err: err, Next: "choose another file: aqueduck rollback --list; readers keep the current file"}
	}
	if err := (runlog.Rollback{At: r.Now(), FromRun: from.Run, ToRun: to.Run, By: r.By}).Save(r.Dir); err != nil {
		return true, err
	}
	if _, err = sync.SendRemote(ctx, r); err == nil {
		_, err = sync.MirrorPublished(ctx, r)
	}
	return true, err
}

// noOlderFile says why there is no file to restore: the current one is the oldest that is kept.
func noOlderFile(dir layout.Dir, files []PublishedFile) error {
	if oldest := files[len(files)-1]; len(files) > 1 {
		return &problem.Problem{Class: "usage", What: "readers have " + runlog.ShortRun(oldest.Run) + ", and no kept file is older",
			Next: "name a newer one: aqueduck rollback --list; or restore a backup (docs/recover.md)"}
	}
	why := cmp.Or(term.WithNote("the last ones were removed, because ", layout.WhyRemoved(dir)), "the current one is the only one")
	if damaged := layout.CheckSum(files[0].Path, layout.SumFile(files[0].Path)); damaged != nil {
		return &problem.Problem{Class: "data", What: "there is no older published file to restore", Err: damaged, Next: runlog.NextAfterLoss}
	}
	return &problem.Problem{Class: "usage", What: "there is no older published file to restore: " + why,
		Next: "read everything again: aqueduck sync --full-refresh; or restore a backup (docs/recover.md)"}
}

// chooseFile returns the file of a run, by the beginning of the run's id.
func chooseFile(files []PublishedFile, run string) (PublishedFile, error) {
	var found []PublishedFile
	for _, f := range files {
		if f.Run == run {
			found = []PublishedFile{f}
			break
		}
		if runlog.MatchesRun(f.Run, run) {
			found = append(found, f)
		}
	}
	const next = "list them: aqueduck rollback --list"
	switch {
	case len(found) == 0:
		return PublishedFile{}, &problem.Problem{Class: "usage", What: fmt.Sprintf("no published file of a run %s: %s kept", run, keptNow(len(files))),
			Next: next + "; a larger warehouse.publish.keep in pipelines.yaml keeps more from now on, and an erasure may remove files"}
	case len(found) > 1:
		var ids []string
		for _, f := range found {
			ids = append(ids, f.Run)
		}
		return PublishedFile{}, runlog.SeveralRuns("published files", run, ids, next)
	case found[0].Current:
		return PublishedFile{}, &problem.Problem{Class: "usage", What: found[0].Run + " is the current file of readers", Next: next}
	}
	return found[0], nil
}

// keptNow says how many published files there are.
func keptNow(n int) string {
	if n == 1 {
		return "1 file is"
	}
	return fmt.Sprintf("%d files are", n)
}
