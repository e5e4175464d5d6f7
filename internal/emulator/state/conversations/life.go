package conversations

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/knobs"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/state/contacts"
)

// threadOp is one simulated operation on conversations. It returns false when no conversation fits.
type threadOp func(w *Desk, r *event.RNG, at int64) bool

// convLife is the order of simulated operations on conversations, repeated, in the shares of a real workspace.
var convLife = [...]threadOp{
	lifeOpens, lifeAsks, lifeAnswers, lifeAssigns, lifeCloses, lifeHelps, lifeAsks, lifeAnswers, lifeOpens, lifeAssigns,
	lifeRates, lifeAsks, lifeReviews, lifeCloses, lifeAnswers, lifeAssigns, lifeOpens, lifeNotes, lifeReopens, lifeRedacts,
	lifeAsks, lifeSets, lifeTags, lifeSummarises, lifeMonitors, lifeAssigns, lifeOpens, lifeSnoozes, lifeLinks, lifeMutates,
	lifeUntags, lifeHelps, lifeOdd, lifeDeletes, lifeReviews, lifeCloses,
}

// SimulateThreadsHour carries out the operations of a simulated hour on conversations, in the busy minutes of that hour.
func (w *Desk) SimulateThreadsHour(base int64) {
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

// logDrawnEvent draws a conversation, mostly a late one, and logs the event that fill makes. It gives up after some tries that do not fit.
func (w *Desk) logDrawnEvent(r *event.RNG, at int64, fill func(c *Conversation, e *event.ThreadEvent) bool) bool {
	from := w.ThreadDrawer()
	return DrawThread(r, w.Threads, at, func(num int32, t *Thread) bool {
		e := event.ThreadEvent{At: at, Num: num, With: &event.ThreadArgs{}}
		fits := fill(from.DrawConversation(t.Newest), &e)
		if fits {
			w.RecordThreadEvent(e)
		}
		return fits
	})
}

// DrawThread draws threads, mostly late ones, until try accepts one at a time.
func DrawThread(r *event.RNG, list []Thread, at int64, try func(num int32, t *Thread) bool) bool {
	for range 30 {
		num := r.IntN(len(list))
		if r.Chance(0.7) {
			num = len(list) - 1 - r.IntN(len(list)/5+1)
		}
		t := &list[num]
		if t.Deleted || t.Newest.updated > at {
			continue // its time would go back
		}
		if try(int32(num), t) {
			return true
		}
	}
	return false
}

// addDrawnPart is a simulated operation that adds a part.
func (w *Desk) addDrawnPart(r *event.RNG, at int64, draw func(m *population.Conversations, r *event.RNG, s *population.Scene, p *event.Part)) bool {
	return w.logDrawnEvent(r, at, func(c *Conversation, e *event.ThreadEvent) bool {
		w.AddPartTo(c, e, func(p *event.Part) { draw(w.Maker, r, c.Scene(), p) })
		w.addAnswerSource(r, e)
		return true
	})
}

// DrawQuiet draws whether a rating, review or redaction leaves updated_at unchanged.
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
		w.openConversation(at, []*event.Contact{w.People.List[num].Doc}, r.IntN(3))
	}
	return ok
}

func lifeAsks(w *Desk, r *event.RNG, at int64) bool {
	return w.addDrawnPart(r, at, (*population.Conversations).FillCustomerReply)
}

func lifeAnswers(w *Desk, r *event.RNG, at int64) bool {
	return w.addDrawnPart(r, at, (*population.Conversations).FillAdminReply)
}

func lifeHelps(w *Desk, r *event.RNG, at int64) bool {
	return w.addDrawnPart(r, at, (*population.Conversations).FillAIReply)
}

func lifeNotes(w *Desk, r *event.RNG, at int64) bool {
	return w.addDrawnPart(r, at, (*population.Conversations).FillAdminNote)
}

func lifeCloses(w *Desk, r *event.RNG, at int64) bool {
	return w.addDrawnPart(r, at, (*population.Conversations).FillClose)
}

func lifeSnoozes(w *Desk, r *event.RNG, at int64) bool {
	return w.addDrawnPart(r, at, (*population.Conversations).FillSnooze)
}

func lifeOdd(w *Desk, r *event.RNG, at int64) bool {
	return w.addDrawnPart(r, at, (*population.Conversations).FillUnknownType)
}

func lifeReopens(w *Desk, r *event.RNG, at int64) bool {
	return w.logDrawnEvent(r, at, func(c *Conversation, e *event.ThreadEvent) bool {
		w.AddPartTo(c, e, func(p *event.Part) { w.Maker.FillReopen(r, c.Scene(), p) })
		return c.State != "open"
	})
}

// lifeAssigns takes the rows of the assignment table by turns. Every second assignment of a closed conversation skips the reopening.
func lifeAssigns(w *Desk, r *event.RNG, at int64) bool {
	as := event.Assignment(len(w.ConversationLog) % int(event.Assignments))
	return w.addDrawnPart(r, at, func(m *population.Conversations, r *event.RNG, s *population.Scene, p *event.Part) {
		m.FillAssignmentNow(r, s, p, as, r.Chance(0.5))
	})
}

// lifeSummarises adds the summary of a call. Now and then its body is missing, and comes later or never.
func lifeSummarises(w *Desk, r *event.RNG, at int64) bool {
	return w.logDrawnEvent(r, at, func(c *Conversation, e *event.ThreadEvent) bool {
		w.AddPartTo(c, e, func(p *event.Part) { w.Maker.FillSummaryPart(r, p, w.AddCall(c, at)) })
		return true
	})
}

func lifeRates(w *Desk, r *event.RNG, at int64) bool {
	return w.logDrawnEvent(r, at, func(c *Conversation, e *event.ThreadEvent) bool {
		if len(c.Contacts) == 0 {
			return false
		}
		w.draftRating(r, c, e)
		e.Quiet = w.DrawQuiet(r)
		return true
	})
}

func lifeReviews(w *Desk, r *event.RNG, at int64) bool {
	return w.logDrawnEvent(r, at, func(c *Conversation, e *event.ThreadEvent) bool {
		e.Kind, e.Quiet = event.ThreadReviewed, w.DrawQuiet(r)
		e.With.Scorecard = w.Maker.DrawScorecard(r, c.Num, r.IntN(2), r.PickText(population.ReviewStatuses), at)
		return true
	})
}

func lifeMonitors(w *Desk, r *event.RNG, at int64) bool {
	return w.logDrawnEvent(r, at, func(_ *Conversation, e *event.ThreadEvent) bool {
		e.Kind, e.Quiet, e.With.Evaluation = event.ThreadEvaluated, w.DrawQuiet(r), w.Maker.DrawEvaluation(r, r.IntN(3), at)
		return true
	})
}

// lifeRedacts removes the text of a part or of the source.
func lifeRedacts(w *Desk, r *event.RNG, at int64) bool {
	return w.logDrawnEvent(r, at, func(c *Conversation, e *event.ThreadEvent) bool {
		e.Kind, e.Quiet, e.Place = event.ThreadRedacted, w.DrawQuiet(r), int32(r.IntN(len(c.Parts)+1))-1
		if e.Place < 0 {
			return c.Source != nil && !c.Source.Redacted
		}
		return c.Parts[e.Place].Body != ""
	})
}

func lifeTags(w *Desk, r *event.RNG, at int64) bool {
	return w.logDrawnEvent(r, at, func(_ *Conversation, e *event.ThreadEvent) bool {
		e.Kind, e.Place, e.With.By = event.ThreadTagged, int32(r.IntN(w.Setup.Cast.TagCount)), w.Setup.Cast.Admins[r.IntN(len(w.Setup.Cast.Admins))].ID
		return true
	})
}

func lifeUntags(w *Desk, r *event.RNG, at int64) bool {
	return w.logDrawnEvent(r, at, func(c *Conversation, e *event.ThreadEvent) bool {
		if len(c.Tags) == 0 {
			return false
		}
		e.Kind, e.Quiet, e.Place = event.ThreadUntagged, w.K().QuietUntag, c.Tags[r.IntN(len(c.Tags))].Tag
		return true
	})
}

func lifeLinks(w *Desk, r *event.RNG, at int64) bool {
	return w.logDrawnEvent(r, at, func(c *Conversation, e *event.ThreadEvent) bool {
		e.Kind, e.With.Linked = event.ThreadLinked, population.DrawLinked(r, int(c.Num)*4+len(c.Linked))
		return !c.Bare
	})
}

func lifeSets(w *Desk, r *event.RNG, at int64) bool {
	return w.logDrawnEvent(r, at, func(c *Conversation, e *event.ThreadEvent) bool {
		changes := [][]event.FieldChange{
			{{Field: "title", Value: r.PickText(population.Titles[3:])}},
			{{Field: "priority", Value: PriorityWord(!c.Priority)}, {Field: "custom_attributes.Escalated", Value: true}},
			{{Field: "custom_attributes.CX score", Value: int64(1 + r.IntN(5))}, {Field: "custom_attributes.Language", Value: nil}},
		}
		e.Kind, e.With.Set = event.ThreadFieldsSet, changes[r.IntN(len(changes))]
		return true
	})
}

// lifeMutates changes a part in place, where the knob asks for it (trap T58).
func lifeMutates(w *Desk, r *event.RNG, at int64) bool {
	return w.K().SilentParts && w.logDrawnEvent(r, at, func(c *Conversation, e *event.ThreadEvent) bool {
		if len(c.Parts) == 0 {
			return false
		}
		e.Kind, e.Quiet, e.Place = event.ThreadPartChanged, true, int32(r.IntN(len(c.Parts)))
		if p := &c.Parts[e.Place]; p.Type == "call_summary" && p.Body == "" && !p.Redacted {
			e.With.Body = w.Maker.DrawBody(r)
			return true
		}
		row := w.Maker.DrawAssigned(r, event.Assignment(1+r.IntN(int(event.Assignments)-1)), at)
		e.With.Assigned = &row
		return true
	})
}

// lifeDeletes deletes a conversation, where the knob asks for it (trap T60).
func lifeDeletes(w *Desk, r *event.RNG, at int64) bool {
	return w.K().DeleteConversations && w.logDrawnEvent(r, at, func(_ *Conversation, e *event.ThreadEvent) bool {
		e.Kind = event.ThreadDeleted
		return true
	})
}
