package emulator

import (
	"slices"
	"strconv"

	"aqueduck/internal/emulator/event"
)

// contentMaker draws what content says.
type contentMaker struct {
	seed      uint64
	start     int64
	workspace string
	dynamic   func() map[string]item // the dynamic contents that are there, by their keys
}

// reading is what an answer depends on beside the content.
type reading struct {
	version version
	whole   bool // it is read by itself
	plain   bool // dynamic content is disabled
	now     int64
}

// drawing is what the words of an item are drawn from, and its title, which is drawn first.
func (m contentMaker) drawing(i item) (*event.RNG, string) {
	r := event.NewRNG(m.seed, forContent, 2<<32, uint64(i.Kind), uint64(i.N), uint64(i.Edits))
	return r, r.Text(articleTitles) + " " + strconv.Itoa(int(i.N)) + "." + strconv.Itoa(i.Edits)
}

func (m contentMaker) record(i item, as reading) record {
	id := event.ContentText(i.Kind, i.N)
	r, title := m.drawing(i)
	created, updated := column{"created_at", moment(i.Created)}, column{"updated_at", moment(i.Updated)}
	switch i.Kind {
	case event.Articles:
		return m.article(i, as)
	case event.InternalArticles:
		return i.over(m.internal(i, r, title, as))
	case event.Collections:
		about := r.Text([]string{"", "a & b"})
		text := `{"type":"group_translated_content","en":{"type":"group_content","name":` + quoted(title) + `,"description":` +
			string(appendText(nil, about)) + `}}`
		return record{{"type", "collection"}, {"id", id}, {"workspace_id", m.workspace}, {"name", title}, {"description", about},
			{"parent_id", parentOf(event.Collections, i.N)}, {"order", int64(i.N)}, {"url", "https://help.example/collections/" + id}, {"default_locale", "en"},
			{"translated_content", rawJSONText(text)}, created, updated}
	case event.Newsfeeds:
		return record{{"type", "newsfeed"}, {"id", id}, {"name", title}, created, updated}
	case event.NewsItems:
		return i.over(m.news(i, r, title, as))
	case event.Folders:
		return i.over(record{{"type", "folder"}, {"id", id}, {"name", title}, {"parent_folder_id", parentOf(event.Folders, i.N)}, created, updated})
	case event.DynamicContents:
		return m.dynamicRecord(i)
	}
	return record{{"type", "data_connector"}, {"id", id}, {"name", title}, {"state", r.Text([]string{"live", "draft"})}, {"http_method", r.Text([]string{"get", "post", "put", "patch", "delete"})},
		{"created_at", isoTime(i.Created)}, {"updated_at", isoTime(i.Updated)}}
}

// over puts what was written over what is drawn, field by field.
func (i item) over(list record) record {
	for n, c := range list {
		switch v, written := i.Said[c.name]; v.(type) {
		case nil, string, int64:
			if written {
				list[n].value = v
			}
		}
	}
	return list
}

// or is what was written as a field, or what is drawn.
func (s said) or(field string, drawn any) any {
	if v, written := s[field]; written {
		return v
	}
	return drawn
}

// text is the same of a text; null is "".
func (s said) text(field, drawn string) string {
	text, _ := s.or(field, drawn).(string)
	return text
}

// placesOf are the newsfeeds that a news item is in: one by its number, from its birth on, unless others were written.
func placesOf(i item) []event.NewsPlace {
	if written, is := i.Said["newsfeed_assignments"].([]event.NewsPlace); is {
		return written
	}
	return []event.NewsPlace{{Feed: event.ContentText(event.Newsfeeds, i.N%5), At: i.Created}}
}

// inFeed is the place of a newsfeed among those that a news item is in, below 0 for none.
func inFeed(places []event.NewsPlace, feed string) int {
	return slices.IndexFunc(places, func(p event.NewsPlace) bool { return p.Feed == feed })
}

// news tells when it was published since 2.14 (workspace-api 9): in the first of its newsfeeds. In none it is a draft.
func (m contentMaker) news(i item, r *event.RNG, title string, as reading) record {
	places, dated := placesOf(i), as.version.atLeast(v214)
	state, first, p := "draft", int64(0), &pen{}
	for _, place := range places {
		if state == "draft" || place.At < first {
			state, first = "live", place.At
		}
		in := record{{"newsfeed_id", rawJSONText(place.Feed)}}
		if dated {
			in = append(in, column{"published_at", moment(place.At)})
		}
		p.key("")
		p.record(in)
	}
	list := record{{"type", "news-item"}, {"id", event.ContentText(event.NewsItems, i.N)}, {"workspace_id", m.workspace}, {"title", title},
		{"body", "<p>" + hitlWords(r) + "</p>"}, {"sender_id", event.Admins[r.N(len(event.Admins))].ID}, {"state", state}, {"created_at", moment(i.Created)},
		{"updated_at", moment(i.Updated)}}
	if dated {
		list = append(list, column{"published_at", moment(first)})
	}
	return append(list, column{"newsfeed_assignments", rawJSONText("[" + string(p.b) + "]")})
}

// parentFolder is the folder that a folder lies in, or nil.
func parentFolder(i item) any { return i.Said.or("parent_folder_id", parentOf(event.Folders, i.N)) }

func quoted(s string) string { return string(appendString(nil, s)) }

// parentOf: the first ones lie in nothing, the others in one of them; folders in one some places before them, so that some lie deep.
func parentOf(kind event.ContentKind, n int32) any {
	switch {
	case n < 4:
		return nil
	case kind == event.Folders:
		return event.ContentText(kind, n-4+n%2)
	}
	return event.ContentText(kind, n%4)
}

// internal: some tell no times (api-notes), but those that somebody wrote.
func (m contentMaker) internal(i item, r *event.RNG, title string, as reading) record {
	var owner any = event.Admins[r.N(len(event.Admins))].ID
	if i.N%9 == 4 {
		owner = nil
	}
	list := record{{"type", "internal_article"}, {"id", event.ContentID(event.InternalArticles, i.N)}, {"title", title}, {"body", "<p>" + hitlWords(r) + "</p>"},
		{"owner_id", owner}, {"author_id", event.Admins[r.N(len(event.Admins))].ID}, {"locale", r.Text([]string{"en", "de"})}}
	if _, written := i.Said["author_id"]; written || i.N%7 != 0 {
		list = append(list, column{"created_at", moment(i.Created)}, column{"updated_at", moment(i.Updated)})
	}
	return m.filed(list, i, as)
}

// version is the nth version of a data connector: one at its birth and one for each edit.
func (m contentMaker) version(i item, n int) record {
	r := event.NewRNG(m.seed, forContent, 3<<32, uint64(i.N), uint64(n))
	at := i.Created + int64(n)*60
	if born := i.Edits - len(i.Edited); n > born {
		at = i.Edited[n-born-1]
	}
	note := versionNote{r.Text([]string{"", "retry & wait", "Größe"}), at}
	if written, is := i.Noted[n]; is {
		note = written
	}
	return record{{"type", "data_connector_version"}, {"entity_version_id", event.VersionID(i.N, n)}, {"data_connector_id", event.ContentText(event.Connectors, i.N)},
		{"version_number", int64(n + 1)}, {"note", note.Text}, {"created_at", isoTime(at)}, {"updated_at", isoTime(note.At)}}
}
