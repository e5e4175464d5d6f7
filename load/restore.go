package load

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"aqueduck/internal/crash"
	"aqueduck/load/access"
	"aqueduck/load/failure"
	"aqueduck/load/internal/disk"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/system"
	"aqueduck/load/internal/workdb"
	"aqueduck/load/layout"
)

// setAside moves a damaged work database to damaged-<time>, for a later look, and deletes older ones.
func (w *Work) setAside(cause error) error {
	d := w.db.Dir()
	old, err := filepath.Glob(filepath.Join(d.State(), "damaged-*"))
	if err != nil {
		return err
	}
	name := filepath.Join(d.State(), "damaged-"+w.db.Now().UTC().Format("20060102T150405.000000"))
	if err := disk.Move(name, d.Work()); err != nil {
		return fmt.Errorf("set the damaged work database aside: %w", err)
	}
	crash.At(crash.OpenAside)
	for _, path := range old {
		if path == name {
			continue
		}
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	w.Restored = fmt.Sprintf("the work database could not be used (%s) and was set aside as %s", firstLine(cause), name)
	return nil
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// restoreDatabase makes the work database from the newest published file that is unchanged, or an empty one where nothing
// was ever published. It returns the name of that file. failure.ErrNoWholeFile says that all published files are changed
// or damaged.
func (w *Work) restoreDatabase(ctx context.Context) (string, error) {
	d := w.db.Dir()
	// A work directory without a database is the rest of writes that a power failure lost. A log in it would belong to no file (T156).
	if err := errors.Join(d.TrashWork(), d.EmptyTrash()); err != nil {
		return "", err
	}
	files, err := d.PublishedFiles()
	if err != nil {
		return "", err
	}
	// The copy is made under a name that the next start removes, and gets its final name when it is whole.
	fresh := filepath.Join(d.State(), "wtmp-work")
	var problems []error
	for _, file := range files {
		err := layout.CopyPublished(d, fresh, file)
		if err == nil {
			if err := w.addBookkeeping(ctx, fresh, file); err != nil {
				return "", err
			}
			crash.At(crash.OpenRestored)
			if len(problems) > 0 {
				w.Restored = fmt.Sprintf("%s (%s)", failure.PublishedUnusable, firstLine(errors.Join(problems...)))
			}
			return filepath.Base(file), disk.Move(d.Work(), fresh)
		}
		if errors.Is(disk.Explain(err, ""), failure.ErrDiskFull) {
			return "", err
		}
		problems = append(problems, err)
	}
	if len(problems) > 0 {
		return "", fmt.Errorf("%w: %w", failure.ErrNoWholeFile, errors.Join(problems...))
	}
	if err := os.RemoveAll(fresh); err != nil {
		return "", err
	}
	if err := os.Mkdir(fresh, 0o700); err != nil {
		return "", err
	}
	if err := w.createDatabase(ctx, filepath.Join(fresh, "work.duckdb")); err != nil {
		return "", err
	}
	crash.At(crash.OpenCreated)
	return "nothing: no file is published yet", disk.Move(d.Work(), fresh)
}

// addBookkeeping gives a copy of a published file the newer bookkeeping of that file. Without it the run only reads again
// what earlier ones have read, so a damaged one is removed.
func (w *Work) addBookkeeping(ctx context.Context, fresh, published string) error {
	newer := w.db.Dir().Bookkeeping(published)
	if !disk.Exists(newer) {
		return nil
	}
	settings := w.db.Settings(filepath.Join(fresh, "work.duckdb"))
	settings.Newer = newer
	db, err := duck.Open(ctx, settings)
	if err == nil {
		err = errors.Join(system.CopyTables(ctx, db, duck.Bookkeeping, duck.Catalog, w.db.Unwritten), db.Close())
	}
	if err == nil || errors.Is(disk.Explain(err, ""), failure.ErrDiskFull) {
		return err
	}
	return os.Remove(newer)
}

// createDatabase creates an empty database. It is checkpointed while it is private, so that its log begins empty.
func (w *Work) createDatabase(ctx context.Context, path string) error {
	db, err := duck.Open(ctx, w.db.Settings(path))
	if err != nil {
		return err
	}
	if err := system.Create(ctx, db); err != nil {
		return errors.Join(err, db.Close())
	}
	if err := workdb.CheckpointClose(ctx, db, path); err != nil {
		return err
	}
	return errors.Join(os.Chmod(path, 0o600), disk.SyncDir(filepath.Dir(path)))
}

// Prepare makes the directory a warehouse, or recognizes one, and adopts a backup that was put into it. It comes before
// the first Lock and Open.
func Prepare(d layout.Dir) error {
	backup, err := d.Make()
	if err == nil && backup {
		err = adoptBackup(d)
	}
	return err
}

// adoptBackup turns a published file that was put into an empty directory as warehouse.duckdb into the published file
// behind the link.
func adoptBackup(d layout.Dir) error {
	if err := layout.LinkReplaced(d); err != nil {
		return err
	}
	if disk.Exists(d.Link() + ".wal") {
		return fmt.Errorf("%s.wal is next to the backup: a session changed the backup; restore the published file without it", d.Link())
	}
	ctx := context.Background() // one file is opened and closed
	db, err := duck.Open(ctx, duck.Options{Path: d.Link(), ReadOnly: true})
	if err != nil {
		return fmt.Errorf("open the backup %s: %w", d.Link(), err)
	}
	_, err = system.ReadLast(ctx, db)
	if err := errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("%s is not a backup of a warehouse: %w", d.Link(), err)
	}
	file := filepath.Join(d.Published(), "backup.duckdb")
	// A killed process may have left a checksum, and checksums are read-only.
	if err := os.RemoveAll(layout.SumFile(file)); err != nil {
		return err
	}
	if err := layout.WriteSum(d, layout.SumFile(file), d.Link(), "backup.duckdb"); err != nil {
		return err
	}
	crash.At(crash.BackupSummed)
	if err := access.Share(string(d), d.Link(), 0o444); err != nil {
		return err
	}
	if err := disk.Move(file, d.Link()); err != nil {
		return err
	}
	crash.At(crash.BackupMoved)
	return d.SwapLink(file)
}
