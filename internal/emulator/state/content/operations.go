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

// ErrNoContent is answered when an operation names content that is not there.
var ErrNoContent = errors.New("no such content")

// ContentNames are the kinds of content as the oracle calls them.
var ContentNames = [event.ContentKinds]string{"articles", "internal_articles", "collections", "newsfeeds", "news_items", "folders",
	"dynamic_contents", "data_connectors"}

// CreateContent has a teammate write a piece of content, whose kind is the oracle's name of it, as articles, and gives its id.
func (w *Content) CreateContent(kind string) (string, error) { return w.CreateContentWith(kind, nil) }

// CreateContentWith makes one that says what is drawn, or nothing but what is set.
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

// EditContent has it say something else; a data connector gets another version.
func (w *Content) EditContent(kind, id string) error { return w.EditContentWith(kind, id, nil) }

// EditContentWith has it say what is drawn anew, or what is set.
func (w *Content) EditContentWith(kind, id string, set map[string]any) error {
	return w.onContent(kind, id, func(i Item) (e event.ContentEvent, err error) {
		if e.What = event.ContentEdited; set == nil {
			return e, nil
		}
		if e.Set, err = w.readOperationBody(i.Kind, &i, set); err == nil && len(e.Set) == 0 {
			err = errors.New("nothing is said that can be written")
		}
		return e, err
	})
}

// readOperationBody is ReadBody for an operation.
func (w *Content) readOperationBody(kind event.ContentKind, of *Item, set map[string]any) ([]event.FieldChange, error) {
	b := input.ReadBody(AsJSON(set))
	says := w.ReadBody(kind, of, b)
	return says, b.Err()
}

// SetVersionNote writes another note about a version of a data connector, by its entity_version_id; an empty one clears it.
func (w *Content) SetVersionNote(id, version, note string) error {
	return w.onContent(ContentNames[event.Connectors], id, func(i Item) (event.ContentEvent, error) {
		for n := range i.Edits + 1 {
			if event.VersionID(i.N, n) == version {
				return event.ContentEvent{What: event.ContentNoted, Version: n, Set: []event.FieldChange{{Field: "note", Value: note}}}, nil
			}
		}
		return event.ContentEvent{}, fmt.Errorf("version %s: %w", version, ErrNoContent)
	})
}

// RemoveContent takes it away. Collections and newsfeeds stay, as others may lie in them, and so do folders that hold something and
// dynamic content that an article uses.
func (w *Content) RemoveContent(kind, id string) error {
	return w.onContent(kind, id, func(i Item) (event.ContentEvent, error) {
		if why := w.RemovalObstacle(i); why != "" {
			return event.ContentEvent{}, errors.New("it cannot be removed: " + why)
		}
		return event.ContentEvent{What: event.ContentRemoved}, nil
	})
}

// onContent logs what happens to one piece of content, as the operation says.
func (w *Content) onContent(kind, id string, happens func(i Item) (event.ContentEvent, error)) error {
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

// ReadBody gives what a body writes of a piece of content, nil for a new one. The body refuses what cannot be. The lock is held.
func (w *Content) ReadBody(kind event.ContentKind, of *Item, b *input.Body) []event.FieldChange {
	d := contentDraft{Body: b, w: w, of: of}
	if drafts[kind] == nil {
		b.Refuse(http.StatusBadRequest, "parameter_invalid", "nothing of %s can be written", ContentNames[kind])
		return nil
	}
	drafts[kind](&d)
	return d.set
}
