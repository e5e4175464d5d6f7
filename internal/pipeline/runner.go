// Package pipeline joins the three steps: it plans what a pipeline reads, runs extract, transform and load over it, and
// reports what came of it.
package pipeline

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"aqueduck/extract"
	"aqueduck/internal/alert"
	"aqueduck/internal/sandbox"
	"aqueduck/load"
	"aqueduck/load/layout"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// Source is where a workspace is asked, and whether it is the emulator.
type Source struct {
	BaseURL  string
	Token    extract.Secret
	Refresh  func() (extract.Secret, error) // reads a rotated token; nil when there is none
	Emulated bool
	Now      func() time.Time // the clock that the workspace lives by; nil: the runner's
	Close    func() error     // ends what serves it; nil when nothing does
}

// Runner runs pipelines of one configuration into one warehouse.
type Runner struct {
	Config    *Config
	Catalogue *schemas.Catalogue
	Dir       layout.Dir
	Connect   func(ctx context.Context, workspace string) (Source, error)
	Now       func() time.Time
	Wait      func(context.Context, time.Duration) error
	Log       *slog.Logger
	Parallel  int                    // streams that are read side by side; 0: three
	Version   string                 // of the program, noted with each run
	Alerts    *alert.Sender          // told how runs go; nil: nobody is
	Ended     func(PastRun, *Report) // told by Run how a run ended, without a report when there was none; may be nil
	Watch     func(Running)          // shown a run under way now and then, by one goroutine; may be nil
	TellBegin bool                   // the log says at info when a stream begins, not at debug
	By        string                 // who moves checkpoints by hand, noted with each move
	Flags     []Origin               // that were given, and by what: noted with each run
	Given     Given                  // flags of the command line that next steps repeat
	Program   sandbox.Program        // this program, which makes the models of users in processes of its own; needed where there are any

	Interrupted func(context.Context) int // what the program ends with when a run was interrupted; nil: ExitInterrupted
}

// interrupted is the exit code of a run that was interrupted, by what did it.
func (r *Runner) interrupted(ctx context.Context) int {
	if r.Interrupted == nil {
		return ExitInterrupted
	}
	return r.Interrupted(ctx)
}

// Options narrow or widen one run.
type Options struct {
	Select, Exclude []string      // names or globs: stream, or pipeline.stream; none selects all
	Since, Until    time.Time     // read this span of the streams that are read by time and move no mark
	Failed          bool          // only the streams that did not end well in the pipeline's last run
	FullRefresh     bool          // forget the marks first: everything is read again, and what differs replaced
	MaxTime         time.Duration // 0: the pipeline's own
	MaxRequests     int64         // 0: the pipeline's own
	Limit           int64         // a stream is read no further than the page that brings so many records; 0: to its end
	Wait            time.Duration // how long to wait for another run
	AcceptDrop      []string      // streams or tables that may lose a large share of their rows
	AcceptHashKey   bool          // with FullRefresh: hash with the key that is there, or a new one, though stored values have another's hashes
	FailFast        bool          // a stream that fails ends the run: others commit what is whole
	Try             int           // which of the runs of one time of the schedule it is, from 1; 0: begun by hand, and not tried again
	CaughtUp        bool          // it makes up for a time of the schedule that was missed, or whose run did not come to its end

	id string // of the run; "": one is made
}

// narrow says that some streams, some records or a span of time are wanted only.
func (o *Options) narrow() bool {
	return len(o.Select)+len(o.Exclude) > 0 || o.Limit > 0 || o.windowed()
}

func (o *Options) windowed() bool { return !o.Since.IsZero() || !o.Until.IsZero() }

func (o *Options) acceptsDrop(names ...string) bool {
	for _, accepted := range o.AcceptDrop {
		for _, name := range names {
			if accepted == name {
				return true
			}
		}
	}
	return false
}

// acceptsLoss says that a stored table may lose any share of its rows: it was named, by its own name or its readers', or its
// stream was.
func acceptsLoss(r *run, schema, table string) bool {
	if r.options.acceptsDrop(table) {
		return true
	}
	var streams []*schemas.Stream
	for _, w := range r.workspaces {
		if w.name == schema {
			streams = slices.Concat(r.runner.stored(schema), w.exports.known)
		}
	}
	return slices.ContainsFunc(streams, func(s *schemas.Stream) bool {
		return slices.ContainsFunc(tables([]*schemas.Stream{s}), func(t transform.Table) bool {
			return t.Name == table && r.options.acceptsDrop(t.View, s.Name)
		})
	})
}

// Sync runs one pipeline once. The report tells how each stream ended; the error is what kept the run from being one:
// the lock, the disk, the configuration, another workspace's token.
func Sync(ctx context.Context, r *Runner, pipeline *Pipeline, o Options) (report *Report, err error) {
	defer extract.Caught(&err)
	if err := load.Prepare(r.Dir); err != nil {
		return nil, notUsable(err)
	}
	held, err := r.lock(ctx, o.Wait)
	var busy *layout.BusyError
	if errors.As(err, &busy) {
		return nil, &Problem{Class: "busy", What: busy.Error(), Next: "wait for it, by --wait, or see what it does: aqueduck status"}
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, held.Release()) }()

	if lost, err := noteCrashedRun(r); err != nil {
		return nil, err
	} else if lost != nil && lost.Pipeline != pipeline.Name {
		notifyRunEnded(ctx, r, lost) // this run does not make up for it
	}
	settled, restored, err := resumeErasures(ctx, r)
	if err != nil {
		return nil, err
	}
	run := &run{runner: r, config: r.Config, pipeline: pipeline, now: r.Now, writer: settled}
	defer func() { err = errors.Join(err, closeRun(run)) }()
	if o.id == "" {
		if o.id, err = r.nameRun(); err != nil {
			return nil, err
		}
	}
	run.options, run.id = o, o.id
	if err := openRun(ctx, run); err != nil {
		return nil, err
	}
	if restored != "" {
		run.note(restored)
	}
	if err := readAll(ctx, run); err != nil {
		return nil, err
	}
	return makeReport(run), nil
}

// HoldServeLock gives the right to run the pipelines of the warehouse at their times, as long as it is held.
func HoldServeLock(r *Runner) (*layout.LockHandle, error) {
	if err := load.Prepare(r.Dir); err != nil {
		return nil, notUsable(err)
	}
	held, err := layout.LockServing(r.Dir)
	var busy *layout.BusyError
	if errors.As(err, &busy) {
		return nil, &Problem{Class: "busy", What: busy.Error(), Next: "leave it to that one, or end it first; pipelines of another file can be added to its own"}
	}
	return held, err
}

// nameRun makes the id of a run: ids sort by when their runs began.
func (r *Runner) nameRun() (string, error) {
	id, err := ulid.New(ulid.Timestamp(r.Now()), ulid.DefaultEntropy())
	if err != nil {
		return "", fmt.Errorf("name the run: %w", err)
	}
	return id.String(), nil
}

// lock waits for the right to write, and says whom for.
func (r *Runner) lock(ctx context.Context, wait time.Duration) (*layout.LockHandle, error) {
	held, err := layout.Lock(ctx, r.Dir, 0, r.Wait)
	var busy *layout.BusyError
	if wait <= 0 || !errors.As(err, &busy) {
		return held, err
	}
	r.Log.Warn("waiting: another process writes this warehouse", "holder", busy.Holder, "at_most", wait)
	return layout.Lock(ctx, r.Dir, wait, r.Wait)
}

func notUsable(err error) *Problem {
	if load.Forbidden(err) {
		return &Problem{Class: "config", What: "the warehouse directory is not this user's to write", Err: err,
			Next: "run it as the user that the warehouse belongs to, or name another directory: --dir DIR"}
	}
	return &Problem{Class: "config", What: "the warehouse directory cannot be used", Err: err,
		Next: "give an empty directory, or the one of this warehouse: warehouse.dir in pipelines.yaml, or --dir"}
}

// openRun connects the workspaces and opens the work database.
func openRun(ctx context.Context, r *run) error {
	for _, name := range r.pipeline.Workspaces(r.config) {
		w, err := connectWorkspace(ctx, r, name)
		if w != nil {
			r.workspaces = append(r.workspaces, w) // closed with the run, whatever else fails
		}
		if err != nil {
			return err
		}
		if w.source.Now != nil {
			r.now = w.source.Now
		}
	}
	r.started = r.now()
	r.reported = Report{Pipeline: r.pipeline.Name, RunID: r.id, Started: r.started, Dir: r.runner.Dir, given: r.runner.Given}
	for _, w := range r.workspaces {
		if v := w.config.APIVersion; !slices.Contains(r.reported.APIVersions, v) {
			r.reported.APIVersions = append(r.reported.APIVersions, v)
		}
	}
	if limit := firstSet(r.options.MaxTime, r.pipeline.MaxTime); limit > 0 {
		r.deadline = r.started.Add(limit)
		stopAt(r, r.started.Add(max(limit, toBegin)))
	}
	spec, err := publishSpec(r.runner, r.id, r.workspaces)
	if err != nil {
		return err
	}
	spec.Accept = func(schema, table string) bool { return acceptsLoss(r, schema, table) }
	r.progress = newProgress(r)
	r.publish = func(ctx context.Context) error { return publishRun(ctx, r, true) }
	if options := r.runner.loadOptions(r.now, r.id); r.writer != nil {
		r.writer.become(options, spec)
	} else if r.writer, err = openWriter(ctx, r.runner.Dir, options, spec, r.runner.Catalogue); err != nil {
		return err
	}
	if err := r.writer.remember(ctx); err != nil {
		return err
	}
	if r.rehash, err = findHashKey(ctx, r); err != nil {
		return err
	}
	if note := r.writer.work.Restored; note != "" {
		r.reported.Notes = append(r.reported.Notes, note)
	}
	return nil
}

// closeRun ends what open began, as far as it came.
func closeRun(r *run) error {
	var errs []error
	if r.writer != nil {
		errs = append(errs, r.writer.close())
	}
	for _, w := range r.workspaces {
		if w.client != nil {
			w.client.Close()
		}
		if w.source.Close != nil {
			errs = append(errs, w.source.Close())
		}
	}
	return errors.Join(errs...)
}

func connectWorkspace(ctx context.Context, r *run, name string) (*workspace, error) {
	source, err := r.runner.Connect(ctx, name)
	if err != nil {
		return nil, err
	}
	w := &workspace{name: name, config: r.config.Workspaces[name], source: source}
	if w.client, err = newClient(r, name, source); err != nil {
		return w, err
	}
	w.streams, err = r.runner.streams(r.pipeline, &r.options)
	return w, err
}

func newClient(r *run, name string, source Source) (*extract.Client, error) {
	config := r.config.Workspaces[name]
	client, err := extract.New(extract.Options{
		BaseURL: source.BaseURL, Token: source.Token, Refresh: source.Refresh,
		Version: config.APIVersion, VersionHeader: config.VersionHeader, FileHosts: config.DownloadHosts,
		Budget: config.budget, MaxRequests: firstSet(r.options.MaxRequests, r.pipeline.MaxRequests),
		Now: clock(source, r.now), Wait: r.runner.Wait,
	})
	if err != nil {
		return nil, &Problem{Class: "config", What: "workspace " + name, Err: err, Next: "correct workspaces." + name + " in pipelines.yaml, or the variable it names"}
	}
	return client, nil
}

// toBegin is what a run takes to know whom it reads and what, however little time it has: what it then says of its streams is true.
const toBegin = 30 * time.Second

// stopAt has the workspaces' clients send nothing more from some time on.
func stopAt(r *run, t time.Time) {
	for _, w := range r.workspaces {
		w.client.StopAt(t)
	}
}

func clock(s Source, machine func() time.Time) func() time.Time {
	if s.Now != nil {
		return s.Now
	}
	return machine
}

func firstSet[T int | int64 | time.Duration](values ...T) T {
	for _, v := range values {
		if v != 0 {
			return v
		}
	}
	return 0
}
