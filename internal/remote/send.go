package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/crash"
	"aqueduck/internal/problem"
	"aqueduck/load/layout"
)

// Send makes the published file of a warehouse that of the head, with its erasures. It keeps the older files that stay by r, deletes the others, and
// after an erasure, or where values were masked, all objects that may hold them. note is for the report of a run; "" if there is nothing to say. The
// error is a problem.Problem of class busy if another machine was first: then nothing has changed in the store. The caller holds the lock.
func (s *Store) Send(ctx context.Context, d layout.Dir, r layout.Retention, now time.Time) (note string, err error) {
	current := d.Current()
	if current == "" {
		return "", nil
	}
	before, err := readKnown(d, s.place)
	if err != nil {
		return "", err
	}
	log, err := readErasures(d)
	if err != nil {
		return "", err
	}
	if err := s.sendErasures(ctx, d, log); err != nil {
		return "", err
	}
	former, err := s.readHead(ctx)
	if err != nil {
		return "", err
	}
	if former.version != before.Version {
		return "", s.overtaken(former)
	}
	unclean := layout.IsUnclean(d) || before.Left || former.Erasures != sumErasures(log)
	next, fresh, err := nextHead(d, former, current, r, unclean)
	unclean = unclean || former.Unclean // by another machine, which did not come to the end
	next.Erasures, next.Unclean = sumErasures(log), unclean
	if err != nil || len(fresh) == 0 && next.equalTo(former) && !unclean { // else the head moves again: a run that began before cannot name what is deleted now
		return "", err
	}
	next.Moved = now.UTC().Truncate(time.Second)
	if next.Emulated, err = os.ReadFile(d.EmulatorFile()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	for _, f := range fresh {
		if err := s.uploadFile(ctx, f, filepath.Join(d.Published(), f.Name)); err != nil {
			return "", d.Explain(err)
		}
	}
	crash.At(crash.RemoteUploaded)
	if unclean { // a run that dies after the head moved leaves the mark
		if err := layout.BeginClean(d); err != nil {
			return "", d.Explain(err)
		}
	}
	moved, err := s.moveHead(ctx, former, next)
	if errors.Is(err, ErrMoved) {
		return "", errors.Join(s.overtaken(moved), s.removeFiles(ctx, fresh))
	}
	if err != nil {
		return "", err
	}
	crash.At(crash.RemoteMoved)
	if err := moved.save(d, s.place, now); err != nil {
		return "", err
	}
	return s.removeOthers(ctx, d, former, moved, now)
}

// endClean says in the head that the store is clean. Where another machine has moved the head since, that one has cleaned, too.
func (s *Store) endClean(ctx context.Context, d layout.Dir, head Head, now time.Time) error {
	next := head
	next.Unclean = false
	moved, err := s.moveHead(ctx, head, next)
	if errors.Is(err, ErrMoved) {
		return nil
	}
	if err != nil {
		return err
	}
	return moved.save(d, s.place, now)
}

// overtaken is the problem of a machine that was not the first to move the head.
func (s *Store) overtaken(by Head) error {
	when := ""
	if !by.Moved.IsZero() {
		when = " at " + by.Moved.UTC().Format(time.DateTime)
	}
	return &problem.Problem{Class: "busy", What: fmt.Sprintf("another machine sent its file to %s%s, after this one began", s.place, when),
		Next: "run this warehouse on one machine at a time; the next run here begins from the newer file, and reads again what that file lacks"}
}

// nextHead returns the head for the current file, without erasures and time, and the files that are not in the store yet. Older files that this machine
// has are as they are here: an erasure may have rewritten them. Those that it does not have leave a store that is unclean.
func nextHead(d layout.Dir, former Head, current string, r layout.Retention, unclean bool) (next Head, fresh []File, err error) {
	for i, path := range append([]string{current}, olderPaths(d, former, filepath.Base(current))...) {
		name := filepath.Base(path)
		if i > 0 && r.Replaced[name] {
			continue
		}
		at := slices.IndexFunc(former.files(), func(f File) bool { return f.Name == name })
		f := File{Name: name}
		switch info, err := os.Stat(path); {
		case err == nil:
			f.Bytes, f.Sum = info.Size(), layout.RecordedSum(path)
			f.Object = fmt.Sprintf("files/%s.%.12s.duckdb", strings.TrimSuffix(name, ".duckdb"), f.Sum)
			if f.Sum == "" {
				return next, nil, fmt.Errorf("%s has no checksum", path)
			}
		case !errors.Is(err, os.ErrNotExist) || i == 0:
			return next, nil, err
		case unclean:
			continue
		default:
			f = former.files()[at]
		}
		if i > 0 && len(next.Older) == r.Keep {
			break
		}
		if !slices.Contains(former.files(), f) {
			fresh = append(fresh, f)
		}
		if i == 0 {
			next.File = f
		} else {
			next.Older = append(next.Older, f)
		}
	}
	return next, fresh, nil
}

// olderPaths are where the files of the former head would be in this warehouse, without the current one, newest first.
func olderPaths(d layout.Dir, former Head, current string) (paths []string) {
	for _, f := range former.files() {
		if f.Name != current {
			paths = append(paths, filepath.Join(d.Published(), f.Name))
		}
	}
	return paths
}

// uploadFile writes a published file and the checksums of its chunks.
func (s *Store) uploadFile(ctx context.Context, f File, path string) error {
	sums, err := sumChunks(path)
	if err != nil {
		return err
	}
	content, err := json.Marshal(chunkSums{chunkSize, sums})
	if err != nil {
		return err
	}
	if err := s.upload(ctx, f.Object, path); err != nil {
		return err
	}
	_, err = s.replace(ctx, f.Object+sumsSuffix, "", content)
	if errors.Is(err, ErrMoved) { // an earlier try got so far: the name has the sum of the file in it
		return nil
	}
	return err
}

// removeFiles deletes files that no head names.
func (s *Store) removeFiles(ctx context.Context, files []File) error {
	for _, f := range files {
		if err := errors.Join(s.remove(ctx, f.Object), s.remove(ctx, f.Object+sumsSuffix)); err != nil {
			return err
		}
	}
	return nil
}

// removeOthers deletes what the former head named and the present one does not. In an unclean store it deletes every other file, also of a run that
// died before it moved the head, and then removes the marks.
func (s *Store) removeOthers(ctx context.Context, d layout.Dir, former, head Head, now time.Time) (note string, err error) {
	kept := map[string]bool{}
	for _, f := range head.files() {
		kept[f.Object], kept[f.Object+sumsSuffix] = true, true
	}
	var gone []string
	for _, f := range former.files() {
		gone = append(gone, f.Object, f.Object+sumsSuffix)
	}
	unclean := layout.IsUnclean(d)
	if unclean {
		if gone, err = s.list(ctx, "files/"); err != nil {
			return "", err
		}
		if s.keepsVersions(ctx) {
			note = s.place + " is in a bucket that keeps older versions: what was erased stays in them until the bucket's own rules delete them"
		}
	}
	for _, name := range gone {
		if kept[name] {
			continue
		}
		if err := s.remove(ctx, name); err != nil {
			return note, err
		}
	}
	if !unclean {
		return note, nil
	}
	if err := layout.EndClean(d); err != nil {
		return note, d.Explain(err)
	}
	return note, s.endClean(ctx, d, head, now)
}

// sendErasures adds the erasures of the warehouse to those of the store. They come before the file: a machine that is killed in between has erased
// nobody in vain.
func (s *Store) sendErasures(ctx context.Context, d layout.Dir, ours []byte) error {
	if len(ours) == 0 {
		return nil
	}
	for range maxTries {
		theirs, version, err := s.read(ctx, erasuresName)
		if err != nil && !errors.Is(err, ErrNoObject) {
			return err
		}
		all, err := s.mergeErasures(d, theirs, ours)
		if err != nil || bytes.Equal(all, theirs) {
			return err
		}
		if _, err = s.replace(ctx, erasuresName, version, all); err == nil || !errors.Is(err, ErrMoved) {
			return err
		}
	}
	return &problem.Problem{Class: "transient", What: "write " + erasuresName + " of " + s.place + ": other machines change it all the time"}
}
