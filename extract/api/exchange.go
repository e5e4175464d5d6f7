package api

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
)

// Call is one request, with its retries.
type Call struct {
	Op       string // the operation, for messages and counts
	Method   string
	Path     string // escaped, relative to the base address
	Query    string // encoded
	Body     []byte
	Cursor   bool                // it has a cursor: a 400 or 404 may mean that the server has lost it
	Attempts int                 // 0: usualAttempts
	Hint     int                 // expected bytes of the answer
	Accept   func(*Answer) error // returns why an answer of a good status is not usable; nil accepts it
}

// Answer is a complete answer. Its body belongs to the caller.
type Answer struct {
	status     int
	head       http.Header
	Body       []byte
	serverDate time.Time // the Date header; zero when it has none
	Date       time.Time // the time that counts for the answer: serverDate, unless the clocks disagree
}

// Header returns the headers of the answer.
func (a *Answer) Header() http.Header { return a.head }

// sendOnce sends a call once. An error means that no complete answer came.
func (c *Client) sendOnce(ctx context.Context, q Call, token Secret) (*Answer, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	most, why := boundTime(c, c.limits.total)
	defer time.AfterFunc(most, func() { cancel(why) }).Stop()

	path, err := url.PathUnescape(q.Path)
	if err != nil {
		return nil, err
	}
	u := *c.base
	// Path and RawPath are both set, so that an escaped character of an id stays escaped, as it was checked.
	u.Path, u.RawPath, u.RawQuery = c.base.Path+path, c.base.EscapedPath()+q.Path, q.Query
	req, err := http.NewRequestWithContext(ctx, q.Method, u.String(), bytes.NewReader(q.Body))
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
	if q.Body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, cancelCause(ctx, err)
	}
	body, err := c.readBody(res, q.Hint, cancel)
	if closed := res.Body.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, cancelCause(ctx, err)
	}
	body = c.bodySearch().redactBody(body)
	return &Answer{status: res.StatusCode, head: res.Header, Body: body, serverDate: parseDate(res.Header)}, nil
}

// cancelCause prefers the reason of a cancellation to the transport's "context canceled". It drops the URL that net/http adds: an
// Error names the path.
func cancelCause(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// readBody reads and decompresses a body to its end, within the limits of time and size.
func (c *Client) readBody(res *http.Response, hint int, cancel context.CancelCauseFunc) ([]byte, error) {
	timer := time.AfterFunc(c.limits.stall, func() { cancel(errStalled) })
	defer timer.Stop()
	body := &idleTimeoutReader{r: res.Body, alive: func() { timer.Reset(c.limits.stall) }}

	switch encoding := strings.ToLower(res.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
		if n := res.ContentLength; n > 0 {
			hint = int(min(n, int64(c.limits.body)))
		}
		return readToEnd(body, hint, c.limits.body)
	case "gzip", "x-gzip":
		return c.inflateBody(body, hint)
	default:
		return nil, fmt.Errorf("the answer is encoded as %q, which was not requested", redactTokens(Shorten(encoding), c.secretTokens()))
	}
}

// idleTimeoutReader calls alive for every read that brings bytes.
type idleTimeoutReader struct {
	r     io.Reader
	alive func()
}

func (l *idleTimeoutReader) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if n > 0 {
		l.alive()
	}
	return n, err
}

// gzipState keeps a decompressor's buffers between answers.
type gzipState struct {
	in *bufio.Reader
	gz gzip.Reader
}

// inflateBody reads one gzip member. Bytes after it are an error: a second member would be decoded as a part of the answer.
func (c *Client) inflateBody(r io.Reader, hint int) ([]byte, error) {
	z, ok := c.unzip.Get().(*gzipState)
	if !ok {
		z = &gzipState{in: bufio.NewReaderSize(nil, 32<<10)}
	}
	defer c.unzip.Put(z)
	z.in.Reset(r)
	if _, err := z.in.Peek(1); err == io.EOF {
		return nil, nil // an empty body of an error may still have the gzip header field
	}
	if err := z.gz.Reset(z.in); err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	z.gz.Multistream(false)
	body, err := readToEnd(&z.gz, hint, c.limits.body)
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

// readToEnd reads r to its end, at most `most` bytes. hint is the expected size; a good one avoids copies.
func readToEnd(r io.Reader, hint, most int) ([]byte, error) {
	const least = 4 << 10
	// With one byte to spare the last Read meets the end of the input, and the buffer does not grow for it.
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
