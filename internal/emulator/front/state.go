package front

import (
	"aqueduck/internal/emulator/control"
	"aqueduck/internal/emulator/state/contacts"
)

// CurrentState counts the current records.
func (w *Server) CurrentState() control.WorkspaceState {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.RunDue(w.TimeHeld())
	w.ReleaseIndexed()
	s := control.WorkspaceState{Clock: w.TimeHeld(), Hours: w.HoursLived, Activities: len(w.Feed), Tickets: len(w.TicketList), Waiting: w.ContactIndex.Backlog(), Requests: w.count}
	for i := range w.List {
		c := &w.List[i]
		if c.Status == contacts.Active {
			s.Active++
		}
		if c.Now != nil {
			s.Searchable++
		}
		if c.Listed {
			s.Inactive++
		}
	}
	for i := range w.Threads {
		if !w.Threads[i].Deleted {
			s.Conversations++
		}
	}
	return s
}
