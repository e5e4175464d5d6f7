package sync

import (
	"context"
	"slices"
	"strings"
	"sync"
	"unicode"

	"aqueduck/internal/dictionary"
	"aqueduck/internal/personal"
	"aqueduck/internal/sync/stream"
	"aqueduck/load"
)

// mostLookups is how many different messages of a workspace are compared with the stored names in a run: each costs a pass over the columns.
const mostLookups = 200

// nameFilter takes the names of persons that the warehouse stores out of the messages of a workspace's API.
type nameFilter struct {
	run       *stream.Run
	workspace string

	mu     sync.Mutex          // guards what follows
	found  map[string][]string // the stored values in a message, by the message
	kinds  map[string][]string // those in all messages that differ in numbers and ids alone, by their other words
	warned bool                // that a message could not be compared
}

// hideNames returns the message without stored names. One that cannot be compared with them is taken out whole. Before the work database is open there is
// nothing to compare: these messages are about the token and the workspace.
func (f *nameFilter) hideNames(message string) string {
	if f.run.Writer == nil || message == "" {
		return message
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	find, kind := f.lookUp, withoutNumbers(message)
	if values, known := f.found[message]; known {
		find = func([]string) ([]string, error) { return values, nil }
	} else if len(f.found) >= mostLookups {
		values, known := f.kinds[kind]
		if !known {
			return personal.Removed
		}
		message, find = kind, func([]string) ([]string, error) { return values, nil }
	}
	hidden, err := personal.HideKnown(message, func(phrases []string) ([]string, error) {
		values, err := find(phrases)
		if err == nil && len(f.found) < mostLookups {
			f.note(message, kind, values)
		}
		return values, err
	})
	if err != nil {
		if !f.warned {
			cause, _, _ := strings.Cut(err.Error(), "\n") // DuckDB's next lines quote the statement, which has words of the message
			f.run.Runner.Log.Warn("a message of the API is not shown, because it could not be compared with stored names", "workspace", f.workspace, "error", cause)
		}
		f.warned = true
		return personal.Removed
	}
	return hidden
}

// note keeps what was found in a message.
func (f *nameFilter) note(message, kind string, values []string) {
	if f.found == nil {
		f.found, f.kinds = map[string][]string{}, map[string][]string{}
	}
	f.found[message] = values
	f.kinds[kind] = append(f.kinds[kind], values...)
}

// lookUp returns the stored values among phrases.
func (f *nameFilter) lookUp(phrases []string) (values []string, err error) {
	columns := dictionary.NameColumns(dictionary.Tables(f.run.Runner.StoredStreams(f.workspace)))
	err = f.run.Writer.Use(func(work *load.Work) error {
		values, err = work.Facts.ValuesAmong(context.Background(), f.workspace, columns, phrases) // as short as a commit, and not cut off by a signal: its answer decides what is shown
		return err
	})
	return values, err
}

// withoutNumbers leaves the words of a message that have a digit out: the messages about many records differ in their ids alone.
func withoutNumbers(message string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(message), func(word string) bool { return strings.ContainsFunc(word, unicode.IsDigit) }), " ")
}
