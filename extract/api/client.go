package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// Options say which workspace a Client reads, and how. BaseURL, Token and Version are required.
type Options struct {
	BaseURL string                 // https://…; http:// for loopback addresses only
	Token   Secret                 // bearer token
	Refresh func() (Secret, error) // asked once after a 401 for a rotated token; may be nil

	Version       string // API version, sent with every request
	VersionHeader string // name of its header; Service-Version when empty

	FileHosts []string // hosts that files may be fetched from, besides the API's own site; *.example.org is every host below that

	RequestsPerMinute int     // upper limit; 0: learned from the answers, with 20 % left to other tools
	Budget            *Budget // shared budget, instead of a new one with that limit; may be nil
	MaxRequests       int64   // requests beyond it fail with ErrBudget; 0: no limit

	Now  func() time.Time                                 // the clock; time.Now when nil
	Wait func(ctx context.Context, d time.Duration) error // returns ctx's error when that ends first; a timer when nil
}

// Client sends requests to one workspace. It is safe for concurrent use: all readers that use it share its request budget.
type Client struct {
	serverClock
	streamCounts
	o        Options
	base     *url.URL
	http     *http.Client
	files    *http.Client // for URLs that answers name; never sends the token
	limits   requestLimits
	budget   *requestBudget
	unzip    sync.Pool // of *unzipper
	requests atomic.Int64
	retries  atomic.Int64
	restarts atomic.Int64

	hideNames func(text string) string // takes names of persons out of a message; may be nil

	mu           sync.Mutex   // guards what follows
	token        Secret       // the one in use
	issuedTokens []Secret     // every token so far: none may appear in a message
	search       *tokenSearch // for issuedTokens
	stopped      *Error       // set when the workspace refused the token: no request is sent any more
	stopAt       time.Time    // no request is sent from then on; zero: no end
}

// defaultHeader is the version header of the API's document.
const defaultHeader = "Service-Version"

// New returns a client, which the caller closes. It checks o and sends no request.
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
		o.Wait = sleepContext
	}
	switch {
	case o.Token == "":
		return nil, errors.New("client: the token is empty")
	case !isPrintable(string(o.Token)):
		return nil, errors.New("client: the token holds spaces, line breaks or other characters that a header cannot carry")
	case o.Version == "" || !isPrintable(o.Version):
		return nil, fmt.Errorf("client: %q is not an API version", o.Version)
	case !isHeaderName(o.VersionHeader):
		return nil, fmt.Errorf("client: %q is not a header name", o.VersionHeader)
	case ReservedHeader(o.VersionHeader):
		return nil, fmt.Errorf("client: %q is a header with another meaning", o.VersionHeader)
	case o.RequestsPerMinute < 0 || o.MaxRequests < 0:
		return nil, errors.New("client: a limit on requests is below zero")
	}
	c := &Client{o: o, base: base, limits: defaultLimits, token: o.Token, issuedTokens: []Secret{o.Token}, search: newTokenSearch([]Secret{o.Token}),
		serverClock:  serverClock{own: o.Now},
		streamCounts: streamCounts{now: o.Now, sent: map[string]RequestCounts{}, waiting: map[[2]string]int{}}}
	if o.Budget == nil {
		o.Budget = NewBudget(o.RequestsPerMinute)
	}
	c.budget = o.Budget.budget
	c.http = &http.Client{
		Transport: onlyReads{newTransport(base, c.limits), base},
		// net/http would follow a redirected POST as GET, with the token, to any address: a 3xx is returned as an answer instead.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	c.files = &http.Client{Transport: newFileTransport(base, c.limits), CheckRedirect: c.http.CheckRedirect}
	return c, nil
}

// Close closes the idle connections. Requests under way end by their context.
func (c *Client) Close() {
	c.http.CloseIdleConnections()
	c.files.CloseIdleConnections()
}

// Requests is the number of requests sent so far, retries included.
func (c *Client) Requests() int64 { return c.requests.Load() }

// Retries is the number of repeated requests.
func (c *Client) Retries() int64 { return c.retries.Load() }

// Restarts is the number of cursors that the server has lost. Each made a reader begin a new walk.
func (c *Client) Restarts() int64 { return c.restarts.Load() }

// NoteRestart counts a lost cursor, for Restarts.
func (c *Client) NoteRestart() { c.restarts.Add(1) }

// Version is the API version that is sent with every request.
func (c *Client) Version() string { return c.o.Version }

// BaseURL is the API's address. Callers must not change it.
func (c *Client) BaseURL() *url.URL { return c.base }

// RequestsPerSecond is about how many requests the pace allows in a second, 0 when less than one.
func (c *Client) RequestsPerSecond() int { return int(c.budget.currentPace()) }

// PaceIsUsed reports whether requests wait for the pace, more than it allows in a tenth of a second. Further ones would only wait, too.
func (c *Client) PaceIsUsed() bool { return c.budget.isUsed(c.o.Now()) }

// RequestsPerMinute is how many requests the pace allows in a minute now.
func (c *Client) RequestsPerMinute() int { return int(60 * c.budget.currentPace()) }
