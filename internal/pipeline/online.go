package pipeline

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"

	"aqueduck/extract"
	"aqueduck/extract/export"
	"aqueduck/schemas"
)

// Readable says whether a workspace's token can read a stream.
type Readable struct {
	Workspace string `json:"workspace"`
	Stream    string `json:"stream"`
	Request   string `json:"request"`
	Named     bool   `json:"named"`  // some pipeline names it
	Answer    string `json:"answer"` // yes, by id, plan, scope, version, not_found, or the class of what went wrong
	Why       string `json:"why"`
}

// Online is what the workspaces of a configuration answered.
type Online struct {
	Notes   []string   `json:"notes"` // a line a workspace
	Streams []Readable `json:"streams"`
}

// Failed says that some answer was neither a page nor a reason not to give one.
func (o *Online) Failed() bool {
	return slices.ContainsFunc(o.Streams, func(r Readable) bool { return r.Answer == "transient" || r.Answer == "data" })
}

// Online asks each workspace for the smallest page of each stream. It writes nothing.
func (r *Runner) Online(ctx context.Context) (*Online, error) {
	o := &Online{Notes: []string{}, Streams: []Readable{}}
	for _, name := range r.Config.names {
		if err := r.askEach(ctx, o, name); err != nil {
			return nil, fmt.Errorf("workspace %s: %w", name, err)
		}
	}
	return o, nil
}

func (r *Runner) askEach(ctx context.Context, o *Online, workspace string) error {
	client, closing, err := r.asker(ctx, workspace)
	if err != nil {
		return err
	}
	defer closing()
	id := ""
	for _, s := range r.Catalogue.Streams() {
		one := Readable{Workspace: workspace, Stream: s.Name, Request: s.Read.Method + " " + s.Read.Path, Named: r.named(workspace, s), Answer: "yes"}
		if s.Read.ByIDs() {
			one.Answer, one.Why = "by id", "not asked; aqueduck streams try "+s.Name+" --id ID asks for one"
			o.Streams = append(o.Streams, one)
			continue
		}
		var record []byte
		if s.Family() {
			_, err = export.New(client, s).Datasets(ctx, s)
		} else {
			record, _, err = client.One(ctx, s)
		}
		if extract.ClassOf(err) == extract.ClassAuth || ctx.Err() != nil {
			return err
		}
		if err != nil {
			one.Answer, one.Why = r.whyNot(ctx, workspace, s, err)
		}
		if id == "" {
			id = identity(record, s)
		}
		o.Streams = append(o.Streams, one)
	}
	note := fmt.Sprintf("workspace %s: API version %s", workspace, r.Config.Workspaces[workspace].APIVersion)
	if id != "" {
		note += ", its id is " + id
	}
	if skew := client.Skew(); skew.Abs() > clockSkew {
		note += ", this machine's clock is " + brief(skew.Abs()) + " off"
	}
	o.Notes = append(o.Notes, note)
	return nil
}

// named says whether a pipeline reads the stream of a workspace.
func (r *Runner) named(workspace string, s *schemas.Stream) bool {
	return slices.ContainsFunc(r.Config.Pipelines, func(p *Pipeline) bool {
		return slices.Contains(p.Workspaces(r.Config), workspace) && (slices.Contains(p.Streams, s.Name) || s.With != "" && slices.Contains(p.Streams, s.With))
	})
}

// whyNot says why a stream cannot be read. A 404 is the version's when a later version has the same stream.
func (r *Runner) whyNot(ctx context.Context, workspace string, s *schemas.Stream, err error) (answer, why string) {
	problem := classify(err)
	if extract.ClassOf(err) != extract.ClassNotFound {
		return problem.Class, problem.What
	}
	config := *r.Config.Workspaces[workspace]
	if config.APIVersion == latestVersion {
		return string(extract.ClassNotFound), "404: the workspace does not have it"
	}
	old := config.APIVersion
	config.APIVersion = latestVersion
	later := *r
	later.Config = &Config{Workspaces: map[string]*Workspace{workspace: &config}}
	client, closing, failed := later.asker(ctx, workspace)
	if failed == nil {
		defer closing()
		_, _, failed = client.One(ctx, s)
	}
	if failed == nil || extract.ClassOf(failed) == extract.ClassPlan || extract.ClassOf(failed) == extract.ClassScope {
		return "version", fmt.Sprintf("404: version %s does not have it, %s does", old, latestVersion)
	}
	return string(extract.ClassNotFound), fmt.Sprintf("404: neither version %s nor %s has it", old, latestVersion)
}

// Print writes a line a stream.
func (o *Online) Print(w io.Writer) {
	t := table.NewWriter()
	t.SetStyle(plainStyle())
	t.AppendHeader(table.Row{"WORKSPACE", "STREAM", "REQUEST", "READABLE", "NAMED", "WHY NOT"})
	for _, s := range o.Streams {
		named := ""
		if s.Named {
			named = "yes"
		}
		t.AppendRow(table.Row{s.Workspace, s.Stream, s.Request, s.Answer, named, s.Why})
	}
	fmt.Fprintln(w, draw(t))
	for _, note := range o.Notes {
		fmt.Fprintln(w, note)
	}
}
