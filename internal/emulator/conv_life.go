package emulator

// convLife is the order in which things happen to conversations, again and again, in the shares that a workspace knows.
var convLife = [...]lifeOp{
	lifeOpens, lifeAsks, lifeAnswers, lifeAssigns, lifeCloses, lifeHelps, lifeAsks, lifeAnswers, lifeOpens, lifeAssigns,
	lifeRates, lifeAsks, lifeReviews, lifeCloses, lifeAnswers, lifeAssigns, lifeOpens, lifeNotes, lifeReopens, lifeRedacts,
	lifeAsks, lifeSets, lifeTags, lifeSummarises, lifeMonitors, lifeAssigns, lifeOpens, lifeSnoozes, lifeLinks, lifeMutates,
	lifeUntags, lifeHelps, lifeOdd, lifeDeletes, lifeReviews, lifeCloses,
}

// convHour lets an hour pass for the conversations, in the same part of it that contacts change in.
func (w *Workspace) convHour(base int64) {
	if w.cfg.Conversations == 0 {
		return
	}
	r := newRNG(w.cfg.Seed, forConvLife, 2, uint64(w.hours))
	w.turnsOf(base, w.cfg.Conversations, func(at int64) {
		if op := convLife[w.convTurns%len(convLife)]; !op(w, r, at) {
			lifeOpens(w, r, at)
		}
		w.convTurns++
	})
}

// something draws a conversation, mostly a late one, and logs the event that fill makes of it. A few tries may find none
// that fits.
func (w *Workspace) something(r *rng, at int64, fill func(c *conversation, e *convEvent) bool) bool {
	from := w.drawer()
	return someThread(r, w.threads, at, func(num int32, t *thread) bool {
		e := convEvent{At: at, Conv: num, With: &convArg{}}
		fits := fill(from.draw(t.now), &e)
		if fits {
			w.recordConv(e)
		}
		return fits
	})
}

// someThread draws threads, mostly late ones, until one takes something that happens at a time.
func someThread(r *rng, list []thread, at int64, try func(num int32, t *thread) bool) bool {
	for range 30 {
		num := r.n(len(list))
		if r.chance(0.7) {
			num = len(list) - 1 - r.n(len(list)/5+1)
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
func (w *Workspace) adds(r *rng, at int64, draw func(m *convMaker, r *rng, c *conversation, p *part)) bool {
	return w.something(r, at, func(c *conversation, e *convEvent) bool {
		w.speak(c, e, func(p *part) { draw(w.conv, r, c, p) })
		w.cite(r, e)
		return true
	})
}

// quietly says whether the next rating, review or redaction leaves updated_at where it is.
func (w *Workspace) quietly(r *rng) bool {
	switch w.k().QuietConversations {
	case Always:
		return true
	case Never:
		return false
	}
	return r.chance(0.5)
}

func lifeOpens(w *Workspace, r *rng, at int64) bool {
	num, ok := w.someone(r, isActive)
	if ok {
		w.openConversation(at, []*doc{w.contacts[num].doc}, r.n(3))
	}
	return ok
}

func lifeAsks(w *Workspace, r *rng, at int64) bool    { return w.adds(r, at, (*convMaker).customerSays) }
func lifeAnswers(w *Workspace, r *rng, at int64) bool { return w.adds(r, at, (*convMaker).adminSays) }
func lifeHelps(w *Workspace, r *rng, at int64) bool   { return w.adds(r, at, (*convMaker).aiSays) }
func lifeNotes(w *Workspace, r *rng, at int64) bool   { return w.adds(r, at, (*convMaker).adminNotes) }
func lifeCloses(w *Workspace, r *rng, at int64) bool  { return w.adds(r, at, (*convMaker).closes) }
func lifeSnoozes(w *Workspace, r *rng, at int64) bool { return w.adds(r, at, (*convMaker).snoozes) }
func lifeOdd(w *Workspace, r *rng, at int64) bool     { return w.adds(r, at, (*convMaker).oddities) }

func lifeReopens(w *Workspace, r *rng, at int64) bool {
	return w.something(r, at, func(c *conversation, e *convEvent) bool {
		w.speak(c, e, func(p *part) { w.conv.opens(r, c, p) })
		return c.State != "open"
	})
}

// lifeAssigns goes through the rows of the table; every second one of a closed conversation skips the reopening.
func lifeAssigns(w *Workspace, r *rng, at int64) bool {
	as := Assignment(len(w.said) % int(assignments))
	return w.adds(r, at, func(m *convMaker, r *rng, c *conversation, p *part) { m.assignNow(r, c, p, as, r.chance(0.5)) })
}

// lifeSummarises: now and then the body of a summary is missing, and comes later, or never.
func lifeSummarises(w *Workspace, r *rng, at int64) bool {
	return w.adds(r, at, func(m *convMaker, r *rng, c *conversation, p *part) { m.summary(r, p, w.callIn(c, at)) })
}

func lifeRates(w *Workspace, r *rng, at int64) bool {
	return w.something(r, at, func(c *conversation, e *convEvent) bool {
		if len(c.Contacts) == 0 {
			return false
		}
		w.draftRating(r, c, e)
		e.Quiet = w.quietly(r)
		return true
	})
}

func lifeReviews(w *Workspace, r *rng, at int64) bool {
	return w.something(r, at, func(c *conversation, e *convEvent) bool {
		e.Kind, e.Quiet = convReviewed, w.quietly(r)
		e.With.card = w.conv.review(r, c.num, r.n(2), r.text(reviewStatuses), at)
		return true
	})
}

func lifeMonitors(w *Workspace, r *rng, at int64) bool {
	return w.something(r, at, func(_ *conversation, e *convEvent) bool {
		e.Kind, e.Quiet, e.With.monitor = convMonitored, w.quietly(r), w.conv.judgement(r, r.n(3), at)
		return true
	})
}

// lifeRedacts takes the words of a part out, or of the source.
func lifeRedacts(w *Workspace, r *rng, at int64) bool {
	return w.something(r, at, func(c *conversation, e *convEvent) bool {
		e.Kind, e.Quiet, e.Place = convRedacted, w.quietly(r), int32(r.n(len(c.Parts)+1))-1
		if e.Place < 0 {
			return c.Source != nil && !c.Source.Redacted
		}
		return c.Parts[e.Place].Body != ""
	})
}

func lifeTags(w *Workspace, r *rng, at int64) bool {
	return w.something(r, at, func(_ *conversation, e *convEvent) bool {
		e.Kind, e.Place, e.With.by = convTagged, int32(r.n(tagCount)), admins[r.n(len(admins))].id
		return true
	})
}

func lifeUntags(w *Workspace, r *rng, at int64) bool {
	return w.something(r, at, func(c *conversation, e *convEvent) bool {
		if len(c.Tags) == 0 {
			return false
		}
		e.Kind, e.Quiet, e.Place = convUntagged, w.k().QuietUntag, c.Tags[r.n(len(c.Tags))].Tag
		return true
	})
}

func lifeLinks(w *Workspace, r *rng, at int64) bool {
	return w.something(r, at, func(c *conversation, e *convEvent) bool {
		e.Kind, e.With.linked = convLinked, drawLinked(r, int(c.num)*4+len(c.Linked))
		return !c.bare
	})
}

func lifeSets(w *Workspace, r *rng, at int64) bool {
	return w.something(r, at, func(c *conversation, e *convEvent) bool {
		changes := [][]Change{
			{{"title", r.text(convTitles[3:])}},
			{{"priority", priorityWord(!c.Priority)}, {"custom_attributes.Escalated", true}},
			{{"custom_attributes.CX score", int64(1 + r.n(5))}, {"custom_attributes.Language", nil}},
		}
		e.Kind, e.With.set = convSet, changes[r.n(len(changes))]
		return true
	})
}

// lifeMutates changes a part in its place, where the knob asks for it (trap T58).
func lifeMutates(w *Workspace, r *rng, at int64) bool {
	return w.k().SilentParts && w.something(r, at, func(c *conversation, e *convEvent) bool {
		if len(c.Parts) == 0 {
			return false
		}
		e.Kind, e.Quiet, e.Place = convMutated, true, int32(r.n(len(c.Parts)))
		if p := &c.Parts[e.Place]; p.Type == "call_summary" && p.Body == "" && !p.Redacted {
			e.With.body = w.conv.words(r)
			return true
		}
		row := w.conv.row(r, Assignment(1+r.n(int(assignments)-1)), at)
		e.With.assigned = &row
		return true
	})
}

// lifeDeletes deletes one, where the knob asks for it (trap T60).
func lifeDeletes(w *Workspace, r *rng, at int64) bool {
	return w.k().DeleteConversations && w.something(r, at, func(_ *conversation, e *convEvent) bool {
		e.Kind = convDeleted
		return true
	})
}
