package system

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"time"

	"aqueduck/load/failure"
	"aqueduck/load/internal/duck"
)

// Format grows with each addition to schema _sync. An older program then refuses the file, and this one adds what an older file
// lacks. A file of each format is in testdata.
//
//	1: the first
//	2: schema_changes has fields without a column; attributes; erasures
//	3: moves
//	4: incomplete, misfits, new_rejected of runs and of their streams
//	5: tables that only published relations read are in the raw schema
//	6: publishes say what made a file and which one it replaces
const Format = 6

// ReadLast checks that a database is a warehouse and gives its largest _synced_at.
func ReadLast(ctx context.Context, db *duck.DB) (time.Time, error) {
	if _, err := ReadFormat(ctx, db); err != nil {
		return time.Time{}, err
	}
	var last sql.NullString
	if err := db.Scan(ctx, "SELECT max(value) FROM _sync.meta WHERE key = 'synced_at'", nil, &last); err != nil || !last.Valid {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339Nano, last.String)
}

// ReadFormat gives the format of a database. A newer format than this program's is failure.ErrFormat.
func ReadFormat(ctx context.Context, db *duck.DB) (int, error) {
	var found sql.NullString
	if err := db.Scan(ctx, "SELECT max(value) FROM _sync.meta WHERE key = 'format'", nil, &found); err != nil {
		return 0, fmt.Errorf("read the format of the database: %w", err)
	}
	format, err := strconv.Atoi(found.String)
	switch {
	case err != nil || format < 1:
		return 0, fmt.Errorf("the database has no valid format: %q", found.String)
	case format > Format:
		return 0, fmt.Errorf("%w: it has format %d, this version supports %d", failure.ErrFormat, format, Format)
	}
	return format, nil
}

// RequireCurrent refuses a database of an older format.
func RequireCurrent(ctx context.Context, db *duck.DB) error {
	format, err := ReadFormat(ctx, db)
	if err == nil && format != Format {
		err = fmt.Errorf("the database has format %d, not %d", format, Format)
	}
	return err
}

// storageKey is the key in _sync.meta of the file format that all of a file is written in; files of earlier builds have none.
const storageKey = "storage"

// HasOldStorage reports whether some of a file may be written in an older format than duck.Storage.
func HasOldStorage(ctx context.Context, db *duck.DB) (bool, error) {
	var written sql.NullString
	err := db.Scan(ctx, "SELECT max(value) FROM _sync.meta WHERE key = $1", []any{storageKey}, &written)
	return written.String != duck.Storage, err
}

// NoteStorage records that all of a file is written in duck.Storage.
func NoteStorage(ctx context.Context, db *duck.DB) error {
	if _, err := db.Exec(ctx, "DELETE FROM _sync.meta WHERE key = $1", storageKey); err != nil {
		return err
	}
	_, err := db.Exec(ctx, "INSERT INTO _sync.meta VALUES ($1, $2)", storageKey, duck.Storage)
	return err
}
