package emulator

import (
	"slices"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// item is one piece of content as it stands. What it says is drawn from its number and how often teammates edited it, but for
// what was written of it.
type item struct {
	Kind             event.ContentKind
	N                int32
	Created, Updated int64
	Edits            int
	Edited           []int64 // when it was edited since hour 0
	Removed          bool
	Said             said
	Noted            map[int]versionNote // of a data connector, by the place of the version
}

// said is what was written of a piece of content, by the names of its fields: texts, whole numbers, nil for null, []variation and
// []newsPlace. translated_content.<locale>.<field> is what it says in another language than its own.
type said map[string]any

// versionNote is a note that was written about a version of a data connector.
type versionNote struct {
	Text string
	At   int64
}

// words are what teammates say anew when they edit a piece of content; where it lies and whose it is stays as it was written.
var words = []string{"title", "name", "description", "body", "variations", "default_locale"}

// beginContent makes the content of hour 0.
func (w *contentDesk) beginContent() {
	for kind, list := range population.BornContent(w.cfg.Seed, w.cfg.Start.Unix()) {
		for _, born := range list {
			w.content[kind] = append(w.content[kind], item{Kind: born.Kind, N: born.N, Created: born.Created, Updated: born.Updated, Edits: born.Edits})
		}
	}
}

// hourOfContent lets content be written, edited and removed in an hour of life.
func (w *contentDesk) hourOfContent(base int64) {
	r := event.NewRNG(w.cfg.Seed, event.ForContent, 1<<32, uint64(w.hours))
	at := base + 90
	for range 1 + r.N(5) {
		at += int64(r.N(400))
		kind := event.ContentKind(r.N(int(event.ContentKinds)))
		e := event.ContentEvent{At: at, Kind: kind, N: int32(r.N(len(w.content[kind]))), What: event.ContentEdited}
		switch x := r.N(10); {
		case x < 2:
			e = w.birth(at, kind, nil)
		case x == 2 && kind != event.Folders && w.holds(w.content[kind][e.N]) == "":
			e.What = event.ContentRemoved
		}
		if e.What == event.ContentCreated || !w.content[kind][e.N].Removed {
			w.recordContent(e)
		}
	}
}

// birth is the event of a new piece of content. Where it would lie by its number may be gone: then it lies in nothing.
func (w *contentDesk) birth(at int64, kind event.ContentKind, set []event.Change) event.ContentEvent {
	e := event.ContentEvent{At: at, Kind: kind, N: int32(len(w.content[kind])), What: event.ContentCreated, Set: set}
	field, home := "folder_id", population.PieceOf(kind, e.N).Folder
	if kind == event.Folders {
		field, home = "parent_folder_id", population.PieceOf(kind, e.N).Parent
	}
	written := slices.ContainsFunc(set, func(c event.Change) bool { return c.Field == field })
	if _, there := w.itemNamed(event.Folders, home); home != "" && !written && !there {
		e.Set = append(slices.Clip(set), event.Change{Field: field, Value: nil})
	}
	return e
}

// recordContent appends an event to the log and makes the served state follow it.
func (w *contentDesk) recordContent(e event.ContentEvent) {
	w.contentLog = append(w.contentLog, e)
	w.applyContent(e)
	w.written(e)
}

func (w *contentDesk) applyContent(e event.ContentEvent) {
	if e.What == event.ContentCreated {
		w.content[e.Kind] = append(w.content[e.Kind], item{Kind: e.Kind, N: e.N, Created: e.At, Updated: e.At, Said: said{}.with(e.Set)})
		return
	}
	i := &w.content[e.Kind][e.N]
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
		i.Said, i.Updated = i.Said.with(e.Set), e.At
	default:
		for _, word := range words {
			delete(i.Said, word)
		}
		i.Edits, i.Updated, i.Edited = i.Edits+1, e.At, append(i.Edited, e.At)
	}
}

func (s said) with(set []event.Change) said {
	if s == nil {
		s = said{}
	}
	for _, c := range set {
		s[c.Field] = c.Value
	}
	return s
}

// standing gives the items of a kind that are there, in the order of their creation.
func (w *contentDesk) standing(kind event.ContentKind) []item {
	return slices.DeleteFunc(slices.Clone(w.content[kind]), func(i item) bool { return i.Removed })
}

// latest orders items by their last change, the newest first.
func latest(list []item) []item {
	slices.SortStableFunc(list, func(a, b item) int { return int(b.Updated - a.Updated) })
	return list
}
