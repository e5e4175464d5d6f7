package sync

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"aqueduck/extract"
	"aqueduck/internal/dictionary"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/sync/export"
	"aqueduck/internal/sync/stream"
	"aqueduck/load"
	"aqueduck/schemas"
)

// runningJobsFirst sorts datasets with a job at the source before those without. So no more jobs are under way than streams are read at the same
// time: three of the five that a workspace allows.
func runningJobsFirst(tasks []*stream.Task) {
	withoutJob := func(t *stream.Task) int {
		if t.Days != nil && t.State.Export.Job == nil {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(tasks, func(a, b *stream.Task) int { return withoutJob(a) - withoutJob(b) })
}

func hasHistoryLeft(r *stream.Run) bool {
	return slices.ContainsFunc(r.Tasks, func(t *stream.Task) bool { return t.Result.Status == runlog.StatusOK && t.HasHistory() })
}

// parallelStreams is the number of streams that are read at the same time by default. Their waits overlap, and each holds one batch in memory.
const parallelStreams = 3

// readAll is the whole run, from identifying the workspaces to the published file.
func readAll(ctx context.Context, r *stream.Run) error {
	if err := prepareRun(ctx, r); err != nil {
		return err
	}
	if !r.Deadline.IsZero() {
		stopAt(r, r.Deadline)
	}
	if len(r.Tasks) == 0 {
		if r.Options.Failed {
			r.Reported.Notes = append(r.Reported.Notes, "no stream failed in the last run, so nothing was read; a run without --failed also tries streams that are unavailable")
		}
		return noteMissing(ctx, r)
	}
	defer r.Progress.Write()()
	if err := readPhase(ctx, r, extract.Forward); err != nil {
		return err
	}
	if hasHistoryLeft(r) && !r.ShouldStop() && ctx.Err() == nil {
		if err := saveRunAs(ctx, r, runlog.Unfinished); err != nil {
			return err
		}
		r.Newest = true
		if err := r.PublishIfDue(ctx); err != nil {
			return err
		}
		if err := readPhase(ctx, r, extract.History); err != nil {
			return err
		}
	}
	if err := readFollowUps(ctx, r); err != nil {
		return err
	}
	whole := context.WithoutCancel(ctx) // an interrupted run reports everything that it has read
	if err := endRefreshes(whole, r); err != nil {
		return err
	}
	for _, w := range r.Workspaces {
		compareClocks(r, w)
		if err := noteRevealed(whole, r, w); err != nil {
			return err
		}
	}
	if err := noteOrphanStreams(whole, r); err != nil {
		return err
	}
	noteUnread(ctx, r)
	noteLimits(r)
	r.Reported.Interrupted, r.Reported.Code = ctx.Err() != nil, r.Runner.InterruptedCode(ctx)
	if err := saveRun(ctx, r); err != nil {
		return err
	}
	if ctx.Err() != nil {
		r.Reported.Interrupted, r.Reported.Code = true, r.Runner.InterruptedCode(ctx)
		return nil // committed rows are safe; the next run publishes them
	}
	if err := noteMissing(ctx, r); err != nil {
		return err
	}
	return publishRun(ctx, r, false)
}

// prepareRun checks that the warehouse belongs to these workspaces before anything is written, and then prepares tables and tasks.
func prepareRun(ctx context.Context, r *stream.Run) error {
	for _, m := range r.Config.Warnings {
		if m.Deprecated {
			r.Runner.Log.Warn("SQL reads a name that the next version no longer has", "file", m.File, "line", m.Line, "error", m.Message, "next", m.Hint)
		}
	}
	for _, w := range r.Workspaces {
		if err := identifyWorkspace(ctx, r, w); err != nil {
			return explainUnidentified(r, w, err)
		}
	}
	if first := r.Workspaces[0]; ctx.Err() != nil || !slices.ContainsFunc(r.Workspaces, func(w *stream.Workspace) bool { return w.Lost == nil }) {
		return explainUnidentified(r, first, cmp.Or(first.Lost, ctx.Err()))
	}
	for _, w := range r.Workspaces {
		if err := export.ExpandDatasets(ctx, r, w); err != nil {
			return explainUnidentified(r, w, err)
		}
		if err := prepareTables(ctx, r, w); err != nil {
			return err
		}
		if r.Options.Failed {
			if err := keepFailed(ctx, r, w); err != nil {
				return err
			}
		}
		if err := beginTasks(ctx, r, w); err != nil {
			return err
		}
	}
	return noteHashKey(ctx, r)
}

// prepareTables creates or changes the tables of a workspace as the configuration says, before the first row arrives.
func prepareTables(ctx context.Context, r *stream.Run, w *stream.Workspace) error {
	streams, err := evolveTables(ctx, r, w, r.Runner.StoredStreams(w.Name))
	if err != nil {
		return err
	}
	changes, err := r.Writer.Prepare(ctx, w.Name, dictionary.Tables(slices.Concat(streams, w.Exports.Known)))
	if err != nil {
		return err
	}
	r.Reported.Changes = append(r.Reported.Changes, changes...)
	if err := r.Rehearse(ctx, w); err != nil {
		return err
	}
	if err := freezeHistories(ctx, r, w); err != nil {
		return err
	}
	return applyMasking(ctx, r, w, slices.Concat(r.Runner.StoredStreams(w.Name), w.Exports.Known))
}

// beginTasks makes a task for each stream of the workspace that the run reads, in their order.
func beginTasks(ctx context.Context, r *stream.Run, w *stream.Workspace) error {
	err := r.Writer.Use(func(work *load.Work) (err error) {
		if r.Options.FullRefresh { // what a run notes of itself does not outlive a kill while it reads the published file in place
			if err := work.MakeWritable(); err != nil {
				return err
			}
		}
		if w.Answers, err = work.Facts.LastAnswers(ctx, w.Name); err != nil {
			return err
		}
		w.Past, err = work.Facts.PastReads(ctx, w.Name)
		return err
	})
	if err != nil {
		return err
	}
	for i, s := range w.Streams {
		t, err := stream.NewTask(ctx, r, w, s)
		if err != nil {
			return err
		}
		if r.Tasks = append(r.Tasks, t); i == 0 && w.Lost != nil {
			t.RecordOutcome(ctx, w.Lost)
			r.Progress.LogResult(t)
		}
	}
	return nil
}

// keepFailed leaves only the streams that failed in the pipeline's last run. It leaves all of them when that run failed as a whole, or its publish
// did.
func keepFailed(ctx context.Context, r *stream.Run, w *stream.Workspace) error {
	ends, err := runlog.ReadRunNotes(r.Runner.Dir)
	if err != nil {
		return err
	}
	for _, last := range slices.Backward(ends) {
		if last.Pipeline != r.Pipeline.Name || last.Narrow {
			continue
		}
		if last.Exit != problem.ExitOK && !last.Partly {
			return nil
		}
		break
	}
	var spans []string // a stream that was read for a span of time still lacks what failed before
	for _, past := range ends {
		if past.Span {
			spans = append(spans, past.Run)
		}
	}
	return r.Writer.Use(func(work *load.Work) error {
		outcomes, err := work.Facts.LastOutcomes(ctx, w.Name, r.Pipeline.Name, spans)
		well := func(stream string) bool {
			return outcomes[stream] == string(runlog.StatusOK) || outcomes[stream] == string(runlog.StatusUnavailable)
		}
		w.Streams = slices.DeleteFunc(w.Streams, func(s *schemas.Stream) bool { return well(s.Name) && (s.With == "" || well(s.With)) })
		return err
	})
}

// readPhase reads every stream that does not depend on the ids of others, small ones first.
func readPhase(ctx context.Context, r *stream.Run, phase extract.Phase) error {
	var tasks []*stream.Task
	for _, t := range r.Tasks {
		if !t.Stream.Read.ByIDs() {
			tasks = append(tasks, t)
		}
	}
	slices.SortStableFunc(tasks, func(a, b *stream.Task) int { return stream.ReadOrder(a.Stream) - stream.ReadOrder(b.Stream) })
	// Streams that earlier runs had no time for come first. Otherwise runs with a short max_time would never reach them.
	slices.SortStableFunc(tasks, func(a, b *stream.Task) int { return cmp.Compare(countDaysBehind(b, tasks), countDaysBehind(a, tasks)) })
	runningJobsFirst(tasks)
	return readSideBySide(ctx, r, tasks, phase)
}

// countDaysBehind is the number of days that a stream lags behind the task of the same workspace that was read last.
func countDaysBehind(t *stream.Task, tasks []*stream.Task) int {
	latest := t.State.SyncedTo
	for _, other := range tasks {
		if other.Workspace == t.Workspace {
			latest = max(latest, other.State.SyncedTo)
		}
	}
	if t.State.SyncedTo == 0 && latest > 0 {
		return math.MaxInt
	}
	return int((latest - t.State.SyncedTo) / 86400)
}

// readFollowUps reads the streams that take their ids from other streams. Those with an SQL file wait until their parents are complete: during a
// backfill, an id that search has not returned yet is no reason for a request of its own. Child streams are read in any case, because their queue
// grows with each commit of the parent.
func readFollowUps(ctx context.Context, r *stream.Run) error {
	var tasks []*stream.Task
	for _, t := range r.Tasks {
		if t.Stream.Read.ByIDs() && t.ParentsComplete() {
			tasks = append(tasks, t)
		}
	}
	return readSideBySide(ctx, r, tasks, extract.Forward)
}

// readSideBySide reads streams at the same time. The failure of one stream stands in its result and does not stop the others. A panic ends the
// run like a kill: the database is closed at once, because the state that the panic left behind is not known.
func readSideBySide(ctx context.Context, r *stream.Run, tasks []*stream.Task, phase extract.Phase) error {
	var group errgroup.Group
	group.SetLimit(cmp.Or(r.Runner.Parallel, parallelStreams))
	for _, t := range tasks {
		group.Go(func() error {
			err := readStream(ctx, r, t, phase)
			if err != nil {
				r.Stopped.Store(true)
				err = errors.Join(err, r.Writer.Close())
			}
			return err
		})
	}
	return group.Wait()
}

// readStream reads one phase of one stream, and records the outcome in its result. Its only error is a panic.
func readStream(ctx context.Context, r *stream.Run, t *stream.Task, phase extract.Phase) (fault error) {
	defer extract.RecoverPanic(&fault)
	if t.Result.Status != runlog.StatusOK || r.ShouldStop() || t.Workspace.Refused.Load() || phase == extract.History && !t.HasHistory() {
		return nil
	}
	began := r.Now()
	r.Progress.Start(ctx, t, phase)
	if phase == extract.History {
		r.Progress.Measure(ctx, t)
	}
	err := t.Read(ctx, phase)
	t.Result.Time += r.Now().Sub(began)
	t.Done = err == nil && !t.Result.Cut
	t.Newest = t.Newest || t.Done && phase == extract.Forward
	t.RecordOutcome(ctx, err)
	if t.Result.Class == "auth" {
		t.Workspace.Refused.Store(true)
	}
	if r.Options.FailFast && t.Result.Status == runlog.StatusFailed {
		r.Stopped.Store(true)
	}
	r.Progress.End(t)
	return nil
}
