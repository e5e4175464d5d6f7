package emulator

import (
	"aqueduck/internal/emulator/api"
	"aqueduck/internal/emulator/control"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/oracle"
	"aqueduck/internal/emulator/state/calls"
	"aqueduck/internal/emulator/state/content"
)

// workspaceInfo returns the constant part of what the controls show.
func (w *Workspace) workspaceInfo() control.WorkspaceInfo {
	return control.WorkspaceInfo{Streams: OracleStreams(), Operations: OperationTable(), OpenAPI: openAPI, Knobs: func() any { return w.K() }, RouteOf: func(r control.Request) string {
		found, _, _ := api.FindRoute(r.Method, r.Path)
		if found == nil {
			return ""
		}
		return found.Name
	}}
}

// PageData returns what the control page shows of the workspace.
func (w *Workspace) PageData() control.Shown {
	state := w.CurrentState()
	w.Mu.Lock()
	s := control.Shown{Workspace: w.WorkspaceID, Zone: w.Zone.String(), Version: w.Options.DefaultVersion, Token: w.AccessTokenHeld(), Chaos: w.K().Chaos,
		Seed: w.Setup.Seed, NoLog: w.Options.NoLog, Kinds: w.countKinds(&state)}
	notifier := w.notifier
	w.Mu.Unlock()
	if notifier != nil {
		s.Hooks, s.Deliveries = len(notifier.hooks), notifier.Deliveries()
	}
	return s
}

// countKinds counts the records of each kind. Their links lead to the oracle, which needs no token. The caller holds the lock.
func (w *Workspace) countKinds(s *control.WorkspaceState) []control.KindCount {
	listed := 0
	for i := range w.CallList {
		if calls.IsListed(&w.CallList[i], w.UnixNow()) {
			listed++
		}
	}
	list := []control.KindCount{{Name: "contacts", Count: s.Active}, {Name: "deleted_contacts", Count: s.Inactive}, {Name: "contact_activities", Count: s.Activities},
		{Name: "companies", Count: len(w.CompanyList)}, {Name: "conversations", Count: s.Conversations}, {Name: "deleted_conversations", Count: len(w.Deleted)},
		{Name: "tickets", Count: s.Tickets}, {Name: "calls", Count: listed}, {Name: "admin_activity_logs", Count: len(w.ActionLog)}}
	for kind, name := range content.ContentNames {
		list = append(list, control.KindCount{Name: name, Count: len(w.ListItems(event.ContentKind(kind)))})
	}
	o := oracle.New(w.TruthLog(), w.UnixNow())
	for _, name := range []string{"segments", "tags", "admins", "teams", "subscription_types", "data_attributes", "ticket_types", "ticket_states", "away_status_reasons"} {
		list = append(list, control.KindCount{Name: name})
		for range o.StreamRows(name) {
			list[len(list)-1].Count++
		}
	}
	for i := range list {
		list[i].Link = "/_oracle/" + list[i].Name
	}
	return append(list, control.KindCount{Name: "jobs", Count: len(w.JobList)})
}
