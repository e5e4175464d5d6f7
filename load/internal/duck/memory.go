package duck

import (
	"maps"
	"strings"
)

// memory holds what was read once from the database, by key.
type memory map[string]remembered

// remembered is a value, and the words by which a statement shows that it may change it.
type remembered struct {
	words []string
	value any  // nil: only a watch for the words
	watch bool // also after a rollback
}

// forgetChanged forgets what a statement may change.
func (m memory) forgetChanged(statement string) {
	for key, known := range m {
		for _, word := range known.words {
			if strings.Contains(statement, word) {
				delete(m, key)
				break
			}
		}
	}
}

// forgetRead forgets what was read, which a rollback may have changed.
func (m memory) forgetRead() {
	maps.DeleteFunc(m, func(_ string, known remembered) bool { return !known.watch })
}

// restoreRead remembers again what was read before a transaction that was rolled back: the file is as it was then.
func (m memory) restoreRead(before memory) {
	for key, known := range before {
		if !known.watch {
			m[key] = known
		}
	}
}
