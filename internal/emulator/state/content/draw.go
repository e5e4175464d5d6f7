package content

import (
	"slices"
	"sync"

	"aqueduck/internal/emulator/apiversion"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/population"
)

// RenderItem returns a piece of content in the form in which it is sent.
func (m Maker) RenderItem(i Item, as RenderOptions) jsontext.Record {
	id := event.ContentText(i.Kind, i.N)
	d := m.from.Wording(i.Kind, i.N, i.Edits)
	created, updated := jsontext.Column{Name: "created_at", Value: jsontext.Moment(i.Created)}, jsontext.Column{Name: "updated_at", Value: jsontext.Moment(i.Updated)}
	switch i.Kind {
	case event.Articles:
		return m.articleRecord(i, as)
	case event.InternalArticles:
		return i.overlayEdits(m.internalRecord(i, d, as))
	case event.Collections:
		text := `{"type":"group_translated_content","en":{"type":"group_content","name":` + jsontext.Quote(d.Title) + `,"description":` +
			string(jsontext.AppendText(nil, d.Description)) + `}}`
		return jsontext.Record{{Name: "type", Value: "collection"}, {Name: "id", Value: id}, {Name: "workspace_id", Value: m.workspace}, {Name: "name", Value: d.Title}, {Name: "description", Value: d.Description},
			{Name: "parent_id", Value: orNothing(i.Piece.Parent)}, {Name: "order", Value: int64(i.N)}, {Name: "url", Value: "https://help.example/collections/" + id}, {Name: "default_locale", Value: "en"},
			{Name: "translated_content", Value: jsontext.RawJSON(text)}, created, updated}
	case event.Newsfeeds:
		return jsontext.Record{{Name: "type", Value: "newsfeed"}, {Name: "id", Value: id}, {Name: "name", Value: d.Title}, created, updated}
	case event.NewsItems:
		return i.overlayEdits(m.newsRecord(i, d, as))
	case event.Folders:
		return i.overlayEdits(jsontext.Record{{Name: "type", Value: "folder"}, {Name: "id", Value: id}, {Name: "name", Value: d.Title}, {Name: "parent_folder_id", Value: orNothing(i.Piece.Parent)}, created, updated})
	case event.DynamicContents:
		return m.dynamicRecord(i)
	}
	return jsontext.Record{{Name: "type", Value: "data_connector"}, {Name: "id", Value: id}, {Name: "name", Value: d.Title}, {Name: "state", Value: d.State}, {Name: "http_method", Value: d.Method},
		{Name: "created_at", Value: jsontext.ISOTime(i.Created)}, {Name: "updated_at", Value: jsontext.ISOTime(i.Updated)}}
}

// overlayEdits replaces drawn fields by written ones.
func (i Item) overlayEdits(list jsontext.Record) jsontext.Record {
	for n, c := range list {
		switch v, written := i.EditedFields[c.Name]; v.(type) {
		case nil, string, int64:
			if written {
				list[n].Value = v
			}
		}
	}
	return list
}

// PlacesOf returns the newsfeeds of a news item: one drawn from its number, unless others were written.
func PlacesOf(i Item) []event.NewsPlace {
	if written, is := i.EditedFields["newsfeed_assignments"].([]event.NewsPlace); is {
		return written
	}
	return []event.NewsPlace{{Feed: i.Piece.Feed, At: i.Created}}
}

// FeedPlace returns the index of a newsfeed among those of a news item, below 0 for none.
func FeedPlace(places []event.NewsPlace, feed string) int {
	return slices.IndexFunc(places, func(p event.NewsPlace) bool { return p.Feed == feed })
}

// newsRecord returns a news item. From 2.14 on it has the time when it was published in the first of its newsfeeds (workspace-api 9). Without
// a newsfeed it is a draft.
func (m Maker) newsRecord(i Item, d event.Wording, as RenderOptions) jsontext.Record {
	places, dated := PlacesOf(i), as.Version.AtLeast(apiversion.V214)
	state, first, p := "draft", int64(0), &jsontext.Writer{}
	for _, place := range places {
		if state == "draft" || place.At < first {
			state, first = "live", place.At
		}
		in := jsontext.Record{{Name: "newsfeed_id", Value: jsontext.RawJSON(place.Feed)}}
		if dated {
			in = append(in, jsontext.Column{Name: "published_at", Value: jsontext.Moment(place.At)})
		}
		p.WriteKey("")
		jsontext.WriteRecord(p, in)
	}
	list := jsontext.Record{{Name: "type", Value: "news-item"}, {Name: "id", Value: event.ContentText(event.NewsItems, i.N)}, {Name: "workspace_id", Value: m.workspace}, {Name: "title", Value: d.Title},
		{Name: "body", Value: d.Body}, {Name: "sender_id", Value: d.Author}, {Name: "state", Value: state}, {Name: "created_at", Value: jsontext.Moment(i.Created)},
		{Name: "updated_at", Value: jsontext.Moment(i.Updated)}}
	if dated {
		list = append(list, jsontext.Column{Name: "published_at", Value: jsontext.Moment(first)})
	}
	return append(list, jsontext.Column{Name: "newsfeed_assignments", Value: jsontext.RawJSON("[" + string(p.Bytes) + "]")})
}

// ParentFolder returns the parent of a folder, or nil.
func ParentFolder(i Item) any {
	return i.EditedFields.valueOr("parent_folder_id", orNothing(i.Piece.Parent))
}

// internalRecord returns an internal article. Some drawn ones have no times (api-notes); written ones have them.
func (m Maker) internalRecord(i Item, d event.Wording, as RenderOptions) jsontext.Record {
	var owner any
	if d.Owner != 0 {
		owner = d.Owner
	}
	list := jsontext.Record{{Name: "type", Value: "internal_article"}, {Name: "id", Value: event.ContentID(event.InternalArticles, i.N)}, {Name: "title", Value: d.Title}, {Name: "body", Value: d.Body},
		{Name: "owner_id", Value: owner}, {Name: "author_id", Value: d.Author}, {Name: "locale", Value: d.Locale}}
	if _, written := i.EditedFields["author_id"]; written || !i.Piece.Untimed {
		list = append(list, jsontext.Column{Name: "created_at", Value: jsontext.Moment(i.Created)}, jsontext.Column{Name: "updated_at", Value: jsontext.Moment(i.Updated)})
	}
	return m.withFolder(list, i, as)
}

// RenderVersion returns the nth version of a data connector: one at its creation and one for each edit.
func (m Maker) RenderVersion(i Item, n int) jsontext.Record {
	at := i.Created + int64(n)*60
	if born := i.Edits - len(i.Edited); n > born {
		at = i.Edited[n-born-1]
	}
	note := versionNote{population.DrawVersionNote(m.from.Seed, i.N, n), at}
	if written, is := i.VersionNotes[n]; is {
		note = written
	}
	return jsontext.Record{{Name: "type", Value: "data_connector_version"}, {Name: "entity_version_id", Value: event.VersionID(i.N, n)}, {Name: "data_connector_id", Value: event.ContentText(event.Connectors, i.N)},
		{Name: "version_number", Value: int64(n + 1)}, {Name: "note", Value: note.Text}, {Name: "created_at", Value: jsontext.ISOTime(at)}, {Name: "updated_at", Value: jsontext.ISOTime(note.At)}}
}

// NewMaker returns a Maker of the current content. The caller holds the lock.
func (w *Content) NewMaker() Maker {
	by := sync.OnceValue(func() map[string]Item { return itemsByKey(w.Items[event.DynamicContents]) })
	return Maker{w.Setup.Origin, w.Setup.Start.Unix(), w.WorkspaceID, by}
}
