// Package publish puts a new file before the readers: copied, verified, and swapped in by one rename.
package publish

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/crash"
	"aqueduck/load"
	"aqueduck/load/failure"
	"aqueduck/load/internal/disk"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/workdb"
	"aqueduck/load/layout"
)

// Publish makes the content of the work database what readers see, in the file and in the lake, and closes it: the
// next Open starts from the published file. When it fails, readers keep what they had and the work database stays; after
// *failure.HeldBack it is still open.
func Publish(ctx context.Context, d layout.Dir, w *load.Work, s Spec) (Result, error) {
	p := &publication{dir: d, spec: s, at: s.Now().UTC().Truncate(time.Microsecond)}
	err := p.run(ctx, w)
	var held *failure.HeldBack
	if errors.As(err, &held) {
		return Result{}, err
	}
	if err != nil {
		err = w.Doubt(fmt.Errorf("publish: %w", err)) // the copy has what damage the work database has
		return Result{}, d.Explain(errors.Join(err, w.Close(), os.RemoveAll(p.fresh)))
	}
	return p.result, nil
}

func (p *publication) run(ctx context.Context, w *load.Work) error {
	d := p.dir
	var err error
	if p.before, err = w.Facts.Snapshot(ctx); err != nil {
		return err
	}
	if err := p.spec.check(p.before); err != nil {
		return err
	}
	size := disk.Size(d.Database()) + w.LogSize()
	if err := disk.Room(string(d), 2*size, "publishing"); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("close the work database: %w", err)
	}
	crash.At(crash.PublishClosed)
	p.choose()
	p.spec.Rebuild = p.spec.Rebuild || d.Erasing()
	if err := workdb.CopyDatabase(p.fresh, d.Work()); err != nil {
		return fmt.Errorf("copy the work database: %w", err)
	}
	crash.At(crash.PublishCopied)
	if err := p.finishCopy(ctx); err != nil {
		return err
	}
	crash.At(crash.PublishVerified)
	file, err := p.seal()
	if err != nil {
		return fmt.Errorf("seal the file: %w", err)
	}
	for _, l := range p.lakes {
		if err := l.swap(); err != nil {
			return fmt.Errorf("put the Parquet files of %s in place: %w", l.schema.Name, err)
		}
	}
	return p.swap(file)
}

// choose finds a name that no published file has: a run may publish many times.
func (p *publication) choose() {
	p.name = p.spec.RunID
	for n := 2; disk.Exists(filepath.Join(p.dir.Published(), p.name+".duckdb")); n++ {
		p.name = fmt.Sprintf("%s-%d", p.spec.RunID, n)
	}
	p.fresh = filepath.Join(p.dir.State(), "new-"+p.name)
}

func (p *publication) copied() string { return filepath.Join(p.fresh, "work.duckdb") }

// finishCopy makes the private copy what is published: relations, comments, records, no log, and all of it verified.
// The parts of the lake are written from it. It is closed while another process makes the models of users in it.
func (p *publication) finishCopy(ctx context.Context) error {
	db, err := p.openCopy(ctx)
	if err != nil {
		return err
	}
	err = p.fill(ctx, db)
	apart := slices.ContainsFunc(p.models, (*building).waits)
	if err == nil && !apart {
		err = p.finish(ctx, db)
	}
	if err == nil {
		err = checkpoint(ctx, db)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	if apart {
		if err := p.finishApart(ctx); err != nil {
			return err
		}
	}
	if disk.Size(p.copied()+".wal") > 0 {
		return errors.New("the copy still has a log after its checkpoint")
	}
	return nil
}

func checkpoint(ctx context.Context, db *duck.DB) error {
	if err := db.Checkpoint(ctx); err != nil {
		return fmt.Errorf("checkpoint the copy: %w", err)
	}
	return nil
}

// settings reach the parts that are on their way, and the directory of the copy for a file that is written anew.
func (p *publication) settings(path string) duck.Options {
	return duck.Options{Path: path, Reach: []string{p.dir.Temp(), p.fresh}, TempDir: p.dir.Temp(), Memory: p.spec.Memory, Timezone: p.spec.Timezone}
}

func (p *publication) fill(ctx context.Context, db *duck.DB) error {
	for _, s := range p.spec.Schemas {
		if err := p.relate(ctx, db, s); err != nil {
			return fmt.Errorf("relations of %s: %w", s.Name, err)
		}
	}
	if err := p.verify(ctx, db); err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	if !p.spec.NoLake || p.dir.Erasing() { // what is erased may be in Parquet files, too
		if err := p.writeLakes(ctx, db); err != nil {
			return err
		}
	}
	crash.At(crash.LakeWritten)
	for _, s := range p.spec.Schemas {
		b, err := p.makeModels(ctx, db, s)
		if err != nil {
			return fmt.Errorf("models of %s: %w", s.Name, err)
		}
		if b != nil {
			p.models = append(p.models, b)
		}
	}
	return nil
}

// finish writes what the file tells of itself.
func (p *publication) finish(ctx context.Context, db *duck.DB) error {
	for _, b := range p.models {
		if err := b.finish(ctx, db); err != nil {
			return fmt.Errorf("models of %s: %w", b.schema.Name, err)
		}
		p.result.FailedModels = append(p.result.FailedModels, b.failed...)
	}
	if err := p.record(ctx, db); err != nil {
		return fmt.Errorf("record the publish: %w", err)
	}
	return nil
}

// seal makes the copy durable and read-only and gives it its final name. Its checksum comes first: a published file
// without one is not ours.
func (p *publication) seal() (string, error) {
	d := p.dir
	file := filepath.Join(d.Published(), p.name+".duckdb")
	sum := filepath.Join(p.fresh, "sum")
	if err := disk.SyncFile(p.copied()); err != nil {
		return "", err
	}
	if err := layout.WriteSum(sum, p.copied(), filepath.Base(file)); err != nil {
		return "", err
	}
	if err := os.Chmod(p.copied(), 0o444); err != nil {
		return "", err
	}
	if err := disk.SyncFile(p.copied()); err != nil {
		return "", err
	}
	crash.At(crash.PublishSealed)
	if err := disk.Move(layout.SumFile(file), sum); err != nil {
		return "", err
	}
	crash.At(crash.PublishSummed)
	if err := disk.Move(file, p.copied()); err != nil {
		return "", err
	}
	crash.At(crash.PublishMoved)
	p.result.File, p.result.Bytes = file, disk.Size(file)
	return file, nil
}

// swap shows the file to readers. The work database goes: the next start begins with a copy of the published file.
func (p *publication) swap(file string) error {
	d := p.dir
	if err := d.SwapLink(file); err != nil {
		return fmt.Errorf("swap the link: %w", err)
	}
	crash.At(crash.LinkSwapped)
	if err := d.TrashWork(); err != nil {
		return fmt.Errorf("put the work database away: %w", err)
	}
	crash.At(crash.WorkTrashed)
	p.result.Published = true
	if err := os.RemoveAll(p.fresh); err != nil {
		return err
	}
	if err := d.EmptyTrash(); err != nil {
		return err
	}
	if err := p.retain(file); err != nil || !d.Erasing() {
		return err
	}
	crash.At(crash.ErasePublished)
	return d.EndErasing()
}

// retain removes published files beyond those to keep, the oldest first, and never the one that the link leads to. All go
// that may hold what was erased since. A file goes after what belongs to it, so that one that is there tells of all that is left.
func (p *publication) retain(current string) error {
	files, err := p.dir.PublishedFiles()
	if err != nil {
		return err
	}
	keep := p.spec.Keep
	if p.dir.Erasing() {
		keep = 0
	}
	for i, file := range files {
		if file == current || i <= keep {
			continue
		}
		if err := errors.Join(os.RemoveAll(file+".wal"), os.RemoveAll(layout.SumFile(file))); err != nil {
			return err
		}
		crash.At(crash.PublishRetained)
		if err := os.RemoveAll(file); err != nil {
			return err
		}
	}
	return p.forgetOrphans()
}

// forgetOrphans removes checksums and logs without a file: a kill between the two leaves the one, a session that wrote
// into a file after it had gone the other.
func (p *publication) forgetOrphans() error {
	entries, err := os.ReadDir(p.dir.Published())
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
		if disk.Exists(filepath.Join(p.dir.Published(), name)) {
			continue
		}
		if err := os.Remove(filepath.Join(p.dir.Published(), e.Name())); err != nil {
			return err
		}
	}
	return nil
}
