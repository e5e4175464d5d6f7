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

// Desk is the state of conversations.
type Desk struct {
	*core.Core
	People              *contacts.Book
	Companies           *companies.Companies
	Maker               *population.Conversations
	ConversationLog     []event.ThreadEvent // the events of conversations
	Threads             []Thread
	ConversationIndex   search.Index[Edition]
	convTurns           int                            // simulated operations so far
	ConversationTally   search.Tally                   // number of conversations that are not deleted
	DeletedBefore       []event.Deletion               // conversations that were deleted before hour 0
	Deleted             []event.Deletion               // conversations that were deleted since, in the order of time
	ConsultationLog     []event.Consultation           // consultations since hour 0
	ServedConsultations map[int32][]event.Consultation // the same as served, by conversation
	lastDrawn           struct {
		edition      *Edition
		conversation *Conversation
	}

	OnEvent func(seq int)                             // called for every event of the log
	AddCall func(c *Conversation, before int64) int32 // adds a call of a conversation and returns its number
}

// FindThread returns the number of an existing conversation by its id.
func (w *Desk) FindThread(id string) (int32, bool) {
	n, err := strconv.ParseInt(id, 10, 64)
	num := (n - event.ThreadBase) / 7
	if err != nil || n < event.ThreadBase || num >= int64(len(w.Threads)) || event.ConversationID(int32(num)) != id {
		return 0, false
	}
	return int32(num), !w.Threads[num].Deleted
}

// Edition is one version of a conversation for search: its sort keys, and the events from which to replay the rest. It never changes.
type Edition struct {
	Num              int32   // number of the conversation
	Opened           int32   // index of its opening in the log
	Events           []int32 // indexes of later events in the log
	Created, updated int64   // Unix seconds
}

// Thread is the stored state of one conversation. Everything else is replayed on demand: there may be hundreds of thousands, with parts by the
// million.
type Thread struct {
	Newest *Edition
	search.Shown[Edition]
	parts   int32
	Deleted bool // no longer served
}

// RecordThreadEvent appends an event to the log of conversations and updates the served state. The caller holds the lock.
func (w *Desk) RecordThreadEvent(e event.ThreadEvent) {
	if e.Kind == event.ThreadDeleted {
		e.KeepsMetrics = population.KeepsMetrics(w.Setup.Seed, event.ConversationID(e.Num))
	}
	w.ConversationLog = append(w.ConversationLog, e)
	w.applyConv(len(w.ConversationLog) - 1)
	w.OnEvent(len(w.ConversationLog) - 1)
}

// SeedConversations makes the conversations of hour 0, visible to search at once.
func (w *Desk) SeedConversations() {
	w.Maker = population.NewConversations(w.Setup.Origin)
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
		w.Deleted = append(w.Deleted, event.Deletion{ID: event.ConversationID(e.Num), At: e.At, KeepsMetrics: e.KeepsMetrics})
		w.ConversationIndex.Withdraw(seq, e.At, e.Num)
		return
	}
	t.ApplyThreadEvent(seq, e)
	w.ConversationIndex.Announce(seq, e.At, e.Num, t.Newest)
}

// NewThread returns a thread that was just opened, by the event at an index of its log.
func NewThread(seq int, e *event.ThreadEvent) Thread {
	return Thread{parts: e.Size, Newest: &Edition{Num: e.Num, Opened: int32(seq), Created: e.At, updated: max(e.At, e.Until)}}
}

// ApplyThreadEvent makes a new edition of the thread.
func (t *Thread) ApplyThreadEvent(seq int, e *event.ThreadEvent) {
	if e.Kind == event.ThreadPartAdded {
		t.parts++
	}
	next := *t.Newest
	next.Events = append(next.Events, int32(seq)) // may share memory with older editions, which keep their own length
	if !e.Quiet {
		next.updated = e.At
	}
	t.Newest = &next
}

// CurrentContacts returns the current contacts of the thread.
func (t *Thread) CurrentContacts(log []event.ThreadEvent) []*event.Contact {
	for _, seq := range slices.Backward(t.Newest.Events) {
		if log[seq].Kind == event.ThreadContactsChanged {
			return log[seq].Contacts
		}
	}
	return log[t.Newest.Opened].Contacts
}

// searchConversation describes conversations for search.
func (w *Desk) searchConversation() search.Records[Edition] {
	return search.Records[Edition]{Kind: "conversations", Fields: w.convFields(), Prefix: event.OwnAttribute,
		Attrs: func(d *Edition) []event.Attribute { return w.drawCached(d).Attrs }, Usual: 20, Lag: event.ForConversationLag,
		Count:   func() int { return len(w.Threads) },
		At:      func(num int32) *search.Shown[Edition] { return &w.Threads[num].Shown },
		HasLeft: func(num int32) bool { return w.Threads[num].Deleted }}
}

// threadDrawer replays conversations from editions. It needs no lock, because logs are append-only.
type threadDrawer struct {
	make *population.Conversations
	log  []event.ThreadEvent
}

// ThreadDrawer returns a drawer of the current log. The caller holds the lock.
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

// drawCached returns a conversation in full, for a filter. A query of several filters asks for the same one repeatedly, so the last one is
// cached. The caller holds the lock.
func (w *Desk) drawCached(e *Edition) *Conversation {
	if w.lastDrawn.edition != e {
		w.lastDrawn.edition, w.lastDrawn.conversation = e, w.ThreadDrawer().DrawConversation(e)
	}
	return w.lastDrawn.conversation
}

// CountThreadsOf counts the existing threads with one of these contacts.
func CountThreadsOf(log []event.ThreadEvent, list []Thread, ids map[string]bool) (n int) {
	for i := range list {
		if !list[i].Deleted && slices.ContainsFunc(list[i].CurrentContacts(log), func(d *event.Contact) bool { return ids[d.ID] }) {
			n++
		}
	}
	return n
}

// PartIDs returns the ids of a thread's parts, oldest first.
func (t *Thread) PartIDs(num int32) []string {
	var ids []string
	for place := range int(t.parts) {
		ids = append(ids, strconv.FormatInt(event.PartID(num, place), 10))
	}
	return ids
}
