package emulate

import (
	"net"
	"net/http"
	"strings"
)

// ofThisMachine answers only requests whose Host is this machine. Otherwise a web page whose name suddenly resolves to this machine could read
// the workspace in a browser here, and send the data away.
func ofThisMachine(to http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = strings.Trim(r.Host, "[]")
		}
		if ip := net.ParseIP(host); !strings.EqualFold(host, "localhost") && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "the emulator accepts only 127.0.0.1 and localhost as host", http.StatusMisdirectedRequest)
			return
		}
		to.ServeHTTP(w, r)
	})
}
