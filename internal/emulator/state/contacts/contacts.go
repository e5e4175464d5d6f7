package contacts

// Contacts is what may be done to contacts.
type Contacts struct{ *Book }
