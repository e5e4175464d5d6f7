package export

import (
	"errors"
	"fmt"
)

// Cell is one field of a row: its bytes as they were sent. A field of nothing is null, one of two quotes is an empty text.
type Cell struct {
	Text []byte
	Null bool
}

// ErrFormat says that a file is not what it should be: cut off, damaged, of another form. Nothing of it counts.
var ErrFormat = errors.New("the export file is incomplete or not valid")

func formatErrorf(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrFormat, fmt.Sprintf(format, args...))
}

// tableReader reads the rows of one file. The cells are good until the next row.
type tableReader interface {
	nextRow() ([]Cell, error) // io.EOF after the last row
	headerNames() []string    // complete once all rows are read
	isComplete() bool         // the last row had its end
}
