package duck

import "slices"

// Remember gives what read gives, and reads only once: again after Exec has run a statement with one of the words, such as
// the name of a table, and after a rollback. The caller must not change the value. This connection is the only one that
// writes the file, so nothing else can make the value wrong.
func Remember[T any](d *DB, key string, words []string, read func() (T, error)) (T, error) {
	if known, ok := d.known[key]; ok {
		return known.value.(T), nil
	}
	value, err := read()
	if err == nil {
		d.known[key] = remembered{words: words, value: value}
	}
	return value, err
}

// AdoptDefinitions remembers what another connection has read about the tables of a file, for a copy of that file.
func (d *DB) AdoptDefinitions(of *DB) {
	for key, known := range of.known {
		if slices.Equal(known.words, Definitions) {
			d.known[key] = known
		}
	}
}

// Watch begins to watch for statements with one of the words; see Unnamed.
func (d *DB) Watch(key string, words []string) {
	d.known[key] = remembered{words: words, watch: true}
}

// Unnamed reports whether Exec has run no statement with one of the words since Watch, not even one that was rolled back.
func (d *DB) Unnamed(key string) bool { return d.known[key].watch }

// SystemTable gives the words by which statements name a table of _sync.
func SystemTable(name string) []string { return []string{"_sync." + name, Name(name)} }
