package emulator

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/input"
)

// ErrNoContent is answered when an operation names content that is not there.
var ErrNoContent = errors.New("no such content")

// contentNames are the kinds of content as the oracle calls them.
var contentNames = [event.ContentKinds]string{"articles", "internal_articles", "collections", "newsfeeds", "news_items", "folders",
	"dynamic_contents", "data_connectors"}

// CreateContent has a teammate write a piece of content, whose kind is the oracle's name of it, as articles, and gives its id.
func (w *contentDesk) CreateContent(kind string) (string, error) { return w.createContent(kind, nil) }

// createContent makes one that says what is drawn, or nothing but what is set.
func (w *contentDesk) createContent(kind string, set map[string]any) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	k, err := contentKindOf(kind)
	if err != nil {
		return "", err
	}
	var says []event.Change
	if set != nil {
		if says, err = w.reads(k, nil, set); err != nil {
			return "", err
		}
	}
	e := w.birth(w.now(), k, says)
	w.recordContent(e)
	return event.ContentText(k, e.N), nil
}

// EditContent has it say something else; a data connector gets another version.
func (w *contentDesk) EditContent(kind, id string) error { return w.editContent(kind, id, nil) }

// editContent has it say what is drawn anew, or what is set.
func (w *contentDesk) editContent(kind, id string, set map[string]any) error {
	return w.onContent(kind, id, func(i item) (e event.ContentEvent, err error) {
		if e.What = event.ContentEdited; set == nil {
			return e, nil
		}
		if e.Set, err = w.reads(i.Kind, &i, set); err == nil && len(e.Set) == 0 {
			err = errors.New("nothing is said that can be written")
		}
		return e, err
	})
}

// reads is read for an operation.
func (w *contentDesk) reads(kind event.ContentKind, of *item, set map[string]any) ([]event.Change, error) {
	b := input.ReadBody(asJSON(set))
	says := w.read(kind, of, b)
	return says, b.Err()
}

// NoteVersion writes another note about a version of a data connector, by its entity_version_id; an empty one clears it.
func (w *contentDesk) NoteVersion(id, version, note string) error {
	return w.onContent(contentNames[event.Connectors], id, func(i item) (event.ContentEvent, error) {
		for n := range i.Edits + 1 {
			if event.VersionID(i.N, n) == version {
				return event.ContentEvent{What: event.ContentNoted, Version: n, Set: []event.Change{{Field: "note", Value: note}}}, nil
			}
		}
		return event.ContentEvent{}, fmt.Errorf("version %s: %w", version, ErrNoContent)
	})
}

// RemoveContent takes it away. Collections and newsfeeds stay, as others may lie in them, and so do folders that hold something and
// dynamic content that an article uses.
func (w *contentDesk) RemoveContent(kind, id string) error {
	return w.onContent(kind, id, func(i item) (event.ContentEvent, error) {
		if why := w.holds(i); why != "" {
			return event.ContentEvent{}, errors.New("it cannot be removed: " + why)
		}
		return event.ContentEvent{What: event.ContentRemoved}, nil
	})
}

// onContent logs what happens to one piece of content, as the operation says.
func (w *contentDesk) onContent(kind, id string, happens func(i item) (event.ContentEvent, error)) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	k, err := contentKindOf(kind)
	if err != nil {
		return err
	}
	i, found := w.itemNamed(k, id)
	if !found {
		return fmt.Errorf("%s of %s: %w", id, kind, ErrNoContent)
	}
	e, err := happens(i)
	if err != nil {
		return fmt.Errorf("%s of %s: %w", id, kind, err)
	}
	e.At, e.Kind, e.N = w.now(), k, i.N
	w.recordContent(e)
	return nil
}

// holds says why a piece of content cannot be removed; "" when it can (workspace-api 4.11).
func (w *contentDesk) holds(i item) string {
	switch id := event.ContentText(i.Kind, i.N); i.Kind {
	case event.Collections, event.Newsfeeds:
		return "others may lie in it"
	case event.Folders:
		if slices.ContainsFunc(w.standing(event.Folders), func(o item) bool { return parentFolder(o) == any(id) }) {
			return "the folder is not empty: a folder lies in it"
		}
		if slices.ContainsFunc(slices.Concat(w.standing(event.Articles), w.standing(event.InternalArticles)), func(o item) bool { return folderOf(o) == any(id) }) {
			return "the folder is not empty: an article lies in it"
		}
	case event.DynamicContents:
		key := `-key="` + keyOf(i) + `"`
		uses := func(o item) bool {
			return slices.ContainsFunc(w.author().bodies(o), func(body string) bool { return strings.Contains(body, key) })
		}
		if slices.ContainsFunc(w.standing(event.Articles), uses) {
			return "an article uses it"
		}
	}
	return ""
}

func contentKindOf(name string) (event.ContentKind, error) {
	k := slices.Index(contentNames[:], name)
	if k < 0 {
		return 0, fmt.Errorf("no content is called %q: %w", name, ErrNoContent)
	}
	return event.ContentKind(k), nil
}
