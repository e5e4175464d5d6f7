package fault

import (
	"net"
	"net/http"
	"time"
)

// Fault happens to one request, instead of its answer or on top of it.
type Fault struct {
	Status   int               // this status is answered without looking at the request; 0: the real answer
	Body     string            // with Status; "": an error.list that fits it
	Header   map[string]string // added to the answer
	Wait     time.Duration     // before the answer, in real time
	Reset    bool              // the connection is reset without an answer
	Truncate bool              // half of the body is sent, then the connection is cut
	Garbage  bool              // the answer is followed by bytes that are not JSON
	HTML     bool              // a proxy's page instead of JSON, with Status or 404
	Redirect bool              // the answer redirects to another host, with Status or 302 (trap T119): Config.Elsewhere
	Drip     time.Duration     // the body comes in sixteen pieces, with this time between them
	Replay   bool              // a cache answers with its earlier answer to the same question, with its Age (trap T121)
	Mislabel bool              // the headers say that the answer is compressed, and it is not
	Mangling Mangling          // how the JSON of a good answer is changed
}

// pieces is how many pieces a dripping body comes in.
const pieces = 16

// CutConnection resets the connection where the server allows it, and ends it otherwise.
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

// ProxyPage is the answer of a proxy in place of the service.
const ProxyPage = "<html>\r\n<head><title>404 Not Found</title></head>\r\n<body><center><h1>404 Not Found</h1></center><hr><center>nginx</center></body>\r\n</html>\r\n"

var errorCodes = map[int]string{400: "client_error", 401: "unauthorized", 403: "api_plan_restricted", 404: "not_found",
	408: "request_timeout", 429: "rate_limit_exceeded", 503: "service_unavailable", 504: "request_timeout"}

// ElsewherePath is where redirects lead. A client that follows one finds a plausible list, and the log shows that it came.
const ElsewherePath = "/_elsewhere"
