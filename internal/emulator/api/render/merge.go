package render

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/state/contacts"
	"aqueduck/internal/emulator/state/jobs"
)

// WriteRejections writes what a job has left as it was.
func WriteRejections(p *jsontext.Writer, list []jobs.Rejection) {
	p.List("rejected")
	for _, r := range list {
		p.Item()
		p.Int("index", int64(r.Place))
		p.Text("id", r.ID)
		p.Text("code", r.Code)
		p.Text("message", r.Message)
		p.Close()
	}
	p.End()
}

// WriteReasons writes why one may not be merged into the other.
func WriteReasons(p *jsontext.Writer, from, into *event.Contact) {
	p.List("reasons")
	for _, r := range []struct {
		holds         bool
		code, message string
	}{
		{from.ID == into.ID, "same_contact", "A contact cannot be merged into itself"},
		{from.User, "from_not_a_lead", "Only a lead can be merged"},
		{!into.User, "into_not_a_user", "A lead can only be merged into a user"},
	} {
		if r.holds {
			p.Item()
			p.Text("code", r.code)
			p.Text("message", r.message)
			p.Close()
		}
	}
	p.End()
}

// WriteInherited writes what the user lacks and gets from the lead (workspace-api 3.2).
func WriteInherited(p *jsontext.Writer, from, into *event.Contact) {
	after := *into
	p.List("attribute_changes")
	for _, name := range contacts.Inherit(&after, from) {
		p.Item()
		p.String("attribute", name)
		p.Raw("from", contacts.RawField(from, name))
		p.Raw("into", contacts.RawField(into, name))
		p.Raw("result", contacts.RawField(&after, name))
		p.Close()
	}
	p.End()
}
