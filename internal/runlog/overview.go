package runlog

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/config"
	"aqueduck/internal/problem"
	"aqueduck/internal/term"
	"aqueduck/load/layout"
	"aqueduck/schemas"
)

// Health is the state of a pipeline.
type Health string

// The states, from the best to the one that needs a person.
const (
	HealthNew   Health = "new"     // it has not run yet
	HealthOK    Health = "on time" // the last run succeeded, and every stream is as fresh as it should be
	HealthLate  Health = "late"    // a stream is older than it should be
	HealthError Health = "error"   // the last run failed, and the next one may succeed
	HealthAct   Health = "act"     // a person must act
)

// Overview is the state of all pipelines.
type Overview struct {
	*Status
	Pipelines []PipelineOverview `json:"pipelines"` // in the file's order
	Needs     []ActionItem       `json:"needs"`     // what needs a person comes first
	Coming    []NextRun          `json:"coming"`    // the scheduled runs of the next 24 hours, at most 24 of a pipeline
}

// PipelineOverview is the state of one pipeline.
type PipelineOverview struct {
	Name    string         `json:"name"`
	Health  Health         `json:"health"`
	AsOf    time.Time      `json:"data_as_of,omitzero"` // everything before this time is published, for all streams of the pipeline
	Next    time.Time      `json:"next,omitzero"`       // absent: the pipeline has no schedule
	Try     int            `json:"try,omitempty"`       // the number of the next try after a failed run; 0: the next run is a scheduled one
	Line    string         `json:"schedule,omitempty"`
	Runs    []PastRun      `json:"runs"` // newest first, at most sixty
	Streams []StreamStatus `json:"streams"`

	coming    NextRun // the run at Next
	workspace string  // the only one that this is about; "": all
}

// ActionItem is something that is not as it should be. It contains no text from the source.
type ActionItem struct {
	Pipeline string `json:"pipeline"`
	Stream   string `json:"stream,omitempty"`
	Class    string `json:"class,omitempty"` // class of the error; "": not known
	Act      bool   `json:"act"`             // a person must act; false: later runs may solve it
	What     string `json:"what"`
	Next     string `json:"next"`
	Run      string `json:"run,omitempty"`
}

// overviewRuns is the number of runs that an overview shows for a pipeline.
const overviewRuns = 60

// ReadOverview reads the status, the last runs and their traces, and judges them when this machine's clock shows the given time.
func ReadOverview(ctx context.Context, dir layout.Dir, config *config.Config, catalogue *schemas.Catalogue, machine time.Time) (*Overview, error) {
	all, err := ReadOverviews(ctx, dir, nil, config, catalogue, machine, []string{""})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// ReadOverviews is ReadOverview for some workspaces of a warehouse: an overview of each alone, and of all where the name is "". shared is what other machines
// have told; nil: nothing.
func ReadOverviews(ctx context.Context, dir layout.Dir, shared *Shared, config *config.Config, catalogue *schemas.Catalogue, machine time.Time, workspaces []string) (all []*Overview, err error) {
	status, err := ReadStatus(ctx, dir, config, catalogue, machine)
	if err != nil {
		return nil, err
	}
	runs, err := PastRuns(ctx, dir, "", keptEnds)
	if err != nil {
		return nil, err
	}
	if shared != nil && len(shared.Runs) > 0 {
		runs = status.takeShared(shared, runs, config, catalogue)
		status.judgeFreshness(config, catalogue)
	}
	for _, workspace := range workspaces {
		o, err := newOverview(status.ofWorkspace(workspace, config, catalogue), dir, runs, config, catalogue, machine, workspace)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, nil
}

// ofWorkspace is the status with the streams of one workspace; that of all for "".
func (s *Status) ofWorkspace(workspace string, config *config.Config, catalogue *schemas.Catalogue) *Status {
	if workspace == "" {
		return s
	}
	own := *s
	own.Streams = slices.DeleteFunc(slices.Clone(s.Streams), func(s StreamStatus) bool { return s.Workspace != workspace })
	own.asOf(config, catalogue)
	return &own
}

// RepeatFlags adds the flags of the command line to all next steps.
func (o *Overview) RepeatFlags(given problem.CLIFlags) {
	o.Status.RepeatFlags(given)
	for i := range o.Needs {
		o.Needs[i].Next = given.Append(o.Needs[i].Next)
	}
	for _, p := range o.Pipelines {
		for i := range p.Runs {
			p.Runs[i].Next = given.Append(p.Runs[i].Next)
		}
		for i := range p.Streams {
			p.Streams[i].Hint = given.Append(p.Streams[i].Hint)
		}
	}
}

// newOverview judges the pipelines of a status; of one workspace, if it has a name.
func newOverview(status *Status, dir layout.Dir, runs []PastRun, config *config.Config, catalogue *schemas.Catalogue, machine time.Time, workspace string) (*Overview, error) {
	o := &Overview{Status: status, Pipelines: []PipelineOverview{}, Needs: []ActionItem{}, Coming: []NextRun{}}
	for _, p := range config.Pipelines {
		if workspace != "" && !slices.Contains(p.Workspaces(config), workspace) {
			continue
		}
		one := PipelineOverview{Name: p.Name, Runs: []PastRun{}, Streams: []StreamStatus{}, workspace: workspace}
		own := Status{}
		one.Runs = append(one.Runs, recentRuns(slices.DeleteFunc(slices.Clone(runs), func(r PastRun) bool { return r.Pipeline != p.Name }), overviewRuns)...)
		for _, s := range status.Streams {
			if ReadsStream(p, config, catalogue, s.Workspace, s.Stream) {
				own.Streams = append(own.Streams, s)
			}
		}
		own.asOf(config, catalogue)
		one.AsOf, one.Streams = own.AsOf, append(one.Streams, own.Streams...)
		o.planRuns(p, &one, machine)
		if err := o.judgePipeline(dir, p, &one); err != nil {
			return nil, err
		}
		o.Pipelines = append(o.Pipelines, one)
	}
	slices.SortStableFunc(o.Coming, func(a, b NextRun) int { return a.At.Compare(b.At) })
	slices.SortStableFunc(o.Needs, func(a, b ActionItem) int { return actionRank(a.Act) - actionRank(b.Act) })
	return o, nil
}

// mostComing limits the coming runs of one pipeline: those of another one stay in sight beside a pipeline that runs each minute.
const mostComing = 24

// planRuns sets the next run of a pipeline with a schedule, and adds those of the next 24 hours.
func (o *Overview) planRuns(p *config.Pipeline, one *PipelineOverview, machine time.Time) {
	if p.Schedule == nil {
		return
	}
	next := o.Next[slices.IndexFunc(o.Next, func(n NextRun) bool { return n.Pipeline == p.Name })]
	one.Line, one.Next, one.Try, one.coming = p.Schedule.String(), next.At, next.Try, next
	if next.Try > 0 {
		o.Coming = append(o.Coming, next)
	}
	at := p.Schedule.Next(machine)
	for n := 0; n < mostComing && !at.IsZero() && at.Before(machine.Add(24*time.Hour)); n++ {
		o.Coming = append(o.Coming, o.byClock(NextRun{Pipeline: p.Name, At: at}, machine))
		at = p.Schedule.Next(at)
	}
}

func actionRank(act bool) int {
	if act {
		return 0
	}
	return 1
}

// judgePipeline sets the state of a pipeline, and adds its action items.
func (o *Overview) judgePipeline(dir layout.Dir, known *config.Pipeline, p *PipelineOverview) error {
	p.Health = HealthNew
	if len(p.Runs) == 0 {
		return nil
	}
	last := p.LastWhole()
	p.Health = HealthOK
	var failed []ActionItem
	switch last.Outcome {
	case "FAILED":
		var err error
		if failed, err = lastActionItems(dir, p, last); err != nil {
			return err
		}
	case Killed:
		failed = append(failed, crashedItem(known, &last))
	}
	if text, breached := p.describeStale(failed); text != "" {
		p.Health = HealthLate
		next := "aqueduck sync " + p.Name
		if o.Running != nil && o.Running.Pipeline == p.Name {
			next = "wait until the current run ends"
		}
		o.Needs = append(o.Needs, ActionItem{Pipeline: p.Name, Act: breached, What: text, Next: next})
	}
	for i, n := range failed {
		if !n.Act && n.Run == last.Run && (last.Outcome == "FAILED" || !last.RetryAt.IsZero()) {
			failed[i].What += "; " + p.nextTry()
		}
		if n.Act {
			p.Health = HealthAct
		} else if p.Health != HealthAct {
			p.Health = HealthError
		}
	}
	o.Needs = append(o.Needs, failed...)
	return nil
}

// LastWhole is the run by which the pipeline is judged: the newest that was not limited to a part of it, or of such runs the newest where no other is known.
// The pipeline has runs.
func (p *PipelineOverview) LastWhole() PastRun {
	return p.Runs[max(0, slices.IndexFunc(p.Runs, func(r PastRun) bool { return !r.Part }))]
}

// nextTry says when the pipeline runs again after a failure: by a retry, as scheduled, or not by itself.
func (p *PipelineOverview) nextTry() string {
	switch {
	case p.Try > 0:
		return fmt.Sprintf("retry %d of %d starts at %s", p.Try, Tries(), p.coming.format("15:04 MST"))
	case !p.Next.IsZero():
		return "no retry is planned; the next run starts on " + p.coming.format("Monday at 15:04 MST")
	}
	return "no run is scheduled"
}

// withWords adds the words of an error to what happened, if they are known.
func withWords(what, words string) string {
	if words == "" {
		return what
	}
	return what + ": " + words
}

// describeStale says in the words of `status` which streams are older than they should be, without those that failed: their failure says more.
// breached reports whether the freshness SLA of one of them is breached.
func (p *PipelineOverview) describeStale(failed []ActionItem) (text string, breached bool) {
	var texts []string
	for _, kind := range []Freshness{Breached, Late} {
		var names []string
		for _, s := range p.Streams {
			if s.Freshness == kind && !slices.ContainsFunc(failed, func(n ActionItem) bool { return n.Stream == s.Stream }) {
				names = append(names, s.Stream)
			}
		}
		if len(names) > 0 {
			texts, breached = append(texts, staleText(kind, names)), breached || kind == Breached
		}
	}
	return strings.Join(texts, "; "), breached
}

// staleText is the text of an item about streams of one freshness.
func staleText(kind Freshness, streams []string) string {
	const shown = 3
	names, are := strings.Join(streams[:min(len(streams), shown)], ", "), " are "
	if len(streams) > shown {
		names += " and " + term.Count(len(streams)-shown, "more stream")
	}
	if kind == Breached {
		return "the freshness SLA of " + names + " is breached"
	}
	if len(streams) == 1 {
		are = " is "
	}
	return names + are + string(kind)
}

// lastActionItems returns the items of a pipeline's last run, when it failed: one for each failed stream, or one for what stopped the run.
func lastActionItems(dir layout.Dir, p *PipelineOverview, last PastRun) (needs []ActionItem, err error) {
	trace, err := ReadTrace(dir, last.Run)
	if err != nil {
		return nil, err
	}
	others := false // a stream of another workspace failed
	if trace != nil {
		classes := trace.errorClasses()
		for name, class := range classes {
			others = others || class != "" && p.workspace != "" && !strings.HasPrefix(name, p.workspace+".")
		}
		for _, s := range p.Streams {
			if class := classes[s.Workspace+"."+s.Stream]; class != "" && s.Outcome != string(StatusUnavailable) {
				needs = append(needs, ActionItem{Pipeline: p.Name, Stream: s.Stream, Run: last.Run, Class: class, Act: NeedsAttention(class), What: withWords("the last read of "+s.Stream+" failed", s.Error), Next: s.Hint})
			}
		}
	}
	switch {
	case last.Exit == problem.ExitBreached:
		needs = append(needs, ActionItem{Pipeline: p.Name, Run: last.Run, Class: last.Class, Act: true,
			What: "the publish guard held the publish back: a table would lose too many rows; readers keep the previous file", Next: last.Next})
	case len(needs) == 0 && !others:
		needs = append(needs, ActionItem{Pipeline: p.Name, Run: last.Run, Class: last.Class, Act: last.Class == "" || NeedsAttention(last.Class), What: withWords("the last run failed", last.Error), Next: last.Next})
	}
	return needs, nil
}
