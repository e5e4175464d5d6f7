package alert

import "time"

// Kind is an event that a webhook can receive.
type Kind string

// Events.
const (
	Failure  Kind = "failure"       // a run failed
	Late     Kind = "late"          // streams exceed their freshness SLA
	Recovery Kind = "recovery"      // a posted problem is over
	Changed  Kind = "schema_change" // the source has new fields, or a table got columns
)

// Kinds are all events, the most important first.
var Kinds = []Kind{Failure, Late, Recovery, Changed}

// Run is what alerts say about a run.
type Run struct {
	Pipeline, ID           string
	Succeeded, Interrupted bool      // succeeded, or was cancelled; with neither it failed
	Part                   bool      // it read a part of the pipeline: it sends no ping and no recovery
	Misses                 bool      // a stream that was read before is unavailable: there is no recovery yet
	WillRetry              bool      // it failed and will be retried: no failure is posted yet
	Class, Error, Next     string    // of the first error
	Line                   string    // its last line
	Changes                []string  // changes of the source
	At                     time.Time // when it ended
}

// Message is the JSON that a webhook receives. Text is the whole message in words, which chat services show.
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
	Emulated bool      `json:"emulated,omitempty"` // at is a time of the emulated workspace
}
