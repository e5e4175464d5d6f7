package extract

import (
	"context"
	"errors"
	"time"

	"github.com/go-faster/jx"

	"aqueduck/schemas"
)

// Question is one request of a way of reading that has no pages.
type Question struct {
	Stream *schemas.Stream // what it counts for
	Method string
	Path   string // escaped, relative to the base address
	Body   []byte
}

// Reply is the API's answer to a Question: JSON, and no list of errors.
type Reply struct {
	Body       []byte
	ServerTime time.Time // zero when it did not tell
}

// Ask sends one request. Only what may be sent twice is asked again when it fails; its Error says what came instead.
func (c *Client) Ask(ctx context.Context, q Question) (Reply, error) {
	a, err := c.send(ctx, call{op: reading(q.Stream), method: q.Method, path: q.Path, body: q.Body, accept: acceptJSON})
	if err != nil {
		return Reply{}, err
	}
	return Reply{Body: a.body, ServerTime: a.date}, nil
}

// acceptJSON refuses an answer that is no JSON, or a list of errors.
func acceptJSON(a *answer) error {
	if !jx.Valid(a.body) {
		return errBroken
	}
	if parseErrorList(a.body).list {
		return errErrorList
	}
	return nil
}

// StatusOf is the HTTP status of the first Error in err's chain, 0 when it has none.
func StatusOf(err error) int {
	var e *Error
	if errors.As(err, &e) {
		return e.Status
	}
	return 0
}

// Pause waits by the client's clock; ErrBudget when the client is to stop before.
func (c *Client) Pause(ctx context.Context, d time.Duration) error { return c.wait(ctx, d) }
