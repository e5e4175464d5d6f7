package api

import (
	"context"
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
	a, err := c.Send(ctx, Call{Op: ReadOp(q.Stream), Method: q.Method, Path: q.Path, Body: q.Body, Accept: AcceptJSON})
	if err != nil {
		return Reply{}, err
	}
	return Reply{Body: a.Body, ServerTime: a.Date}, nil
}

// AcceptJSON refuses an answer that is no JSON, or a list of errors.
func AcceptJSON(a *Answer) error {
	if !jx.Valid(a.Body) {
		return ErrNotJSON
	}
	if parseErrorList(a.Body).list {
		return ErrErrorList
	}
	return nil
}

// Pause waits by the client's clock; ErrBudget when the client is to stop before.
func (c *Client) Pause(ctx context.Context, d time.Duration) error { return c.waitBeforeStop(ctx, d) }
