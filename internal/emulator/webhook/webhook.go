// Package webhook delivers signed notices of what happened to HTTP addresses, and tries again until they are accepted (workspace-api 6).
package webhook

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha1" // the API's signature algorithm
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"aqueduck/internal/emulator/jsontext"
)

// Hook is an address that receives notices.
type Hook struct {
	URL     string        // http or https
	Secret  string        // key of the signature
	Topics  []string      // nil: all
	Token   string        // token with the hook's scopes; "": the main token, which has all
	Tries   int           // tries until the notice is given up; 0: eight
	Backoff time.Duration // before the second try, doubled before each further one, a minute at most; 0: a second

	Watch func(Delivery) // called after every try, concurrently
}

// Delivery is the state of a notice for one address.
type Delivery struct {
	ID, Topic string
	URL       string    // without its query
	At        time.Time // when the event happened
	Tries     int       // tries so far
	Status    int       // of the last answer; 0: none
	Error     string    // why the last try failed
	Taken     bool      // the address answered with 2xx
	Over      bool      // accepted or given up
}

const (
	patience      = 5 * time.Second // time to answer a notice (api-notes, Webhooks)
	mostTries     = 8
	firstBackoff  = time.Second
	mostBackoff   = time.Minute
	mostWaiting   = 10_000 // for one address; further notices are dropped
	keptOnTheWay  = 200    // deliveries that are remembered
	atOnce        = 4      // concurrent deliveries to one address
	answerThatFit = 64 << 10
)

// Notice is a notification.
type Notice struct {
	ID, Topic, App string
	At             int64  // when the event happened, in seconds
	Item           []byte // the affected record as JSON
}

// Sender delivers notices. Enqueueing never waits for an address. It is safe for concurrent use.
type Sender struct {
	lines []*hookQueue

	done  chan struct{} // closed when no new notices are accepted
	ends  context.Context
	end   context.CancelFunc
	group sync.WaitGroup

	mu     sync.Mutex
	recent []*Delivery // the newest deliveries, oldest first
	lost   int         // given up, or never tried
}

// hookQueue is one address with its queue.
type hookQueue struct {
	Hook
	shown  string
	wake   chan struct{}
	free   chan struct{} // one slot for each concurrent delivery
	mu     sync.Mutex
	queue  []queuedNotice // ordered by the time of the next try
	moving sync.WaitGroup
}

// queuedNotice is a notice for one address.
type queuedNotice struct {
	Notice
	due    time.Time // time of the next try
	tries  int
	record *Delivery
}

// NewSender starts the delivery to hooks that were validated. The caller closes it.
func NewSender(hooks ...Hook) *Sender {
	s := &Sender{done: make(chan struct{})}
	s.ends, s.end = context.WithCancel(context.Background())
	for _, h := range hooks {
		l := newLine(h)
		s.lines = append(s.lines, l)
		s.group.Go(func() { s.deliverDue(l) })
	}
	return s
}

// Close accepts no new notices. Due notices are still sent until the context ends. It returns how many notices were not accepted, including
// those given up before.
func (s *Sender) Close(ctx context.Context) int {
	close(s.done)
	stop := context.AfterFunc(ctx, s.end)
	s.group.Wait()
	stop()
	s.end()
	s.mu.Lock()
	missed := s.lost
	s.mu.Unlock()
	for _, l := range s.lines {
		missed += len(l.queue) // nothing else sends them any more
	}
	return missed
}

// Validate returns an error when the hook is invalid; topics are the known topics.
func (h Hook) Validate(topics []string) error {
	u, err := url.Parse(h.URL)
	switch {
	case err != nil:
		return errors.New("a webhook goes to an address as https://host/path, which this is not")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil:
		return fmt.Errorf("a webhook goes to an address as https://host/path, without a name and a password, not to %q", u.Redacted())
	case h.Secret == "":
		return errors.New("a webhook needs a secret, which signs what is sent")
	}
	for _, name := range h.Topics {
		if !slices.Contains(topics, name) {
			return fmt.Errorf("there is no topic %q; there are %v", name, topics)
		}
	}
	return nil
}

func newLine(h Hook) *hookQueue {
	h.Tries, h.Backoff = cmp.Or(h.Tries, mostTries), cmp.Or(h.Backoff, firstBackoff)
	u, _ := url.Parse(h.URL) // Validate has checked it
	return &hookQueue{Hook: h, shown: u.Scheme + "://" + u.Host + u.Path, wake: make(chan struct{}, 1), free: make(chan struct{}, atOnce)}
}

// EnqueueNotice queues a notice for one of the hooks, by its index. It never waits.
func (s *Sender) EnqueueNotice(hook int, notice Notice) {
	l := s.lines[hook]
	one := queuedNotice{Notice: notice, due: time.Now(), record: &Delivery{ID: notice.ID, Topic: notice.Topic, URL: l.shown, At: time.Unix(notice.At, 0).UTC()}}
	s.mu.Lock()
	if s.recent = append(s.recent, one.record); len(s.recent) > 2*keptOnTheWay {
		s.recent = slices.Clone(s.recent[keptOnTheWay:])
	}
	s.mu.Unlock()
	l.mu.Lock()
	full := len(l.queue) >= mostWaiting
	l.mu.Unlock()
	if full {
		s.recordOutcome(l, &one, 0, errors.New("too many wait"))
		return
	}
	l.enqueueNotice(one)
}

// enqueueNotice inserts a notice by its time.
func (l *hookQueue) enqueueNotice(one queuedNotice) {
	l.mu.Lock()
	i, _ := slices.BinarySearchFunc(l.queue, one, func(a, b queuedNotice) int { return cmp.Or(a.due.Compare(b.due), -1) })
	l.queue = slices.Insert(l.queue, i, one)
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// dequeueDue takes the next due notice. Without one, wait is the time until the next; 0 when the queue is empty.
func (l *hookQueue) dequeueDue() (one queuedNotice, found bool, wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		return one, false, 0
	}
	if wait = time.Until(l.queue[0].due); wait > 0 {
		return one, false, wait
	}
	one, l.queue = l.queue[0], l.queue[1:]
	return one, true, 0
}

// deliverDue sends due notices until the sender closes and no due notice is left.
func (s *Sender) deliverDue(l *hookQueue) {
	defer l.moving.Wait()
	client := &http.Client{Timeout: patience, Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: atOnce},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	for {
		one, found, wait := l.dequeueDue()
		if found {
			l.free <- struct{}{}
			l.moving.Go(func() {
				defer func() { <-l.free }()
				s.tryDelivery(l, client, one)
			})
			continue
		}
		var later <-chan time.Time
		if wait > 0 {
			later = time.After(wait)
		}
		select {
		case <-s.done:
			return
		case <-l.wake:
		case <-later:
		}
	}
}

// tryDelivery sends a notice once, and queues it for the next try when that fails.
func (s *Sender) tryDelivery(l *hookQueue, client *http.Client, one queuedNotice) {
	one.tries++
	status, err := l.postSigned(s.ends, client, one.noticeEnvelope())
	over := err == nil || one.tries >= l.Tries
	if over {
		s.recordOutcome(l, &one, status, err)
		return
	}
	s.recordAttempt(l, &one, status, err, false)
	one.due = time.Now().Add(min(l.Backoff<<(one.tries-1), mostBackoff))
	l.enqueueNotice(one)
}

// postSigned posts a signed body. Any answer but a 2xx in time is an error.
func (l *hookQueue) postSigned(ctx context.Context, client *http.Client, body []byte) (status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.URL, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Hub-Signature", "sha1="+hex.EncodeToString(signBody(l.Secret, body)))
	res, err := client.Do(req)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err // without the address, whose query may contain a secret
		}
		return 0, err
	}
	defer res.Body.Close()
	_, _ = io.CopyN(io.Discard, res.Body, answerThatFit) // the body of the answer does not matter
	if res.StatusCode/100 != 2 {
		return res.StatusCode, fmt.Errorf("answered %d", res.StatusCode)
	}
	return res.StatusCode, nil
}

func signBody(secret string, body []byte) []byte {
	mac := hmac.New(sha1.New, []byte(secret))
	_, _ = mac.Write(body) // a hash cannot fail
	return mac.Sum(nil)
}

// noticeEnvelope returns the body of a notice (api-notes, Webhooks).
func (o *queuedNotice) noticeEnvelope() []byte {
	p := &jsontext.Writer{}
	p.Open("")
	p.TextOrNull("type", "notification_event")
	p.TextOrNull("id", o.ID)
	p.TextOrNull("topic", o.Topic)
	p.TextOrNull("app_id", o.App)
	p.Int("created_at", o.At)
	p.Int("delivery_attempts", int64(o.tries))
	p.Open("data")
	p.RawOrNull("item", string(o.Item))
	p.Close()
	p.Close()
	return p.Bytes
}

// recordOutcome records the result of a try, and whether the notice is given up.
func (s *Sender) recordOutcome(l *hookQueue, one *queuedNotice, status int, err error) {
	if err != nil {
		s.mu.Lock()
		s.lost++
		s.mu.Unlock()
	}
	s.recordAttempt(l, one, status, err, true)
}

func (s *Sender) recordAttempt(l *hookQueue, one *queuedNotice, status int, err error, over bool) {
	s.mu.Lock()
	d := one.record
	d.Tries, d.Status, d.Error, d.Taken, d.Over = one.tries, status, "", err == nil, over
	if err != nil {
		d.Error = err.Error()
	}
	delivery := *d
	s.mu.Unlock()
	if l.Watch != nil {
		l.Watch(delivery)
	}
}

// Deliveries returns the newest deliveries, oldest first.
func (s *Sender) Deliveries() []Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Delivery, 0, len(s.recent))
	for _, d := range s.recent[max(0, len(s.recent)-keptOnTheWay):] {
		list = append(list, *d)
	}
	return list
}
