package export

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"aqueduck/extract"
	"aqueduck/extract/api"
	"aqueduck/extract/export"
	"aqueduck/internal/crash"
	"aqueduck/internal/problem"
)

// Read reads one dataset: first the job that an earlier run left, then one span of days after the other. The forward phase reads the days since
// the last run, with today so far, and once a day the recent days that may have changed. The history phase reads older days, newest first.
func (t *exportReader) Read(ctx context.Context, phase extract.Phase) error {
	x := t.export
	if x.until == 0 {
		x.until = x.source.Now().Unix()
		x.top = x.days.Of(max(t.State.SyncedTo, 1))
		if job := t.State.Export.Job; job != nil && job.ID == "" {
			job.Tries = 0 // each run has its own number of tries
		}
		if job := t.State.Export.Job; job != nil && job.Kind == extract.ExportWindow { // only the command that asked for it needs it
			t.State.Export = withoutJob(t.State.Export)
		}
	}
	for {
		job := t.State.Export.Job
		if t.IsWindowed() {
			job = t.nextInWindow()
		} else if job == nil {
			job = t.nextSpan(phase)
		}
		if job == nil {
			return t.commitState(ctx, nil)
		}
		if t.ShouldStop() {
			t.Result.Cut = true
			return nil
		}
		err := t.exportDays(ctx, *job)
		if errors.Is(err, errRunStopped) {
			t.Result.Cut = true
			return nil
		}
		if err != nil {
			return err
		}
		if err := t.Run.PublishIfDue(ctx); err != nil {
			return err
		}
	}
}

// nextSpan returns a job for the next days to read in a phase; nil when the phase is complete.
func (t *exportReader) nextSpan(phase extract.Phase) *extract.ExportJob {
	if phase == extract.History {
		return t.historySpan()
	}
	x, e := t.export, t.State.Export
	if t.State.SyncedTo < x.until {
		from := x.days.Of(t.State.SyncedTo)
		if t.State.SyncedTo == 0 {
			from = max(x.days.AddDays(x.until, -firstSpan), t.historyFloor())
			x.top = from
		}
		return newSpanJob(extract.ExportForward, from, min(x.days.AddDays(from, x.span), x.until))
	}
	if today := x.days.Of(x.until); e.Refresh == nil && e.Refreshed != today {
		since := today
		if e.Refreshed > 0 && e.Refreshed < today {
			since = e.Refreshed // days that were within the refresh at the last run may have changed since
		}
		lowest := max(x.days.AddDays(since, -int(x.refresh/(24*time.Hour))), t.State.HistoryTo)
		e.Refreshed = today
		if lowest < x.top {
			e.Refresh = &extract.ExportSpan{From: lowest, To: x.top}
		}
	}
	if e.Refresh == nil {
		return nil
	}
	return newSpanJob(extract.ExportRefresh, max(e.Refresh.From, x.days.AddDays(e.Refresh.To-1, 1-x.span)), e.Refresh.To)
}

// nextInWindow returns a job for the next days of an explicit window, in whole days. It does not wait for a job that an earlier run left: those
// days are exported again.
func (t *exportReader) nextInWindow() *extract.ExportJob {
	x, o := t.export, t.Run.Options
	if x.window == 0 {
		if x.window = t.historyFloor(); !o.Since.IsZero() {
			x.window = x.days.Of(o.Since.Unix())
		}
	}
	end := x.until
	if !o.Until.IsZero() {
		end = min(end, x.days.AddDays(o.Until.Unix()-1, 1))
	}
	return newSpanJob(extract.ExportWindow, x.window, min(x.days.AddDays(x.window, x.span), end))
}

// historySpan returns a job for the newest days of the history that were never read; nil when the history is complete.
func (t *exportReader) historySpan() *extract.ExportJob {
	x := t.export
	if !t.BackfillPending() {
		return nil
	}
	floor := t.historyFloor()
	if t.State.HistoryTo <= floor {
		t.State.HistoryDone = true
		return nil
	}
	return newSpanJob(extract.ExportHistory, max(floor, x.days.AddDays(t.State.HistoryTo-1, 1-x.span)), t.State.HistoryTo)
}

func newSpanJob(kind string, from, to int64) *extract.ExportJob {
	if from >= to {
		return nil
	}
	return &extract.ExportJob{Kind: kind, ExportSpan: extract.ExportSpan{From: from, To: to}}
}

// DaysPending reports whether older days are still to be read.
func (t *exportReader) DaysPending() bool {
	return t.State.SyncedTo > 0 && (!t.State.HistoryDone || t.State.HistoryTo > t.wantedFloor())
}

// DaysRead is the share of the history that is read, 0 to 1.
func (t *exportReader) DaysRead() float64 {
	if t.State.SyncedTo == 0 || t.export.until == 0 {
		return 0
	}
	whole := t.State.SyncedTo - t.historyFloor()
	return min(0.99, max(0, float64(t.State.SyncedTo-t.State.HistoryTo)/float64(max(whole, 1))))
}

// exportDays exports the days of a job and stores their rows. When the source has lost the job, it starts another one; when the days are too large
// for one commit, it halves the span.
func (t *exportReader) exportDays(ctx context.Context, job extract.ExportJob) error {
	for earlier := job.ID != ""; ; earlier = false {
		err := t.runJob(ctx, &job, earlier)
		var problem *problem.Problem
		switch {
		case errors.Is(err, export.ErrLost) && job.Tries+1 < jobsASpan, earlier && errors.As(err, &problem) && problem.Class == "data":
			// The source may have reused the id that an earlier run stored for another job. Its file says nothing about this one.
			job = extract.ExportJob{Kind: job.Kind, ExportSpan: job.ExportSpan, Tries: job.Tries + 1}
		case errors.Is(err, errTooMuch) && !t.oneDay(job):
			t.export.span = max(1, t.export.days.Count(job.From, job.To)/2)
			return t.commitState(ctx, func(e *extract.Export) { e.Job = nil })
		default:
			if errors.Is(err, export.ErrLost) || errors.As(err, &problem) && problem.Class == "data" {
				// The next run first reads newer days, and then starts another job for these.
				err = errors.Join(err, t.commitState(ctx, func(e *extract.Export) { e.Job = nil }))
			}
			return err
		}
	}
}

// runJob runs one job: enqueue it, wait for it, fetch its file and commit the rows. earlier says that a previous run enqueued it.
func (t *exportReader) runJob(ctx context.Context, job *extract.ExportJob, earlier bool) (err error) {
	if job.ID == "" {
		if err := t.enqueueJob(ctx, job); err != nil {
			return err
		}
	}
	x := t.export
	status, err := x.source.Await(ctx, t.Stream, *job, earlier, func() error {
		if t.ShouldStop() {
			return errRunStopped
		}
		return t.Run.PublishIfDue(ctx)
	})
	if err != nil {
		return err
	}
	spool, err := export.CreateSpool(t.Run.Runner.Dir.Temp())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, spool.Close()) }()
	return t.fetchArchive(ctx, *job, status, spool)
}

func (t *exportReader) fetchArchive(ctx context.Context, job extract.ExportJob, status export.Status, spool *os.File) error {
	archive, err := t.export.source.Fetch(ctx, t.Stream, status, spool, export.DefaultLimits())
	var foreign *api.ForeignHost
	if errors.As(err, &foreign) {
		return &problem.Problem{Class: "config", What: "an export file is on a host that is not allowed: " + problem.FirstLine(err),
			Next: "if the workspace stores its files there, allow the host in pipelines.yaml: workspaces." + t.Workspace.Name + ".download_hosts: [" + foreign.Host + "]; nothing was stored"}
	}
	if err != nil {
		return err
	}
	crash.At(crash.ExportFetched)
	return t.storeRows(ctx, job, archive)
}

// enqueueJob creates a job at the source. It commits the intent before the request and the job's id after it. A crash between the two leaves a job
// at the source that no run waits for; its days are exported again. No run ever waits for a job that it does not know.
func (t *exportReader) enqueueJob(ctx context.Context, job *extract.ExportJob) error {
	x := t.export
	began := x.source.Now()
	for {
		job.Asked = x.source.Now().Unix()
		if err := t.commitState(ctx, func(e *extract.Export) { e.Job = job }); err != nil {
			return err
		}
		crash.At(crash.ExportMeant)
		// One second more at both ends: the API does not say whether it includes rows at the bounds. decodeRows skips the surplus (T105).
		status, err := x.source.Enqueue(ctx, t.Stream, x.set, job.From-1, job.To+1)
		if err == nil {
			crash.At(crash.ExportAsked)
			job.ID = status.ID
			err = t.commitState(ctx, func(e *extract.Export) { e.Job = job })
			crash.At(crash.ExportNamed)
			return err
		}
		full := api.StatusOf(err) == http.StatusTooManyRequests
		switch {
		case ctx.Err() != nil || api.ClassOf(err) != api.ClassTransient:
			return err
		case full && x.source.Now().Sub(began) < slotsPatient:
			// The slots belong to the workspace: other tools use them, and so do abandoned jobs of earlier runs (T96).
		case !full && job.Tries+1 < jobsASpan:
			job.Tries++ // the source may have created the job all the same, so the intent is committed again (T98)
		default:
			return err
		}
		if t.ShouldStop() {
			return errRunStopped
		}
		if err := x.source.Pause(ctx, slotsFull); err != nil {
			return err
		}
	}
}

// CommitProgress commits the state of the dataset without rows.
func (t *exportReader) CommitProgress(ctx context.Context) error { return t.commitState(ctx, nil) }

// commitState commits the state alone, if it differs from the committed one. change, which may be nil, is applied to a copy of the export's state.
func (t *exportReader) commitState(ctx context.Context, change func(*extract.Export)) error {
	e := *t.State.Export
	if change != nil {
		change(&e)
	}
	if e.Job != nil {
		job := *e.Job // a copy: the wait for the job must not change the committed state
		e.Job = &job
	}
	t.State.Export = &e
	t.State.Version = t.Workspace.Config.APIVersion
	t.LeaveWatermark()
	next := t.NextCheckpoint(t.State)
	if next.State == t.Base.State {
		return nil
	}
	_, err := t.Run.Writer.Commit(ctx, t.Workspace.Name, t.Stream.Name, t.Base, next, nil)
	if err != nil {
		return fmt.Errorf("stream %s: commit: %w", t.Stream.Name, err)
	}
	t.Base = next
	return nil
}

// errRunStopped ends the wait for an export when the run's time is over. The next run waits for the same job.
var errRunStopped = errors.New("the run is over")
