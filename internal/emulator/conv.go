package emulator

import (
	"slices"
	"strconv"
	"strings"
)

// conversation is one in full. It is drawn for each question from the log, and belongs to who drew it.
type conversation struct {
	num                                int32
	ID, Title, State                   string
	Created, Updated, Waiting, Snoozed int64
	Admin, Team                        int64 // 0: nobody
	Read, Priority                     bool
	Company                            int32 // -1: none
	Contacts                           []*doc
	Tags                               []applied
	Attrs                              []attr
	Source                             *source
	Rating                             *rating
	SLA                                *sla
	FirstReply                         *firstReply
	AI                                 *aiAgent
	Linked                             []linked
	Parts                              []part
	Stats                              statistics
	Cards                              []scorecard
	Monitors                           []monitor
	silent                             bool // was born without a contact's reply
	wrote                              bool // began with a message that somebody wrote
	bare                               bool // has null for its statistics, teammates and linked objects
}

// author is who wrote something.
type author struct {
	Type, ID, Name, Email string
	AI, Answer            bool // from the AI agent, and an answer of it
}

type source struct {
	Type, ID, Delivered, Subject, Body, URL string
	Author                                  author
	Files                                   []file
	Redacted                                bool
}

// file is an attachment. Its address is signed anew in every answer.
type file struct {
	Name, Type    string
	Size          int64
	Width, Height int64 // 0: no picture
	ID            uint64
}

// part is one thing that was said or done in a conversation. Its id is unique within the conversation only.
type part struct {
	ID                                         int64
	Type, Body                                 string
	At, Updated, Notified                      int64
	Until                                      int64 // snoozed until
	Author                                     author
	Assigned                                   assigned
	State                                      string // of the conversation after it
	Call, EventType, Data, Meta, External, App string
	Files                                      []file
	Tags                                       []int32
	Redacted                                   bool
	Ticket                                     *ticketChange // what a part of a ticket did to it; nil: nothing
}

// Assignment is a row of the table of workspace-api 2.10: what a part did to who is in charge.
type Assignment uint8

// The rows.
const (
	AssignNothing Assignment = iota
	AssignTeamAndTeammate
	AssignTeammate
	AssignTeam
	AssignBot
	RemoveTeam
	RemoveTeammate
	RemoveAll
	assignments // how many there are
)

// assignmentNames are the rows as operations over HTTP name them.
var assignmentNames = [assignments]string{"nothing", "team_and_teammate", "teammate", "team", "bot", "remove_team", "remove_teammate", "remove_all"}

// assigned is one row with the ids that it names.
type assigned struct {
	As          Assignment
	Admin, Team int64
}

type applied struct {
	Tag int32
	At  int64
	By  int64
}

type rating struct {
	Stars            int64
	Remark           string
	Created, Updated int64
	Contact          *doc
	By               string // admin, workflow or nobody
	Admin            int64
}

type sla struct{ Name, Status string }

type firstReply struct {
	At        int64
	Type, URL string
}

type aiAgent struct {
	SourceType, Title, LastAnswer, Resolution, Remark string
	Stars, Created, Updated                           int64
	Sources                                           []content
}

// content is something that an answer of the AI agent was made of.
type content struct{ Type, Title, Locale, URL string }

type linked struct{ Type, ID, Category string }

// statistics are kept up part by part. A zero time is null.
type statistics struct {
	FirstContact, LastContact, FirstAdmin, LastAdmin, LastAssignedAdmin int64
	FirstAssigned, LastAssigned, FirstClose, LastClose                  int64
	ClosedBy                                                            string
	Reopens, Assignments                                                int64
	Median, Handling                                                    int64
}

// follow makes the conversation follow one event of its log.
func (c *conversation) follow(e *convEvent) {
	switch e.Kind {
	case convSpoken:
		c.take(e.With.part)
		if e.With.source != nil {
			c.AI.Sources = append(c.AI.Sources, *e.With.source)
		}
	case convRedacted:
		c.redact(e)
	case convRated:
		r := e.With.rating
		c.Rating = &r
	case convReviewed:
		c.Cards = put(c.Cards, e.With.card, func(s scorecard) string { return s.ID })
	case convMonitored:
		c.Monitors = put(c.Monitors, e.With.monitor, func(m monitor) string { return m.ID })
	case convMutated:
		p := &c.Parts[e.Place]
		if e.With.assigned != nil {
			p.Assigned = *e.With.assigned
		}
		if e.With.body != "" {
			p.Body, p.Updated = e.With.body, e.At
		}
	case convTagged:
		c.untag(e.Place)
		c.Tags = append(c.Tags, applied{e.Place, e.At, e.With.by})
	case convUntagged:
		c.untag(e.Place)
	case convLinked:
		c.Linked = append(c.Linked, e.With.linked)
	case convPassedOn:
		c.Contacts = e.Who
	case convSet:
		for _, s := range e.With.set {
			_ = c.set(s) // checked before it came into the log
		}
	}
	if !e.Quiet {
		c.Updated = e.At
	}
}

// put replaces the item of the same id, or adds it.
func put[T any](list []T, item T, id func(T) string) []T {
	list = slices.Clone(list)
	for i := range list {
		if id(list[i]) == id(item) {
			list[i] = item
			return list
		}
	}
	return append(list, item)
}

func (c *conversation) untag(tag int32) {
	c.Tags = slices.DeleteFunc(c.Tags, func(a applied) bool { return a.Tag == tag })
}

// redact takes the words of a part, or of the source, out for good (trap T59).
func (c *conversation) redact(e *convEvent) {
	if e.Place < 0 {
		if c.Source != nil {
			c.Source.Body, c.Source.Subject, c.Source.Files, c.Source.Redacted = "", "", nil, true
		}
		return
	}
	p := &c.Parts[e.Place]
	p.Body, p.Files, p.Redacted, p.Updated = "", nil, true, e.At
}

// take adds a part and what it does to the conversation.
func (c *conversation) take(p part) {
	s, before := &c.Stats, c.State
	c.Parts = append(c.Parts, p)
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
		first(&s.FirstContact, p.At)
		s.LastContact = p.At
	case p.Type == "comment":
		c.Read, c.Waiting = true, 0
		if p.Author.Type == "admin" {
			c.answered(p.At)
		}
	case p.Type == "close":
		c.Waiting = 0
		first(&s.FirstClose, p.At)
		s.LastClose, s.ClosedBy = p.At, p.Author.ID
	}
	if p.Author.AI {
		c.helped(&p)
	}
	c.assign(&p)
}

func first(at *int64, now int64) {
	if *at == 0 {
		*at = now
	}
}

func isContactType(t string) bool { return t == "user" || t == "lead" }

func (c *conversation) answered(at int64) {
	first(&c.Stats.FirstAdmin, at)
	c.Stats.LastAdmin = at
	if c.Stats.LastAssigned != 0 {
		c.Stats.LastAssignedAdmin = at
	}
}

// helped notes that the AI agent took part.
func (c *conversation) helped(p *part) {
	if c.AI == nil {
		c.AI = &aiAgent{SourceType: "workflow", Created: p.At}
	}
	c.AI.Updated = p.At
	if p.Author.Answer {
		c.AI.LastAnswer = "ai_answer"
	}
}

func (c *conversation) assign(p *part) {
	switch p.Assigned.As {
	case AssignNothing:
		return
	case AssignTeamAndTeammate:
		c.Admin, c.Team = p.Assigned.Admin, p.Assigned.Team
	case AssignTeammate, AssignBot:
		c.Admin = p.Assigned.Admin
	case AssignTeam:
		c.Team = p.Assigned.Team
	case RemoveTeam:
		c.Team = 0
	case RemoveTeammate:
		c.Admin = 0
	case RemoveAll:
		c.Admin, c.Team = 0, 0
	}
	if p.Assigned.As <= AssignBot {
		c.Stats.Assignments++
		first(&c.Stats.FirstAssigned, p.At)
		c.Stats.LastAssigned = p.At
	}
}

// set applies one change. Fields are named as the oracle's columns are; a company comes by its number.
func (c *conversation) set(s Change) error {
	if name, ok := strings.CutPrefix(s.Field, "custom_attributes."); ok {
		if slices.Contains(qaNames, name) {
			return refuse("set %s of a conversation: quality assurance writes it", s.Field)
		}
		raw, err := rawJSON(s.Value)
		if err == nil {
			c.Attrs = setAttr(c.Attrs, name, raw)
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
		return refuse("set %s of a conversation to %v: not possible", s.Field, s.Value)
	}
	return nil
}

// teammates are the admins who wrote something, in the order of their first words.
func (c *conversation) teammates() []string {
	var ids []string
	for i := range c.Parts {
		if a := &c.Parts[i].Author; a.Type == "admin" && !slices.Contains(ids, a.ID) {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

// Ids of conversations are long numbers in text, as such services have; those of parts begin again in each conversation.
func convID(num int32) string { return strconv.FormatInt(convBase+7*int64(num), 10) }

func partID(num int32, place int) int64 { return 7100000 + 3*int64(place) + int64(num%5) }

const convBase = 215470000000000

// thread finds a conversation by its id.
func (w *Workspace) thread(id string) (int32, bool) {
	n, err := strconv.ParseInt(id, 10, 64)
	num := (n - convBase) / 7
	if err != nil || n < convBase || num >= int64(len(w.threads)) || convID(int32(num)) != id {
		return 0, false
	}
	return int32(num), !w.threads[num].deleted
}
