package emulator

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"aqueduck/internal/emulator/event"
)

// ticketTypeNames are what the types are called; the last one is archived, and its tickets are still there.
var ticketTypeNames = []string{"Bug", "Rückgabe & Tausch", "Incident", "古い"}

// ticketStages are the categories of the ticket states, in the order of the states. The last state is archived.
var ticketStages = []string{"submitted", "in_progress", "waiting_on_customer", "resolved", "in_progress"}

// The states that something depends on, by their place.
const (
	ticketSubmitted = 0
	ticketResolved  = 3

	ticketStateArchived = 4
)

// ticketTypeNamed finds a type by its id.
func ticketTypeNamed(id string) (kind int, err error) {
	for kind := range ticketTypeNames {
		if ticketTypeID(kind) == id {
			return kind, nil
		}
	}
	return 0, fmt.Errorf("no ticket type %q", id)
}

// ticketTypeArchived says whether a type has no new tickets any more.
func ticketTypeArchived(kind int) bool { return kind == 3 }

func ticketTypeID(kind int) string { return strconv.Itoa(1200 + kind) }

// ticketStateNamed finds a state by its id.
func ticketStateNamed(id string) (stage int, err error) {
	for stage := range ticketStages {
		if ticketStateID(stage) == id {
			return stage, nil
		}
	}
	return 0, fmt.Errorf("no ticket state %q", id)
}

func ticketStateID(stage int) string { return strconv.Itoa(3300 + stage) }

// The categories of tickets.
const (
	customerTicket   = "Customer"
	backOfficeTicket = "Back-office"
	trackerTicket    = "Tracker"
)

func ticketCategory(kind int) string {
	return []string{customerTicket, backOfficeTicket, trackerTicket}[kind%3]
}

// ticketAttribute is one that the tickets of a type have; items are what one of a list chooses from.
type ticketAttribute struct {
	id, name, kind string
	required       bool
	items          []string
}

// ticketAttributes are those of a type. Each type has one of a kind that the others have not.
func ticketAttributes(kind int) []ticketAttribute {
	own := []ticketAttribute{{name: "Anzahl #", kind: "integer"}, {name: "ratio %", kind: "decimal"}, {name: "Urgent?", kind: "boolean"},
		{name: "due <date>", kind: "datetime"}}[kind%4]
	list := []ticketAttribute{{name: "_default_title_", kind: "string"}, {name: "Größe", kind: "list", required: true, items: []string{"S", `"L"`}}, own}
	for i := range list {
		list[i].id = ticketTypeID(kind) + strconv.Itoa(i+1)
	}
	return list
}

// ticketAttributeList is how a type tells its attributes.
func ticketAttributeList(kind int) string {
	p := &pen{}
	p.b = append(p.b, `{"type":"list","data":[`...)
	for i, a := range ticketAttributes(kind) {
		options := `{}`
		switch a.kind {
		case "string":
			options = `{"multiline":false}`
		case "list":
			quotes := make([]string, len(a.items))
			for n, item := range a.items {
				quotes[n] = quoted(item)
			}
			options = `{"list_items":[` + strings.Join(quotes, ",") + `]}`
		}
		p.key("")
		p.record(record{{"type", "ticket_type_attribute"}, {"id", a.id}, {"name", a.name}, {"data_type", a.kind}, {"order", int64(i)},
			{"required_to_create", a.required}, {"input_options", rawJSONText(options)}, {"archived", false}})
	}
	return string(append(p.b, `]}`...))
}

// ticketAttributeNamed finds an attribute of a type by its name.
func ticketAttributeNamed(kind int, name string) (ticketAttribute, bool) {
	list := ticketAttributes(kind)
	i := slices.IndexFunc(list, func(a ticketAttribute) bool { return a.name == name })
	if i < 0 {
		return ticketAttribute{}, false
	}
	return list[i], true
}

// ticketAttributeRaw is a value of the attribute as JSON text; nil is none. What is not of the attribute's type is refused.
func ticketAttributeRaw(a *ticketAttribute, value any) (string, error) {
	good := value == nil
	switch v := value.(type) {
	case string:
		good = a.kind == "string" || a.kind == "datetime" || a.kind == "list" && slices.Contains(a.items, v)
	case int64:
		good = a.kind == "integer" || a.kind == "decimal"
	case event.Number:
		good = a.kind == "decimal"
	case bool:
		good = a.kind == "boolean"
	}
	if !good {
		return "", refuse("%s must be %s", a.name, ticketAttributeWanted(a))
	}
	return rawJSON(value)
}

// ticketAttributeWanted says which values it takes.
func ticketAttributeWanted(a *ticketAttribute) string {
	if a.kind == "list" {
		return "one of " + strings.Join(a.items, ", ")
	}
	return map[string]string{"string": "a text", "datetime": "a time as text", "integer": "a whole number", "decimal": "a number", "boolean": "true or false"}[a.kind]
}

// drawTicketAttribute draws a value as JSON text.
func drawTicketAttribute(a *ticketAttribute, r *event.RNG) string {
	switch a.kind {
	case "list":
		return quoted(r.Text(a.items))
	case "integer":
		return strconv.Itoa(r.N(50))
	case "decimal":
		return "0." + strconv.Itoa(10+r.N(90))
	case "boolean":
		return strconv.FormatBool(r.Chance(0.5))
	case "datetime":
		return `"2024-0` + strconv.Itoa(1+r.N(9)) + `-15T09:30:00.000Z"`
	}
	return quoted(r.Text(convTitles[3:]))
}
