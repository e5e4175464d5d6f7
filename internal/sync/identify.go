package sync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"aqueduck/extract"
	"aqueduck/extract/api"
	"aqueduck/internal/config"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync/stream"
	"aqueduck/internal/term"
	"aqueduck/load"
	"aqueduck/load/layout"
	"aqueduck/schemas"
)

// identifyWorkspace refuses to mix two workspaces, or the emulator and a real workspace, in one warehouse, before anything is written. A workspace
// that does not answer is marked as lost for this run; the other workspaces are read.
func identifyWorkspace(ctx context.Context, r *stream.Run, w *stream.Workspace) error {
	var pinned load.Workspace
	var known bool
	err := r.Writer.Use(func(work *load.Work) (err error) {
		pinned, known, err = work.Records.FindWorkspace(ctx, w.Name)
		return err
	})
	if err != nil {
		return err
	}
	if err := checkOneClock(ctx, r, w, pinned); err != nil {
		return err
	}
	id, err := fetchWorkspaceID(ctx, w, IdentityStreams(r.Runner, w.Name, pinned.ID))
	if err != nil {
		if w.Lost = Unidentified(err); !known && isOtherAPI(err) {
			w.Lost = otherAPI(w, err)
		}
		w.Refused.Store(true)
		return nil
	}
	if id = cmp.Or(id, pinned.ID); known && pinned.ID != "" && id != pinned.ID {
		return &problem.Problem{Class: "config",
			What: fmt.Sprintf("the token belongs to workspace %s, but this warehouse holds workspace %s; nothing was written", id, pinned.ID),
			Next: "give the token of " + pinned.ID + ", or another directory: --dir DIR"}
	}
	if w.Source.Keep != nil {
		if err := w.Source.Keep(); err != nil {
			return err
		}
	}
	return r.Writer.Use(func(work *load.Work) error {
		return work.Records.PinWorkspace(ctx, load.Workspace{Schema: w.Name, ID: id, BaseURL: w.Source.BaseURL, Emulated: w.Source.Emulated, APIVersion: w.Config.APIVersion})
	})
}

// IdentityStreams are the streams that may state a workspace's id, in the order in which they are asked. A workspace of which the
// pipelines read only streams of the user's own files may belong to another API, which has none of the built-in streams: those are
// asked only if the warehouse knows the id (pinned) and no own stream states it.
func IdentityStreams(r *runner.Runner, workspace, pinned string) []*schemas.Stream {
	var all, own []*schemas.Stream
	for _, s := range r.Catalogue.Streams() {
		if s.Identity == nil || s.Read.ByIDs() {
			continue
		}
		if all = append(all, s); !s.BuiltIn && isRead(r, workspace, s) {
			own = append(own, s)
		}
	}
	if readsStream(r, workspace, true) || own == nil && pinned != "" {
		return all
	}
	return own
}

// ReadsOwnOnly reports whether the pipelines read streams of a workspace, and only those of the user's own files. It may belong to another API.
func ReadsOwnOnly(r *runner.Runner, workspace string) bool {
	return readsStream(r, workspace, false) && !readsStream(r, workspace, true)
}

// readsStream reports whether a pipeline reads a built-in stream of a workspace, or one of the user's own files.
func readsStream(r *runner.Runner, workspace string, builtIn bool) bool {
	return slices.ContainsFunc(r.Catalogue.Streams(), func(s *schemas.Stream) bool { return s.BuiltIn == builtIn && isRead(r, workspace, s) })
}

// isRead reports whether a pipeline reads the stream of a workspace.
func isRead(r *runner.Runner, workspace string, s *schemas.Stream) bool {
	return slices.ContainsFunc(r.Config.Pipelines, func(p *config.Pipeline) bool {
		return slices.Contains(p.Workspaces(r.Config), workspace) && slices.Contains(p.Streams, s.Name)
	})
}

// isOtherAPI reports whether the address does not know the path, and answers in a form that the API never uses.
func isOtherAPI(err error) bool {
	var failure *api.Error
	return errors.As(err, &failure) && failure.Class == api.ClassTransient && failure.Status == http.StatusNotFound
}

// IsOtherServer reports whether an answer is one that servers of other kinds give: the path or the method is unknown there.
func IsOtherServer(err error) bool {
	var failure *api.Error
	return isOtherAPI(err) || errors.As(err, &failure) && failure.Status == http.StatusNotImplemented
}

// otherAPI is the problem of a workspace that was never read, at an address that is not the API's.
func otherAPI(w *stream.Workspace, err error) *problem.Problem {
	return &problem.Problem{Class: "config", What: "workspaces." + w.Name + ".base_url is not an address of the API that the built-in streams read", Err: err,
		Next: "set base_url to the address of the workspace's region, or name only streams of your own files in its pipelines; nothing was written"}
}

// fetchWorkspaceID reads one record of a stream that states the workspace's id; "" when the token may read no such stream.
func fetchWorkspaceID(ctx context.Context, w *stream.Workspace, streams []*schemas.Stream) (string, error) {
	for _, s := range streams {
		record, _, err := extract.FirstRecord(ctx, w.Client, s)
		var failure *api.Error
		if errors.As(err, &failure) && (failure.Class == api.ClassPlan || failure.Class == api.ClassScope) {
			continue // another stream may state the id; this one reports its own refusal later
		}
		if err != nil {
			return "", fmt.Errorf("read one record of %s to identify the workspace: %w", s.Name, err)
		}
		return stream.TextField(record, s.Identity), nil
	}
	return "", nil
}

// explainUnidentified adds the workspace's name to an error, where there are several.
func explainUnidentified(r *stream.Run, w *stream.Workspace, err error) error {
	if len(r.Config.Workspaces) < 2 {
		return err
	}
	return fmt.Errorf("workspace %s: %w", w.Name, err)
}

// Unidentified explains an error of the request for the workspace's identity, and says that nothing was written.
func Unidentified(err error) error {
	if errors.Is(err, api.ErrBudget) {
		return &problem.Problem{Class: "transient", What: "the request budget or the time ended before the workspace was identified; nothing was written", Err: api.LastFailure(err),
			Next: "run the same command again once the API answers, or raise max_time or max_requests"}
	}
	if api.ClassOf(err) == "" {
		return err
	}
	p := problem.Classify(err)
	var api *api.Error
	switch {
	case IsOtherServer(err):
		p.Next = "check base_url: the server there does not answer like the API; or run the same command again once the API answers; nothing was written"
	case errors.As(err, &api) && api.Status == http.StatusTooManyRequests:
		p.Next = "the API allows no more requests now, and other programs share this limit: wait a few minutes, then run the same command again; nothing was written"
	case errors.As(err, &api) && api.Status >= 500:
		p.Next = "run the same command again once the API answers; nothing was written"
	case p.Class == "transient" || p.Class == "data":
		p.Next = "check that base_url is the address of the workspace's region and can be reached, then run the same command again; nothing was written"
	}
	return p
}

// ClockSkew is the difference of two clocks from which on a run adds a note.
const ClockSkew = 30 * time.Second

// compareClocks adds a note when the machine's clock and the workspace's differ. Watermarks follow the workspace's clock, unless the difference is
// so large that one of the two must be wrong. The times of commits and of schedules follow the machine's.
func compareClocks(r *stream.Run, w *stream.Workspace) {
	skew := -w.Client.Skew()
	if skew.Abs() <= ClockSkew {
		return
	}
	word := "ahead of"
	if skew < 0 {
		word = "behind"
	}
	note := fmt.Sprintf("this machine's clock is %s %s that of %s", term.Duration(skew.Abs()), word, w.Name)
	if w.Client.ClocksDisagree() {
		note += ": watermarks use the earlier clock, unless a record contradicts it"
		r.AddFinding(load.Finding{Schema: w.Name, Kind: "soft", Name: "clocks_disagree", Message: note})
	}
	r.Reported.Notes = append(r.Reported.Notes, note)
}

// checkOneClock asks RefuseKind, with the work database as it is. pinned is the zero value for a workspace that was never read.
func checkOneClock(ctx context.Context, r *stream.Run, w *stream.Workspace, pinned load.Workspace) error {
	var filled bool
	err := r.Writer.Use(func(work *load.Work) (err error) {
		filled, err = work.Records.HasWorkspaces(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if refused := RefuseKind(r.Runner.Dir, w.Name, w.Source.Emulated, pinned, filled); refused != nil {
		refused.What += "; nothing was written"
		return refused
	}
	return nil
}

// RefuseKind refuses to mix an emulated workspace and a real one in a warehouse, and an emulated one whose clock is lost: it would run backwards. pinned
// is what the warehouse has of the workspace, and filled says that it has data of any. nil: a run may fill it.
func RefuseKind(dir layout.Dir, workspace string, emulated bool, pinned load.Workspace, filled bool) *problem.Problem {
	clock := layout.IsEmulated(dir)
	switch {
	case pinned.Emulated && emulated && !clock:
		return &problem.Problem{Class: "config", What: "the hours and the clock of the emulated workspace are missing: " + dir.EmulatorFile(),
			Next: "restore the file, or start again in another directory: --dir DIR"}
	case !emulated && (clock || pinned.Emulated):
		return &problem.Problem{Class: "config", What: "this warehouse was filled by the emulator and workspace " + workspace + " is a real one",
			Next: "give another directory: --dir DIR; or delete " + string(dir) + ", which has emulated data alone"}
	case emulated && (pinned.Schema != "" && !pinned.Emulated || !clock && pinned.Schema == "" && filled):
		return &problem.Problem{Class: "config", Next: "give another directory: --dir DIR",
			What: "this warehouse holds data of " + cmp.Or(term.WithNote("workspace ", pinned.ID), "a real workspace") + " and workspace " + workspace + " is the emulator"}
	}
	return nil
}
