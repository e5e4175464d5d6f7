package sync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"aqueduck/extract"
	"aqueduck/extract/api"
	"aqueduck/internal/problem"
	"aqueduck/internal/sync/stream"
	"aqueduck/internal/term"
	"aqueduck/load"
)

// identifyWorkspace refuses to mix two workspaces, or the emulator and a real one, in one warehouse, before anything is written. A workspace
// that does not answer is lost to this run; others need not be.
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
	if known && pinned.Emulated != w.Source.Emulated {
		return MixedWorkspaces(w, pinned)
	}
	id, err := fetchWorkspaceID(ctx, r, w)
	if err != nil {
		w.Lost = Unidentified(err)
		w.Refused.Store(true)
		return nil
	}
	if id = cmp.Or(id, pinned.ID); known && pinned.ID != "" && id != pinned.ID {
		return &problem.Problem{Class: "config",
			What: fmt.Sprintf("the token belongs to workspace %s, but this warehouse holds workspace %s; nothing was written", id, pinned.ID),
			Next: "give the token of " + pinned.ID + ", or another directory: --dir DIR"}
	}
	return r.Writer.Use(func(work *load.Work) error {
		return work.Records.PinWorkspace(ctx, load.Workspace{Schema: w.Name, ID: id, BaseURL: w.Source.BaseURL, Emulated: w.Source.Emulated, APIVersion: w.Config.APIVersion})
	})
}

// fetchWorkspaceID asks for one record of a stream that names its workspace; "" where what may be read does not tell.
func fetchWorkspaceID(ctx context.Context, r *stream.Run, w *stream.Workspace) (string, error) {
	for _, s := range r.Runner.Catalogue.Streams() {
		if s.Identity == nil || s.Read.ByIDs() {
			continue
		}
		record, _, err := extract.FirstRecord(ctx, w.Client, s)
		var failure *api.Error
		if errors.As(err, &failure) && (failure.Class == api.ClassPlan || failure.Class == api.ClassScope) {
			continue // another stream may tell, and this one will say so itself
		}
		if err != nil {
			return "", fmt.Errorf("read one record of %s to know the workspace: %w", s.Name, err)
		}
		return stream.TextField(record, s.Identity), nil
	}
	return "", nil
}

// explainUnidentified says of which workspace an error is, where there are several.
func explainUnidentified(r *stream.Run, w *stream.Workspace, err error) error {
	if len(r.Config.Workspaces) < 2 {
		return err
	}
	return fmt.Errorf("workspace %s: %w", w.Name, err)
}

// Unidentified tells of an answer, or none, that left the run without knowing whom it reads.
func Unidentified(err error) error {
	if errors.Is(err, api.ErrBudget) {
		return &problem.Problem{Class: "transient", What: problem.FirstLine(err) + "; nothing was written", Next: "run the same command again once the API answers, or raise max_time or max_requests"}
	}
	if api.ClassOf(err) == "" {
		return err
	}
	p := problem.Classify(err)
	var api *api.Error
	switch {
	case errors.As(err, &api) && api.Status >= 500:
		p.Next = "run the same command again once the API answers; nothing was written"
	case p.Class == "transient" || p.Class == "data":
		p.Next = "check that base_url is the address of the workspace's region and can be reached, then run the same command again; nothing was written"
	}
	return p
}

// ClockSkew is how far two clocks may be apart before it is worth a word.
const ClockSkew = 30 * time.Second

// compareClocks tells when the machine's clock and the workspace's differ. Watermarks go by the workspace's, unless the two are so far
// apart that one must be wrong; the times of commits, and those at which pipelines begin, go by the machine's.
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

// MixedWorkspaces is the problem of a token that is of another workspace than what is stored.
func MixedWorkspaces(w *stream.Workspace, pinned load.Workspace) *problem.Problem {
	p := &problem.Problem{Class: "config", Next: "give another directory: --dir DIR"}
	p.What = "this warehouse holds data of workspace " + pinned.ID + " and " + w.Name + " is the emulator; nothing was written"
	if pinned.Emulated {
		p.What = "this warehouse was filled by the emulator and " + w.Name + " is a real workspace; nothing was written"
	}
	return p
}
