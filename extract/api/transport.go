package api

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// requestLimits bound the duration and size of one request.
type requestLimits struct {
	dial   time.Duration // connecting, and as much again for TLS
	header time.Duration // until the answer begins
	stall  time.Duration // between two reads of a body
	total  time.Duration // from beginning to end
	grace  time.Duration // for a request that is under way when the client stops
	body   int           // bytes of a decompressed body
}

var defaultLimits = requestLimits{
	dial:   10 * time.Second,
	header: 30 * time.Second,
	stall:  30 * time.Second,
	total:  5 * time.Minute,
	grace:  5 * time.Second,
	body:   64 << 20,
}

// newTransport uses verified TLS; plain HTTP only if the connected address is loopback. It ignores proxy settings: an environment
// variable must not redirect a token.
func newTransport(base *url.URL, l requestLimits) *http.Transport {
	dialer := &net.Dialer{Timeout: l.dial, KeepAlive: 30 * time.Second}
	if base.Scheme == "http" {
		dialer.Control = onlyLoopback
	}
	return &http.Transport{
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    l.dial,
		ResponseHeaderTimeout:  l.header,
		MaxResponseHeaderBytes: 64 << 10,
		MaxIdleConnsPerHost:    80, // several streams read at once, one of them with 64 requests side by side
		IdleConnTimeout:        90 * time.Second,
		ForceAttemptHTTP2:      true,
		// inflateBody decompresses: it is faster and has a size limit.
		DisableCompression: true,
		// With the default buffer of 4 KB a page takes about 20 reads.
		ReadBufferSize: 64 << 10,
	}
}

// onlyReads is a transport that sends only requests that a rule allows: no caller can change the workspace.
type onlyReads struct {
	*http.Transport
	base *url.URL
}

// RoundTrip refuses a request that no rule allows.
func (o onlyReads) RoundTrip(req *http.Request) (*http.Response, error) {
	if _, ok := findRule(req.Method, strings.TrimPrefix(req.URL.EscapedPath(), o.base.EscapedPath())); ok {
		return o.Transport.RoundTrip(req)
	}
	if req.Body != nil {
		_ = req.Body.Close() // a RoundTripper must close the body also on errors
	}
	return nil, errOnlyReads
}
