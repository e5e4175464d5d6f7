package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"aqueduck/schemas"
)

// File is a file to fetch: by a URL that an answer named, or by a path of the API itself.
type File struct {
	Stream *schemas.Stream // what it counts for
	URL    string          // absolute; wherever it leads, the token is sent to the API's own address only
	Path   string          // escaped, relative to the base address; used when URL is empty
	Most   int64           // bytes that it may have
}

// errExpired says that an address answered with something else than a file: it is out of date, most likely.
var errExpired = errors.New("the download address has expired")

const (
	mostHops  = 3
	fileTotal = 2 * time.Hour // for a whole file; a stall ends it far earlier
)

// Download writes a file to w, as it comes. sized says that the sender told its length beforehand and that it was met.
// Nothing is asked again: w may hold a part of the file after an error.
func (c *Client) Download(ctx context.Context, f File, w io.Writer) (sized bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer time.AfterFunc(fileTotal, func() { cancel(errTooSlow) }).Stop()

	target, err := c.fileURL(f)
	if err != nil {
		return false, err
	}
	for hop := 0; ; hop++ {
		res, err := c.requestFile(ctx, f, target)
		if err != nil {
			return false, err
		}
		if next := res.Header.Get("Location"); res.StatusCode/100 == 3 && next != "" && hop < mostHops {
			_ = res.Body.Close() // nothing of it was wanted
			if target, err = c.allowedURL(target, next); err != nil {
				return false, c.fileError(f, target, 0, err)
			}
			continue
		}
		sized, err := c.saveBody(res, f, target, w, cancel)
		if closed := res.Body.Close(); err == nil && closed != nil {
			err = c.fileError(f, target, 0, closed)
		}
		if ctx.Err() != nil {
			return false, c.fileError(f, target, 0, cancelCause(ctx, err))
		}
		return sized, err
	}
}

// fileURL is where a file is asked for first.
func (c *Client) fileURL(f File) (*url.URL, error) {
	if f.URL != "" {
		u, err := c.allowedURL(c.base, f.URL)
		if err != nil {
			return nil, c.fileError(f, c.base, 0, err)
		}
		return u, nil
	}
	path, err := url.PathUnescape(f.Path)
	if err != nil {
		return nil, c.fileError(f, c.base, 0, err)
	}
	u := *c.base
	u.Path, u.RawPath = c.base.Path+path, c.base.EscapedPath()+f.Path
	return &u, nil
}

var errForeign = errors.New("a download address must begin with https:// and contain no password")

// allowedURL reads an address from outside. Plain HTTP is for loopback, where the API itself is there. A host that nobody has named
// is not asked.
func (c *Client) allowedURL(from *url.URL, text string) (*url.URL, error) {
	u, err := from.Parse(text)
	if err != nil {
		return from, errForeign // the parser's message would repeat the signature
	}
	home := c.base.Scheme == "http"
	if u.User != nil || u.Host == "" || u.Scheme != "https" && !(u.Scheme == "http" && home && isLoopback(u.Hostname())) {
		return from, errForeign
	}
	if !c.trustsHost(u) {
		return from, &ForeignHost{redactTokens(Shorten(hostOf(u)), c.secretTokens())}
	}
	return u, nil
}

// isOwnAddress says whether an address is the API's: nobody else gets the token.
func (c *Client) isOwnAddress(u *url.URL) bool {
	return u.Scheme == c.base.Scheme && u.Host == c.base.Host
}

// requestFile asks once.
func (c *Client) requestFile(ctx context.Context, f File, u *url.URL) (*http.Response, error) {
	token, err := c.admitRequest(ReadOp(f.Stream), 1)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ReadOp(f.Stream), err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, c.fileError(f, u, 0, errForeign)
	}
	req.Header = http.Header{"Accept": {"application/octet-stream"}, "User-Agent": {"aqueduck"}}
	client := c.files
	if c.isOwnAddress(u) {
		if err := c.budget.waitTurn(ctx, c.o.Now, c.waitBeforeStop); err != nil {
			return nil, fmt.Errorf("%s: %w", ReadOp(f.Stream), err)
		}
		req.Header.Set("Authorization", "Bearer "+string(token))
		req.Header.Set(c.o.VersionHeader, c.o.Version)
		client = c.http
	}
	res, err := client.Do(req)
	if err != nil {
		if ctx.Err() != nil && context.Cause(ctx) == ctx.Err() {
			return nil, fmt.Errorf("%s: %w", ReadOp(f.Stream), ctx.Err())
		}
		return nil, c.fileError(f, u, 0, cancelCause(ctx, err))
	}
	return res, nil
}

// saveBody writes a good answer's body.
func (c *Client) saveBody(res *http.Response, f File, u *url.URL, w io.Writer, cancel context.CancelCauseFunc) (bool, error) {
	if res.StatusCode != http.StatusOK {
		return false, c.refusedFile(res, f, u)
	}
	if kind := res.Header.Get("Content-Type"); strings.HasPrefix(kind, "text/html") {
		return false, c.fileError(f, u, res.StatusCode, fmt.Errorf("%w: it is an HTML page", errExpired))
	}
	timer := time.AfterFunc(c.limits.stall, func() { cancel(errStalled) })
	defer timer.Stop()
	body := &idleTimeoutReader{r: io.LimitReader(res.Body, f.Most+1), alive: func() { timer.Reset(c.limits.stall) }}
	n, err := io.Copy(w, body)
	switch {
	case err != nil:
		return false, c.fileError(f, u, 0, err)
	case n > f.Most:
		e := c.fileError(f, u, 0, fmt.Errorf("%w: more than %d bytes", errTooBig, f.Most))
		e.Class = ClassContract
		return false, e
	}
	return res.ContentLength >= 0 && res.ContentLength == n, nil
}

// refusedFile says what a status that is not 200 means. The API's own answers are judged like all others of it.
func (c *Client) refusedFile(res *http.Response, f File, u *url.URL) error {
	e := c.fileError(f, u, res.StatusCode, nil)
	if c.isOwnAddress(u) {
		body, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
		if err != nil {
			return c.fileError(f, u, 0, err)
		}
		told := parseErrorList(body)
		a := &Answer{status: res.StatusCode, head: res.Header, Date: parseDate(res.Header)}
		described := c.answerError(a, told)
		described.Op, described.Method, described.Path, described.Attempts = e.Op, e.Method, e.Path, 1
		described.Class = classOfStatus(res.StatusCode, Call{}, told)
		e = described
		if e.Class == ClassAuth && f.URL == "" {
			c.stopSending(e)
			return e
		}
	}
	switch res.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusGone, http.StatusBadRequest:
		e.Class, e.Err = ClassTransient, errExpired
	}
	return e
}

// fileError names the host only: the rest of such an address is a signature.
func (c *Client) fileError(f File, u *url.URL, status int, err error) *Error {
	place := u.Host
	if c.isOwnAddress(u) {
		place = u.Path
	}
	return &Error{Class: ClassTransient, Op: ReadOp(f.Stream), Method: http.MethodGet, Path: redactTokens(Shorten(place), c.secretTokens()), Status: status, Attempts: 1, Err: err}
}
