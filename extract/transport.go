package extract

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
)

// limits bound what one request may take.
type limits struct {
	dial   time.Duration // connecting, and as much again for TLS
	header time.Duration // until the answer begins
	stall  time.Duration // between two pieces of a body
	total  time.Duration // from beginning to end
	grace  time.Duration // for one that is under way when the client is to stop
	body   int           // bytes of a body, decompressed
}

var defaultLimits = limits{
	dial:   10 * time.Second,
	header: 30 * time.Second,
	stall:  30 * time.Second,
	total:  5 * time.Minute,
	grace:  5 * time.Second,
	body:   64 << 20,
}

// newTransport asks over verified TLS; over plain HTTP only where the connected address is this machine's. It knows no
// proxy: an environment variable must not redirect a token.
func newTransport(base *url.URL, l limits) *http.Transport {
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
	if _, ok := allowed(req.Method, strings.TrimPrefix(req.URL.EscapedPath(), o.base.EscapedPath())); ok {
		return o.Transport.RoundTrip(req)
	}
	if req.Body != nil {
		_ = req.Body.Close() // a transport's duty, also of a request that it does not send
	}
	return nil, errOnlyReads
}

// call is one request, as often as it must be sent.
type call struct {
	op       string // what is being done, for messages
	method   string
	path     string // escaped, relative to the base address
	query    string // encoded
	body     []byte
	cursor   bool                // it asks with a cursor: 400 and 404 may mean that the server forgot it
	attempts int                 // 0: as usual
	hint     int                 // bytes that the answer may have
	accept   func(*answer) error // refuses an answer of status 200 that is no good
}

// answer is what came back, whole. Its body is the receiver's own.
type answer struct {
	status int
	head   http.Header
	body   []byte
	told   time.Time // the server's clock by the Date header, zero when it did not say
	date   time.Time // the time that the answer counts as of: told, unless that is not sane
}

// exchange sends a call once. An error means that no whole answer came.
func (c *Client) exchange(ctx context.Context, q call, token Secret) (*answer, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	most, why := c.limits.total, errTooSlow
	if left, bounded := c.left(); bounded && left+c.limits.grace < most {
		most, why = left+c.limits.grace, ErrBudget
	}
	defer time.AfterFunc(most, func() { cancel(why) }).Stop()

	path, err := url.PathUnescape(q.path)
	if err != nil {
		return nil, err
	}
	u := *c.base
	// Both forms are given, so that an escaped sign in an id stays the one that was checked.
	u.Path, u.RawPath, u.RawQuery = c.base.Path+path, c.base.EscapedPath()+q.path, q.query
	req, err := http.NewRequestWithContext(ctx, q.method, u.String(), bytes.NewReader(q.body))
	if err != nil {
		return nil, err
	}
	req.Header = http.Header{
		"Authorization":   {"Bearer " + string(token)},
		"Accept":          {"application/json"},
		"Accept-Encoding": {"gzip"},
		"Cache-Control":   {"no-cache"},
		"User-Agent":      {"aqueduck"},
	}
	req.Header.Set(c.o.VersionHeader, c.o.Version)
	if q.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, because(ctx, err)
	}
	body, err := c.receive(res, q.hint, cancel)
	if closed := res.Body.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, because(ctx, err)
	}
	body = withoutTokens(body, c.tokens())
	return &answer{status: res.StatusCode, head: res.Header, body: body, told: parseDate(res.Header)}, nil
}

// because prefers the reason for which a request was given up to the transport's "context canceled", and drops the URL
// that net/http puts before its errors: an Error names the path already.
func because(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// receive reads a body to its end, decompressed, in memory of its own.
func (c *Client) receive(res *http.Response, hint int, cancel context.CancelCauseFunc) ([]byte, error) {
	timer := time.AfterFunc(c.limits.stall, func() { cancel(errStalled) })
	defer timer.Stop()
	body := &lively{r: res.Body, alive: func() { timer.Reset(c.limits.stall) }}

	switch encoding := strings.ToLower(res.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
		if n := res.ContentLength; n > 0 {
			hint = int(min(n, int64(c.limits.body)))
		}
		return fill(body, hint, c.limits.body)
	case "gzip", "x-gzip":
		return c.inflate(body, hint)
	default:
		return nil, fmt.Errorf("the answer is encoded as %q, which was not asked for", hide(shorten(encoding), c.tokens()))
	}
}

// lively tells somebody about every piece that comes.
type lively struct {
	r     io.Reader
	alive func()
}

func (l *lively) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if n > 0 {
		l.alive()
	}
	return n, err
}

// unzipper keeps the tables of a decompressor between answers.
type unzipper struct {
	in *bufio.Reader
	gz gzip.Reader
}

// inflate reads one gzip member with nothing after it: a second one would be decoded as if it belonged to the answer.
func (c *Client) inflate(r io.Reader, hint int) ([]byte, error) {
	z, ok := c.unzip.Get().(*unzipper)
	if !ok {
		z = &unzipper{in: bufio.NewReaderSize(nil, 32<<10)}
	}
	defer c.unzip.Put(z)
	z.in.Reset(r)
	if _, err := z.in.Peek(1); err == io.EOF {
		return nil, nil // an error's empty body keeps the header of a full one
	}
	if err := z.gz.Reset(z.in); err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	z.gz.Multistream(false)
	body, err := fill(&z.gz, hint, c.limits.body)
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	switch _, err := z.in.ReadByte(); err {
	case io.EOF:
		return body, nil
	case nil:
		return nil, errors.New("decompress: bytes follow the end of the answer")
	default:
		return nil, err
	}
}

// fill reads r to its end. hint is a guess at the size: a good one saves all copying.
func fill(r io.Reader, hint, most int) ([]byte, error) {
	const least = 4 << 10
	// One byte more than needed lets the last Read meet the end instead of a full buffer.
	buf := make([]byte, 0, max(least, min(hint, most)+1))
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if len(buf) > most {
			return nil, fmt.Errorf("%w: more than %d bytes", errTooBig, most)
		}
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
