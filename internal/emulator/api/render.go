package api

import (
	"aqueduck/internal/emulator/api/render"
	"aqueduck/internal/emulator/apiversion"
	"aqueduck/internal/emulator/knobs"
)

// ConvRenderer returns the renderer of conversations for a request, with its version, its options and the knobs.
func (w *Handlers) ConvRenderer(q *Request) render.Conversations {
	asked := func(name string) bool { return q.Query.Get(name) == "true" && q.Version.HasLaterChanges() }
	return render.Conversations{Version: q.Version, Later: q.Version.HasLaterChanges(), Reviews: !q.Version.HasLaterChanges() && !w.K().QAOptOut, Cap: w.K().MostParts(), Omit: w.K().OmitEmpty,
		Cards: asked("include_scorecards"), Monitors: asked("include_monitors"), Now: w.UnixNow(), Companies: w.Contacts.Maker}
}

func (w *Handlers) contactRenderer(v apiversion.Version) render.Contacts {
	most := w.K().NestedCap
	if most == 0 {
		most = 10
	}
	return render.Contacts{Workspace: w.WorkspaceID, Later: v.HasLaterChanges(), Cap: most, Bare: w.K().BareNested, Make: w.Contacts.Maker}
}

func (w *Handlers) ticketRenderer(q *Request) render.Tickets {
	asText := !q.Version.HasLaterChanges()
	if how := w.K().TicketStateText; how != knobs.ByTurns {
		asText = how == knobs.Always
	}
	return render.Tickets{Conversations: w.ConvRenderer(q), Types: render.TicketTypes(w.Setup.Cast, w.Setup.Start.Unix(), w.WorkspaceID), States: render.TicketStates(w.Setup.Cast), AsText: asText}
}
