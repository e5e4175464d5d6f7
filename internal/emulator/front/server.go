package front

import (
	"net/http"

	"aqueduck/internal/emulator/api"
	"aqueduck/internal/emulator/api/fault"
	"aqueduck/internal/emulator/control"
	"aqueduck/internal/emulator/state"
)

// rateCounter counts requests in windows of ten seconds. The rate limit of a minute is spread over them (api-notes, Limits).
type rateCounter struct {
	window int64
	used   int
}

// Server answers requests to the API: it checks access and rate limit, finds the route, and applies faults.
type Server struct {
	*api.Handlers
	chaos    fault.Chaos
	token    string              // has every scope
	tokens   map[string][]string // other tokens, with their scopes
	cache    answerCache
	requests []control.Request
	count    int
	inject   func(n int, r *http.Request) *fault.Fault
	between  func(n int)
	rate     rateCounter
}

// New returns a server of a workspace. The bearer of token has every scope.
func New(w *state.World, token string, o api.Options) *Server {
	return &Server{Handlers: &api.Handlers{World: w, Options: o}, token: token}
}
