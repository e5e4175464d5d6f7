package api

import (
	"net/http"
	"strings"
)

// requestRule is a kind of request that the client may send. Every other request is refused, so that the client cannot change the
// workspace.
type requestRule struct {
	method    string
	path      string // suffix of the path; empty: any
	exactPath bool   // path must be equal, not a suffix
	retrySafe bool   // it may be sent twice
}

var rules = []requestRule{
	{method: http.MethodGet, retrySafe: true},
	{method: http.MethodPost, path: "/search", retrySafe: true},
	{method: http.MethodPost, path: "/list", retrySafe: true},
	{method: http.MethodPost, path: "/export/reporting_data/enqueue", exactPath: true},
}

// findRule returns the rule that allows a request; false when none does.
func findRule(method, path string) (requestRule, bool) {
	for _, r := range rules {
		if method == r.method && (path == r.path || !r.exactPath && strings.HasSuffix(path, r.path)) {
			return r, true
		}
	}
	return requestRule{}, false
}
