package emulator

import "slices"

// contentKind is one kind of what teammates write for others to read.
type contentKind uint8

const (
	articles contentKind = iota
	internalArticles
	collections
	newsfeeds
	newsItems
	folders
	dynamicContents
	connectors
	contentKinds // how many there are
)

// contentAtBirth is how many of a kind there are at hour 0: more than one page of each list that is paged.
var contentAtBirth = [contentKinds]int{60, 55, 25, 12, 23, 8, 56, 23}

// forContent is what content is drawn for.
const forContent = 9006

// item is one piece of content as it stands. What it says is drawn from its number and how often it was edited.
type item struct {
	Kind             contentKind
	N                int32
	Created, Updated int64
	Edits            int
	Edited           []int64 // when it was edited since hour 0
	Removed          bool
}

// contentEvent is one entry of the log of content since hour 0.
type contentEvent struct {
	At   int64
	Kind contentKind
	N    int32
	What contentChange
}

type contentChange uint8

const (
	contentCreated contentChange = iota
	contentEdited
	contentRemoved
)

// bornContent draws the content of hour 0, and how often each was edited by then.
func bornContent(seed uint64, start int64) (all [contentKinds][]item) {
	for kind := range contentKinds {
		for n := range int32(contentAtBirth[kind]) {
			r := newRNG(seed, forContent, uint64(kind), uint64(n))
			i := item{Kind: kind, N: n, Created: start - span + int64(r.n(span-40*day)), Edits: r.n(4)}
			i.Updated = i.Created + int64(i.Edits)*int64(r.n(8*day))
			all[kind] = append(all[kind], i)
		}
	}
	return all
}

// hourOfContent lets content be written, edited and removed in an hour of life.
func (w *Workspace) hourOfContent(base int64) {
	r := newRNG(w.cfg.Seed, forContent, 1<<32, uint64(w.hours))
	at := base + 90
	for range 1 + r.n(5) {
		at += int64(r.n(400))
		kind := contentKind(r.n(int(contentKinds)))
		e := contentEvent{At: at, Kind: kind, N: int32(r.n(len(w.content[kind]))), What: contentEdited}
		switch x := r.n(10); {
		case x < 2:
			e.What, e.N = contentCreated, int32(len(w.content[kind]))
		case x == 2 && kind != folders && kind != collections && kind != newsfeeds: // others may lie in those
			e.What = contentRemoved
		}
		if e.What == contentCreated || !w.content[kind][e.N].Removed {
			w.recordContent(e)
		}
	}
}

// recordContent appends an event to the log and makes the served state follow it.
func (w *Workspace) recordContent(e contentEvent) {
	w.contentLog = append(w.contentLog, e)
	if e.What == contentCreated {
		w.content[e.Kind] = append(w.content[e.Kind], item{Kind: e.Kind, N: e.N, Created: e.At, Updated: e.At})
		return
	}
	i := &w.content[e.Kind][e.N]
	if e.What == contentRemoved {
		i.Removed = true
		return
	}
	i.Edits, i.Updated, i.Edited = i.Edits+1, e.At, append(i.Edited, e.At)
}

// standing gives the items of a kind that are there, in the order of their creation.
func (w *Workspace) standing(kind contentKind) []item {
	return slices.DeleteFunc(slices.Clone(w.content[kind]), func(i item) bool { return i.Removed })
}

// latest orders items by their last change, the newest first.
func latest(list []item) []item {
	slices.SortStableFunc(list, func(a, b item) int { return int(b.Updated - a.Updated) })
	return list
}

// contentRows tells the items of a kind, from what each was born with and the log, as the later version sends them.
func contentRows(kind contentKind) func(o *oracle, yield func(map[string]any) bool) {
	return func(o *oracle, yield func(map[string]any) bool) {
		for _, i := range o.contentOf(kind) {
			if !i.Removed && !yield(o.author().record(i, reading{version: afterStable, whole: true, now: o.at}).row()) {
				return
			}
		}
	}
}

func (o *oracle) author() contentMaker { return contentMaker{o.seed, o.start, o.workspace} }

// contentOf is what became of the items of a kind.
func (o *oracle) contentOf(kind contentKind) []item {
	list := bornContent(o.seed, o.start)[kind]
	for _, e := range o.pages {
		if e.Kind == kind && e.What == contentCreated {
			list = append(list, item{Kind: kind, N: e.N, Created: e.At})
		}
	}
	for n := range list {
		list[n].Updated = max(list[n].Updated, list[n].Created)
		for _, e := range o.pages {
			switch {
			case e.Kind != kind || e.N != list[n].N || e.What == contentCreated:
			case e.What == contentRemoved:
				list[n].Removed = true
			default:
				list[n].Edits++
				list[n].Updated, list[n].Edited = e.At, append(list[n].Edited, e.At)
			}
		}
	}
	return list
}

// connectorVersions tells every version of the connectors that are there.
func (o *oracle) connectorVersions(yield func(map[string]any) bool) {
	for _, i := range o.contentOf(connectors) {
		for n := 0; n <= i.Edits && !i.Removed; n++ {
			if !yield(o.author().version(i, n).row()) {
				return
			}
		}
	}
}
