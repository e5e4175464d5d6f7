package emulator

import (
	"slices"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/search"
)

// edition is one version of a conversation as search knows it: what it is sorted by, and how to draw the rest of it.
// It is never changed.
type edition struct {
	num              int32
	born             int32   // place in the log of its opening
	trail            []int32 // places of what happened since
	created, updated int64
}

// thread is what the server keeps of one conversation. Everything else is drawn when it is asked for: there may be
// hundreds of thousands, with parts by the million.
type thread struct {
	now *edition
	search.Shown[edition]
	parts   int32
	deleted bool
}

// recordConv appends an event to the log of conversations and makes the served state follow it. The lock is held.
func (w *talkDesk) recordConv(e event.ThreadEvent) {
	if e.Kind == event.ThreadDeleted {
		e.Kept = population.KeepsMetrics(w.cfg.Seed, event.ConversationID(e.Num))
	}
	w.said = append(w.said, e)
	w.applyConv(len(w.said) - 1)
	w.heard(len(w.said) - 1)
}

// beginConversations makes the conversations of hour 0, which search has long found.
func (w *talkDesk) beginConversations() {
	w.conv = population.NewConversations(w.cfg.Seed, w.cfg.Start.Unix())
	w.convIdx.Init(&w.env, w.searchConversation())
	w.said = w.conv.Populate(w.cfg.Conversations, w.cfg.Start.Unix(), w.people.events)
	w.threads = make([]thread, 0, len(w.said))
	for seq := range w.said {
		w.applyConv(seq)
	}
	for num := range w.threads {
		w.threads[num].Now = w.threads[num].now
	}
	w.convIdx.Open()
}

func (w *talkDesk) applyConv(seq int) {
	e := &w.said[seq]
	if e.Kind == event.ThreadOpened {
		w.threads = append(w.threads, newThread(seq, e))
		w.convIdx.Announce(seq, e.At, e.Num, w.threads[e.Num].now)
		return
	}
	t := &w.threads[e.Num]
	if e.Kind == event.ThreadDeleted {
		t.deleted = true
		w.buried = append(w.buried, event.Deletion{ID: event.ConversationID(e.Num), At: e.At, Kept: e.Kept})
		w.convIdx.Withdraw(seq, e.At, e.Num)
		return
	}
	t.follow(seq, e)
	w.convIdx.Announce(seq, e.At, e.Num, t.now)
}

// newThread is one that was just opened, by the event at a place of its log.
func newThread(seq int, e *event.ThreadEvent) thread {
	return thread{parts: e.Size, now: &edition{num: e.Num, born: int32(seq), created: e.At, updated: max(e.At, e.Until)}}
}

// follow makes a new edition of the thread.
func (t *thread) follow(seq int, e *event.ThreadEvent) {
	if e.Kind == event.ThreadPartAdded {
		t.parts++
	}
	next := *t.now
	next.trail = append(next.trail, int32(seq)) // older editions keep their own length of it
	if !e.Quiet {
		next.updated = e.At
	}
	t.now = &next
}

// contacts are those who take part now.
func (t *thread) contacts(log []event.ThreadEvent) []*event.Contact {
	for _, seq := range slices.Backward(t.now.trail) {
		if log[seq].Kind == event.ThreadContactsChanged {
			return log[seq].Who
		}
	}
	return log[t.now.born].Who
}

// searchConversation is how search knows a conversation.
func (w *talkDesk) searchConversation() search.Records[edition] {
	return search.Records[edition]{Kind: "conversations", Fields: w.convFields(), Prefix: event.OwnAttribute,
		Attrs: func(d *edition) []event.Attribute { return w.drawn(d).Attrs }, Usual: 20, Lag: event.ForConversationLag,
		Count: func() int { return len(w.threads) },
		At:    func(num int32) *search.Shown[edition] { return &w.threads[num].Shown },
		Gone:  func(num int32) bool { return w.threads[num].deleted }}
}

// drawer makes conversations of editions. It needs no lock: logs are only appended to.
type drawer struct {
	make *population.Conversations
	log  []event.ThreadEvent
}

// drawer is one for the log as it is now. The lock is held.
func (w *talkDesk) drawer() drawer {
	return drawer{w.conv, w.said[:len(w.said):len(w.said)]}
}

func (d drawer) draw(e *edition) *conversation {
	opened := &d.log[e.born]
	c := begun(opened, d.make.Begin(opened))
	for _, seq := range e.trail {
		c.follow(&d.log[seq])
	}
	return c
}

// drawn is a conversation in full, for a filter. The lock is held. A query of several filters asks for the same one
// again and again.
func (w *talkDesk) drawn(e *edition) *conversation {
	if w.lastDrawn.edition != e {
		w.lastDrawn.edition, w.lastDrawn.conversation = e, w.drawer().draw(e)
	}
	return w.lastDrawn.conversation
}
