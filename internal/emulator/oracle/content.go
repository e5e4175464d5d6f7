package oracle

import (
	"slices"
	"strings"

	"aqueduck/internal/emulator/event"
)

// contentItem is one piece of content after a replay of the log.
type contentItem struct {
	event.BornContent
	event.Piece
	since   []int64 // times of edits since hour 0
	removed bool
	wrote   map[string]any      // the latest written value of each field
	notes   map[int]versionNote // the latest note about each version of a data connector
}

// versionNote is a written note about a version of a data connector.
type versionNote struct {
	words string
	at    int64
}

// redrawnFields are the fields that a simulated edit draws anew.
var redrawnFields = []string{"title", "name", "description", "body", "variations", "default_locale"}

// replayContent returns the content of a kind after a replay of the log.
func (o *Oracle) replayContent(kind event.ContentKind) []contentItem {
	var list []contentItem
	add := func(born event.BornContent) {
		list = append(list, contentItem{BornContent: born, Piece: o.log.Facts.Piece(kind, born.N), wrote: map[string]any{}, notes: map[int]versionNote{}})
	}
	for _, born := range o.log.Facts.Content()[kind] {
		add(born)
	}
	for _, e := range o.log.Content {
		switch {
		case e.Kind != kind:
		case e.What == event.ContentCreated:
			add(event.BornContent{Kind: kind, N: e.N, Created: e.At, Updated: e.At})
		case e.What == event.ContentRemoved:
			list[e.N].removed = true
		case e.What == event.ContentEdited:
			list[e.N].Updated = e.At
			if len(e.Set) == 0 {
				list[e.N].Edits++
				list[e.N].since = append(list[e.N].since, e.At)
			}
		}
	}
	o.collectEdits(kind, list)
	return list
}

// collectEdits adds the latest written value of each field. It reads the log backwards and stops at a simulated edit, because that draws the
// fields anew.
func (o *Oracle) collectEdits(kind event.ContentKind, list []contentItem) {
	edited := map[int32]bool{}
	for _, e := range slices.Backward(o.log.Content) {
		if e.Kind != kind {
			continue
		}
		p := &list[e.N]
		edited[e.N] = edited[e.N] || e.What == event.ContentEdited && len(e.Set) == 0
		for _, c := range e.Set {
			if e.What == event.ContentNoted {
				if _, later := p.notes[e.Version]; !later {
					p.notes[e.Version] = versionNote{c.Value.(string), e.At}
				}
				continue
			}
			if _, later := p.wrote[c.Field]; later || edited[e.N] && slices.Contains(redrawnFields, c.Field) {
				continue
			}
			p.wrote[c.Field] = c.Value
		}
	}
}

// fieldValue returns the written value of a field, or else the drawn one. An empty text becomes null.
func (p *contentItem) fieldValue(field string, drawn any) any {
	if v, wrote := p.wrote[field]; wrote {
		return orNull(v)
	}
	return orNull(drawn)
}

// fieldText returns the written text of a field, or else the drawn one; null becomes empty.
func (p *contentItem) fieldText(field, drawn string) string {
	s, _ := p.fieldValue(field, drawn).(string)
	return s
}

// contentRows yields the existing pieces of a kind in the form of the later version.
func contentRows(kind event.ContentKind) func(o *Oracle, yield func(Row) bool) {
	return func(o *Oracle, yield func(Row) bool) {
		dynamic := o.dynamicByKey()
		for _, p := range o.replayContent(kind) {
			if p.removed {
				continue
			}
			row := o.contentRow(&p, o.log.Facts.Wording(kind, p.N, p.Edits), dynamic)
			row["id"], row["created_at"], row["updated_at"] = event.ContentText(kind, p.N), p.Created, p.Updated
			if _, signed := p.wrote["author_id"]; p.Untimed && !signed {
				delete(row, "created_at")
				delete(row, "updated_at")
			}
			if !yield(row) {
				return
			}
		}
	}
}

func (o *Oracle) contentRow(p *contentItem, d event.Wording, dynamic map[string]dynamicContent) Row {
	id := event.ContentText(p.Kind, p.N)
	switch p.Kind {
	case event.Articles:
		return o.articleRow(p, d, dynamic)
	case event.InternalArticles:
		owner := p.fieldValue("owner_id", d.Owner)
		return Row{"title": p.fieldValue("title", d.Title), "body": p.fieldValue("body", d.Body), "owner_id": owner, "author_id": p.fieldValue("author_id", d.Author),
			"locale": p.fieldValue("locale", d.Locale), "folder_id": p.fieldValue("folder_id", p.Folder)}
	case event.Collections:
		group := jsonObject("type", jsonText("group_content"), "name", jsonText(d.Title), "description", textOrNull(d.Description))
		return Row{"workspace_id": o.terms.Workspace, "name": d.Title, "description": orNull(d.Description), "parent_id": orNull(p.Parent), "order": int64(p.N),
			"url": "https://help.example/collections/" + id, "default_locale": "en",
			"translated_content": jsonObject("type", jsonText("group_translated_content"), "en", group)}
	case event.Newsfeeds:
		return Row{"name": d.Title}
	case event.NewsItems:
		return o.newsRow(p, d)
	case event.Folders:
		return Row{"name": p.fieldValue("name", d.Title), "parent_folder_id": p.fieldValue("parent_folder_id", p.Parent)}
	case event.DynamicContents:
		return dynamicRow(p.dynamicContent(d))
	}
	return Row{"name": d.Title, "state": d.State, "http_method": d.Method}
}

// newsRow returns a news item: live since it was first put into one of its newsfeeds, a draft while it is in none.
func (o *Oracle) newsRow(p *contentItem, d event.Wording) Row {
	places := []event.NewsPlace{{Feed: p.Feed, At: p.Created}}
	if wrote, is := p.wrote["newsfeed_assignments"].([]event.NewsPlace); is {
		places = wrote
	}
	row := Row{"workspace_id": o.terms.Workspace, "title": p.fieldValue("title", d.Title), "body": p.fieldValue("body", d.Body), "sender_id": p.fieldValue("sender_id", d.Author),
		"state": "draft", "published_at": nil}
	var list []string
	for _, in := range places {
		if at, live := row["published_at"].(int64); !live || in.At < at {
			row["state"], row["published_at"] = "live", in.At
		}
		list = append(list, jsonObject("newsfeed_id", in.Feed, "published_at", jsonNumber(in.At)))
	}
	row["newsfeed_assignments"] = jsonArray(list)
	return row
}

// connectorVersions yields every version of the existing connectors: one at creation, one for each edit.
func connectorVersions(o *Oracle, yield func(Row) bool) {
	for _, p := range o.replayContent(event.Connectors) {
		if p.removed {
			continue
		}
		early := p.Edits - len(p.since) // edits before hour 0 are a minute apart
		for n := range p.Edits + 1 {
			at := p.Created + 60*int64(n)
			if n > early {
				at = p.since[n-early-1]
			}
			row := Row{"entity_version_id": event.VersionID(p.N, n), "data_connector_id": event.ContentText(event.Connectors, p.N), "version_number": int64(n + 1),
				"note": orNull(o.log.Facts.VersionNote(p.N, n)), "created_at": at, "updated_at": at}
			if wrote, is := p.notes[n]; is {
				row["note"], row["updated_at"] = orNull(wrote.words), wrote.at
			}
			if !yield(row) {
				return
			}
		}
	}
}

// dynamicContent is the current state of a piece of dynamic content.
type dynamicContent struct {
	key, name, locale string
	block             bool
	variations        []event.Variation
}

// dynamicContent returns the current state of a piece of dynamic content.
func (p *contentItem) dynamicContent(d event.Wording) dynamicContent {
	c := dynamicContent{key: p.fieldText("key", p.Key), name: p.fieldText("name", "<"+d.Title+">"), locale: p.fieldText("default_locale", "en"), block: p.Block}
	if kind := p.fieldText("content_type", ""); kind != "" {
		c.block = kind == "block"
	}
	german := event.Variation{Locale: "de", Brand: "7", Body: d.Other, Empty: d.Other == ""}
	c.variations = []event.Variation{{Locale: "en", Body: d.Body}, german}
	if wrote, is := p.wrote["variations"].([]event.Variation); is {
		c.variations = wrote
	}
	return c
}

// dynamicByKey returns the existing dynamic contents by their keys.
func (o *Oracle) dynamicByKey() map[string]dynamicContent {
	all := map[string]dynamicContent{}
	for _, p := range o.replayContent(event.DynamicContents) {
		if c := p.dynamicContent(o.log.Facts.Wording(p.Kind, p.N, p.Edits)); !p.removed {
			all[c.key] = c
		}
	}
	return all
}

func dynamicRow(c dynamicContent) Row {
	var list []string
	for _, v := range c.variations {
		list = append(list, jsonObject("locale", textOrNull(v.Locale), "brand_id", textOrNull(v.Brand), "body", textOrNull(v.Body), "intentionally_empty", jsonBool(v.Empty)))
	}
	kind := "inline"
	if c.block {
		kind = "block"
	}
	return Row{"key": c.key, "name": orNull(markup.Replace(c.name)), "content_type": kind, "default_locale": c.locale, "variations": jsonArray(list)}
}

// textFor returns the text for readers of a language that belong to no brand: in their language, or else in the default language.
func (c dynamicContent) textFor(locale string) string {
	said := map[string]string{}
	for _, v := range slices.Backward(c.variations) {
		if v.Brand == "" && (v.Empty || v.Body != "") {
			said[v.Locale] = v.Body
		}
	}
	words, is := said[locale]
	if !is {
		words = said[c.locale]
	}
	if c.block {
		return words
	}
	return markup.Replace(words)
}

// resolveReferences replaces each reference to dynamic content in a body by its text, and removes references to content that no longer exists.
// Where dynamic content is disabled, the text has no element around it.
func (o *Oracle) resolveReferences(body, locale string, dynamic map[string]dynamicContent) string {
	const refers = ` class="service-dynamic-content" data-service-dynamic-content-key="`
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(body, refers)
		element := ""
		for _, name := range []string{"span", "div"} {
			if strings.HasSuffix(before, "<"+name) {
				element = name
			}
		}
		key, after, closed := strings.Cut(rest, `"></`+element+">")
		if !found || element == "" || !closed {
			out.WriteString(body)
			return out.String()
		}
		out.WriteString(strings.TrimSuffix(before, "<"+element))
		if c, there := dynamic[key]; there && o.terms.NoDynamicContent {
			out.WriteString(c.textFor(locale))
		} else if there {
			out.WriteString("<" + element + refers + key + `">` + c.textFor(locale) + "</" + element + ">")
		}
		body = after
	}
}
