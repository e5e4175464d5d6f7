package export

import (
	"errors"
	"fmt"
)

// Cell is one field of a row, as sent. An empty field is null; an empty quoted field is an empty text.
type Cell struct {
	Text []byte
	Null bool
}

// ErrFormat says that a file is truncated, damaged, or of an unknown form. None of its rows is used.
var ErrFormat = errors.New("the export file is incomplete or not valid")

func formatErrorf(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrFormat, fmt.Sprintf(format, args...))
}

// tableReader reads the rows of one file. Cells are valid until the next row.
type tableReader interface {
	nextRow() ([]Cell, error) // io.EOF after the last row
	headerNames() []string    // complete after the last row
	isComplete() bool         // the end of the last row was seen
}
