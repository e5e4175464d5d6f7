package emulator

import (
	"encoding/json"
	"fmt"
	"net/http"

	"aqueduck/internal/emulator/event"
)

// forCalls is what calls are drawn for.
const forCalls = 9001

// conversationID is the id of the nth conversation.
func conversationID(n int) string { return event.ConversationID(int32(n)) }

// populateCalls draws the calls of the year before hour 0. Some conversations have more than one.
func (w *Workspace) populateCalls(count int) {
	r := event.NewRNG(w.cfg.Seed, forCalls)
	start := w.cfg.Start.Unix()
	w.conv.calls = map[int32][]int32{}
	for i := range count {
		c := w.drawCall(r, start-actSpan+int64(i)*(actSpan-7200)/int64(count))
		if w.calls = append(w.calls, c); c.Removed == 0 {
			w.conv.calls[int32(c.Conv)] = append(w.conv.calls[int32(c.Conv)], c.N)
		}
	}
}

// callIn adds a call of a conversation that was over before a time, and gives its number: a part that sums it up names it
// (trap T77). It is drawn by itself, so that what else happens in the hour stays what it is.
func (w *Workspace) callIn(c *conversation, before int64) int32 {
	one := w.drawCall(event.NewRNG(w.cfg.Seed, forCalls, 5, uint64(len(w.calls))), before-7200)
	one.Conv, one.Removed, one.Put = int(c.num), 0, before
	if len(c.Contacts) > 0 {
		one.Contact = c.Contacts[0].ID
	}
	w.calls = append(w.calls, one)
	return one.N
}

func (w *Workspace) drawCall(r *event.RNG, at int64) event.Call {
	n := int32(len(w.calls))
	c := event.Call{N: n, Conv: r.N(max(1, len(w.threads))), Contact: w.contacts[r.N(len(w.contacts))].doc.ID, Admin: uint8(r.N(len(event.Admins))),
		Outbound: r.Chance(0.3), Phone: fmt.Sprintf("+4930%07d", r.N(10_000_000)), Initiated: at}
	c.Ended = at + 20 + int64(r.N(25))
	if r.Chance(0.85) {
		c.Answered = at + 3 + int64(r.N(15))
		c.Ended += int64(r.N(3000))
		c.Recorded = c.Ended + int64(r.N(7200))
		planTranscript(&c, r)
	}
	if r.Chance(1.0 / 40) {
		c.Removed = c.Ended + int64(r.N(30*event.Day))
	}
	for _, at := range []*int64{&c.Initiated, &c.Answered, &c.Ended, &c.Recorded, &c.Transcribed, &c.Removed} {
		*at = w.calm(*at)
	}
	return c
}

// calm moves a time into the minutes of its hour in which things happen: two runs at the end of an hour, some seconds apart,
// see the same.
func (w *Workspace) calm(at int64) int64 {
	if at == 0 {
		return 0
	}
	start := w.cfg.Start.Unix() % 3600
	hour := at - (at-start)%3600
	return hour + 600 + (at-hour)*(busy-600)/3600
}

// planTranscript draws when the transcript is final: mostly soon, one time of four a day later, sometimes days, sometimes never.
func planTranscript(c *event.Call, r *event.RNG) {
	switch x := r.Share(); {
	case x < 0.12:
	case x < 0.17:
		c.Failed, c.Transcribed = true, c.Ended+int64(r.N(event.Day))
	case x < 0.22:
		c.Transcribed = c.Ended + int64(r.N(6*event.Day))
	case x < 0.45:
		c.Transcribed = c.Ended + int64(r.N(30*3600))
	default:
		c.Transcribed = c.Ended + 60 + int64(r.N(600))
	}
}

// hourOfCalls lets calls begin in an hour of life. They end, and are recorded and transcribed, as time passes.
func (w *Workspace) hourOfCalls(base int64) {
	r := event.NewRNG(w.cfg.Seed, forCalls, 1, uint64(w.hours))
	for i := range r.N(4) {
		c := w.drawCall(r, base+int64(i)*busy/4+int64(r.N(busy/4)))
		c.Put = base
		w.calls = append(w.calls, c)
	}
}

// isListed says whether the list of calls has a call now.
func isListed(c *event.Call, now int64) bool {
	return max(c.Initiated, c.Put) <= now && (c.Removed == 0 || now < c.Removed)
}

// listCalls is GET /calls (workspace-api 4.11), in an order that nobody is told.
func (w *Workspace) listCalls(q *request) answer {
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
	r := event.NewRNG(w.cfg.Seed, forShuffle, seed)
	for i := len(list) - 1; i > 0; i-- {
		j := r.N(i + 1)
		list[i], list[j] = list[j], list[i]
	}
	return w.numbered(q, 25, 25, len(list), func(b []byte, i int) []byte {
		return append(w.appendCall(b, &w.calls[list[i]], q.n, now), '}')
	})
}

// oneCall is GET /calls/{id}.
func (w *Workspace) oneCall(q *request) answer {
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
func (w *Workspace) searchCalls(q *request) answer {
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
		if !asked[conversationID(c.Conv)] || !isListed(c, w.now()) || w.leftOut(c) || w.k().EmptyLists {
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

// leftOut says whether search leaves a call out that is there (trap T89).
func (w *Workspace) leftOut(c *event.Call) bool {
	return event.NewRNG(w.cfg.Seed, forCalls, 2, uint64(c.N)).Chance(w.k().CallsLeftOut)
}
