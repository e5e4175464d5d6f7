package population

import "aqueduck/internal/emulator/event"

// Origin is what a population is drawn from. It draws the details of events that are not stored with them.
type Origin struct {
	Seed     uint64 // of the workspace
	Start    int64  // hour 0
	Contacts int    // at hour 0
	Cast     *event.Cast
	Script   Script // draws in place of this package; nil: this package draws
}

// Script is a population that is not this package's. What it draws of records before hour 0 comes with their events; of later records too.
type Script interface {
	Contact(num int, id string, created, lately int64, user bool, companies int) *event.Contact
	LastVisit(r *event.RNG, created int64, left bool) int64 // when a contact of hour 0 last changed, perhaps before it became inactive
	Changes(r *event.RNG, at int64) []event.FieldChange     // of a contact
	Arrival(at int64) int64                                 // when a contact of hour 0 was created, by its place among all: a time of the three years
	DepartedPlace(share float64) float64                    // place of one that became inactive among all in the order of creation, from 0 to 1
	Busy(at int64) float64                                  // how much more happens in the hour of a time than in the mean of all hours
	HourOfDay(at int64) int64                               // a time on the same day, at an hour at which people do things
	Stay(r *event.RNG) (created, deleted int64)             // of a contact that was deleted before any list showed it
	Note(n int32) string                                    // body of a note about a contact
	Company(n int32, id string) *event.Company
	CompanyChanges(r *event.RNG, at int64) []event.FieldChange

	Conversations(count int, contacts []event.ContactEvent) []event.ThreadEvent // the openings up to hour 0, in the order of time
	Tickets(count int) []event.ThreadEvent                                      // likewise, after Conversations
	Calls() []event.Call                                                        // up to hour 0, by number, after Conversations
	Consultations(num int32) []event.Consultation                               // initial ones of a conversation
	Actions(count int) []event.AdminAction                                      // in the year before hour 0, in the order of time

	Bodies() []string // for operations that say nothing themselves
	Dialogue(c *event.Consultation) *event.Dialogue
	CallLines(call int32) []event.TranscriptLine
	Handling(num int32) []event.HandlingEvent
	SideTalks(num int32) []event.SideTalk
	Content() [event.ContentKinds][]event.BornContent
	Piece(kind event.ContentKind, n int32) event.Piece
	Wording(kind event.ContentKind, n int32, edits int) event.Wording
	ReportFacts(set *event.Dataset, hour int) []event.ReportFact
	ConversationReport(num int32) event.ConversationReport

	// Hour returns what happens in a simulated hour, in the order of time. contact draws an active contact, nil when there is none.
	Hour(hour int, base int64, contact func(r *event.RNG) *event.Contact) []Happening
}

// Happening is one event of a simulated hour: of a thread, or what another field has.
type Happening struct {
	Thread       *ThreadHappening
	Call         *event.Call         // of Thread; its number and its conversation are not known yet
	Consultation *event.Consultation // about Thread; likewise
	Action       *event.AdminAction  // its number is not known yet
}

// ThreadHappening is an event of a conversation or a ticket. Its number is the one of the thread, which is known once the thread was opened.
type ThreadHappening struct {
	Ticket bool
	Thread *ScriptedThread
	Event  event.ThreadEvent
}

// ScriptedThread is a conversation or a ticket of a script.
type ScriptedThread struct {
	Num  int32 // -1: not opened yet
	Call int32 // number of its latest call
}
