package chart

import (
	"fmt"
	"html"
	"slices"
	"strings"
)

// Lineage is what a relation is made from and what reads it, in layers.
type Lineage struct {
	Streams, Reads, ReadBy []Node
	Feeds                  map[string][]string // streams, by the relation of Reads that they are in
}

// Node is a stream or a relation in the picture. Link is empty for what has no page.
type Node struct {
	Label, Link string

	x, y, width int
}

// Sizes in the picture of a lineage. A letter of its font is hardly ever wider than letterWide.
const (
	nodeHigh   = 24
	nodeApart  = 8
	layerApart = 48
	headHigh   = 22
	letterWide = 8
)

// Draw draws the layers as SVG, from left to right: streams, what the relation reads, the relation, and what reads it. It leaves out layers without
// a node, and escapes all names.
func (v *Lineage) Draw(here string) string {
	middle := []Node{{Label: here}}
	layers := []struct {
		head  string
		nodes []Node
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
	fmt.Fprintf(&b, `<svg class="lineage" viewBox="0 0 %[1]d %[2]d" width="%[1]d" height="%[2]d" role="group" aria-label="what %[3]s comes from, and what reads it">`, wide, high, html.EscapeString(here))
	for _, s := range v.Streams {
		if len(v.Reads) == 0 {
			drawEdge(&b, s, middle[0])
		}
		for _, r := range v.Reads {
			if slices.Contains(v.Feeds[r.Label], s.Label) {
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
	return b.String()
}

func drawEdge(b *strings.Builder, from, to Node) {
	x, y, tox, toy := from.x+from.width, from.y+nodeHigh/2, to.x, to.y+nodeHigh/2
	fmt.Fprintf(b, `<path d="M%d %dC%d %d %d %d %d %d"/>`, x, y, x+layerApart/2, y, tox-layerApart/2, toy, tox, toy)
}

func (n Node) draw(b *strings.Builder, here bool) {
	class := "node"
	switch {
	case here:
		class = "node here"
	case n.Link == "":
		class = "node apart"
	}
	node := fmt.Sprintf(`<g class="%s"><rect x="%d" y="%d" width="%d" height="%d" rx="6"/><text x="%d" y="%d">%s</text></g>`, class, n.x, n.y, n.width, nodeHigh, n.x+10, n.y+nodeHigh/2+4, html.EscapeString(n.Label))
	if n.Link != "" {
		node = fmt.Sprintf(`<a href="%s">%s</a>`, html.EscapeString(n.Link), node)
	}
	b.WriteString(node)
}
