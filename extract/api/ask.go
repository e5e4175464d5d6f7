package api

import (
	"context"
	"time"

	"github.com/go-faster/jx"

	"aqueduck/schemas"
)

// Question is one request outside of a paged list.
type Question struct {
	Stream *schemas.Stream // whose requests it counts among
	Method string
	Path   string // escaped, relative to the base address
	Body   []byte
}

// Reply is the API's answer to a Question: JSON, and no error list.
type Reply struct {
	Body       []byte
	ServerTime time.Time // zero when the answer has no date
}

// Ask sends a Question. It retries only what may be sent twice, and returns an *Error otherwise.
func (c *Client) Ask(ctx context.Context, q Question) (Reply, error) {
	a, err := c.Send(ctx, Call{Op: ReadOp(q.Stream), Method: q.Method, Path: q.Path, Body: q.Body, Accept: AcceptJSON})
	if err != nil {
		return Reply{}, err
	}
	return Reply{Body: a.Body, ServerTime: a.Date}, nil
}

// AcceptJSON refuses an answer that is no JSON, or an error list.
func AcceptJSON(a *Answer) error {
	if !jx.Valid(a.Body) {
		return ErrNotJSON
	}
	if parseErrorList(a.Body).list {
		return ErrErrorList
	}
	return nil
}

// Pause waits by the client's clock; ErrBudget at once when the client stops before.
func (c *Client) Pause(ctx context.Context, d time.Duration) error { return c.waitBeforeStop(ctx, d) }
