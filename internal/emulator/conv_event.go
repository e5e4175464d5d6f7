package emulator

import "slices"

// convKind is what happened to a conversation.
type convKind uint8

// The kinds of the log of conversations.
const (
	convOpened convKind = iota + 1
	convSpoken          // a part was added
	convRedacted
	convRated
	convReviewed  // a scorecard was filled in or changed
	convMonitored // a monitor judged it
	convMutated   // a part was changed in its place
	convTagged
	convUntagged
	convLinked
	convSet
	convPassedOn // one of its contacts was merged away
	convDeleted
)

// convEvent is one entry of the log of conversations, which is the truth about them as the log of contacts is about
// contacts. It is a log of its own: the places in the other one decide what happens to contacts.
type convEvent struct {
	At    int64
	Until int64 // convOpened: the time of the last of the parts it was born with
	Kind  convKind
	Quiet bool     // moves no updated_at
	Conv  int32    // the conversation's number
	Size  int32    // convOpened: how many parts it was born with
	Place int32    // convRedacted, convMutated: the part's place, from 0; -1: the source. convTagged, convUntagged: the tag; convOpened: a ticket's type
	Who   []*doc   // convOpened: its contacts as they were, the first one wrote first; convPassedOn: its contacts from now on
	With  *convArg // what comes with it
}

// convArg is what some events of a conversation carry.
type convArg struct {
	part     part
	assigned *assigned // convMutated: the part's assignment from now on
	body     string    // convMutated: its body from now on
	source   *content  // convSpoken: what an answer of the AI agent was made of
	rating   rating
	card     scorecard
	monitor  monitor
	linked   linked
	by       int64 // convTagged: the admin
	set      []Change
	opening  *source // convOpened: the message that it began with; nothing else of it is drawn
	exactly  bool    // convOpened: a ticket's attributes are those of set, no others
}

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
	placed[edition]
	parts   int32
	deleted bool
}

// recordConv appends an event to the log of conversations and makes the served state follow it. The lock is held.
func (w *Workspace) recordConv(e convEvent) {
	w.said = append(w.said, e)
	w.applyConv(len(w.said) - 1)
	w.tellOfConversation(len(w.said) - 1)
}

// beginConversations makes the conversations of hour 0, which search has long found.
func (w *Workspace) beginConversations() {
	w.conv = newConvMaker(w.cfg.Seed, w.cfg.Start.Unix())
	w.convIdx.init(w, w.searchConversation())
	w.said = w.conv.populate(w.cfg.Conversations, w.cfg.Start.Unix(), w.log)
	w.threads = make([]thread, 0, len(w.said))
	for seq := range w.said {
		w.applyConv(seq)
	}
	for num := range w.threads {
		w.threads[num].shown = w.threads[num].now
	}
	w.convIdx.quiet = false
}

func (w *Workspace) applyConv(seq int) {
	e := &w.said[seq]
	if e.Kind == convOpened {
		w.threads = append(w.threads, newThread(seq, e))
		w.convIdx.announce(seq, e.At, e.Conv, w.threads[e.Conv].now)
		return
	}
	t := &w.threads[e.Conv]
	if e.Kind == convDeleted {
		t.deleted = true
		w.buried = append(w.buried, burial{ID: convID(e.Conv), At: e.At, Kept: keepsMetrics(w.cfg.Seed, convID(e.Conv))})
		w.convIdx.withdraw(seq, e.At, e.Conv)
		return
	}
	t.follow(seq, e)
	w.convIdx.announce(seq, e.At, e.Conv, t.now)
}

// newThread is one that was just opened, by the event at a place of its log.
func newThread(seq int, e *convEvent) thread {
	return thread{parts: e.Size, now: &edition{num: e.Conv, born: int32(seq), created: e.At, updated: max(e.At, e.Until)}}
}

// follow makes a new edition of the thread.
func (t *thread) follow(seq int, e *convEvent) {
	if e.Kind == convSpoken {
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
func (t *thread) contacts(log []convEvent) []*doc {
	for _, seq := range slices.Backward(t.now.trail) {
		if log[seq].Kind == convPassedOn {
			return log[seq].Who
		}
	}
	return log[t.now.born].Who
}

// searchConversation is how search knows a conversation.
func (w *Workspace) searchConversation() searchable[edition] {
	return searchable[edition]{kind: "conversations", fields: w.convFields(), own: ownAttribute,
		attrs: func(d *edition) []attr { return w.drawn(d).Attrs }, usual: 20, lag: forConvLag,
		count: func() int { return len(w.threads) },
		at:    func(num int32) *placed[edition] { return &w.threads[num].placed },
		gone:  func(num int32) bool { return w.threads[num].deleted }}
}

// drawer makes conversations of editions. It needs no lock: logs are only appended to.
type drawer struct {
	make *convMaker
	log  []convEvent
}

// drawer is one for the log as it is now. The lock is held.
func (w *Workspace) drawer() drawer {
	return drawer{w.conv, w.said[:len(w.said):len(w.said)]}
}

func (d drawer) draw(e *edition) *conversation {
	c := d.make.birth(&d.log[e.born])
	for _, seq := range e.trail {
		c.follow(&d.log[seq])
	}
	return c
}

// drawn is a conversation in full, for a filter. The lock is held. A query of several filters asks for the same one
// again and again.
func (w *Workspace) drawn(e *edition) *conversation {
	if w.lastDrawn.edition != e {
		w.lastDrawn.edition, w.lastDrawn.conversation = e, w.drawer().draw(e)
	}
	return w.lastDrawn.conversation
}
