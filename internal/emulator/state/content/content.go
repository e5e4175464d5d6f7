package content

import (
	"slices"

	"aqueduck/internal/emulator/apiversion"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/state/core"
)

// Item is one piece of content. Its text is drawn from its number and the number of its edits, except for written fields.
type Item struct {
	Kind             event.ContentKind
	N                int32
	Created, Updated int64 // Unix seconds
	Edits            int   // number of edits
	Piece            event.Piece
	Edited           []int64 // times of edits since hour 0
	Removed          bool    // no longer served
	EditedFields     editedFields
	VersionNotes     map[int]versionNote // of a data connector, by the index of the version
}

// editedFields are the written fields of a piece of content by name: texts, whole numbers, nil for null, []variation and []newsPlace.
// translated_content.<locale>.<field> is a field of a translation.
type editedFields map[string]any

// versionNote is a written note about a version of a data connector.
type versionNote struct {
	Text string
	At   int64
}

// redrawnFields are the fields that a simulated edit draws anew. Other written fields, such as the folder and the author, stay.
var redrawnFields = []string{"title", "name", "description", "body", "variations", "default_locale"}

// Content is the state of content.
type Content struct {
	*core.Core
	Items      [event.ContentKinds][]Item
	ContentLog []event.ContentEvent

	OnEvent func(e event.ContentEvent) // called for every event of the log
}

// SeedContent makes the content of hour 0.
func (w *Content) SeedContent() {
	for kind, list := range w.Setup.Origin.BornContent() {
		for _, born := range list {
			w.Items[kind] = append(w.Items[kind], Item{Kind: born.Kind, N: born.N, Piece: w.Setup.Origin.Piece(born.Kind, born.N), Created: born.Created, Updated: born.Updated, Edits: born.Edits})
		}
	}
}

// newContentEvent returns the event of a new piece of content. When its drawn parent was removed, it has none.
func (w *Content) newContentEvent(at int64, kind event.ContentKind, set []event.FieldChange) event.ContentEvent {
	e := event.ContentEvent{At: at, Kind: kind, N: int32(len(w.Items[kind])), What: event.ContentCreated, Set: set}
	field, home := "folder_id", w.Setup.Origin.Piece(kind, e.N).Folder
	if kind == event.Folders {
		field, home = "parent_folder_id", w.Setup.Origin.Piece(kind, e.N).Parent
	}
	written := slices.ContainsFunc(set, func(c event.FieldChange) bool { return c.Field == field })
	if _, there := w.FindItem(event.Folders, home); home != "" && !written && !there {
		e.Set = append(slices.Clip(set), event.FieldChange{Field: field, Value: nil})
	}
	return e
}

// recordContent appends an event to the log and updates the served state.
func (w *Content) recordContent(e event.ContentEvent) {
	w.ContentLog = append(w.ContentLog, e)
	w.applyContent(e)
	w.OnEvent(e)
}

func (w *Content) applyContent(e event.ContentEvent) {
	if e.What == event.ContentCreated {
		w.Items[e.Kind] = append(w.Items[e.Kind], Item{Kind: e.Kind, N: e.N, Piece: w.Setup.Origin.Piece(e.Kind, e.N), Created: e.At, Updated: e.At, EditedFields: editedFields{}.withChanges(e.Set)})
		return
	}
	i := &w.Items[e.Kind][e.N]
	switch {
	case e.What == event.ContentRemoved:
		i.Removed = true
	case e.What == event.ContentNoted:
		if i.VersionNotes == nil {
			i.VersionNotes = map[int]versionNote{}
		}
		for _, c := range e.Set {
			i.VersionNotes[e.Version] = versionNote{c.Value.(string), e.At}
		}
	case len(e.Set) > 0:
		i.EditedFields, i.Updated = i.EditedFields.withChanges(e.Set), e.At
	default:
		for _, word := range redrawnFields {
			delete(i.EditedFields, word)
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

// ListItems returns the existing items of a kind, in the order of their creation.
func (w *Content) ListItems(kind event.ContentKind) []Item {
	return slices.DeleteFunc(slices.Clone(w.Items[kind]), func(i Item) bool { return i.Removed })
}

// NewestFirst sorts items by their last change, the newest first.
func NewestFirst(list []Item) []Item {
	slices.SortStableFunc(list, func(a, b Item) int { return int(b.Updated - a.Updated) })
	return list
}

// FindItem returns an existing piece of content by its kind and id. The caller holds the lock.
func (w *Content) FindItem(kind event.ContentKind, id string) (Item, bool) {
	for _, i := range w.Items[kind] {
		if event.ContentText(kind, i.N) == id {
			return i, !i.Removed
		}
	}
	return Item{}, false
}

// Maker draws the text of content.
type Maker struct {
	from      population.Origin
	start     int64
	workspace string
	dynamic   func() map[string]Item // the existing dynamic contents by key
}

// RenderOptions are the settings that an answer depends on besides the content.
type RenderOptions struct {
	Version apiversion.Version
	Whole   bool  // a single read, not a list
	Plain   bool  // dynamic content is disabled
	Now     int64 // Unix seconds
}

// valueOr returns the written value of a field, or the drawn one.
func (s editedFields) valueOr(field string, drawn any) any {
	if v, written := s[field]; written {
		return v
	}
	return drawn
}

// textOr returns the written text of a field, or the drawn one; null is "".
func (s editedFields) textOr(field, drawn string) string {
	text, _ := s.valueOr(field, drawn).(string)
	return text
}
