package tickets

import (
	"fmt"
	"slices"
	"strings"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/state/core"
)

// FindTicketType returns the index of a type by its id.
func FindTicketType(cast *event.Cast, id string) (kind int, err error) {
	for kind := range cast.TicketTypes {
		if cast.TicketTypes[kind].ID == id {
			return kind, nil
		}
	}
	return 0, fmt.Errorf("no ticket type %q", id)
}

// FindTicketState returns the index of a state by its id.
func FindTicketState(cast *event.Cast, id string) (stage int, err error) {
	for stage := range cast.TicketStates {
		if cast.TicketStates[stage].ID == id {
			return stage, nil
		}
	}
	return 0, fmt.Errorf("no ticket state %q", id)
}

// TicketAttributeList names the attributes of a type, for refusals.
func TicketAttributeList(attributes []event.TicketAttribute) string {
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
		p.WriteKey("")
		jsontext.WriteRecord(p, jsontext.Record{{Name: "type", Value: "ticket_type_attribute"}, {Name: "id", Value: a.ID}, {Name: "name", Value: a.Name}, {Name: "data_type", Value: a.Kind}, {Name: "order", Value: int64(i)},
			{Name: "required_to_create", Value: a.Required}, {Name: "input_options", Value: jsontext.RawJSON(options)}, {Name: "archived", Value: false}})
	}
	return string(append(p.Bytes, `]}`...))
}

// FindTicketAttribute returns an attribute of a type by its name.
func FindTicketAttribute(cast *event.Cast, kind int, name string) (event.TicketAttribute, bool) {
	list := cast.TicketTypes[kind].Attributes
	i := slices.IndexFunc(list, func(a event.TicketAttribute) bool { return a.Name == name })
	if i < 0 {
		return event.TicketAttribute{}, false
	}
	return list[i], true
}

// TicketAttributeRaw returns a value of the attribute as JSON text, "" for nil. It refuses a value of another type.
func TicketAttributeRaw(a *event.TicketAttribute, value any) (string, error) {
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
		return "", fmt.Errorf("%s must be %s", a.Name, TicketAttributeWanted(a))
	}
	return core.RawJSON(value)
}

// TicketAttributeWanted describes the values that the attribute takes.
func TicketAttributeWanted(a *event.TicketAttribute) string {
	if a.Kind == "list" {
		return "one of " + strings.Join(a.Items, ", ")
	}
	return map[string]string{"string": "a text", "datetime": "a time as text", "integer": "a whole number", "decimal": "a number", "boolean": "true or false"}[a.Kind]
}
