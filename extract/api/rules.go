package api

import (
	"net/http"
	"strings"
)

// rule is a kind of request that the client can send. There is no code for any other: it cannot change the workspace.
type rule struct {
	method string
	path   string // its end; empty: any
	whole  bool   // path is all of it
	repeat bool   // sending it twice does no harm
}

var rules = []rule{
	{method: http.MethodGet, repeat: true},
	{method: http.MethodPost, path: "/search", repeat: true},
	{method: http.MethodPost, path: "/list", repeat: true},
	{method: http.MethodPost, path: "/export/reporting_data/enqueue", whole: true},
}

// findRule finds the rule for a request.
func findRule(method, path string) (rule, bool) {
	for _, r := range rules {
		if method == r.method && (path == r.path || !r.whole && strings.HasSuffix(path, r.path)) {
			return r, true
		}
	}
	return rule{}, false
}
