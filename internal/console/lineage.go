package console

import (
	"context"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"aqueduck/internal/config"
	"aqueduck/internal/dictionary"
)

// lineageView is what a relation is made from and what reads it, as lists and as a picture of them.
type lineageView struct {
	Streams, Reads, ReadBy []lineageNode
	Queries                []savedQuery // that read it
	Picture                template.HTML
}

// lineageNode is a stream or a relation in the picture. Link is empty for what has no page, as tables that are not for analysts.
type lineageNode struct {
	Label, Link string

	x, y, width int
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
	v := &lineageView{Reads: d.lineageNodes(workspace, found.Reads), ReadBy: d.lineageNodes(workspace, found.ReadBy)}
	known := map[string]bool{}
	for _, s := range o.Streams {
		known[s.Workspace+"."+s.Stream] = true
	}
	for _, name := range found.Streams {
		one := lineageNode{Label: name}
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
	feeds := map[string][]string{} // streams, by the relation that is read
	for _, name := range found.Reads {
		of, err := dictionary.FindLineage(catalogue, config.Models, name)
		if err != nil {
			return nil, err
		}
		feeds[name] = of.Streams
	}
	v.Picture = v.draw(t.lineageName(), feeds)
	return v, nil
}

// lineageNodes are the nodes of relations of a workspace.
func (d *publishedData) lineageNodes(workspace string, names []string) (all []lineageNode) {
	for _, name := range names {
		schema, plain := workspace, name
		if model, ok := strings.CutPrefix(name, "models."); ok {
			schema, plain = config.ModelSchema(workspace), model
		}
		one := lineageNode{Label: name}
		if t := d.findTable(schema, plain); t != nil {
			one.Link = t.link()
		}
		all = append(all, one)
	}
	return all
}

// Sizes in the picture of a lineage. A letter of its font is hardly ever wider than letterWide.
const (
	nodeHigh   = 24
	nodeApart  = 8
	layerApart = 48
	headHigh   = 22
	letterWide = 8
)

// draw draws the layers from left to right: streams, what the relation reads, the relation, and what reads it. It leaves out layers without a node.
func (v *lineageView) draw(here string, feeds map[string][]string) template.HTML {
	middle := []lineageNode{{Label: here}}
	layers := []struct {
		head  string
		nodes []lineageNode
	}{{"Streams", v.Streams}, {"Reads", v.Reads}, {"", middle}, {"Read by", v.ReadBy}}
	most := 1
	for _, layer := range layers {
		most = max(most, len(layer.nodes))
	}
	high, x := headHigh+most*(nodeHigh+nodeApart), 1
	for _, layer := range layers {
		width := 0
		for _, n := range layer.nodes {
			width = max(width, 16+letterWide*len(n.Label))
		}
		for i := range layer.nodes {
			n := &layer.nodes[i]
			n.x, n.width = x, width
			n.y = headHigh + (most-len(layer.nodes))*(nodeHigh+nodeApart)/2 + i*(nodeHigh+nodeApart)
		}
		if width > 0 {
			x += width + layerApart
		}
	}
	wide := x - layerApart + 1
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="lineage" viewBox="0 0 %[1]d %[2]d" width="%[1]d" height="%[2]d" role="group" aria-label="what %[3]s comes from, and what reads it">`, wide, high, template.HTMLEscapeString(here))
	for _, s := range v.Streams {
		if len(v.Reads) == 0 {
			drawEdge(&b, s, middle[0])
		}
		for _, r := range v.Reads {
			if slices.Contains(feeds[r.Label], s.Label) {
				drawEdge(&b, s, r)
			}
		}
	}
	for _, r := range v.Reads {
		drawEdge(&b, r, middle[0])
	}
	for _, r := range v.ReadBy {
		drawEdge(&b, middle[0], r)
	}
	for _, layer := range layers {
		for i, n := range layer.nodes {
			if i == 0 {
				fmt.Fprintf(&b, `<text class="head" x="%d" y="12">%s</text>`, n.x, layer.head)
			}
			n.draw(&b, layer.head == "")
		}
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

func drawEdge(b *strings.Builder, from, to lineageNode) {
	x, y, tox, toy := from.x+from.width, from.y+nodeHigh/2, to.x, to.y+nodeHigh/2
	fmt.Fprintf(b, `<path d="M%d %dC%d %d %d %d %d %d"/>`, x, y, x+layerApart/2, y, tox-layerApart/2, toy, tox, toy)
}

func (n lineageNode) draw(b *strings.Builder, here bool) {
	class := "node"
	switch {
	case here:
		class = "node here"
	case n.Link == "":
		class = "node apart"
	}
	node := fmt.Sprintf(`<g class="%s"><rect x="%d" y="%d" width="%d" height="%d" rx="6"/><text x="%d" y="%d">%s</text></g>`, class, n.x, n.y, n.width, nodeHigh, n.x+10, n.y+nodeHigh/2+4, template.HTMLEscapeString(n.Label))
	if n.Link != "" {
		node = fmt.Sprintf(`<a href="%s">%s</a>`, template.HTMLEscapeString(n.Link), node)
	}
	b.WriteString(node)
}
