package contacts

import (
	"encoding/json"
	"maps"
	"slices"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// Inherit fills in the fields that d lacks from a lead (workspace-api 3.2), and returns their names.
func Inherit(d *event.Contact, lead *event.Contact) (names []string) {
	fills := func(name string, absent bool) bool {
		if absent {
			names = append(names, name)
		}
		return absent
	}
	mine, theirs := textFields(d), textFields(lead)
	for _, name := range slices.Sorted(maps.Keys(mine)) {
		if fills(name, *mine[name] == "" && *theirs[name] != "") {
			*mine[name] = *theirs[name]
		}
	}
	counts, others := intFields(d), intFields(lead)
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if fills(name, *counts[name] == 0 && *others[name] != 0) {
			*counts[name] = *others[name]
		}
	}
	// A location is filled in as a whole: half of one and half of another is no place.
	if fills("location", hasNoPlace(d) && !hasNoPlace(lead)) {
		d.Place = lead.Place
	}
	if fills("browser", d.Browser == nil && lead.Browser != nil) {
		d.Browser = lead.Browser
	}
	if fills("android_app", d.AndroidApp == nil && lead.AndroidApp != nil) {
		d.AndroidApp = lead.AndroidApp
	}
	if fills("ios_app", d.IOSApp == nil && lead.IOSApp != nil) {
		d.IOSApp = lead.IOSApp
	}
	if fills("social_profiles", len(d.Social) == 0 && len(lead.Social) > 0) {
		d.Social = lead.Social
	}
	for _, a := range lead.Attrs {
		if fills(event.OwnAttribute+a.Name, !hasAttr(d.Attrs, a.Name)) {
			d.Attrs = population.SetAttribute(d.Attrs, a.Name, a.Raw)
		}
	}
	return names
}

// hasNoPlace reports whether a contact has no location.
func hasNoPlace(d *event.Contact) bool { return *placeOf(d) == NoPlace }

// RawField returns a field that a merge may fill in, as JSON text; "" for no value.
func RawField(d *event.Contact, name string) string {
	for _, a := range d.Attrs {
		if event.OwnAttribute+a.Name == name {
			return a.Raw
		}
	}
	if text := textFields(d)[name]; text != nil {
		return rawOf(*text, *text == "")
	}
	if n := intFields(d)[name]; n != nil {
		return rawOf(*n, *n == 0)
	}
	switch name {
	case "location":
		return rawOf(d.Place, hasNoPlace(d))
	case "browser":
		return rawOf(d.Browser, d.Browser == nil)
	case "android_app":
		return rawOf(d.AndroidApp, d.AndroidApp == nil)
	case "ios_app":
		return rawOf(d.IOSApp, d.IOSApp == nil)
	case "social_profiles":
		return rawOf(d.Social, len(d.Social) == 0)
	}
	return ""
}

func rawOf(v any, none bool) string {
	if none {
		return ""
	}
	text, _ := json.Marshal(v) // texts, numbers and structs of texts can always be encoded
	return string(text)
}
