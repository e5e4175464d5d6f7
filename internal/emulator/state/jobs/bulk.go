package jobs

import "aqueduck/internal/emulator/event"

// JobContact is what a job does to one contact: of the fields that its kind needs.
type JobContact struct {
	ID   string // of the one that is updated or deleted
	Role string // of the one that is created
	Set  []event.FieldChange
}

// Rejection is a contact that a job left as it was.
type Rejection struct {
	Place             int // in the list that was sent
	ID, Code, Message string
}

// fieldsOf gives changes by their fields.
func fieldsOf(set []event.FieldChange) map[string]any {
	fields := map[string]any{}
	for _, s := range set {
		fields[s.Field] = s.Value
	}
	return fields
}
