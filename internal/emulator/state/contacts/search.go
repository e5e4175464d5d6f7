package contacts

import (
	"strings"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/search"
	"aqueduck/internal/emulator/state/core"
)

// searchContact describes contacts for search.
func (w *Book) searchContact() search.Records[event.Contact] {
	return search.Records[event.Contact]{Kind: "contacts", Fields: fields, Prefix: event.OwnAttribute, Attrs: func(d *event.Contact) []event.Attribute { return d.Attrs }, Usual: 50, Lag: event.ForLag,
		Count:   func() int { return len(w.List) },
		At:      func(num int32) *search.Shown[event.Contact] { return &w.List[num].Shown },
		HasLeft: func(num int32) bool { return w.List[num].Status != Active }}
}

// CountActive counts the active contacts for which keep is true. The count of all of them, with a nil keep, is cached while nothing happens.
func (w *Book) CountActive(keep func(d *event.Contact) bool) int {
	count := func() (n int) {
		for i := range w.List {
			if c := &w.List[i]; c.Status == Active && (keep == nil || keep(c.Doc)) {
				n++
			}
		}
		return n
	}
	if keep != nil {
		return count()
	}
	return w.present.CountCached(len(w.ContactLog), count)
}

// fields are the searchable fields of contacts.
var fields = map[string]search.Field[event.Contact]{
	"id":                  search.TextField(func(d *event.Contact) string { return d.ID }),
	"role":                search.TextField(RoleOf),
	"name":                search.TextField(func(d *event.Contact) string { return d.Name }),
	"avatar":              search.TextField(func(d *event.Contact) string { return d.Avatar }),
	"owner_id":            search.TextField(func(d *event.Contact) string { return core.NumberText(d.Owner) }),
	"email":               search.TextField(func(d *event.Contact) string { return d.Email }),
	"email_domain":        search.TextField(func(d *event.Contact) string { _, domain, _ := strings.Cut(d.Email, "@"); return domain }),
	"phone":               search.TextField(func(d *event.Contact) string { return d.Phone }),
	"formatted_phone":     search.TextField(func(d *event.Contact) string { return d.Phone }),
	"external_id":         search.TextField(func(d *event.Contact) string { return d.ExternalID }),
	"language_override":   search.TextField(func(d *event.Contact) string { return d.Language }),
	"browser":             search.TextField(func(d *event.Contact) string { return browserOf(d).Name }),
	"browser_language":    search.TextField(func(d *event.Contact) string { return browserOf(d).Language }),
	"os":                  search.TextField(func(d *event.Contact) string { return browserOf(d).OS }),
	"location.country":    search.TextField(func(d *event.Contact) string { return placeOf(d).Country }),
	"location.region":     search.TextField(func(d *event.Contact) string { return placeOf(d).Region }),
	"location.city":       search.TextField(func(d *event.Contact) string { return placeOf(d).City }),
	"ios_app_version":     search.TextField(func(d *event.Contact) string { return orNoApp(d.IOSApp).Version }),
	"ios_device":          search.TextField(func(d *event.Contact) string { return orNoApp(d.IOSApp).Device }),
	"ios_app_device":      search.TextField(func(d *event.Contact) string { return orNoApp(d.IOSApp).Device }),
	"ios_os_version":      search.TextField(func(d *event.Contact) string { return orNoApp(d.IOSApp).OS }),
	"ios_app_name":        search.TextField(func(d *event.Contact) string { return orNoApp(d.IOSApp).Name }),
	"ios_sdk_version":     search.TextField(func(d *event.Contact) string { return orNoApp(d.IOSApp).SDK }),
	"android_app_version": search.TextField(func(d *event.Contact) string { return orNoApp(d.AndroidApp).Version }),
	"android_device":      search.TextField(func(d *event.Contact) string { return orNoApp(d.AndroidApp).Device }),
	"android_app_name":    search.TextField(func(d *event.Contact) string { return orNoApp(d.AndroidApp).Name }),
	"andoid_sdk_version":  search.TextField(func(d *event.Contact) string { return orNoApp(d.AndroidApp).SDK }), // the document's own spelling

	"created_at":            search.DateField(func(d *event.Contact) int64 { return d.Created }),
	"signed_up_at":          search.DateField(func(d *event.Contact) int64 { return d.SignedUp }),
	"updated_at":            search.DateField(func(d *event.Contact) int64 { return d.Updated }),
	"last_seen_at":          search.DateField(func(d *event.Contact) int64 { return d.LastSeen }),
	"last_contacted_at":     search.DateField(func(d *event.Contact) int64 { return d.LastContacted }),
	"last_replied_at":       search.DateField(func(d *event.Contact) int64 { return d.LastReplied }),
	"last_email_opened_at":  search.DateField(func(d *event.Contact) int64 { return d.LastOpened }),
	"last_email_clicked_at": search.DateField(func(d *event.Contact) int64 { return d.LastClicked }),
	"ios_last_seen_at":      search.DateField(func(d *event.Contact) int64 { return d.IOSSeen }),
	"android_last_seen_at":  search.DateField(func(d *event.Contact) int64 { return d.Android }),

	"unsubscribed_from_emails": search.BoolField(func(d *event.Contact) bool { return d.Unsubscribed }),
	"marked_email_as_spam":     search.BoolField(func(d *event.Contact) bool { return d.Spam }),
	"has_hard_bounced":         search.BoolField(func(d *event.Contact) bool { return d.Bounced }),

	"tag_id":     search.MembersField(func(d *event.Contact) []string { return core.NumberTexts(d.Tags, event.TagID) }),
	"segment_id": search.MembersField(func(d *event.Contact) []string { return core.NumberTexts(SegmentsOf(d), event.SegmentID) }),
}

func browserOf(d *event.Contact) *event.Browser {
	if d.Browser == nil {
		return &NoBrowser
	}
	return d.Browser
}

func placeOf(d *event.Contact) *event.ContactLocation {
	if d.Place == nil {
		return &NoPlace
	}
	return d.Place
}

func orNoApp(a *event.MobileApp) *event.MobileApp {
	if a == nil {
		return &NoApp
	}
	return a
}

// Empty values for contacts without these objects. Nothing changes them.
var (
	NoBrowser event.Browser
	NoPlace   event.ContactLocation
	NoApp     event.MobileApp
)
