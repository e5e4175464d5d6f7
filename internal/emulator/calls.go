package emulator

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// call is one call, with all that happens to it and when: what is served is what had happened by now. A time of 0 never
// comes.
type call struct {
	N           int32 // number of the call: its id and what is said in it are drawn from it
	Conv        int   // number of its conversation
	Contact     string
	Admin       uint8 // place in admins, when it is answered
	Outbound    bool
	Phone       string
	Initiated   int64
	Answered    int64
	Ended       int64
	Recorded    int64 // moves no updated_at
	Transcribed int64 // the transcript is final, which moves no updated_at
	Failed      bool  // there will be no transcript, and the status says so; without, nothing ever does
	Removed     int64 // is no longer listed
	Put         int64 // when it came into the list, which may be later than it began; 0: when it began
}

// forCalls is what calls are drawn for.
const forCalls = 9001

// conversationID is the id of the nth conversation.
func conversationID(n int) string { return convID(int32(n)) }

func callID(n int32) string { return strconv.Itoa(88100000 + 3*int(n)) }

// populateCalls draws the calls of the year before hour 0. Some conversations have more than one.
func (w *Workspace) populateCalls(count int) {
	r := newRNG(w.cfg.Seed, forCalls)
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
	one := w.drawCall(newRNG(w.cfg.Seed, forCalls, 5, uint64(len(w.calls))), before-7200)
	one.Conv, one.Removed, one.Put = int(c.num), 0, before
	if len(c.Contacts) > 0 {
		one.Contact = c.Contacts[0].ID
	}
	w.calls = append(w.calls, one)
	return one.N
}

func (w *Workspace) drawCall(r *rng, at int64) call {
	n := int32(len(w.calls))
	c := call{N: n, Conv: r.n(max(1, len(w.threads))), Contact: w.contacts[r.n(len(w.contacts))].doc.ID, Admin: uint8(r.n(len(admins))),
		Outbound: r.chance(0.3), Phone: fmt.Sprintf("+4930%07d", r.n(10_000_000)), Initiated: at}
	c.Ended = at + 20 + int64(r.n(25))
	if r.chance(0.85) {
		c.Answered = at + 3 + int64(r.n(15))
		c.Ended += int64(r.n(3000))
		c.Recorded = c.Ended + int64(r.n(7200))
		planTranscript(&c, r)
	}
	if r.chance(1.0 / 40) {
		c.Removed = c.Ended + int64(r.n(30*day))
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
func planTranscript(c *call, r *rng) {
	switch x := r.share(); {
	case x < 0.12:
	case x < 0.17:
		c.Failed, c.Transcribed = true, c.Ended+int64(r.n(day))
	case x < 0.22:
		c.Transcribed = c.Ended + int64(r.n(6*day))
	case x < 0.45:
		c.Transcribed = c.Ended + int64(r.n(30*3600))
	default:
		c.Transcribed = c.Ended + 60 + int64(r.n(600))
	}
}

// hourOfCalls lets calls begin in an hour of life. They end, and are recorded and transcribed, as time passes.
func (w *Workspace) hourOfCalls(base int64) {
	r := newRNG(w.cfg.Seed, forCalls, 1, uint64(w.hours))
	for i := range r.n(4) {
		c := w.drawCall(r, base+int64(i)*busy/4+int64(r.n(busy/4)))
		c.Put = base
		w.calls = append(w.calls, c)
	}
}

// isListed says whether the list of calls has a call now.
func isListed(c *call, now int64) bool {
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
	r := newRNG(w.cfg.Seed, forShuffle, seed)
	for i := len(list) - 1; i > 0; i-- {
		j := r.n(i + 1)
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
func (w *Workspace) leftOut(c *call) bool {
	return newRNG(w.cfg.Seed, forCalls, 2, uint64(c.N)).chance(w.k().CallsLeftOut)
}
