package workdb

// Alone works alone with what is known of the database, open or not.
func (w *Database) Alone(work func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	work()
}
