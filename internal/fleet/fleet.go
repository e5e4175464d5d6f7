package fleet

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"aqueduck/internal/config"
	"aqueduck/internal/problem"
	"aqueduck/internal/remote"
	"aqueduck/internal/runlog"
	"aqueduck/load/layout"
	"aqueduck/schemas"
)

// askStore asks an object store for the runs of a warehouse; it asks nothing where there is no store.
func askStore(ctx context.Context, place string) (seen remote.Seen, failed *problem.Problem) {
	if place == "" {
		return seen, nil
	}
	store, err := remote.OpenStore(place)
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		seen, err = store.SeeRuns(ctx)
	}
	if err != nil {
		return remote.Seen{}, problem.Classify(err)
	}
	return seen, nil
}

// patience bounds the wait for one object store.
const patience = 20 * time.Second

// Place is where a workspace is: its configuration, as the runs of this workspace read it.
type Place struct {
	Workspace string
	Config    *config.Config
	Catalogue *schemas.Catalogue
	Alone     bool // AQUEDUCK_WORKSPACE names its directory
}

// Row is the state of one workspace.
type Row struct {
	Workspace string              `json:"workspace"`
	Health    runlog.Health       `json:"health"` // of its worst pipeline
	Running   string              `json:"running,omitempty"`
	Last      *LastRun            `json:"last_run"`              // nil: none yet
	Success   time.Time           `json:"last_success,omitzero"` // when a run last ended well; absent: no such run is known
	AsOf      time.Time           `json:"data_as_of,omitzero"`   // everything before this time is published
	Next      time.Time           `json:"next_run,omitzero"`     // absent: no pipeline has a schedule
	Needs     []runlog.ActionItem `json:"needs"`
	Breached  bool                `json:"breached"` // the freshness SLA of a stream is breached
	Dir       string              `json:"dir"`
	Remote    string              `json:"remote,omitempty"`
	Unseen    string              `json:"unseen,omitempty"`   // why the object store could not be asked: the rest is what this machine knows
	Now       time.Time           `json:"now"`                // by the clock of the workspace
	Emulated  bool                `json:"emulated,omitempty"` // that is the clock of an emulated workspace, as of all times here
	Machine   time.Time           `json:"-"`                  // Next by this machine's clock, if the workspace has an emulated one

	failed     *problem.Problem
	unreadable bool // no reader can open the published file on this machine, and no object store has it
}

// LastRun is the last run that read a workspace.
type LastRun struct {
	Run      string    `json:"run"`
	Pipeline string    `json:"pipeline,omitempty"`
	Started  time.Time `json:"started_at"`     // by the clock of the workspace
	Outcome  string    `json:"outcome"`        // as in the list of runs; Published where only the file is known
	Exit     int       `json:"exit_code"`      // of the program
	Host     string    `json:"host,omitempty"` // the machine that ran it; "": this one
}

// Published is the outcome of a run of which only its file is known: its machine died before it told how the run ended.
const Published = "published"

// Failure is why one of the rows is not whole, or says that a workspace needs somebody; nil if there is nothing. A row that is not whole counts first, then a last
// run that failed, then a freshness SLA; the latter two only where strict.
func Failure(rows []Row, strict bool) *problem.Problem {
	var unseen, failed, breached []string
	var first, worst *problem.Problem
	for _, row := range rows {
		switch {
		case row.failed != nil:
			unseen = append(unseen, row.Workspace)
			if first == nil {
				first = row.failed
			}
		case row.Health == runlog.HealthAct || row.Health == runlog.HealthError:
			failed = append(failed, row.Workspace)
			p := &problem.Problem{Class: "data"}
			if row.Last != nil && !row.unreadable {
				p.Exit = row.Last.Exit
			}
			if p.Exit == problem.ExitOK || p.Exit > problem.ExitBreached { // a stream of an earlier run failed, or the run was killed
				p.Exit = problem.ExitFailed
			}
			if len(row.Needs) > 0 {
				p.Class = cmp.Or(row.Needs[0].Class, p.Class)
			}
			if worst == nil || worst.Exit < p.Exit {
				worst = p
			}
		case row.Breached:
			breached = append(breached, row.Workspace)
		}
	}
	switch {
	case first != nil:
		p := *first
		p.What = "ask the object stores of " + strings.Join(unseen, ", ") + ": " + p.What
		return &p
	case strict && worst != nil:
		worst.What, worst.Next = "the last run failed, or the published file is gone: "+strings.Join(failed, ", "), "do what is next in their lines"
		return worst
	case strict && len(breached) > 0:
		return &problem.Problem{Class: "freshness", Exit: problem.ExitBreached, What: "freshness SLA breached: " + strings.Join(breached, ", "),
			Next: "see the cause in the lines of these workspaces, then read them: aqueduck sync --workspace " + breached[0]}
	}
	return nil
}

// asked is how many workspaces are looked at side by side.
const asked = 8

// ReadRows returns the state of workspaces, in their order, when this machine's clock shows the given time. It reads the files of this machine and, for a warehouse
// with an object store, two small objects there. A store that cannot be asked is told in its row.
func ReadRows(ctx context.Context, places []Place, machine time.Time) ([]Row, error) {
	// Workspaces that share a warehouse are read together.
	shared := map[layout.Dir][]Place{}
	for _, p := range places {
		dir := layout.Dir(p.Config.Warehouse.Dir)
		shared[dir] = append(shared[dir], p)
	}
	rows, turns := make(map[string]Row, len(places)), make(chan struct{}, asked)
	var all sync.WaitGroup
	var mu sync.Mutex // guards rows and failed
	var failed error
	for dir, some := range shared {
		all.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			read, err := readWarehouse(ctx, dir, some, machine)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed = err
			}
			for _, row := range read {
				rows[row.Workspace] = row
			}
		})
	}
	all.Wait()
	if failed != nil {
		return nil, failed
	}
	ordered := make([]Row, 0, len(places))
	for _, p := range places {
		ordered = append(ordered, rows[p.Workspace])
	}
	return ordered, nil
}

// readWarehouse returns the rows of the workspaces of one warehouse.
func readWarehouse(ctx context.Context, dir layout.Dir, places []Place, machine time.Time) (rows []Row, err error) {
	p := places[0]
	seen, unseen := askStore(ctx, p.Config.Warehouse.Remote)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	told := runlog.ReadShared(seen.Runs)
	var names []string
	for _, p := range places {
		names = append(names, p.Workspace)
	}
	all, err := runlog.ReadOverviews(ctx, dir, &told, p.Config, p.Catalogue, machine, names)
	if err != nil {
		return nil, err
	}
	for i, o := range all {
		row := Row{Workspace: names[i], Dir: string(dir), Remote: p.Config.Warehouse.Remote, AsOf: o.AsOf, Needs: o.Needs, Health: runlog.HealthNew, Breached: len(o.Stale()) > 0, Now: o.Now, Emulated: o.Emulated, failed: unseen}
		if unseen != nil {
			row.Unseen = unseen.Error()
		}
		if o.Running != nil {
			row.Running = o.Running.Pipeline
		}
		row.fill(o, &told, seen)
		if found := o.WhyUnreadable(); found != nil && row.Remote == "" {
			row.unreadable, row.Health = true, runlog.HealthAct
			row.Needs = append([]runlog.ActionItem{{Class: found.Class, Act: true, What: found.Error(), Next: found.Next}}, row.Needs...)
		}
		for n, need := range row.Needs {
			if places[i].Alone && strings.HasPrefix(need.Next, "aqueduck ") {
				row.Needs[n].Next = "AQUEDUCK_WORKSPACE=" + names[i] + " " + need.Next
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// lookEvery is how long rows are shown again before anything is asked anew.
const lookEvery = 30 * time.Second

// NewReader returns a function that reads the rows of all workspaces, for many readers: it asks at most every lookEvery.
func NewReader(list func() ([]Place, error), now func() time.Time) func(context.Context) ([]Row, error) {
	var mu sync.Mutex // guards what follows
	var rows []Row
	var until time.Time
	return func(ctx context.Context) ([]Row, error) {
		mu.Lock()
		defer mu.Unlock()
		if rows != nil && now().Before(until) {
			return rows, nil
		}
		places, err := list()
		if err != nil {
			return nil, err
		}
		read, err := ReadRows(ctx, places, now())
		if err == nil {
			rows, until = read, now().Add(lookEvery)
		}
		return read, err
	}
}

// fill sets what follows from the pipelines: the state of the worst, the newest run and the nearest time.
func (row *Row) fill(o *runlog.Overview, told *runlog.Shared, seen remote.Seen) {
	order := []runlog.Health{runlog.HealthNew, runlog.HealthOK, runlog.HealthLate, runlog.HealthError, runlog.HealthAct}
	var last runlog.PastRun
	for _, p := range o.Pipelines {
		if slices.Index(order, p.Health) > slices.Index(order, row.Health) {
			row.Health = p.Health
		}
		if !p.Next.IsZero() && (row.Next.IsZero() || p.Next.Before(row.Next)) {
			row.Next = p.Next
			if at := slices.IndexFunc(o.Status.Next, func(n runlog.NextRun) bool { return n.Pipeline == p.Name }); at >= 0 {
				row.Machine = o.Status.Next[at].Machine
			}
		}
		if at := slices.IndexFunc(p.Runs, func(r runlog.PastRun) bool { return r.Exit == problem.ExitOK && !r.Part }); at >= 0 && p.Runs[at].Finished.After(row.Success) {
			row.Success = p.Runs[at].Finished
		}
		if len(p.Runs) > 0 && (last.Run == "" || p.LastWhole().Started.After(last.Started)) {
			last = p.LastWhole()
		}
	}
	if last.Run != "" {
		row.Last = &LastRun{Run: last.Run, Pipeline: last.Pipeline, Started: last.Started, Outcome: last.Outcome, Exit: last.Exit}
		if i := slices.IndexFunc(told.Runs, func(r runlog.SharedRun) bool { return r.Run == last.Run }); i >= 0 {
			row.Last.Host = told.Runs[i].Host
		}
	}
	if seen.Run != "" && !strings.HasPrefix(seen.Run, cmp.Or(last.Run, "none")) && seen.Moved.After(last.Finished) && !o.Emulated {
		row.Last = &LastRun{Run: seen.Run, Started: seen.Moved, Outcome: Published}
	}
}
