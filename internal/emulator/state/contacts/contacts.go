package contacts

// Contacts has the operations on contacts.
type Contacts struct{ *Book }
