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

// waitingFirst puts the exports that are under way before those that are not yet asked for: so no more are under way at once
// than streams are read side by side, which is three of the workspace's five.
func waitingFirst(tasks []*stream.Task) {
	later := func(t *stream.Task) int {
		if t.Days != nil && t.State.Export.Job == nil {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(tasks, func(a, b *stream.Task) int { return later(a) - later(b) })
}

func hasHistoryLeft(r *stream.Run) bool {
	return slices.ContainsFunc(r.Tasks, func(t *stream.Task) bool { return t.Result.Status == runlog.StatusOK && t.HasHistory() })
}

// parallelStreams read side by side unless the runner says another number: their waits overlap, and each holds one batch in
// memory.
const parallelStreams = 3

// readAll is the whole run, from the first look at the workspace to the published file.
func readAll(ctx context.Context, r *stream.Run) error {
	done, err := r.Progress.Announce()
	if err != nil {
		return err
	}
	defer done()
	if err := prepareRun(ctx, r); err != nil {
		return err
	}
	if !r.Deadline.IsZero() {
		stopAt(r, r.Deadline)
	}
	if len(r.Tasks) == 0 {
		r.Reported.Notes = append(r.Reported.Notes, "every stream succeeded in the last run: nothing was read")
		return nil
	}
	defer r.Progress.Write(ctx)()
	if err := readPhase(ctx, r, extract.Forward); err != nil {
		return err
	}
	if hasHistoryLeft(r) && !r.ShouldStop() && ctx.Err() == nil {
		if err := saveRunAs(ctx, r, "UNFINISHED"); err != nil {
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
	whole := context.WithoutCancel(ctx) // a run that is interrupted says no less of what it has read
	if err := endRefreshes(whole, r); err != nil {
		return err
	}
	for _, w := range r.Workspaces {
		compareClocks(r, w)
		if err := noteRevealed(whole, r, w); err != nil {
			return err
		}
	}
	noteUnread(ctx, r)
	noteSpent(r)
	r.Reported.Interrupted, r.Reported.Code = ctx.Err() != nil, r.Runner.InterruptedCode(ctx)
	if err := saveRun(ctx, r); err != nil {
		return err
	}
	if ctx.Err() != nil {
		r.Reported.Interrupted, r.Reported.Code = true, r.Runner.InterruptedCode(ctx)
		return nil // what is committed is safe; the next run publishes it
	}
	return publishRun(ctx, r, false)
}

// prepareRun makes sure that the warehouse belongs to these workspaces before anything is written, then makes the tables.
func prepareRun(ctx context.Context, r *stream.Run) error {
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

// prepareTables makes the tables of a workspace as the configuration has them, before the first row comes.
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

// beginTasks makes a task of each stream of a workspace that the run reads, in their order.
func beginTasks(ctx context.Context, r *stream.Run, w *stream.Workspace) error {
	err := r.Writer.Use(func(work *load.Work) (err error) {
		if w.Answers, err = work.Facts.LastAnswers(ctx, w.Name); err != nil {
			return err
		}
		w.Shares, err = work.Facts.LastShares(ctx, w.Name)
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

// keepFailed leaves only the streams that did not end well in the pipeline's last run: all of them, where something else kept that
// run from being one, or from being published.
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
	return r.Writer.Use(func(work *load.Work) error {
		outcomes, err := work.Facts.LastOutcomes(ctx, w.Name, r.Pipeline.Name)
		well := func(stream string) bool {
			return outcomes[stream] == string(runlog.StatusOK) || outcomes[stream] == string(runlog.StatusUnavailable)
		}
		w.Streams = slices.DeleteFunc(w.Streams, func(s *schemas.Stream) bool { return well(s.Name) && (s.With == "" || well(s.With)) })
		return err
	})
}

// readPhase reads every stream that asks for itself, cheap ones first.
func readPhase(ctx context.Context, r *stream.Run, phase extract.Phase) error {
	var tasks []*stream.Task
	for _, t := range r.Tasks {
		if !t.Stream.Read.ByIDs() {
			tasks = append(tasks, t)
		}
	}
	slices.SortStableFunc(tasks, func(a, b *stream.Task) int { return stream.ReadOrder(a.Stream) - stream.ReadOrder(b.Stream) })
	// Those that runs with little time have not come to are first, or they would never be.
	slices.SortStableFunc(tasks, func(a, b *stream.Task) int { return cmp.Compare(countDaysBehind(b, tasks), countDaysBehind(a, tasks)) })
	waitingFirst(tasks)
	return readSideBySide(ctx, r, tasks, phase)
}

// countDaysBehind is in how many days a stream was not read that another of the tasks was read in.
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

// readFollowUps reads the streams that take their ids from others: those of an SQL file once the others are read to the end,
// for while history is still to come, an id that search has not given yet is no reason to ask for it alone; those that
// wait for rows of others whatever has come of these.
func readFollowUps(ctx context.Context, r *stream.Run) error {
	var tasks []*stream.Task
	for _, t := range r.Tasks {
		if t.Stream.Read.ByIDs() && t.ParentsComplete() {
			tasks = append(tasks, t)
		}
	}
	return readSideBySide(ctx, r, tasks, extract.Forward)
}

// readSideBySide reads streams side by side. One stream's failure does not stop the others; it is in the stream's result. A panic ends the run as a
// kill would: nothing is committed after it, for nobody knows what it left half done.
func readSideBySide(ctx context.Context, r *stream.Run, tasks []*stream.Task, phase extract.Phase) error {
	var group errgroup.Group
	group.SetLimit(stream.FirstSet(r.Runner.Parallel, parallelStreams))
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

// readStream reads one stream and writes down how that went; its error ends there, but for an answer that refuses all. What it gives is a panic.
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
