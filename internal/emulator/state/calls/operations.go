package calls

import (
	"errors"
	"fmt"
	"slices"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/state/conversations"
)

// ErrNoCall means that an operation names a call that is not listed.
var ErrNoCall = errors.New("no such call")

// never is a time that does not come.
const never = 1 << 40

// StartCall starts a call of a conversation's first contact, and returns its id. It rings until AnswerCall, EndCall, RecordCall,
// TranscribeCall and RemoveCall change it.
func (w *Calls) StartCall(conversation string, outbound bool) (string, error) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	num, ok := w.Conversations.FindThread(conversation)
	if !ok {
		return "", fmt.Errorf("start a call: conversation %s: %w", conversation, conversations.ErrNoConversation)
	}
	at := w.UnixNow()
	c := w.drawCall(event.NewRNG(w.Setup.Seed, event.ForCalls, 6, uint64(len(w.CallList))), at)
	c = event.Call{N: c.N, Conv: int(num), Contact: c.Contact, Admin: c.Admin, Messenger: c.Messenger, Phone: c.Phone, SearchDraw: c.SearchDraw, Outbound: outbound,
		Initiated: at, ListedAt: at, Ended: never, Transcribed: never}
	if who := w.Conversations.ThreadDrawer().DrawConversation(w.Conversations.Threads[num].Newest).Contacts; len(who) > 0 {
		c.Contact = who[0].ID
	}
	w.CallList = append(w.CallList, c)
	w.RunDue(w.TimeHeld())
	return event.CallID(c.N), nil
}

// AnswerCall has an admin answer a ringing call.
func (w *Calls) AnswerCall(id string) error {
	return w.changeCall(id, func(c *event.Call, now int64) error {
		if state, _ := CallState(c, now); state != "ringing" {
			return fmt.Errorf("it does not ring, it is %s", state)
		}
		c.Answered = now
		return nil
	})
}

// EndCall ends a call. A call that nobody answered gets neither a recording nor a transcript.
func (w *Calls) EndCall(id string) error {
	return w.changeCall(id, func(c *event.Call, now int64) error {
		if c.Ended <= now {
			return errors.New("it has ended")
		}
		if c.Ended = now; PastOrZero(c.Answered, now) == 0 {
			c.Answered, c.Recorded, c.Transcribed = 0, 0, 0
		}
		return nil
	})
}

// RecordCall makes the recording of an ended call available from now on. updated_at does not move.
func (w *Calls) RecordCall(id string) error {
	return w.changeCall(id, func(c *event.Call, now int64) error {
		if c.Ended > now || c.Answered == 0 || PastOrZero(c.Recorded, now) != 0 {
			return errors.New("only an answered call that has ended is recorded, once")
		}
		c.Recorded = now
		return nil
	})
}

// TranscribeCall makes the transcript of an ended call final, or failed for good. updated_at does not move. Some calls of the population never
// get a transcript.
func (w *Calls) TranscribeCall(id string, failed bool) error {
	return w.changeCall(id, func(c *event.Call, now int64) error {
		if c.Ended > now || c.Transcribed <= now {
			return errors.New("only a call that has ended and whose transcript is pending is transcribed")
		}
		c.Transcribed, c.Failed = now, failed
		return nil
	})
}

// RemoveCall removes a call from the list for good.
func (w *Calls) RemoveCall(id string) error {
	return w.changeCall(id, func(c *event.Call, now int64) error {
		c.Removed = now
		return nil
	})
}

// changeCall sets times of a listed call that had not come yet, so the past stays unchanged. It makes a new list, because the oracle may be
// reading the old one.
func (w *Calls) changeCall(id string, change func(c *event.Call, now int64) error) error {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	now := w.UnixNow()
	for i := range w.CallList {
		if event.CallID(w.CallList[i].N) != id || !IsListed(&w.CallList[i], now) {
			continue
		}
		calls := slices.Clone(w.CallList)
		if err := change(&calls[i], now); err != nil {
			return fmt.Errorf("call %s: %w", id, err)
		}
		w.CallList = calls
		w.RunDue(w.TimeHeld())
		return nil
	}
	return fmt.Errorf("call %s: %w", id, ErrNoCall)
}

// CallIDs returns the ids of the listed calls, in the order of their numbers.
func (w *Calls) CallIDs() []string {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	var ids []string
	for i := range w.CallList {
		if IsListed(&w.CallList[i], w.UnixNow()) {
			ids = append(ids, event.CallID(w.CallList[i].N))
		}
	}
	return ids
}
