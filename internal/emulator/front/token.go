package front

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"aqueduck/internal/emulator/api/answer"
)

// Token is the access token that may do everything.
func (w *Server) Token() string {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return w.token
}

// FullToken is Token with the lock held.
func (w *Server) FullToken() string { return w.token }

// Rotate makes another token the only good one.
func (w *Server) Rotate(token string) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.token, w.tokens = token, nil
}

// scopesKnown are the scopes that workspace-api 5.3 shows.
var scopesKnown = []string{"read_conversations", "read_dynamic_content", "read_write_dynamic_content", "read_data_connector_versions",
	"read_write_data_connector_versions", "write_users_companies"}

// AddToken makes one more token good, for the routes that need no scope and those that need one of these (workspace-api 5.3), which must
// be scopes that are known. A scope read_write_… lets its bearer read too.
func (w *Server) AddToken(token string, scopes ...string) error {
	for _, scope := range scopes {
		if !slices.Contains(scopesKnown, scope) {
			return fmt.Errorf("there is no scope %q; there are %s", scope, strings.Join(scopesKnown, ", "))
		}
	}
	w.Mu.Lock()
	defer w.Mu.Unlock()
	if w.tokens == nil {
		w.tokens = map[string][]string{}
	}
	w.tokens[token] = slices.Clone(scopes)
	return nil
}

// bearer is whose token came with a request.
type bearer struct {
	all    bool // it has every scope
	scopes []string
}

// May says whether a bearer has the scope that a route needs, or the one to write, which includes it unless strictly taken.
func (b bearer) May(scope string, strictly bool) bool {
	both := strings.Replace(scope, "read_", "read_write_", 1)
	return b.all || scope == "" || slices.Contains(b.scopes, scope) || slices.Contains(b.scopes, both) && !strictly
}

// Bearer is who has a token, and whether anybody has. The lock is held.
func (w *Server) Bearer(token string) (bearer, bool) {
	scopes, known := w.tokens[token]
	return bearer{token == w.token, scopes}, known || token == w.token
}

// admit checks the token (workspace-api 5). One example of the document omits the word Bearer.
func (w *Server) admit(n int, r *http.Request) (bearer, *answer.Answer) {
	sent := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	w.Mu.Lock()
	defer w.Mu.Unlock()
	who, known := w.Bearer(sent)
	switch {
	case w.K().RevokeAt > 0 && n >= w.K().RevokeAt:
		a := answer.Failure(http.StatusUnauthorized, "token_revoked", "Access Token Revoked")
		return bearer{}, &a
	case known:
		return who, nil
	}
	a := answer.Failure(http.StatusUnauthorized, "unauthorized", "Access Token Invalid")
	return bearer{}, &a
}
