package console

import (
	"net/http"
	"net/url"
	"strings"
)

// registerActions registers the buttons of the pages, and the same actions of the API.
func (c *Console) registerActions(mux *http.ServeMux) {
	for action, do := range map[string]func(r *http.Request) error{
		"run":    func(r *http.Request) error { return c.o.Run(r.PathValue("name"), false) },
		"retry":  func(r *http.Request) error { return c.o.Run(r.PathValue("name"), true) },
		"cancel": func(r *http.Request) error { return c.o.Cancel(r.PathValue("name")) },
	} {
		mux.HandleFunc("POST /p/{name}/"+action, c.serveAction(action, do))
		mux.HandleFunc("POST /api/v1/pipelines/{name}/"+action, c.serveAction(action, do))
	}
	reload := func(*http.Request) error { return c.o.Reload() }
	mux.HandleFunc("POST /reload", c.serveAction("reload", reload))
	mux.HandleFunc("POST /api/v1/reload", c.serveAction("reload", reload))
}

// serveAction does an action and redirects to the page with its button.
func (c *Console) serveAction(action string, do func(r *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil {
			c.renderError(w, r, errForm)
			return
		}
		if c.o.ReadOnly {
			c.renderError(w, r, errReadOnly)
			return
		}
		err := do(r)
		c.clearOverview()
		switch {
		case err != nil:
			c.renderError(w, r, err)
		case strings.HasPrefix(r.URL.Path, "/api/"):
			writeJSON(w, http.StatusAccepted, map[string]string{"done": actionMessages[action]})
		default:
			back := url.URL{Path: safeRedirectPath(r.PostForm.Get("back")), RawQuery: "said=" + action}
			http.Redirect(w, r, back.String(), http.StatusSeeOther)
		}
	}
}
