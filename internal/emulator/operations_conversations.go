package emulator

import (
	"aqueduck/internal/emulator/api"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/state/conversations"
)

var (
	byParam      = param{name: "by", kind: &textParam, of: []string{"contact", "teammate", "ai", "note"}}
	actorParam   = param{name: "by", kind: &wordParam, optional: true} // an admin, or the AI operator
	namingParams = []param{actorParam, {name: "teammate", kind: &wordParam, optional: true},
		{name: "team", kind: &wordParam, optional: true}}
	asParam      = param{name: "as", kind: &textParam, of: event.AssignmentNames[:]}
	outcomeParam = param{name: "outcome", kind: &textParam, of: population.Outcomes[2:]} // the first ones are the same
)

var replyParams = []param{idParam, byParam, bodyParam, {name: "author", kind: &wordParam, optional: true}}

// replies is a reply by whoever is named, or else by one who is drawn.
func replies(named func(w *Workspace, id string, by conversations.Speaker, who, body string) error, drawn func(w *Workspace, id string, by conversations.Speaker, body string) error) func(w *Workspace, id string, a args) error {
	return func(w *Workspace, id string, a args) error {
		by, body := conversations.Speaker(a.text("by")), a.text("body")
		if who := a.text("author"); who != "" {
			return named(w, id, by, who, body)
		}
		return drawn(w, id, by, body)
	}
}

// addsPart answers the id of the part that was added.
func addsPart(do func(w *Workspace, id string, a args) error) func(w *Workspace, a args) (any, error) {
	return addsPartTo((*Workspace).PartIDs, do)
}

func addsPartTo(list func(w *Workspace, id string) []string, do func(w *Workspace, id string, a args) error) func(w *Workspace, a args) (any, error) {
	return func(w *Workspace, a args) (any, error) {
		id := a.text("id")
		if err := do(w, id, a); err != nil {
			return nil, err
		}
		parts := list(w, id)
		return api.MadeIDs{"id": parts[len(parts)-1]}, nil
	}
}

// naming is who acts and who is put in charge.
func (a args) naming() conversations.Naming {
	return conversations.Naming{By: a.text("by"), Teammate: a.text("teammate"), Team: a.text("team")}
}
