package emulator

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha1" // as the API signs
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

// Webhook is an address that is told of what happens (workspace-api 6).
type Webhook struct {
	URL     string        // http or https
	Secret  string        // that what is sent is signed with
	Topics  []string      // nil: all
	Token   string        // whose scopes it has; "": those of the main one, which has all
	Tries   int           // until it is given up; 0: eight
	Backoff time.Duration // before the second try, twice as long before each further one, a minute at most; 0: a second

	Watch func(Delivery) // told of every try; may be called by many at once
}

// Delivery is how a notification fares on its way to one address.
type Delivery struct {
	ID, Topic string
	URL       string // without its query
	At        time.Time
	Tries     int
	Status    int    // of the last answer; 0: there was none
	Error     string // why it was not taken
	Taken     bool
	Over      bool // it is taken or given up
}

const (
	patience      = 5 * time.Second // in which a notification is taken (api-notes, Webhooks)
	mostTries     = 8
	firstBackoff  = time.Second
	mostBackoff   = time.Minute
	mostWaiting   = 10_000 // for one address; what comes beyond is lost
	keptOnTheWay  = 200    // deliveries that are remembered
	atOnce        = 4      // deliveries under way to one address
	answerThatFit = 64 << 10
)

// Notifier tells addresses of what happens in a workspace, beside it: however slow they are, the workspace is not.
type Notifier struct {
	w       *noticeDesk
	address string // scheme and host of the workspace
	hooks   []*hook

	done  chan struct{} // closed when nothing new is told
	ends  context.Context
	end   context.CancelFunc
	group sync.WaitGroup

	mu     sync.Mutex
	recent []*Delivery // the newest, oldest first
	lost   int         // given up, or never tried
}

// hook is one address, with what is on its way to it.
type hook struct {
	Webhook
	shown  string
	wake   chan struct{}
	free   chan struct{} // a place in it for each delivery under way
	mu     sync.Mutex
	queue  []notice // by the time of the next try
	moving sync.WaitGroup
}

// notice is a notification for one address.
type notice struct {
	id, topic, app string
	at             int64
	item           []byte
	due            time.Time // of the next try
	tries          int
	record         *Delivery
}

// check says why a webhook cannot be one.
func (h Webhook) check() error {
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
		if !slices.ContainsFunc(topics, func(t topic) bool { return t.name == name }) {
			return fmt.Errorf("there is no topic %q; there are %v", name, TopicNames())
		}
	}
	return nil
}

// CheckWebhook says whether an address and a secret make a webhook.
func CheckWebhook(address, secret string) error { return Webhook{URL: address, Secret: secret}.check() }

func newHook(h Webhook) *hook {
	h.Tries, h.Backoff = cmp.Or(h.Tries, mostTries), cmp.Or(h.Backoff, firstBackoff)
	u, _ := url.Parse(h.URL) // it was checked
	return &hook{Webhook: h, shown: u.Scheme + "://" + u.Host + u.Path, wake: make(chan struct{}, 1), free: make(chan struct{}, atOnce)}
}

// add has a notification go to an address. It never waits.
func (n *Notifier) add(h *hook, one notice) {
	one.record = &Delivery{ID: one.id, Topic: one.topic, URL: h.shown, At: time.Unix(one.at, 0).UTC()}
	n.mu.Lock()
	if n.recent = append(n.recent, one.record); len(n.recent) > 2*keptOnTheWay {
		n.recent = slices.Clone(n.recent[keptOnTheWay:])
	}
	n.mu.Unlock()
	h.mu.Lock()
	full := len(h.queue) >= mostWaiting
	h.mu.Unlock()
	if full {
		n.settle(h, &one, 0, errors.New("too many wait"))
		return
	}
	h.push(one)
}

// push puts a notification where its time is.
func (h *hook) push(one notice) {
	h.mu.Lock()
	i, _ := slices.BinarySearchFunc(h.queue, one, func(a, b notice) int { return cmp.Or(a.due.Compare(b.due), -1) })
	h.queue = slices.Insert(h.queue, i, one)
	h.mu.Unlock()
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// pop takes the next whose time has come; without one it says how long to wait for it, 0 where nothing waits.
func (h *hook) pop() (one notice, found bool, wait time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.queue) == 0 {
		return one, false, 0
	}
	if wait = time.Until(h.queue[0].due); wait > 0 {
		return one, false, wait
	}
	one, h.queue = h.queue[0], h.queue[1:]
	return one, true, 0
}

// run sends what is due until nothing new comes and nothing that is due is left.
func (n *Notifier) run(h *hook) {
	defer h.moving.Wait()
	client := &http.Client{Timeout: patience, Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: atOnce},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	for {
		one, found, wait := h.pop()
		if found {
			h.free <- struct{}{}
			h.moving.Go(func() {
				defer func() { <-h.free }()
				n.try(h, client, one)
			})
			continue
		}
		var later <-chan time.Time
		if wait > 0 {
			later = time.After(wait)
		}
		select {
		case <-n.done:
			return
		case <-h.wake:
		case <-later:
		}
	}
}

// try sends a notification once, and has it tried again later unless it was taken.
func (n *Notifier) try(h *hook, client *http.Client, one notice) {
	one.tries++
	status, err := h.send(n.ends, client, one.envelope())
	over := err == nil || one.tries >= h.Tries
	if over {
		n.settle(h, &one, status, err)
		return
	}
	n.report(h, &one, status, err, false)
	one.due = time.Now().Add(min(h.Backoff<<(one.tries-1), mostBackoff))
	h.push(one)
}

// send posts a body, signed. What is not answered with a 2xx in time is not taken.
func (h *hook) send(ctx context.Context, client *http.Client, body []byte) (status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Hub-Signature", "sha1="+hex.EncodeToString(signature(h.Secret, body)))
	res, err := client.Do(req)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err // without the address, whose query may be a secret
		}
		return 0, err
	}
	defer res.Body.Close()
	_, _ = io.CopyN(io.Discard, res.Body, answerThatFit) // what it says besides does not matter
	if res.StatusCode/100 != 2 {
		return res.StatusCode, fmt.Errorf("answered %d", res.StatusCode)
	}
	return res.StatusCode, nil
}

func signature(secret string, body []byte) []byte {
	mac := hmac.New(sha1.New, []byte(secret))
	_, _ = mac.Write(body) // a hash takes everything
	return mac.Sum(nil)
}

// envelope is what is sent (api-notes, Webhooks).
func (o *notice) envelope() []byte {
	p := &jsontext.Writer{}
	p.Open("")
	p.Text("type", "notification_event")
	p.Text("id", o.id)
	p.Text("topic", o.topic)
	p.Text("app_id", o.app)
	p.Int("created_at", o.at)
	p.Int("delivery_attempts", int64(o.tries))
	p.Open("data")
	p.Raw("item", string(o.item))
	p.Close()
	p.Close()
	return p.Bytes
}

// settle notes that a notification was taken, or is given up.
func (n *Notifier) settle(h *hook, one *notice, status int, err error) {
	if err != nil {
		n.mu.Lock()
		n.lost++
		n.mu.Unlock()
	}
	n.report(h, one, status, err, true)
}

func (n *Notifier) report(h *hook, one *notice, status int, err error, over bool) {
	n.mu.Lock()
	d := one.record
	d.Tries, d.Status, d.Error, d.Taken, d.Over = one.tries, status, "", err == nil, over
	if err != nil {
		d.Error = err.Error()
	}
	told := *d
	n.mu.Unlock()
	if h.Watch != nil {
		h.Watch(told)
	}
}

// Deliveries gives the newest notifications and how they fare, oldest first.
func (n *Notifier) Deliveries() []Delivery {
	n.mu.Lock()
	defer n.mu.Unlock()
	list := make([]Delivery, 0, len(n.recent))
	for _, d := range n.recent[max(0, len(n.recent)-keptOnTheWay):] {
		list = append(list, *d)
	}
	return list
}
