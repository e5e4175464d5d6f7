package workdb

// WithLock calls work with the mutex held, whether the database is open or not.
func (w *Database) WithLock(work func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	work()
}
