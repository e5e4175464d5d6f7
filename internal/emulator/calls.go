package emulator

import (
	"encoding/json"
	"net/http"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// conversationID is the id of the nth conversation.
func conversationID(n int) string { return event.ConversationID(int32(n)) }

// beginCalls makes the calls of the year before hour 0.
func (w *callDesk) beginCalls(count int) {
	w.calls, w.talks.conv.Calls = w.callers().Populate(count)
}

// callers are whom calls may be of now.
func (w *callDesk) callers() population.Callers {
	return population.Callers{Seed: w.cfg.Seed, Start: w.cfg.Start.Unix(), Conversations: len(w.talks.threads), Contacts: len(w.people.contacts),
		Contact: func(n int) string { return w.people.contacts[n].doc.ID }}
}

// callOf adds a call of a conversation that was over before a time, and gives its number: a part that sums it up names it
// (trap T77). It is drawn by itself, so that what else happens in the hour stays what it is.
func (w *callDesk) callOf(c *conversation, before int64) int32 {
	one := w.drawCall(event.NewRNG(w.cfg.Seed, event.ForCalls, 5, uint64(len(w.calls))), before-7200)
	one.Conv, one.Removed, one.Put = int(c.num), 0, before
	if len(c.Contacts) > 0 {
		one.Contact = c.Contacts[0].ID
	}
	w.calls = append(w.calls, one)
	return one.N
}

func (w *callDesk) drawCall(r *event.RNG, at int64) event.Call {
	return w.callers().Draw(r, int32(len(w.calls)), at)
}

// hourOfCalls lets calls begin in an hour of life. They end, and are recorded and transcribed, as time passes.
func (w *callDesk) hourOfCalls(base int64) {
	r := event.NewRNG(w.cfg.Seed, event.ForCalls, 1, uint64(w.hours))
	for i := range r.N(4) {
		c := w.drawCall(r, base+int64(i)*population.Busy/4+int64(r.N(population.Busy/4)))
		c.Put = base
		w.calls = append(w.calls, c)
	}
}

// isListed says whether the list of calls has a call now.
func isListed(c *event.Call, now int64) bool {
	return max(c.Initiated, c.Put) <= now && (c.Removed == 0 || now < c.Removed)
}

// listCalls is GET /calls (workspace-api 4.11), in an order that nobody is told.
func listCalls(w *server, q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now()
	var list []int
	for i := range w.calls {
		if isListed(&w.calls[i], now) {
			list = append(list, i)
		}
	}
	seed := uint64(7)
	if w.k().CallsShuffled {
		seed = uint64(now / 3600)
	}
	r := event.NewRNG(w.cfg.Seed, event.ForShuffle, seed)
	for i := len(list) - 1; i > 0; i-- {
		j := r.N(i + 1)
		list[i], list[j] = list[j], list[i]
	}
	return w.numbered(q, 25, 25, len(list), func(b []byte, i int) []byte {
		return append(w.appendCall(b, &w.calls[list[i]], q.n, now), '}')
	})
}

// oneCall is GET /calls/{id}.
func oneCall(w *server, q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := w.listedCall(q.id); c != nil {
		return ok(append(w.appendCall(nil, c, q.n, w.now()), '}'))
	}
	return notFound("Call")
}

// mostConversations is how many /calls/search takes at once (workspace-api 8).
const mostConversations = 20

// searchCalls is POST /calls/search: the calls of conversations, with their transcripts. What it does not have it leaves out.
func searchCalls(w *server, q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	var sent struct {
		IDs []json.Number `json:"conversation_ids"`
	}
	if err := json.Unmarshal(q.body, &sent); err != nil || len(sent.IDs) == 0 || len(sent.IDs) > mostConversations {
		return failure(http.StatusBadRequest, "parameter_invalid", "conversation_ids must be a list of 1 to 20 ids")
	}
	asked := map[string]bool{}
	for _, id := range sent.IDs {
		asked[id.String()] = true
	}
	b := openList(nil, "list", "data")
	for i := range w.calls {
		c := &w.calls[i]
		if !asked[conversationID(c.Conv)] || !isListed(c, w.now()) || c.Luck < w.k().CallsLeftOut || w.k().EmptyLists {
			continue
		}
		if b[len(b)-1] == '}' {
			b = append(b, ',')
		}
		b = w.appendCall(b, c, q.n, w.now())
		b = append(w.appendTranscript(b, c), '}')
	}
	return ok(append(b, `]}`...))
}
