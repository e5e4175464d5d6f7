package remote

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"time"

	"github.com/minio/minio-go/v7"
)

// defaultPatience is how long a store may be silent in the middle of a request.
const defaultPatience = time.Minute

// NewTransport returns a transport for requests to an object store. A request fails when the store neither takes nor gives a byte for as long as
// patience; 0 stands for a minute. A transfer that goes on may take any time.
func NewTransport(secure bool, patience time.Duration) (*http.Transport, error) {
	t, err := minio.DefaultTransport(secure)
	if err != nil {
		return nil, err
	}
	patience = cmp.Or(patience, defaultPatience)
	t.ResponseHeaderTimeout = patience
	dial := t.DialContext
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &impatient{c, patience}, nil
	}
	return t, nil
}

// impatient is a connection on which every byte that goes either way is a sign of life. Reading waits while a long request is written.
type impatient struct {
	net.Conn
	patience time.Duration
}

func (c *impatient) Read(p []byte) (int, error) {
	if err := c.SetDeadline(time.Now().Add(c.patience)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

func (c *impatient) Write(p []byte) (int, error) {
	if err := c.SetDeadline(time.Now().Add(c.patience)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}
