package conversations

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/state/companies"
	"aqueduck/internal/emulator/state/contacts"
	"aqueduck/internal/emulator/state/core"
)

// ErrNoConversation means that an operation names a conversation that does not exist.
var ErrNoConversation = errors.New("no such conversation")

// ErrNoPart means that an operation names a part that does not exist.
var ErrNoPart = errors.New("no such part")

// Speaker is the kind of author of a comment or a note.
type Speaker string

// Speakers by name.
const (
	ByContact  Speaker = "contact" // reopens a closed or snoozed conversation
	ByTeammate Speaker = "teammate"
	ByAI       Speaker = "ai"
	ByNote     Speaker = "note" // a teammate, for the other teammates
)

// OpenConversation has a contact begin a conversation, which has this many parts within this second. It returns the id.
func (w *Conversations) OpenConversation(contact string, parts int) (string, error) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	num, ok := w.People.ByID[contact]
	if !ok {
		return "", fmt.Errorf("open a conversation: contact %s: %w", contact, contacts.ErrUnknown)
	}
	return w.openConversation(w.UnixNow(), []*event.Contact{w.People.List[num].Doc}, parts), nil
}

func (w *Desk) openConversation(at int64, who []*event.Contact, parts int) string {
	num := int32(len(w.Threads))
	w.RecordThreadEvent(event.ThreadEvent{At: at, Until: at, Kind: event.ThreadOpened, Num: num, Size: int32(parts), Contacts: who})
	return event.ConversationID(num)
}

// updateByID logs one event of a conversation; add fills it in and may refuse it.
func (w *Desk) updateByID(id string, add func(c *Conversation, r *event.RNG, e *event.ThreadEvent) error) error {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	num, ok := w.FindThread(id)
	if !ok {
		return fmt.Errorf("conversation %s: %w", id, ErrNoConversation)
	}
	e := event.ThreadEvent{At: w.UnixNow(), Num: num, With: &event.ThreadArgs{}}
	// Values that the caller does not give are drawn, differently each time.
	r := event.NewRNG(w.Setup.Seed, event.ForConversationLife, 1, uint64(len(w.ConversationLog)))
	if err := add(w.ThreadDrawer().DrawConversation(w.Threads[num].Newest), r, &e); err != nil {
		return fmt.Errorf("conversation %s: %w", id, err)
	}
	w.RecordThreadEvent(e)
	return nil
}

// AddPartTo makes an event the addition of a part, which change fills in.
func (w *Desk) AddPartTo(c *Conversation, e *event.ThreadEvent, change func(p *event.Part)) {
	e.Kind, e.With.Part = event.ThreadPartAdded, w.Maker.BlankPart(c.Scene(), e.At)
	change(&e.With.Part)
}

// ReplyConversation adds a comment or a note.
func (w *Conversations) ReplyConversation(id string, by Speaker, body string) error {
	return w.updateByID(id, func(c *Conversation, r *event.RNG, e *event.ThreadEvent) error {
		draw, ok := Speakers[by]
		if !ok {
			return fmt.Errorf("%q does not speak", by)
		}
		w.AddPartTo(c, e, func(p *event.Part) { draw(w.Maker, r, c.Scene(), p); p.Body = body })
		w.addAnswerSource(r, e)
		return nil
	})
}

// Speakers have the draw of each kind of speaker's part.
var Speakers = map[Speaker]func(m *population.Conversations, r *event.RNG, s *population.Scene, p *event.Part){
	ByContact: (*population.Conversations).FillCustomerReply, ByTeammate: (*population.Conversations).FillAdminReply, ByAI: (*population.Conversations).FillAIReply, ByNote: (*population.Conversations).FillAdminNote}

// addAnswerSource gives an answer of the AI agent the content that it used.
func (w *Desk) addAnswerSource(r *event.RNG, e *event.ThreadEvent) {
	if e.With.Part.Author.Answer {
		s := population.DrawSource(r)
		e.With.Source = &s
	}
}

// AddPart adds a part of any type, by a bot and without a body (trap T64).
func (w *Conversations) AddPart(id, partType string) error {
	return w.updateByID(id, func(c *Conversation, _ *event.RNG, e *event.ThreadEvent) error {
		w.AddPartTo(c, e, func(p *event.Part) { p.Type, p.Author = partType, event.Bot })
		return nil
	})
}

// AssignConversation adds a part that is one row of the table of workspace-api 2.10. It reopens a closed conversation unless skipReopen is set
// (trap T75).
func (w *Conversations) AssignConversation(id string, as event.Assignment, skipReopen bool) error {
	return w.AssignAs(id, as, skipReopen, Naming{})
}

// AssignAs is AssignConversation with named actors and assignees.
func (w *Conversations) AssignAs(id string, as event.Assignment, skipReopen bool, who Naming) error {
	return w.updateByID(id, func(c *Conversation, r *event.RNG, e *event.ThreadEvent) (err error) {
		if as >= event.Assignments {
			return fmt.Errorf("no assignment %d", as)
		}
		w.AddPartTo(c, e, func(p *event.Part) {
			w.Maker.FillAssignmentNow(r, c.Scene(), p, as, skipReopen)
			err = w.NameAssignment(p, who)
		})
		return err
	})
}

// CloseConversation closes a conversation.
func (w *Conversations) CloseConversation(id string) error {
	return w.ChangeState(id, "", "", (*population.Conversations).FillClose)
}

// ReopenConversation reopens a conversation.
func (w *Conversations) ReopenConversation(id string) error {
	return w.ChangeState(id, "", "", (*population.Conversations).FillReopen)
}

// SnoozeConversation snoozes a conversation until a time.
func (w *Conversations) SnoozeConversation(id string, until time.Time) error {
	return w.SnoozeUntil(id, "", until)
}

// SnoozeUntil snoozes a conversation until a time, by the admin with this id, or by a drawn one when it is "".
func (w *Desk) SnoozeUntil(id, by string, until time.Time) error {
	if !until.After(w.CurrentTime()) {
		return fmt.Errorf("conversation %s: it can only be snoozed until a later time", id)
	}
	return w.ChangeState(id, by, "", func(m *population.Conversations, r *event.RNG, s *population.Scene, p *event.Part) {
		m.FillSnooze(r, s, p)
		p.Until = until.Unix()
	})
}

// SummariseCall ends a call and adds its call_summary part without the body, which comes later. It returns the ids of the part and of the
// call.
func (w *Conversations) SummariseCall(id string) (partID, call string, err error) {
	err = w.updateByID(id, func(c *Conversation, r *event.RNG, e *event.ThreadEvent) error {
		w.AddPartTo(c, e, func(p *event.Part) { w.Maker.FillSummaryPart(r, p, w.AddCall(c, e.At)); p.Body = "" })
		partID, call = strconv.FormatInt(e.With.Part.ID, 10), e.With.Part.Call
		return nil
	})
	return partID, call, err
}

// FillCallSummary sets the body of a call_summary part. The conversation's updated_at does not move (trap T58).
func (w *Conversations) FillCallSummary(id, part, body string) error {
	return w.mutatePart(id, part, func(_ *event.RNG, e *event.ThreadEvent) { e.With.Body = body })
}

// MutatePartSilently gives a part another assignment. Neither its updated_at nor the conversation's moves (trap T58).
func (w *Conversations) MutatePartSilently(id, part string, as event.Assignment) error {
	return w.mutatePart(id, part, func(r *event.RNG, e *event.ThreadEvent) {
		row := w.Maker.DrawAssigned(r, as, e.At)
		e.With.Assigned = &row
	})
}

func (w *Desk) mutatePart(id, part string, change func(r *event.RNG, e *event.ThreadEvent)) error {
	return w.updateByID(id, func(c *Conversation, r *event.RNG, e *event.ThreadEvent) (err error) {
		e.Kind, e.Quiet = event.ThreadPartChanged, true
		e.Place, err = c.FindPart(part)
		change(r, e)
		return err
	})
}

// FindPart returns the index of a part by its id.
func (c *Conversation) FindPart(part string) (int32, error) {
	for i := range c.Parts {
		if strconv.FormatInt(c.Parts[i].ID, 10) == part {
			return int32(i), nil
		}
	}
	return 0, fmt.Errorf("part %q: %w", part, ErrNoPart)
}

// RedactPart removes the text of a part, or with "" that of the source (trap T59). bump says whether updated_at moves.
func (w *Conversations) RedactPart(id, part string, bump bool) error {
	return w.updateByID(id, func(c *Conversation, _ *event.RNG, e *event.ThreadEvent) (err error) {
		e.Kind, e.Quiet, e.Place = event.ThreadRedacted, !bump, -1
		if part != "" {
			e.Place, err = c.FindPart(part)
		}
		return err
	})
}

// RateConversation rates a conversation with one to five stars, or changes its rating. bump says whether the conversation's updated_at moves.
func (w *Conversations) RateConversation(id string, stars int, remark string, bump bool) error {
	return w.updateByID(id, func(c *Conversation, r *event.RNG, e *event.ThreadEvent) error {
		if len(c.Contacts) == 0 {
			return errors.New("it has no contact")
		}
		if stars < 1 || stars > 5 {
			return fmt.Errorf("a rating has one to five stars, not %d", stars)
		}
		w.draftRating(r, c, e)
		e.With.Rating.Stars, e.With.Rating.Remark, e.Quiet = int64(stars), remark, !bump
		return nil
	})
}

// draftRating draws a rating, or a change of the existing one.
func (w *Desk) draftRating(r *event.RNG, c *Conversation, e *event.ThreadEvent) {
	e.Kind, e.With.Rating = event.ThreadRated, *w.Maker.DrawRating(r, c.Contacts[0], e.At)
	if c.Rating != nil {
		e.With.Rating.Created = c.Rating.Created
	}
}

// ReviewConversation fills in a scorecard, numbered from 0, with one of the document's statuses, or "" for one without a review. bump says
// whether the conversation's updated_at moves (trap T65).
func (w *Conversations) ReviewConversation(id string, card int, status string, bump bool) error {
	return w.updateByID(id, func(c *Conversation, r *event.RNG, e *event.ThreadEvent) error {
		e.Kind, e.Quiet, e.With.Scorecard = event.ThreadReviewed, !bump, w.Maker.DrawScorecard(r, c.Num, card, status, e.At)
		return nil
	})
}

// EvaluateConversation has a monitor, numbered from 0, evaluate a conversation.
func (w *Conversations) EvaluateConversation(id string, monitor int, bump bool) error {
	return w.updateByID(id, func(_ *Conversation, r *event.RNG, e *event.ThreadEvent) error {
		e.Kind, e.Quiet, e.With.Evaluation = event.ThreadEvaluated, !bump, w.Maker.DrawEvaluation(r, monitor, e.At)
		return nil
	})
}

// TagConversation adds a tag to a conversation; tags are numbered from 0 to 599.
func (w *Conversations) TagConversation(id string, tag int) error {
	return w.updateByID(id, func(_ *Conversation, r *event.RNG, e *event.ThreadEvent) error {
		e.Kind, e.With.By = event.ThreadTagged, w.Setup.Cast.Admins[r.IntN(len(w.Setup.Cast.Admins))].ID
		return core.SetInt32(&e.Place, tag, w.Setup.Cast.TagCount)
	})
}

// UntagConversation removes a tag. The knob QuietUntag says whether updated_at moves.
func (w *Conversations) UntagConversation(id string, tag int) error {
	return w.updateByID(id, func(_ *Conversation, _ *event.RNG, e *event.ThreadEvent) error {
		e.Kind, e.Quiet = event.ThreadUntagged, w.K().QuietUntag
		return core.SetInt32(&e.Place, tag, w.Setup.Cast.TagCount)
	})
}

// LinkObject links a ticket or a conversation.
func (w *Conversations) LinkObject(id string) error {
	return w.updateByID(id, func(c *Conversation, r *event.RNG, e *event.ThreadEvent) error {
		e.Kind, e.With.Linked = event.ThreadLinked, population.DrawLinked(r, int(c.Num)*4+len(c.Linked))
		return nil
	})
}

// UpdateConversation sets title, priority (priority or not_priority), read, company_id (nil: none) or custom_attributes.<name>.
func (w *Conversations) UpdateConversation(id string, set ...event.FieldChange) error {
	return w.updateByID(id, func(c *Conversation, _ *event.RNG, e *event.ThreadEvent) error {
		e.Kind, e.With.Set = event.ThreadFieldsSet, core.PlainChanges(set)
		for i, s := range e.With.Set {
			if s.Field == "company_id" && s.Value != nil {
				firm, _ := s.Value.(string)
				num, known := w.Companies.FindCompany(firm)
				if !known {
					return fmt.Errorf("company %v: %w", s.Value, companies.ErrNoCompany)
				}
				e.With.Set[i].Value = int64(num)
			}
			if err := c.applyChange(e.With.Set[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// DeleteConversation deletes a conversation for good: search does not find it, and its id answers 404 (trap T60).
func (w *Conversations) DeleteConversation(id string) error {
	return w.updateByID(id, func(_ *Conversation, _ *event.RNG, e *event.ThreadEvent) error {
		e.Kind = event.ThreadDeleted
		return nil
	})
}

// ConversationIDs returns the ids of all existing conversations, in the order of their beginning.
func (w *Conversations) ConversationIDs() []string {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	var ids []string
	for num := range w.Threads {
		if !w.Threads[num].Deleted {
			ids = append(ids, event.ConversationID(int32(num)))
		}
	}
	return ids
}

// PartIDs returns the ids of a conversation's parts, oldest first; nil where there is no such conversation.
func (w *Conversations) PartIDs(id string) []string {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	num, ok := w.FindThread(id)
	if !ok {
		return nil
	}
	return w.Threads[num].PartIDs(num)
}
