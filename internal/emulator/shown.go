package emulator

import (
	"aqueduck/internal/emulator/control"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/oracle"
)

// about is what the controls of a workspace tell of it at all times.
func (w *Workspace) about() control.About {
	return control.About{Streams: OracleStreams(), Operations: Operations(), Knobs: func() any { return w.k() }, RouteOf: func(r control.Request) string {
		found, _, _ := find(r.Method, r.Path)
		if found == nil {
			return ""
		}
		return found.name
	}}
}

// Shown is what the page has of the workspace.
func (w *Workspace) Shown() control.Shown {
	state := w.State()
	w.mu.Lock()
	s := control.Shown{Workspace: w.workspace, Zone: w.zone.String(), Version: w.opts.DefaultVersion, Token: w.token, Chaos: w.k().Chaos,
		Seed: w.cfg.Seed, NoLog: w.opts.NoLog, Kinds: w.kinds(&state)}
	notifier := w.notifier
	w.mu.Unlock()
	if notifier != nil {
		s.Hooks, s.Deliveries = len(notifier.hooks), notifier.Deliveries()
	}
	return s
}

// kinds counts what there is. Rows are read where no token is needed: at the oracle. The lock is held.
func (w *Workspace) kinds(s *control.State) []control.Kind {
	calls := 0
	for i := range w.calls {
		if isListed(&w.calls[i], w.now()) {
			calls++
		}
	}
	list := []control.Kind{{Name: "contacts", Count: s.Active}, {Name: "deleted_contacts", Count: s.Inactive}, {Name: "contact_activities", Count: s.Activities},
		{Name: "companies", Count: len(w.firms)}, {Name: "conversations", Count: s.Conversations}, {Name: "deleted_conversations", Count: len(w.buried)},
		{Name: "tickets", Count: s.Tickets}, {Name: "calls", Count: calls}, {Name: "admin_activity_logs", Count: len(w.acts)}}
	for kind, name := range contentNames {
		list = append(list, control.Kind{Name: name, Count: len(w.standing(event.ContentKind(kind)))})
	}
	o := oracle.New(w.log(), w.now())
	for _, name := range []string{"segments", "tags", "admins", "teams", "subscription_types", "data_attributes", "ticket_types", "ticket_states", "away_status_reasons"} {
		list = append(list, control.Kind{Name: name})
		for range o.Rows(name) {
			list[len(list)-1].Count++
		}
	}
	for i := range list {
		list[i].Link = "/_oracle/" + list[i].Name
	}
	return append(list, control.Kind{Name: "jobs", Count: len(w.jobs)})
}

// State counts what is there now.
func (w *server) State() control.State {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.happen(w.clock())
	w.settle()
	s := control.State{Clock: w.clock(), Hours: w.hours, Activities: len(w.feed), Tickets: len(w.ticketList), Waiting: w.idx.Backlog(), Requests: w.count}
	for i := range w.contacts {
		c := &w.contacts[i]
		if c.status == active {
			s.Active++
		}
		if c.Now != nil {
			s.Searchable++
		}
		if c.listed {
			s.Inactive++
		}
	}
	for i := range w.threads {
		if !w.threads[i].deleted {
			s.Conversations++
		}
	}
	return s
}
