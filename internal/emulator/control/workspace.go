package control

import (
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"time"

	"aqueduck/internal/emulator/webhook"
)

// Target is the workspace behind the controls. It is safe for concurrent use.
type Target interface {
	CurrentState() WorkspaceState
	Requests() []Request // the log, oldest first
	PageData() Shown

	// Truth returns the rows of a stream now, nil for an unknown stream; TruthAt returns those of a time, or ErrNoStream.
	Truth(stream string) iter.Seq[map[string]any]
	TruthAt(stream string, t time.Time) (iter.Seq[map[string]any], error)

	// RunOperation carries out an operation with parameters as a JSON object, and returns its answer as JSON. It fails with ErrNoOperation or
	// ErrForgotten.
	RunOperation(name string, with json.RawMessage) (answer []byte, err error)
}

// Errors of a workspace that cannot carry out a request.
var (
	ErrNoStream    = errors.New("no such stream")
	ErrNoOperation = errors.New("no such operation")
	ErrForgotten   = errors.New("a restart will not know of it")
)

// Request is one entry of the log of requests.
type Request struct {
	N       int       `json:"n"`
	Method  string    `json:"method"`
	Path    string    `json:"path"`
	Route   string    `json:"route,omitempty"` // name of the route that answered; "": none was looked up, or there is none
	Query   string    `json:"query"`
	Status  int       `json:"status"` // 0: the connection was cut before an answer
	Auth    bool      `json:"auth"`   // carried an Authorization header
	Version string    `json:"version"`
	At      time.Time `json:"at"` // by the workspace's clock

	Header http.Header `json:"header,omitempty"` // of requests that followed a redirect to ElsewherePath
	Fault  string      `json:"fault,omitempty"`
	Why    string      `json:"why,omitempty"` // message of a refusal
}

// WorkspaceState is the clock of a workspace and the counts of its records.
type WorkspaceState struct {
	Clock      time.Time `json:"clock"`      // the time of the workspace
	Hours      int       `json:"hours"`      // simulated since hour 0
	Active     int       `json:"active"`     // contacts that are active
	Searchable int       `json:"searchable"` // contacts that search finds
	Inactive   int       `json:"inactive"`   // in the list of inactive contacts
	Activities int       `json:"activities"` // entries of the activity feed

	Conversations int `json:"conversations"` // that are not deleted
	Tickets       int `json:"tickets"`       // that are not deleted
	Waiting       int `json:"waiting"`       // changes that search does not know yet
	Requests      int `json:"requests"`      // that were answered so far
}

// Shown is what the page has besides the state and the requests.
type Shown struct {
	Workspace, Zone, Version, Token, Chaos string

	Seed       uint64 // seed of the workspace
	NoLog      bool   // requests are not kept
	Kinds      []KindCount
	Hooks      int                // number of webhook addresses
	Deliveries []webhook.Delivery // oldest first
}

// KindCount counts the records of one kind. Link is where they can be read without a token, "" for nowhere.
type KindCount struct {
	Name  string
	Count int
	Link  string
}
