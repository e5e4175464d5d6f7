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

// createItem is POST: content that says nothing but what was sent, answered as it is read.
func (c contentWriter) createItem(w *Handlers, q *Request, b *input.Body) answer.Answer {
	with, refused := c.checkContentBody(w, q, b, nil)
	if refused != nil {
		return *refused
	}
	made, refused := w.performOperation("content.create", with)
	if refused != nil {
		return *refused
	}
	q.ID = made["id"]
	return singleItemRoute(event.ContentKind(c))(w, q)
}

// updateItem is PUT: what is sent is written, and the rest stays. Nothing at all changes nothing.
func (c contentWriter) updateItem(w *Handlers, q *Request, b *input.Body) answer.Answer {
	i, refused := c.findRequestedItem(w, q)
	if refused != nil {
		return *refused
	}
	with, refused := c.checkContentBody(w, q, b, &i)
	if refused == nil && with != nil {
		with["id"] = q.ID
		_, refused = w.performOperation("content.edit", with)
	}
	if refused != nil {
		return *refused
	}
	return singleItemRoute(event.ContentKind(c))(w, q)
}

// removeItem is DELETE, of what nothing else needs.
func (c contentWriter) removeItem(w *Handlers, q *Request, _ *input.Body) answer.Answer {
	i, refused := c.findRequestedItem(w, q)
	if refused != nil {
		return *refused
	}
	w.Mu.Lock()
	why := w.RemovalObstacle(i)
	w.Mu.Unlock()
	if why != "" {
		return answer.Failure(http.StatusBadRequest, "client_error", why)
	}
	if _, refused := w.performOperation("content.remove", map[string]any{"kind": content.ContentNames[c], "id": q.ID}); refused != nil {
		return *refused
	}
	return deletedAnswer(contentObjects[c], q.ID)
}

// contentObjects are what answers of kinds that can be removed call them.
var contentObjects = [event.ContentKinds]string{event.Articles: "article", event.InternalArticles: "internal_article", event.NewsItems: "news-item", event.Folders: "folder",
	event.DynamicContents: "dynamic_content"}

func (c contentWriter) findRequestedItem(w *Handlers, q *Request) (content.Item, *answer.Answer) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	i, found := w.FindItem(event.ContentKind(c), q.ID)
	if !found {
		a := answer.NotFound("Resource")
		return i, &a
	}
	return i, nil
}

// checkContentBody checks what a body writes, and gives it as operations take it; nil when it writes nothing.
func (c contentWriter) checkContentBody(w *Handlers, q *Request, b *input.Body, of *content.Item) (map[string]any, *answer.Answer) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	c.asOf(w, q.Version, b)
	set := w.ReadBody(event.ContentKind(c), of, b)
	switch {
	case b.IsRefused():
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
	if !v.HasLaterChanges() {
		delete(b.Fields, "folder_id")
	}
	switch kind := event.ContentKind(c); {
	case kind == event.Articles && (!v.HasLaterChanges() || w.K().NoDynamicContent):
		w.UpgradeReferences(b)
	case kind == event.NewsItems && !v.AtLeast(apiversion.V214):
		dropAssignmentTimes(b)
	}
}

// dropAssignmentTimes takes the times from the assignments of a news item.
func dropAssignmentTimes(b *input.Body) {
	var list []map[string]json.RawMessage
	for _, one := range b.ReadObjects("newsfeed_assignments") {
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
	b.RequireFields("note")
	note := b.ReadText("note")
	switch a := oneConnectorVersion(w, q); {
	case a.Status != http.StatusOK:
		return a
	case b.IsRefused():
		return refusedBody(b)
	}
	if _, refused := w.performOperation("content.note", map[string]any{"id": q.ID, "version": q.Inner, "note": note}); refused != nil {
		return *refused
	}
	return oneConnectorVersion(w, q)
}
