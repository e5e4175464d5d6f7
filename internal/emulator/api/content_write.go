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

// contentWriter makes the routes that write one kind of content.
type contentWriter event.ContentKind

// createItem serves POST: the item has only what was sent, and is answered as a read would answer it.
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

// updateItem serves PUT: fields that are sent are written, and the others stay. An empty body changes nothing.
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

// removeItem serves DELETE, for items that no other item needs.
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

// contentObjects are the object names in answers of the kinds that can be removed.
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

// checkContentBody checks a body and returns its fields in the form that operations take; nil when it writes nothing.
func (c contentWriter) checkContentBody(w *Handlers, q *Request, b *input.Body, of *content.Item) (map[string]any, *answer.Answer) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	c.adaptToVersion(w, q.Version, b)
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

// adaptToVersion removes the fields that the request's version does not know (workspace-api 9), and rewrites an article's references in the
// form of the later version. The journal keeps that form, so a replay does not depend on the version.
func (c contentWriter) adaptToVersion(w *Handlers, v apiversion.Version, b *input.Body) {
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

// dropAssignmentTimes removes the times from the assignments of a news item.
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

// whereDynamic makes a route answer 403 in a workspace where dynamic content is disabled (workspace-api 5.4).
func whereDynamic(serve func(w *Handlers, q *Request) answer.Answer) func(w *Handlers, q *Request) answer.Answer {
	return func(w *Handlers, q *Request) answer.Answer {
		if w.K().NoDynamicContent {
			return noDynamicContent()
		}
		return serve(w, q)
	}
}

// noteVersion serves PATCH /data_connectors/{id}/versions/{version_id}: it sets the note of the version, or clears it when it is empty. The
// connector itself does not change (workspace-api 4.11).
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
