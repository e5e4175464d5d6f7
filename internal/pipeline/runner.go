// Package pipeline joins the three steps: it plans what a pipeline reads, runs extract, transform and load over it, and
// reports what came of it.
package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"aqueduck/extract"
	"aqueduck/internal/alert"
	"aqueduck/load"
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
	Dir       load.Dir
	Connect   func(ctx context.Context, workspace string) (Source, error)
	Now       func() time.Time
	Wait      func(context.Context, time.Duration) error
	Log       *slog.Logger
	Parallel  int                    // streams that are read side by side; 0: three
	Version   string                 // of the program, noted with each run
	Alerts    *alert.Sender          // told how runs go; nil: nobody is
	Ended     func(PastRun, *Report) // told by Run how a run ended, without a report when there was none; may be nil
	Watch     func(Running)          // shown a run under way now and then, by one goroutine; may be nil
}

// Options narrow or widen one run.
type Options struct {
	Select, Exclude []string      // stream names or globs; none selects all
	Since, Until    time.Time     // read this span of the streams that are read by time and move no mark
	Failed          bool          // only the streams that did not end well in the pipeline's last run
	FullRefresh     bool          // forget the marks first: everything is read and compared again
	MaxTime         time.Duration // 0: the pipeline's own
	MaxRequests     int64         // 0: the pipeline's own
	Wait            time.Duration // how long to wait for another run
	AcceptDrop      []string      // streams or tables that may lose a large share of their rows

	id string // of the run; "": one is made
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
func (r *run) acceptsLoss(schema, table string) bool {
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
func (r *Runner) Sync(ctx context.Context, pipeline *Pipeline, o Options) (report *Report, err error) {
	if err := r.Dir.Prepare(); err != nil {
		return nil, notUsable(err)
	}
	held, err := r.lock(ctx, o.Wait)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, held.Release()) }()

	restored, err := r.settle(ctx)
	if err != nil {
		return nil, err
	}
	if o.id == "" {
		if o.id, err = r.nameRun(); err != nil {
			return nil, err
		}
	}
	run := &run{runner: r, config: r.Config, pipeline: pipeline, options: o, id: o.id, now: r.Now}
	defer func() { err = errors.Join(err, run.close()) }()
	if err := run.open(ctx); err != nil {
		return nil, err
	}
	if restored != "" {
		run.note(restored)
	}
	if err := run.do(ctx); err != nil {
		return nil, err
	}
	return run.report(), nil
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
func (r *Runner) lock(ctx context.Context, wait time.Duration) (*load.Held, error) {
	held, err := load.Lock(ctx, r.Dir, 0, r.Wait)
	var busy *load.BusyError
	if wait <= 0 || !errors.As(err, &busy) {
		return held, err
	}
	r.Log.Warn("waiting: another process writes this warehouse", "holder", busy.Holder, "at_most", wait)
	return load.Lock(ctx, r.Dir, wait, r.Wait)
}

func notUsable(err error) *Problem {
	return &Problem{Class: "config", What: "the warehouse directory cannot be used", Err: err,
		Next: "give an empty directory, or the one of this warehouse: warehouse.dir in pipelines.yaml, or --dir"}
}

// open connects the workspaces and opens the work database.
func (r *run) open(ctx context.Context) error {
	for _, name := range r.pipeline.Workspaces(r.config) {
		w, err := r.connect(ctx, name)
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
	r.reported = Report{Pipeline: r.pipeline.Name, RunID: r.id, Started: r.started}
	if limit := firstSet(r.options.MaxTime, r.pipeline.MaxTime); limit > 0 {
		r.deadline = r.started.Add(limit)
		r.stopAt(r.started.Add(max(limit, toBegin)))
	}
	var err error
	if r.hashKey, err = r.runner.Dir.HashKey(); err != nil {
		return &Problem{Class: "config", What: "read the key for hashed columns", Err: err,
			Next: "put the file back from a backup; without it, remove the file: hashed values will be others from then on"}
	}
	spec, err := r.runner.spec(r.id, r.workspaces)
	if err != nil {
		return err
	}
	spec.Accept = r.acceptsLoss
	r.progress = newProgress(r)
	r.writer, err = openWriter(ctx, r.runner.Dir, r.runner.loadOptions(r.now, r.id), spec, r.runner.Catalogue)
	if err != nil {
		return err
	}
	if err := r.writer.remember(ctx); err != nil {
		return err
	}
	if note := r.writer.work.Restored; note != "" {
		r.reported.Notes = append(r.reported.Notes, note)
	}
	return nil
}

// close ends what open began, as far as it came.
func (r *run) close() error {
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

func (r *run) connect(ctx context.Context, name string) (*workspace, error) {
	source, err := r.runner.Connect(ctx, name)
	if err != nil {
		return nil, err
	}
	w := &workspace{name: name, config: r.config.Workspaces[name], source: source}
	if w.client, err = r.client(name, source); err != nil {
		return w, err
	}
	w.streams, err = r.runner.streams(r.pipeline, &r.options)
	return w, err
}

func (r *run) client(name string, source Source) (*extract.Client, error) {
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
func (r *run) stopAt(t time.Time) {
	for _, w := range r.workspaces {
		w.client.StopAt(t)
	}
}

// identify refuses to mix two workspaces, or the emulator and a real one, in one warehouse. It asks for one record of a
// stream that names its workspace, before anything is written.
func (r *run) identify(ctx context.Context, w *workspace) error {
	var pinned load.Workspace
	var known bool
	err := r.writer.use(func(work *load.Work) (err error) {
		pinned, known, err = work.Workspace(ctx, w.name)
		return err
	})
	if err != nil {
		return err
	}
	if known && pinned.Emulated != w.source.Emulated {
		return mixed(w, pinned)
	}
	id := pinned.ID
	for _, s := range r.runner.Catalogue.Streams() {
		if s.Identity == nil || s.Read.ByIDs() {
			continue
		}
		record, server, err := w.client.One(ctx, s)
		var api *extract.Error
		if errors.As(err, &api) && (api.Class == extract.ClassPlan || api.Class == extract.ClassScope) {
			continue // another stream may tell, and this one will say so itself
		}
		if err != nil {
			return unidentified(fmt.Errorf("read one record of %s to know the workspace: %w", s.Name, err))
		}
		if found := field(record, s.Identity); found != "" {
			id = found
		}
		r.compareClocks(w, server)
		break
	}
	if known && pinned.ID != "" && id != pinned.ID {
		return &Problem{Class: "config",
			What: fmt.Sprintf("the token belongs to workspace %s, this warehouse holds workspace %s; nothing was written", id, pinned.ID),
			Next: "give the token of " + pinned.ID + ", or another directory: --dir DIR"}
	}
	return r.writer.use(func(work *load.Work) error {
		return work.Pin(ctx, load.Workspace{Schema: w.name, ID: id, BaseURL: w.source.BaseURL, Emulated: w.source.Emulated, APIVersion: w.config.APIVersion})
	})
}

// unidentified tells of an answer, or none, that left the run without knowing whom it reads.
func unidentified(err error) error {
	if extract.ClassOf(err) == "" {
		return err
	}
	p := classify(err)
	var api *extract.Error
	switch {
	case errors.As(err, &api) && api.Status >= 500:
		p.Next = "run the same command again once the API answers; nothing was written"
	case p.Class == "transient" || p.Class == "data":
		p.Next = "see that base_url is the address of the workspace's region and can be reached, then run the same command again; nothing was written"
	}
	return p
}

// clockSkew is how far two clocks may be apart before it is worth a word.
const clockSkew = 30 * time.Second

// compareClocks tells when the machine's clock and the workspace's differ. Marks go by the workspace's, so nothing is
// lost; the times of commits, and those at which pipelines begin, go by the machine's.
func (r *run) compareClocks(w *workspace, server time.Time) {
	if skew := r.now().Sub(server); !server.IsZero() && skew.Abs() > clockSkew {
		word := "ahead of"
		if skew < 0 {
			word = "behind"
		}
		r.reported.Notes = append(r.reported.Notes, fmt.Sprintf("this machine's clock is %s %s that of %s", brief(skew.Abs()), word, w.name))
	}
}

func mixed(w *workspace, pinned load.Workspace) *Problem {
	p := &Problem{Class: "config", Next: "give another directory: --dir DIR"}
	p.What = "this warehouse holds data of workspace " + pinned.ID + " and " + w.name + " is the emulator; nothing was written"
	if pinned.Emulated {
		p.What = "this warehouse was filled by the emulator and " + w.name + " is a real workspace; nothing was written"
	}
	return p
}

// field reads one field of a record, as text, by its path.
func field(record []byte, path []string) string {
	for _, name := range path {
		var object map[string]json.RawMessage
		if json.Unmarshal(record, &object) != nil {
			return ""
		}
		record = object[name]
	}
	var s string
	if json.Unmarshal(record, &s) == nil {
		return s
	}
	return string(record)
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
