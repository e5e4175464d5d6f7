package oracle

import (
	"slices"
	"strings"

	"aqueduck/internal/emulator/event"
)

// replayedThread is the state of one conversation or one ticket after a replay of the log: its initial content, all its parts, and later
// changes. Derived values are computed from all parts, while the server updates them part by part: the two ways check each other.
type replayedThread struct {
	*event.Beginning
	ID        string
	created   int64
	parts     []event.Part
	updated   int64
	title     string
	priority  bool
	attrs     []event.Attribute
	score     *event.Rating
	tags      []event.AppliedTag
	linked    []event.LinkedObject
	sources   []event.ContentSource
	cards     []event.Scorecard
	monitors  []event.Evaluation
	redacted  bool                     // the source
	company   int32                    // -1: none
	people    []*event.Contact         // its contacts
	shared    *bool                    // whether a ticket was shared explicitly; nil: never set
	readSet   *readFlag                // when the read flag was last set; nil: never
	rewritten map[int32]event.Assigned // parts by index: the assignment that they show now, which is not the one they made
}

// readFlag is a read flag that was set when the conversation had so many parts. A later comment overrides it.
type readFlag struct {
	read  bool
	parts int
}

// groupByRecord yields a log record by record: its opening, the events since, and whether it was deleted.
func groupByRecord(log []event.ThreadEvent, yield func(opened *event.ThreadEvent, since []*event.ThreadEvent, deleted bool) bool) {
	since := map[int32][]*event.ThreadEvent{}
	deleted := map[int32]bool{}
	for i := range log {
		switch e := &log[i]; e.Kind {
		case event.ThreadOpened:
		case event.ThreadDeleted:
			deleted[e.Num] = true
		default:
			since[e.Num] = append(since[e.Num], e)
		}
	}
	for i := range log {
		if e := &log[i]; e.Kind == event.ThreadOpened && !yield(e, since[e.Num], deleted[e.Num]) {
			return
		}
	}
}

// replayThread returns a record in its current state.
func replayThread(id string, opened *event.ThreadEvent, b *event.Beginning, since []*event.ThreadEvent) *replayedThread {
	t := &replayedThread{Beginning: b, ID: id, created: opened.At, parts: b.Parts, updated: max(opened.At, opened.Until), title: b.Title, priority: b.Priority, attrs: b.Attrs,
		score: b.Rating, tags: b.Tags, linked: b.Linked, cards: b.Scorecards, monitors: b.Evaluations, redacted: b.Source != nil && b.Source.Redacted, company: b.Company,
		people: b.Contacts}
	if b.AI != nil {
		t.sources = b.AI.Sources
	}
	for _, e := range since {
		t.applyEvent(e)
	}
	return t
}

// applyEvent applies one event.
func (t *replayedThread) applyEvent(e *event.ThreadEvent) {
	if !e.Quiet {
		t.updated = e.At
	}
	if e.With != nil && e.With.Figures != nil {
		t.takeFigures(e.With.Figures)
	}
	switch with := e.With; e.Kind {
	case event.ThreadPartAdded:
		t.parts = append(t.parts, with.Part)
		if with.Source != nil {
			t.sources = append(t.sources, *with.Source)
		}
	case event.ThreadRedacted:
		if e.Place < 0 {
			t.redacted = true
			return
		}
		p := &t.parts[e.Place]
		p.Redacted, p.Body, p.Files, p.Updated = true, "", nil, e.At
	case event.ThreadPartChanged:
		p := &t.parts[e.Place]
		if with.Body != "" {
			p.Body, p.Updated = with.Body, e.At
		}
		if with.Assigned != nil {
			if t.rewritten == nil {
				t.rewritten = map[int32]event.Assigned{}
			}
			t.rewritten[e.Place] = *with.Assigned
		}
	case event.ThreadRated:
		t.score = &with.Rating
	case event.ThreadReviewed:
		t.cards = slices.DeleteFunc(slices.Clone(t.cards), func(s event.Scorecard) bool { return s.ID == with.Scorecard.ID })
		t.cards = append(t.cards, with.Scorecard)
	case event.ThreadEvaluated:
		t.monitors = slices.DeleteFunc(slices.Clone(t.monitors), func(m event.Evaluation) bool { return m.ID == with.Evaluation.ID })
		t.monitors = append(t.monitors, with.Evaluation)
	case event.ThreadTagged:
		t.removeTag(e.Place)
		t.tags = append(t.tags, event.AppliedTag{Tag: e.Place, At: e.At, By: with.By})
	case event.ThreadUntagged:
		t.removeTag(e.Place)
	case event.ThreadLinked:
		t.linked = append(t.linked, with.Linked)
	case event.ThreadContactsChanged:
		t.people = e.Contacts
	case event.ThreadFieldsSet:
		for _, s := range with.Set {
			t.applyChange(s)
		}
	}
}

// takeFigures replaces what only the source works out.
func (t *replayedThread) takeFigures(f *event.Figures) {
	t.Median, t.Handling = f.Median, f.Handling
	if f.SLA != nil {
		t.SLA = f.SLA
	}
	if f.FirstReply != nil {
		t.FirstReply = f.FirstReply
	}
	if f.AI != nil {
		t.AI, t.sources = f.AI, f.AI.Sources
	}
}

func (t *replayedThread) removeTag(tag int32) {
	t.tags = slices.DeleteFunc(slices.Clone(t.tags), func(a event.AppliedTag) bool { return a.Tag == tag })
}

func (t *replayedThread) applyChange(s event.FieldChange) {
	switch name, attribute := strings.CutPrefix(s.Field, "custom_attributes."); {
	case attribute:
		t.attrs = setAttribute(t.attrs, name, valueText(s.Value))
	case s.Field == "title":
		t.title, _ = s.Value.(string)
	case s.Field == "read":
		t.readSet = &readFlag{s.Value == true, len(t.parts)}
	case s.Field == "is_shared":
		shared := s.Value == true
		t.shared = &shared
	case s.Field == "company_id":
		t.company = -1
		if firm, some := s.Value.(int64); some {
			t.company = int32(firm)
		}
	default:
		t.priority = s.Value == "priority"
	}
}
