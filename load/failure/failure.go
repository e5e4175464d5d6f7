// Package failure has the errors of a warehouse that callers tell apart. It links no database.
package failure

import (
	"errors"
	"fmt"
	"strings"

	"aqueduck/load/internal/disk"
)

var (
	// ErrDiskFull is every error about a full disk.
	ErrDiskFull = disk.ErrFull
	// ErrNoRoom is the ErrDiskFull of a step that did not begin, because the disk has too little space for it.
	ErrNoRoom = disk.ErrNoRoom
	// ErrDamaged is the error of a damaged work database: the next Open restores it from the published file.
	ErrDamaged = errors.New("the work database is damaged")
	// ErrFormat is the error of a database that a newer version of the program made.
	ErrFormat = errors.New("a newer version of the program made the database")
	// ErrWorkMemory is the error of a commit or publish that needs more memory than DuckDB may use. What was stored stays.
	ErrWorkMemory = errors.New("it needs more memory than DuckDB may use")
	// ErrNoWholeFile is the error where the work database is lost and every published file has changed.
	ErrNoWholeFile = errors.New("no published file is intact")
	// ErrNarrower is the error of a column whose new type might not fit all stored values.
	ErrNarrower = errors.New("the stored values of a column might not fit its new type")
	// ErrReshaped is the error of a table whose stored rows have another key, or are in another table, than its stream file says now.
	ErrReshaped = errors.New("its stored rows do not fit the stream file")
)

var (
	// ErrNothingPublished is the error of a query before the first publish.
	ErrNothingPublished = errors.New("nothing is published yet: run `aqueduck sync` first")
	// ErrUnreadable is the error where the published file is missing, damaged or not readable for this user.
	ErrUnreadable = errors.New("the published file cannot be read")
	// ErrQueryMemory is the error of a statement that needs more memory than it may use.
	ErrQueryMemory = errors.New("it needs more memory than it may have")
	// ErrQueryFault is the error of a statement that crashed its process.
	ErrQueryFault = errors.New("its SQL crashed DuckDB, which is a fault in DuckDB")
	// ErrQueryRow is the error of a statement with a row that is too large to pass on.
	ErrQueryRow = errors.New("one of its rows is larger than 128 MiB")
)

// AsUnreadable returns the error of a statement over the published file as ErrUnreadable if a block of the file is damaged. Other errors stay.
func AsUnreadable(err error) error {
	if err == nil || errors.Is(err, ErrUnreadable) || !strings.Contains(err.Error(), "IO Error: Corrupt database file") {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnreadable, err)
}

// DiskFailed reports whether the operating system refused to read or write a file. Then neither the program nor the data
// is at fault.
func DiskFailed(err error) bool { return disk.Failed(err) }

// Forbidden reports whether this user may not open or write a file.
func Forbidden(err error) bool { return disk.Forbidden(err) }

// RowLoss is a table that would lose rows for readers. Table is the name that readers use.
type RowLoss struct {
	Schema, Table string
	Before, After int64 // rows
}

// PublishedUnusable begins the note of a run that went on from an older published file, because a newer one is damaged.
const PublishedUnusable = "the published file could not be used"

// PublishBlocked is the error of the publish guard: a publish would take more rows of a table from readers than it may
// (T152). Readers keep the file they have, and the work database stays.
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
