package emulator

import (
	"net/http"
	"strings"
	"time"

	"aqueduck/internal/emulator/api"
	"aqueduck/internal/emulator/api/fault"
	"aqueduck/internal/emulator/control"
	"aqueduck/internal/emulator/knobs"
)

// ServeHTTP answers one request: to the API, to the controls under /_emulator and /_oracle, or for the page in a browser.
func (w *Workspace) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	switch {
	case strings.HasPrefix(path, fault.ElsewherePath):
		w.ServeElsewhere(rw, r)
	case r.Method == http.MethodGet && strings.HasPrefix(path, api.StoragePath):
		w.ServeExport(rw, r)
	case strings.HasPrefix(path, "/_"), path == control.OpenAPIPath:
		w.controls.ServeHTTP(rw, r)
	case path == "/" && r.Header.Get("Authorization") == "" && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		w.controls.ServePage(rw, r)
	default:
		w.ServeAPI(rw, r)
	}
}

// The populations that a workspace can have.
const (
	Odd  = "odd"  // every unusual value and size that the API's document allows
	Team = "team" // a support team of ten, whose figures follow from what it does
)

// Config describes a workspace. The zero value is the demo: a seed of 0, 10,400 active contacts, a virtual clock.
type Config struct {
	Seed           uint64
	Population     string                // Odd or Team; "": Odd
	Contacts       int                   // active contacts at hour 0; 0: 10,400
	Inactive       int                   // listed inactive contacts at hour 0; 0: a tenth of Contacts, at least 1,000 when Contacts is 0 too
	Activities     int                   // least number of activities in the feed at hour 0; 0: twice Contacts
	Conversations  int                   // number at hour 0; 0: three for ten Contacts, at most 20,000, and 3,000 when Contacts is 0 too; below 0: none
	Tickets        int                   // number at hour 0; 0: one for three Conversations; below 0: none
	Calls          int                   // number at hour 0, including those that are no longer listed; 0: a thirteenth of Contacts, 800 in the demo
	Logs           int                   // entries of the admins' activity log at hour 0; 0: half of Contacts, 4,000 in the demo
	Start          time.Time             // hour 0
	Now            func() time.Time      // the clock, which must not call the workspace; nil: a clock that only SimulateHours and Advance move
	Token          string                // main token with every scope; "": made from the seed. AddToken adds others
	WorkspaceID    string                // "": made from the seed
	Zone           *time.Location        // of the workspace; nil: UTC
	DefaultVersion string                // when a request names none; "": 2.17
	VersionHeader  string                // "": Service-Version
	Elsewhere      string                // scheme and host that redirects lead to, which must reach this handler too; "": those of the request
	RatePerMinute  int                   // rate limit, spread over windows of ten seconds; 0: announced as 100,000 and never enforced
	NoLog          bool                  // keep no log of requests
	Watch          func(control.Request) // called for every request, also with NoLog; may be called concurrently
	Hours          int                   // simulated right after Start, whatever the clock shows; none when it lives
	Live           bool                  // each hour since Start passes by the clock, also when nobody asks
	knobs.Knobs
}

// Workspace is one workspace in memory. It is an http.Handler and safe for concurrent use.
type Workspace struct {
	*noticeDesk
	operations []operationSpec          // all of them; here, as knobs name routes, and routes carry out operations
	journal    func(JournalEntry) error // nil: no journal is kept
	controls   *control.Server
}
