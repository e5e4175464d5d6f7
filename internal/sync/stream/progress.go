package stream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"aqueduck/extract"
	"aqueduck/internal/runlog"
	"aqueduck/internal/sync/warehouse"
	"aqueduck/internal/term"
	"aqueduck/load"
)

// NewProgress returns the progress of a run that has not begun to read.
func NewProgress(r *Run) *Progress {
	return &Progress{run: r, doing: "reading", streams: map[*Task]*runlog.RunningStream{}, history: map[*Task]*backfillProgress{}, listed: map[*Task]int64{}, ended: map[*Task]bool{}, traces: map[*Task]*streamTrace{}, pace: map[*Workspace]*paceCurve{}}
}

// Start notes that a stream begins a phase, and logs it.
func (p *Progress) Start(ctx context.Context, t *Task, phase extract.Phase) {
	p.mu.Lock()
	defer p.mu.Unlock()
	level := slog.LevelDebug
	if p.streams[t] == nil && p.run.Runner.TellBegin {
		level = slog.LevelInfo
	}
	p.streams[t] = &runlog.RunningStream{Workspace: t.Workspace.Name, Stream: t.Stream.Name, Phase: phaseWords[phase], Extracted: t.Result.Extracted, Rows: t.Result.Rows, SyncedTo: warehouse.UnixTime(t.State.SyncedTo), Backfill: max(t.shareComplete(), t.earlierShare)}
	p.beginReading(t)
	p.run.Runner.Log.Log(ctx, level, "stream starts", "stream", p.NameOf(t), "phase", phaseWords[phase])
}

func (p *Progress) recordPage(t *Task, page extract.Page) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.streams[t].Extracted += int64(len(page.Records))
	p.recordWait(t)
	if page.Left >= 0 && !t.Stream.Read.Since.HasWindows() && !t.Stream.Read.ByIDs() {
		p.listed[t] = page.Left
	}
	if h := p.history[t]; h != nil {
		h.open, h.at = int64(t.Decoder.Records()), p.run.Now()
		h.measureSeconds(t)
	}
}

// Reshaped runs change while no one else looks at the tasks. A dataset's tables become known only while its stream is read, and
// the goroutine that writes run.json reads tasks at any time.
func (p *Progress) Reshaped(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

// Trim gives up memory that the decoders keep for batches to come.
func (p *Progress) Trim() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range p.run.Tasks {
		t.Decoder.Trim()
	}
}

// Exported counts the rows of an export's file as extracted.
func (p *Progress) Exported(t *Task, rows int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.streams[t].Extracted += rows
}

// Committed notes a commit that began at the given time: its duration for the trace, the rows and the watermark for run.json.
func (p *Progress) Committed(t *Task, began time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recordCommit(t, began)
	if s := p.streams[t]; s != nil {
		s.Rows, s.SyncedTo, s.Backfill = t.Result.Rows, warehouse.UnixTime(t.State.SyncedTo), max(t.shareComplete(), t.earlierShare)
	}
	if h := p.history[t]; h != nil {
		h.stored, h.open = t.Result.New-h.known, 0
		h.measureSeconds(t)
		p.streams[t].Backfill = h.shareRead()
	}
}

// End notes that a stream has ended a phase.
func (p *Progress) End(t *Task) {
	p.mu.Lock()
	phase := p.streams[t].Phase
	p.streams[t].Phase, p.streams[t].Backfill = "done", max(t.shareComplete(), t.earlierShare)
	if h := p.history[t]; h != nil && t.BackfillPending() {
		p.streams[t].Backfill = h.shareRead()
	}
	p.ended[t] = !t.HasHistory() || t.Result.Status != runlog.StatusOK
	p.endReading(t)
	p.mu.Unlock()
	p.LogResult(t, "phase", phase)
}

// phaseWords are the words for a phase, in the log and wherever a run under way is shown.
var phaseWords = map[extract.Phase]string{extract.Forward: "reading", extract.History: "backfill"}

// LogResult logs how a stream ended, in one line that also carries the error: with the usual log level it is the stream's only line of a phase.
func (p *Progress) LogResult(t *Task, more ...any) {
	sent := t.Workspace.Client.CountsFor(t.Stream)
	words := append([]any{"stream", p.NameOf(t)}, more...)
	words = append(words, "extracted", t.Result.Extracted, "rows", t.Result.Rows, "requests", sent.Requests, "took", term.Duration(t.Result.Time))
	if t.Result.Error != "" {
		words = append(words, "class", t.Result.Class, "error", t.Result.Error, "next", t.Result.Next)
	}
	p.run.Runner.Log.Info("stream "+string(t.Result.Status), words...)
}

// NameOf is the name of a task's stream in the log and in notes. It carries the workspace where the run has several.
func (p *Progress) NameOf(t *Task) string {
	return runlog.StreamNamer(p.run.Tasks, func(t *Task) (string, string) { return t.Workspace.Name, t.Stream.Name })(t)
}

// Publishing notes that a publish begins or ends.
func (p *Progress) Publishing(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.doing = "reading"
	if on {
		p.doing, p.since = "publishing", p.run.Now()
		return
	}
	p.endStep(p.run.Now())
	p.published = appendSpan(p.published, runlog.Span{What: "publishing", From: p.since, To: p.run.Now()}, p.run.Started)
}

// Measure begins the estimate of a stream's history: one request for the source's count, one query for ours.
func (p *Progress) Measure(ctx context.Context, t *Task) {
	if t.Stream.Read.Since.By == "between" {
		p.measureTime(t)
		return
	}
	if t.Days != nil {
		return // a dataset's share is counted in days
	}
	total, oldest, err := extract.MeasureList(ctx, t.Workspace.Client, t.Stream)
	if err != nil || total <= 0 {
		return // the estimate is a courtesy; reading will meet the same answer and report it
	}
	var stored int64
	err = p.run.Writer.Use(func(work *load.Work) (err error) {
		stored, err = work.Facts.CountRows(ctx, t.Workspace.Name, t.Tables[0].Name)
		return err
	})
	if err != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.history[t] = &backfillProgress{began: p.run.Now(), before: stored, total: total, known: t.Result.New, least: t.earlierShare, oldest: oldest}
}

// measureTime begins the estimate for a source that states no number of records. Without a configured start the end is not known, and
// there is no estimate.
func (p *Progress) measureTime(t *Task) {
	if t.Start.IsZero() || t.State.HistoryTo == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.run.Now()
	p.history[t] = &backfillProgress{began: now, before: max(0, now.Unix()-t.State.HistoryTo), total: max(1, now.Unix()-t.Start.Unix()), from: t.State.HistoryTo, least: t.earlierShare}
}

// historyLeft is about how many records of a stream's history are still to read, 0 when that is not known, and the time of the oldest. A full
// refresh reads the stored ones, too.
func (p *Progress) historyLeft(t *Task) (left int64, oldest time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch h := p.history[t]; {
	case h == nil || h.from > 0:
		return 0, time.Time{}
	case t.State.Replace || t.State.RereadAll:
		return h.total, h.oldest
	default:
		return max(0, h.total-h.before), h.oldest
	}
}

// measureSeconds updates an estimate in seconds. An estimate in records stays as it is.
func (b *backfillProgress) measureSeconds(t *Task) {
	if b.from > 0 {
		b.stored, b.open = max(0, b.from-t.State.HistoryTo), 0
	}
}

func (b *backfillProgress) shareRead() float64 {
	return max(b.least, min(0.99, float64(b.before+b.stored)/float64(b.total)))
}

// timeLeft estimates how long the rest takes at this run's pace; 0 when nothing was read yet.
func (b *backfillProgress) timeLeft(now time.Time) time.Duration {
	read := b.stored + b.open
	if read == 0 {
		return 0
	}
	rest := max(0, b.total-b.before-read)
	return max(0, time.Duration(float64(b.at.Sub(b.began))/float64(read)*float64(rest))-now.Sub(b.at))
}

// Backfilled returns the share of a stream's history that is read, 0 to 1, and an estimate of the time for the rest, 0 when there is none.
func (p *Progress) Backfilled(t *Task) (share float64, left time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.Stream.Read.ByIDs() || t.State.SyncedTo > 0 && !t.BackfillPending() {
		return 1, 0
	}
	if t.Days != nil {
		return t.Days.DaysRead(), 0
	}
	if h := p.history[t]; h != nil {
		return h.shareRead(), h.timeLeft(p.run.Now())
	}
	return t.earlierShare, 0
}

// EndsWithin reports whether the rest of all histories is estimated to be read within a time. Streams that are read along with others have few
// records, and do not count.
func (p *Progress) EndsWithin(most time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range p.run.Tasks {
		known, h := p.streams[t], p.history[t]
		switch {
		case t.Stream.With != "" || known != nil && known.Backfill >= 1:
		case known != nil && known.Phase == "done" && !t.Stream.Read.Since.HasWindows():
		case h == nil || h.stored+h.open == 0 || h.timeLeft(p.run.Now()) > most:
			return false
		}
	}
	return true
}

// snapshotRun returns the state of the run at this moment, as run.json shows it.
func (p *Progress) snapshotRun() runlog.Running {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.run.Now()
	r := runlog.Running{Run: p.run.ID, Pipeline: p.run.Pipeline.Name, PID: os.Getpid(), Started: p.run.Started, At: now, Doing: p.doing, Percent: 100,
		Try: p.run.Options.Try, Narrow: p.run.Options.IsNarrow(), Part: p.run.Options.IsPart(), Span: p.run.Options.IsWindowed(), CaughtUp: p.run.Options.CaughtUp, Emulated: p.run.Runner.IsEmulated()}
	for _, t := range p.run.Tasks {
		s := runlog.RunningStream{Workspace: t.Workspace.Name, Stream: t.Stream.Name, Phase: "waiting", WaitsFor: describeWait(t), Backfill: t.earlierShare}
		if known := p.streams[t]; known != nil {
			s = *known
			s.Requests, s.WaitsFor = t.Workspace.Client.CountsFor(t.Stream).Requests, t.Workspace.Client.WaitsFor(t.Stream)
		}
		s.Expected = p.expectRequests(t, s.Requests)
		r.Rows += s.Rows
		r.Streams = append(r.Streams, s)
		if !t.Stream.Read.ByIDs() {
			r.Percent = min(r.Percent, 100*s.Backfill)
		}
	}
	for _, w := range p.run.Workspaces {
		r.Requests += w.Client.Requests()
	}
	p.forecast.Apply(&r, p.publishLeft(&r))
	return r
}

// describeWait says what a stream that has not begun waits for: its parent streams, or its turn.
func describeWait(t *Task) string {
	if over := t.Stream.Read.Over; over != nil && len(over.Streams)+len(over.After) > 0 {
		return strings.Join(slices.Concat(over.Streams, over.After), ", ")
	}
	return "its turn"
}

// watchEvery is the time between two calls of Runner.Watch, which draws the progress on a terminal.
const watchEvery = runlog.RunFileEvery / 4

// Announce writes run.json before the database is opened. So a run that is killed then is known, and another process that finds the warehouse
// locked can say which run has it. Until the caller calls done at the end of the run, the file never looks like that of a crashed run. done
// writes the trace and removes the file.
func (p *Progress) Announce() (done func(), err error) {
	file := p.run.Runner.Dir.RunFile()
	if err := p.saveRunFile(); err != nil {
		return nil, fmt.Errorf("write the live state of the run: %w", p.run.Runner.Dir.Explain(err))
	}
	stop := tickUntilStopped(runlog.RunFileEvery, func() bool {
		now := time.Now()
		return os.Chtimes(file, now, now) == nil
	})
	return func() {
		stop()
		p.keepTrace(p.run.Now())
		if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			p.run.Runner.Log.Warn("status will show this run as crashed", "error", err)
		}
	}, nil
}

// tickUntilStopped calls tick now and again after each interval of the machine's clock, until it returns false or stop is called. stop returns
// when the last call has ended.
func tickUntilStopped(every time.Duration, tick func() bool) (stop func()) {
	ended, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for tick() {
			select {
			case <-ended:
				return
			case <-ticker.C:
			}
		}
	}()
	return func() { close(ended); <-done }
}

// Write keeps run.json, the trace and the terminal up to date until stop is called; stop returns when the last write has ended. It ticks by
// the machine's clock even when the run has a clock of its own: other processes judge by the age of the file whether this one is alive.
func (p *Progress) Write() (stop func()) {
	n := 0
	return tickUntilStopped(watchEvery, func() bool {
		if n%(int(runlog.RunFileEvery/watchEvery)) == 0 {
			if err := p.saveRunFile(); err != nil {
				p.run.Runner.Log.Warn("status will not show this run", "error", err)
				return false
			}
		}
		if n%(runlog.TraceEvery*int(runlog.RunFileEvery/watchEvery)) == 0 {
			p.keepTrace(time.Time{})
		}
		p.notePace()
		if p.run.Runner.Watch != nil {
			p.run.Runner.Watch(p.snapshotRun())
		}
		n++
		return true
	})
}

func (p *Progress) saveRunFile() error {
	text, err := json.Marshal(p.snapshotRun())
	if err != nil {
		return fmt.Errorf("describe the run: %w", err)
	}
	return renameio.WriteFile(p.run.Runner.Dir.RunFile(), text, 0o600)
}
