package alert

import "time"

// Kind is what a webhook may be told.
type Kind string

// What a webhook is told of.
const (
	Failure  Kind = "failure"       // a run did not end with 0
	Late     Kind = "late"          // what a pipeline reads is older than it may be
	Recovery Kind = "recovery"      // what was told of before is over
	Changed  Kind = "schema_change" // the source has fields that were not known, or a table got columns
)

// Kinds are all that there are, in the order of their importance.
var Kinds = []Kind{Failure, Late, Recovery, Changed}

// Run is a run as it is told of.
type Run struct {
	Pipeline, ID           string
	Succeeded, Interrupted bool      // it ended well, or somebody stopped it; with neither it failed
	WillRetry              bool      // it went wrong, and is tried again before anybody has to know
	Class, Error, Next     string    // of what went wrong first
	Line                   string    // its last line
	Changes                []string  // what was new in the source
	At                     time.Time // when it ended
}

// Message is what a webhook gets, as JSON. Text says it all in words, as chat services show it.
type Message struct {
	Event    Kind      `json:"event"`
	Text     string    `json:"text"`
	Pipeline string    `json:"pipeline"`
	Run      string    `json:"run,omitempty"`
	Class    string    `json:"class,omitempty"`
	Error    string    `json:"error,omitempty"`
	Next     string    `json:"next,omitempty"`
	Line     string    `json:"line,omitempty"`
	Streams  []string  `json:"streams,omitempty"`
	Changes  []string  `json:"changes,omitempty"`
	At       time.Time `json:"at"`
}
