package worker

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/config"
	"aqueduck/internal/schedule"
)

// Place is a workspace and the times at which its runs begin.
type Place struct {
	Workspace string
	Lines     []string      // cron lines in the time zone of the warehouse, those of all its pipelines
	Jitter    time.Duration // each run begins up to this much later
	Queue     bool          // a time that comes during a run waits for its end; otherwise it is skipped
}

// usualJitter spreads the runs of workspaces whose pipelines have no `jitter`.
const usualJitter = 5 * time.Minute

// ListPlaces returns the workspaces that some pipeline with a schedule reads.
func ListPlaces(c *config.Config) (places []Place) {
	for _, name := range c.WorkspaceNames() {
		p := Place{Workspace: name}
		for _, pipeline := range c.Pipelines {
			if pipeline.Schedule == nil || !slices.Contains(pipeline.Workspaces(c), name) {
				continue
			}
			// Of two pipelines, the run of one must not make the other miss its time.
			p.Queue = p.Queue || len(p.Lines) > 0 || pipeline.Overlap == schedule.Queue
			p.Lines = append(p.Lines, splitLine(pipeline.Schedule.String())...)
			p.Jitter = max(p.Jitter, pipeline.Jitter)
		}
		if len(p.Lines) > 0 {
			p.Jitter = cmp.Or(p.Jitter, usualJitter)
			places = append(places, p)
		}
	}
	return places
}

// splitLine returns the lines that together mean to Temporal what a cron line means here: Temporal wants both days to match where cron wants one of
// them, and it knows no question mark.
func splitLine(line string) []string {
	fields := strings.Fields(strings.ReplaceAll(line, "?", "*"))
	const day, weekday = 2, 4
	if isEvery(fields[day]) || isEvery(fields[weekday]) {
		return []string{strings.Join(fields, " ")}
	}
	byDay, byWeekday := slices.Clone(fields), slices.Clone(fields)
	byDay[weekday], byWeekday[day] = "*", "*"
	return []string{strings.Join(byDay, " "), strings.Join(byWeekday, " ")}
}

// isEvery reports whether a field of a cron line restricts nothing.
func isEvery(field string) bool {
	return slices.ContainsFunc(strings.Split(field, ","), func(item string) bool { return item == "*" || item == "*/1" })
}

// DuePipelines returns the pipelines of a workspace whose time this is; all of them where it is the time of none, as in a run that a person starts.
func DuePipelines(c *config.Config, workspace string, at time.Time) []string {
	var due, all []string
	for _, p := range c.Pipelines {
		if !slices.Contains(p.Workspaces(c), workspace) {
			continue
		}
		all = append(all, p.Name)
		if p.Schedule != nil && p.Schedule.Next(at.Add(-time.Nanosecond)).Equal(at) {
			due = append(due, p.Name)
		}
	}
	if len(due) == 0 {
		return all
	}
	return due
}
