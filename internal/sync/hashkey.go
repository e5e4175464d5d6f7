package sync

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync/stream"
	"aqueduck/load"
	"aqueduck/load/failure"
	"aqueduck/load/layout"
	"aqueduck/load/mask"
)

// findHashKey finds or makes the key of hashed columns. Stored values were made with one key: when that key is missing, no second key is made
// silently (T175). rehash says that the operator accepted another key, so that all hashed values are read again.
func findHashKey(ctx context.Context, r *stream.Run) (rehash bool, err error) {
	dir := r.Runner.Dir
	if r.HashKey, err = ReadHashKey(r.Runner); err != nil {
		return false, err
	}
	mark, used, err := r.Writer.Work.Masks.HashedBy(ctx)
	if err != nil {
		return false, err
	}
	if missing := HashKeyMissing(dir, r.HashKey, mark, used); missing != nil {
		if !r.Config.HasHashes(r.Runner.Catalogue) {
			return false, nil // nothing is hashed now: no key is needed, and none is made
		}
		if !r.Options.AcceptHashKey {
			return false, missing
		}
		rehash = true
	}
	if r.HashKey == nil {
		if r.HashKey, err = dir.MakeHashKey(); err != nil {
			return false, dir.Explain(fmt.Errorf("make a key for hashed columns: %w", err))
		}
	}
	return rehash, nil
}

// ReadHashKey gives the key of hashed columns; nil where there is none. Its error about a damaged key is a Problem with the next step.
func ReadHashKey(r *runner.Runner) ([]byte, error) {
	key, err := r.Dir.ReadHashKey()
	if err == nil {
		return key, nil
	}
	if !r.Config.HasHashes(r.Catalogue) {
		return nil, &problem.Problem{Class: "config", What: "read the key for hashed columns, although pipelines.yaml hashes none", Err: err,
			Next: "restore the file from a backup, or remove it: the next run makes a new key"}
	}
	next := "restore the file from a backup; without a backup, remove the file, then hash again what the source still has, with a new key: " +
		r.Given.Append("aqueduck sync --full-refresh --accept-hash-key")
	return nil, &problem.Problem{Class: "config", What: "read the key for hashed columns", Err: err, Next: next}
}

// withoutHashKey is the rest of the next step, for whoever has no backup of the key.
const withoutHashKey = "; without a backup, hash again what the source still has: aqueduck sync --full-refresh --accept-hash-key"

// HashKeyMissing returns the problem of a missing or wrong key of hashed columns, with its next step; nil when the key is right. mark identifies
// the key that stored values were hashed with, and used says that there are such values.
func HashKeyMissing(dir layout.Dir, key []byte, mark string, used bool) *problem.Problem {
	switch {
	case key == nil && used:
		return &problem.Problem{Class: "config", What: "the key for hashed columns, " + dir.HashKeyFile() + ", is missing, and stored values were hashed with it: another key would give other hashes",
			Next: "restore the hash.key of this warehouse: copy it to " + filepath.Join(string(dir), "hash.key") + " or " + dir.HashKeyFile() + withoutHashKey}
	case key != nil && mark != "" && mark != mask.HashKeyMark(key):
		return &problem.Problem{Class: "config", What: dir.HashKeyFile() + " is not the key of the stored hashes: it would give other hashes",
			Next: "restore the hash.key of this warehouse: copy it to " + dir.HashKeyFile() + withoutHashKey}
	}
	return nil
}

// noteHashKey records the key that values are hashed with from now on. It runs after the rows of another key were marked for re-reading.
func noteHashKey(ctx context.Context, r *stream.Run) error {
	if !r.Config.HasHashes(r.Runner.Catalogue) {
		return nil
	}
	return r.Writer.Use(func(work *load.Work) error {
		mark, _, err := work.Masks.HashedBy(ctx)
		if err != nil || mark == mask.HashKeyMark(r.HashKey) {
			return err
		}
		return work.Masks.NoteHashKey(ctx, r.HashKey)
	})
}

// CheckHashKey returns the problem that would refuse the next run, as far as the published file shows; nil when the key is in its place.
func CheckHashKey(ctx context.Context, r *runner.Runner) (missing *problem.Problem, err error) {
	if !r.Config.HasHashes(r.Catalogue) {
		return nil, nil
	}
	key, err := ReadHashKey(r)
	if err != nil {
		return nil, err
	}
	err = runlog.WithPublished(ctx, r.Dir, func(f runlog.PublishedDB) error {
		mark, used, err := mask.HashedBy(ctx, f.Reader)
		missing = HashKeyMissing(r.Dir, key, mark, used)
		return err
	})
	if errors.Is(err, failure.ErrNothingPublished) {
		return nil, nil
	}
	return missing, err
}
