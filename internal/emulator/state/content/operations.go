package content

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/input"
)

// ErrNoContent means that an operation names unknown content.
var ErrNoContent = errors.New("no such content")

// ContentNames are the oracle's names of the kinds of content.
var ContentNames = [event.ContentKinds]string{"articles", "internal_articles", "collections", "newsfeeds", "news_items", "folders",
	"dynamic_contents", "data_connectors"}

// CreateContent creates a piece of content with a drawn text and returns its id. kind is the oracle's name, such as articles.
func (w *Content) CreateContent(kind string) (string, error) { return w.CreateContentWith(kind, nil) }

// CreateContentWith creates a piece of content with the fields of set alone, or with a drawn text when set is nil.
func (w *Content) CreateContentWith(kind string, set map[string]any) (string, error) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	k, err := contentKindOf(kind)
	if err != nil {
		return "", err
	}
	var says []event.FieldChange
	if set != nil {
		if says, err = w.readOperationBody(k, nil, set); err != nil {
			return "", err
		}
	}
	e := w.newContentEvent(w.UnixNow(), k, says)
	w.recordContent(e)
	return event.ContentText(k, e.N), nil
}

// EditContent draws a new text; a data connector gets another version.
func (w *Content) EditContent(kind, id string) error { return w.EditContentWith(kind, id, nil) }

// EditContentWith writes the fields of set, or draws a new text when set is nil.
func (w *Content) EditContentWith(kind, id string, set map[string]any) error {
	return w.logContentChange(kind, id, func(i Item) (e event.ContentEvent, err error) {
		if e.What = event.ContentEdited; set == nil {
			return e, nil
		}
		if e.Set, err = w.readOperationBody(i.Kind, &i, set); err == nil && len(e.Set) == 0 {
			err = errors.New("nothing is said that can be written")
		}
		return e, err
	})
}

// readOperationBody is ReadBody for the parameters of an operation.
func (w *Content) readOperationBody(kind event.ContentKind, of *Item, set map[string]any) ([]event.FieldChange, error) {
	b := input.ReadBody(AsJSON(set))
	says := w.ReadBody(kind, of, b)
	return says, b.Err()
}

// SetVersionNote sets the note about a version of a data connector, by its entity_version_id; an empty note clears it.
func (w *Content) SetVersionNote(id, version, note string) error {
	return w.logContentChange(ContentNames[event.Connectors], id, func(i Item) (event.ContentEvent, error) {
		for n := range i.Edits + 1 {
			if event.VersionID(i.N, n) == version {
				return event.ContentEvent{What: event.ContentNoted, Version: n, Set: []event.FieldChange{{Field: "note", Value: note}}}, nil
			}
		}
		return event.ContentEvent{}, fmt.Errorf("version %s: %w", version, ErrNoContent)
	})
}

// RemoveContent removes a piece of content. Collections and newsfeeds cannot be removed, as others may lie in them, nor can folders that are
// not empty or dynamic content that an article uses.
func (w *Content) RemoveContent(kind, id string) error {
	return w.logContentChange(kind, id, func(i Item) (event.ContentEvent, error) {
		if why := w.RemovalObstacle(i); why != "" {
			return event.ContentEvent{}, errors.New("it cannot be removed: " + why)
		}
		return event.ContentEvent{What: event.ContentRemoved}, nil
	})
}

// logContentChange logs the event that happens returns for one piece of content.
func (w *Content) logContentChange(kind, id string, happens func(i Item) (event.ContentEvent, error)) error {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	k, err := contentKindOf(kind)
	if err != nil {
		return err
	}
	i, found := w.FindItem(k, id)
	if !found {
		return fmt.Errorf("%s of %s: %w", id, kind, ErrNoContent)
	}
	e, err := happens(i)
	if err != nil {
		return fmt.Errorf("%s of %s: %w", id, kind, err)
	}
	e.At, e.Kind, e.N = w.UnixNow(), k, i.N
	w.recordContent(e)
	return nil
}

// RemovalObstacle says why a piece of content cannot be removed; "" when it can (workspace-api 4.11).
func (w *Content) RemovalObstacle(i Item) string {
	switch id := event.ContentText(i.Kind, i.N); i.Kind {
	case event.Collections, event.Newsfeeds:
		return "others may lie in it"
	case event.Folders:
		if slices.ContainsFunc(w.ListItems(event.Folders), func(o Item) bool { return ParentFolder(o) == any(id) }) {
			return "the folder is not empty: a folder lies in it"
		}
		if slices.ContainsFunc(slices.Concat(w.ListItems(event.Articles), w.ListItems(event.InternalArticles)), func(o Item) bool { return FolderOf(o) == any(id) }) {
			return "the folder is not empty: an article lies in it"
		}
	case event.DynamicContents:
		key := `-key="` + keyOf(i) + `"`
		uses := func(o Item) bool {
			return slices.ContainsFunc(w.NewMaker().articleBodies(o), func(body string) bool { return strings.Contains(body, key) })
		}
		if slices.ContainsFunc(w.ListItems(event.Articles), uses) {
			return "an article uses it"
		}
	}
	return ""
}

func contentKindOf(name string) (event.ContentKind, error) {
	k := slices.Index(ContentNames[:], name)
	if k < 0 {
		return 0, fmt.Errorf("no content is called %q: %w", name, ErrNoContent)
	}
	return event.ContentKind(k), nil
}

// ReadBody returns the changes that a body makes to a piece of content; of is nil for a new one. Errors are refusals of the body. The caller
// holds the lock.
func (w *Content) ReadBody(kind event.ContentKind, of *Item, b *input.Body) []event.FieldChange {
	d := contentDraft{Body: b, w: w, of: of}
	if drafts[kind] == nil {
		b.Refuse(http.StatusBadRequest, "parameter_invalid", "nothing of %s can be written", ContentNames[kind])
		return nil
	}
	drafts[kind](&d)
	return d.set
}
