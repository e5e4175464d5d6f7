// Package extract reads streams from the workspace's API, page by page.
//
// A Client speaks HTTP: it identifies itself, keeps to one request budget, asks again where that is safe, says what went wrong
// where it did not help. A Reader, made by Client.Read, turns a stream file's `read` block into pages of raw records, each
// with the State that is true once everything up to it is stored. Nothing here knows tables or SQL.
package extract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"aqueduck/schemas"
)

// Options say which workspace a Client reads, and how. BaseURL, Token and Version are needed.
type Options struct {
	BaseURL string                 // https://…; http:// for loopback addresses only
	Token   Secret                 // bearer token
	Refresh func() (Secret, error) // asked once after a 401, for a token that was rotated; may be nil

	Version       string // API version, sent with every request
	VersionHeader string // name of its header; Service-Version when empty

	FileHosts []string // where files are fetched from, beside the API's own site; *.example.org is every host below that

	RequestsPerMinute int     // a ceiling; 0: learned from the answers, leaving 20 % to others
	Budget            *Budget // in place of one of its own with that ceiling; may be nil
	MaxRequests       int64   // beyond it requests fail with ErrBudget; 0: no end

	Now  func() time.Time                                 // the clock; time.Now when nil
	Wait func(ctx context.Context, d time.Duration) error // returns ctx's error when that ends first; a timer when nil
}

// Client asks one workspace. It is safe for concurrent use: all Readers made from it share its request budget.
type Client struct {
	o        Options
	base     *url.URL
	http     *http.Client
	files    *http.Client // for addresses that answers name: never with the token
	limits   limits
	budget   *budget
	unzip    sync.Pool // of *unzipper
	requests atomic.Int64
	retries  atomic.Int64
	restarts atomic.Int64

	mu      sync.Mutex        // guards what follows
	token   Secret            // the one in use
	told    []Secret          // every token so far: none may show in a message
	stopped *Error            // set when the workspace refused the token: nothing more is sent
	stopAt  time.Time         // nothing is sent from then on; zero: no end
	sent    map[string]Sent   // by what it was for
	waiting map[[2]string]int // how many requests wait now, by the same and by what they wait for
	offset  time.Duration     // server's clock minus ours
	skew    time.Duration     // the largest of them
	known   bool              // offset was measured
	newest  time.Time         // the newest record that a search gave
}

// defaultHeader names the version header of the API's document.
const defaultHeader = "Service-Version"

// New gives a client, which the caller closes. It checks o and sends nothing.
func New(o Options) (*Client, error) {
	base, err := parseBase(o.BaseURL)
	if err != nil {
		return nil, err
	}
	if o.VersionHeader == "" {
		o.VersionHeader = defaultHeader
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Wait == nil {
		o.Wait = sleep
	}
	switch {
	case o.Token == "":
		return nil, errors.New("client: the token is empty")
	case !printable(string(o.Token)):
		return nil, errors.New("client: the token holds spaces, line breaks or other signs that a header cannot carry")
	case o.Version == "" || !printable(o.Version):
		return nil, fmt.Errorf("client: %q is no API version", o.Version)
	case !headerName(o.VersionHeader):
		return nil, fmt.Errorf("client: %q is no name of a header", o.VersionHeader)
	case ReservedHeader(o.VersionHeader):
		return nil, fmt.Errorf("client: %q is a header that says something else", o.VersionHeader)
	case o.RequestsPerMinute < 0 || o.MaxRequests < 0:
		return nil, errors.New("client: a limit on requests is below zero")
	}
	c := &Client{o: o, base: base, limits: defaultLimits, token: o.Token, told: []Secret{o.Token}, sent: map[string]Sent{}, waiting: map[[2]string]int{}}
	if o.Budget == nil {
		o.Budget = NewBudget(o.RequestsPerMinute)
	}
	c.budget = o.Budget.budget
	c.http = &http.Client{
		Transport: onlyReads{newTransport(base, c.limits), base},
		// Go would send a redirected POST as GET, with the token, to wherever it is told: 3xx is an answer like another.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	c.files = &http.Client{Transport: newFileTransport(base, c.limits), CheckRedirect: c.http.CheckRedirect}
	return c, nil
}

// Close ends the idle connections. Requests under way are not ended: their context is.
func (c *Client) Close() {
	c.http.CloseIdleConnections()
	c.files.CloseIdleConnections()
}

// Requests is the number of requests sent so far, repeated ones included.
func (c *Client) Requests() int64 { return c.requests.Load() }

// Retries is the number of requests that were sent again.
func (c *Client) Retries() int64 { return c.retries.Load() }

// Sent counts requests: all of them, those that asked again for what a failed one had asked for, and those that were refused for
// being too many (429), or failed at the source or on the way (5xx, or no answer). Waited is the time that they waited for their
// turn, and before they were repeated.
type Sent struct {
	Requests, Retries, Limited, Failed int64
	Waited                             time.Duration
}

// Sent is what was sent to read one stream, its nested lists included.
func (c *Client) Sent(s *schemas.Stream) Sent {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sent[reading(s)]
}

// Restarts is the number of cursors that the server no longer knew, each followed by a new walk from the last known place.
func (c *Client) Restarts() int64 { return c.restarts.Load() }

// One reads one record of the stream's list, with the server's time of the answer. The record is nil when the list is empty.
func (c *Client) One(ctx context.Context, s *schemas.Stream) (record []byte, serverTime time.Time, err error) {
	sh, err := c.peek(ctx, s)
	if err != nil {
		return nil, time.Time{}, err
	}
	if len(sh.records) > 0 {
		record = bytes.Clone(sh.records[0])
	}
	return record, sh.date, nil
}

// Count is the number of records that the stream's list has by its own word, -1 when it does not say.
func (c *Client) Count(ctx context.Context, s *schemas.Stream) (total int64, err error) {
	sh, err := c.peek(ctx, s)
	if err != nil {
		return -1, err
	}
	if s.Read.Over != nil {
		return -1, nil // it is one list of several
	}
	return sh.total, nil
}

// peek reads the first page of a stream's whole list, as small as its paging allows.
func (c *Client) peek(ctx context.Context, s *schemas.Stream) (sheet, error) {
	if s.Read.ByIDs() {
		return sheet{}, fmt.Errorf("peek %s: it has no list of its own, it is read by id", s.Name)
	}
	l := listsOf(s)[0]
	l.op = "look at " + s.Name
	if s.Read.Since.By == "between" {
		now := c.o.Now().Unix()
		return c.span(ctx, l, s.Read.Since.Field, now-24*3600, now, 0)
	}
	if l.page.Size > 0 {
		l.page.Size = 1
	}
	l.nested = nil
	return newWalk(c, l, nil).first(ctx)
}

// parseBase accepts https addresses; http only for this machine, where the embedded and other emulators run.
func parseBase(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(text, "/"))
	if err != nil {
		// The parser's message would repeat the text, which may hold a password.
		return nil, errors.New("client: the base address is no URL")
	}
	switch {
	case u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Opaque != "":
		return nil, errors.New("client: the base address may have a scheme, host and path, nothing more")
	case u.Host == "":
		return nil, fmt.Errorf("client: the base address %q names no host", text)
	case u.Scheme == "https":
		return u, nil
	case u.Scheme == "http" && loopback(u.Hostname()):
		return u, nil
	}
	return nil, fmt.Errorf("client: the base address %q must begin with https:// (http:// is for loopback only)", text)
}

// printable reports whether a header can carry s as one word.
func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// headerName reports whether s is a header's name.
func headerName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("!#$%&'*+-.^_`|~", r) && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
	})
}

// ReservedHeader says whether a header already means something to the transport, to what stands between, or to the server: a version
// in it would take the place of that, of the token among others.
func ReservedHeader(name string) bool {
	name = strings.ToLower(name)
	for _, family := range []string{"accept", "access-control-", "authorization", "cf-", "connection", "content-", "cookie", "cache-control", "date", "expect", "forwarded",
		"from", "host", "if-", "keep-alive", "max-forwards", "origin", "pragma", "prefer", "proxy-", "range", "referer", "sec-", "set-cookie", "te", "trailer", "transfer-encoding",
		"upgrade", "user-agent", "via", "warning", "www-authenticate", "x-forwarded-", "x-http-method", "x-real-ip"} {
		if name == family || strings.HasPrefix(name, family) && (strings.HasSuffix(family, "-") || strings.HasPrefix(name, family+"-")) {
			return true
		}
	}
	return false
}

// sleep waits on the machine's clock.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// backoff is the wait before attempt n+1 when the server does not name one: it doubles from half a second. The random
// half keeps streams that failed together from coming back together.
func backoff(n int) time.Duration {
	d := min(500*time.Millisecond<<min(n-1, 10), longestWait)
	return d/2 + rand.N(d/2)
}
