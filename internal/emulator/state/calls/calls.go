package calls

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/state/contacts"
	"aqueduck/internal/emulator/state/conversations"
	"aqueduck/internal/emulator/state/core"
)

// ConversationID is the id of the nth conversation.
func ConversationID(n int) string { return event.ConversationID(int32(n)) }

// Calls is all that the server keeps of calls.
type Calls struct {
	*core.Core
	People   *contacts.Book
	Talks    *conversations.Conversations
	CallList []event.Call // by number
}

// SeedCalls makes the calls of the year before hour 0.
func (w *Calls) SeedCalls(count int) {
	w.CallList, w.Talks.Maker.Calls = w.currentCallers().DrawInitialCalls(count)
}

// currentCallers are whom calls may be of now.
func (w *Calls) currentCallers() population.Callers {
	return population.Callers{Seed: w.Setup.Seed, Start: w.Setup.Start.Unix(), Conversations: len(w.Talks.Threads), Contacts: len(w.People.List),
		Contact: func(n int) string { return w.People.List[n].Doc.ID }}
}

// AddCall adds a call of a conversation that was over before a time, and gives its number: a part that sums it up names it
// (trap T77). It is drawn by itself, so that what else happens in the hour stays what it is.
func (w *Calls) AddCall(c *conversations.Conversation, before int64) int32 {
	one := w.drawCall(event.NewRNG(w.Setup.Seed, event.ForCalls, 5, uint64(len(w.CallList))), before-7200)
	one.Conv, one.Removed, one.Put = int(c.Num), 0, before
	if len(c.Contacts) > 0 {
		one.Contact = c.Contacts[0].ID
	}
	w.CallList = append(w.CallList, one)
	return one.N
}

func (w *Calls) drawCall(r *event.RNG, at int64) event.Call {
	return w.currentCallers().DrawCall(r, int32(len(w.CallList)), at)
}

// SimulateCallsHour lets calls begin in an hour of life. They end, and are recorded and transcribed, as time passes.
func (w *Calls) SimulateCallsHour(base int64) {
	r := event.NewRNG(w.Setup.Seed, event.ForCalls, 1, uint64(w.HoursLived))
	for i := range r.IntN(4) {
		c := w.drawCall(r, base+int64(i)*population.Busy/4+int64(r.IntN(population.Busy/4)))
		c.Put = base
		w.CallList = append(w.CallList, c)
	}
}

// IsListed says whether the list of calls has a call now.
func IsListed(c *event.Call, now int64) bool {
	return max(c.Initiated, c.Put) <= now && (c.Removed == 0 || now < c.Removed)
}

// FindListed finds a call that is listed now.
func (w *Calls) FindListed(id string) *event.Call {
	now := w.UnixNow()
	for i := range w.CallList {
		if c := &w.CallList[i]; event.CallID(c.N) == id && IsListed(c, now) {
			return c
		}
	}
	return nil
}
