package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/renameio/v2"

	"aqueduck/extract"
	"aqueduck/load"
)

// Running is what run.json says of the run under way; status reads it.
type Running struct {
	Run      string          `json:"run"`
	Pipeline string          `json:"pipeline"`
	PID      int             `json:"pid"`
	Started  time.Time       `json:"started"`
	At       time.Time       `json:"at"`    // when this was written
	Doing    string          `json:"doing"` // reading, publishing
	Percent  float64         `json:"percent"`
	Left     time.Duration   `json:"left_ns"` // estimate; 0 unknown
	Streams  []RunningStream `json:"streams"`
	Rows     int64           `json:"rows"`
	Requests int64           `json:"requests"`
	Try      int             `json:"try,omitempty"`       // as PastRun has it
	Narrow   bool            `json:"narrow,omitempty"`    // as PastRun has it
	CaughtUp bool            `json:"caught_up,omitempty"` // as PastRun has it
}

// RunningStream is one stream of a run under way.
type RunningStream struct {
	Workspace string    `json:"workspace"`
	Stream    string    `json:"stream"`
	Phase     string    `json:"phase"`               // waiting, forward, history, done
	WaitsFor  string    `json:"waits_for,omitempty"` // the streams it is read under, its turn, the rate limit, the next try; "": nothing
	Requests  int64     `json:"requests"`
	Extracted int64     `json:"extracted"`
	Rows      int64     `json:"rows"`
	Backfill  float64   `json:"backfill"`
	SyncedTo  time.Time `json:"synced_to,omitzero"`
}

// progress gathers what the streams of a run do, for the log, for run.json and for the estimates in the report.
type progress struct {
	run *run

	mu      sync.Mutex // guards what follows
	doing   string
	streams map[*task]*RunningStream
	history map[*task]*backfill

	traces    map[*task]*traced
	published []Span
	since     time.Time // when the publish under way began
}

// backfill is how much of a stream's history is read: records stored against what the source counts. Of a source that does
// not count it is seconds read of those from the start to now.
type backfill struct {
	began         time.Time
	before, total int64     // stored when this run began with the history; counted by the source
	known, stored int64     // new records of this run until then, and since; what is read again does not count
	open          int64     // read and not yet stored
	at            time.Time // of the last page
	least         float64   // what earlier runs said: the share goes back for no record that has come to the source since
	from          int64     // of seconds: where the history began in this run; 0 of records
}

func newProgress(r *run) *progress {
	return &progress{run: r, doing: "reading", streams: map[*task]*RunningStream{}, history: map[*task]*backfill{}, traces: map[*task]*traced{}}
}

func (p *progress) start(ctx context.Context, t *task, phase extract.Phase) {
	p.mu.Lock()
	defer p.mu.Unlock()
	level := slog.LevelDebug
	if p.streams[t] == nil && p.run.runner.TellBegin {
		level = slog.LevelInfo
	}
	p.streams[t] = &RunningStream{Workspace: t.workspace.name, Stream: t.stream.Name, Phase: string(phase), Extracted: t.result.Extracted, Rows: t.result.Rows, SyncedTo: unix(t.state.SyncedTo), Backfill: max(t.reached(), t.found)}
	p.begins(t)
	p.run.runner.Log.Log(ctx, level, "stream begins", "stream", p.called(t), "phase", phase)
}

func (p *progress) page(t *task, page extract.Page) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.streams[t].Extracted += int64(len(page.Records))
	p.waits(t)
	if h := p.history[t]; h != nil {
		h.open, h.at = int64(t.decoder.Records()), p.run.now()
		h.seconds(t)
	}
}

// reshaped changes what a task is made of: others look at it while its stream is read.
func (p *progress) reshaped(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

// trim gives up memory that the decoders keep for batches to come.
func (p *progress) trim() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range p.run.tasks {
		t.decoder.Trim()
	}
}

// exported counts the rows of a file.
func (p *progress) exported(t *task, rows int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.streams[t].Extracted += rows
}

func (p *progress) committed(t *task, began time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.commits(t, began)
	if s := p.streams[t]; s != nil {
		s.Rows, s.SyncedTo, s.Backfill = t.result.Rows, unix(t.state.SyncedTo), max(t.reached(), t.found)
	}
	if h := p.history[t]; h != nil {
		h.stored, h.open = t.result.New-h.known, 0
		h.seconds(t)
		p.streams[t].Backfill = h.share()
	}
}

func (p *progress) end(t *task) {
	p.mu.Lock()
	p.streams[t].Phase, p.streams[t].Backfill = "done", max(t.reached(), t.found)
	if h := p.history[t]; h != nil && t.owesHistory() {
		p.streams[t].Backfill = h.share()
	}
	p.ends(t)
	p.mu.Unlock()
	p.told(t)
}

// told logs how a stream ended: whoever asked for the last line alone finds there why it failed.
func (p *progress) told(t *task) {
	sent := t.workspace.client.Sent(t.stream)
	words := []any{"stream", p.called(t), "extracted", t.result.Extracted, "rows", t.result.Rows, "requests", sent.Requests, "took", brief(t.result.Time)}
	if t.result.Error != "" {
		words = append(words, "class", t.result.Class, "error", t.result.Error, "next", t.result.Next)
	}
	p.run.runner.Log.Info("stream "+string(t.result.Status), words...)
}

// called is how the log, and notes, call a stream.
func (p *progress) called(t *task) string {
	return Called(p.run.tasks, func(t *task) (string, string) { return t.workspace.name, t.stream.Name })(t)
}

func (p *progress) publishing(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.doing = "reading"
	if on {
		p.doing, p.since = "publishing", p.run.now()
		return
	}
	p.published = stretch(p.published, Span{"publishing", p.since, p.run.now()}, p.run.started)
}

// measure begins the estimate of a stream's history: one request for the source's count, one query for ours.
func (p *progress) measure(ctx context.Context, t *task) {
	if t.stream.Read.Since.By == "between" {
		p.measureTime(t)
		return
	}
	if t.days != nil {
		return // its days tell
	}
	total, err := t.workspace.client.Count(ctx, t.stream)
	if err != nil || total <= 0 {
		return // the estimate is a courtesy; reading will meet the same answer and report it
	}
	var stored int64
	err = p.run.writer.use(func(work *load.Work) (err error) {
		stored, err = work.Rows(ctx, t.workspace.name, t.tables[0].Name)
		return err
	})
	if err != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.history[t] = &backfill{began: p.run.now(), before: stored, total: total, known: t.result.New, least: t.found}
}

// measureTime begins the estimate for a source that does not count. Without a start nobody knows where it ends.
func (p *progress) measureTime(t *task) {
	if t.start.IsZero() || t.state.HistoryTo == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.run.now()
	p.history[t] = &backfill{began: now, before: max(0, now.Unix()-t.state.HistoryTo), total: max(1, now.Unix()-t.start.Unix()), from: t.state.HistoryTo, least: t.found}
}

// seconds takes what was read of the time instead of what was read of the records, where that is what is measured.
func (b *backfill) seconds(t *task) {
	if b.from > 0 {
		b.stored, b.open = max(0, b.from-t.state.HistoryTo), 0
	}
}

func (b *backfill) share() float64 {
	return max(b.least, min(0.99, float64(b.before+b.stored)/float64(b.total)))
}

// left estimates how long the rest takes at this run's pace; 0 when nothing was read yet.
func (b *backfill) left(now time.Time) time.Duration {
	read := b.stored + b.open
	if read == 0 {
		return 0
	}
	rest := max(0, b.total-b.before-read)
	return max(0, time.Duration(float64(b.at.Sub(b.began))/float64(read)*float64(rest))-now.Sub(b.at))
}

// backfilled is the share of a stream's history that is read and the time the rest may take.
func (p *progress) backfilled(t *task) (share float64, left time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.stream.Read.ByIDs() || t.state.SyncedTo > 0 && !t.owesHistory() {
		return 1, 0
	}
	if t.days != nil {
		return t.days.daysRead(), 0
	}
	if h := p.history[t]; h != nil {
		return h.share(), h.left(p.run.now())
	}
	return t.found, 0
}

// snapshot is the run as it stands.
func (p *progress) snapshot() Running {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.run.now()
	r := Running{Run: p.run.id, Pipeline: p.run.pipeline.Name, PID: os.Getpid(), Started: p.run.started, At: now, Doing: p.doing, Percent: 100,
		Try: p.run.options.Try, Narrow: p.run.options.narrow(), CaughtUp: p.run.options.CaughtUp}
	for _, t := range p.run.tasks {
		s := RunningStream{Workspace: t.workspace.name, Stream: t.stream.Name, Phase: "waiting", WaitsFor: describeWait(t), Backfill: t.found}
		if known := p.streams[t]; known != nil {
			s = *known
			s.Requests, s.WaitsFor = t.workspace.client.Sent(t.stream).Requests, t.workspace.client.WaitsFor(t.stream)
		}
		r.Rows += s.Rows
		r.Streams = append(r.Streams, s)
		if h := p.history[t]; h != nil && s.Backfill < 1 {
			r.Left = max(r.Left, h.left(now))
		}
		if !t.stream.Read.ByIDs() {
			r.Percent = min(r.Percent, 100*s.Backfill)
		}
	}
	for _, w := range p.run.workspaces {
		r.Requests += w.client.Requests()
	}
	return r
}

// describeWait is what a stream waits for that has not begun: those that it is read under, or its turn.
func describeWait(t *task) string {
	if over := t.stream.Read.Over; over != nil && len(over.Streams)+len(over.After) > 0 {
		return strings.Join(slices.Concat(over.Streams, over.After), ", ")
	}
	return "its turn"
}

// runFileEvery is how old run.json may be; whoever asks for the status waits no longer than this for the truth.
const runFileEvery = 2 * time.Second

// watchEvery is how often somebody who watches is shown the run.
const watchEvery = runFileEvery / 4

// announce writes run.json before the first request, so that whoever finds the warehouse locked can read by whom. What
// it gives removes the file at the end of the run.
func (p *progress) announce() (done func(), err error) {
	if err := p.save(); err != nil {
		return nil, fmt.Errorf("tell others of this run: %w", p.run.runner.Dir.Explain(err))
	}
	return func() {
		p.keepTrace(p.run.now())
		if err := os.Remove(p.run.runner.Dir.RunFile()); err != nil && !errors.Is(err, os.ErrNotExist) {
			p.run.runner.Log.Warn("status will show this run as lost", "error", err)
		}
	}, nil
}

// write keeps run.json up to date until stop is called. It runs by the machine's clock: it tells about the process,
// whatever time the run lives in.
func (p *progress) write(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for n := 0; ; n++ {
			if n%(int(runFileEvery/watchEvery)) == 0 {
				if err := p.save(); err != nil {
					p.run.runner.Log.Warn("status will not show this run", "error", err)
					return
				}
			}
			if n%(traceEvery*int(runFileEvery/watchEvery)) == 0 {
				p.keepTrace(time.Time{})
			}
			if p.run.runner.Watch != nil {
				p.run.runner.Watch(p.snapshot())
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
	return func() { cancel(); <-done }
}

func (p *progress) save() error {
	text, err := json.Marshal(p.snapshot())
	if err != nil {
		return fmt.Errorf("describe the run: %w", err)
	}
	return renameio.WriteFile(p.run.runner.Dir.RunFile(), text, 0o600)
}
