package duck

import (
	"errors"
	"regexp"
)

var kindOfError = regexp.MustCompile(`\b([A-Z][A-Za-z ]*Error)\b`)

// WithoutSQL is an error that has the kind of a statement's error and no word of the statement.
func WithoutSQL(err error) error {
	const hidden = "; no word of the file is shown, because others may not read it"
	var refused *Refused
	if errors.As(err, &refused) {
		return &redactedError{"it calls a function or a view that SQL of users may not call" + hidden, err}
	}
	if kind := kindOfError.FindStringSubmatch(err.Error()); kind != nil && !OutOfMemory(err) {
		return &redactedError{"DuckDB: " + kind[1] + hidden, err}
	}
	return err
}
