package tickets

// Tickets has the operations on tickets.
type Tickets struct{ *Desk }
