package workdb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"aqueduck/internal/crash"
	"aqueduck/load/internal/disk"
	"aqueduck/load/internal/duck"
)

// LogSize is the size in bytes of the log that the next Open would replay.
func (w *Database) LogSize() int64 { return disk.Size(w.path.Database() + ".wal") }

// Lengths of a log in bytes.
const (
	shortLog = 32 << 20  // is left as it is between commits
	longLog  = 512 << 20 // a start still replays it within seconds and 400 MiB (measured with 501 MB: 2.9 s, 356 MiB)
)

// FoldNeeded reports whether the log is so long that it should be merged into the file (T142). Up to longLog it stays where the disk has no room
// for the copy: a shorter log only saves memory.
func (w *Database) FoldNeeded() bool {
	log := w.LogSize()
	if w.options.FoldAt > 0 {
		return log > w.options.FoldAt
	}
	return log > longLog || log > foldLimit(disk.Size(w.path.Database())) && roomToFold(w) == nil
}

// foldLimit is the length of a log, in bytes, from which it is merged into a file of a size. DuckDB keeps the rows of a log in memory, and puts what
// finds no room there into temporary files, so a short log is better. But each fold copies the file, so a large one may have a longer log, of
// a quarter of its size. All folds of a first run together then copy some five times its final file, if that has up to 4 GB.
func foldLimit(file int64) int64 {
	return min(max(file/4, shortLog), longLog)
}

// roomToFold is disk.ErrNoRoom where the disk has no room for a fold.
func roomToFold(w *Database) error {
	return disk.Room(string(w.path), 2*(disk.Size(w.path.Database())+w.LogSize()), "writing the database")
}

// Fold merges the log into the file: in a copy, which then replaces the work database.
func (w *Database) Fold(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.classifyError(w.FoldLocked(ctx))
}

// FoldLocked is Fold for a caller inside Do. Afterwards DB is another connection.
func (w *Database) FoldLocked(ctx context.Context) error {
	if w.DB == nil {
		return errClosed
	}
	if w.LogSize() == 0 {
		return nil
	}
	if err := roomToFold(w); err != nil {
		return err
	}
	if err := w.closeLocked(); err != nil {
		return fmt.Errorf("close the work database: %w", err)
	}
	fresh := filepath.Join(w.path.State(), "new-fold")
	if err := w.foldCopy(ctx, fresh); err != nil {
		err = fmt.Errorf("merge the write-ahead log into the database: %w", err)
		return errors.Join(err, os.RemoveAll(fresh), w.OpenDatabase(context.WithoutCancel(ctx)))
	}
	return w.OpenDatabase(ctx)
}

// foldCopy checkpoints a copy, since a kill inside a checkpoint may destroy the file (T140). Once the copy has its final
// name, Tidy finishes the fold after a kill.
func (w *Database) foldCopy(ctx context.Context, fresh string) error {
	d := w.path
	if err := CopyDatabase(fresh, d.Work()); err != nil {
		return err
	}
	crash.At(crash.FoldCopied)
	if err := checkpointCopy(ctx, w.Settings(filepath.Join(fresh, "work.duckdb"))); err != nil {
		return err
	}
	crash.At(crash.FoldCheckpointed)
	if err := disk.Move(d.Folded(), fresh); err != nil {
		return err
	}
	crash.At(crash.FoldReady)
	return d.FinishFold()
}

// checkpointCopy merges the log of a private copy into its file, durably, and checks that no log is left.
func checkpointCopy(ctx context.Context, o duck.Options) error {
	db, err := duck.Open(ctx, o)
	if err != nil {
		return err
	}
	return CheckpointClose(ctx, db, o.Path)
}

// CheckpointClose is checkpointCopy for a private database that is open; it closes it.
func CheckpointClose(ctx context.Context, db *duck.DB, path string) error {
	err := db.Checkpoint(ctx)
	if err == nil && disk.Size(path+".wal") > 0 {
		err = replaceLog(ctx, db)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	if disk.Size(path+".wal") > 0 {
		return fmt.Errorf("%s still has a log after its checkpoint", path)
	}
	return disk.SyncFile(path)
}

// replaceLog removes a log that ends inside its first commit, as a kill may leave it. DuckDB sees no commit in it, so a
// checkpoint neither merges nor removes it. The next commit overwrites it.
func replaceLog(ctx context.Context, db *duck.DB) error {
	for _, statement := range []string{"INSERT INTO _sync.meta (key, value) VALUES ('log', '')", "DELETE FROM _sync.meta WHERE key = 'log'"} {
		if _, err := db.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return db.Checkpoint(ctx)
}

// CopyDatabase copies a closed database with its log into a new directory, replacing what is there.
func CopyDatabase(to, from string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if err := os.Mkdir(to, 0o700); err != nil {
		return err
	}
	for _, name := range []string{"work.duckdb", "work.duckdb.wal"} {
		if !disk.Exists(filepath.Join(from, name)) {
			continue
		}
		if err := disk.Clone(filepath.Join(to, name), filepath.Join(from, name)); err != nil {
			return err
		}
	}
	return disk.SyncDir(to)
}
