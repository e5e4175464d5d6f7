package emulator

import (
	"slices"
	"sync"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// contentRows tells the items of a kind, from what each was born with and the log, as the later version sends them.
func contentRows(kind event.ContentKind) func(o *oracle, yield func(map[string]any) bool) {
	return func(o *oracle, yield func(map[string]any) bool) {
		m, as := o.author(), reading{version: afterStable, whole: true, now: o.at, plain: o.knobs.NoDynamicContent}
		for _, i := range o.contentOf(kind) {
			if !i.Removed && !yield(m.record(i, as).row()) {
				return
			}
		}
	}
}

func (o *oracle) author() contentMaker {
	return contentMaker{o.seed, o.start, o.workspace, sync.OnceValue(func() map[string]item { return keyed(o.contentOf(event.DynamicContents)) })}
}

// contentOf is what became of the items of a kind.
func (o *oracle) contentOf(kind event.ContentKind) []item {
	var list []item
	for _, born := range population.BornContent(o.seed, o.start)[kind] {
		list = append(list, item{Kind: kind, N: born.N, Created: born.Created, Updated: born.Updated, Edits: born.Edits})
	}
	for _, e := range o.pages {
		switch {
		case e.Kind != kind:
		case e.What == event.ContentCreated:
			list = append(list, item{Kind: kind, N: e.N, Created: e.At, Updated: e.At})
		case e.What == event.ContentRemoved:
			list[e.N].Removed = true
		case e.What == event.ContentEdited:
			list[e.N].Updated = e.At
			if len(e.Set) == 0 {
				list[e.N].Edits++
				list[e.N].Edited = append(list[e.N].Edited, e.At)
			}
		}
	}
	o.written(kind, list)
	return list
}

// written adds what was written of them, the latest of each field: the log is read backwards. What teammates said anew since is
// not what was written before.
func (o *oracle) written(kind event.ContentKind, list []item) {
	anew := map[int32]bool{}
	for _, e := range slices.Backward(o.pages) {
		if e.Kind != kind {
			continue
		}
		i := &list[e.N]
		anew[e.N] = anew[e.N] || e.What == event.ContentEdited && len(e.Set) == 0
		for _, c := range e.Set {
			if e.What == event.ContentNoted {
				i.note(e.Version, c.Value.(string), e.At)
				continue
			}
			if _, later := i.Said[c.Field]; later || anew[e.N] && slices.Contains(words, c.Field) {
				continue
			}
			if i.Said == nil {
				i.Said = said{}
			}
			i.Said[c.Field] = c.Value
		}
	}
}

// note adds a note about a version unless there is a later one.
func (i *item) note(version int, text string, at int64) {
	if _, later := i.Noted[version]; later {
		return
	}
	if i.Noted == nil {
		i.Noted = map[int]versionNote{}
	}
	i.Noted[version] = versionNote{text, at}
}

// connectorVersions tells every version of the connectors that are there.
func (o *oracle) connectorVersions(yield func(map[string]any) bool) {
	m := o.author()
	for _, i := range o.contentOf(event.Connectors) {
		for n := 0; n <= i.Edits && !i.Removed; n++ {
			if !yield(m.version(i, n).row()) {
				return
			}
		}
	}
}
