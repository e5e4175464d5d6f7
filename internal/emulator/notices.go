package emulator

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/webhook"
)

// topic is one kind of what webhooks are told of (workspace-api 6).
type topic struct {
	name  string
	since version // that added it (workspace-api 9)
	scope string  // that the bearer of the webhook needs
}

var topics = []topic{
	{name: "conversation.rating.added"},
	{name: "conversation.operator.replied", since: v214, scope: "read_conversations"},
	{name: "job.completed", since: v214},
	{name: "dynamic_content.created", since: afterStable},
	{name: "dynamic_content.updated", since: afterStable},
	{name: "dynamic_content.deleted", since: afterStable},
	{name: "call.started", since: v214},
	{name: "call.ended", since: v214},
	{name: "call.recording_available", since: v214},
	{name: "call.transcription_available", since: v214},
}

// TopicNames are the topics that webhooks are told of.
func TopicNames() (names []string) {
	for _, t := range topics {
		names = append(names, t.name)
	}
	return names
}

// heed is how often a notifier looks what time has brought: a call that ended, a job that is over.
const heed = 200 * time.Millisecond

// brought is which changes of things that go on by themselves are known already.
type brought struct {
	calls [][4]bool // by call: started, ended, recorded, transcribed
	jobs  []bool
}

// CheckWebhook says why an address and a secret make no webhook.
func CheckWebhook(address, secret string) error {
	return webhook.Hook{URL: address, Secret: secret}.Check(TopicNames())
}

// Notifier tells webhooks of what happens in a workspace, beside it: however slow they are, the workspace is not.
type Notifier struct {
	w       *noticeDesk
	address string // scheme and host of the workspace
	hooks   []webhook.Hook
	sender  *webhook.Sender
	done    chan struct{} // closed when nothing new is told
	heeding sync.WaitGroup
}

// Notify tells webhooks of what happens from now on, in the version of the workspace's own, at least once and in no order. One
// notifier is kept, until it is closed. The address is the scheme and host that the workspace is served at, for addresses in what is
// told.
func (w *noticeDesk) Notify(address string, hooks ...webhook.Hook) (*Notifier, error) {
	for _, h := range hooks {
		if err := h.Check(TopicNames()); err != nil {
			return nil, err
		}
	}
	n := &Notifier{w: w, address: address, hooks: hooks, sender: webhook.NewSender(hooks...), done: make(chan struct{})}
	w.mu.Lock()
	w.happen(w.clock())
	w.notifier, w.brought = n, brought{}
	w.silent = true
	w.passing(w.clock())
	w.silent = false
	w.mu.Unlock()
	n.heeding.Go(n.heed)
	return n, nil
}

// heed looks at the workspace now and then, so that what happens late is told without anybody asking.
func (n *Notifier) heed() {
	tick := time.NewTicker(heed)
	defer tick.Stop()
	for {
		select {
		case <-n.done:
			return
		case <-tick.C:
			n.w.catchUp()
		}
	}
}

// Deliveries gives the newest notifications and how they fare, oldest first.
func (n *Notifier) Deliveries() []webhook.Delivery { return n.sender.Deliveries() }

// Close tells nothing more. What is due is still sent until the context ends; it gives how many notifications were not taken, those
// among them that were given up before.
func (n *Notifier) Close(ctx context.Context) int {
	n.w.mu.Lock()
	if n.w.notifier == n {
		n.w.notifier = nil
	}
	n.w.mu.Unlock()
	close(n.done)
	n.heeding.Wait()
	return n.sender.Close(ctx)
}

// silence has nobody told of what happens, but noted that it did: what a journal tells is old.
func (w *noticeDesk) silence(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !on {
		w.passing(w.clock())
	}
	w.silent = on
}

// tells says whether anybody may be told. The lock is held.
func (w *noticeDesk) tells() bool { return w.notifier != nil && !w.silent }

// tell has webhooks told that something happened; what names it among all that ever happens. The lock is held.
func (w *noticeDesk) tell(name, what string, at int64, item func(q *request) []byte) {
	i := slices.IndexFunc(topics, func(t topic) bool { return t.name == name })
	v, _ := readVersion(w.opts.DefaultVersion)
	if t := topics[i]; !w.tells() || !w.has(v, t.since) {
		return
	}
	hash := sha256.Sum256(fmt.Appendf(nil, "%d %s %s %d", w.cfg.Seed, name, what, at))
	one := webhook.Notice{ID: "notif_" + hex.EncodeToString(hash[:16]), Topic: name, App: w.workspace, At: at}
	for place, h := range w.notifier.hooks {
		who, known := w.bearer(cmp.Or(h.Token, w.token))
		if !known || !who.may(topics[i].scope, w.k().ReadScopesOnly) || len(h.Topics) > 0 && !slices.Contains(h.Topics, name) {
			continue
		}
		if one.Item == nil {
			one.Item = item(&request{version: v, base: w.notifier.address})
		}
		w.notifier.sender.Send(place, one)
	}
}

// tellOfConversation tells what an event of the log of conversations is to webhooks: a rating where there was none, and what the AI
// agent or a bot says. The lock is held.
func (w *noticeDesk) tellOfConversation(seq int) {
	e := &w.said[seq]
	if !w.tells() || e.Kind != event.ThreadOpened && e.Kind != event.ThreadPartAdded && e.Kind != event.ThreadRated {
		return
	}
	now := *w.threads[e.Num].now
	c := w.drawer().draw(&now)
	show := func(c conversation, newest int) func(q *request) []byte {
		return func(q *request) []byte {
			r := w.convRenderer(q)
			r.parts, r.cap = true, newest
			return r.conversation(nil, &c)
		}
	}
	had := false
	if e.Kind == event.ThreadRated {
		now.trail = now.trail[:len(now.trail)-1]
		had = w.drawer().draw(&now).Rating != nil
	}
	if c.Rating != nil && !had && e.Kind != event.ThreadPartAdded {
		w.tell("conversation.rating.added", strconv.Itoa(seq), e.At, show(*c, w.k().MostParts()))
	}
	if e.Kind == event.ThreadRated {
		return
	}
	first := len(c.Parts) - 1
	if e.Kind == event.ThreadOpened {
		first = 0
	}
	for i := max(0, first); i < len(c.Parts); i++ {
		p := &c.Parts[i]
		if p.Type != "comment" || p.Author.Type != "bot" {
			continue
		}
		upTo := *c
		upTo.Parts = c.Parts[:i+1]
		w.tell("conversation.operator.replied", fmt.Sprint(seq, " ", p.ID), p.At, show(upTo, 1))
	}
}

// tellOfContent tells what an event of the log of content is to webhooks. The lock is held.
func (w *noticeDesk) tellOfContent(e event.ContentEvent) {
	if e.Kind != event.DynamicContents || !w.tells() || w.k().NoDynamicContent {
		return
	}
	name := map[event.ContentChange]string{event.ContentCreated: "dynamic_content.created", event.ContentEdited: "dynamic_content.updated", event.ContentRemoved: "dynamic_content.deleted"}[e.What]
	w.tell(name, strconv.Itoa(len(w.contentLog)), e.At, func(q *request) []byte {
		m, as := w.writer(q)
		p := &jsontext.Writer{}
		writeRecord(p, m.record(w.content[e.Kind][e.N], as))
		return p.Bytes
	})
}

// passing tells what time has brought by now: calls that began, ended, are recorded and written down, and jobs that are over. The
// lock is held.
func (w *noticeDesk) passing(now time.Time) {
	if w.notifier == nil {
		return
	}
	for i := range w.calls {
		c := &w.calls[i]
		if len(w.brought.calls) == i {
			w.brought.calls = append(w.brought.calls, [4]bool{})
		}
		for step, at := range [4]int64{c.Initiated, c.Ended, c.Recorded, transcriptReady(c, w.k().TranscriptLate)} {
			name := []string{"call.started", "call.ended", "call.recording_available", "call.transcription_available"}[step]
			if at == 0 || max(at, c.Put) > now.Unix() || w.brought.calls[i][step] {
				continue
			}
			w.brought.calls[i][step] = true
			at = max(at, c.Put) // nothing is told before the list has it
			if c.Removed == 0 || at < c.Removed {
				w.tell(name, event.CallID(c.N), at, func(*request) []byte { return append(w.appendCall(nil, c, int(c.N), at), '}') })
			}
		}
	}
	for i := range w.jobs {
		if len(w.brought.jobs) == i {
			w.brought.jobs = append(w.brought.jobs, false)
		}
		if over := w.jobs[i].over(); !w.brought.jobs[i] && !over.After(now) {
			w.brought.jobs[i] = true
			w.tell("job.completed", jobID(i), over.Unix(), func(q *request) []byte { return w.appendJob(nil, q, i, over) })
		}
	}
}
