package emulate

import (
	"net"
	"net/http"
	"strings"
)

// ofThisMachine answers requests that name this machine, which is all that the emulator listens on. A page in a browser here whose name
// leads to this machine all at once could ask for the rest, and send it away.
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
