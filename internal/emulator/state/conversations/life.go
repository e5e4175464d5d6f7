package conversations

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/knobs"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/state/contacts"
)

// talkOp is one thing that happens to conversations in an hour of life. It says whether it could.
type talkOp func(w *Desk, r *event.RNG, at int64) bool

// convLife is the order in which things happen to conversations, again and again, in the shares that a workspace knows.
var convLife = [...]talkOp{
	lifeOpens, lifeAsks, lifeAnswers, lifeAssigns, lifeCloses, lifeHelps, lifeAsks, lifeAnswers, lifeOpens, lifeAssigns,
	lifeRates, lifeAsks, lifeReviews, lifeCloses, lifeAnswers, lifeAssigns, lifeOpens, lifeNotes, lifeReopens, lifeRedacts,
	lifeAsks, lifeSets, lifeTags, lifeSummarises, lifeMonitors, lifeAssigns, lifeOpens, lifeSnoozes, lifeLinks, lifeMutates,
	lifeUntags, lifeHelps, lifeOdd, lifeDeletes, lifeReviews, lifeCloses,
}

// LiveHour lets an hour pass for the conversations, in the same part of it that contacts change in.
func (w *Desk) LiveHour(base int64) {
	if w.Setup.Conversations == 0 {
		return
	}
	r := event.NewRNG(w.Setup.Seed, event.ForConversationLife, 2, uint64(w.HoursLived))
	w.SpreadTurns(base, w.Setup.Conversations, func(at int64) {
		if op := convLife[w.convTurns%len(convLife)]; !op(w, r, at) {
			lifeOpens(w, r, at)
		}
		w.convTurns++
	})
}

// something draws a conversation, mostly a late one, and logs the event that fill makes of it. A few tries may find none
// that fits.
func (w *Desk) something(r *event.RNG, at int64, fill func(c *Conversation, e *event.ThreadEvent) bool) bool {
	from := w.Drawer()
	return DrawThread(r, w.Threads, at, func(num int32, t *Thread) bool {
		e := event.ThreadEvent{At: at, Num: num, With: &event.ThreadArgs{}}
		fits := fill(from.Draw(t.Newest), &e)
		if fits {
			w.Record(e)
		}
		return fits
	})
}

// DrawThread draws threads, mostly late ones, until one takes something that happens at a time.
func DrawThread(r *event.RNG, list []Thread, at int64, try func(num int32, t *Thread) bool) bool {
	for range 30 {
		num := r.N(len(list))
		if r.Chance(0.7) {
			num = len(list) - 1 - r.N(len(list)/5+1)
		}
		t := &list[num]
		if t.Deleted || t.Newest.updated > at {
			continue // or its time would go back
		}
		if try(int32(num), t) {
			return true
		}
	}
	return false
}

// adds is a turn of life that adds a part.
func (w *Desk) adds(r *event.RNG, at int64, draw func(m *population.Conversations, r *event.RNG, s *population.Scene, p *event.Part)) bool {
	return w.something(r, at, func(c *Conversation, e *event.ThreadEvent) bool {
		w.AddPartTo(c, e, func(p *event.Part) { draw(w.Maker, r, c.Scene(), p) })
		w.cite(r, e)
		return true
	})
}

// DrawQuiet says whether the next rating, review or redaction leaves updated_at where it is.
func (w *Desk) DrawQuiet(r *event.RNG) bool {
	switch w.K().QuietConversations {
	case knobs.Always:
		return true
	case knobs.Never:
		return false
	}
	return r.Chance(0.5)
}

func lifeOpens(w *Desk, r *event.RNG, at int64) bool {
	num, ok := w.People.DrawContact(r, contacts.IsActive)
	if ok {
		w.openConversation(at, []*event.Contact{w.People.List[num].Doc}, r.N(3))
	}
	return ok
}

func lifeAsks(w *Desk, r *event.RNG, at int64) bool {
	return w.adds(r, at, (*population.Conversations).CustomerSays)
}

func lifeAnswers(w *Desk, r *event.RNG, at int64) bool {
	return w.adds(r, at, (*population.Conversations).AdminSays)
}

func lifeHelps(w *Desk, r *event.RNG, at int64) bool {
	return w.adds(r, at, (*population.Conversations).AISays)
}

func lifeNotes(w *Desk, r *event.RNG, at int64) bool {
	return w.adds(r, at, (*population.Conversations).AdminNotes)
}

func lifeCloses(w *Desk, r *event.RNG, at int64) bool {
	return w.adds(r, at, (*population.Conversations).Closes)
}

func lifeSnoozes(w *Desk, r *event.RNG, at int64) bool {
	return w.adds(r, at, (*population.Conversations).Snoozes)
}

func lifeOdd(w *Desk, r *event.RNG, at int64) bool {
	return w.adds(r, at, (*population.Conversations).Oddities)
}

func lifeReopens(w *Desk, r *event.RNG, at int64) bool {
	return w.something(r, at, func(c *Conversation, e *event.ThreadEvent) bool {
		w.AddPartTo(c, e, func(p *event.Part) { w.Maker.Opens(r, c.Scene(), p) })
		return c.State != "open"
	})
}

// lifeAssigns goes through the rows of the table; every second one of a closed conversation skips the reopening.
func lifeAssigns(w *Desk, r *event.RNG, at int64) bool {
	as := event.Assignment(len(w.ConversationLog) % int(event.Assignments))
	return w.adds(r, at, func(m *population.Conversations, r *event.RNG, s *population.Scene, p *event.Part) {
		m.AssignNow(r, s, p, as, r.Chance(0.5))
	})
}

// lifeSummarises: now and then the body of a summary is missing, and comes later, or never.
func lifeSummarises(w *Desk, r *event.RNG, at int64) bool {
	return w.something(r, at, func(c *Conversation, e *event.ThreadEvent) bool {
		w.AddPartTo(c, e, func(p *event.Part) { w.Maker.Summary(r, p, w.AddCall(c, at)) })
		return true
	})
}

func lifeRates(w *Desk, r *event.RNG, at int64) bool {
	return w.something(r, at, func(c *Conversation, e *event.ThreadEvent) bool {
		if len(c.Contacts) == 0 {
			return false
		}
		w.draftRating(r, c, e)
		e.Quiet = w.DrawQuiet(r)
		return true
	})
}

func lifeReviews(w *Desk, r *event.RNG, at int64) bool {
	return w.something(r, at, func(c *Conversation, e *event.ThreadEvent) bool {
		e.Kind, e.Quiet = event.ThreadReviewed, w.DrawQuiet(r)
		e.With.Scorecard = w.Maker.Scorecard(r, c.Num, r.N(2), r.Text(population.ReviewStatuses), at)
		return true
	})
}

func lifeMonitors(w *Desk, r *event.RNG, at int64) bool {
	return w.something(r, at, func(_ *Conversation, e *event.ThreadEvent) bool {
		e.Kind, e.Quiet, e.With.Evaluation = event.ThreadEvaluated, w.DrawQuiet(r), w.Maker.Evaluation(r, r.N(3), at)
		return true
	})
}

// lifeRedacts takes the words of a part out, or of the source.
func lifeRedacts(w *Desk, r *event.RNG, at int64) bool {
	return w.something(r, at, func(c *Conversation, e *event.ThreadEvent) bool {
		e.Kind, e.Quiet, e.Place = event.ThreadRedacted, w.DrawQuiet(r), int32(r.N(len(c.Parts)+1))-1
		if e.Place < 0 {
			return c.Source != nil && !c.Source.Redacted
		}
		return c.Parts[e.Place].Body != ""
	})
}

func lifeTags(w *Desk, r *event.RNG, at int64) bool {
	return w.something(r, at, func(_ *Conversation, e *event.ThreadEvent) bool {
		e.Kind, e.Place, e.With.By = event.ThreadTagged, int32(r.N(event.TagCount)), event.Admins[r.N(len(event.Admins))].ID
		return true
	})
}

func lifeUntags(w *Desk, r *event.RNG, at int64) bool {
	return w.something(r, at, func(c *Conversation, e *event.ThreadEvent) bool {
		if len(c.Tags) == 0 {
			return false
		}
		e.Kind, e.Quiet, e.Place = event.ThreadUntagged, w.K().QuietUntag, c.Tags[r.N(len(c.Tags))].Tag
		return true
	})
}

func lifeLinks(w *Desk, r *event.RNG, at int64) bool {
	return w.something(r, at, func(c *Conversation, e *event.ThreadEvent) bool {
		e.Kind, e.With.Linked = event.ThreadLinked, population.DrawLinked(r, int(c.Num)*4+len(c.Linked))
		return !c.Bare
	})
}

func lifeSets(w *Desk, r *event.RNG, at int64) bool {
	return w.something(r, at, func(c *Conversation, e *event.ThreadEvent) bool {
		changes := [][]event.Change{
			{{Field: "title", Value: r.Text(population.Titles[3:])}},
			{{Field: "priority", Value: PriorityWord(!c.Priority)}, {Field: "custom_attributes.Escalated", Value: true}},
			{{Field: "custom_attributes.CX score", Value: int64(1 + r.N(5))}, {Field: "custom_attributes.Language", Value: nil}},
		}
		e.Kind, e.With.Set = event.ThreadFieldsSet, changes[r.N(len(changes))]
		return true
	})
}

// lifeMutates changes a part in its place, where the knob asks for it (trap T58).
func lifeMutates(w *Desk, r *event.RNG, at int64) bool {
	return w.K().SilentParts && w.something(r, at, func(c *Conversation, e *event.ThreadEvent) bool {
		if len(c.Parts) == 0 {
			return false
		}
		e.Kind, e.Quiet, e.Place = event.ThreadPartChanged, true, int32(r.N(len(c.Parts)))
		if p := &c.Parts[e.Place]; p.Type == "call_summary" && p.Body == "" && !p.Redacted {
			e.With.Body = w.Maker.Words(r)
			return true
		}
		row := w.Maker.Row(r, event.Assignment(1+r.N(int(event.Assignments)-1)), at)
		e.With.Assigned = &row
		return true
	})
}

// lifeDeletes deletes one, where the knob asks for it (trap T60).
func lifeDeletes(w *Desk, r *event.RNG, at int64) bool {
	return w.K().DeleteConversations && w.something(r, at, func(_ *Conversation, e *event.ThreadEvent) bool {
		e.Kind = event.ThreadDeleted
		return true
	})
}
