package console

import (
	"html/template"
	"io/fs"
	"net/http"
	"sync"
	"time"

	"aqueduck/internal/runlog"
)

// mostLive is how many pages may be told of a run at once: each holds a connection, and reads run.json each second.
const mostLive = 64

// Console is the handler of all pages. It is safe for concurrent use.
type Console struct {
	o       Options
	pages   map[string]*template.Template
	assets  fs.FS
	guard   *accessGuard
	handler http.Handler
	live    chan struct{} // holds one of each connection that events go to, as many as there may be
	ending  chan struct{} // closed when the server shuts down: what is live ends then

	mu    sync.Mutex // guards what follows
	seen  *runlog.Overview
	until time.Time      // that it may be shown
	facts *publishedData // of the published file that was last asked
}
