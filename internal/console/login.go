package console

import (
	"net/http"
	"strings"
)

// loginView is the login page.
type loginView struct {
	pageView
	Next, Error string
}

func (c *Console) loginPage(w http.ResponseWriter, r *http.Request) {
	c.renderPage(w, r, http.StatusOK, "login", &loginView{pageView: pageView{Title: "Log in"}, Next: safeRedirectPath(r.URL.Query().Get("next"))})
}

// serveLogin starts a session for a browser that sends the token.
func (c *Console) serveLogin(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		c.renderError(w, r, errForm)
		return
	}
	next := safeRedirectPath(r.PostForm.Get("next"))
	switch c.guard.checkToken(strings.TrimSpace(r.PostForm.Get("token")), c.guard.logins) {
	case tooMany:
		askToWait(w)
		return
	case refused:
		c.renderPage(w, r, http.StatusUnauthorized, "login", &loginView{pageView: pageView{Title: "Log in"}, Next: next, Error: "The token is wrong."})
		return
	}
	c.guard.beginSession(w, r)
	http.Redirect(w, r, next, http.StatusSeeOther)
}

func (c *Console) serveLogout(w http.ResponseWriter, r *http.Request) {
	c.guard.endSession(w, r)
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}

// safeRedirectPath returns a path of this console; never an address of another site.
func safeRedirectPath(next string) string {
	if !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") || strings.HasPrefix(next, "/login") {
		return "/"
	}
	return next
}
