package web

import (
	"fmt"
	"net/http"
	"os"

	"aqueduck/load/layout"
)

// RegisterHealth registers the paths that say whether the program is alive and whether a file is published. They reveal nothing else, so they
// need no token.
func RegisterHealth(mux *http.ServeMux, dir layout.Dir) {
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if _, err := os.Stat(dir.Link()); err != nil {
			http.Error(w, "nothing is published yet", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
}
