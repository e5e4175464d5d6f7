package extract

import "errors"

// What is wrong with a list, or with the state that it is read from.
var (
	// ErrCursorLoop says that a list pointed back to a page it had been at.
	ErrCursorLoop = errors.New("the list returns to a page that was already read")
	// errShort says that a list ended before it had given as many records as it states.
	errShort = errors.New("the list ends before all its records were returned")
	// errFuture says that a mark lies after the server's clock: reading from it would find nothing, for ever.
	errFuture = errors.New("a stored watermark is in the future")
)
