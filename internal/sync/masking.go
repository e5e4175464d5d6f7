package sync

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"aqueduck/extract"
	"aqueduck/internal/dictionary"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync/stream"
	"aqueduck/internal/sync/warehouse"
	"aqueduck/internal/term"
	"aqueduck/load"
	"aqueduck/load/facts"
	"aqueduck/load/failure"
	"aqueduck/load/mask"
	"aqueduck/load/read"
	"aqueduck/schemas"
	"aqueduck/transform"
	"aqueduck/transform/maskrule"
)

// applyMasking masks the stored values of columns that the configuration has begun to hash or drop, and adds a note. All files are then rebuilt.
// Where masking was removed from the configuration, rows get their values back only when they are read again.
func applyMasking(ctx context.Context, r *stream.Run, w *stream.Workspace, streams []*schemas.Stream) error {
	for _, s := range streams {
		if s.IsExportFamily() || s.Into != "" {
			continue // a stream that writes into another's tables is compared together with that one
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

// findMasking compares the masking of a stream, and of the streams that write into its tables, with the masking recorded when its rows were
// stored; nil when both are equal. added are the new names, in words.
func findMasking(ctx context.Context, r *stream.Run, work *load.Work, w *stream.Workspace, s *schemas.Stream, streams []*schemas.Stream) (m *mask.MaskChange, added []string, err error) {
	stored, err := work.Masks.MaskedNames(ctx, w.Name, s.Name)
	if err != nil {
		return nil, nil, err
	}
	names := r.Config.MaskedColumns(s, streams)
	if slices.Equal(names, stored.All) && (stored.Noted || len(names) == 0) && !(r.Rehash && len(names) > 0) {
		return nil, nil, nil
	}
	m = &mask.MaskChange{Stream: s.Name, Names: names, Key: r.HashKey}
	if n, err := work.Facts.CountRows(ctx, w.Name, transform.Tables(s)[0].Name); err != nil || n == 0 {
		return m, nil, err // no rows, nothing to mask
	}
	m.Unmasked = mask.UnmaskedNames(stored.All, names)
	for _, name := range names {
		if slices.Contains(stored.All, name) && r.Rehash && strings.HasPrefix(name, "hash:") {
			m.Unmasked = append(m.Unmasked, "re"+name)
		}
	}
	if m.Mask, added, err = addedRules(s, names, stored); err != nil {
		return nil, nil, err
	}
	m.Unmask, err = revealedColumns(s, m.Unmasked)
	return m, added, err
}

// addedRules returns the rules for stored rows of the names that they were stored without, and these names in words.
func addedRules(s *schemas.Stream, names []string, stored mask.NamesOfRows) (rules []maskrule.Rule, words []string, err error) {
	added := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(stored.All, name) })
	if rules, words, err = maskRulesOf(s, added); err != nil {
		return nil, nil, err
	}
	var before []maskrule.Rule
	for _, name := range slices.Concat(stored.All, stored.Some) {
		kind, column, _ := strings.Cut(strings.TrimPrefix(name, "re"), ":")
		found, err := maskrule.Find(s, column, kind == "hash")
		if err != nil {
			continue // a name of columns that the stream no longer has
		}
		for _, p := range found {
			p.Partly = !slices.Contains(stored.All, name)
			before = append(before, p)
		}
	}
	for i := range rules {
		rules[i].Hashed = rules[i].Hash && !stored.Noted
	}
	return maskrule.After(rules, before), words, nil
}

// maskRulesOf returns the rules of entries such as hash:email, each once, and the entries in words.
func maskRulesOf(s *schemas.Stream, names []string) (rules []maskrule.Rule, words []string, err error) {
	for _, name := range names {
		kind, column, _ := strings.Cut(name, ":")
		found, err := maskrule.Find(s, column, kind == "hash")
		if err != nil {
			return nil, nil, err
		}
		rules, words = append(rules, found...), append(words, kind+" "+column)
	}
	rules = maskrule.Simplify(rules)
	return rules, words, transform.SetObjects(s, rules)
}

// revealedColumns returns the columns of masking rules that were removed from the configuration. Names of columns that the stream no longer has
// are skipped.
func revealedColumns(s *schemas.Stream, taken []string) (places []mask.UnmaskedColumn, err error) {
	for _, name := range taken {
		kind, column, _ := strings.Cut(name, ":")
		found, err := maskrule.Find(s, column, kind != "drop")
		if err != nil {
			continue
		}
		for _, p := range found {
			places = append(places, mask.UnmaskedColumn{Rule: p, Dropped: kind == "drop"})
		}
	}
	return places, nil
}

// noteRevealed adds a note for each stream whose rows still have masked values although the masking was removed, with the command that reads them
// again. After a full refresh no command helps: that note is made once.
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
			r.AddNote(unmaskNote(r.Runner, s, names, rows, refreshed))
		}
	}
	return nil
}

// unmaskNote is the text of a note about values that are still masked although the masking was removed. A stream that no pipeline reads has to be
// named in one first.
func unmaskNote(r *runner.Runner, s *schemas.Stream, names []string, rows int64, refreshed bool) string {
	stream, first := s.Name, ""
	if s.Dataset == "" && !slices.Contains(r.Config.Read(r.Catalogue, true), stream) {
		first = "name " + stream + " in a pipeline, then: "
	}
	var taken, rehashed, words []string
	for _, name := range names {
		if kind, column, _ := strings.Cut(name, ":"); kind == "rehash" {
			rehashed = append(rehashed, "hash "+column)
		} else {
			taken = append(taken, kind+" "+column)
		}
	}
	if len(taken) > 0 {
		setting := "the setting %s was removed"
		if len(taken) > 1 {
			setting = "the settings %s were removed"
		}
		words = append(words, fmt.Sprintf(setting, strings.Join(taken, ", ")))
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
		first+r.Given.Append("aqueduck sync --full-refresh --select "+stream))
}

// storedDatasets returns the streams of a workspace's datasets that have a checkpoint.
func storedDatasets(r *runner.Runner, workspace string, states []runlog.StreamState) (streams []*schemas.Stream) {
	for _, stored := range states {
		state, err := extract.ParseState(stored.State)
		if err != nil || state.Export == nil || stored.Workspace != workspace {
			continue // a run reports a checkpoint that cannot be read
		}
		if family, ok := r.Catalogue.Stream(state.Export.Family); ok {
			if s := dictionary.DatasetStream(family, stored.Stream, state.Export); len(s.Columns) > 0 {
				streams = append(streams, s)
			}
		}
	}
	return streams
}

// maskNote says how many stored values the next run masks, because the configuration names more columns than before; "" if none.
func maskNote(ctx context.Context, file *read.Reader, workspace string, s *schemas.Stream, wanted []string) (string, error) {
	stored, err := mask.StoredNames(ctx, file, workspace, s.Name)
	if err != nil {
		return "", err
	}
	rules, words, err := addedRules(s, wanted, stored)
	if err != nil {
		return "", err
	}
	values, err := mask.CountUnmasked(ctx, file, workspace, dictionary.Tables([]*schemas.Stream{s}), rules)
	if err != nil || values == 0 {
		return "", err
	}
	return fmt.Sprintf("%s: new settings: %s; the next run rewrites %s, and every file", s.Name, strings.Join(words, ", "), term.Count(int(values), "stored value")), nil
}

// noteNarrowed returns the notes about columns of a workspace that its stream files declare narrower than they are stored.
func noteNarrowed(ctx context.Context, file *read.Reader, workspace string, streams []*schemas.Stream) (notes []string, err error) {
	shapes, err := facts.Shapes(ctx, file, workspace)
	for _, s := range streams {
		notes = append(notes, warehouse.FindNarrowed(s, shapes)...)
	}
	return notes, err
}

// MaskingNotes returns notes for `status` and `plan` from the published file: streams with values that are still masked although the configuration
// no longer asks for it, values that the next run masks, a missing key of hashed columns, and columns that cannot narrow. Before the first publish there are none.
func MaskingNotes(ctx context.Context, r *runner.Runner) (notes []string, err error) {
	notes = []string{}
	missing, err := CheckHashKey(ctx, r)
	if err != nil {
		return nil, err
	}
	if missing != nil {
		notes = append(notes, missing.Line(r.Given))
	}
	states, err := runlog.ReadStates(ctx, r.Dir, nil)
	if errors.Is(err, failure.ErrNothingPublished) {
		return notes, nil
	}
	if err != nil {
		return nil, err
	}
	err = runlog.WithPublished(ctx, r.Dir, func(f runlog.PublishedDB) error {
		for _, workspace := range r.Config.WorkspaceNames() {
			streams := slices.Concat(r.StoredStreams(workspace), storedDatasets(r, workspace, states))
			narrowed, err := noteNarrowed(ctx, f.Reader, workspace, streams)
			if err != nil {
				return err
			}
			notes = append(notes, narrowed...)
			for _, s := range streams {
				if s.IsExportFamily() || s.Into != "" {
					continue
				}
				wanted := r.Config.MaskedColumns(s, streams)
				names, rows, err := mask.StillMasked(ctx, f.Reader, workspace, s.Name, transform.Tables(s)[0], wanted)
				if err != nil {
					return fmt.Errorf("check which rows of %s are still masked: %w", s.Name, err)
				}
				if rows > 0 {
					notes = append(notes, unmaskNote(r, s, names, rows, false))
				}
				note, err := maskNote(ctx, f.Reader, workspace, s, wanted)
				if err != nil {
					return fmt.Errorf("count the values of %s that the next run masks: %w", s.Name, err)
				}
				if note != "" {
					notes = append(notes, note)
				}
			}
		}
		return nil
	})
	return notes, err
}
