package emulator

import (
	"errors"
	"fmt"
	"slices"
)

// ErrNoContent is answered when an operation names content that is not there.
var ErrNoContent = errors.New("no such content")

// contentNames are the kinds of content as the oracle calls them.
var contentNames = [contentKinds]string{"articles", "internal_articles", "collections", "newsfeeds", "news_items", "folders",
	"dynamic_contents", "data_connectors"}

// CreateContent has a teammate write a piece of content, whose kind is the oracle's name of it, as articles, and gives its id.
func (w *Workspace) CreateContent(kind string) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	k, err := contentKindOf(kind)
	if err != nil {
		return "", err
	}
	n := int32(len(w.content[k]))
	w.recordContent(contentEvent{At: w.now(), Kind: k, N: n, What: contentCreated})
	return contentText(k, n), nil
}

// EditContent has it say something else; a data connector gets another version.
func (w *Workspace) EditContent(kind, id string) error { return w.onContent(kind, id, contentEdited) }

// RemoveContent takes it away. Collections, newsfeeds and folders stay, as others may lie in them.
func (w *Workspace) RemoveContent(kind, id string) error {
	if slices.Contains([]string{contentNames[collections], contentNames[newsfeeds], contentNames[folders]}, kind) {
		return fmt.Errorf("remove %s of %s: others may lie in it", id, kind)
	}
	return w.onContent(kind, id, contentRemoved)
}

func (w *Workspace) onContent(kind, id string, what contentChange) error {
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
	w.recordContent(contentEvent{At: w.now(), Kind: k, N: i.N, What: what})
	return nil
}

func contentKindOf(name string) (contentKind, error) {
	k := slices.Index(contentNames[:], name)
	if k < 0 {
		return 0, fmt.Errorf("no content is called %q: %w", name, ErrNoContent)
	}
	return contentKind(k), nil
}
