package conversations

// Conversations has the operations on conversations.
type Conversations struct{ *Desk }
