package emulator

import (
	"encoding/json"
	"net/http"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/input"
)

// contentWriter makes the routes that write a kind of content.
type contentWriter event.ContentKind

// create is POST: content that says nothing but what was sent, answered as it is read.
func (c contentWriter) create(w *server, q *request, b *input.Body) answer {
	with, refused := c.sent(w, q, b, nil)
	if refused != nil {
		return *refused
	}
	made, refused := w.perform("content.create", with)
	if refused != nil {
		return *refused
	}
	q.id = made["id"]
	return single(event.ContentKind(c))(w, q)
}

// update is PUT: what is sent is written, and the rest stays. Nothing at all changes nothing.
func (c contentWriter) update(w *server, q *request, b *input.Body) answer {
	i, refused := c.named(w, q)
	if refused != nil {
		return *refused
	}
	with, refused := c.sent(w, q, b, &i)
	if refused == nil && with != nil {
		with["id"] = q.id
		_, refused = w.perform("content.edit", with)
	}
	if refused != nil {
		return *refused
	}
	return single(event.ContentKind(c))(w, q)
}

// remove is DELETE, of what nothing else needs.
func (c contentWriter) remove(w *server, q *request, _ *input.Body) answer {
	i, refused := c.named(w, q)
	if refused != nil {
		return *refused
	}
	w.mu.Lock()
	why := w.holds(i)
	w.mu.Unlock()
	if why != "" {
		return failure(http.StatusBadRequest, "client_error", why)
	}
	if _, refused := w.perform("content.remove", map[string]any{"kind": contentNames[c], "id": q.id}); refused != nil {
		return *refused
	}
	return deletedAnswer(contentObjects[c], q.id)
}

// contentObjects are what answers of kinds that can be removed call them.
var contentObjects = [event.ContentKinds]string{event.Articles: "article", event.InternalArticles: "internal_article", event.NewsItems: "news-item", event.Folders: "folder",
	event.DynamicContents: "dynamic_content"}

func (c contentWriter) named(w *server, q *request) (item, *answer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	i, found := w.itemNamed(event.ContentKind(c), q.id)
	if !found {
		a := notFound("Resource")
		return i, &a
	}
	return i, nil
}

// sent checks what a body writes, and gives it as operations take it; nil when it writes nothing.
func (c contentWriter) sent(w *server, q *request, b *input.Body, of *item) (map[string]any, *answer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c.asOf(w, q.version, b)
	set := w.read(event.ContentKind(c), of, b)
	switch {
	case b.Refused():
		a := refusedBody(b)
		return nil, &a
	case len(set) == 0:
		return nil, nil
	}
	return map[string]any{"kind": contentNames[c], "set": b.Fields}, nil
}

// asOf takes from a body what its version does not know (workspace-api 9), and has an article refer as the later one does: what it says
// then is what a journal keeps.
func (c contentWriter) asOf(w *server, v version, b *input.Body) {
	if !v.later() {
		delete(b.Fields, "folder_id")
	}
	switch kind := event.ContentKind(c); {
	case kind == event.Articles && (!v.later() || w.k().NoDynamicContent):
		w.modern(b)
	case kind == event.NewsItems && !v.atLeast(v214):
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
		b.Fields["newsfeed_assignments"] = asJSON(list)
	}
}

// whereDynamic makes a route of dynamic content one that a workspace without it refuses (workspace-api 5.4).
func whereDynamic(serve func(w *server, q *request) answer) func(w *server, q *request) answer {
	return func(w *server, q *request) answer {
		if w.k().NoDynamicContent {
			return noDynamicContent()
		}
		return serve(w, q)
	}
}

// noteVersion is PATCH /data_connectors/{id}/versions/{version_id}: the version has another note, or none when it is empty. The
// connector is as before (workspace-api 4.11).
func noteVersion(w *server, q *request, b *input.Body) answer {
	b.Need("note")
	note := b.Text("note")
	switch a := oneConnectorVersion(w, q); {
	case a.status != http.StatusOK:
		return a
	case b.Refused():
		return refusedBody(b)
	}
	if _, refused := w.perform("content.note", map[string]any{"id": q.id, "version": q.inner, "note": note}); refused != nil {
		return *refused
	}
	return oneConnectorVersion(w, q)
}
