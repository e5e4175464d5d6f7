package sync

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"aqueduck/extract"
	"aqueduck/extract/api"
	"aqueduck/internal/config"
	"aqueduck/internal/dictionary"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync/stream"
	"aqueduck/internal/sync/warehouse"
	"aqueduck/load/layout"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// acceptsLoss reports whether the operator accepted a large loss of rows of a stored table: by its name, its view's name or its stream's name.
func acceptsLoss(r *stream.Run, schema, table string) bool {
	if r.Options.AcceptsDrop(table) {
		return true
	}
	var streams []*schemas.Stream
	for _, w := range r.Workspaces {
		if w.Name == schema {
			streams = slices.Concat(r.Runner.StoredStreams(schema), w.Exports.Known)
		}
	}
	return slices.ContainsFunc(streams, func(s *schemas.Stream) bool {
		return slices.ContainsFunc(dictionary.Tables([]*schemas.Stream{s}), func(t transform.Table) bool {
			return t.Name == table && r.Options.AcceptsDrop(t.View, s.Name)
		})
	})
}

// Sync runs one pipeline once. The report says how each stream ended. The error says why the run did not take place: the lock, the disk, the
// configuration, another workspace's token.
func Sync(ctx context.Context, r *runner.Runner, pipeline *config.Pipeline, o runner.Options) (report *runlog.Report, err error) {
	defer extract.RecoverPanic(&err)
	if err := r.CheckMirror(); err != nil {
		return nil, err
	}
	if err := r.PrepareDir(); err != nil {
		return nil, err
	}
	lock, err := r.Lock(ctx, o.Wait)
	var busy *layout.BusyError
	if errors.As(err, &busy) {
		return nil, &problem.Problem{Class: "busy", What: busy.Error(), Next: problem.BusyNext}
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()

	note, err := TakeRemote(ctx, r)
	if err != nil {
		return nil, err
	}
	if lost, err := noteCrashedRun(r); err != nil {
		return nil, err
	} else if lost != nil && lost.Pipeline != pipeline.Name {
		notifyRunEnded(ctx, r, lost, driftOfRun(ctx, r, lost.Run, nil)) // a run of the same pipeline would be its catch-up run
	}
	unchanged, restored, err := resumeErasures(ctx, r)
	if err != nil {
		return nil, err
	}
	run := &stream.Run{Runner: r, Config: r.Config, Pipeline: pipeline, Now: r.Now, Writer: unchanged}
	defer func() { err = errors.Join(err, closeRun(run)) }()
	if o.RunID == "" {
		if o.RunID, err = r.NameRun(); err != nil {
			return nil, err
		}
	}
	run.Options, run.ID = o, o.RunID
	if err := openRun(ctx, run); err != nil {
		return nil, err
	}
	for _, text := range []string{note, restored} {
		if text != "" {
			run.AddNote(text)
		}
	}
	if err := readAll(ctx, run); err != nil {
		return nil, err
	}
	mirrorRun(ctx, run)
	return makeReport(run), nil
}

// openRun connects the workspaces and opens the work database. closeRun releases both, also after an error.
func openRun(ctx context.Context, r *stream.Run) error {
	for _, name := range r.Pipeline.Workspaces(r.Config) {
		w, err := connectWorkspace(ctx, r, name)
		if w != nil {
			r.Workspaces = append(r.Workspaces, w) // before the error: closeRun closes it
		}
		if err != nil {
			return err
		}
	}
	r.Started = r.Now()
	r.Reported = runlog.Report{Pipeline: r.Pipeline.Name, RunID: r.ID, Started: r.Started, Dir: r.Runner.Dir, Given: r.Runner.Given}
	if r.Reported.Emulated = r.Runner.IsEmulated(); r.Reported.Emulated {
		r.Runner.Log.Info(runlog.SaysEmulated)
	}
	for _, w := range r.Workspaces {
		if v := w.Config.APIVersion; !slices.Contains(r.Reported.APIVersions, v) {
			r.Reported.APIVersions = append(r.Reported.APIVersions, v)
		}
	}
	if limit := cmp.Or(r.Options.MaxTime, r.Pipeline.MaxTime); limit > 0 {
		r.Deadline = r.Started.Add(limit)
		stopAt(r, r.Started.Add(max(limit, minRunTime)))
	}
	spec, err := publishSpec(r.Runner, r.ID, r.Workspaces)
	if err != nil {
		return err
	}
	spec.What = "run of " + r.Pipeline.Name
	// The publish that ends an erasure was held back. If this run accepts the loss, the next one ends it, with the files of all workspaces.
	spec.Elsewhere = r.Runner.Dir.Erasing() && len(spec.Schemas) < len(r.Config.WorkspaceNames())
	spec.Accept = func(schema, table string) bool { return acceptsLoss(r, schema, table) }
	r.Progress = stream.NewProgress(r)
	spec.Step = r.Progress.BeginStep
	if r.Withdraw, err = r.Progress.Announce(); err != nil {
		return err
	}
	r.Publish = func(ctx context.Context) error { return publishRun(ctx, r, true) }
	if options := r.Runner.LoadOptions(r.Now, r.ID); r.Writer != nil {
		r.Writer.AdoptRun(options, spec)
	} else if r.Writer, err = warehouse.OpenWriter(ctx, r.Runner.Dir, options, spec, r.Runner.Catalogue); err != nil {
		return err
	}
	if err := r.Writer.SnapshotReaders(ctx); err != nil {
		return err
	}
	if err := findLostWarehouse(ctx, r); err != nil {
		return err
	}
	if r.Rehash, err = findHashKey(ctx, r); err != nil {
		return err
	}
	if note := r.Writer.Work.Restored; note != "" {
		r.Reported.Notes, r.Reported.Restored = append(r.Reported.Notes, note), note
		r.Runner.Log.Warn("the run began from a restored file", "cause", note, "next", "check the disk (dmesg)")
	}
	return nil
}

// closeRun closes what openRun opened, as far as that came.
func closeRun(r *stream.Run) error {
	var errs []error
	if r.Withdraw != nil {
		r.Withdraw()
	}
	if r.Writer != nil {
		errs = append(errs, r.Writer.Close())
	}
	for _, w := range r.Workspaces {
		if w.Client != nil {
			w.Client.Close()
		}
		if w.Source.Close != nil {
			errs = append(errs, w.Source.Close())
		}
	}
	return errors.Join(errs...)
}

func connectWorkspace(ctx context.Context, r *stream.Run, name string) (*stream.Workspace, error) {
	source, err := r.Runner.Connect(ctx, name)
	if err != nil {
		return nil, err
	}
	w := &stream.Workspace{Name: name, Config: r.Config.Workspaces[name], Source: source}
	most := cmp.Or(r.Options.MaxRequests, r.Pipeline.MaxRequests)
	if w.Client, err = NewClient(r.Runner, name, source, most); err != nil {
		return w, err
	}
	w.Client.HideNames((&nameFilter{run: r, workspace: name}).hideNames)
	w.Streams, err = r.Runner.SelectStreams(r.Pipeline, &r.Options)
	return w, err
}

// NewClient returns a client for a workspace, with the request budget that all pipelines share. It sends at most so many requests, 0 for any
// number. The caller closes it.
func NewClient(r *runner.Runner, name string, source runner.Source, most int64) (*api.Client, error) {
	config := r.Config.Workspaces[name]
	client, err := api.New(api.Options{
		BaseURL: source.BaseURL, Token: source.Token, Refresh: source.Refresh,
		Version: config.APIVersion, VersionHeader: config.VersionHeader, FileHosts: config.DownloadHosts,
		Budget: config.Budget, MaxRequests: most, Now: r.Now, Wait: r.Wait,
	})
	if err != nil {
		return nil, &problem.Problem{Class: "config", What: "workspace " + name, Err: err, Next: "correct workspaces." + name + " in pipelines.yaml, or the variable it names"}
	}
	return client, nil
}

// minRunTime is the time that a run may use to identify its workspaces and list their streams, even when its max_time is shorter. Without these its
// report would be wrong.
const minRunTime = 30 * time.Second

// stopAt makes the workspaces' clients refuse requests from a time on.
func stopAt(r *stream.Run, t time.Time) {
	for _, w := range r.Workspaces {
		w.Client.StopAt(t)
	}
}
