package schemas

import (
	"maps"
	"slices"
)

// Catalogue is the streams that a pipeline can name. It is not changed while it is read.
type Catalogue struct {
	drafts    map[string]*streamDraft
	relations map[string][]Relation
}

// Streams gives all streams in the order of their names.
func (c *Catalogue) Streams() []*Stream {
	var all []*Stream
	for _, name := range c.Names() {
		all = append(all, c.drafts[name].stream)
	}
	return all
}

// Names gives the names of all streams in their order.
func (c *Catalogue) Names() []string { return slices.Sorted(maps.Keys(c.drafts)) }

// Stream gives the stream of a name.
func (c *Catalogue) Stream(name string) (*Stream, bool) {
	d, ok := c.drafts[name]
	if !ok {
		return nil, false
	}
	return d.stream, true
}

// cloneCatalogue is a catalogue that can be added to without this one.
func (c *Catalogue) cloneCatalogue() *Catalogue {
	return &Catalogue{drafts: maps.Clone(c.drafts), relations: maps.Clone(c.relations)}
}
