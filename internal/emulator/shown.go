package emulator

import (
	"aqueduck/internal/emulator/api"
	"aqueduck/internal/emulator/control"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/oracle"
	"aqueduck/internal/emulator/state/calls"
	"aqueduck/internal/emulator/state/content"
)

// about is what the controls of a workspace tell of it at all times.
func (w *Workspace) about() control.About {
	return control.About{Streams: OracleStreams(), Operations: Operations(), Knobs: func() any { return w.K() }, RouteOf: func(r control.Request) string {
		found, _, _ := api.FindRoute(r.Method, r.Path)
		if found == nil {
			return ""
		}
		return found.Name
	}}
}

// Shown is what the page has of the workspace.
func (w *Workspace) Shown() control.Shown {
	state := w.State()
	w.Mu.Lock()
	s := control.Shown{Workspace: w.WorkspaceID, Zone: w.Zone.String(), Version: w.Options.DefaultVersion, Token: w.FullToken(), Chaos: w.K().Chaos,
		Seed: w.Setup.Seed, NoLog: w.Options.NoLog, Kinds: w.kinds(&state)}
	notifier := w.notifier
	w.Mu.Unlock()
	if notifier != nil {
		s.Hooks, s.Deliveries = len(notifier.hooks), notifier.Deliveries()
	}
	return s
}

// kinds counts what there is. Rows are read where no token is needed: at the oracle. The lock is held.
func (w *Workspace) kinds(s *control.State) []control.Kind {
	listed := 0
	for i := range w.CallList {
		if calls.IsListed(&w.CallList[i], w.Now()) {
			listed++
		}
	}
	list := []control.Kind{{Name: "contacts", Count: s.Active}, {Name: "deleted_contacts", Count: s.Inactive}, {Name: "contact_activities", Count: s.Activities},
		{Name: "companies", Count: len(w.CompanyList)}, {Name: "conversations", Count: s.Conversations}, {Name: "deleted_conversations", Count: len(w.Deleted)},
		{Name: "tickets", Count: s.Tickets}, {Name: "calls", Count: listed}, {Name: "admin_activity_logs", Count: len(w.ActionLog)}}
	for kind, name := range content.ContentNames {
		list = append(list, control.Kind{Name: name, Count: len(w.ListItems(event.ContentKind(kind)))})
	}
	o := oracle.New(w.TruthLog(), w.Now())
	for _, name := range []string{"segments", "tags", "admins", "teams", "subscription_types", "data_attributes", "ticket_types", "ticket_states", "away_status_reasons"} {
		list = append(list, control.Kind{Name: name})
		for range o.Rows(name) {
			list[len(list)-1].Count++
		}
	}
	for i := range list {
		list[i].Link = "/_oracle/" + list[i].Name
	}
	return append(list, control.Kind{Name: "jobs", Count: len(w.JobList)})
}
