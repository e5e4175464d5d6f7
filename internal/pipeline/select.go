package pipeline

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"aqueduck/internal/grammar"
	"aqueduck/load/publish"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// streams are those that a pipeline reads in this run: those it names, those that go with them, less what the options
// leave out.
func (r *Runner) streams(p *Pipeline, o *Options) ([]*schemas.Stream, error) {
	if err := r.meant(o); err != nil {
		return nil, err
	}
	wanted, unwanted := p.own(o.Select), p.own(o.Exclude)
	var chosen []*schemas.Stream
	timeless := "" // one that was selected and has no times to read between
	for _, s := range r.Catalogue.Streams() {
		if !slices.Contains(p.Streams, s.Name) && !slices.Contains(p.Streams, s.With) {
			continue
		}
		if o.windowed() && !between(s, wanted) {
			if len(o.Select) > 0 && matches(wanted, s) {
				timeless = s.Name
			}
			continue
		}
		if !matches(unwanted, s) && (len(o.Select) == 0 || matches(wanted, s) || s.Family() && meansAny(wanted, s)) {
			chosen = append(chosen, s)
		}
	}
	if len(chosen) == 0 && timeless != "" {
		return nil, &Problem{Class: "usage", Exit: ExitUsage, What: "stream " + timeless + " is a whole list, without times to read between",
			Next: "leave out --since and --until: each run reads all of it"}
	}
	if len(chosen) == 0 {
		return nil, &Problem{Class: "usage", Exit: ExitUsage, What: "pipeline " + p.Name + " reads none of the streams that are selected",
			Next: "name some of " + strings.Join(p.Streams, ", ")}
	}
	return chosen, nil
}

// between says whether a stream is read where a span of time is: one that is read by time, the datasets of a family, by their days, and
// one that was selected by its own name and is read under the rows of others, by their times.
func between(s *schemas.Stream, wanted []string) bool {
	alone := *s
	alone.With = ""
	return s.Read.Since.Windowed() || s.Family() || s.Read.ByIDs() && matches(wanted, &alone)
}

// Chosen are the pipelines of these names that read some of the streams that the options choose, all when no name is given;
// each that is named must. It is asked before a run touches anything.
func (r *Runner) Chosen(names []string, o Options) (some []*Pipeline, err error) {
	pipelines, err := r.Config.Select(names)
	if err != nil {
		return nil, err
	}
	for _, p := range pipelines {
		_, wrong := r.streams(p, &o)
		if wrong == nil {
			some = append(some, p)
		} else if err == nil {
			err = wrong
		}
	}
	if len(some) == 0 || len(names) > 0 {
		return some, err
	}
	return some, nil
}

// halves splits what names streams of some pipelines, pipeline.stream, into its halves; the name of no stream has a point.
func halves(pattern string) (pipeline, stream string) {
	pipeline, stream, found := strings.Cut(pattern, ".")
	if !found {
		return "*", pattern
	}
	return pipeline, stream
}

// own are the patterns of streams among those of the options that mean streams of this pipeline.
func (p *Pipeline) own(patterns []string) (streams []string) {
	for _, pattern := range patterns {
		pipeline, stream := halves(pattern)
		if ok, err := path.Match(pipeline, p.Name); err == nil && ok {
			streams = append(streams, stream)
		}
	}
	return streams
}

// meant says which of the options' patterns names nothing.
func (r *Runner) meant(o *Options) error {
	drops := slices.DeleteFunc(slices.Clone(o.AcceptDrop), func(name string) bool { return isTable(r.Catalogue.Streams(), name) })
	for _, name := range drops {
		if err := r.isStream(name); err != nil {
			return err
		}
	}
	for i, pattern := range slices.Concat(o.Select, o.Exclude) {
		pipeline, stream := halves(pattern)
		meant := slices.DeleteFunc(slices.Clone(r.Config.Pipelines), func(p *Pipeline) bool { return len(p.own([]string{pattern})) == 0 })
		if len(meant) == 0 {
			return r.Config.noPipeline(pipeline)
		}
		if err := r.isStream(stream); err != nil {
			return err
		}
		if i < len(o.Select) && strings.Contains(pattern, ".") && !slices.ContainsFunc(meant, func(p *Pipeline) bool { return r.reads(p, stream) }) {
			return &Problem{Class: "usage", Exit: ExitUsage, What: fmt.Sprintf("pipeline %s reads no stream %q", pipeline, stream),
				Next: "name some of " + strings.Join(meant[0].Streams, ", ")}
		}
	}
	return nil
}

// isStream says so where a name or pattern means no stream at all.
func (r *Runner) isStream(pattern string) error {
	if slices.ContainsFunc(r.Catalogue.Streams(), func(s *schemas.Stream) bool {
		return matches([]string{pattern}, s) || s.Family() && meansFamily(pattern, s.Name)
	}) {
		return nil
	}
	next := grammar.DidYouMean(pattern, r.Catalogue.Names())
	if next == "" {
		next = "name one of " + strings.Join(r.Catalogue.Names(), ", ")
	}
	return &Problem{Class: "usage", Exit: ExitUsage, What: fmt.Sprintf("no stream %q", pattern), Next: next}
}

// reads says whether a pipeline reads a stream that a name or pattern means.
func (r *Runner) reads(p *Pipeline, pattern string) bool {
	return slices.ContainsFunc(r.Catalogue.Streams(), func(s *schemas.Stream) bool {
		return (slices.Contains(p.Streams, s.Name) || slices.Contains(p.Streams, s.With)) && (matches([]string{pattern}, s) || s.Family() && meansFamily(pattern, s.Name))
	})
}

// matches says whether a stream, or the one it goes with, is meant by one of the patterns.
func matches(patterns []string, s *schemas.Stream) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		for _, name := range []string{s.Name, s.With} {
			if ok, err := path.Match(pattern, name); err == nil && ok && name != "" {
				return true
			}
		}
		return false
	})
}

// kin are the streams and all whose tables are needed to publish them: those that go with them, and those that these
// take their ids from.
func (r *Runner) kin(streams []*schemas.Stream) []*schemas.Stream {
	wanted := map[string]bool{}
	for _, s := range streams {
		wanted[s.Name] = true
	}
	for grown := true; grown; {
		grown = false
		for _, s := range r.Catalogue.Streams() {
			names := []string{s.Name, s.Owner()}
			if s.Read.Over != nil {
				names = slices.Concat(names, s.Read.Over.After, s.Read.Over.Streams)
			}
			if !wanted[s.Name] && !wanted[s.With] {
				continue
			}
			for _, name := range names {
				grown = grown || !wanted[name]
				wanted[name] = true
			}
		}
	}
	return slices.DeleteFunc(r.Catalogue.Streams(), func(s *schemas.Stream) bool { return !wanted[s.Name] })
}

// stored are the streams whose tables one workspace's schema holds: those of every pipeline that reads it.
func (r *Runner) stored(workspace string) []*schemas.Stream {
	var streams []*schemas.Stream
	for _, p := range r.Config.Pipelines {
		if !slices.Contains(p.Workspaces(r.Config), workspace) {
			continue
		}
		for _, s := range r.Catalogue.Streams() {
			if slices.Contains(p.Streams, s.Name) && !slices.Contains(streams, s) {
				streams = append(streams, s)
			}
		}
	}
	return r.kin(streams)
}

// tables are all tables of streams, with those of their copies.
func tables(streams []*schemas.Stream) (all []transform.Table) {
	for _, s := range streams {
		if s.Read.Since.By == schemas.Export && len(s.Columns) == 0 || s.Into != "" {
			continue // a family, or a dataset that no file has come of yet; one whose tables are another's
		}
		all = append(all, transform.Tables(s)...)
		if history, kept := transform.History(s); kept {
			all = append(all, history)
		}
		if copies, kept := transform.Copies(s); kept {
			all = append(all, copies)
		}
	}
	return all
}

// isTable says whether a name is that of a table of streams, or of the view of its rows that are not gone.
func isTable(streams []*schemas.Stream, name string) bool {
	return slices.ContainsFunc(tables(streams), func(t transform.Table) bool { return name != "" && (t.Name == name || t.View == name) })
}

// publishSpec says what the published file holds.
func publishSpec(r *Runner, id string, workspaces []*workspace) (publish.Spec, error) {
	spec := publish.Spec{RunID: id, Keep: r.Config.Warehouse.Publish.Keep, Now: r.Now, Timezone: r.Config.Warehouse.Timezone, Program: r.Program,
		Memory: r.Config.Warehouse.Memory, MaxLoss: r.Config.Warehouse.Publish.MaxLoss}
	for _, w := range workspaces {
		schema, err := r.schema(w.name)
		if err != nil {
			return spec, err
		}
		spec.Schemas = append(spec.Schemas, schema)
	}
	return spec, nil
}

// schema is one workspace's share of the published file: the tables of its streams and the relations made of them.
// Tables that only feed relations stay out of the lake.
func (r *Runner) schema(name string) (publish.Schema, error) {
	streams := r.stored(name)
	schema := publish.Schema{Name: name, Tables: tables(streams), Models: r.models(name)}
	for _, s := range streams {
		if s.PublishAs != "" {
			relations, err := r.Catalogue.Relations(s.PublishAs)
			if err != nil {
				return schema, err
			}
			for _, relation := range relations {
				schema.Relations = append(schema.Relations, published(relation))
			}
		}
	}
	for _, s := range r.Catalogue.Streams() { // stored tables of streams that are read no longer are in the lake too, but for these
		if s.Internal {
			for _, t := range tables([]*schemas.Stream{s}) {
				if t.HistoryOf == "" {
					schema.Internal = append(schema.Internal, t.Name)
				}
			}
		}
	}
	for _, s := range streams {
		schema.Attributes = append(schema.Attributes, attributes(s, schema.Relations)...)
	}
	return schema, nil
}

// attributes are the views of a stream's attributes: over the relation of its name, where there is one, else over its table.
// A stream that only feeds relations has none.
func attributes(s *schemas.Stream, relations []publish.Relation) (all []publish.Attributes) {
	own := s.Name
	if !slices.ContainsFunc(relations, func(r publish.Relation) bool { return r.Name == own }) {
		if s.Internal || s.Into != "" {
			return nil
		}
		own = s.Table
	}
	for _, c := range s.Columns {
		if c.Attributes != "" {
			all = append(all, publish.Attributes{
				View: s.Name + "_attributes", Stream: s.Name, Table: transform.Tables(s)[0].Name, Column: c.Name, Of: own, Key: s.Key, Model: c.Attributes,
				Doc: "One row a row of " + own + ": the attributes in its " + c.Name + ", a typed column each. One whose values are of several types is a text.",
			})
		}
	}
	return all
}

// Select gives the pipelines of these names, all when there are none.
func (c *Config) Select(names []string) ([]*Pipeline, error) {
	if len(names) == 0 {
		return c.Pipelines, nil
	}
	var chosen []*Pipeline
	for _, name := range names {
		p, ok := c.Pipeline(name)
		if !ok {
			return nil, c.noPipeline(name)
		}
		chosen = append(chosen, p)
	}
	return chosen, nil
}

// noPipeline is the error of a name that no pipeline has.
func (c *Config) noPipeline(name string) *Problem {
	var known []string
	for _, p := range c.Pipelines {
		known = append(known, p.Name)
	}
	next := grammar.DidYouMean(name, known)
	if next == "" {
		next = "name one of " + strings.Join(known, ", ")
	}
	what := fmt.Sprintf("no pipeline %q in %s", name, c.File)
	if c.Workspaces[name] != nil {
		what += ": it is a workspace, and a run reads a stream of all its workspaces"
	}
	return &Problem{Class: "usage", Exit: ExitUsage, What: what, Next: next}
}

// published is a relation of the stream files in the words of the package that publishes it.
func published(r schemas.Relation) publish.Relation {
	relation := publish.Relation{Name: r.Name, Kind: r.Kind, Doc: r.Doc, SQL: r.SQL, Union: r.Union}
	for _, c := range r.Columns {
		relation.Columns = append(relation.Columns, publish.Column(c))
	}
	return relation
}
