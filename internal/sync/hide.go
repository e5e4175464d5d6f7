package sync

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync/stream"
	"aqueduck/internal/term"
	"aqueduck/load"
	"aqueduck/load/failure"
	"aqueduck/load/mask"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// applyMasking takes out of what is stored what is hashed or dropped from now on, and says so: rows that were read before the
// configuration asked for it are rebuilt, and with them every file. Of what is no longer hidden the rows differ from whatever
// is read again: the values come with the next reading of each.
func applyMasking(ctx context.Context, r *stream.Run, w *stream.Workspace, streams []*schemas.Stream) error {
	for _, s := range streams {
		if s.IsExportFamily() || s.Into != "" {
			continue // one whose tables are another's is looked at with that one
		}
		err := r.Writer.Use(func(work *load.Work) error {
			m, added, err := findMasking(ctx, r, work, w, s, streams)
			if err != nil || m == nil {
				return err
			}
			rows, err := work.Masks.Mask(ctx, w.Name, *m)
			if rows > 0 {
				r.AddNote(fmt.Sprintf("%s: %s since this run: stored values were rewritten, %s changed, and every file is rewritten", s.Name, strings.Join(added, ", "), term.Count(int(rows), "value")))
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("stream %s: %w", s.Name, err)
		}
	}
	return nil
}

// findMasking compares what is hashed and dropped of a stream, by itself and by those that go into its tables, with what was noted when its
// rows were stored; nil where that is the same. added are the new names, in words.
func findMasking(ctx context.Context, r *stream.Run, work *load.Work, w *stream.Workspace, s *schemas.Stream, streams []*schemas.Stream) (m *mask.MaskChange, added []string, err error) {
	stored, noted, err := work.Masks.MaskedNames(ctx, w.Name, s.Name)
	if err != nil {
		return nil, nil, err
	}
	names := r.Config.MaskedColumns(s, streams)
	if slices.Equal(names, stored) && (noted || len(names) == 0) && !(r.Rehash && len(names) > 0) {
		return nil, nil, nil
	}
	m = &mask.MaskChange{Stream: s.Name, Names: names, Key: r.HashKey}
	if n, err := work.Facts.CountRows(ctx, w.Name, transform.Tables(s)[0].Name); err != nil || n == 0 {
		return m, nil, err // nothing is stored under any name
	}
	m.Taken = mask.TakenBack(stored, names)
	for _, name := range names {
		if slices.Contains(stored, name) {
			if r.Rehash && strings.HasPrefix(name, "hash:") {
				m.Taken = append(m.Taken, "re"+name)
			}
			continue
		}
		kind, column, _ := strings.Cut(name, ":")
		found, err := transform.MaskRules(s, column, kind == "hash")
		if err != nil {
			return nil, nil, err
		}
		for i := range found {
			found[i].Hashed = !noted
		}
		added, m.Mask = append(added, kind+" "+column), append(m.Mask, found...)
	}
	m.Unmask, err = revealedColumns(s, m.Taken)
	return m, added, err
}

// revealedColumns are the places that names of hash and drop mean which were taken back. A name that the stream does not have any more means
// none.
func revealedColumns(s *schemas.Stream, taken []string) (places []mask.UnmaskedColumn, err error) {
	for _, name := range taken {
		kind, column, _ := strings.Cut(name, ":")
		found, err := transform.MaskRules(s, column, kind != "drop")
		if err != nil {
			continue
		}
		for _, p := range found {
			places = append(places, mask.UnmaskedColumn{MaskRule: p, Dropped: kind == "drop"})
		}
	}
	return places, nil
}

// noteRevealed notes of which streams rows still are as a masking left them that was taken back, and what brings their values. A full
// refresh has read all that the source gives: what is left then stays as it is, which is told once.
func noteRevealed(ctx context.Context, r *stream.Run, w *stream.Workspace) error {
	for _, s := range slices.Concat(r.Runner.StoredStreams(w.Name), w.Exports.Known) {
		if s.IsExportFamily() || s.Into != "" {
			continue
		}
		var names []string
		var rows int64
		refreshed := slices.ContainsFunc(r.Tasks, func(t *stream.Task) bool { return t.Workspace == w && t.Stream.Name == s.Name && t.Refreshed })
		err := r.Writer.Use(func(work *load.Work) (err error) {
			names, rows, err = work.Masks.StillMasked(ctx, w.Name, s.Name, transform.Tables(s)[0].Name)
			if err == nil && len(names) > 0 && (rows == 0 || refreshed) {
				err = work.Masks.EndUnmask(ctx, w.Name, s.Name)
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("stream %s: %w", s.Name, err)
		}
		if len(names) > 0 && rows > 0 {
			r.AddNote(takenBackNote(s.Name, names, rows, refreshed, r.Runner.Given))
		}
	}
	return nil
}

// takenBackNote says what became of values that were hidden, and are not wanted so any more.
func takenBackNote(stream string, names []string, rows int64, refreshed bool, given problem.CLIFlags) string {
	var taken, rehashed, words []string
	for _, name := range names {
		if kind, column, _ := strings.Cut(name, ":"); kind == "rehash" {
			rehashed = append(rehashed, "hash "+column)
		} else {
			taken = append(taken, kind+" "+column)
		}
	}
	if len(taken) > 0 {
		words = append(words, strings.Join(taken, ", ")+" was removed")
	}
	if len(rehashed) > 0 {
		words = append(words, strings.Join(rehashed, ", ")+" has another key")
	}
	what, keep := strings.Join(words, ", "), "keep"
	if rows == 1 {
		keep = "keeps"
	}
	if refreshed {
		return fmt.Sprintf("%s: %s: %s, no longer sent by the source, %s the masked values", stream, what, term.Count(int(rows), "row"), keep)
	}
	return fmt.Sprintf("%s: %s: %s %s the masked values until they are read again; next: %s", stream, what, term.Count(int(rows), "row"), keep,
		given.Append("aqueduck sync --full-refresh --select "+stream))
}

// MaskingNotes says, of the published file, which streams have rows as a masking left them that the configuration has taken back, now or
// since, and what brings their values; and that the key of hashed columns is missing. Where nothing is published there is nothing.
func MaskingNotes(ctx context.Context, r *runner.Runner) (notes []string, err error) {
	notes = []string{}
	missing, err := checkHashKey(ctx, r)
	if err != nil {
		return nil, err
	}
	if missing != nil {
		notes = append(notes, missing.What+"; next: "+missing.Next)
	}
	err = runlog.WithPublished(ctx, r.Dir, func(f runlog.PublishedDB) error {
		for _, workspace := range r.Config.WorkspaceNames() {
			streams := r.StoredStreams(workspace)
			for _, s := range streams {
				if s.IsExportFamily() || s.Into != "" {
					continue
				}
				names, rows, err := mask.StillMasked(ctx, f.Reader, workspace, s.Name, transform.Tables(s)[0], r.Config.MaskedColumns(s, streams))
				if err != nil {
					return fmt.Errorf("check which rows of %s are still masked: %w", s.Name, err)
				}
				if rows > 0 {
					notes = append(notes, takenBackNote(s.Name, names, rows, false, r.Given))
				}
			}
		}
		return nil
	})
	if errors.Is(err, failure.ErrNothingPublished) {
		return notes, nil
	}
	return notes, err
}
