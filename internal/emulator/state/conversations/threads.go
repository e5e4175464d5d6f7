package conversations

import (
	"slices"
	"strconv"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/search"
	"aqueduck/internal/emulator/state/companies"
	"aqueduck/internal/emulator/state/contacts"
	"aqueduck/internal/emulator/state/core"
)

// Desk is all that the server keeps of conversations.
type Desk struct {
	*core.Core
	People              *contacts.Book
	Companies           *companies.Companies
	Maker               *population.Conversations
	ConversationLog     []event.ThreadEvent // the log of conversations
	Threads             []Thread
	ConversationIndex   search.Index[Edition]
	convTurns           int                            // of their life
	ConversationTally   search.Tally                   // conversations that are not deleted
	DeletedBefore       []event.Deletion               // of conversations before hour 0
	Deleted             []event.Deletion               // conversations that were deleted, in the order of time
	ConsultationLog     []event.Consultation           // the log of consultations that came with life
	ServedConsultations map[int32][]event.Consultation // what is served of them, by conversation
	lastDrawn           struct {
		edition      *Edition
		conversation *Conversation
	}

	OnEvent func(seq int)                             // told of every event of the log
	AddCall func(c *Conversation, before int64) int32 // adds a call of a conversation, and gives its number
}

// FindThread finds a conversation by its id.
func (w *Desk) FindThread(id string) (int32, bool) {
	n, err := strconv.ParseInt(id, 10, 64)
	num := (n - event.ThreadBase) / 7
	if err != nil || n < event.ThreadBase || num >= int64(len(w.Threads)) || event.ConversationID(int32(num)) != id {
		return 0, false
	}
	return int32(num), !w.Threads[num].Deleted
}

// Edition is one version of a conversation as search knows it: what it is sorted by, and how to draw the rest of it.
// It is never changed.
type Edition struct {
	Num              int32   // number of the conversation
	Opened           int32   // place in the log of its opening
	Events           []int32 // places of what happened since
	Created, updated int64   // Unix seconds
}

// Thread is what the server keeps of one conversation. Everything else is drawn when it is asked for: there may be
// hundreds of thousands, with parts by the million.
type Thread struct {
	Newest *Edition
	search.Shown[Edition]
	parts   int32
	Deleted bool // it is no longer served
}

// RecordThreadEvent appends an event to the log of conversations and makes the served state follow it. The lock is held.
func (w *Desk) RecordThreadEvent(e event.ThreadEvent) {
	if e.Kind == event.ThreadDeleted {
		e.Kept = population.KeepsMetrics(w.Setup.Seed, event.ConversationID(e.Num))
	}
	w.ConversationLog = append(w.ConversationLog, e)
	w.applyConv(len(w.ConversationLog) - 1)
	w.OnEvent(len(w.ConversationLog) - 1)
}

// SeedConversations makes the conversations of hour 0, which search has long found.
func (w *Desk) SeedConversations() {
	w.Maker = population.NewConversations(w.Setup.Seed, w.Setup.Start.Unix())
	w.ConversationIndex.Init(&w.SearchEnv, w.searchConversation())
	w.ConversationLog = w.Maker.DrawOpenings(w.Setup.Conversations, w.Setup.Start.Unix(), w.People.ContactLog)
	w.Threads = make([]Thread, 0, len(w.ConversationLog))
	for seq := range w.ConversationLog {
		w.applyConv(seq)
	}
	for num := range w.Threads {
		w.Threads[num].Now = w.Threads[num].Newest
	}
	w.ConversationIndex.StartAnnouncing()
}

func (w *Desk) applyConv(seq int) {
	e := &w.ConversationLog[seq]
	if e.Kind == event.ThreadOpened {
		w.Threads = append(w.Threads, NewThread(seq, e))
		w.ConversationIndex.Announce(seq, e.At, e.Num, w.Threads[e.Num].Newest)
		return
	}
	t := &w.Threads[e.Num]
	if e.Kind == event.ThreadDeleted {
		t.Deleted = true
		w.Deleted = append(w.Deleted, event.Deletion{ID: event.ConversationID(e.Num), At: e.At, Kept: e.Kept})
		w.ConversationIndex.Withdraw(seq, e.At, e.Num)
		return
	}
	t.ApplyThreadEvent(seq, e)
	w.ConversationIndex.Announce(seq, e.At, e.Num, t.Newest)
}

// NewThread is one that was just opened, by the event at a place of its log.
func NewThread(seq int, e *event.ThreadEvent) Thread {
	return Thread{parts: e.Size, Newest: &Edition{Num: e.Num, Opened: int32(seq), Created: e.At, updated: max(e.At, e.Until)}}
}

// ApplyThreadEvent makes a new edition of the thread.
func (t *Thread) ApplyThreadEvent(seq int, e *event.ThreadEvent) {
	if e.Kind == event.ThreadPartAdded {
		t.parts++
	}
	next := *t.Newest
	next.Events = append(next.Events, int32(seq)) // older editions keep their own length of it
	if !e.Quiet {
		next.updated = e.At
	}
	t.Newest = &next
}

// CurrentContacts are those who take part now.
func (t *Thread) CurrentContacts(log []event.ThreadEvent) []*event.Contact {
	for _, seq := range slices.Backward(t.Newest.Events) {
		if log[seq].Kind == event.ThreadContactsChanged {
			return log[seq].Who
		}
	}
	return log[t.Newest.Opened].Who
}

// searchConversation is how search knows a conversation.
func (w *Desk) searchConversation() search.Records[Edition] {
	return search.Records[Edition]{Kind: "conversations", Fields: w.convFields(), Prefix: event.OwnAttribute,
		Attrs: func(d *Edition) []event.Attribute { return w.drawCached(d).Attrs }, Usual: 20, Lag: event.ForConversationLag,
		Count: func() int { return len(w.Threads) },
		At:    func(num int32) *search.Shown[Edition] { return &w.Threads[num].Shown },
		Gone:  func(num int32) bool { return w.Threads[num].Deleted }}
}

// threadDrawer makes conversations of editions. It needs no lock: logs are only appended to.
type threadDrawer struct {
	make *population.Conversations
	log  []event.ThreadEvent
}

// ThreadDrawer is one for the log as it is now. The lock is held.
func (w *Desk) ThreadDrawer() threadDrawer {
	return threadDrawer{w.Maker, w.ConversationLog[:len(w.ConversationLog):len(w.ConversationLog)]}
}

func (d threadDrawer) DrawConversation(e *Edition) *Conversation {
	opened := &d.log[e.Opened]
	c := NewConversation(opened, d.make.DrawBeginning(opened))
	for _, seq := range e.Events {
		c.ApplyEvent(&d.log[seq])
	}
	return c
}

// drawCached is a conversation in full, for a filter. The lock is held. A query of several filters asks for the same one
// again and again.
func (w *Desk) drawCached(e *Edition) *Conversation {
	if w.lastDrawn.edition != e {
		w.lastDrawn.edition, w.lastDrawn.conversation = e, w.ThreadDrawer().DrawConversation(e)
	}
	return w.lastDrawn.conversation
}

// CountThreadsOf counts the threads that are there and have one of these contacts in them.
func CountThreadsOf(log []event.ThreadEvent, list []Thread, ids map[string]bool) (n int) {
	for i := range list {
		if !list[i].Deleted && slices.ContainsFunc(list[i].CurrentContacts(log), func(d *event.Contact) bool { return ids[d.ID] }) {
			n++
		}
	}
	return n
}

// PartIDs are those of a thread, oldest first.
func (t *Thread) PartIDs(num int32) []string {
	var ids []string
	for place := range int(t.parts) {
		ids = append(ids, strconv.FormatInt(event.PartID(num, place), 10))
	}
	return ids
}
