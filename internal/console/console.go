package console

import (
	"io/fs"
	"net/http"
	"sync"
	"time"

	"aqueduck/internal/runlog"
)

// mostLive is the highest number of live pages: each needs a connection, and reads run.json every second.
const mostLive = 64

// Console is the handler of all pages. It is safe for concurrent use.
type Console struct {
	o       Options
	zones   *zoneSwitch
	assets  fs.FS
	guard   *accessGuard
	handler http.Handler
	live    chan struct{} // has one value for each live page, at most mostLive
	ending  chan struct{} // closed when the server shuts down: live pages end then

	mu          sync.Mutex // guards what follows
	seen        *runlog.Overview
	until       time.Time      // time until which seen is shown
	facts       *publishedData // of the published file that was read last
	totals      *runlog.Totals
	totalsUntil time.Time // time until which totals is shown
	totalsFile  string    // published file that it is of
}
