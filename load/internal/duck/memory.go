package duck

import "strings"

// memory holds what was read once from the database, by key.
type memory map[string]remembered

// remembered is a value, and the words by which a statement shows that it may change it.
type remembered struct {
	words []string
	value any
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
