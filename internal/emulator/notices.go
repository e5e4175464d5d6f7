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

	"aqueduck/internal/emulator/api"
	"aqueduck/internal/emulator/apiversion"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/front"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/state/calls"
	"aqueduck/internal/emulator/state/conversations"
	"aqueduck/internal/emulator/state/jobs"
	"aqueduck/internal/emulator/webhook"
)

// webhookTopic is one kind of event that webhooks receive (workspace-api 6).
type webhookTopic struct {
	name  string
	since apiversion.Version // the version that added it (workspace-api 9)
	scope string             // the scope that the webhook's token needs
}

var topics = []webhookTopic{
	{name: "conversation.rating.added"},
	{name: "conversation.operator.replied", since: apiversion.V214, scope: "read_conversations"},
	{name: "job.completed", since: apiversion.V214},
	{name: "dynamic_content.created", since: apiversion.AfterStable},
	{name: "dynamic_content.updated", since: apiversion.AfterStable},
	{name: "dynamic_content.deleted", since: apiversion.AfterStable},
	{name: "call.started", since: apiversion.V214},
	{name: "call.ended", since: apiversion.V214},
	{name: "call.recording_available", since: apiversion.V214},
	{name: "call.transcription_available", since: apiversion.V214},
}

// topicNames returns the topics of webhooks.
func topicNames() (names []string) {
	for _, t := range topics {
		names = append(names, t.name)
	}
	return names
}

// pollInterval is how often a notifier looks for changes that come with time: a call that ended, a job that is over.
const pollInterval = 200 * time.Millisecond

// deliveredChanges remembers which changes that come with time were sent already.
type deliveredChanges struct {
	calls [][4]bool // by call: started, ended, recorded, transcribed
	jobs  []bool
}

// CheckWebhook returns an error when an address and a secret make no valid webhook.
func CheckWebhook(address, secret string) error {
	return webhook.Hook{URL: address, Secret: secret}.Validate(topicNames())
}

// Notifier sends what happens in a workspace to webhooks. Slow webhooks do not slow the workspace down.
type Notifier struct {
	w       *noticeDesk
	address string // scheme and host of the workspace
	hooks   []webhook.Hook
	sender  *webhook.Sender
	done    chan struct{} // closed when no new notices are accepted
	polling sync.WaitGroup
}

// StartNotifier sends what happens from now on to webhooks, in the workspace's own version, at least once and in no order. A workspace has one
// notifier until it is closed. The address is the scheme and host at which the workspace is served, for URLs in notices.
func (w *noticeDesk) StartNotifier(address string, hooks ...webhook.Hook) (*Notifier, error) {
	for _, h := range hooks {
		if err := h.Validate(topicNames()); err != nil {
			return nil, err
		}
	}
	n := &Notifier{w: w, address: address, hooks: hooks, sender: webhook.NewSender(hooks...), done: make(chan struct{})}
	w.Mu.Lock()
	w.RunDue(w.TimeHeld())
	w.notifier, w.delivered = n, deliveredChanges{}
	w.silent = true
	w.notifyElapsed(w.TimeHeld())
	w.silent = false
	w.Mu.Unlock()
	n.polling.Go(n.pollElapsed)
	return n, nil
}

// pollElapsed looks at the workspace at intervals, so that changes that come with time are sent without any request.
func (n *Notifier) pollElapsed() {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		select {
		case <-n.done:
			return
		case <-tick.C:
			n.w.RunDueNow()
		}
	}
}

// Deliveries returns the newest notices with the state of their delivery, oldest first.
func (n *Notifier) Deliveries() []webhook.Delivery { return n.sender.Deliveries() }

// Close accepts no new notices. Due notices are still sent until the context ends. It returns how many notices were not accepted by their
// webhook, including those given up before.
func (n *Notifier) Close(ctx context.Context) int {
	n.w.Mu.Lock()
	if n.w.notifier == n {
		n.w.notifier = nil
	}
	n.w.Mu.Unlock()
	close(n.done)
	n.polling.Wait()
	return n.sender.Close(ctx)
}

// setSilent suppresses notices but remembers what happened: while a journal is replayed, its events are old.
func (w *noticeDesk) setSilent(on bool) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	if !on {
		w.notifyElapsed(w.TimeHeld())
	}
	w.silent = on
}

// canNotify reports whether notices are sent. The caller holds the lock.
func (w *noticeDesk) canNotify() bool { return w.notifier != nil && !w.silent }

// sendNotice sends a notice of an event to webhooks; what identifies the event. The caller holds the lock.
func (w *noticeDesk) sendNotice(name, what string, at int64, item func(q *api.Request) []byte) {
	i := slices.IndexFunc(topics, func(t webhookTopic) bool { return t.name == name })
	v, _ := apiversion.Parse(w.Options.DefaultVersion)
	if t := topics[i]; !w.canNotify() || !w.VersionHas(v, t.since) {
		return
	}
	hash := sha256.Sum256(fmt.Appendf(nil, "%d %s %s %d", w.Setup.Seed, name, what, at))
	one := webhook.Notice{ID: "notif_" + hex.EncodeToString(hash[:16]), Topic: name, App: w.WorkspaceID, At: at}
	for place, h := range w.notifier.hooks {
		who, known := w.FindBearer(cmp.Or(h.Token, w.AccessTokenHeld()))
		if !known || !who.HasScope(topics[i].scope, w.K().ReadScopesOnly) || len(h.Topics) > 0 && !slices.Contains(h.Topics, name) {
			continue
		}
		if one.Item == nil {
			one.Item = item(&api.Request{Version: v, Base: w.notifier.address})
		}
		w.notifier.sender.EnqueueNotice(place, one)
	}
}

// notifyConversation sends the notices that an event of the log of conversations causes: a first rating, and messages of the AI agent or a
// bot. The caller holds the lock.
func (w *noticeDesk) notifyConversation(seq int) {
	e := &w.ConversationLog[seq]
	if !w.canNotify() || e.Kind != event.ThreadOpened && e.Kind != event.ThreadPartAdded && e.Kind != event.ThreadRated {
		return
	}
	now := *w.Threads[e.Num].Newest
	c := w.ThreadDrawer().DrawConversation(&now)
	show := func(c conversations.Conversation, newest int) func(q *api.Request) []byte {
		return func(q *api.Request) []byte {
			r := w.ConvRenderer(q)
			r.Parts, r.Cap = true, newest
			return r.AppendConversation(nil, &c)
		}
	}
	had := false
	if e.Kind == event.ThreadRated {
		now.Events = now.Events[:len(now.Events)-1]
		had = w.ThreadDrawer().DrawConversation(&now).Rating != nil
	}
	if c.Rating != nil && !had && e.Kind != event.ThreadPartAdded {
		w.sendNotice("conversation.rating.added", strconv.Itoa(seq), e.At, show(*c, w.K().MostParts()))
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
		w.sendNotice("conversation.operator.replied", fmt.Sprint(seq, " ", p.ID), p.At, show(upTo, 1))
	}
}

// notifyContent sends the notices that an event of the log of content causes. The caller holds the lock.
func (w *noticeDesk) notifyContent(e event.ContentEvent) {
	if e.Kind != event.DynamicContents || !w.canNotify() || w.K().NoDynamicContent {
		return
	}
	name := map[event.ContentChange]string{event.ContentCreated: "dynamic_content.created", event.ContentEdited: "dynamic_content.updated", event.ContentRemoved: "dynamic_content.deleted"}[e.What]
	w.sendNotice(name, strconv.Itoa(len(w.ContentLog)), e.At, func(q *api.Request) []byte {
		m, as := w.ContentMaker(q)
		p := &jsontext.Writer{}
		jsontext.WriteRecord(p, m.RenderItem(w.Items[e.Kind][e.N], as))
		return p.Bytes
	})
}

// notifyElapsed sends the notices of what has happened by now: calls that began, ended, were recorded and transcribed, and jobs that are over.
// The caller holds the lock.
func (w *noticeDesk) notifyElapsed(now time.Time) {
	if w.notifier == nil {
		return
	}
	for i := range w.CallList {
		c := &w.CallList[i]
		if len(w.delivered.calls) == i {
			w.delivered.calls = append(w.delivered.calls, [4]bool{})
		}
		for step, at := range [4]int64{c.Initiated, c.Ended, c.Recorded, calls.TranscriptReady(c, w.K().TranscriptLate)} {
			name := []string{"call.started", "call.ended", "call.recording_available", "call.transcription_available"}[step]
			if at == 0 || max(at, c.ListedAt) > now.Unix() || w.delivered.calls[i][step] {
				continue
			}
			w.delivered.calls[i][step] = true
			at = max(at, c.ListedAt) // no notice before the list has the call
			if c.Removed == 0 || at < c.Removed {
				w.sendNotice(name, event.CallID(c.N), at, func(*api.Request) []byte { return append(w.AppendCall(nil, c, int(c.N), at), '}') })
			}
		}
	}
	for i := range w.JobList {
		if len(w.delivered.jobs) == i {
			w.delivered.jobs = append(w.delivered.jobs, false)
		}
		if over := w.JobList[i].EndsAt(); !w.delivered.jobs[i] && !over.After(now) {
			w.delivered.jobs[i] = true
			w.sendNotice("job.completed", jobs.JobID(i), over.Unix(), func(q *api.Request) []byte { return w.AppendJob(nil, q, i, over) })
		}
	}
}

// noticeDesk sends notices to webhooks.
type noticeDesk struct {
	*front.Server
	notifier  *Notifier        // nil: no notices
	delivered deliveredChanges // what was sent already
	silent    bool             // events now cause no notices
}
