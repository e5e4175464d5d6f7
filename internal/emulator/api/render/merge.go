package render

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/state/contacts"
	"aqueduck/internal/emulator/state/jobs"
)

// WriteRejections writes the contacts that a job did not change, with the reasons.
func WriteRejections(p *jsontext.Writer, list []jobs.Rejection) {
	p.OpenList("rejected")
	for _, r := range list {
		p.OpenItem()
		p.Int("index", int64(r.Place))
		p.TextOrNull("id", r.ID)
		p.TextOrNull("code", r.Code)
		p.TextOrNull("message", r.Message)
		p.Close()
	}
	p.CloseList()
}

// WriteReasons writes why one contact may not be merged into the other.
func WriteReasons(p *jsontext.Writer, from, into *event.Contact) {
	p.OpenList("reasons")
	for _, r := range []struct {
		holds         bool
		code, message string
	}{
		{from.ID == into.ID, "same_contact", "A contact cannot be merged into itself"},
		{from.User, "from_not_a_lead", "Only a lead can be merged"},
		{!into.User, "into_not_a_user", "A lead can only be merged into a user"},
	} {
		if r.holds {
			p.OpenItem()
			p.TextOrNull("code", r.code)
			p.TextOrNull("message", r.message)
			p.Close()
		}
	}
	p.CloseList()
}

// WriteInherited writes the fields that the user lacks and gets from the lead (workspace-api 3.2).
func WriteInherited(p *jsontext.Writer, from, into *event.Contact) {
	after := *into
	p.OpenList("attribute_changes")
	for _, name := range contacts.Inherit(&after, from) {
		p.OpenItem()
		p.String("attribute", name)
		p.RawOrNull("from", contacts.RawField(from, name))
		p.RawOrNull("into", contacts.RawField(into, name))
		p.RawOrNull("result", contacts.RawField(&after, name))
		p.Close()
	}
	p.CloseList()
}
