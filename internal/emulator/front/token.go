package front

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"aqueduck/internal/emulator/api/answer"
)

// AccessToken is the access token that may do everything.
func (w *Server) AccessToken() string {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return w.token
}

// AccessTokenHeld is Token with the lock held.
func (w *Server) AccessTokenHeld() string { return w.token }

// RotateToken makes another token the only good one.
func (w *Server) RotateToken(token string) {
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

// tokenBearer is whose token came with a request.
type tokenBearer struct {
	all    bool // it has every scope
	scopes []string
}

// HasScope says whether a bearer has the scope that a route needs, or the one to write, which includes it unless strictly taken.
func (b tokenBearer) HasScope(scope string, strictly bool) bool {
	both := strings.Replace(scope, "read_", "read_write_", 1)
	return b.all || scope == "" || slices.Contains(b.scopes, scope) || slices.Contains(b.scopes, both) && !strictly
}

// FindBearer is who has a token, and whether anybody has. The lock is held.
func (w *Server) FindBearer(token string) (tokenBearer, bool) {
	scopes, known := w.tokens[token]
	return tokenBearer{token == w.token, scopes}, known || token == w.token
}

// checkToken checks the token (workspace-api 5). One example of the document omits the word Bearer.
func (w *Server) checkToken(n int, r *http.Request) (tokenBearer, *answer.Answer) {
	sent := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	w.Mu.Lock()
	defer w.Mu.Unlock()
	who, known := w.FindBearer(sent)
	switch {
	case w.K().RevokeAt > 0 && n >= w.K().RevokeAt:
		a := answer.Failure(http.StatusUnauthorized, "token_revoked", "Access Token Revoked")
		return tokenBearer{}, &a
	case known:
		return who, nil
	}
	a := answer.Failure(http.StatusUnauthorized, "unauthorized", "Access Token Invalid")
	return tokenBearer{}, &a
}
