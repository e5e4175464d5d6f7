package publish

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"aqueduck/internal/crash"
	"aqueduck/load/internal/catalog"
	"aqueduck/load/internal/disk"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/system"
	"aqueduck/load/internal/wear"
)

// openCopy opens the private copy, which is written again first where that is asked for or the file is worn. Opening
// replays the log, so it happens once.
func (p *publishRun) openCopy(ctx context.Context) (*duck.DB, error) {
	db, err := duck.Open(ctx, p.copyOptions(p.copyPath()))
	if err != nil {
		return nil, fmt.Errorf("open the copy: %w", err)
	}
	rebuild := p.spec.Rebuild
	if !rebuild {
		rebuild, err = p.isWorthRewriting(ctx, db)
	}
	if err != nil || !rebuild {
		if err != nil {
			err = errors.Join(fmt.Errorf("check the free space in the file: %w", err), db.Close())
		}
		return db, err
	}
	if err := errors.Join(db.Checkpoint(ctx), db.Close()); err != nil {
		return nil, fmt.Errorf("checkpoint the copy: %w", err)
	}
	if err := p.rewriteCopy(ctx); err != nil {
		return nil, fmt.Errorf("rewrite the file: %w", err)
	}
	return duck.Open(ctx, p.copyOptions(p.copyPath()))
}

// isWorthRewriting reports whether the file is worn, or of an older format and has room to be written again.
func (p *publishRun) isWorthRewriting(ctx context.Context, db *duck.DB) (bool, error) {
	if worn, err := wear.IsWorn(ctx, db); worn || err != nil {
		return worn, err
	}
	old, err := system.HasOldStorage(ctx, db)
	return old && disk.Room(string(p.dir), 2*disk.Size(p.copyPath()), "") == nil, err
}

// rewriteCopy writes the copy, which has no log, again, table by table. Only a new file has none of the bytes of deleted
// rows.
func (p *publishRun) rewriteCopy(ctx context.Context) error {
	if err := disk.Room(string(p.dir), 2*disk.Size(p.copyPath()), "rewriting the file"); err != nil {
		return err
	}
	p.result.Rebuilt = true
	packed := filepath.Join(p.fresh, "packed.duckdb")
	if err := p.rebuildTables(ctx, packed); err != nil {
		return err
	}
	crash.At(crash.RebuildPacked)
	if err := os.Remove(p.copyPath()); err != nil {
		return err
	}
	crash.At(crash.RebuildCleared)
	return disk.Move(p.copyPath(), packed)
}

// rebuildTables copies all tables into a new file. The views and comments of the published schemas are made later.
func (p *publishRun) rebuildTables(ctx context.Context, packed string) error {
	db, err := duck.Open(ctx, p.copyOptions(packed))
	if err != nil {
		return err
	}
	err = p.copyTables(ctx, db)
	if err == nil {
		err = db.Checkpoint(ctx)
	}
	return errors.Join(err, db.Close())
}

func (p *publishRun) copyTables(ctx context.Context, db *duck.DB) error {
	if _, err := db.Exec(ctx, "ATTACH "+duck.Text(p.copyPath())+" AS old (READ_ONLY)"); err != nil {
		return err
	}
	relations := map[[2]string]bool{}
	for _, s := range p.spec.Schemas {
		for _, r := range s.Relations {
			relations[[2]string{s.Name, r.Name}] = true
		}
		for _, r := range s.Models.Relations {
			relations[[2]string{s.Models.Schema, r.Name}] = true
		}
	}
	var tables [][2]string
	err := db.Each(ctx, "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'old' ORDER BY ALL", nil, func(rows *sql.Rows) error {
		var t [2]string
		if err := rows.Scan(&t[0], &t[1]); err != nil {
			return err
		}
		if !relations[t] {
			tables = append(tables, t)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, t := range tables {
		name := duck.Table(t[0], t[1])
		statement := "CREATE TABLE " + name + " AS FROM old." + name
		if i == 0 || tables[i-1][0] != t[0] {
			statement = "CREATE SCHEMA IF NOT EXISTS " + duck.Name(t[0]) + "; " + statement
		}
		if _, err := db.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s.%s: %w", t[0], t[1], err)
		}
	}
	// The rest is of workspaces that only other pipelines read, or none any more.
	made := []string{"_sync"}
	for _, s := range p.spec.Schemas {
		made = append(made, s.Name, s.Models.Schema, s.Compat.Schema)
	}
	if err := catalog.CopyOtherSchemas(ctx, db, made); err != nil {
		return err
	}
	if _, err := db.Exec(ctx, "DETACH old"); err != nil {
		return err
	}
	if err := system.NoteStorage(ctx, db); err != nil {
		return err
	}
	return system.Comment(ctx, db)
}
