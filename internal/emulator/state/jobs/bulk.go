package jobs

import "aqueduck/internal/emulator/event"

// JobContact is the change of a job to one contact, with the fields that its kind needs.
type JobContact struct {
	ID   string // of the contact that is updated or deleted
	Role string // of the contact that is created
	Set  []event.FieldChange
}

// Rejection is a contact that a job did not change, with the reason.
type Rejection struct {
	Place             int // index in the list that was sent
	ID, Code, Message string
}

// fieldsOf returns changes by field.
func fieldsOf(set []event.FieldChange) map[string]any {
	fields := map[string]any{}
	for _, s := range set {
		fields[s.Field] = s.Value
	}
	return fields
}
