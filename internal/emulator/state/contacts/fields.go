package contacts

import (
	"fmt"
	"strings"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/state/core"
)

// RoleOf returns the role of a contact.
func RoleOf(d *event.Contact) string { return RoleName(d.User) }

// RoleName returns the word for a role: user or lead.
func RoleName(user bool) string {
	if user {
		return "user"
	}
	return "lead"
}

// setField applies one change. It accepts only fields that a teammate or an app can write.
func setField(d *event.Contact, c event.FieldChange) error {
	if name, ok := strings.CutPrefix(c.Field, "custom_attributes."); ok {
		return setOwnAttribute(d, name, c.Value)
	}
	switch v := c.Value.(type) {
	case nil:
		return setNull(d, c.Field)
	case string:
		return setText(d, c.Field, v)
	case int64:
		return setInt(d, c.Field, v)
	case bool:
		return setBool(d, c.Field, v)
	}
	return fmt.Errorf("set %s: no value of type %T", c.Field, c.Value)
}

// textFields returns pointers to the text fields by column; intFields does so for numbers and times.
func textFields(d *event.Contact) map[string]*string {
	return map[string]*string{"name": &d.Name, "email": &d.Email, "phone": &d.Phone, "avatar": &d.Avatar,
		"external_id": &d.ExternalID, "language_override": &d.Language}
}

func intFields(d *event.Contact) map[string]*int64 {
	return map[string]*int64{"owner_id": &d.Owner, "signed_up_at": &d.SignedUp, "last_seen_at": &d.LastSeen,
		"last_replied_at": &d.LastReplied, "last_contacted_at": &d.LastContacted, "last_email_opened_at": &d.LastOpened,
		"last_email_clicked_at": &d.LastClicked, "android_last_seen_at": &d.Android, "ios_last_seen_at": &d.IOSSeen}
}

func setNull(d *event.Contact, field string) error {
	if setText(d, field, "") == nil || setInt(d, field, 0) == nil {
		return nil
	}
	return fmt.Errorf("set %s: cannot be null", field)
}

func setText(d *event.Contact, field, v string) error {
	if p, ok := textFields(d)[field]; ok {
		// A changed address is unverified until it is verified again (workspace-api 3.2).
		if field == "email" && v != d.Email {
			d.Verified = false
		}
		*p = v
		return nil
	}
	at := event.ContactLocation{}
	if d.Place != nil {
		at = *d.Place
	}
	places := map[string]*string{"location_country": &at.Country, "location_region": &at.Region, "location_city": &at.City}
	if p, ok := places[field]; ok {
		*p = v
		d.Place = &at
		return nil
	}
	return fmt.Errorf("set %s: no such text field", field)
}

func setInt(d *event.Contact, field string, v int64) error {
	if p, ok := intFields(d)[field]; ok {
		*p = v
		return nil
	}
	return fmt.Errorf("set %s: no such integer field", field)
}

func setBool(d *event.Contact, field string, v bool) error {
	switch field {
	case "email_verified":
		d.Verified = v && d.Email != ""
	case "unsubscribed_from_emails":
		d.Unsubscribed = v
	default:
		return fmt.Errorf("set %s: no such boolean field", field)
	}
	return nil
}

func setOwnAttribute(d *event.Contact, name string, value any) error {
	raw, err := core.RawJSON(value)
	if err != nil {
		return fmt.Errorf("set custom_attributes.%s: %w", name, err)
	}
	d.Attrs = population.SetAttribute(d.Attrs, name, raw)
	return nil
}
