package emulator

import (
	"strconv"
	"strings"
)

// fields are those of a contact.
var fields = map[string]field[doc]{
	"id":                  text(func(d *doc) string { return d.ID }),
	"role":                text(roleOf),
	"name":                text(func(d *doc) string { return d.Name }),
	"avatar":              text(func(d *doc) string { return d.Avatar }),
	"owner_id":            text(func(d *doc) string { return number(d.Owner) }),
	"email":               text(func(d *doc) string { return d.Email }),
	"email_domain":        text(func(d *doc) string { _, domain, _ := strings.Cut(d.Email, "@"); return domain }),
	"phone":               text(func(d *doc) string { return d.Phone }),
	"formatted_phone":     text(func(d *doc) string { return d.Phone }),
	"external_id":         text(func(d *doc) string { return d.ExternalID }),
	"language_override":   text(func(d *doc) string { return d.Language }),
	"browser":             text(func(d *doc) string { return browserOf(d).Name }),
	"browser_language":    text(func(d *doc) string { return browserOf(d).Language }),
	"os":                  text(func(d *doc) string { return browserOf(d).OS }),
	"location.country":    text(func(d *doc) string { return placeOf(d).Country }),
	"location.region":     text(func(d *doc) string { return placeOf(d).Region }),
	"location.city":       text(func(d *doc) string { return placeOf(d).City }),
	"ios_app_version":     text(func(d *doc) string { return orNoApp(d.IOSApp).Version }),
	"ios_device":          text(func(d *doc) string { return orNoApp(d.IOSApp).Device }),
	"ios_app_device":      text(func(d *doc) string { return orNoApp(d.IOSApp).Device }),
	"ios_os_version":      text(func(d *doc) string { return orNoApp(d.IOSApp).OS }),
	"ios_app_name":        text(func(d *doc) string { return orNoApp(d.IOSApp).Name }),
	"ios_sdk_version":     text(func(d *doc) string { return orNoApp(d.IOSApp).SDK }),
	"android_app_version": text(func(d *doc) string { return orNoApp(d.AndroidApp).Version }),
	"android_device":      text(func(d *doc) string { return orNoApp(d.AndroidApp).Device }),
	"android_app_name":    text(func(d *doc) string { return orNoApp(d.AndroidApp).Name }),
	"andoid_sdk_version":  text(func(d *doc) string { return orNoApp(d.AndroidApp).SDK }), // spelled so in the document

	"created_at":            date(func(d *doc) int64 { return d.Created }),
	"signed_up_at":          date(func(d *doc) int64 { return d.SignedUp }),
	"updated_at":            date(func(d *doc) int64 { return d.Updated }),
	"last_seen_at":          date(func(d *doc) int64 { return d.LastSeen }),
	"last_contacted_at":     date(func(d *doc) int64 { return d.LastContacted }),
	"last_replied_at":       date(func(d *doc) int64 { return d.LastReplied }),
	"last_email_opened_at":  date(func(d *doc) int64 { return d.LastOpened }),
	"last_email_clicked_at": date(func(d *doc) int64 { return d.LastClicked }),
	"ios_last_seen_at":      date(func(d *doc) int64 { return d.IOSSeen }),
	"android_last_seen_at":  date(func(d *doc) int64 { return d.Android }),

	"unsubscribed_from_emails": flag(func(d *doc) bool { return d.Unsubscribed }),
	"marked_email_as_spam":     flag(func(d *doc) bool { return d.Spam }),
	"has_hard_bounced":         flag(func(d *doc) bool { return d.Bounced }),

	"tag_id":     {kind: tagField, ids: func(d *doc) []string { return texts(d.Tags, tagID) }},
	"segment_id": {kind: tagField, ids: func(d *doc) []string { return texts(segmentsOf(d), segmentID) }},
}

func number(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

func texts(numbers []int32, id func(int32) int64) []string {
	list := make([]string, len(numbers))
	for i, n := range numbers {
		list[i] = strconv.FormatInt(id(n), 10)
	}
	return list
}

func browserOf(d *doc) *browser {
	if d.Browser == nil {
		return &noBrowser
	}
	return d.Browser
}

func placeOf(d *doc) *place {
	if d.Place == nil {
		return &noPlace
	}
	return d.Place
}

func orNoApp(a *app) *app {
	if a == nil {
		return &noApp
	}
	return a
}
