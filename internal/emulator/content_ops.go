package emulator

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNoContent is answered when an operation names content that is not there.
var ErrNoContent = errors.New("no such content")

// contentNames are the kinds of content as the oracle calls them.
var contentNames = [contentKinds]string{"articles", "internal_articles", "collections", "newsfeeds", "news_items", "folders",
	"dynamic_contents", "data_connectors"}

// CreateContent has a teammate write a piece of content, whose kind is the oracle's name of it, as articles, and gives its id.
func (w *Workspace) CreateContent(kind string) (string, error) { return w.createContent(kind, nil) }

// createContent makes one that says what is drawn, or nothing but what is set.
func (w *Workspace) createContent(kind string, set map[string]any) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	k, err := contentKindOf(kind)
	if err != nil {
		return "", err
	}
	var says []Change
	if set != nil {
		if says, err = w.reads(k, nil, set); err != nil {
			return "", err
		}
	}
	e := w.birth(w.now(), k, says)
	w.recordContent(e)
	return contentText(k, e.N), nil
}

// EditContent has it say something else; a data connector gets another version.
func (w *Workspace) EditContent(kind, id string) error { return w.editContent(kind, id, nil) }

// editContent has it say what is drawn anew, or what is set.
func (w *Workspace) editContent(kind, id string, set map[string]any) error {
	return w.onContent(kind, id, func(i item) (e contentEvent, err error) {
		if e.What = contentEdited; set == nil {
			return e, nil
		}
		if e.Set, err = w.reads(i.Kind, &i, set); err == nil && len(e.Set) == 0 {
			err = errors.New("nothing is said that can be written")
		}
		return e, err
	})
}

// reads is read for an operation.
func (w *Workspace) reads(kind contentKind, of *item, set map[string]any) ([]Change, error) {
	b := readBody(asJSON(set))
	says := w.read(kind, of, b)
	return says, b.err()
}

// NoteVersion writes another note about a version of a data connector, by its entity_version_id; an empty one clears it.
func (w *Workspace) NoteVersion(id, version, note string) error {
	return w.onContent(contentNames[connectors], id, func(i item) (contentEvent, error) {
		for n := range i.Edits + 1 {
			if versionID(i.N, n) == version {
				return contentEvent{What: contentNoted, Version: n, Set: []Change{{"note", note}}}, nil
			}
		}
		return contentEvent{}, fmt.Errorf("version %s: %w", version, ErrNoContent)
	})
}

// RemoveContent takes it away. Collections and newsfeeds stay, as others may lie in them, and so do folders that hold something and
// dynamic content that an article uses.
func (w *Workspace) RemoveContent(kind, id string) error {
	return w.onContent(kind, id, func(i item) (contentEvent, error) {
		if why := w.holds(i); why != "" {
			return contentEvent{}, errors.New("it cannot be removed: " + why)
		}
		return contentEvent{What: contentRemoved}, nil
	})
}

// onContent logs what happens to one piece of content, as the operation says.
func (w *Workspace) onContent(kind, id string, happens func(i item) (contentEvent, error)) error {
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
func (w *Workspace) holds(i item) string {
	switch id := contentText(i.Kind, i.N); i.Kind {
	case collections, newsfeeds:
		return "others may lie in it"
	case folders:
		if slices.ContainsFunc(w.standing(folders), func(o item) bool { return parentFolder(o) == any(id) }) {
			return "the folder is not empty: a folder lies in it"
		}
		if slices.ContainsFunc(slices.Concat(w.standing(articles), w.standing(internalArticles)), func(o item) bool { return folderOf(o) == any(id) }) {
			return "the folder is not empty: an article lies in it"
		}
	case dynamicContents:
		key := `-key="` + keyOf(i) + `"`
		uses := func(o item) bool {
			return slices.ContainsFunc(w.author().bodies(o), func(body string) bool { return strings.Contains(body, key) })
		}
		if slices.ContainsFunc(w.standing(articles), uses) {
			return "an article uses it"
		}
	}
	return ""
}

func contentKindOf(name string) (contentKind, error) {
	k := slices.Index(contentNames[:], name)
	if k < 0 {
		return 0, fmt.Errorf("no content is called %q: %w", name, ErrNoContent)
	}
	return contentKind(k), nil
}
