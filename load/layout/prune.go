package layout

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"aqueduck/internal/crash"
	"aqueduck/load/internal/disk"
)

// Retention says which older published files stay.
type Retention struct {
	Keep     int             // number of older files, the newest
	Replaced map[string]bool // names of files that a newer one replaces: they neither stay nor count
	Undo     string          // name of a file that a newer one replaces, and that stays, without counting, for a rollback; "": none
	// Clean frees an older file of erased data; after an error, or where it is nil, the file is removed.
	Clean func(ctx context.Context, file string) error
}

// PruneFiles removes the published files that do not stay, the oldest of the others first, but never the one behind the link.
// Where files may have erased data, each file that stays is freed of them. A file that cannot be freed is removed; removed
// says why.
func PruneFiles(ctx context.Context, d Dir, r Retention) (removed, err error) {
	files, err := d.PublishedFiles()
	if err != nil {
		return nil, err
	}
	erasing, current, counted := d.Erasing(), d.Current(), 0
	for _, file := range files {
		if file == current {
			continue
		}
		stays := r.Undo == filepath.Base(file) && r.Keep > 0
		if !stays && !r.Replaced[filepath.Base(file)] {
			counted++
			stays = counted <= r.Keep
		}
		if stays {
			if !erasing {
				continue
			}
			err := cleanOlder(ctx, d, file, r.Clean)
			if err == nil {
				continue
			}
			if ctx.Err() != nil {
				return nil, fmt.Errorf("rewrite %s without what was erased: %w", file, err)
			}
			if !errors.Is(removed, errMasked) { // the same for each file
				removed = errors.Join(removed, err)
			}
		}
		if err := removePublished(file); err != nil {
			return removed, err
		}
	}
	return removed, errors.Join(noteRemoved(d, removed, counted > 0), removeOrphans(d))
}

// errMasked is why a file is removed that was published before values were masked.
var errMasked = errors.New("the configuration masks more values than before")

func cleanOlder(ctx context.Context, d Dir, file string, clean func(ctx context.Context, file string) error) error {
	switch {
	case isMasking(d):
		return errMasked
	case clean == nil:
		return errors.New("nothing rewrites it without what was erased")
	}
	if err := clean(ctx, file); err != nil {
		return fmt.Errorf("rewrite %s without what was erased: %w", filepath.Base(file), err)
	}
	return nil
}

// removePublished removes a published file. Log and checksum go before the file: after a kill in between, it is still listed,
// and the next publish removes it.
func removePublished(file string) error {
	if err := errors.Join(os.RemoveAll(file+".wal"), os.RemoveAll(SumFile(file))); err != nil {
		return err
	}
	crash.At(crash.PublishRetained)
	return os.RemoveAll(file)
}

// removeOrphans removes checksums and logs without a file. A kill before a file has its name leaves a checksum; a session
// that wrote into a removed file leaves a log.
func removeOrphans(d Dir) error {
	entries, err := os.ReadDir(d.Published())
	if err != nil {
		return err
	}
	for _, e := range entries {
		name, isSum := strings.CutSuffix(e.Name(), ".sha256")
		if isSum {
			name += ".duckdb"
		} else {
			name = strings.TrimSuffix(e.Name(), ".wal")
		}
		if disk.Exists(filepath.Join(d.Published(), name)) {
			continue
		}
		if err := os.Remove(filepath.Join(d.Published(), e.Name())); err != nil {
			return err
		}
	}
	return nil
}
