package load

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"aqueduck/load/internal/duck"
)

// TableState is a stored table at one moment.
type TableState struct {
	Schema, Name string
	Rows         int64 // counted
	Recorded     int64 // what the commits added up
	ChangedAt    time.Time
	VerifiedAt   time.Time
}

// Snapshot is what a copy of the database must agree with.
type Snapshot struct {
	Tables      []TableState
	Checkpoints string // a checksum over all of them
}

// Snapshot counts what the work database holds.
func (w *Work) Snapshot(ctx context.Context) (Snapshot, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.db == nil {
		return Snapshot{}, errClosed
	}
	s, err := ReadSnapshot(ctx, w.db)
	return s, w.judge(err)
}

// ReadSnapshot counts what a database holds.
func ReadSnapshot(ctx context.Context, db *duck.DB) (Snapshot, error) {
	var s Snapshot
	query := "SELECT schema, table_name, rows, changed_at, verified_at FROM _sync.tables ORDER BY ALL"
	err := db.Each(ctx, query, nil, func(rows *sql.Rows) error {
		var t TableState
		var changed, verified sql.NullTime
		if err := rows.Scan(&t.Schema, &t.Name, &t.Recorded, &changed, &verified); err != nil {
			return err
		}
		if changed.Valid {
			t.ChangedAt = changed.Time.UTC()
		}
		if verified.Valid {
			t.VerifiedAt = verified.Time.UTC()
		}
		s.Tables = append(s.Tables, t)
		return nil
	})
	if err != nil {
		return s, fmt.Errorf("list the tables: %w", err)
	}
	for i := range s.Tables {
		t := &s.Tables[i]
		if err := db.Scan(ctx, "SELECT count(*) FROM "+duck.Table(t.Schema, t.Name), nil, &t.Rows); err != nil {
			return s, fmt.Errorf("count %s.%s: %w", t.Schema, t.Name, err)
		}
	}
	err = db.Scan(ctx, `SELECT coalesce(md5(string_agg(c::VARCHAR, chr(10) ORDER BY c.schema, c.stream)), '')
		FROM _sync.checkpoints c`, nil, &s.Checkpoints)
	if err != nil {
		return s, fmt.Errorf("read the checkpoints: %w", err)
	}
	return s, nil
}
