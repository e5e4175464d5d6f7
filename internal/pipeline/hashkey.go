package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"aqueduck/load"
	"aqueduck/load/layout"
	"aqueduck/load/mask"
	"aqueduck/load/read"
	"aqueduck/schemas"
)

// hashes reports whether anything is kept as a hash.
func (c *Config) hashes(catalogue *schemas.Catalogue) bool {
	return slices.ContainsFunc(catalogue.Streams(), func(s *schemas.Stream) bool { return len(c.Settings(s.Name).Hash) > 0 }) ||
		slices.ContainsFunc(c.datasets, func(d datasetSettings) bool { return len(d.settings.Hash) > 0 })
}

// findHashKey decides which key hashed columns are made with. Values that are stored were made with one key: where that is not in its
// place, no second one is made in silence (T175). rehash says that another key was accepted, so that all that is hashed is read again.
func findHashKey(ctx context.Context, r *run) (rehash bool, err error) {
	dir := r.runner.Dir
	if r.hashKey, err = dir.ReadHashKey(); err != nil {
		return false, &Problem{Class: "config", What: "read the key for hashed columns", Err: err,
			Next: "put the file back from a backup; without it, remove the file, then: " + acceptHashKeyCommand(r)}
	}
	mark, used, err := r.writer.work.HashedBy(ctx)
	if err != nil {
		return false, err
	}
	if missing := keyMissing(dir, r.hashKey, mark, used); missing != nil {
		if !r.config.hashes(r.runner.Catalogue) {
			return false, nil // nothing is hashed now: no key is needed, and none is made
		}
		if !r.options.AcceptHashKey {
			missing.Next += "; without it: " + acceptHashKeyCommand(r)
			return false, missing
		}
		rehash = true
	}
	if r.hashKey == nil {
		if r.hashKey, err = dir.MakeHashKey(); err != nil {
			return false, dir.Explain(fmt.Errorf("make a key for hashed columns: %w", err))
		}
	}
	return rehash, nil
}

// acceptHashKeyCommand is the command that goes on with another key.
func acceptHashKeyCommand(r *run) string {
	return r.runner.Given.To("aqueduck sync "+r.pipeline.Name+" --full-refresh --accept-hash-key") + " hashes everything that the source still has with a new one"
}

// keyMissing says what is wrong with the key of hashed columns, and how to go on with the one that stored values were hashed with; nil
// where nothing is wrong.
func keyMissing(dir layout.Dir, key []byte, mark string, used bool) *Problem {
	switch {
	case key == nil && used:
		return &Problem{Class: "config", What: "the key for hashed columns, " + dir.HashKeyFile() + ", is not there, and stored values were hashed with it: another key would give other hashes",
			Next: "put back the hash.key that belongs to this warehouse, into its directory or as .aqueduck/hash.key"}
	case key != nil && mark != "" && mark != mask.HashKeyMark(key):
		return &Problem{Class: "config", What: dir.HashKeyFile() + " is not the key that stored values were hashed with: it would give other hashes",
			Next: "put back the hash.key that belongs to this warehouse, as .aqueduck/hash.key"}
	}
	return nil
}

// noteHashKey notes which key values are hashed with from now on, once the rows of another one are marked to be read again.
func noteHashKey(ctx context.Context, r *run) error {
	if !r.config.hashes(r.runner.Catalogue) {
		return nil
	}
	return r.writer.use(func(work *load.Work) error {
		mark, _, err := work.HashedBy(ctx)
		if err != nil || mark == mask.HashKeyMark(r.hashKey) {
			return err
		}
		return work.NoteHashKey(ctx, r.hashKey)
	})
}

// checkHashKey is what the next run would be refused for, by the published file; nil where its key is in its place.
func checkHashKey(ctx context.Context, r *Runner) (missing *Problem, err error) {
	if !r.Config.hashes(r.Catalogue) {
		return nil, nil
	}
	key, err := r.Dir.ReadHashKey()
	if err != nil {
		return nil, fmt.Errorf("read the key for hashed columns: %w", err)
	}
	err = look(ctx, r.Dir, func(f file) error {
		mark, used, err := mask.HashedBy(ctx, f.Reader)
		missing = keyMissing(r.Dir, key, mark, used)
		return err
	})
	if errors.Is(err, read.ErrNothingPublished) {
		return nil, nil
	}
	return missing, err
}
