package pipeline

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"aqueduck/extract"
	"aqueduck/load"
)

// identifyWorkspace refuses to mix two workspaces, or the emulator and a real one, in one warehouse, before anything is written. A workspace
// that does not answer is lost to this run; others need not be.
func identifyWorkspace(ctx context.Context, r *run, w *workspace) error {
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
	id, err := fetchWorkspaceID(ctx, r, w)
	if err != nil {
		w.lost = unidentified(err)
		w.refused.Store(true)
		return nil
	}
	if id = cmp.Or(id, pinned.ID); known && pinned.ID != "" && id != pinned.ID {
		return &Problem{Class: "config",
			What: fmt.Sprintf("the token belongs to workspace %s, this warehouse holds workspace %s; nothing was written", id, pinned.ID),
			Next: "give the token of " + pinned.ID + ", or another directory: --dir DIR"}
	}
	return r.writer.use(func(work *load.Work) error {
		return work.Pin(ctx, load.Workspace{Schema: w.name, ID: id, BaseURL: w.source.BaseURL, Emulated: w.source.Emulated, APIVersion: w.config.APIVersion})
	})
}

// fetchWorkspaceID asks for one record of a stream that names its workspace; "" where what may be read does not tell.
func fetchWorkspaceID(ctx context.Context, r *run, w *workspace) (string, error) {
	for _, s := range r.runner.Catalogue.Streams() {
		if s.Identity == nil || s.Read.ByIDs() {
			continue
		}
		record, _, err := w.client.One(ctx, s)
		var api *extract.Error
		if errors.As(err, &api) && (api.Class == extract.ClassPlan || api.Class == extract.ClassScope) {
			continue // another stream may tell, and this one will say so itself
		}
		if err != nil {
			return "", fmt.Errorf("read one record of %s to know the workspace: %w", s.Name, err)
		}
		return field(record, s.Identity), nil
	}
	return "", nil
}

// explainUnidentified says of which workspace an error is, where there are several.
func explainUnidentified(r *run, w *workspace, err error) error {
	if len(r.config.Workspaces) < 2 {
		return err
	}
	return fmt.Errorf("workspace %s: %w", w.name, err)
}

// unidentified tells of an answer, or none, that left the run without knowing whom it reads.
func unidentified(err error) error {
	if errors.Is(err, extract.ErrBudget) {
		return &Problem{Class: "transient", What: firstLine(err) + "; nothing was written", Next: "run the same command again once the API answers, or give runs more: max_time, max_requests"}
	}
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

// compareClocks tells when the machine's clock and the workspace's differ. Watermarks go by the workspace's, unless the two are so far
// apart that one must be wrong; the times of commits, and those at which pipelines begin, go by the machine's.
func compareClocks(r *run, w *workspace) {
	skew := -w.client.Skew()
	if skew.Abs() <= clockSkew {
		return
	}
	word := "ahead of"
	if skew < 0 {
		word = "behind"
	}
	note := fmt.Sprintf("this machine's clock is %s %s that of %s", brief(skew.Abs()), word, w.name)
	if w.client.ClocksDisagree() {
		note += ": watermarks go by the earlier one that no record contradicts"
		r.find(load.Finding{Schema: w.name, Kind: "soft", Name: "clocks_disagree", Message: note})
	}
	r.reported.Notes = append(r.reported.Notes, note)
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
