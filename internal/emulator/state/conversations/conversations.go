package conversations

// Conversations is what may be done to conversations.
type Conversations struct{ *Desk }
