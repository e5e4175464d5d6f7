package runner

import (
	"fmt"
	"slices"
	"strings"

	"aqueduck/internal/config"
	"aqueduck/internal/dictionary"
	"aqueduck/internal/grammar"
	"aqueduck/internal/problem"
	"aqueduck/load/publish"
	"aqueduck/schemas"
)

// SelectStreams returns the streams that a pipeline reads in this run: those it names and those that are read along with them, without those that
// the options exclude.
func (r *Runner) SelectStreams(p *config.Pipeline, o *Options) ([]*schemas.Stream, error) {
	if err := r.checkPatterns(o); err != nil {
		return nil, err
	}
	wanted, unwanted := p.OwnPatterns(o.Select), p.OwnPatterns(o.Exclude)
	var chosen []*schemas.Stream
	timeless := "" // a selected stream that cannot be read by time
	for _, s := range r.Catalogue.Streams() {
		if !slices.Contains(p.Streams, s.Name) && !slices.Contains(p.Streams, s.With) {
			continue
		}
		if o.IsWindowed() && !readsBetween(s, wanted) {
			if len(o.Select) > 0 && dictionary.MatchesStream(wanted, s) {
				timeless = s.Name
			}
			continue
		}
		if !dictionary.MatchesStream(unwanted, s) && (len(o.Select) == 0 || dictionary.MatchesStream(wanted, s) || s.IsExportFamily() && config.MatchesAny(wanted, s)) {
			chosen = append(chosen, s)
		}
	}
	if len(chosen) == 0 && timeless != "" {
		return nil, &problem.Problem{Class: "usage", What: "stream " + timeless + " is always read in full, not by time",
			Next: "omit --since and --until: each run reads the whole stream"}
	}
	if len(chosen) == 0 {
		return nil, &problem.Problem{Class: "usage", What: "pipeline " + p.Name + " reads none of the selected streams",
			Next: "choose from " + strings.Join(p.Streams, ", ")}
	}
	return chosen, nil
}

// readsBetween reports whether a stream takes part in a run over a span of time: streams that are read by time, datasets by their days, and a
// child stream that was selected by its own name, by the times of its parent rows.
func readsBetween(s *schemas.Stream, wanted []string) bool {
	alone := *s
	alone.With = ""
	return s.Read.Since.HasWindows() || s.IsExportFamily() || s.Read.ByIDs() && dictionary.MatchesStream(wanted, &alone)
}

// ChoosePipelines returns the named pipelines, or all when no name is given, that read some of the streams and workspaces that the options select,
// limited to these workspaces. Each named pipeline must read one of each. It runs before anything is written.
func (r *Runner) ChoosePipelines(names []string, o Options) (some []*config.Pipeline, err error) {
	pipelines, err := r.Config.Select(names)
	if err != nil {
		return nil, err
	}
	for _, name := range o.Workspaces {
		if _, err := r.Config.ResolveWorkspace(name); err != nil {
			return nil, err
		}
	}
	for _, p := range pipelines {
		if len(o.Workspaces) > 0 {
			narrow := p.Narrow(r.Config, o.Workspaces)
			if narrow == nil {
				err = &problem.Problem{Class: "usage", What: fmt.Sprintf("pipeline %s does not read workspace %s", p.Name, strings.Join(o.Workspaces, ", ")),
					Next: "name another pipeline, or none: then all that read this workspace run"}
				continue
			}
			p = narrow
		}
		_, wrong := r.SelectStreams(p, &o)
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

// checkPatterns returns an error for a pattern of the options that matches no stream.
func (r *Runner) checkPatterns(o *Options) error {
	drops := slices.DeleteFunc(slices.Clone(o.AcceptDrop), func(name string) bool { return dictionary.IsTable(r.Catalogue.Streams(), name) })
	for _, name := range drops {
		if r.isStream(name) != nil {
			return &problem.Problem{Class: "usage", What: fmt.Sprintf("no stream or table %q", name),
				Next: grammar.BeforeStep(name, slices.Concat(r.Catalogue.Names(), dictionary.TableNames(r.Catalogue.Streams()))) +
					"use the name that the error of the run printed, or list streams and tables: aqueduck streams"}
		}
	}
	for i, pattern := range slices.Concat(o.Select, o.Exclude) {
		pipeline, stream := config.SplitPattern(pattern)
		meant := slices.DeleteFunc(slices.Clone(r.Config.Pipelines), func(p *config.Pipeline) bool { return len(p.OwnPatterns([]string{pattern})) == 0 })
		if len(meant) == 0 {
			return r.Config.NoPipelineError(pipeline)
		}
		if err := r.isStream(stream); err != nil {
			return err
		}
		if i < len(o.Select) && strings.Contains(pattern, ".") && !slices.ContainsFunc(meant, func(p *config.Pipeline) bool { return r.pipelineReads(p, stream) }) {
			return &problem.Problem{Class: "usage", What: fmt.Sprintf("pipeline %s reads no stream %q", pipeline, stream),
				Next: "choose from " + strings.Join(meant[0].Streams, ", ")}
		}
	}
	return nil
}

// isStream returns an error when a name or pattern matches no stream at all.
func (r *Runner) isStream(pattern string) error {
	if slices.ContainsFunc(r.Catalogue.Streams(), func(s *schemas.Stream) bool {
		return dictionary.MatchesStream([]string{pattern}, s) || s.IsExportFamily() && config.MatchesFamily(pattern, s.Name)
	}) {
		return nil
	}
	return &problem.Problem{Class: "usage", What: fmt.Sprintf("no stream %q", pattern), Next: grammar.BeforeStep(pattern, r.Catalogue.Names()) + "list them: aqueduck streams"}
}

// pipelineReads reports whether a pipeline reads a stream that a name or pattern matches.
func (r *Runner) pipelineReads(p *config.Pipeline, pattern string) bool {
	return slices.ContainsFunc(r.Catalogue.Streams(), func(s *schemas.Stream) bool {
		return (slices.Contains(p.Streams, s.Name) || slices.Contains(p.Streams, s.With)) && (dictionary.MatchesStream([]string{pattern}, s) || s.IsExportFamily() && config.MatchesFamily(pattern, s.Name))
	})
}

// relatedStreams returns the streams and all others that publishing them needs: those read along with them, and those that they take ids from.
func (r *Runner) relatedStreams(streams []*schemas.Stream) []*schemas.Stream {
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

// StoredStreams returns the streams that have tables in a workspace's schema: those of every pipeline that reads the workspace.
func (r *Runner) StoredStreams(workspace string) []*schemas.Stream {
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
	return r.relatedStreams(streams)
}

// Schema returns what a workspace adds to the published file: the tables of its streams and the relations built from them. Tables that only feed
// relations are not in the lake.
func (r *Runner) Schema(name string) (publish.Schema, error) {
	streams := r.StoredStreams(name)
	schema := publish.Schema{Name: name, Tables: dictionary.Tables(streams), Models: r.workspaceModels(name), NoComments: r.NoComments}
	var err error
	if schema.Compat, err = r.compatViews(name); err != nil {
		return schema, err
	}
	for _, s := range streams {
		if s.PublishAs != "" {
			relations, err := r.Catalogue.Relations(s.PublishAs)
			if err != nil {
				return schema, err
			}
			for _, relation := range relations {
				schema.Relations = append(schema.Relations, dictionary.PublishedRelation(relation))
			}
		}
	}
	for _, s := range r.Catalogue.Streams() { // the lake also keeps stored tables of streams that are no longer read, except these
		if s.Internal {
			for _, t := range dictionary.Tables([]*schemas.Stream{s}) {
				if t.HistoryOf == "" {
					schema.Internal = append(schema.Internal, t.Name)
				}
			}
		}
	}
	for _, s := range streams {
		schema.Attributes = append(schema.Attributes, attributeViews(s, streams, schema.Relations)...)
	}
	return schema, nil
}
