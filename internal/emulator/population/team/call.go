package team

import (
	"fmt"

	"aqueduck/internal/emulator/event"
)

// call draws one call with its summary, and reports whether somebody took it.
func (l *life) call(outbound, taken bool) bool {
	c := event.Call{Contact: l.born.Contacts[0].ID, Admin: uint8(min(l.me, len(admins)-1)), Outbound: outbound, Messenger: l.channel != phone, Initiated: l.now, SearchDraw: l.r.Float64()}
	if !c.Messenger {
		c.Phone = l.born.Contacts[0].Phone
		if c.Phone == "" {
			c.Phone = fmt.Sprintf("+4930%07d", l.r.IntN(10_000_000))
		}
	}
	c.Ended = l.now + 25 + int64(l.r.IntN(60))
	if taken {
		c.Answered = l.now + 3 + min(spread(l.r, 10, 42), 90)
		c.Ended = c.Answered + 20 + min(spread(l.r, 6*60, 18*60), 3600)
		c.Recorded = c.Ended + 30 + int64(l.r.IntN(120))
		switch x := l.r.Float64(); {
		case x < 0.03:
			c.Failed, c.Transcribed = true, c.Recorded+60
		case x < 0.97:
			c.Transcribed = c.Recorded + 30 + int64(l.r.IntN(240))
		}
	}
	l.calls = append(l.calls, c)
	l.now = max(c.Ended, c.Transcribed) + 20
	p := event.Part{Type: "call_summary", Author: event.Bot}
	if taken {
		p.Body = "<p>Call about: " + l.about.title + ".</p>"
	}
	l.add(p)
	return taken
}
