package front

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"aqueduck/internal/emulator/api/answer"
)

// AccessToken returns the token that has every scope.
func (w *Server) AccessToken() string {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return w.token
}

// AccessTokenHeld is AccessToken for callers that hold the lock.
func (w *Server) AccessTokenHeld() string { return w.token }

// RotateToken replaces the main token; the old one is refused from now on.
func (w *Server) RotateToken(token string) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.token, w.tokens = token, nil
}

// scopesKnown are the scopes of workspace-api 5.3.
var scopesKnown = []string{"read_conversations", "read_dynamic_content", "read_write_dynamic_content", "read_data_connector_versions",
	"read_write_data_connector_versions", "write_users_companies"}

// AddToken accepts one more token with the given scopes, all of which must be known (workspace-api 5.3). It serves the routes that need no
// scope or one of these. A scope read_write_… includes reading.
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

// tokenBearer is the access of a token's bearer.
type tokenBearer struct {
	all    bool // every scope
	scopes []string
}

// HasScope reports whether a bearer has the scope that a route needs. The scope to write includes the one to read, unless strictly.
func (b tokenBearer) HasScope(scope string, strictly bool) bool {
	both := strings.Replace(scope, "read_", "read_write_", 1)
	return b.all || scope == "" || slices.Contains(b.scopes, scope) || slices.Contains(b.scopes, both) && !strictly
}

// FindBearer returns the bearer of a token, and whether the token is known. The caller holds the lock.
func (w *Server) FindBearer(token string) (tokenBearer, bool) {
	scopes, known := w.tokens[token]
	return tokenBearer{token == w.token, scopes}, known || token == w.token
}

// checkToken checks the token (workspace-api 5). One example of the document omits the word Bearer, so a bare token is accepted. The word is
// accepted in any case, as in HTTP.
func (w *Server) checkToken(n int, r *http.Request) (tokenBearer, *answer.Answer) {
	sent := r.Header.Get("Authorization")
	if scheme, token, two := strings.Cut(sent, " "); two && strings.EqualFold(scheme, "Bearer") {
		sent = strings.TrimLeft(token, " ")
	}
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
