package alert

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"
)

// Limits of sending: a run waits for it.
const (
	answerTimeout = 10 * time.Second // for one answer
	maxTries      = 3
)

// pingTarget sends the last line of a run to a target's ping URL with a suffix. The run's id is sent as a UUID, as such services
// require.
func (s *Sender) pingTarget(ctx context.Context, t Target, way string, r Run) {
	if t.Ping == "" {
		return
	}
	u, err := url.Parse(t.Ping)
	if err != nil {
		s.logUnsent(t.Name+".ping", errors.New("its address is not a URL"))
		return
	}
	u.Path = strings.TrimSuffix(u.Path, "/") + way
	if id, err := ulid.Parse(r.ID); err == nil {
		q := u.Query()
		q.Set("rid", fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:]))
		u.RawQuery = q.Encode()
	}
	s.sendRetrying(ctx, t.Name+".ping", u.String(), "text/plain; charset=utf-8", []byte(r.Line))
}

// postMessage posts a message to a webhook, and reports whether it was accepted.
func (s *Sender) postMessage(ctx context.Context, t Target, m Message) bool {
	if t.Webhook == "" {
		return true
	}
	m.Emulated = s.Emulated != nil && s.Emulated()
	body, err := json.Marshal(m)
	if err != nil {
		s.logUnsent(t.Name+".webhook", err)
		return false
	}
	return s.sendRetrying(ctx, t.Name+".webhook", t.Webhook, "application/json", body)
}

// logUnsent warns of what did not reach the address of a key of `alerts`. Logs omit the URL, which may contain a secret.
func (s *Sender) logUnsent(key string, err error) {
	s.Log.Warn("an alert could not be sent", "alert", key, "error", err, "next", "correct the address in alerts."+key+", or see whether its service works")
}

// sendRetrying sends to the address of a key of `alerts` until it succeeds, cannot succeed, or maxTries is reached.
func (s *Sender) sendRetrying(ctx context.Context, key, address, kind string, body []byte) bool {
	s.once.Do(func() {
		s.client = &http.Client{Timeout: answerTimeout, Transport: &http.Transport{DisableKeepAlives: true}, // without a proxy from the environment
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	})
	for try := 1; ; try++ {
		mayRetry, err := s.sendOnce(ctx, address, kind, body)
		if err == nil {
			return true
		}
		if !mayRetry || try == maxTries || s.Wait(ctx, time.Duration(try*try)*time.Second) != nil {
			s.logUnsent(key, err)
			return false
		}
	}
}

// CheckReachable connects to an address and sends nothing: a ping would count, and people would read a message. Its error omits
// the address.
func (a Address) CheckReachable(ctx context.Context) error {
	u, err := url.Parse(a.address)
	if err != nil {
		return errors.New("its address is not a URL")
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	port := u.Port()
	if port == "" {
		port = u.Scheme // its name is also the name of its port
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return err
	}
	return conn.Close()
}

// sendOnce sends once, and reports whether a retry may succeed.
func (s *Sender) sendOnce(ctx context.Context, address, kind string, body []byte) (mayRetry bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return false, errors.New("its address is not a URL")
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("User-Agent", "aqueduck")
	resp, err := s.client.Do(req)
	var inside *url.Error
	if errors.As(err, &inside) {
		err = inside.Err // it omits the address
	}
	if err != nil {
		return true, err
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, 1<<10) // the body is not used
	if resp.StatusCode/100 == 2 {
		return false, nil
	}
	return resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests, fmt.Errorf("it was answered with %s", resp.Status)
}
