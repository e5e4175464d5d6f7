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

// Read reads one dataset: the job that an earlier run left, then span after span. In a run's first phase these are the
// days since the last one, today's so far included, and, once a day, those that may have changed; then the history.
func (t *exportReader) Read(ctx context.Context, phase extract.Phase) error {
	x := t.export
	if x.until == 0 {
		x.until = x.source.Now().Unix()
		x.top = x.days.Of(max(t.State.SyncedTo, 1))
		if job := t.State.Export.Job; job != nil && job.ID == "" {
			job.Tries = 0 // each run has its own
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

// nextSpan gives the days to ask for next, nil when there are none in this phase.
func (t *exportReader) nextSpan(phase extract.Phase) *extract.ExportJob {
	if phase == extract.History {
		return t.historySpan()
	}
	x, e := t.export, t.State.Export
	if t.State.SyncedTo < x.until {
		from := x.days.Of(t.State.SyncedTo)
		if t.State.SyncedTo == 0 {
			from = max(x.days.AddRecords(x.until, -firstSpan), t.historyFloor())
			x.top = from
		}
		return newSpanJob(extract.ExportForward, from, min(x.days.AddRecords(from, x.span), x.until))
	}
	if today := x.days.Of(x.until); e.Refresh == nil && e.Refreshed != today {
		since := today
		if e.Refreshed > 0 && e.Refreshed < today {
			since = e.Refreshed // what changed while nobody looked was young enough then
		}
		lowest := max(x.days.AddRecords(since, -int(x.refresh/(24*time.Hour))), t.State.HistoryTo)
		e.Refreshed = today
		if lowest < x.top {
			e.Refresh = &extract.ExportSpan{From: lowest, To: x.top}
		}
	}
	if e.Refresh == nil {
		return nil
	}
	return newSpanJob(extract.ExportRefresh, max(e.Refresh.From, x.days.AddRecords(e.Refresh.To-1, 1-x.span)), e.Refresh.To)
}

// nextInWindow gives the days of an explicit window to ask for next: whole ones, all that it touches. A job that an earlier run left is
// not waited for: its days are asked for again.
func (t *exportReader) nextInWindow() *extract.ExportJob {
	x, o := t.export, t.Run.Options
	if x.window == 0 {
		if x.window = t.historyFloor(); !o.Since.IsZero() {
			x.window = x.days.Of(o.Since.Unix())
		}
	}
	end := x.until
	if !o.Until.IsZero() {
		end = min(end, x.days.AddRecords(o.Until.Unix()-1, 1))
	}
	return newSpanJob(extract.ExportWindow, x.window, min(x.days.AddRecords(x.window, x.span), end))
}

// historySpan gives the newest days that were never read.
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
	return newSpanJob(extract.ExportHistory, max(floor, x.days.AddRecords(t.State.HistoryTo-1, 1-x.span)), t.State.HistoryTo)
}

func newSpanJob(kind string, from, to int64) *extract.ExportJob {
	if from >= to {
		return nil
	}
	return &extract.ExportJob{Kind: kind, ExportSpan: extract.ExportSpan{From: from, To: to}}
}

// DaysPending reports whether there are older days to read.
func (t *exportReader) DaysPending() bool {
	deeper := !t.Start.IsZero() && t.State.HistoryTo > t.Start.Unix()
	return t.State.SyncedTo > 0 && (!t.State.HistoryDone || deeper)
}

// DaysRead is the share of the history that is read.
func (t *exportReader) DaysRead() float64 {
	if t.State.SyncedTo == 0 || t.export.until == 0 {
		return 0
	}
	whole := t.State.SyncedTo - t.historyFloor()
	return min(0.99, max(0, float64(t.State.SyncedTo-t.State.HistoryTo)/float64(max(whole, 1))))
}

// exportDays exports some days and stores them. A job that the source lost is asked for again; days that are too much for one
// commit are asked for by fewer.
func (t *exportReader) exportDays(ctx context.Context, job extract.ExportJob) error {
	for earlier := job.ID != ""; ; earlier = false {
		err := t.runJob(ctx, &job, earlier)
		var problem *problem.Problem
		switch {
		case errors.Is(err, export.ErrLost) && job.Tries+1 < jobsASpan, earlier && errors.As(err, &problem) && problem.Class == "data":
			// A name that an earlier run was told may be that of another job by now: its file says nothing about ours.
			job = extract.ExportJob{Kind: job.Kind, ExportSpan: job.ExportSpan, Tries: job.Tries + 1}
		case errors.Is(err, errTooMuch) && !t.oneDay(job):
			t.export.span = max(1, t.export.days.Count(job.From, job.To)/2)
			return t.commitState(ctx, func(e *extract.Export) { e.Job = nil })
		default:
			if errors.Is(err, export.ErrLost) {
				// The next run begins anew: what is left of this job is not worth waiting for.
				err = errors.Join(err, t.commitState(ctx, func(e *extract.Export) { e.Job = nil }))
			}
			return err
		}
	}
}

// runJob is one job, from its enqueueing to the commit of its rows.
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

// enqueueJob asks for a job: that it is about to is committed before, and what the job is called after. A crash in between
// leaves a job that nobody waits for, never one that is waited for and not known; its days are simply asked for again.
func (t *exportReader) enqueueJob(ctx context.Context, job *extract.ExportJob) error {
	x := t.export
	began := x.source.Now()
	for {
		job.Asked = x.source.Now().Unix()
		if err := t.commitState(ctx, func(e *extract.Export) { e.Job = job }); err != nil {
			return err
		}
		crash.At(crash.ExportMeant)
		// A second more at both ends: whether rows at the bounds are in is not known, and those too many are left out (T105).
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
			// The slots are the workspace's: other tools use them, and jobs of ours that nobody waits for any more (T96).
		case !full && job.Tries+1 < jobsASpan:
			job.Tries++ // it may have been taken all the same: the intent is told anew (T98)
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

// CommitProgress commits how far the dataset is read.
func (t *exportReader) CommitProgress(ctx context.Context) error { return t.commitState(ctx, nil) }

// commitState commits the state alone, when it is another one than what is stored.
func (t *exportReader) commitState(ctx context.Context, change func(*extract.Export)) error {
	e := *t.State.Export
	if change != nil {
		change(&e)
	}
	if e.Job != nil {
		job := *e.Job // what is committed is not changed any more by whoever waits for it
		e.Job = &job
	}
	t.State.Export = &e
	t.State.Version = t.Workspace.Config.APIVersion
	next := t.NextCheckpoint(t.State)
	if next.State == t.Base.State {
		return nil
	}
	_, err := t.Run.Writer.Commit(context.WithoutCancel(ctx), t.Workspace.Name, t.Stream.Name, t.Base, next, nil)
	if err != nil {
		return fmt.Errorf("stream %s: commit: %w", t.Stream.Name, err)
	}
	t.Base = next
	return nil
}

// errRunStopped ends the waiting for an export when the run's time is spent: the next run goes on with it.
var errRunStopped = errors.New("the run is over")
