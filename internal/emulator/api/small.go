package api

import (
	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/api/render"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
)

// The small lists of a workspace: their contents are a function of the simulated hours (trap T52).

func listTeams(w *Handlers, _ *Request) answer.Answer {
	return w.answerRecords("team.list", "teams", render.TeamRecords(w.Setup.Cast, w.HoursSimulated()))
}

func listSubscriptionTypes(w *Handlers, _ *Request) answer.Answer {
	return w.answerRecords("list", "data", render.SubscriptionRecords(w.Setup.Cast, w.HoursSimulated()))
}

// listDataAttributes serves GET /data_attributes. The standard times are dates up to 2.16, and datetimes later (workspace-api 9, trap T51).
// Attributes that customers define as dates stay dates.
func listDataAttributes(w *Handlers, q *Request) answer.Answer {
	var list []jsontext.Record
	began, hours := w.Setup.Start.Unix()-event.Span, w.HoursSimulated()
	for i := range w.Setup.Cast.DataAttributes {
		a, model := &w.Setup.Cast.DataAttributes[i], q.Query.Get("model")
		if hours < a.Hour || model != "" && model != a.Model || hours >= a.Archived && q.Query.Get("include_archived") != "true" {
			continue
		}
		list = append(list, render.AttributeRecord(a, began, hours, q.Version.HasLaterChanges()))
	}
	return w.answerRecords("list", "data", list)
}

func listTicketTypes(w *Handlers, _ *Request) answer.Answer {
	w.Mu.Lock()
	workspace := w.WorkspaceID
	w.Mu.Unlock()
	return w.answerRecords("list", "data", render.TicketTypes(w.Setup.Cast, w.Setup.Start.Unix(), workspace))
}

func listTicketStates(w *Handlers, _ *Request) answer.Answer {
	return w.answerRecords("list", "data", render.TicketStates(w.Setup.Cast))
}

func listAwayReasons(w *Handlers, _ *Request) answer.Answer {
	return w.answerRecords("list", "data", render.AwayReasons(w.Setup.Cast, w.Setup.Start.Unix(), w.HoursSimulated()))
}
