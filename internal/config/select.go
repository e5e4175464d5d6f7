package config

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"aqueduck/internal/grammar"
	"aqueduck/internal/problem"
)

// SplitPattern splits pipeline.stream into its halves. Names of streams contain no dot.
func SplitPattern(pattern string) (pipeline, stream string) {
	pipeline, stream, found := strings.Cut(pattern, ".")
	if !found {
		return "*", pattern
	}
	return pipeline, stream
}

// OwnPatterns returns the patterns that match streams of this pipeline, without the pipeline's name.
func (p *Pipeline) OwnPatterns(patterns []string) (streams []string) {
	for _, pattern := range patterns {
		pipeline, stream := SplitPattern(pattern)
		if ok, err := path.Match(pipeline, p.Name); err == nil && ok {
			streams = append(streams, stream)
		}
	}
	return streams
}

// Select returns the pipelines with these names, or all when there are none.
func (c *Config) Select(names []string) ([]*Pipeline, error) {
	if len(names) == 0 {
		return c.Pipelines, nil
	}
	var chosen []*Pipeline
	for _, name := range names {
		p, ok := c.Pipeline(name)
		if !ok {
			return nil, c.NoPipelineError(name)
		}
		chosen = append(chosen, p)
	}
	return chosen, nil
}

// NoPipelineError is the error of a name that no pipeline has.
func (c *Config) NoPipelineError(name string) *problem.Problem {
	what := fmt.Sprintf("no pipeline %q in %s", name, c.File)
	if c.Workspaces[name] != nil {
		what += ": it is a workspace; a run reads a stream from all its workspaces"
	}
	if c.readsStream(name) {
		what += ": it is a stream"
	}
	return &problem.Problem{Class: "usage", What: what, Next: c.choosePipeline(name)}
}

// choosePipeline is the next step after a name that no pipeline has.
func (c *Config) choosePipeline(name string) string {
	if c.readsStream(name) {
		return "choose the stream: aqueduck sync --select " + name + "; pipelines: " + strings.Join(c.pipelineNames(), ", ")
	}
	return grammar.ChooseFrom(name, c.pipelineNames(), "aqueduck check")
}

// readsStream reports whether a pipeline names a stream.
func (c *Config) readsStream(name string) bool {
	return slices.ContainsFunc(c.Pipelines, func(p *Pipeline) bool { return slices.Contains(p.Streams, name) })
}

// PatternRank is 1 for a name and 0 for a pattern. Of several settings for a stream the one with the highest rank counts.
func PatternRank(pattern string) int {
	if strings.ContainsAny(pattern, `*?[\`) {
		return 0
	}
	return 1
}

// matchingStreams returns the streams that a name or pattern matches; no match is a mistake.
func (l *configLoader) matchingStreams(pattern string, wrong func(hint, format string, args ...any)) []string {
	all := slices.DeleteFunc(slices.Clone(l.knownStreams), func(name string) bool {
		ok, err := path.Match(pattern, name)
		return err != nil || !ok
	})
	for _, family := range l.matchingFamilies(pattern) {
		if !slices.Contains(all, family) {
			all = append(all, family)
		}
	}
	if names := l.catalogue.Names(); len(all) == 0 && PatternRank(pattern) > 0 {
		wrong(cmp.Or(grammar.DidYouMean(pattern, names), "list them: aqueduck streams"), "no stream %q", pattern)
	} else if len(all) == 0 {
		for _, family := range l.matchingFamilies("*") {
			names = append(names, family+"_*")
		}
		wrong(cmp.Or(grammar.DidYouMean(pattern, names), "list them: aqueduck streams"), "no stream matches %q", pattern)
	}
	return all
}
