package tickets

// Tickets is what may be done to tickets.
type Tickets struct{ *Desk }
