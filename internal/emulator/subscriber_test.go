package emulator_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"aqueduck/internal/emulator/webhook"
)

const hookSecret = "between us"

// subscriber is the HTTP server at a webhook's address.
type subscriber struct {
	t      *testing.T
	url    string
	answer func(n int) int // status of the nth delivery's answer; nil: 200

	mu  sync.Mutex
	got []m
	one chan m // accepted notices
}

func newSubscriber(t *testing.T) *subscriber {
	t.Helper()
	s := &subscriber{t: t, one: make(chan m, 10_000)}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL + "/hook"
	return s
}

func (s *subscriber) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	mac := hmac.New(sha1.New, []byte(hookSecret))
	_, _ = mac.Write(body)
	if want := "sha1=" + hex.EncodeToString(mac.Sum(nil)); err != nil || r.Header.Get("X-Hub-Signature") != want || r.Method != "POST" {
		s.t.Errorf("%s signed %q, want %q", r.Method, r.Header.Get("X-Hub-Signature"), want)
	}
	var sent m
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if err := dec.Decode(&sent); err != nil {
		s.t.Errorf("%s: %v", body, err)
	}
	s.mu.Lock()
	s.got = append(s.got, sent)
	status := 200
	if s.answer != nil {
		status = s.answer(len(s.got))
	}
	s.mu.Unlock()
	rw.WriteHeader(status)
	if status < 300 {
		s.one <- sent
	}
}

// nextDelivery returns the next accepted notice.
func (s *subscriber) nextDelivery() m {
	s.t.Helper()
	select {
	case one := <-s.one:
		return one
	case <-time.After(20 * time.Second):
		s.t.Fatal("nothing comes")
		return nil
	}
}

// collectTopics waits for notices of these topics, and returns them by topic.
func (s *subscriber) collectTopics(topics ...string) map[string]m {
	s.t.Helper()
	list := map[string]m{}
	for range topics {
		one := s.nextDelivery()
		list[one["topic"].(string)] = one
	}
	for _, name := range topics {
		if list[name] == nil {
			s.t.Fatalf("nothing comes of %s", name)
		}
	}
	return list
}

func itemOf(one m) m { return one["data"].(m)["item"].(m) }

// startWebhook starts a webhook with short waits between tries. The returned function ends it.
func (c *apiClient) startWebhook(h webhook.Hook) func() int {
	c.t.Helper()
	h.Backoff = time.Millisecond
	if h.Secret == "" {
		h.Secret = hookSecret
	}
	n, err := c.w.StartNotifier(c.url, h)
	c.failOn(err)
	end := sync.OnceValue(func() int {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		return n.Close(ctx)
	})
	c.t.Cleanup(func() { end() })
	return end
}
