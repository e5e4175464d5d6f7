package api

import (
	"net/http"
	"strings"
)

// requestRule is a kind of request that the client can send. There is no code for any other: it cannot change the workspace.
type requestRule struct {
	method    string
	path      string // its end; empty: any
	exactPath bool   // path is all of it
	retrySafe bool   // sending it twice does no harm
}

var rules = []requestRule{
	{method: http.MethodGet, retrySafe: true},
	{method: http.MethodPost, path: "/search", retrySafe: true},
	{method: http.MethodPost, path: "/list", retrySafe: true},
	{method: http.MethodPost, path: "/export/reporting_data/enqueue", exactPath: true},
}

// findRule finds the rule for a request.
func findRule(method, path string) (requestRule, bool) {
	for _, r := range rules {
		if method == r.method && (path == r.path || !r.exactPath && strings.HasSuffix(path, r.path)) {
			return r, true
		}
	}
	return requestRule{}, false
}
