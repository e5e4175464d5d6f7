package calls

import (
	"slices"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/state/contacts"
	"aqueduck/internal/emulator/state/conversations"
	"aqueduck/internal/emulator/state/core"
)

// ConversationID returns the id of the nth conversation.
func ConversationID(n int) string { return event.ConversationID(int32(n)) }

// Calls is the state of calls.
type Calls struct {
	*core.Core
	People        *contacts.Book
	Conversations *conversations.Conversations
	CallList      []event.Call // by number
}

// SeedCalls makes the calls of the year before hour 0.
func (w *Calls) SeedCalls(count int) {
	if script := w.Setup.Origin.Script; script != nil {
		w.CallList = slices.Clone(script.Calls())
		return
	}
	w.CallList, w.Conversations.Maker.Calls = w.currentCallers().DrawInitialCalls(count)
}

// currentCallers returns the conversations and contacts that a new call may be drawn from.
func (w *Calls) currentCallers() population.Callers {
	return population.Callers{Cast: w.Setup.Cast, Seed: w.Setup.Seed, Start: w.Setup.Start.Unix(), Conversations: len(w.Conversations.Threads), Contacts: len(w.People.List),
		Contact: func(n int) string { return w.People.List[n].Doc.ID }}
}

// AddCall adds a call of a conversation that ended before a time, and returns its number, which the summary part names (trap T77). It has a
// generator of its own, so that the other draws of the hour do not change.
func (w *Calls) AddCall(c *conversations.Conversation, before int64) int32 {
	one := w.drawCall(event.NewRNG(w.Setup.Seed, event.ForCalls, 5, uint64(len(w.CallList))), before-7200)
	one.Conv, one.Removed, one.ListedAt = int(c.Num), 0, before
	if len(c.Contacts) > 0 {
		one.Contact = c.Contacts[0].ID
	}
	w.CallList = append(w.CallList, one)
	return one.N
}

func (w *Calls) drawCall(r *event.RNG, at int64) event.Call {
	return w.currentCallers().DrawCall(r, int32(len(w.CallList)), at)
}

// PlayCall starts a call of a conversation that a script has for a simulated hour.
func (w *Calls) PlayCall(of *population.ScriptedThread, one event.Call, base int64) {
	if of.Num < 0 {
		return
	}
	one.N, one.Conv, one.ListedAt = int32(len(w.CallList)), int(of.Num), base
	of.Call = one.N
	w.CallList = append(w.CallList, one)
}

// SimulateCallsHour starts the calls of a simulated hour. Their end, recording and transcript follow as time passes.
func (w *Calls) SimulateCallsHour(base int64) {
	r := event.NewRNG(w.Setup.Seed, event.ForCalls, 1, uint64(w.HoursLived))
	for i := range r.IntN(4) {
		w.Happen(base+int64(i)*population.Busy/4+int64(r.IntN(population.Busy/4)), func(at int64) {
			c := w.drawCall(r, at)
			c.ListedAt = w.LoggedAt(base, at)
			w.CallList = append(w.CallList, c)
		})
	}
}

// IsListed reports whether the list of calls contains a call now.
func IsListed(c *event.Call, now int64) bool {
	return max(c.Initiated, c.ListedAt) <= now && (c.Removed == 0 || now < c.Removed)
}

// FindListed returns a call that is listed now, by its id; nil where there is none.
func (w *Calls) FindListed(id string) *event.Call {
	now := w.UnixNow()
	for i := range w.CallList {
		if c := &w.CallList[i]; event.CallID(c.N) == id && IsListed(c, now) {
			return c
		}
	}
	return nil
}
