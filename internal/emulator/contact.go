package emulator

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// doc is one version of a contact's attributes. It is never changed once it is in the log or shown: a change makes a
// copy, so answers are rendered from it without holding the lock. An empty text and a zero time stand for null.
type doc struct {
	ID, ExternalID, Email, Phone, Name, Avatar, Language string

	Owner                                                    int64
	Created, Updated, SignedUp, LastSeen, LastReplied        int64
	LastContacted, LastOpened, LastClicked, Android, IOSSeen int64

	Place      *place
	Browser    *browser
	AndroidApp *app
	IOSApp     *app

	Attrs     []attr
	Social    []social
	Tags      []int32
	Notes     []int32
	Companies []int32
	Left      []int32 // subscriptions that it was in, and is no longer
	Joined    []int32 // those that it is in beside the ones that it was born with

	User, Verified, Unsubscribed, Spam, Bounced bool

	Only bool // it was born with nothing but what somebody said
}

type place struct {
	Country string `json:"country"`
	Region  string `json:"region"`
	City    string `json:"city"`
}

type browser struct {
	Name     string `json:"browser"`
	Version  string `json:"browser_version"`
	Language string `json:"browser_language"`
	OS       string `json:"os"`
}

type app struct {
	Name    string `json:"app_name"`
	Version string `json:"app_version"`
	Device  string `json:"device"`
	OS      string `json:"os_version"`
	SDK     string `json:"sdk_version"`
}

type social struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// attr is one custom attribute; Raw is its value as JSON text, as it is sent.
type attr struct{ Name, Raw string }

func roleOf(d *doc) string { return roleName(d.User) }

func roleName(user bool) string {
	if user {
		return "user"
	}
	return "lead"
}

// Change is one field of a contact set to a value: text, an integer, bool, or nil for null. Fields are named as the
// oracle's columns are; custom_attributes.<name> sets one attribute, nil removes it, a number given as Number keeps its text.
type Change struct {
	Field string
	Value any
}

// Number is a JSON number kept as it is written.
type Number string

// setField applies one change. Only fields that a teammate or an app can write are known here.
func setField(d *doc, c Change) error {
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

// textFields are the fields of text, and ints those of numbers and times, by the names of their columns.
func textFields(d *doc) map[string]*string {
	return map[string]*string{"name": &d.Name, "email": &d.Email, "phone": &d.Phone, "avatar": &d.Avatar,
		"external_id": &d.ExternalID, "language_override": &d.Language}
}

func intFields(d *doc) map[string]*int64 {
	return map[string]*int64{"owner_id": &d.Owner, "signed_up_at": &d.SignedUp, "last_seen_at": &d.LastSeen,
		"last_replied_at": &d.LastReplied, "last_contacted_at": &d.LastContacted, "last_email_opened_at": &d.LastOpened,
		"last_email_clicked_at": &d.LastClicked, "android_last_seen_at": &d.Android, "ios_last_seen_at": &d.IOSSeen}
}

func setNull(d *doc, field string) error {
	if setText(d, field, "") == nil || setInt(d, field, 0) == nil {
		return nil
	}
	return fmt.Errorf("set %s: cannot be null", field)
}

func setText(d *doc, field, v string) error {
	if p, ok := textFields(d)[field]; ok {
		// A changed address is unverified until it is verified again (workspace-api 3.2).
		if field == "email" && v != d.Email {
			d.Verified = false
		}
		*p = v
		return nil
	}
	at := place{}
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

func setInt(d *doc, field string, v int64) error {
	if p, ok := intFields(d)[field]; ok {
		*p = v
		return nil
	}
	return fmt.Errorf("set %s: no such integer field", field)
}

func setBool(d *doc, field string, v bool) error {
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

func setOwnAttribute(d *doc, name string, value any) error {
	raw, err := rawJSON(value)
	if err != nil {
		return fmt.Errorf("set custom_attributes.%s: %w", name, err)
	}
	d.Attrs = setAttr(d.Attrs, name, raw)
	return nil
}

// setAttr gives a copy of the list with one attribute set, or removed when raw is empty.
func setAttr(attrs []attr, name, raw string) []attr {
	out := make([]attr, 0, len(attrs)+1)
	found := false
	for _, a := range attrs {
		if a.Name != name {
			out = append(out, a)
			continue
		}
		found = true
		if raw != "" {
			out = append(out, attr{name, raw})
		}
	}
	if !found && raw != "" {
		out = append(out, attr{name, raw})
	}
	return out
}

// rawJSON is a value as JSON text; nil is no text.
func rawJSON(value any) (string, error) {
	switch v := value.(type) {
	case nil:
		return "", nil
	case string:
		return string(appendString(nil, v)), nil
	case Number:
		return string(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case bool:
		return strconv.FormatBool(v), nil
	}
	return "", fmt.Errorf("no value of type %T", value)
}

// with and without give copies, so that lists shared with older versions stay as they were.
func with(list []int32, n int32) []int32 {
	if slices.Contains(list, n) {
		return list
	}
	return append(slices.Clone(list), n)
}

func without[T comparable](list []T, n T) []T {
	return slices.DeleteFunc(slices.Clone(list), func(have T) bool { return have == n })
}
