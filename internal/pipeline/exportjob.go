package pipeline

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"aqueduck/extract"
	"aqueduck/extract/export"
	"aqueduck/internal/crash"
)

const (
	firstSpan    = 7  // days that the first job of a run asks for, and the first reading of a dataset
	longestSpan  = 28 // days of one job
	usualHistory = 90 // days back that a dataset without a start is read
	smallExport  = 8 << 20
	largeExport  = 64 << 20
	mostExport   = 512 << 20 // of one commit, in memory
	jobsASpan    = 3         // jobs that are asked for in one run for the same days
	slotsFull    = time.Minute
	slotsPatient = time.Hour
)

// read reads one dataset: the job that an earlier run left, then span after span. In a run's first phase these are the
// days since the last one, today's so far included, and, once a day, those that may have changed; then the history.
func (t *exportReader) read(ctx context.Context, phase extract.Phase) error {
	x := t.export
	if x.until == 0 {
		x.until = x.source.Now().Unix()
		x.top = x.days.of(max(t.state.SyncedTo, 1))
		if job := t.state.Export.Job; job != nil && job.ID == "" {
			job.Tries = 0 // each run has its own
		}
	}
	for {
		job := t.state.Export.Job
		if t.windowed() {
			job = t.nextInWindow()
		} else if job == nil {
			job = t.nextSpan(phase)
		}
		if job == nil {
			return t.commitState(ctx, nil)
		}
		if t.over() {
			t.result.Cut = true
			return nil
		}
		err := t.span(ctx, *job)
		if errors.Is(err, errOver) {
			t.result.Cut = true
			return nil
		}
		if err != nil {
			return err
		}
		if err := t.run.publishIfDue(ctx); err != nil {
			return err
		}
	}
}

// nextSpan gives the days to ask for next, nil when there are none in this phase.
func (t *exportReader) nextSpan(phase extract.Phase) *extract.ExportJob {
	if phase == extract.History {
		return t.historySpan()
	}
	x, e := t.export, t.state.Export
	if t.state.SyncedTo < x.until {
		from := x.days.of(t.state.SyncedTo)
		if t.state.SyncedTo == 0 {
			from = max(x.days.add(x.until, -firstSpan), t.floor())
			x.top = from
		}
		return span(extract.ExportForward, from, min(x.days.add(from, x.span), x.until))
	}
	if today := x.days.of(x.until); e.Refresh == nil && e.Refreshed != today {
		since := today
		if e.Refreshed > 0 && e.Refreshed < today {
			since = e.Refreshed // what changed while nobody looked was young enough then
		}
		lowest := max(x.days.add(since, -int(x.refresh/(24*time.Hour))), t.state.HistoryTo)
		e.Refreshed = today
		if lowest < x.top {
			e.Refresh = &extract.ExportSpan{From: lowest, To: x.top}
		}
	}
	if e.Refresh == nil {
		return nil
	}
	return span(extract.ExportRefresh, max(e.Refresh.From, x.days.add(e.Refresh.To-1, 1-x.span)), e.Refresh.To)
}

// nextInWindow gives the days of an explicit window to ask for next: whole ones, all that it touches. A job that an earlier run left is
// not waited for: its days are asked for again.
func (t *exportReader) nextInWindow() *extract.ExportJob {
	x, o := t.export, t.run.options
	if x.window == 0 {
		if x.window = t.floor(); !o.Since.IsZero() {
			x.window = x.days.of(o.Since.Unix())
		}
	}
	end := x.until
	if !o.Until.IsZero() {
		end = min(end, x.days.add(o.Until.Unix()-1, 1))
	}
	return span(extract.ExportWindow, x.window, min(x.days.add(x.window, x.span), end))
}

// historySpan gives the newest days that were never read.
func (t *exportReader) historySpan() *extract.ExportJob {
	x := t.export
	if !t.owesHistory() {
		return nil
	}
	floor := t.floor()
	if t.state.HistoryTo <= floor {
		t.state.HistoryDone = true
		return nil
	}
	return span(extract.ExportHistory, max(floor, x.days.add(t.state.HistoryTo-1, 1-x.span)), t.state.HistoryTo)
}

func span(kind string, from, to int64) *extract.ExportJob {
	if from >= to {
		return nil
	}
	return &extract.ExportJob{Kind: kind, ExportSpan: extract.ExportSpan{From: from, To: to}}
}

// floor is how far down the history goes.
func (t *exportReader) floor() int64 {
	floor := t.export.days.add(t.export.until, -usualHistory)
	if !t.start.IsZero() {
		floor = t.start.Unix()
	}
	if down := t.state.Export.Down; down > 0 {
		floor = min(floor, down)
	}
	return floor
}

// owesDays reports whether there are older days to read.
func (t *exportReader) owesDays() bool {
	deeper := !t.start.IsZero() && t.state.HistoryTo > t.start.Unix()
	return t.state.SyncedTo > 0 && (!t.state.HistoryDone || deeper)
}

// daysRead is the share of the history that is read.
func (t *exportReader) daysRead() float64 {
	if t.state.SyncedTo == 0 || t.export.until == 0 {
		return 0
	}
	whole := t.state.SyncedTo - t.floor()
	return min(0.99, max(0, float64(t.state.SyncedTo-t.state.HistoryTo)/float64(max(whole, 1))))
}

// span exports some days and stores them. A job that the source lost is asked for again; days that are too much for one
// commit are asked for by fewer.
func (t *exportReader) span(ctx context.Context, job extract.ExportJob) error {
	for earlier := job.ID != ""; ; earlier = false {
		err := t.export1(ctx, &job, earlier)
		var problem *Problem
		switch {
		case errors.Is(err, export.ErrLost) && job.Tries+1 < jobsASpan, earlier && errors.As(err, &problem) && problem.Class == "data":
			// A name that an earlier run was told may be that of another job by now: its file says nothing about ours.
			job = extract.ExportJob{Kind: job.Kind, ExportSpan: job.ExportSpan, Tries: job.Tries + 1}
		case errors.Is(err, errTooMuch) && !t.oneDay(job):
			t.export.span = max(1, t.export.days.count(job.From, job.To)/2)
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

// export1 is one job, from its enqueueing to the commit of its rows.
func (t *exportReader) export1(ctx context.Context, job *extract.ExportJob, earlier bool) (err error) {
	if job.ID == "" {
		if err := t.enqueue(ctx, job); err != nil {
			return err
		}
	}
	x := t.export
	status, err := x.source.Await(ctx, t.stream, *job, earlier, func() error {
		if t.over() {
			return errOver
		}
		return t.run.publishIfDue(ctx)
	})
	if err != nil {
		return err
	}
	spool, err := export.Spool(t.run.runner.Dir.Temp())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, spool.Close()) }()
	return t.fetch(ctx, *job, status, spool)
}

func (t *exportReader) fetch(ctx context.Context, job extract.ExportJob, status export.Status, spool *os.File) error {
	archive, err := t.export.source.Fetch(ctx, t.stream, status, spool, export.Usual())
	var foreign *extract.ForeignHost
	if errors.As(err, &foreign) {
		return &Problem{Class: "config", What: "an export lies at a host that is not named: " + firstLine(err),
			Next: "if the workspace keeps its files there, allow it in pipelines.yaml: workspaces." + t.workspace.name + ".download_hosts: [" + foreign.Host + "]; nothing was stored"}
	}
	if err != nil {
		return err
	}
	crash.At(crash.ExportFetched)
	return t.store(ctx, job, archive)
}

// enqueue asks for a job: that it is about to is committed before, and what the job is called after. A crash in between
// leaves a job that nobody waits for, never one that is waited for and not known; its days are simply asked for again.
func (t *exportReader) enqueue(ctx context.Context, job *extract.ExportJob) error {
	x := t.export
	began := x.source.Now()
	for {
		job.Asked = x.source.Now().Unix()
		if err := t.commitState(ctx, func(e *extract.Export) { e.Job = job }); err != nil {
			return err
		}
		crash.At(crash.ExportMeant)
		// A second more at both ends: whether rows at the bounds are in is not known, and those too many are left out (T105).
		status, err := x.source.Enqueue(ctx, t.stream, x.set, job.From-1, job.To+1)
		if err == nil {
			crash.At(crash.ExportAsked)
			job.ID = status.ID
			err = t.commitState(ctx, func(e *extract.Export) { e.Job = job })
			crash.At(crash.ExportNamed)
			return err
		}
		full := extract.StatusOf(err) == http.StatusTooManyRequests
		switch {
		case ctx.Err() != nil || extract.ClassOf(err) != extract.ClassTransient:
			return err
		case full && x.source.Now().Sub(began) < slotsPatient:
			// The slots are the workspace's: other tools use them, and jobs of ours that nobody waits for any more (T96).
		case !full && job.Tries+1 < jobsASpan:
			job.Tries++ // it may have been taken all the same: the intent is told anew (T98)
		default:
			return err
		}
		if t.over() {
			return errOver
		}
		if err := x.source.Pause(ctx, slotsFull); err != nil {
			return err
		}
	}
}

// commitProgress commits how far the dataset is read.
func (t *exportReader) commitProgress(ctx context.Context) error { return t.commitState(ctx, nil) }

// commitState commits the state alone, when it is another one than what is stored.
func (t *exportReader) commitState(ctx context.Context, change func(*extract.Export)) error {
	e := *t.state.Export
	if change != nil {
		change(&e)
	}
	if e.Job != nil {
		job := *e.Job // what is committed is not changed any more by whoever waits for it
		e.Job = &job
	}
	t.state.Export = &e
	t.state.Version = t.workspace.config.APIVersion
	next := t.next(t.state)
	if next.State == t.base.State {
		return nil
	}
	_, err := t.run.writer.commit(context.WithoutCancel(ctx), t.workspace.name, t.stream.Name, t.base, next, nil)
	if err != nil {
		return fmt.Errorf("stream %s: commit: %w", t.stream.Name, err)
	}
	t.base = next
	return nil
}
