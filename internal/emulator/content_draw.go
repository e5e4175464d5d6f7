package emulator

import (
	"slices"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/population"
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

func (m contentMaker) record(i item, as reading) record {
	id := event.ContentText(i.Kind, i.N)
	d := population.WordingOf(m.seed, i.Kind, i.N, i.Edits)
	created, updated := column{"created_at", moment(i.Created)}, column{"updated_at", moment(i.Updated)}
	switch i.Kind {
	case event.Articles:
		return m.article(i, as)
	case event.InternalArticles:
		return i.over(m.internal(i, d, as))
	case event.Collections:
		text := `{"type":"group_translated_content","en":{"type":"group_content","name":` + jsontext.Quote(d.Title) + `,"description":` +
			string(jsontext.AppendText(nil, d.Description)) + `}}`
		return record{{"type", "collection"}, {"id", id}, {"workspace_id", m.workspace}, {"name", d.Title}, {"description", d.Description},
			{"parent_id", orNothing(population.PieceOf(i.Kind, i.N).Parent)}, {"order", int64(i.N)}, {"url", "https://help.example/collections/" + id}, {"default_locale", "en"},
			{"translated_content", rawJSONText(text)}, created, updated}
	case event.Newsfeeds:
		return record{{"type", "newsfeed"}, {"id", id}, {"name", d.Title}, created, updated}
	case event.NewsItems:
		return i.over(m.news(i, d, as))
	case event.Folders:
		return i.over(record{{"type", "folder"}, {"id", id}, {"name", d.Title}, {"parent_folder_id", orNothing(population.PieceOf(i.Kind, i.N).Parent)}, created, updated})
	case event.DynamicContents:
		return m.dynamicRecord(i)
	}
	return record{{"type", "data_connector"}, {"id", id}, {"name", d.Title}, {"state", d.State}, {"http_method", d.Method},
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
	return []event.NewsPlace{{Feed: population.PieceOf(i.Kind, i.N).Feed, At: i.Created}}
}

// inFeed is the place of a newsfeed among those that a news item is in, below 0 for none.
func inFeed(places []event.NewsPlace, feed string) int {
	return slices.IndexFunc(places, func(p event.NewsPlace) bool { return p.Feed == feed })
}

// news tells when it was published since 2.14 (workspace-api 9): in the first of its newsfeeds. In none it is a draft.
func (m contentMaker) news(i item, d event.Wording, as reading) record {
	places, dated := placesOf(i), as.version.atLeast(v214)
	state, first, p := "draft", int64(0), &jsontext.Writer{}
	for _, place := range places {
		if state == "draft" || place.At < first {
			state, first = "live", place.At
		}
		in := record{{"newsfeed_id", rawJSONText(place.Feed)}}
		if dated {
			in = append(in, column{"published_at", moment(place.At)})
		}
		p.Key("")
		writeRecord(p, in)
	}
	list := record{{"type", "news-item"}, {"id", event.ContentText(event.NewsItems, i.N)}, {"workspace_id", m.workspace}, {"title", d.Title},
		{"body", d.Body}, {"sender_id", d.Author}, {"state", state}, {"created_at", moment(i.Created)},
		{"updated_at", moment(i.Updated)}}
	if dated {
		list = append(list, column{"published_at", moment(first)})
	}
	return append(list, column{"newsfeed_assignments", rawJSONText("[" + string(p.Bytes) + "]")})
}

// parentFolder is the folder that a folder lies in, or nil.
func parentFolder(i item) any {
	return i.Said.or("parent_folder_id", orNothing(population.PieceOf(i.Kind, i.N).Parent))
}

// internal: some tell no times (api-notes), but those that somebody wrote.
func (m contentMaker) internal(i item, d event.Wording, as reading) record {
	var owner any
	if d.Owner != 0 {
		owner = d.Owner
	}
	list := record{{"type", "internal_article"}, {"id", event.ContentID(event.InternalArticles, i.N)}, {"title", d.Title}, {"body", d.Body},
		{"owner_id", owner}, {"author_id", d.Author}, {"locale", d.Locale}}
	if _, written := i.Said["author_id"]; written || !population.PieceOf(i.Kind, i.N).Untimed {
		list = append(list, column{"created_at", moment(i.Created)}, column{"updated_at", moment(i.Updated)})
	}
	return m.filed(list, i, as)
}

// version is the nth version of a data connector: one at its birth and one for each edit.
func (m contentMaker) version(i item, n int) record {
	at := i.Created + int64(n)*60
	if born := i.Edits - len(i.Edited); n > born {
		at = i.Edited[n-born-1]
	}
	note := versionNote{population.VersionNoteOf(m.seed, i.N, n), at}
	if written, is := i.Noted[n]; is {
		note = written
	}
	return record{{"type", "data_connector_version"}, {"entity_version_id", event.VersionID(i.N, n)}, {"data_connector_id", event.ContentText(event.Connectors, i.N)},
		{"version_number", int64(n + 1)}, {"note", note.Text}, {"created_at", isoTime(at)}, {"updated_at", isoTime(note.At)}}
}
