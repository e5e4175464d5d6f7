package api

import (
	"encoding/json"
	"net/http"

	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/apiversion"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/input"
	"aqueduck/internal/emulator/state/content"
)

// contentWriter makes the routes that write a kind of content.
type contentWriter event.ContentKind

// create is POST: content that says nothing but what was sent, answered as it is read.
func (c contentWriter) create(w *Handlers, q *Request, b *input.Body) answer.Answer {
	with, refused := c.sent(w, q, b, nil)
	if refused != nil {
		return *refused
	}
	made, refused := w.perform("content.create", with)
	if refused != nil {
		return *refused
	}
	q.ID = made["id"]
	return single(event.ContentKind(c))(w, q)
}

// update is PUT: what is sent is written, and the rest stays. Nothing at all changes nothing.
func (c contentWriter) update(w *Handlers, q *Request, b *input.Body) answer.Answer {
	i, refused := c.named(w, q)
	if refused != nil {
		return *refused
	}
	with, refused := c.sent(w, q, b, &i)
	if refused == nil && with != nil {
		with["id"] = q.ID
		_, refused = w.perform("content.edit", with)
	}
	if refused != nil {
		return *refused
	}
	return single(event.ContentKind(c))(w, q)
}

// remove is DELETE, of what nothing else needs.
func (c contentWriter) remove(w *Handlers, q *Request, _ *input.Body) answer.Answer {
	i, refused := c.named(w, q)
	if refused != nil {
		return *refused
	}
	w.Mu.Lock()
	why := w.WhyKept(i)
	w.Mu.Unlock()
	if why != "" {
		return answer.Failure(http.StatusBadRequest, "client_error", why)
	}
	if _, refused := w.perform("content.remove", map[string]any{"kind": content.ContentNames[c], "id": q.ID}); refused != nil {
		return *refused
	}
	return deletedAnswer(contentObjects[c], q.ID)
}

// contentObjects are what answers of kinds that can be removed call them.
var contentObjects = [event.ContentKinds]string{event.Articles: "article", event.InternalArticles: "internal_article", event.NewsItems: "news-item", event.Folders: "folder",
	event.DynamicContents: "dynamic_content"}

func (c contentWriter) named(w *Handlers, q *Request) (content.Item, *answer.Answer) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	i, found := w.FindItem(event.ContentKind(c), q.ID)
	if !found {
		a := answer.NotFound("Resource")
		return i, &a
	}
	return i, nil
}

// sent checks what a body writes, and gives it as operations take it; nil when it writes nothing.
func (c contentWriter) sent(w *Handlers, q *Request, b *input.Body, of *content.Item) (map[string]any, *answer.Answer) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	c.asOf(w, q.Version, b)
	set := w.ReadBody(event.ContentKind(c), of, b)
	switch {
	case b.Refused():
		a := refusedBody(b)
		return nil, &a
	case len(set) == 0:
		return nil, nil
	}
	return map[string]any{"kind": content.ContentNames[c], "set": b.Fields}, nil
}

// asOf takes from a body what its version does not know (workspace-api 9), and has an article refer as the later one does: what it says
// then is what a journal keeps.
func (c contentWriter) asOf(w *Handlers, v apiversion.Version, b *input.Body) {
	if !v.Later() {
		delete(b.Fields, "folder_id")
	}
	switch kind := event.ContentKind(c); {
	case kind == event.Articles && (!v.Later() || w.K().NoDynamicContent):
		w.Modernise(b)
	case kind == event.NewsItems && !v.AtLeast(apiversion.V214):
		undated(b)
	}
}

// undated takes the times from the assignments of a news item.
func undated(b *input.Body) {
	var list []map[string]json.RawMessage
	for _, one := range b.Objects("newsfeed_assignments") {
		delete(one.Fields, "published_at")
		list = append(list, one.Fields)
	}
	if len(list) > 0 {
		b.Fields["newsfeed_assignments"] = content.AsJSON(list)
	}
}

// whereDynamic makes a route of dynamic content one that a workspace without it refuses (workspace-api 5.4).
func whereDynamic(serve func(w *Handlers, q *Request) answer.Answer) func(w *Handlers, q *Request) answer.Answer {
	return func(w *Handlers, q *Request) answer.Answer {
		if w.K().NoDynamicContent {
			return noDynamicContent()
		}
		return serve(w, q)
	}
}

// noteVersion is PATCH /data_connectors/{id}/versions/{version_id}: the version has another note, or none when it is empty. The
// connector is as before (workspace-api 4.11).
func noteVersion(w *Handlers, q *Request, b *input.Body) answer.Answer {
	b.Need("note")
	note := b.Text("note")
	switch a := oneConnectorVersion(w, q); {
	case a.Status != http.StatusOK:
		return a
	case b.Refused():
		return refusedBody(b)
	}
	if _, refused := w.perform("content.note", map[string]any{"id": q.ID, "version": q.Inner, "note": note}); refused != nil {
		return *refused
	}
	return oneConnectorVersion(w, q)
}
