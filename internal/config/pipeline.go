package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/grammar"
	"aqueduck/internal/schedule"
	"aqueduck/schemas"
)

func (p *pipelineEntry) takeSchedule(v *grammar.Value) {
	if !v.IsSet() {
		return
	}
	times, err := schedule.Parse(v.Text(), p.zone)
	if err != nil {
		hint := `five fields: minute hour day month weekday, e.g. "0 2 * * *"`
		if errors.Is(err, schedule.ErrNever) || errors.Is(err, schedule.ErrZone) {
			hint = ""
		}
		v.Wrong(hint, "%v", err)
		return
	}
	if skipped, instead := times.Skipped(time.Now()); skipped != "" {
		v.Warn("choose an hour that exists on every day", "once a year %s has no %s (daylight saving): that run starts at %s", p.zone, skipped, instead)
	}
	p.Schedule = times
}

func (p *pipelineEntry) takeOverlap(v *grammar.Value) {
	if v.Text() == "queue" {
		p.Overlap = schedule.Queue
	}
}

func (p *pipelineEntry) takeErrorAfter(v *grammar.Value) {
	if p.ErrorAfter = v.Duration(); v.IsSet() && p.ErrorAfter < p.WarnAfter {
		v.Wrong("give it at least the time of warn_after", "error_after is less than warn_after")
	}
}

// selectStreams resolves the names and patterns of the pipeline's streams.
func (p *pipelineEntry) selectStreams() {
	for _, pattern := range p.patterns.Items() {
		for _, name := range p.matchingStreams(pattern.Text(), pattern.Wrong) {
			if !slices.Contains(p.Streams, name) {
				p.Streams = append(p.Streams, name)
			}
		}
		p.warnOfVersion(pattern)
		if families := p.matchingFamilies(pattern.Text()); len(families) > 0 {
			p.Datasets, p.Families = append(p.Datasets, pattern.Text()), append(p.Families, families...)
		}
	}
}

// warnOfVersion warns of a named stream that the API version of a workspace does not have: it would be unavailable in every run.
func (p *pipelineEntry) warnOfVersion(stream *grammar.Value) {
	s, ok := p.catalogue.Stream(stream.Text())
	if !ok || s.Requirements.Version == "" {
		return
	}
	for _, name := range p.Workspaces(p.config) {
		w, there := p.config.Workspaces[name]
		if there && OlderVersion(w.APIVersion, s.Requirements.Version) {
			stream.Warn(fmt.Sprintf("api_version: %q, or later", s.Requirements.Version), "%q needs API version %s, and workspace %q asks for %q: the stream will be unavailable",
				s.Name, s.Requirements.Version, name, w.APIVersion)
		}
	}
}

// warnOfParents warns of a child stream whose parent streams no pipeline reads from the same workspace: it would read nothing in every run.
func (p *pipelineEntry) warnOfParents() {
	for _, pattern := range p.patterns.Items() {
		for _, name := range p.matchingStreams(pattern.Text(), func(string, string, ...any) {}) {
			child, ok := p.catalogue.Stream(name)
			if !ok || !child.Read.UsesPendingIDs() {
				continue
			}
			parents := slices.DeleteFunc(slices.Clone(child.Read.Over.Streams), func(parent string) bool { return parent == name })
			for _, workspace := range p.Workspaces(p.config) {
				if !p.config.readsAny(workspace, parents, p.catalogue) {
					pattern.Warn("add "+strings.Join(parents, " or ")+" to the streams of a pipeline", "no pipeline reads %s from workspace %q, so %s has no rows to read lists for",
						strings.Join(parents, " or "), workspace, name)
					break
				}
			}
		}
	}
}

// readsAny reports whether a pipeline reads one of some streams from a workspace, or a stream that writes into their tables.
func (c *Config) readsAny(workspace string, streams []string, catalogue *schemas.Catalogue) bool {
	return slices.ContainsFunc(catalogue.Streams(), func(s *schemas.Stream) bool {
		return (slices.Contains(streams, s.Name) || slices.Contains(streams, s.Owner())) && (c.reads(workspace, s.Name) || c.reads(workspace, s.With))
	})
}

// reportDeletions are the streams that alone report that a record of another one was deleted.
var reportDeletions = map[string][]string{"contacts": {"deleted_contacts", "contact_activities"}}

// UnreadReports returns the streams that report deleted records of a stream and that no pipeline reads from the workspace.
func (c *Config) UnreadReports(workspace, stream string) []string {
	return slices.DeleteFunc(slices.Clone(reportDeletions[stream]), func(name string) bool { return c.reads(workspace, name) })
}

// DeletionDoubts returns a warning for each workspace of which a stream is read and not those that report its deleted records.
func (c *Config) DeletionDoubts() (doubts []string) {
	for _, workspace := range c.WorkspaceNames() {
		for _, stream := range slices.Sorted(maps.Keys(reportDeletions)) {
			if unread := strings.Join(c.UnreadReports(workspace, stream), " and "); unread != "" && c.reads(workspace, stream) {
				doubts = append(doubts, fmt.Sprintf("no pipeline reads %s from workspace %q, so deleted %s may stay in the tables; next: add %s to the streams of a pipeline",
					unread, workspace, stream, unread))
			}
		}
	}
	return doubts
}

// OfficeDoubts says that measures of office hours stay null, where a pipeline reads what they measure.
func (c *Config) OfficeDoubts() (doubts []string) {
	measured := func(workspace string) bool {
		return c.reads(workspace, "conversations") || c.reads(workspace, "tickets")
	}
	if len(c.Warehouse.Office.Hours) == 0 && slices.ContainsFunc(c.WorkspaceNames(), measured) {
		doubts = append(doubts, "warehouse.office_hours is not set, so measures whose names end in _office are null; next: add the hours in which the team answers to pipelines.yaml")
	}
	return doubts
}

// reads reports whether a pipeline reads a stream from a workspace.
func (c *Config) reads(workspace, stream string) bool {
	return slices.ContainsFunc(c.Pipelines, func(p *Pipeline) bool {
		return slices.Contains(p.Streams, stream) && slices.Contains(p.Workspaces(c), workspace)
	})
}
