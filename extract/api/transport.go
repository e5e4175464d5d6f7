package api

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// requestLimits bound what one request may take.
type requestLimits struct {
	dial   time.Duration // connecting, and as much again for TLS
	header time.Duration // until the answer begins
	stall  time.Duration // between two pieces of a body
	total  time.Duration // from beginning to end
	grace  time.Duration // for one that is under way when the client is to stop
	body   int           // bytes of a body, decompressed
}

var defaultLimits = requestLimits{
	dial:   10 * time.Second,
	header: 30 * time.Second,
	stall:  30 * time.Second,
	total:  5 * time.Minute,
	grace:  5 * time.Second,
	body:   64 << 20,
}

// newTransport asks over verified TLS; over plain HTTP only where the connected address is this machine's. It knows no
// proxy: an environment variable must not redirect a token.
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
		MaxIdleConnsPerHost:    48, // streams side by side, one of them with many records read by themselves
		IdleConnTimeout:        90 * time.Second,
		ForceAttemptHTTP2:      true,
		// Decompression is ours: faster, and with an end to what it gives.
		DisableCompression: true,
		// A page comes in pieces of any size, which are read through this buffer: with the usual 4 KB it took 20 reads.
		ReadBufferSize: 64 << 10,
	}
}

// onlyReads is a transport that sends nothing but what the rules know: whatever asks by it, nothing can be changed at the API.
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
		_ = req.Body.Close() // a transport's duty, also of a request that it does not send
	}
	return nil, errOnlyReads
}
