// Package publish gives readers a new file: it copies the work database, verifies the copy and swaps one link.
package publish

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"aqueduck/internal/crash"
	"aqueduck/load"
	"aqueduck/load/access"
	"aqueduck/load/failure"
	"aqueduck/load/internal/disk"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/wear"
	"aqueduck/load/internal/workdb"
	"aqueduck/load/layout"
)

// Publish makes the content of the work database what readers see, in the file and in the lake, and closes the work
// database: the next Open starts from the published file. Where readers have all of it, it changes no file. After an error readers keep what they had, and the work
// database stays. After *failure.PublishBlocked it is still open; after any other error it is closed.
func Publish(ctx context.Context, d layout.Dir, w *load.Work, s Spec) (Result, error) {
	p := &publishRun{dir: d, spec: s, at: s.Now().UTC().Truncate(time.Microsecond), fingerprints: map[string]string{}}
	p.spec.beginStep("comparing with the last file")
	err := p.publishWork(ctx, w)
	var blocked *failure.PublishBlocked
	if errors.As(err, &blocked) {
		return Result{}, err
	}
	if err != nil {
		err = w.ReportDamage(fmt.Errorf("publish: %w", err)) // damage in the copy is damage in the work database
		return Result{}, d.Explain(errors.Join(err, w.Close(), os.RemoveAll(p.fresh)))
	}
	return p.result, nil
}

func (p *publishRun) publishWork(ctx context.Context, w *load.Work) error {
	d := p.dir
	unchanged, err := p.spec.isUnchanged(ctx, d, w)
	if err != nil {
		return err
	}
	if unchanged {
		p.result.File, p.result.Unchanged = d.Current(), true
		return errors.Join(w.Records.UpdateFreshness(ctx), w.Close())
	}
	inPlace := w.InPlace()
	if err := w.MakeWritable(); err != nil {
		return err
	}
	if err := p.findReplaced(ctx, w); err != nil {
		return err
	}
	if p.before, err = w.Facts.Snapshot(ctx, w.Published); err != nil {
		return err
	}
	if inPlace { // the run has written nothing
		p.spec.Readers = p.before
	}
	if err := p.spec.checkRowLoss(p.before); err != nil {
		return err
	}
	// Room for two: the copy may be written again into a second file.
	size := disk.Size(d.Database()) + w.LogSize()
	if err := disk.Room(string(d), 2*size, "publishing"); err != nil {
		return err
	}
	// The database is closed before it is copied: opening its file a second time in this process would drop DuckDB's lock
	// (T155).
	if err := w.Close(); err != nil {
		return fmt.Errorf("close the work database: %w", err)
	}
	crash.At(crash.PublishClosed)
	p.spec.beginStep("copying the database")
	p.chooseFileName()
	// Blocks of the file may still have erased values, until it is written again.
	p.spec.Rebuild = p.spec.Rebuild || d.Erasing()
	if err := workdb.CopyDatabase(p.fresh, d.Work()); err != nil {
		return fmt.Errorf("copy the work database: %w", err)
	}
	crash.At(crash.PublishCopied)
	if err := p.finishCopy(ctx); err != nil {
		return err
	}
	crash.At(crash.PublishVerified)
	file, err := p.sealFile()
	if err != nil {
		return fmt.Errorf("seal the file: %w", err)
	}
	p.spec.beginStep("showing it to readers")
	// The link comes last. After a kill before it, readers have the old file, and the next run publishes again.
	if err := p.placeLakes(); err != nil {
		return err
	}
	return p.swapLink(ctx, file)
}

// placeLakes shows the new parts to readers, or removes all Parquet files where the configuration wants none.
func (p *publishRun) placeLakes() error {
	for _, l := range p.lakes {
		if err := l.swapParts(); err != nil {
			return fmt.Errorf("put the Parquet files of %s in place: %w", l.schema.Name, err)
		}
	}
	if !p.spec.DropLake {
		return p.carryManifests()
	}
	for _, s := range p.spec.Schemas {
		if err := os.RemoveAll(p.dir.Lake(s.Name)); err != nil {
			return fmt.Errorf("remove the Parquet files of %s: %w", s.Name, err)
		}
	}
	return nil
}

// chooseFileName finds a name that no published file has: a run may publish several times.
func (p *publishRun) chooseFileName() {
	p.name = p.spec.RunID
	for n := 2; disk.Exists(filepath.Join(p.dir.Published(), p.name+".duckdb")); n++ {
		p.name = fmt.Sprintf("%s-%d", p.spec.RunID, n)
	}
	p.fresh = filepath.Join(p.dir.State(), "new-"+p.name)
}

func (p *publishRun) copyPath() string { return filepath.Join(p.fresh, "work.duckdb") }

// finishCopy turns the private copy into what is published: with relations, comments and records, without a log, and
// verified. It writes the parts of the lake from the copy. The copy is closed while another process makes the models of
// users in it.
func (p *publishRun) finishCopy(ctx context.Context) error {
	db, err := p.openCopy(ctx)
	if err != nil {
		return err
	}
	err = p.fillCopy(ctx, db)
	// The records about models are written after all models: here, or after the process that makes those of users.
	apart := slices.ContainsFunc(p.models, (*modelBuild).needsProcess)
	if err == nil && !apart {
		err = p.recordMetadata(ctx, db)
	}
	if err == nil {
		err = checkpointCopy(ctx, db)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	if apart {
		if err := p.finishIsolated(ctx); err != nil {
			return err
		}
	}
	// Readers get one file: rows in a log beside it would be lost to them.
	if disk.Size(p.copyPath()+".wal") > 0 {
		return errors.New("the copy still has a log after its checkpoint")
	}
	return nil
}

func checkpointCopy(ctx context.Context, db *duck.DB) error {
	if err := db.Checkpoint(ctx); err != nil {
		return fmt.Errorf("checkpoint the copy: %w", err)
	}
	return nil
}

// copyOptions let DuckDB write the temporary parts, and read the copy where it is written again.
func (p *publishRun) copyOptions(path string) duck.Options {
	o := duck.Options{Path: path, Reach: []string{p.dir.Temp(), p.fresh}, TempDir: p.dir.Temp(), Memory: p.spec.Memory, Timezone: p.spec.Timezone, Pool: p.spec.Pool}
	if p.spec.Emulated {
		o.Now = p.at
	}
	return o
}

func (p *publishRun) fillCopy(ctx context.Context, db *duck.DB) error {
	p.spec.beginStep("relations")
	for _, s := range p.spec.Schemas {
		if err := p.makeRelations(ctx, db, s); err != nil {
			return fmt.Errorf("relations of %s: %w", s.Name, err)
		}
	}
	p.spec.beginStep("checks")
	if err := p.verifyCopy(ctx, db); err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	if !p.spec.DropLake && (!p.spec.NoLake || p.dir.Erasing()) { // Parquet files may have erased data too
		p.spec.beginStep("Parquet files")
		if err := p.writeLakes(ctx, db); err != nil {
			return err
		}
	}
	crash.At(crash.LakeWritten)
	p.spec.beginStep("models")
	for _, s := range p.spec.Schemas {
		for _, models := range []Models{s.Models, s.Compat} {
			s.Models = models
			b, err := p.makeModels(ctx, db, s)
			if err != nil {
				return fmt.Errorf("models of %s: %w", s.Name, err)
			}
			if b != nil {
				p.models = append(p.models, b)
			}
		}
	}
	return nil
}

// recordMetadata writes what the file says about itself.
func (p *publishRun) recordMetadata(ctx context.Context, db *duck.DB) error {
	p.spec.beginStep("records")
	for _, b := range p.models {
		if err := b.finishModels(ctx, db); err != nil {
			return fmt.Errorf("models of %s: %w", b.schema.Name, err)
		}
		p.result.FailedModels = append(p.result.FailedModels, b.failed...)
	}
	if err := p.recordPublish(ctx, db); err != nil {
		return fmt.Errorf("record the publish: %w", err)
	}
	if err := wear.CompactSystemTables(ctx, db); err != nil {
		return fmt.Errorf("compact the records: %w", err)
	}
	return nil
}

// sealFile makes the copy durable and read-only and gives it its final name. The checksum gets its name first: a
// published file without one is refused.
func (p *publishRun) sealFile() (string, error) {
	d := p.dir
	file := filepath.Join(d.Published(), p.name+".duckdb")
	sum := filepath.Join(p.fresh, "sum")
	p.spec.beginStep("checksum")
	// The content is durable before the file gets its name: after a power loss no name leads to half a file.
	if err := disk.SyncFile(p.copyPath()); err != nil {
		return "", err
	}
	if err := layout.WriteSum(d, sum, p.copyPath(), filepath.Base(file)); err != nil {
		return "", err
	}
	if err := access.Share(string(d), p.copyPath(), 0o444); err != nil {
		return "", err
	}
	if err := disk.SyncFile(p.copyPath()); err != nil {
		return "", err
	}
	crash.At(crash.PublishSealed)
	if err := disk.Move(layout.SumFile(file), sum); err != nil {
		return "", err
	}
	crash.At(crash.PublishSummed)
	if err := disk.Move(file, p.copyPath()); err != nil {
		return "", err
	}
	crash.At(crash.PublishMoved)
	p.result.File, p.result.Bytes = file, disk.Size(file)
	return file, nil
}

// swapLink shows the file to readers and removes the work database: the next run begins with a copy of the published
// file.
func (p *publishRun) swapLink(ctx context.Context, file string) (err error) {
	d := p.dir
	if err := d.SwapLink(file); err != nil {
		return fmt.Errorf("swap the link: %w", err)
	}
	crash.At(crash.LinkSwapped)
	if err := d.TrashWork(); err != nil {
		return fmt.Errorf("remove the work database: %w", err)
	}
	crash.At(crash.WorkTrashed)
	p.result.Published = true
	if err := os.RemoveAll(p.fresh); err != nil {
		return err
	}
	if err := errors.Join(d.EmptyTrash(), d.DropBookkeeping()); err != nil {
		return err
	}
	p.spec.beginStep("older files")
	// An erasure has ended only when no older file has the data, and no Parquet file.
	if p.result.Removed, err = layout.PruneFiles(ctx, d, p.retention()); err != nil || !d.Erasing() || p.spec.Elsewhere {
		return err
	}
	crash.At(crash.ErasePublished)
	if err := layout.BeginCleanOfStore(d); err != nil {
		return err
	}
	return d.EndErasing()
}
