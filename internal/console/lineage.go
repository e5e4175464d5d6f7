package console

import (
	"context"
	"html/template"
	"slices"
	"strings"

	"aqueduck/internal/chart"
	"aqueduck/internal/config"
	"aqueduck/internal/dictionary"
)

// lineageView is what a relation is made from and what reads it, as lists and as a picture of them.
type lineageView struct {
	chart.Lineage
	Queries []savedQuery // that read it
	Picture template.HTML
}

// workspaceSchema returns the schema of the workspace that a relation belongs to.
func (t *Table) workspaceSchema() string {
	if t.Schema == config.ModelSchema("main") {
		return "main"
	}
	if t.isModel() {
		return strings.TrimSuffix(t.Schema, "_models")
	}
	return t.Schema
}

// lineageName is the name of a relation in a lineage: models.sla, or contacts.
func (t *Table) lineageName() string {
	if t.isModel() {
		return "models." + t.Name
	}
	return t.Name
}

// lineageOf returns the lineage of a relation, with links to the pages that exist.
func lineageOf(ctx context.Context, c *Console, d *publishedData, t *Table) (*lineageView, error) {
	config, catalogue := c.o.Config()
	o, err := c.readOverview(ctx)
	if err != nil {
		return nil, err
	}
	found, err := dictionary.FindLineage(catalogue, config.Models, t.lineageName())
	if err != nil {
		return nil, err
	}
	workspace := t.workspaceSchema()
	v := &lineageView{Lineage: chart.Lineage{Reads: d.lineageNodes(workspace, found.Reads), ReadBy: d.lineageNodes(workspace, found.ReadBy), Feeds: map[string][]string{}}}
	known := map[string]bool{}
	for _, s := range o.Streams {
		known[s.Workspace+"."+s.Stream] = true
	}
	for _, name := range found.Streams {
		one := chart.Node{Label: name}
		if known[workspace+"."+name] {
			one.Link = streamLink(workspace, name)
		}
		v.Streams = append(v.Streams, one)
	}
	all, err := c.savedQueries(d, workspace)
	if err != nil {
		return nil, err
	}
	for _, q := range all {
		if slices.Contains(q.reads, t.lineageName()) && len(q.Lacks) == 0 {
			v.Queries = append(v.Queries, q)
		}
	}
	for _, name := range found.Reads {
		of, err := dictionary.FindLineage(catalogue, config.Models, name)
		if err != nil {
			return nil, err
		}
		v.Feeds[name] = of.Streams
	}
	v.Picture = template.HTML(v.Draw(t.lineageName()))
	return v, nil
}

// lineageNodes are the nodes of relations of a workspace.
func (d *publishedData) lineageNodes(workspace string, names []string) (all []chart.Node) {
	for _, name := range names {
		schema, plain := workspace, name
		if model, ok := strings.CutPrefix(name, "models."); ok {
			schema, plain = config.ModelSchema(workspace), model
		}
		one := chart.Node{Label: name}
		if t := d.findTable(schema, plain); t != nil {
			one.Link = t.link()
		}
		all = append(all, one)
	}
	return all
}
