package load

import "context"

// SetFormat sets the format of a database, to that of another version of the program.
func (w *Work) SetFormat(ctx context.Context, format string) error {
	_, err := w.db.DB.Exec(ctx, "UPDATE _sync.meta SET value = $1 WHERE key = 'format'", format)
	return err
}

// Plant runs a statement on the work database without a commit.
func (w *Work) Plant(ctx context.Context, statement string) error {
	_, err := w.db.DB.Exec(ctx, statement)
	return err
}
