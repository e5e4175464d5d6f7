package dictionary

import (
	"fmt"
	"slices"
	"strings"

	"aqueduck/internal/config"
	"aqueduck/schemas"
	"aqueduck/transform"
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
	made := map[string][]string{}
	for _, m := range all {
		made["models."+m.Name] = readRelations(m)
	}
	var streams []string
	for _, name := range storedSources(made, relations...) {
		streams = append(streams, streamOf(c, name)...)
	}
	slices.Sort(streams)
	return slices.Compact(streams), nil
}

// storedSources returns what relations read in the end, directly or through others: the names without an entry in made, which says what SQL reads.
func storedSources(made map[string][]string, relations ...string) (stored []string) {
	waiting, done := slices.Clone(relations), map[string]bool{}
	for len(waiting) > 0 {
		name := waiting[0]
		waiting = waiting[1:]
		if done[name] {
			continue
		}
		done[name] = true
		if reads := made[name]; len(reads) > 0 {
			waiting = append(waiting, reads...)
			continue
		}
		stored = append(stored, name)
	}
	return stored
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

// OmittedModel is a model of a user that has no rows to read: no pipeline reads the streams of its tables.
type OmittedModel struct {
	Model   schemas.Relation
	Streams []string // that a pipeline must read
}

// String says why the model is not in the published file. Of a private file it names the streams alone.
func (o OmittedModel) String() string {
	what := fmt.Sprintf("model %q", o.Model.Name)
	if o.Model.Private {
		what = "a model"
	}
	return fmt.Sprintf("%s reads %s, which no pipeline reads: without its tables the model is left out", what, strings.Join(o.Streams, ", "))
}

// NextStep says what to do about it.
func (o OmittedModel) NextStep() string {
	return "add " + strings.Join(o.Streams, ", ") + " to the streams of a pipeline, or remove the model"
}

// FindOmitted returns the models of users that read tables, themselves or through other models, of streams that no pipeline reads.
func FindOmitted(c *schemas.Catalogue, config *config.Config) (all []OmittedModel) {
	made := map[string][]string{}
	for _, m := range config.Models {
		made["models."+m.Name] = readRelations(m)
	}
	read := config.Read(c, true)
	for _, m := range config.Models {
		if models.IsBuiltin(m.Name) {
			continue
		}
		var lacks []string
		for _, table := range storedSources(made, "models."+m.Name) {
			streams := streamOf(c, table)
			if len(streams) == 0 { // a table that analysts do not see
				streams = fillingStreams(c, table)
			}
			for _, name := range streams[:min(1, len(streams))] {
				isRead := func(stream string) bool {
					s, _ := c.Stream(stream)
					return stream == name || s.IsExportFamily() && strings.HasPrefix(name, stream+"_")
				}
				if !slices.ContainsFunc(read, isRead) && !slices.Contains(lacks, name) {
					lacks = append(lacks, name)
				}
			}
		}
		if len(lacks) > 0 {
			all = append(all, OmittedModel{m, lacks})
		}
	}
	return all
}

// Lineage is one step of what a relation is made from, and one step of what is made from it. Models are named like models.sla, stored relations like contacts.
type Lineage struct {
	Streams []string // whose records are in it, directly or through other relations
	Reads   []string // relations that its SQL reads; none for a table that a stream fills
	ReadBy  []string // models whose SQL reads it
}

// FindLineage returns the lineage of a relation among the streams of a catalogue and some models.
func FindLineage(c *schemas.Catalogue, all []schemas.Relation, relation string) (found Lineage, err error) {
	made := map[string][]string{} // what each relation with SQL reads
	for _, m := range all {
		made["models."+m.Name] = readRelations(m)
	}
	for _, s := range c.Streams() {
		if s.PublishAs == "" {
			continue
		}
		relations, err := c.Relations(s.PublishAs)
		if err != nil {
			return found, fmt.Errorf("find what %s comes from: %w", relation, err)
		}
		for _, r := range relations {
			made[r.Name] = readRelations(r)
		}
	}
	found.Reads = made[relation]
	for name, reads := range made {
		if slices.Contains(reads, relation) && strings.HasPrefix(name, "models.") {
			found.ReadBy = append(found.ReadBy, name)
		}
	}
	for _, name := range storedSources(made, relation) {
		found.Streams = append(found.Streams, fillingStreams(c, name)...)
	}
	for _, names := range []*[]string{&found.Streams, &found.Reads, &found.ReadBy} {
		slices.Sort(*names)
		*names = slices.Compact(*names)
	}
	return found, nil
}

// readRelations returns what the SQL of a relation reads, models with their schema.
func readRelations(r schemas.Relation) []string {
	reads, models := sourceRelations(r)
	for _, name := range models {
		reads = append(reads, "models."+name)
	}
	return reads
}

// fillingStreams returns the streams that write the rows of a stored table.
func fillingStreams(c *schemas.Catalogue, table string) (all []string) {
	for _, s := range c.Streams() {
		of := s
		if owner, ok := c.Stream(s.Owner()); ok {
			of = owner
		}
		fills := slices.ContainsFunc(transform.Tables(of), func(t transform.Table) bool { return t.Name == table || t.View == table })
		if fills || s.IsExportFamily() && strings.HasPrefix(table, s.Name+"_") || table == s.Owner()+"_history" {
			all = append(all, s.Name)
		}
	}
	return all
}
