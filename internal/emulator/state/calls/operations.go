package calls

import (
	"errors"
	"fmt"
	"slices"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/state/conversations"
)

// ErrNoCall is answered when an operation names a call that is not listed.
var ErrNoCall = errors.New("no such call")

// never is a time that does not come.
const never = 1 << 40

// StartCall has a call of a conversation's first contact ring from now on, and gives its id. What happens to it is up to
// AnswerCall, EndCall, RecordCall, TranscribeCall and RemoveCall.
func (w *Calls) StartCall(conversation string, outbound bool) (string, error) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	num, ok := w.Talks.FindThread(conversation)
	if !ok {
		return "", fmt.Errorf("start a call: conversation %s: %w", conversation, conversations.ErrNoConversation)
	}
	at := w.UnixNow()
	c := w.drawCall(event.NewRNG(w.Setup.Seed, event.ForCalls, 6, uint64(len(w.CallList))), at)
	c = event.Call{N: c.N, Conv: int(num), Contact: c.Contact, Admin: c.Admin, Messenger: c.Messenger, Phone: c.Phone, Luck: c.Luck, Outbound: outbound,
		Initiated: at, Put: at, Ended: never, Transcribed: never}
	if who := w.Talks.ThreadDrawer().DrawConversation(w.Talks.Threads[num].Newest).Contacts; len(who) > 0 {
		c.Contact = who[0].ID
	}
	w.CallList = append(w.CallList, c)
	w.RunDue(w.TimeHeld())
	return event.CallID(c.N), nil
}

// AnswerCall has an admin answer a call that rings.
func (w *Calls) AnswerCall(id string) error {
	return w.changeCall(id, func(c *event.Call, now int64) error {
		if state, _ := CallState(c, now); state != "ringing" {
			return fmt.Errorf("it does not ring, it is %s", state)
		}
		c.Answered = now
		return nil
	})
}

// EndCall ends a call. One that nobody has answered gets neither recording nor transcript.
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

// RecordCall lets the recording of a call that has ended be there from now on. Its updated_at does not move.
func (w *Calls) RecordCall(id string) error {
	return w.changeCall(id, func(c *event.Call, now int64) error {
		if c.Ended > now || c.Answered == 0 || PastOrZero(c.Recorded, now) != 0 {
			return errors.New("only an answered call that has ended is recorded, once")
		}
		c.Recorded = now
		return nil
	})
}

// TranscribeCall makes the transcript of a call that has ended final, or has it fail for good. Its updated_at does not move.
// Of some calls of the population there never is one.
func (w *Calls) TranscribeCall(id string, failed bool) error {
	return w.changeCall(id, func(c *event.Call, now int64) error {
		if c.Ended > now || c.Transcribed <= now {
			return errors.New("only a call that has ended and whose transcript is pending is transcribed")
		}
		c.Transcribed, c.Failed = now, failed
		return nil
	})
}

// RemoveCall takes a call out of the list for good.
func (w *Calls) RemoveCall(id string) error {
	return w.changeCall(id, func(c *event.Call, now int64) error {
		c.Removed = now
		return nil
	})
}

// changeCall sets times of a listed call that had not come yet: what was true before stays so. The list is a new one, as the
// oracle may be reading the old.
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

// CallIDs gives the ids of the calls that are listed, in the order in which they came.
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
