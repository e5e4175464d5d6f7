package api

import (
	"context"
	"net"
)

// LimitBody sets how many bytes an answer may have, unpacked.
func (c *Client) LimitBody(most int) { c.limits.body = most }

// DialBy has the client's own transport make its connections in another way.
func (c *Client) DialBy(dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	transport := newTransport(c.base, c.limits)
	transport.DialContext = dial
	c.http.Transport = transport
}
