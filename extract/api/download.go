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

// File is a file to fetch, from a URL that an answer named or from a path of the API.
type File struct {
	Stream *schemas.Stream // whose requests it counts among
	URL    string          // absolute; the token is sent only if it is the API's own address
	Path   string          // escaped, relative to the base address; used when URL is empty
	Most   int64           // size limit in bytes
}

// errExpired says that a URL did not answer with the file. Signed URLs expire.
var errExpired = errors.New("the download address has expired")

const (
	mostHops  = 3
	fileTotal = 2 * time.Hour // for a whole file; a stalled one fails much earlier
)

// Download writes a file to w. sized reports that the answer had a length and that the file has it. Nothing is retried: after an
// error w may hold a part of the file. It ends with ErrBudget soon after the client stops.
func (c *Client) Download(ctx context.Context, f File, w io.Writer) (sized bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	most, why := boundTime(c, fileTotal)
	defer time.AfterFunc(most, func() { cancel(why) }).Stop()
	defer func() {
		if errors.Is(err, ErrBudget) {
			err = fmt.Errorf("%s: %w", ReadOp(f.Stream), ErrBudget)
		}
	}()

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
			_ = res.Body.Close() // the body of a redirect is not used
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

// fileURL is the first address of a file.
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

// allowedURL parses a URL that an answer named, relative to from. Plain HTTP is for loopback only, where the API is on loopback,
// too. A host that is neither the API's site nor configured is refused.
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

// isOwnAddress reports whether a URL is the API's own: only there the token is sent.
func (c *Client) isOwnAddress(u *url.URL) bool {
	return u.Scheme == c.base.Scheme && u.Host == c.base.Host
}

// requestFile sends one request for a file. The caller closes the body.
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

// saveBody writes the body of an answer of status 200.
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

// refusedFile is the error of a status other than 200. Answers of the API itself are classified like its other answers.
func (c *Client) refusedFile(res *http.Response, f File, u *url.URL) error {
	e := c.fileError(f, u, res.StatusCode, nil)
	date := parseDate(res.Header)
	a := &Answer{status: res.StatusCode, head: res.Header, serverDate: date, Date: date}
	if c.isOwnAddress(u) {
		body, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
		if err != nil {
			return c.fileError(f, u, 0, err)
		}
		listed := parseErrorList(body)
		described := c.answerError(a, listed)
		described.Op, described.Method, described.Path, described.Attempts = e.Op, e.Method, e.Path, 1
		described.Class = classOfStatus(res.StatusCode, Call{}, listed)
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
	e.noteRetryAfter(a, c.o.Now())
	if res.StatusCode == http.StatusTooManyRequests && c.isOwnAddress(u) {
		c.addCounts(e.Op, RequestCounts{Limited: 1})
		c.budget.applyRefusal(c.o.Now(), c.o.Now(), e.retryDelay(1))
	}
	return e
}

// fileError names the host only: the rest of a signed URL is a secret.
func (c *Client) fileError(f File, u *url.URL, status int, err error) *Error {
	place := u.Host
	if c.isOwnAddress(u) {
		place = u.Path
	}
	return &Error{Class: ClassTransient, Op: ReadOp(f.Stream), Method: http.MethodGet, Path: redactTokens(Shorten(place), c.secretTokens()), Status: status, Attempts: 1, Err: err}
}
