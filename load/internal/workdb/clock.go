package workdb

import (
	"context"
	"time"
)

// Micro cuts a time to what the database keeps.
func Micro(t time.Time) time.Time { return t.Truncate(time.Microsecond) }

// Clock is the time of the commits: the machine's, but never before a row that is stored, whatever became of that clock since.
func (w *Database) Clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Stamp()
}

// Stamp is the _synced_at of the next commit: now, or a microsecond after the last when the clock does not move on.
func (w *Database) Stamp() time.Time {
	now := Micro(w.Now().UTC())
	if now.After(w.Last) {
		return now
	}
	return w.Last.Add(time.Microsecond)
}

// SaveStamp keeps the largest _synced_at in the database, so that a restart does not fall behind it.
func (w *Database) SaveStamp(ctx context.Context, stamp time.Time) error {
	text := stamp.Format(time.RFC3339Nano)
	n, err := w.DB.Exec(ctx, "UPDATE _sync.meta SET value = $1 WHERE key = 'synced_at'", text)
	if err != nil || n == 1 {
		return err
	}
	_, err = w.DB.Exec(ctx, "INSERT INTO _sync.meta VALUES ('synced_at', $1)", text)
	return err
}

// NoteCommit notes the time of a commit that has landed.
func (w *Database) NoteCommit(stamp time.Time) { w.Last = stamp }
