package api

import (
	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/state/conversations"
)

// searchTickets serves POST /tickets/search: like contact search, 20 a page and at most 150, with the newest parts of each ticket (api-notes,
// Lists that the document uses but does not describe).
func searchTickets(w *Handlers, q *Request) answer.Answer {
	key := w.K().TicketsKey
	if key == "" {
		key = "tickets"
	}
	return w.searchThreads(q, &w.TicketIndex, [2]string{"ticket.list", key}, func() func(b []byte, e *conversations.Edition) []byte {
		render, from := w.ticketRenderer(q), w.TicketDrawer()
		return func(b []byte, e *conversations.Edition) []byte { return render.AppendTicket(b, from.DrawTicket(e)) }
	})
}

// oneTicket serves GET /tickets/{id}, the address that a finished job gives for its ticket (workspace-api 4.11). The ticket has the same form
// as in search.
func oneTicket(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	num, err := w.FindTicket(q.ID)
	if err != nil {
		w.Mu.Unlock()
		return answer.NotFound("Ticket")
	}
	e := w.TicketList[num].Newest
	render, from := w.ticketRenderer(q), w.TicketDrawer()
	w.Mu.Unlock()
	return answer.OK(render.AppendTicket(nil, from.DrawTicket(e)))
}
