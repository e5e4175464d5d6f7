package transform

import "time"

// Options are what a stream's file does not say.
type Options struct {
	APIVersion string   // for _api_version
	Hash, Drop []string // columns, or paths with dots; hash keeps a keyed hash of the value, drop nothing
	HashKey    []byte   // needed by Hash

	LeftOutEmpty bool // a list or an object that a record leaves out is empty; else nothing is said of it
}

// Meta is what a record does not say itself.
type Meta struct {
	ReadAt time.Time // the server's time of the answer
	Over   string    // the id that was asked for
}
