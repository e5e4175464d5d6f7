package load

import "context"

// SetFormat makes a database one of another version of the program.
func (w *Work) SetFormat(ctx context.Context, format string) error {
	_, err := w.db.DB.Exec(ctx, "UPDATE _sync.meta SET value = $1 WHERE key = 'format'", format)
	return err
}

// Plant changes what is stored behind the back of every commit.
func (w *Work) Plant(ctx context.Context, statement string) error {
	_, err := w.db.DB.Exec(ctx, statement)
	return err
}
