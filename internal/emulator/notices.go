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

// topic is one kind of what webhooks are told of (workspace-api 6).
type topic struct {
	name  string
	since apiversion.Version // that added it (workspace-api 9)
	scope string             // that the bearer of the webhook needs
}

var topics = []topic{
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

// topicNames are the topics that webhooks are told of.
func topicNames() (names []string) {
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
	return webhook.Hook{URL: address, Secret: secret}.Check(topicNames())
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
		if err := h.Check(topicNames()); err != nil {
			return nil, err
		}
	}
	n := &Notifier{w: w, address: address, hooks: hooks, sender: webhook.NewSender(hooks...), done: make(chan struct{})}
	w.Mu.Lock()
	w.RunDue(w.Time())
	w.notifier, w.brought = n, brought{}
	w.silent = true
	w.passing(w.Time())
	w.silent = false
	w.Mu.Unlock()
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
			n.w.CatchUp()
		}
	}
}

// Deliveries gives the newest notifications and how they fare, oldest first.
func (n *Notifier) Deliveries() []webhook.Delivery { return n.sender.Deliveries() }

// Close tells nothing more. What is due is still sent until the context ends; it gives how many notifications were not taken, those
// among them that were given up before.
func (n *Notifier) Close(ctx context.Context) int {
	n.w.Mu.Lock()
	if n.w.notifier == n {
		n.w.notifier = nil
	}
	n.w.Mu.Unlock()
	close(n.done)
	n.heeding.Wait()
	return n.sender.Close(ctx)
}

// silence has nobody told of what happens, but noted that it did: what a journal tells is old.
func (w *noticeDesk) silence(on bool) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	if !on {
		w.passing(w.Time())
	}
	w.silent = on
}

// tells says whether anybody may be told. The lock is held.
func (w *noticeDesk) tells() bool { return w.notifier != nil && !w.silent }

// tell has webhooks told that something happened; what names it among all that ever happens. The lock is held.
func (w *noticeDesk) tell(name, what string, at int64, item func(q *api.Request) []byte) {
	i := slices.IndexFunc(topics, func(t topic) bool { return t.name == name })
	v, _ := apiversion.Parse(w.Options.DefaultVersion)
	if t := topics[i]; !w.tells() || !w.Has(v, t.since) {
		return
	}
	hash := sha256.Sum256(fmt.Appendf(nil, "%d %s %s %d", w.Setup.Seed, name, what, at))
	one := webhook.Notice{ID: "notif_" + hex.EncodeToString(hash[:16]), Topic: name, App: w.WorkspaceID, At: at}
	for place, h := range w.notifier.hooks {
		who, known := w.Bearer(cmp.Or(h.Token, w.FullToken()))
		if !known || !who.May(topics[i].scope, w.K().ReadScopesOnly) || len(h.Topics) > 0 && !slices.Contains(h.Topics, name) {
			continue
		}
		if one.Item == nil {
			one.Item = item(&api.Request{Version: v, Base: w.notifier.address})
		}
		w.notifier.sender.Send(place, one)
	}
}

// tellOfConversation tells what an event of the log of conversations is to webhooks: a rating where there was none, and what the AI
// agent or a bot says. The lock is held.
func (w *noticeDesk) tellOfConversation(seq int) {
	e := &w.ConversationLog[seq]
	if !w.tells() || e.Kind != event.ThreadOpened && e.Kind != event.ThreadPartAdded && e.Kind != event.ThreadRated {
		return
	}
	now := *w.Threads[e.Num].Newest
	c := w.Drawer().Draw(&now)
	show := func(c conversations.Conversation, newest int) func(q *api.Request) []byte {
		return func(q *api.Request) []byte {
			r := w.ConvRenderer(q)
			r.Parts, r.Cap = true, newest
			return r.Conversation(nil, &c)
		}
	}
	had := false
	if e.Kind == event.ThreadRated {
		now.Events = now.Events[:len(now.Events)-1]
		had = w.Drawer().Draw(&now).Rating != nil
	}
	if c.Rating != nil && !had && e.Kind != event.ThreadPartAdded {
		w.tell("conversation.rating.added", strconv.Itoa(seq), e.At, show(*c, w.K().MostParts()))
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
	if e.Kind != event.DynamicContents || !w.tells() || w.K().NoDynamicContent {
		return
	}
	name := map[event.ContentChange]string{event.ContentCreated: "dynamic_content.created", event.ContentEdited: "dynamic_content.updated", event.ContentRemoved: "dynamic_content.deleted"}[e.What]
	w.tell(name, strconv.Itoa(len(w.ContentLog)), e.At, func(q *api.Request) []byte {
		m, as := w.Writer(q)
		p := &jsontext.Writer{}
		jsontext.WriteRecord(p, m.Record(w.Items[e.Kind][e.N], as))
		return p.Bytes
	})
}

// passing tells what time has brought by now: calls that began, ended, are recorded and written down, and jobs that are over. The
// lock is held.
func (w *noticeDesk) passing(now time.Time) {
	if w.notifier == nil {
		return
	}
	for i := range w.CallList {
		c := &w.CallList[i]
		if len(w.brought.calls) == i {
			w.brought.calls = append(w.brought.calls, [4]bool{})
		}
		for step, at := range [4]int64{c.Initiated, c.Ended, c.Recorded, calls.TranscriptReady(c, w.K().TranscriptLate)} {
			name := []string{"call.started", "call.ended", "call.recording_available", "call.transcription_available"}[step]
			if at == 0 || max(at, c.Put) > now.Unix() || w.brought.calls[i][step] {
				continue
			}
			w.brought.calls[i][step] = true
			at = max(at, c.Put) // nothing is told before the list has it
			if c.Removed == 0 || at < c.Removed {
				w.tell(name, event.CallID(c.N), at, func(*api.Request) []byte { return append(w.AppendCall(nil, c, int(c.N), at), '}') })
			}
		}
	}
	for i := range w.JobList {
		if len(w.brought.jobs) == i {
			w.brought.jobs = append(w.brought.jobs, false)
		}
		if over := w.JobList[i].EndsAt(); !w.brought.jobs[i] && !over.After(now) {
			w.brought.jobs[i] = true
			w.tell("job.completed", jobs.JobID(i), over.Unix(), func(q *api.Request) []byte { return w.AppendJob(nil, q, i, over) })
		}
	}
}

// noticeDesk tells webhooks of what happens.
type noticeDesk struct {
	*front.Server
	notifier *Notifier // nil: nobody is told of anything
	brought  brought   // what of it is known
	silent   bool      // what happens now is told to nobody
}
