package pipeline

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"aqueduck/extract"
	"aqueduck/load"
	"aqueduck/schemas"
)

// parallelStreams read side by side unless the runner says another number: their waits overlap, and each holds one batch in
// memory.
const parallelStreams = 3

// run is one run of one pipeline: its writer, its workspaces, and what it has done so far.
type run struct {
	runner   *Runner
	config   *Config
	pipeline *Pipeline
	options  Options
	id       string
	hashKey  []byte
	rehash   bool // stored values were hashed with another key
	writer   *writer
	progress *progress
	now      func() time.Time
	started  time.Time
	deadline time.Time // zero: none

	workspaces []*workspace
	tasks      []*task
	stopped    atomic.Bool // whoever wants the first failure to end the run stops every stream
	held       atomic.Bool // a publish was held back: none is tried before the run's end

	reported  Report
	findMu    sync.Mutex // guards findings
	findings  []load.Finding
	publishMu sync.Mutex                      // one stream publishes for all
	publish   func(ctx context.Context) error // what is committed so far
	newest    bool                            // what is newest is read, and history is still to be
}

// workspace is one source of the run.
type workspace struct {
	name    string
	config  *Workspace
	source  Source
	client  *extract.Client
	streams []*schemas.Stream
	exports exported           // datasets of the families among the streams
	answers map[string]string  // what the source last said of each stream: ok or unavailable
	lethal  map[string]error   // by stream: what its SQL file did to the process that tried it
	shares  map[string]float64 // of their histories that earlier runs had read, by stream
	lost    error              // why it could not be asked who it is; nil: it could
	refused atomic.Bool        // no stream of it is asked any more: it is lost, or answered 401
}

// over says that the run asks for no more: its time is spent, or a stream failed and that was to end it.
func (r *run) over() bool {
	return r.stopped.Load() || !r.deadline.IsZero() && !r.now().Before(r.deadline)
}

// readAll is the whole run, from the first look at the workspace to the published file.
func readAll(ctx context.Context, r *run) error {
	done, err := r.progress.announce()
	if err != nil {
		return err
	}
	defer done()
	if err := prepareRun(ctx, r); err != nil {
		return err
	}
	if !r.deadline.IsZero() {
		stopAt(r, r.deadline)
	}
	if len(r.tasks) == 0 {
		r.reported.Notes = append(r.reported.Notes, "every stream ended well in the last run: nothing was read")
		return nil
	}
	defer r.progress.write(ctx)()
	if err := readPhase(ctx, r, extract.Forward); err != nil {
		return err
	}
	if hasHistoryLeft(r) && !r.over() && ctx.Err() == nil {
		if err := saveRunAs(ctx, r, "UNFINISHED"); err != nil {
			return err
		}
		r.newest = true
		if err := r.publishIfDue(ctx); err != nil {
			return err
		}
		if err := readPhase(ctx, r, extract.History); err != nil {
			return err
		}
	}
	if err := readFollowUps(ctx, r); err != nil {
		return err
	}
	whole := context.WithoutCancel(ctx) // a run that is interrupted says no less of what it has read
	if err := endRefreshes(whole, r); err != nil {
		return err
	}
	for _, w := range r.workspaces {
		compareClocks(r, w)
		if err := noteRevealed(whole, r, w); err != nil {
			return err
		}
	}
	noteUnread(ctx, r)
	noteSpent(r)
	r.reported.Interrupted, r.reported.code = ctx.Err() != nil, r.runner.interrupted(ctx)
	if err := saveRun(ctx, r); err != nil {
		return err
	}
	if ctx.Err() != nil {
		r.reported.Interrupted, r.reported.code = true, r.runner.interrupted(ctx)
		return nil // what is committed is safe; the next run publishes it
	}
	return publishRun(ctx, r, false)
}

// prepareRun makes sure that the warehouse belongs to these workspaces before anything is written, then makes the tables.
func prepareRun(ctx context.Context, r *run) error {
	for _, w := range r.workspaces {
		if err := identifyWorkspace(ctx, r, w); err != nil {
			return explainUnidentified(r, w, err)
		}
	}
	if first := r.workspaces[0]; ctx.Err() != nil || !slices.ContainsFunc(r.workspaces, func(w *workspace) bool { return w.lost == nil }) {
		return explainUnidentified(r, first, cmp.Or(first.lost, ctx.Err()))
	}
	for _, w := range r.workspaces {
		if err := expandDatasets(ctx, r, w); err != nil {
			return explainUnidentified(r, w, err)
		}
		streams, err := evolveTables(ctx, r, w, r.runner.stored(w.name))
		if err != nil {
			return err
		}
		changes, err := r.writer.prepare(ctx, w.name, tables(slices.Concat(streams, w.exports.known)))
		if err != nil {
			return err
		}
		r.reported.Changes = append(r.reported.Changes, changes...)
		if err := r.rehearse(ctx, w); err != nil {
			return err
		}
		if err := freezeHistories(ctx, r, w); err != nil {
			return err
		}
		if err := applyMasking(ctx, r, w, slices.Concat(r.runner.stored(w.name), w.exports.known)); err != nil {
			return err
		}
		if r.options.Failed {
			if err := keepFailed(ctx, r, w); err != nil {
				return err
			}
		}
		if err := r.writer.use(func(work *load.Work) (err error) {
			if w.answers, err = work.LastAnswers(ctx, w.name); err != nil {
				return err
			}
			w.shares, err = work.LastShares(ctx, w.name)
			return err
		}); err != nil {
			return err
		}
		for i, s := range w.streams {
			t, err := newTask(ctx, r, w, s)
			if err != nil {
				return err
			}
			if r.tasks = append(r.tasks, t); i == 0 && w.lost != nil {
				t.settle(ctx, w.lost)
				r.progress.told(t)
			}
		}
	}
	return noteHashKey(ctx, r)
}

// keepFailed leaves only the streams that did not end well in the pipeline's last run: all of them, where something else kept that
// run from being one, or from being published.
func keepFailed(ctx context.Context, r *run, w *workspace) error {
	ends, err := readEnds(r.runner.Dir)
	if err != nil {
		return err
	}
	for _, last := range slices.Backward(ends) {
		if last.Pipeline != r.pipeline.Name || last.Narrow {
			continue
		}
		if last.Exit != ExitOK && !last.Partly {
			return nil
		}
		break
	}
	return r.writer.use(func(work *load.Work) error {
		outcomes, err := work.LastOutcomes(ctx, w.name, r.pipeline.Name)
		well := func(stream string) bool {
			return outcomes[stream] == string(StatusOK) || outcomes[stream] == string(StatusUnavailable)
		}
		w.streams = slices.DeleteFunc(w.streams, func(s *schemas.Stream) bool { return well(s.Name) && (s.With == "" || well(s.With)) })
		return err
	})
}

// readPhase reads every stream that asks for itself, cheap ones first.
func readPhase(ctx context.Context, r *run, phase extract.Phase) error {
	var tasks []*task
	for _, t := range r.tasks {
		if !t.stream.Read.ByIDs() {
			tasks = append(tasks, t)
		}
	}
	slices.SortStableFunc(tasks, func(a, b *task) int { return cost(a.stream) - cost(b.stream) })
	// Those that runs with little time have not come to are first, or they would never be.
	slices.SortStableFunc(tasks, func(a, b *task) int { return cmp.Compare(countDaysBehind(b, tasks), countDaysBehind(a, tasks)) })
	waitingFirst(tasks)
	return readSideBySide(ctx, r, tasks, phase)
}

// countDaysBehind is in how many days a stream was not read that another of the tasks was read in.
func countDaysBehind(t *task, tasks []*task) int {
	latest := t.state.SyncedTo
	for _, other := range tasks {
		if other.workspace == t.workspace {
			latest = max(latest, other.state.SyncedTo)
		}
	}
	if t.state.SyncedTo == 0 && latest > 0 {
		return math.MaxInt
	}
	return int((latest - t.state.SyncedTo) / 86400)
}

// readFollowUps reads the streams that take their ids from others: those of an SQL file once the others are read to the end,
// for while history is still to come, an id that search has not given yet is no reason to ask for it alone; those that
// wait for rows of others whatever has come of these.
func readFollowUps(ctx context.Context, r *run) error {
	var tasks []*task
	for _, t := range r.tasks {
		if t.stream.Read.ByIDs() && t.settled() {
			tasks = append(tasks, t)
		}
	}
	return readSideBySide(ctx, r, tasks, extract.Forward)
}

// readSideBySide reads streams side by side. One stream's failure does not stop the others; it is in the stream's result. A panic ends the run as a
// kill would: nothing is committed after it, for nobody knows what it left half done.
func readSideBySide(ctx context.Context, r *run, tasks []*task, phase extract.Phase) error {
	var group errgroup.Group
	group.SetLimit(firstSet(r.runner.Parallel, parallelStreams))
	for _, t := range tasks {
		group.Go(func() error {
			err := readStream(ctx, r, t, phase)
			if err != nil {
				r.stopped.Store(true)
				err = errors.Join(err, r.writer.close())
			}
			return err
		})
	}
	return group.Wait()
}

// readStream reads one stream and writes down how that went; its error ends there, but for an answer that refuses all. What it gives is a panic.
func readStream(ctx context.Context, r *run, t *task, phase extract.Phase) (fault error) {
	defer extract.Caught(&fault)
	if t.result.Status != StatusOK || r.over() || t.workspace.refused.Load() || phase == extract.History && !t.hasHistory() {
		return nil
	}
	began := r.now()
	r.progress.start(ctx, t, phase)
	if phase == extract.History {
		r.progress.measure(ctx, t)
	}
	err := t.do(ctx, phase)
	t.result.Time += r.now().Sub(began)
	t.done = err == nil && !t.result.Cut
	t.newest = t.newest || t.done && phase == extract.Forward
	t.settle(ctx, err)
	if t.result.Class == "auth" {
		t.workspace.refused.Store(true)
	}
	if r.options.FailFast && t.result.Status == StatusFailed {
		r.stopped.Store(true)
	}
	r.progress.end(t)
	return nil
}

// do reads one phase of the stream in its way.
func (t *task) do(ctx context.Context, phase extract.Phase) error {
	if t.broken != nil {
		return t.broken
	}
	return t.reader.read(ctx, phase)
}

func (t *task) request(phase extract.Phase) extract.Request {
	return extract.Request{
		Stream: t.stream, State: t.state, Phase: phase, Start: t.start,
		Since: t.run.options.Since, Until: t.run.options.Until,
	}
}
