package config

import (
	"fmt"
	"path"
	"strings"

	"aqueduck/internal/grammar"
	"aqueduck/internal/problem"
)

// SplitPattern splits what names streams of some pipelines, pipeline.stream, into its halves; the name of no stream has a point.
func SplitPattern(pattern string) (pipeline, stream string) {
	pipeline, stream, found := strings.Cut(pattern, ".")
	if !found {
		return "*", pattern
	}
	return pipeline, stream
}

// OwnPatterns are the patterns of streams among those of the options that mean streams of this pipeline.
func (p *Pipeline) OwnPatterns(patterns []string) (streams []string) {
	for _, pattern := range patterns {
		pipeline, stream := SplitPattern(pattern)
		if ok, err := path.Match(pipeline, p.Name); err == nil && ok {
			streams = append(streams, stream)
		}
	}
	return streams
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
			return nil, c.NoPipelineError(name)
		}
		chosen = append(chosen, p)
	}
	return chosen, nil
}

// NoPipelineError is the error of a name that no pipeline has.
func (c *Config) NoPipelineError(name string) *problem.Problem {
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
	return &problem.Problem{Class: "usage", Exit: problem.ExitUsage, What: what, Next: next}
}
