package console

import (
	"net/http"
	"strings"
)

// loginView is what the login page shows.
type loginView struct {
	view
	Next, Error string
}

func (c *Console) loginPage(w http.ResponseWriter, r *http.Request) {
	c.show(w, r, http.StatusOK, "login", &loginView{view: view{Title: "Log in"}, Next: within(r.URL.Query().Get("next"))})
}

// login makes a session of the token.
func (c *Console) login(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		c.wrong(w, r, errForm)
		return
	}
	next := within(r.PostForm.Get("next"))
	switch c.guard.admits(strings.TrimSpace(r.PostForm.Get("token"))) {
	case tooMany:
		askToWait(w)
		return
	case refused:
		c.show(w, r, http.StatusUnauthorized, "login", &loginView{view: view{Title: "Log in"}, Next: next, Error: "That is not this console's token."})
		return
	}
	c.guard.begin(w, r)
	http.Redirect(w, r, next, http.StatusSeeOther)
}

func (c *Console) logout(w http.ResponseWriter, r *http.Request) {
	c.guard.end(w, r)
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}

// within is a place of this console, and no other site's, whatever was asked for.
func within(next string) string {
	if !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") || strings.HasPrefix(next, "/login") {
		return "/"
	}
	return next
}
