package content

import (
	"slices"

	"aqueduck/internal/emulator/apiversion"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/state/core"
)

// Item is one piece of content as it stands. What it says is drawn from its number and how often teammates edited it, but for
// what was written of it.
type Item struct {
	Kind             event.ContentKind
	N                int32
	Created, Updated int64   // Unix seconds
	Edits            int     // how often teammates have edited it
	Edited           []int64 // when it was edited since hour 0
	Removed          bool    // it is no longer served
	Said             editedFields
	Noted            map[int]versionNote // of a data connector, by the place of the version
}

// editedFields is what was written of a piece of content, by the names of its fields: texts, whole numbers, nil for null, []variation and
// []newsPlace. translated_content.<locale>.<field> is what it says in another language than its own.
type editedFields map[string]any

// versionNote is a note that was written about a version of a data connector.
type versionNote struct {
	Text string
	At   int64
}

// redrawnFields are what teammates say anew when they edit a piece of content; where it lies and whose it is stays as it was written.
var redrawnFields = []string{"title", "name", "description", "body", "variations", "default_locale"}

// Content is all that the server keeps of content.
type Content struct {
	*core.Core
	Items      [event.ContentKinds][]Item
	ContentLog []event.ContentEvent

	OnEvent func(e event.ContentEvent) // told of every event of the log
}

// SeedContent makes the content of hour 0.
func (w *Content) SeedContent() {
	for kind, list := range population.DrawBornContent(w.Setup.Seed, w.Setup.Start.Unix()) {
		for _, born := range list {
			w.Items[kind] = append(w.Items[kind], Item{Kind: born.Kind, N: born.N, Created: born.Created, Updated: born.Updated, Edits: born.Edits})
		}
	}
}

// newContentEvent is the event of a new piece of content. Where it would lie by its number may be gone: then it lies in nothing.
func (w *Content) newContentEvent(at int64, kind event.ContentKind, set []event.FieldChange) event.ContentEvent {
	e := event.ContentEvent{At: at, Kind: kind, N: int32(len(w.Items[kind])), What: event.ContentCreated, Set: set}
	field, home := "folder_id", population.DrawPiece(kind, e.N).Folder
	if kind == event.Folders {
		field, home = "parent_folder_id", population.DrawPiece(kind, e.N).Parent
	}
	written := slices.ContainsFunc(set, func(c event.FieldChange) bool { return c.Field == field })
	if _, there := w.FindItem(event.Folders, home); home != "" && !written && !there {
		e.Set = append(slices.Clip(set), event.FieldChange{Field: field, Value: nil})
	}
	return e
}

// recordContent appends an event to the log and makes the served state follow it.
func (w *Content) recordContent(e event.ContentEvent) {
	w.ContentLog = append(w.ContentLog, e)
	w.applyContent(e)
	w.OnEvent(e)
}

func (w *Content) applyContent(e event.ContentEvent) {
	if e.What == event.ContentCreated {
		w.Items[e.Kind] = append(w.Items[e.Kind], Item{Kind: e.Kind, N: e.N, Created: e.At, Updated: e.At, Said: editedFields{}.withChanges(e.Set)})
		return
	}
	i := &w.Items[e.Kind][e.N]
	switch {
	case e.What == event.ContentRemoved:
		i.Removed = true
	case e.What == event.ContentNoted:
		if i.Noted == nil {
			i.Noted = map[int]versionNote{}
		}
		for _, c := range e.Set {
			i.Noted[e.Version] = versionNote{c.Value.(string), e.At}
		}
	case len(e.Set) > 0:
		i.Said, i.Updated = i.Said.withChanges(e.Set), e.At
	default:
		for _, word := range redrawnFields {
			delete(i.Said, word)
		}
		i.Edits, i.Updated, i.Edited = i.Edits+1, e.At, append(i.Edited, e.At)
	}
}

func (s editedFields) withChanges(set []event.FieldChange) editedFields {
	if s == nil {
		s = editedFields{}
	}
	for _, c := range set {
		s[c.Field] = c.Value
	}
	return s
}

// ListItems gives the items of a kind that are there, in the order of their creation.
func (w *Content) ListItems(kind event.ContentKind) []Item {
	return slices.DeleteFunc(slices.Clone(w.Items[kind]), func(i Item) bool { return i.Removed })
}

// NewestFirst orders items by their last change, the newest first.
func NewestFirst(list []Item) []Item {
	slices.SortStableFunc(list, func(a, b Item) int { return int(b.Updated - a.Updated) })
	return list
}

// FindItem finds a piece of content by its kind and id. The lock is held.
func (w *Content) FindItem(kind event.ContentKind, id string) (Item, bool) {
	for _, i := range w.Items[kind] {
		if event.ContentText(kind, i.N) == id {
			return i, !i.Removed
		}
	}
	return Item{}, false
}

// Maker draws what content says.
type Maker struct {
	seed      uint64
	start     int64
	workspace string
	dynamic   func() map[string]Item // the dynamic contents that are there, by their keys
}

// RenderOptions is what an answer depends on beside the content.
type RenderOptions struct {
	Version apiversion.Version
	Whole   bool  // it is read by itself
	Plain   bool  // dynamic content is disabled
	Now     int64 // Unix seconds
}

// valueOr is what was written as a field, or what is drawn.
func (s editedFields) valueOr(field string, drawn any) any {
	if v, written := s[field]; written {
		return v
	}
	return drawn
}

// textOr is the same of a text; null is "".
func (s editedFields) textOr(field, drawn string) string {
	text, _ := s.valueOr(field, drawn).(string)
	return text
}
