package emulator

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/knobs"
	"aqueduck/internal/emulator/population"
)

// talkOp is one thing that happens to conversations in an hour of life. It says whether it could.
type talkOp func(w *talkDesk, r *event.RNG, at int64) bool

// convLife is the order in which things happen to conversations, again and again, in the shares that a workspace knows.
var convLife = [...]talkOp{
	lifeOpens, lifeAsks, lifeAnswers, lifeAssigns, lifeCloses, lifeHelps, lifeAsks, lifeAnswers, lifeOpens, lifeAssigns,
	lifeRates, lifeAsks, lifeReviews, lifeCloses, lifeAnswers, lifeAssigns, lifeOpens, lifeNotes, lifeReopens, lifeRedacts,
	lifeAsks, lifeSets, lifeTags, lifeSummarises, lifeMonitors, lifeAssigns, lifeOpens, lifeSnoozes, lifeLinks, lifeMutates,
	lifeUntags, lifeHelps, lifeOdd, lifeDeletes, lifeReviews, lifeCloses,
}

// convHour lets an hour pass for the conversations, in the same part of it that contacts change in.
func (w *talkDesk) convHour(base int64) {
	if w.cfg.Conversations == 0 {
		return
	}
	r := event.NewRNG(w.cfg.Seed, event.ForConversationLife, 2, uint64(w.hours))
	w.turnsOf(base, w.cfg.Conversations, func(at int64) {
		if op := convLife[w.convTurns%len(convLife)]; !op(w, r, at) {
			lifeOpens(w, r, at)
		}
		w.convTurns++
	})
}

// something draws a conversation, mostly a late one, and logs the event that fill makes of it. A few tries may find none
// that fits.
func (w *talkDesk) something(r *event.RNG, at int64, fill func(c *conversation, e *event.ThreadEvent) bool) bool {
	from := w.drawer()
	return someThread(r, w.threads, at, func(num int32, t *thread) bool {
		e := event.ThreadEvent{At: at, Num: num, With: &event.ThreadArgs{}}
		fits := fill(from.draw(t.now), &e)
		if fits {
			w.recordConv(e)
		}
		return fits
	})
}

// someThread draws threads, mostly late ones, until one takes something that happens at a time.
func someThread(r *event.RNG, list []thread, at int64, try func(num int32, t *thread) bool) bool {
	for range 30 {
		num := r.N(len(list))
		if r.Chance(0.7) {
			num = len(list) - 1 - r.N(len(list)/5+1)
		}
		t := &list[num]
		if t.deleted || t.now.updated > at {
			continue // or its time would go back
		}
		if try(int32(num), t) {
			return true
		}
	}
	return false
}

// adds is a turn of life that adds a part.
func (w *talkDesk) adds(r *event.RNG, at int64, draw func(m *population.Conversations, r *event.RNG, s *population.Scene, p *event.Part)) bool {
	return w.something(r, at, func(c *conversation, e *event.ThreadEvent) bool {
		w.speak(c, e, func(p *event.Part) { draw(w.conv, r, c.scene(), p) })
		w.cite(r, e)
		return true
	})
}

// quietly says whether the next rating, review or redaction leaves updated_at where it is.
func (w *talkDesk) quietly(r *event.RNG) bool {
	switch w.k().QuietConversations {
	case knobs.Always:
		return true
	case knobs.Never:
		return false
	}
	return r.Chance(0.5)
}

func lifeOpens(w *talkDesk, r *event.RNG, at int64) bool {
	num, ok := w.people.someone(r, isActive)
	if ok {
		w.openConversation(at, []*event.Contact{w.people.contacts[num].doc}, r.N(3))
	}
	return ok
}

func lifeAsks(w *talkDesk, r *event.RNG, at int64) bool {
	return w.adds(r, at, (*population.Conversations).CustomerSays)
}
func lifeAnswers(w *talkDesk, r *event.RNG, at int64) bool {
	return w.adds(r, at, (*population.Conversations).AdminSays)
}
func lifeHelps(w *talkDesk, r *event.RNG, at int64) bool {
	return w.adds(r, at, (*population.Conversations).AISays)
}
func lifeNotes(w *talkDesk, r *event.RNG, at int64) bool {
	return w.adds(r, at, (*population.Conversations).AdminNotes)
}
func lifeCloses(w *talkDesk, r *event.RNG, at int64) bool {
	return w.adds(r, at, (*population.Conversations).Closes)
}
func lifeSnoozes(w *talkDesk, r *event.RNG, at int64) bool {
	return w.adds(r, at, (*population.Conversations).Snoozes)
}
func lifeOdd(w *talkDesk, r *event.RNG, at int64) bool {
	return w.adds(r, at, (*population.Conversations).Oddities)
}

func lifeReopens(w *talkDesk, r *event.RNG, at int64) bool {
	return w.something(r, at, func(c *conversation, e *event.ThreadEvent) bool {
		w.speak(c, e, func(p *event.Part) { w.conv.Opens(r, c.scene(), p) })
		return c.State != "open"
	})
}

// lifeAssigns goes through the rows of the table; every second one of a closed conversation skips the reopening.
func lifeAssigns(w *talkDesk, r *event.RNG, at int64) bool {
	as := event.Assignment(len(w.said) % int(event.Assignments))
	return w.adds(r, at, func(m *population.Conversations, r *event.RNG, s *population.Scene, p *event.Part) {
		m.AssignNow(r, s, p, as, r.Chance(0.5))
	})
}

// lifeSummarises: now and then the body of a summary is missing, and comes later, or never.
func lifeSummarises(w *talkDesk, r *event.RNG, at int64) bool {
	return w.something(r, at, func(c *conversation, e *event.ThreadEvent) bool {
		w.speak(c, e, func(p *event.Part) { w.conv.Summary(r, p, w.callIn(c, at)) })
		return true
	})
}

func lifeRates(w *talkDesk, r *event.RNG, at int64) bool {
	return w.something(r, at, func(c *conversation, e *event.ThreadEvent) bool {
		if len(c.Contacts) == 0 {
			return false
		}
		w.draftRating(r, c, e)
		e.Quiet = w.quietly(r)
		return true
	})
}

func lifeReviews(w *talkDesk, r *event.RNG, at int64) bool {
	return w.something(r, at, func(c *conversation, e *event.ThreadEvent) bool {
		e.Kind, e.Quiet = event.ThreadReviewed, w.quietly(r)
		e.With.Scorecard = w.conv.Scorecard(r, c.num, r.N(2), r.Text(population.ReviewStatuses), at)
		return true
	})
}

func lifeMonitors(w *talkDesk, r *event.RNG, at int64) bool {
	return w.something(r, at, func(_ *conversation, e *event.ThreadEvent) bool {
		e.Kind, e.Quiet, e.With.Evaluation = event.ThreadEvaluated, w.quietly(r), w.conv.Evaluation(r, r.N(3), at)
		return true
	})
}

// lifeRedacts takes the words of a part out, or of the source.
func lifeRedacts(w *talkDesk, r *event.RNG, at int64) bool {
	return w.something(r, at, func(c *conversation, e *event.ThreadEvent) bool {
		e.Kind, e.Quiet, e.Place = event.ThreadRedacted, w.quietly(r), int32(r.N(len(c.Parts)+1))-1
		if e.Place < 0 {
			return c.Source != nil && !c.Source.Redacted
		}
		return c.Parts[e.Place].Body != ""
	})
}

func lifeTags(w *talkDesk, r *event.RNG, at int64) bool {
	return w.something(r, at, func(_ *conversation, e *event.ThreadEvent) bool {
		e.Kind, e.Place, e.With.By = event.ThreadTagged, int32(r.N(event.TagCount)), event.Admins[r.N(len(event.Admins))].ID
		return true
	})
}

func lifeUntags(w *talkDesk, r *event.RNG, at int64) bool {
	return w.something(r, at, func(c *conversation, e *event.ThreadEvent) bool {
		if len(c.Tags) == 0 {
			return false
		}
		e.Kind, e.Quiet, e.Place = event.ThreadUntagged, w.k().QuietUntag, c.Tags[r.N(len(c.Tags))].Tag
		return true
	})
}

func lifeLinks(w *talkDesk, r *event.RNG, at int64) bool {
	return w.something(r, at, func(c *conversation, e *event.ThreadEvent) bool {
		e.Kind, e.With.Linked = event.ThreadLinked, population.DrawLinked(r, int(c.num)*4+len(c.Linked))
		return !c.bare
	})
}

func lifeSets(w *talkDesk, r *event.RNG, at int64) bool {
	return w.something(r, at, func(c *conversation, e *event.ThreadEvent) bool {
		changes := [][]event.Change{
			{{Field: "title", Value: r.Text(population.Titles[3:])}},
			{{Field: "priority", Value: priorityWord(!c.Priority)}, {Field: "custom_attributes.Escalated", Value: true}},
			{{Field: "custom_attributes.CX score", Value: int64(1 + r.N(5))}, {Field: "custom_attributes.Language", Value: nil}},
		}
		e.Kind, e.With.Set = event.ThreadFieldsSet, changes[r.N(len(changes))]
		return true
	})
}

// lifeMutates changes a part in its place, where the knob asks for it (trap T58).
func lifeMutates(w *talkDesk, r *event.RNG, at int64) bool {
	return w.k().SilentParts && w.something(r, at, func(c *conversation, e *event.ThreadEvent) bool {
		if len(c.Parts) == 0 {
			return false
		}
		e.Kind, e.Quiet, e.Place = event.ThreadPartChanged, true, int32(r.N(len(c.Parts)))
		if p := &c.Parts[e.Place]; p.Type == "call_summary" && p.Body == "" && !p.Redacted {
			e.With.Body = w.conv.Words(r)
			return true
		}
		row := w.conv.Row(r, event.Assignment(1+r.N(int(event.Assignments)-1)), at)
		e.With.Assigned = &row
		return true
	})
}

// lifeDeletes deletes one, where the knob asks for it (trap T60).
func lifeDeletes(w *talkDesk, r *event.RNG, at int64) bool {
	return w.k().DeleteConversations && w.something(r, at, func(_ *conversation, e *event.ThreadEvent) bool {
		e.Kind = event.ThreadDeleted
		return true
	})
}
