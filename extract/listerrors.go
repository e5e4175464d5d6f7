package extract

import "errors"

// Errors of a list, or of the state that it is read from.
var (
	// ErrCursorLoop says that a list names a next page that was read before.
	ErrCursorLoop = errors.New("the list returns to a page that was already read")
	// errShort says that a list ended with fewer records than its own total_count.
	errShort = errors.New("the list ends before all its records were returned")
	// errSizeIgnored says that pages have numbers, and other sizes than were asked for: a number then means another page.
	errSizeIgnored = errors.New("a page has more records than were asked for: the server ignores the page size")
	// errFuture says that a watermark is later than the server's clock: reading from it would never find a record.
	errFuture = errors.New("a stored watermark is in the future")
)
