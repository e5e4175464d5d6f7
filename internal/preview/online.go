package preview

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"aqueduck/extract"
	"aqueduck/extract/api"
	"aqueduck/extract/export"
	"aqueduck/internal/config"
	"aqueduck/internal/plan"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync"
	"aqueduck/internal/sync/stream"
	"aqueduck/internal/term"
	"aqueduck/load/layout"
	"aqueduck/schemas"
)

// Readable says whether a workspace's token can read a stream.
type Readable struct {
	Workspace string `json:"workspace"`
	Stream    string `json:"stream"`
	Request   string `json:"request"`
	Named     bool   `json:"named"`  // a pipeline names it
	Answer    string `json:"answer"` // yes, by id, plan, scope, version, not_found, or the class of the error
	Why       string `json:"why"`
}

// Online is the result of checking the workspaces of a configuration.
type Online struct {
	Notes   []string        `json:"notes"` // one line for each workspace
	Streams []Readable      `json:"streams"`
	Dir     string          `json:"dir"` // the data directory
	Room    layout.Room     `json:"room"`
	Running *runlog.Running `json:"running,omitempty"` // the run under way
	Alerts  []Reachable     `json:"alerts"`
}

// Reachable says whether the address of an alert accepts connections.
type Reachable struct {
	Alert string `json:"alert"`
	For   string `json:"for"` // ping or webhook
	Why   string `json:"why"` // why not; "": it does
}

// Failed reports whether an answer was neither a page nor a known refusal, or whether a run would lack disk space or the address of an alert.
func (o *Online) Failed() bool {
	return o.Room.Short() || slices.ContainsFunc(o.Alerts, func(a Reachable) bool { return a.Why != "" }) || slices.ContainsFunc(o.Streams, func(r Readable) bool { return r.Answer == "transient" || r.Answer == "data" || r.Answer == "config" })
}

// CheckOnline requests the smallest page of each stream from each workspace; of the named streams alone where these are all of the user's own files,
// as the workspace may be another API's. It also checks what else a run needs: disk space, the write lock and
// the addresses of alerts. It writes nothing and sends no alert. The error is that of the first workspace that does not answer; the results of the
// others come with it, nil when there are none.
func CheckOnline(ctx context.Context, r *runner.Runner) (*Online, error) {
	o := &Online{Notes: []string{}, Streams: []Readable{}, Dir: string(r.Dir), Alerts: []Reachable{}}
	var err error
	if o.Room, err = r.Dir.Room(); err != nil {
		return nil, err
	}
	if o.Running, err = runlog.ReadRunning(r.Dir); err != nil {
		return nil, err
	}
	if r.Alerts != nil {
		for _, t := range r.Alerts.Targets {
			for _, a := range t.Addresses() {
				one := Reachable{Alert: t.Name, For: a.For}
				if err := a.CheckReachable(ctx); err != nil {
					one.Why = problem.Shorten(err.Error())
				}
				o.Alerts = append(o.Alerts, one)
			}
		}
	}
	for _, name := range r.Config.NameList {
		if failed := askEachStream(ctx, r, o, name); failed != nil && err == nil {
			err = fmt.Errorf("workspace %s: %w", name, failed)
		}
		if ctx.Err() != nil {
			break
		}
	}
	if len(o.Streams) == 0 {
		return nil, err
	}
	return o, err
}

func askEachStream(ctx context.Context, r *runner.Runner, o *Online, workspace string) error {
	client, source, closing, err := plan.ConnectWorkspace(ctx, r, workspace, 0)
	if err != nil {
		return err
	}
	defer closing()
	id, firsts, answered := "", map[string][]byte{}, false
	streams := r.Catalogue.Streams()
	if sync.ReadsOwnOnly(r, workspace) {
		streams = slices.DeleteFunc(streams, func(s *schemas.Stream) bool { return !isNamed(r, workspace, s) })
	}
	slices.SortStableFunc(streams, func(a, b *schemas.Stream) int { return parentsFirst(a) - parentsFirst(b) })
	for _, s := range streams {
		one := Readable{Workspace: workspace, Stream: s.Name, Request: s.Read.Method + " " + s.Read.Path, Named: isNamed(r, workspace, s), Answer: "yes"}
		record, asked, err := askStream(ctx, r, client, s, firsts)
		if api.ClassOf(err) == api.ClassAuth || ctx.Err() != nil {
			return err
		}
		if isUnanswered(err) || !answered && (sync.IsOtherServer(err) || errors.Is(err, api.ErrRedirect)) {
			return sync.Unidentified(err) // every other request would only wait for the same
		}
		answered = answered || err == nil && asked
		switch {
		case err != nil:
			one.Answer, one.Why = explainRefusal(ctx, r, workspace, s, firsts, err)
		case !asked:
			one.Answer, one.Why = "by id", "not read: no id is known before its parent stream has records; with an id: aqueduck streams try "+s.Name+" --id ID"
		}
		if firsts[s.Name] = record; id == "" {
			id = stream.RecordIdentity(record, s)
		}
		o.Streams = append(o.Streams, one)
	}
	slices.SortStableFunc(o.Streams, func(a, b Readable) int { return strings.Compare(a.Workspace+"."+a.Stream, b.Workspace+"."+b.Stream) })
	note := fmt.Sprintf("workspace %s: API version %s", workspace, r.Config.Workspaces[workspace].APIVersion)
	if id != "" {
		note += ", its id is " + id
	}
	if skew := client.Skew(); source.Emulated {
		note += ", it is the emulator, which has its own clock"
	} else if skew.Abs() > sync.ClockSkew {
		note += ", this machine's clock is " + term.Duration(skew.Abs()) + " off"
	} else if answered {
		note += ", this machine's clock agrees"
	}
	o.Notes = append(o.Notes, note)
	return nil
}

// isUnanswered reports whether no answer came at all, after all retries.
func isUnanswered(err error) bool {
	var failure *api.Error
	return errors.As(err, &failure) && failure.Class == api.ClassTransient && failure.Status == 0
}

// parentsFirst is the sort order in which child streams come after their parents.
func parentsFirst(s *schemas.Stream) int {
	if s.Read.ByIDs() {
		return 1
	}
	return 0
}

// askStream sends the smallest requests that show whether a stream can be read: one page, and one record by id where the stream reads records so.
// A stream by ids uses the id of a record that another stream returned; asked is false when there is none.
func askStream(ctx context.Context, r *runner.Runner, client *api.Client, s *schemas.Stream, firsts map[string][]byte) (record []byte, asked bool, err error) {
	switch {
	case s.IsExportFamily():
		_, _, err = export.New(client, s).Datasets(ctx, s)
		return nil, true, err
	case s.Read.ByIDs():
		id, ok := findSomeID(r, s, firsts)
		if !ok {
			return nil, false, nil
		}
		_, err = extract.PreviewStream(ctx, client, s, id, 0)
		return nil, true, err
	}
	if record, _, err = extract.FirstRecord(ctx, client, s); err != nil || record == nil || s.Read.Detail == nil {
		return record, true, err
	}
	if id, ok := extract.RecordKey(s, record); ok {
		_, err = extract.NewReader(client, extract.Request{Stream: s}).ReadByID(ctx, []string{id})
	}
	return record, true, err
}

// findSomeID returns an id that a stream can be read with: from the column of another stream's record that its ids come from, or from its own
// record.
func findSomeID(r *runner.Runner, s *schemas.Stream, firsts map[string][]byte) (string, bool) {
	if s.Read.Over.Size > 0 {
		return "", false // the stream's SQL needs stored rows
	}
	for _, name := range slices.Concat(s.Read.Over.Streams, s.Read.Over.After) {
		other, ok := r.Catalogue.Stream(name)
		if !ok || firsts[name] == nil || len(s.Read.Over.After) > 0 && other.Owner() != s.Owner() && other.Name != s.With {
			continue
		}
		if id, ok := extract.RecordKey(other, firsts[name]); ok {
			return id, true
		}
	}
	return "", false
}

// isNamed reports whether a pipeline reads the stream of a workspace.
func isNamed(r *runner.Runner, workspace string, s *schemas.Stream) bool {
	return slices.ContainsFunc(r.Config.Pipelines, func(p *config.Pipeline) bool {
		return slices.Contains(p.Workspaces(r.Config), workspace) && (slices.Contains(p.Streams, s.Name) || s.With != "" && slices.Contains(p.Streams, s.With))
	})
}

// explainRefusal says why a stream cannot be read. A 404 counts as the version's when a later version has the stream.
func explainRefusal(ctx context.Context, r *runner.Runner, workspace string, s *schemas.Stream, firsts map[string][]byte, err error) (answer, why string) {
	problem := problem.Classify(err)
	if api.ClassOf(err) != api.ClassNotFound {
		return problem.Class, problem.What
	}
	cfg := *r.Config.Workspaces[workspace]
	if cfg.APIVersion == config.LatestVersion {
		return string(api.ClassNotFound), "404: the workspace does not have it"
	}
	old := cfg.APIVersion
	cfg.APIVersion = config.LatestVersion
	later := *r
	later.Config = &config.Config{Workspaces: map[string]*config.Workspace{workspace: &cfg}}
	client, closing, failed := plan.ConnectReader(ctx, &later, workspace)
	if failed == nil {
		defer closing()
		_, _, failed = askStream(ctx, &later, client, s, firsts)
	}
	if failed == nil || api.ClassOf(failed) == api.ClassPlan || api.ClassOf(failed) == api.ClassScope {
		return "version", fmt.Sprintf("404: version %s does not have it, %s does", old, config.LatestVersion)
	}
	return string(api.ClassNotFound), fmt.Sprintf("404: version %s and version %s do not have it", old, config.LatestVersion)
}
