// Package failure names what can go wrong with a warehouse, for whoever decides by it. It needs no database.
package failure

import (
	"errors"
	"fmt"

	"aqueduck/load/internal/disk"
)

var (
	// ErrDiskFull is what every error about a full disk is.
	ErrDiskFull = disk.ErrFull
	// ErrDamaged is the answer of a work database that has shown damage: the next Open makes it from the published file.
	ErrDamaged = errors.New("the work database is damaged")
	// ErrFormat is the answer to a database that a newer version of the program made.
	ErrFormat = errors.New("a newer version of the program made the database")
	// ErrWorkMemory is the end of a commit or a publish that needs more memory than DuckDB may use; what was stored is as it was.
	ErrWorkMemory = errors.New("it needs more memory than DuckDB may use")
	// ErrNoWholeFile is the answer when the work database is gone and no published file is as it was published.
	ErrNoWholeFile = errors.New("no published file is intact")
	// ErrNarrower is the answer to a column declared with a type that not all stored values may fit.
	ErrNarrower = errors.New("the stored values of a column might not fit its new type")
)

var (
	// ErrNothingPublished is the answer to a query before the first publish.
	ErrNothingPublished = errors.New("nothing is published yet: run `aqueduck sync` first")
	// ErrUnreadable is the answer when the published file is gone, damaged or not ours to read.
	ErrUnreadable = errors.New("the published file cannot be read")
	// ErrQueryMemory is the answer to a statement that needs more memory than it may have.
	ErrQueryMemory = errors.New("it needs more memory than it may have")
	// ErrQueryFault is the answer to a statement that brought its process down.
	ErrQueryFault = errors.New("it crashed its process, which is a fault in DuckDB")
	// ErrQueryRow is the answer to a statement one of whose rows is too large to pass on.
	ErrQueryRow = errors.New("one of its rows is larger than 128 MiB")
)

// DiskFailed says that an error is the operating system's word on a file: no fault of the program, nor of the data.
func DiskFailed(err error) bool { return disk.Failed(err) }

// Forbidden says that an error is that of a file which this user may not open, or not write.
func Forbidden(err error) bool { return disk.Forbidden(err) }

// RowLoss is how many rows of a table readers would no longer find. Table is what they call it.
type RowLoss struct {
	Schema, Table string
	Before, After int64 // rows
}

// PublishBlocked is the answer where a publish would take more of a table from its readers than it may (T152). They keep the
// file they have, and the work database stays as it is.
type PublishBlocked struct{ Losses []RowLoss }

// Error names the first table, with its rows before and after.
func (h *PublishBlocked) Error() string {
	first := h.Losses[0]
	text := fmt.Sprintf("publish guard: %s.%s would go from %d rows to %d", first.Schema, first.Table, first.Before, first.After)
	if n := len(h.Losses) - 1; n > 0 {
		text += fmt.Sprintf(", and %d more tables would lose as much", n)
	}
	return text
}
