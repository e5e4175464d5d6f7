package content

import (
	"html"
	"regexp"
	"slices"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/population"
)

// dynamicContent is a piece of dynamic content as it stands.
type dynamicContent struct {
	key, name, kind, locale string // kind is inline or block
	variations              []event.Variation
}

// dynamicOf is what an item of dynamic content says: drawn, but for what was written.
func (m Maker) dynamicOf(i Item) dynamicContent {
	d, born := population.DrawWording(m.seed, i.Kind, i.N, i.Edits), population.DrawPiece(i.Kind, i.N)
	drawn := []event.Variation{{Locale: "en", Body: d.Body}, {Locale: "de", Brand: "7", Body: d.Other, Empty: d.Other == ""}}
	kind := "inline"
	if born.Block {
		kind = "block"
	}
	variations, _ := i.Said.valueOr("variations", drawn).([]event.Variation)
	return dynamicContent{keyOf(i), i.Said.textOr("name", "<"+d.Title+">"), i.Said.textOr("content_type", kind),
		i.Said.textOr("default_locale", "en"), variations}
}

// keyOf names a piece of dynamic content in the bodies of articles.
func keyOf(i Item) string { return i.Said.textOr("key", population.DrawPiece(i.Kind, i.N).Key) }

// itemsByKey gives the items that are there by their keys.
func itemsByKey(list []Item) map[string]Item {
	all := map[string]Item{}
	for _, i := range list {
		if !i.Removed {
			all[keyOf(i)] = i
		}
	}
	return all
}

// dynamicRecord tells of every variation whether it is empty on purpose; names are HTML-escaped as sent (api-notes).
func (m Maker) dynamicRecord(i Item) jsontext.Record {
	d, p := m.dynamicOf(i), &jsontext.Writer{Bytes: []byte{'['}}
	for _, v := range d.variations {
		p.WriteKey("")
		jsontext.WriteRecord(p, jsontext.Record{{Name: "locale", Value: v.Locale}, {Name: "brand_id", Value: v.Brand}, {Name: "body", Value: v.Body}, {Name: "intentionally_empty", Value: v.Empty}})
	}
	p.CloseList()
	return jsontext.Record{{Name: "type", Value: "dynamic_content"}, {Name: "id", Value: event.ContentText(event.DynamicContents, i.N)}, {Name: "key", Value: d.key}, {Name: "name", Value: html.EscapeString(d.name)},
		{Name: "content_type", Value: d.kind}, {Name: "default_locale", Value: d.locale}, {Name: "variations", Value: jsontext.RawJSON(p.Bytes)}, {Name: "created_at", Value: jsontext.Moment(i.Created)}, {Name: "updated_at", Value: jsontext.Moment(i.Updated)}}
}

// textFor is what it shows to readers of a language who are of no brand: the default's where nothing is said in theirs, and nothing
// where that is meant (workspace-api 4.11).
func (d dynamicContent) textFor(locale string) string {
	for _, in := range []string{locale, d.locale} {
		n := slices.IndexFunc(d.variations, func(v event.Variation) bool {
			return v.Locale == in && v.Brand == "" && (v.Empty || v.Body != "")
		})
		switch {
		case n < 0:
		case d.kind == "inline":
			return html.EscapeString(d.variations[n].Body)
		default:
			return d.variations[n].Body
		}
	}
	return ""
}

// keptReferences are references to dynamic content as they are kept in a body: the elements that are sent, with nothing in them.
var keptReferences = regexp.MustCompile(`<(span|div) class="service-dynamic-content" data-service-dynamic-content-key="([^"]*)"></(?:span|div)>`)

// renderBody is a body as it is sent: in the later version each reference is an element around what is shown in the language of the
// body; before it an inline one is the literal text, and a block is left out (workspace-api 2.5, trap T93). What is no longer there
// is referred to by nothing, and where dynamic content is disabled there are no references, but what they show.
func (m Maker) renderBody(body, locale string, as RenderOptions) string {
	return keptReferences.ReplaceAllStringFunc(body, func(reference string) string {
		found := keptReferences.FindStringSubmatch(reference)
		element, key := found[1], found[2]
		i, there := m.dynamic()[key]
		if !there {
			return ""
		}
		text := m.dynamicOf(i).textFor(locale)
		switch {
		case as.Plain:
			return text
		case as.Version.HasLaterChanges():
			end := len(reference) - len("</>") - len(element)
			return reference[:end] + text + reference[end:]
		case element == "div":
			return ""
		}
		return "#{{dynamic_content:" + key + "}}"
	})
}
