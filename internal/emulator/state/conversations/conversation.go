package conversations

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/state/core"
)

// Conversation is one conversation in full. It is replayed from the log for each question, and belongs to the caller.
type Conversation struct {
	Num                                int32 // number; its id is made from it
	ID, Title, State                   string
	Created, Updated, Waiting, Snoozed int64 // Unix seconds; 0: null
	Admin, Team                        int64 // 0: nobody
	Read, Priority                     bool  // as the API calls them
	Company                            int32 // -1: none
	Contacts                           []*event.Contact
	Tags                               []event.AppliedTag
	Attrs                              []event.Attribute
	Source                             *event.Source
	Rating                             *event.Rating
	SLA                                *event.SLA
	FirstReply                         *event.FirstReply
	AI                                 *AIAgent
	Linked                             []event.LinkedObject
	Parts                              []event.Part
	Stats                              partStatistics
	Cards                              []event.Scorecard
	Monitors                           []event.Evaluation
	silent                             bool // the population gave it no contact's reply
	wrote                              bool // began with a message of a request or an operation
	Bare                               bool // null for its statistics, teammates and linked objects
}

// AIAgent is the AI agent's part in a conversation.
type AIAgent struct {
	SourceType, Title, LastAnswer, Resolution, Remark string
	Stars, Created, Updated                           int64 // 1 to 5, 0: not rated; Unix seconds
	Sources                                           []event.ContentSource
}

// partStatistics are updated part by part. A zero time is null.
type partStatistics struct {
	FirstContact, LastContact, FirstAdmin, LastAdmin, LastAssignedAdmin int64
	FirstAssigned, LastAssigned, FirstClose, LastClose                  int64
	ClosedBy                                                            string
	Reopens, Assignments                                                int64
	Median, Handling                                                    int64
}

// ApplyEvent updates the conversation by one event of its log.
func (c *Conversation) ApplyEvent(e *event.ThreadEvent) {
	switch e.Kind {
	case event.ThreadPartAdded:
		c.addPart(e.With.Part)
		if e.With.Source != nil {
			c.AI.Sources = append(c.AI.Sources, *e.With.Source)
		}
	case event.ThreadRedacted:
		c.redactWords(e)
	case event.ThreadRated:
		r := e.With.Rating
		c.Rating = &r
	case event.ThreadReviewed:
		c.Cards = replaceByID(c.Cards, e.With.Scorecard, func(s event.Scorecard) string { return s.ID })
	case event.ThreadEvaluated:
		c.Monitors = replaceByID(c.Monitors, e.With.Evaluation, func(m event.Evaluation) string { return m.ID })
	case event.ThreadPartChanged:
		p := &c.Parts[e.Place]
		if e.With.Assigned != nil {
			p.Assigned = *e.With.Assigned
		}
		if e.With.Body != "" {
			p.Body, p.Updated = e.With.Body, e.At
		}
	case event.ThreadTagged:
		c.removeTag(e.Place)
		c.Tags = append(c.Tags, event.AppliedTag{Tag: e.Place, At: e.At, By: e.With.By})
	case event.ThreadUntagged:
		c.removeTag(e.Place)
	case event.ThreadLinked:
		c.Linked = append(c.Linked, e.With.Linked)
	case event.ThreadContactsChanged:
		c.Contacts = e.Contacts
	case event.ThreadFieldsSet:
		for _, s := range e.With.Set {
			_ = c.applyChange(s) // checked before it came into the log
		}
	}
	if e.With != nil && e.With.Figures != nil {
		c.adoptFigures(e.With.Figures)
	}
	if !e.Quiet {
		c.Updated = e.At
	}
}

// adoptFigures adopts what the source works out as of an event.
func (c *Conversation) adoptFigures(f *event.Figures) {
	c.Stats.Median, c.Stats.Handling = f.Median, f.Handling
	c.SLA, c.FirstReply = cmp.Or(f.SLA, c.SLA), cmp.Or(f.FirstReply, c.FirstReply)
	if a := f.AI; a != nil && c.AI != nil {
		c.AI.Title, c.AI.Resolution, c.AI.Stars, c.AI.Remark, c.AI.Sources = a.Title, a.Resolution, a.Stars, a.Remark, a.Sources
	}
}

// replaceByID replaces the item with the same id, or adds it.
func replaceByID[T any](list []T, item T, id func(T) string) []T {
	list = slices.Clone(list)
	for i := range list {
		if id(list[i]) == id(item) {
			list[i] = item
			return list
		}
	}
	return append(list, item)
}

func (c *Conversation) removeTag(tag int32) {
	c.Tags = slices.DeleteFunc(c.Tags, func(a event.AppliedTag) bool { return a.Tag == tag })
}

// redactWords removes the text of a part, or of the source, for good (trap T59).
func (c *Conversation) redactWords(e *event.ThreadEvent) {
	if e.Place < 0 {
		if c.Source != nil {
			c.Source.Body, c.Source.Subject, c.Source.Files, c.Source.Redacted = "", "", nil, true
		}
		return
	}
	p := &c.Parts[e.Place]
	p.Body, p.Files, p.Redacted, p.Updated = "", nil, true, e.At
}

// NewConversation returns a conversation in its initial state.
func NewConversation(opened *event.ThreadEvent, b *event.Beginning) *Conversation {
	c := &Conversation{Num: b.Num, ID: event.ConversationID(b.Num), Title: b.Title, State: "open", Created: opened.At, Updated: max(opened.At, opened.Until),
		Priority: b.Priority, Company: b.Company, Contacts: b.Contacts, Tags: b.Tags, Attrs: b.Attrs, Source: b.Source, Rating: b.Rating, SLA: b.SLA,
		FirstReply: b.FirstReply, Linked: b.Linked, Parts: b.Parts, Cards: b.Scorecards, Monitors: b.Evaluations, silent: b.Silent, wrote: b.Written, Bare: b.Bare}
	c.Stats.Median, c.Stats.Handling, c.Stats.FirstContact, c.Stats.LastContact = b.Median, b.Handling, b.Asked, b.Asked
	if c.Source != nil && c.Source.Delivered == population.CustomerInitiated {
		c.Waiting = c.Created
	}
	for i := range c.Parts {
		c.applyPart(&c.Parts[i])
	}
	if c.AI != nil && b.AI != nil {
		c.AI.Title, c.AI.Resolution, c.AI.Stars, c.AI.Remark, c.AI.Sources = b.AI.Title, b.AI.Resolution, b.AI.Stars, b.AI.Remark, b.AI.Sources
	}
	return c
}

// Scene returns the state that the next part is drawn from.
func (c *Conversation) Scene() *population.Scene {
	return &population.Scene{Num: c.Num, Parts: len(c.Parts), State: c.State, Contacts: c.Contacts}
}

// addPart adds a part and applies it.
func (c *Conversation) addPart(p event.Part) {
	c.Parts = append(c.Parts, p)
	c.applyPart(&p)
}

// applyPart updates the conversation by a part.
func (c *Conversation) applyPart(p *event.Part) {
	s, before := &c.Stats, c.State
	c.State = p.State
	if before == "closed" && p.State == "open" {
		s.Reopens++
	}
	if p.State != "snoozed" || p.Until != 0 {
		c.Snoozed = p.Until
	}
	switch {
	case p.Type == "comment" && isContactType(p.Author.Type):
		c.Read = false
		if c.Waiting == 0 {
			c.Waiting = p.At
		}
		setIfZero(&s.FirstContact, p.At)
		s.LastContact = max(s.LastContact, p.At)
	case p.Type == "comment":
		c.Read, c.Waiting = true, 0
		if p.Author.Type == "admin" {
			c.countAnswer(p.At)
		}
	case p.Type == "close":
		c.Waiting = 0
		setIfZero(&s.FirstClose, p.At)
		s.LastClose, s.ClosedBy = p.At, p.Author.ID
	}
	if p.Author.AI {
		c.noteAIPart(p)
	}
	c.applyAssignment(p)
}

func setIfZero(at *int64, now int64) {
	if *at == 0 {
		*at = now
	}
}

func isContactType(t string) bool { return t == "user" || t == "lead" }

func (c *Conversation) countAnswer(at int64) {
	setIfZero(&c.Stats.FirstAdmin, at)
	c.Stats.LastAdmin = at
	if c.Stats.LastAssigned != 0 {
		c.Stats.LastAssignedAdmin = at
	}
}

// noteAIPart records that the AI agent took part.
func (c *Conversation) noteAIPart(p *event.Part) {
	if c.AI == nil {
		c.AI = &AIAgent{SourceType: "workflow", Created: p.At}
	}
	c.AI.Updated = p.At
	if p.Author.Answer {
		c.AI.LastAnswer = "ai_answer"
	}
}

func (c *Conversation) applyAssignment(p *event.Part) {
	switch p.Assigned.As {
	case event.AssignNothing:
		return
	case event.AssignTeamAndTeammate:
		c.Admin, c.Team = p.Assigned.Admin, p.Assigned.Team
	case event.AssignTeammate, event.AssignBot:
		c.Admin = p.Assigned.Admin
	case event.AssignTeam:
		c.Team = p.Assigned.Team
	case event.RemoveTeam:
		c.Team = 0
	case event.RemoveTeammate:
		c.Admin = 0
	case event.RemoveAll:
		c.Admin, c.Team = 0, 0
	}
	if p.Assigned.As <= event.AssignBot {
		c.Stats.Assignments++
		setIfZero(&c.Stats.FirstAssigned, p.At)
		c.Stats.LastAssigned = p.At
	}
}

// applyChange applies one change. Fields have the names of the oracle's columns; a company is named by its number.
func (c *Conversation) applyChange(s event.FieldChange) error {
	if name, ok := strings.CutPrefix(s.Field, "custom_attributes."); ok {
		if slices.Contains(ReviewAttributeNames, name) {
			return fmt.Errorf("set %s of a conversation: quality assurance writes it", s.Field)
		}
		raw, err := core.RawJSON(s.Value)
		if err == nil {
			c.Attrs = population.SetAttribute(c.Attrs, name, raw)
		}
		return err
	}
	text, isText := s.Value.(string)
	flag, isFlag := s.Value.(bool)
	firm, isNumber := s.Value.(int64)
	switch {
	case s.Field == "title" && (isText || s.Value == nil):
		c.Title = text
	case s.Field == "priority" && isText:
		c.Priority = text == "priority"
	case s.Field == "read" && isFlag:
		c.Read = flag
	case s.Field == "company_id" && isNumber:
		c.Company = int32(firm)
	case s.Field == "company_id" && s.Value == nil:
		c.Company = -1
	default:
		return fmt.Errorf("set %s of a conversation to %v: not possible", s.Field, s.Value)
	}
	return nil
}

// Teammates returns the ids of the admins that wrote something, in the order of their first parts.
func (c *Conversation) Teammates() []string {
	var ids []string
	for i := range c.Parts {
		if a := &c.Parts[i].Author; a.Type == "admin" && !slices.Contains(ids, a.ID) {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

// PriorityWord returns the word that is sent for a priority.
func PriorityWord(high bool) string {
	if high {
		return "priority"
	}
	return "not_priority"
}
