package schemas

import (
	"maps"
	"slices"
)

// Catalogue is the streams that a pipeline can name; the zero value has none. It is safe for concurrent use while nothing is added.
type Catalogue struct {
	drafts    map[string]*streamDraft
	relations map[string][]Relation
}

// Streams are all streams, sorted by name.
func (c *Catalogue) Streams() []*Stream {
	var all []*Stream
	for _, name := range c.Names() {
		all = append(all, c.drafts[name].stream)
	}
	return all
}

// Names are the names of all streams, sorted.
func (c *Catalogue) Names() []string { return slices.Sorted(maps.Keys(c.drafts)) }

// Stream is the stream with a name; false when there is none.
func (c *Catalogue) Stream(name string) (*Stream, bool) {
	d, ok := c.drafts[name]
	if !ok {
		return nil, false
	}
	return d.stream, true
}

// cloneCatalogue is a copy; adding to it does not change this one.
func (c *Catalogue) cloneCatalogue() *Catalogue {
	next := &Catalogue{drafts: map[string]*streamDraft{}, relations: map[string][]Relation{}}
	maps.Copy(next.drafts, c.drafts)
	maps.Copy(next.relations, c.relations)
	return next
}
