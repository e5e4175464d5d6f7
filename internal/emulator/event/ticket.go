package event

import "strconv"

// The categories of tickets.
const (
	CustomerTicket   = "Customer"
	BackOfficeTicket = "Back-office"
	TrackerTicket    = "Tracker"
)

// TicketType is a type of tickets, with their attributes.
type TicketType struct {
	ID, Name, Description, Category string
	Internal                        bool  // only teammates see its tickets
	Archived                        bool  // no new tickets get this type
	Made, Updated                   int64 // seconds after the workspace began
	Attributes                      []TicketAttribute
}

// TicketAttribute is an attribute of a ticket type; Items are the choices of a list.
type TicketAttribute struct {
	ID, Name, Kind string
	Required       bool // a ticket needs it to be created
	Items          []string
}

// ticketTypes returns all types. The last one is archived and still has tickets. Each type has an attribute of a kind that the others do not
// have.
func ticketTypes() (list []TicketType) {
	own := []TicketAttribute{{Name: "Anzahl #", Kind: "integer"}, {Name: "ratio %", Kind: "decimal"}, {Name: "Urgent?", Kind: "boolean"}, {Name: "due <date>", Kind: "datetime"}}
	for n, name := range []string{"Bug", "Rückgabe & Tausch", "Incident", "古い"} {
		t := TicketType{ID: strconv.Itoa(1200 + n), Name: name, Description: []string{"", "a & b"}[n%2], Internal: n == 1, Archived: n == 3,
			Category: []string{CustomerTicket, BackOfficeTicket, TrackerTicket}[n%3], Made: int64(n) * 50 * Day, Updated: int64(n)*50*Day + 9*Day}
		t.Attributes = []TicketAttribute{{Name: "_default_title_", Kind: "string"}, {Name: "Größe", Kind: "list", Required: true, Items: []string{"S", `"L"`}}, own[n]}
		for i := range t.Attributes {
			t.Attributes[i].ID = t.ID + strconv.Itoa(i+1)
		}
		list = append(list, t)
	}
	return list
}

// TicketState is a state of tickets.
type TicketState struct {
	ID, Category, Internal, External string
	Archived                         bool     // tickets can no longer move to it
	Types                            []string // ids of the types that allow it
}

// ticketStates are all states in their order. The last one is archived.
var ticketStates = []TicketState{
	{"3300", "submitted", "Neu", "submitted", false, []string{"1200", "1201"}},
	{"3301", "in_progress", "In Arbeit", "in progress", false, []string{"1200", "1202"}},
	{"3302", "waiting_on_customer", "Waiting", "waiting on customer", false, []string{"1200", "1201"}},
	{"3303", "resolved", "Erledigt & zu", "resolved", false, []string{"1200", "1202"}},
	{"3304", "in_progress", "古い", "in progress", true, []string{"1200", "1201"}},
}

// Indexes of the states that other code depends on.
const (
	TicketSubmitted = 0
	TicketResolved  = 3
)
