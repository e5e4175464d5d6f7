package emulator

import (
	"aqueduck/internal/emulator/api"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/state/conversations"
)

var (
	byParam      = operationParam{name: "by", kind: &textParam, of: []string{"contact", "teammate", "ai", "note"}}
	actorParam   = operationParam{name: "by", kind: &wordParam, optional: true} // an admin, or the AI operator
	namingParams = []operationParam{actorParam, {name: "teammate", kind: &wordParam, optional: true},
		{name: "team", kind: &wordParam, optional: true}}
	asParam      = operationParam{name: "as", kind: &textParam, of: event.AssignmentNames[:]}
	outcomeParam = operationParam{name: "outcome", kind: &textParam, of: population.Outcomes[2:]} // the first ones are equal
)

var replyParams = []operationParam{idParam, byParam, bodyParam, {name: "author", kind: &wordParam, optional: true}}

// replyByNameOrDrawn makes a reply by the named author, or by a drawn one when none is named.
func replyByNameOrDrawn(named func(w *Workspace, id string, by conversations.Speaker, who, body string) error, drawn func(w *Workspace, id string, by conversations.Speaker, body string) error) func(w *Workspace, id string, a operationArgs) error {
	return func(w *Workspace, id string, a operationArgs) error {
		by, body := conversations.Speaker(a.textArg("by")), a.textArg("body")
		if who := a.textArg("author"); who != "" {
			return named(w, id, by, who, body)
		}
		return drawn(w, id, by, body)
	}
}

// addsPart makes an operation that answers the id of the added part.
func addsPart(do func(w *Workspace, id string, a operationArgs) error) func(w *Workspace, a operationArgs) (any, error) {
	return addsPartTo((*Workspace).PartIDs, do)
}

func addsPartTo(list func(w *Workspace, id string) []string, do func(w *Workspace, id string, a operationArgs) error) func(w *Workspace, a operationArgs) (any, error) {
	return func(w *Workspace, a operationArgs) (any, error) {
		id := a.textArg("id")
		if err := do(w, id, a); err != nil {
			return nil, err
		}
		parts := list(w, id)
		return api.MadeIDs{"id": parts[len(parts)-1]}, nil
	}
}

// namingArg returns who acts and who is assigned.
func (a operationArgs) namingArg() conversations.Naming {
	return conversations.Naming{By: a.textArg("by"), Teammate: a.textArg("teammate"), Team: a.textArg("team")}
}
