package fault

import (
	"net"
	"net/http"
	"time"
)

// Fault is what happens to one request instead of, or on top of, its answer.
type Fault struct {
	Status   int               // this status is answered, the question is not even looked at; 0: the real answer
	Body     string            // with Status; "": an error.list that fits it
	Header   map[string]string // added to the answer
	Wait     time.Duration     // before the answer, in real time
	Reset    bool              // the connection is reset without an answer
	Truncate bool              // half of the body is sent, then the connection is cut
	Garbage  bool              // the answer is followed by something that is no JSON
	HTML     bool              // a proxy's page instead of JSON, with Status or 404
	Redirect bool              // the answer is a way to another host, with Status or 302 (trap T119): Config.Elsewhere
	Drip     time.Duration     // the body comes in sixteen pieces, with this time between them
	Replay   bool              // a cache gives the answer that this question had before, with its Age (trap T121)
	Mislabel bool              // the answer is said to be compressed and is not
	Game     Mangling          // what is done to the JSON of a good answer
}

// pieces is how many a body comes in that drips.
const pieces = 16

// CutConnection resets the connection where the server lets us, and ends it otherwise.
func CutConnection(rw http.ResponseWriter) {
	conn, _, err := http.NewResponseController(rw).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // a reset, not an end
	}
	_ = conn.Close()
}

// ProxyPage is what a proxy answers in place of the service.
const ProxyPage = "<html>\r\n<head><title>404 Not Found</title></head>\r\n<body><center><h1>404 Not Found</h1></center><hr><center>nginx</center></body>\r\n</html>\r\n"

var errorCodes = map[int]string{400: "client_error", 401: "unauthorized", 403: "api_plan_restricted", 404: "not_found",
	408: "request_timeout", 429: "rate_limit_exceeded", 503: "service_unavailable", 504: "request_timeout"}

// ElsewherePath is where redirects lead. Whoever follows one finds a plausible list there, and that it came is noted.
const ElsewherePath = "/_elsewhere"
