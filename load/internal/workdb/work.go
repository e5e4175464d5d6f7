package workdb

// WithLock works alone with what is known of the database, open or not.
func (w *Database) WithLock(work func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	work()
}
