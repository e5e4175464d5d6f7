package emulator

import (
	"fmt"
	"slices"
	"strings"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
)

// ticketTypeNamed finds a type by its id.
func ticketTypeNamed(id string) (kind int, err error) {
	for kind := range event.TicketTypes {
		if event.TicketTypes[kind].ID == id {
			return kind, nil
		}
	}
	return 0, fmt.Errorf("no ticket type %q", id)
}

// ticketStateNamed finds a state by its id.
func ticketStateNamed(id string) (stage int, err error) {
	for stage := range event.TicketStates {
		if event.TicketStates[stage].ID == id {
			return stage, nil
		}
	}
	return 0, fmt.Errorf("no ticket state %q", id)
}

// ticketAttributeList is how a type tells its attributes.
func ticketAttributeList(attributes []event.TicketAttribute) string {
	p := &jsontext.Writer{}
	p.Bytes = append(p.Bytes, `{"type":"list","data":[`...)
	for i, a := range attributes {
		options := `{}`
		switch a.Kind {
		case "string":
			options = `{"multiline":false}`
		case "list":
			quotes := make([]string, len(a.Items))
			for n, item := range a.Items {
				quotes[n] = jsontext.Quote(item)
			}
			options = `{"list_items":[` + strings.Join(quotes, ",") + `]}`
		}
		p.Key("")
		writeRecord(p, record{{"type", "ticket_type_attribute"}, {"id", a.ID}, {"name", a.Name}, {"data_type", a.Kind}, {"order", int64(i)},
			{"required_to_create", a.Required}, {"input_options", rawJSONText(options)}, {"archived", false}})
	}
	return string(append(p.Bytes, `]}`...))
}

// ticketAttributeNamed finds an attribute of a type by its name.
func ticketAttributeNamed(kind int, name string) (event.TicketAttribute, bool) {
	list := event.TicketTypes[kind].Attributes
	i := slices.IndexFunc(list, func(a event.TicketAttribute) bool { return a.Name == name })
	if i < 0 {
		return event.TicketAttribute{}, false
	}
	return list[i], true
}

// ticketAttributeRaw is a value of the attribute as JSON text; nil is none. What is not of the attribute's type is refused.
func ticketAttributeRaw(a *event.TicketAttribute, value any) (string, error) {
	good := value == nil
	switch v := value.(type) {
	case string:
		good = a.Kind == "string" || a.Kind == "datetime" || a.Kind == "list" && slices.Contains(a.Items, v)
	case int64:
		good = a.Kind == "integer" || a.Kind == "decimal"
	case event.Number:
		good = a.Kind == "decimal"
	case bool:
		good = a.Kind == "boolean"
	}
	if !good {
		return "", fmt.Errorf("%s must be %s", a.Name, ticketAttributeWanted(a))
	}
	return rawJSON(value)
}

// ticketAttributeWanted says which values it takes.
func ticketAttributeWanted(a *event.TicketAttribute) string {
	if a.Kind == "list" {
		return "one of " + strings.Join(a.Items, ", ")
	}
	return map[string]string{"string": "a text", "datetime": "a time as text", "integer": "a whole number", "decimal": "a number", "boolean": "true or false"}[a.Kind]
}
