package workdb

import (
	"context"
	"time"
)

// Micro truncates a time to the microseconds that the database keeps.
func Micro(t time.Time) time.Time { return t.Truncate(time.Microsecond) }

// Clock is the time of the commits: the machine's time, but never before a stored row, even if that clock was set back.
func (w *Database) Clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Stamp()
}

// Stamp is the _synced_at of the next commit: now, or a microsecond after the last one where the clock has not advanced.
func (w *Database) Stamp() time.Time {
	now := Micro(w.Now().UTC())
	if now.After(w.Last) {
		return now
	}
	return w.Last.Add(time.Microsecond)
}

// SaveStamp stores the largest _synced_at, so that it keeps growing after a restart. While the published file is read in
// place, no row has the stamp, and there is nothing to store.
func (w *Database) SaveStamp(ctx context.Context, stamp time.Time) error {
	if w.InPlace() {
		return nil
	}
	text := stamp.Format(time.RFC3339Nano)
	n, err := w.DB.Exec(ctx, "UPDATE _sync.meta SET value = $1 WHERE key = 'synced_at'", text)
	if err != nil || n == 1 {
		return err
	}
	_, err = w.DB.Exec(ctx, "INSERT INTO _sync.meta VALUES ('synced_at', $1)", text)
	return err
}

// NoteCommit remembers the time of a durable commit.
func (w *Database) NoteCommit(stamp time.Time) { w.Last = stamp }
