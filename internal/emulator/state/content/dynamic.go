package content

import (
	"html"
	"regexp"
	"slices"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
)

// dynamicContent is a piece of dynamic content.
type dynamicContent struct {
	key, name, kind, locale string // kind is inline or block
	variations              []event.Variation
}

// dynamicOf returns the dynamic content of an item: drawn, with the written fields on top.
func (m Maker) dynamicOf(i Item) dynamicContent {
	d, born := m.from.Wording(i.Kind, i.N, i.Edits), i.Piece
	drawn := []event.Variation{{Locale: "en", Body: d.Body}, {Locale: "de", Brand: "7", Body: d.Other, Empty: d.Other == ""}}
	kind := "inline"
	if born.Block {
		kind = "block"
	}
	variations, _ := i.EditedFields.valueOr("variations", drawn).([]event.Variation)
	return dynamicContent{keyOf(i), i.EditedFields.textOr("name", "<"+d.Title+">"), i.EditedFields.textOr("content_type", kind),
		i.EditedFields.textOr("default_locale", "en"), variations}
}

// keyOf returns the key of a piece of dynamic content in the bodies of articles.
func keyOf(i Item) string { return i.EditedFields.textOr("key", i.Piece.Key) }

// itemsByKey returns the existing items by key.
func itemsByKey(list []Item) map[string]Item {
	all := map[string]Item{}
	for _, i := range list {
		if !i.Removed {
			all[keyOf(i)] = i
		}
	}
	return all
}

// dynamicRecord says of every variation whether it is empty on purpose. Names are HTML-escaped as sent (api-notes).
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

// textFor returns the text for readers of a language that belong to no brand. Without a variation in their language they get the default one.
// An empty variation shows nothing (workspace-api 4.11).
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

// keptReferences matches references to dynamic content in stored bodies: the elements that are sent, without content.
var keptReferences = regexp.MustCompile(`<(span|div) class="service-dynamic-content" data-service-dynamic-content-key="([^"]*)"></(?:span|div)>`)

// renderBody returns a body as it is sent. In the later version each reference is an element around its text in the language of the body.
// Before, an inline reference is the literal text, and a block is omitted (workspace-api 2.5, trap T93). A reference to removed content
// disappears. Where dynamic content is disabled, only the texts remain.
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
