package render

import (
	"strconv"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/state/contacts"
)

// Contacts has the settings that answers about contacts depend on.
type Contacts struct {
	Workspace string
	Later     bool // the version after 2.16
	Cap       int  // items in a nested list
	Bare      bool // nested lists have no count
	Make      *population.Contacts
	History   map[string][]string // contacts merged into each contact, by its id; nil: not sent
}

// appendMergeFields writes the undocumented fields of include_merge_history (trap T23).
func (r *Contacts) appendMergeFields(b []byte, d *event.Contact) []byte {
	p := &jsontext.Writer{Bytes: append(b, `,"merge_history":{"type":"merge_history","merged_contacts":[`...)}
	for _, id := range r.History[d.ID] {
		p.OpenItem()
		p.TextOrNull("type", "contact")
		p.TextOrNull("id", id)
		p.Close()
	}
	p.CloseTypedList()
	return p.Bytes
}

// AppendContact writes a contact with the fields of workspace-api 2.1.
func (r *Contacts) AppendContact(b []byte, d *event.Contact) []byte {
	b = append(b, `{"type":"contact","id":`...)
	b = jsontext.AppendString(b, d.ID)
	b = append(b, `,"workspace_id":`...)
	b = jsontext.AppendString(b, r.Workspace)
	b = append(b, `,"external_id":`...)
	b = jsontext.AppendText(b, d.ExternalID)
	b = append(b, `,"role":"`...)
	b = append(b, contacts.RoleOf(d)...)
	b = append(b, `","email":`...)
	b = jsontext.AppendText(b, d.Email)
	if r.Later {
		b = append(b, `,"email_verified":`...)
		b = jsontext.AppendBool(b, d.Verified)
	}
	b = append(b, `,"phone":`...)
	b = jsontext.AppendText(b, d.Phone)
	b = append(b, `,"name":`...)
	b = jsontext.AppendText(b, d.Name)
	b = append(b, `,"avatar":`...)
	b = jsontext.AppendText(b, d.Avatar)
	b = append(b, `,"owner_id":`...)
	b = jsontext.AppendTime(b, d.Owner)
	b = r.appendSocial(b, d)
	b = append(b, `,"unsubscribed_from_emails":`...)
	b = jsontext.AppendBool(b, d.Unsubscribed)
	b = r.appendTimes(b, d)
	b = append(b, `,"language_override":`...)
	b = jsontext.AppendText(b, d.Language)
	b = r.appendDevices(b, d)
	b = r.AppendAttributes(b, d)
	b = r.appendNestedList(b, d.ID, "tags", "tag", d.Tags)
	b = r.appendNestedList(b, d.ID, "notes", "note", d.Notes)
	b = r.appendNestedList(b, d.ID, "companies", "company", d.Companies)
	if r.History != nil {
		b = r.appendMergeFields(b, d)
	}
	return append(b, '}')
}

func (r *Contacts) appendTimes(b []byte, d *event.Contact) []byte {
	b = append(b, `,"created_at":`...)
	b = jsontext.AppendTime(b, d.Created)
	b = append(b, `,"updated_at":`...)
	b = jsontext.AppendTime(b, d.Updated)
	b = append(b, `,"signed_up_at":`...)
	b = jsontext.AppendTime(b, d.SignedUp)
	b = append(b, `,"last_seen_at":`...)
	b = jsontext.AppendTime(b, d.LastSeen)
	b = append(b, `,"last_replied_at":`...)
	b = jsontext.AppendTime(b, d.LastReplied)
	b = append(b, `,"last_contacted_at":`...)
	b = jsontext.AppendTime(b, d.LastContacted)
	b = append(b, `,"last_email_opened_at":`...)
	b = jsontext.AppendTime(b, d.LastOpened)
	b = append(b, `,"last_email_clicked_at":`...)
	return jsontext.AppendTime(b, d.LastClicked)
}

func (r *Contacts) appendDevices(b []byte, d *event.Contact) []byte {
	w, at := d.Browser, d.Place
	if w == nil {
		w = &contacts.NoBrowser
	}
	if at == nil {
		at = &contacts.NoPlace
	}
	b = append(b, `,"browser":`...)
	b = jsontext.AppendText(b, w.Name)
	b = append(b, `,"browser_version":`...)
	b = jsontext.AppendText(b, w.Version)
	b = append(b, `,"browser_language":`...)
	b = jsontext.AppendText(b, w.Language)
	b = append(b, `,"os":`...)
	b = jsontext.AppendText(b, w.OS)
	b = append(b, `,"location":{"type":"location","country":`...)
	b = jsontext.AppendText(b, at.Country)
	b = append(b, `,"region":`...)
	b = jsontext.AppendText(b, at.Region)
	b = append(b, `,"city":`...)
	b = jsontext.AppendText(b, at.City)
	b = append(b, '}')
	b = appendApp(b, "android", d.AndroidApp, d.Android)
	return appendApp(b, "ios", d.IOSApp, d.IOSSeen)
}

func appendApp(b []byte, os string, a *event.MobileApp, seen int64) []byte {
	if a == nil {
		a = &contacts.NoApp
	}
	for _, f := range [...]struct{ name, value string }{{"_app_name", a.Name}, {"_app_version", a.Version},
		{"_device", a.Device}, {"_os_version", a.OS}, {"_sdk_version", a.SDK}} {
		b = append(append(append(append(b, `,"`...), os...), f.name...), `":`...)
		b = jsontext.AppendText(b, f.value)
	}
	b = append(append(append(b, `,"`...), os...), `_last_seen_at":`...)
	return jsontext.AppendTime(b, seen)
}

func (r *Contacts) appendSocial(b []byte, d *event.Contact) []byte {
	b = append(b, `,"social_profiles":{"type":"list","data":[`...)
	for i, s := range d.Social {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"type":"social_profile","name":`...)
		b = jsontext.AppendString(b, s.Name)
		b = append(b, `,"url":`...)
		b = jsontext.AppendString(b, s.URL)
		b = append(b, '}')
	}
	return append(b, `]}`...)
}

// AppendAttributes writes the custom attributes of a contact.
func (r *Contacts) AppendAttributes(b []byte, d *event.Contact) []byte {
	b = append(b, `,"custom_attributes":{`...)
	for i, a := range d.Attrs {
		if i > 0 {
			b = append(b, ',')
		}
		b = jsontext.AppendString(b, a.Name)
		b = append(b, ':')
		b = append(b, a.Raw...)
	}
	return append(b, '}')
}

// appendNestedList writes a list inside a contact, cut at the cap, with the address of the whole list.
func (r *Contacts) appendNestedList(b []byte, contact, list, item string, numbers []int32) []byte {
	b = append(append(append(b, `,"`...), list...), `":{"type":"list","data":[`...)
	for i, n := range numbers[:min(len(numbers), r.Cap)] {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, `{"type":"`...), item...), `","id":"`...)
		b = r.appendID(b, item, n)
		b = append(append(append(b, `","url":"/`...), list...), '/')
		b = r.appendID(b, item, n)
		b = append(b, `"}`...)
	}
	b = append(append(append(append(append(b, `],"url":"/contacts/`...), contact...), '/'), list...), '"')
	if !r.Bare {
		b = append(b, `,"total_count":`...)
		b = strconv.AppendInt(b, int64(len(numbers)), 10)
		b = append(b, `,"has_more":`...)
		b = jsontext.AppendBool(b, len(numbers) > r.Cap)
	}
	return append(b, '}')
}

func (r *Contacts) appendID(b []byte, item string, n int32) []byte {
	switch item {
	case "tag":
		return strconv.AppendInt(b, event.TagID(n), 10)
	case "note":
		return strconv.AppendInt(b, event.NoteID(n), 10)
	}
	return r.Make.AppendCompanyID(b, n)
}
