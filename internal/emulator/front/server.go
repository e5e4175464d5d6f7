package front

import (
	"net/http"

	"aqueduck/internal/emulator/api"
	"aqueduck/internal/emulator/api/fault"
	"aqueduck/internal/emulator/control"
	"aqueduck/internal/emulator/state"
)

// rateCounter counts requests in windows of ten seconds, over which the quota of a minute is spread (api-notes, Limits).
type rateCounter struct {
	window int64
	used   int
}

// Server answers requests to the API: it finds the route, says who may ask how often, and has faults happen on the way.
type Server struct {
	*api.Handlers
	chaos    fault.Chaos
	token    string              // has every scope
	tokens   map[string][]string // further ones, with their scopes
	cache    answerCache
	requests []control.Request
	count    int
	inject   func(n int, r *http.Request) *fault.Fault
	between  func(n int)
	rate     rateCounter
}

// New makes a server of a workspace. Whoever has the token may do everything.
func New(w *state.World, token string, o api.Options) *Server {
	return &Server{Handlers: &api.Handlers{World: w, Options: o}, token: token}
}
