package dictionary

import (
	"fmt"
	"slices"
	"strings"

	"aqueduck/schemas"
	"aqueduck/transform/models"
)

// sourceRelations returns the relations that the SQL of a model or of a published relation reads: stored ones and other models, each once.
func sourceRelations(r schemas.Relation) (stored, others []string) {
	for _, source := range r.Sources() {
		if source.Model {
			others = append(others, source.Name)
		} else {
			stored = append(stored, source.Name)
		}
	}
	return stored, others
}

// StreamsForRelations returns the streams that must be read for some relations to exist: for a stored relation, as contacts, its own; for a model,
// as models.reply_pairs, those of everything that it reads.
func StreamsForRelations(c *schemas.Catalogue, relations []string) ([]string, error) {
	all, err := models.Builtin()
	if err != nil {
		return nil, fmt.Errorf("read the built-in models: %w", err)
	}
	var streams []string
	waiting, done := slices.Clone(relations), map[string]bool{}
	for len(waiting) > 0 {
		name := waiting[0]
		waiting = waiting[1:]
		if done[name] {
			continue
		}
		done[name] = true
		model, isModel := strings.CutPrefix(name, "models.")
		if !isModel {
			streams = append(streams, streamOf(c, name)...)
			continue
		}
		for _, m := range all {
			if m.Name != model {
				continue
			}
			stored, others := sourceRelations(m)
			waiting = append(waiting, stored...)
			for _, other := range others {
				waiting = append(waiting, "models."+other)
			}
		}
	}
	slices.Sort(streams)
	return slices.Compact(streams), nil
}

// streamOf returns the stream that a pipeline must name to read a stored relation; a dataset of exports is its own stream.
func streamOf(c *schemas.Catalogue, relation string) []string {
	for _, s := range c.Streams() {
		if s.With == "" && s.Into == "" && slices.Contains(c.PublishedNames(s), relation) {
			return []string{s.Name}
		}
		if s.IsExportFamily() && strings.HasPrefix(relation, s.Name+"_") {
			return []string{relation}
		}
	}
	return nil
}
