package transform

import "time"

// Options are the settings of a Decoder besides the stream file.
type Options struct {
	APIVersion string   // for _api_version
	Hash, Drop []string // columns, or paths with dots: Hash stores a keyed hash of the value, Drop stores nothing
	HashKey    []byte   // required by Hash

	OmittedIsEmpty bool // a list or an object that a record omits counts as empty; else its stored values stay
}

// Meta is what is known of a record besides its text.
type Meta struct {
	ReadAt time.Time // the server's time of the answer
	Over   string    // the id that was asked for
}
