package render

import (
	"cmp"
	"slices"
	"strings"

	"aqueduck/internal/dictionary"
)

// referenceDiagram is a picture of streams in columns. A stream stands left of the streams that it refers to, unless they form a circle.
type referenceDiagram struct {
	Width, Height int
	Boxes         []streamBox
	Lines         []referenceLine
}

type streamBox struct {
	Name                string
	X, Y, Width, Height int
	column              int
}

// TextX is the left edge of the name.
func (b streamBox) TextX() int { return b.X + 10 }

// TextY is the base line of the name.
func (b streamBox) TextY() int { return b.Y + 19 }

// referenceLine is a curve from one box to another; its title names the referring columns.
type referenceLine struct {
	X1, Y1, C1, C2, X2, Y2 int
	Title                  string
}

const (
	boxWidth, boxHeight = 180, 28
	columnGap, boxGap   = 110, 12
	margin              = 16
)

// streamLink has all references from one stream to another.
type streamLink struct {
	from, to   string
	references []string
}

// diagramOf arranges the streams that refer to another one or are referred to.
func diagramOf(d *dictionary.Dictionary) referenceDiagram {
	links := linksOf(d)
	ranks := rankStreams(links)
	var columns [][]string
	for _, name := range linkedStreams(d, links) {
		for len(columns) <= ranks[name] {
			columns = append(columns, nil)
		}
		columns[ranks[name]] = append(columns[ranks[name]], name)
	}
	place := map[string]int{}
	for range 3 { // each column is sorted by the mean position of linked streams
		for _, column := range columns {
			slices.SortStableFunc(column, func(a, b string) int {
				return cmp.Compare(meanPosition(a, links, place), meanPosition(b, links, place))
			})
			for i, name := range column {
				place[name] = (2*i + 1) * 1000 / len(column)
			}
		}
	}
	return drawDiagram(columns, links)
}

// linksOf returns the references between streams, one streamLink for each pair.
func linksOf(d *dictionary.Dictionary) (all []streamLink) {
	home := map[string]string{}
	for _, s := range d.Streams {
		for _, t := range s.Tables {
			home[t.Name] = s.Stream
		}
	}
	for _, e := range d.Edges {
		from, to := home[e.Table], home[e.Of]
		if from == to || to == "" {
			continue
		}
		i := slices.IndexFunc(all, func(l streamLink) bool { return l.from == from && l.to == to })
		if i < 0 {
			i, all = len(all), append(all, streamLink{from: from, to: to})
		}
		all[i].references = append(all[i].references, e.Table+"."+e.Column+" → "+e.Of+"."+e.OfColumn)
	}
	return all
}

func linkedStreams(d *dictionary.Dictionary, links []streamLink) (names []string) {
	for _, s := range d.Streams {
		if slices.ContainsFunc(links, func(l streamLink) bool { return l.from == s.Stream || l.to == s.Stream }) {
			names = append(names, s.Stream)
		}
	}
	return names
}

// rankStreams returns the column of each stream: one to the right of all streams that refer to it. It ignores a link that closes a circle.
func rankStreams(links []streamLink) map[string]int {
	ranks, under := map[string]int{}, map[string]bool{}
	var visit func(name string) int
	visit = func(name string) int {
		if rank, known := ranks[name]; known {
			return rank
		}
		under[name] = true
		rank := 0
		for _, l := range links {
			if l.to == name && !under[l.from] {
				rank = max(rank, visit(l.from)+1)
			}
		}
		under[name] = false
		ranks[name] = rank
		return rank
	}
	for _, l := range links {
		visit(l.from)
		visit(l.to)
	}
	return ranks
}

// meanPosition returns the mean position of the streams that a stream is linked with.
func meanPosition(name string, links []streamLink, place map[string]int) int {
	sum, n := 0, 0
	for _, l := range links {
		if l.from == name {
			sum, n = sum+place[l.to], n+1
		}
		if l.to == name {
			sum, n = sum+place[l.from], n+1
		}
	}
	return sum / max(n, 1)
}

func drawDiagram(columns [][]string, links []streamLink) referenceDiagram {
	most := 0
	for _, column := range columns {
		most = max(most, len(column))
	}
	p := referenceDiagram{Width: 2*margin + len(columns)*boxWidth + max(len(columns)-1, 0)*columnGap, Height: 2*margin + most*(boxHeight+boxGap)}
	boxes := map[string]streamBox{}
	for i, column := range columns {
		above := (p.Height - len(column)*(boxHeight+boxGap)) / 2
		for j, name := range column {
			b := streamBox{Name: name, X: margin + i*(boxWidth+columnGap), Y: above + j*(boxHeight+boxGap), Width: boxWidth, Height: boxHeight, column: i}
			boxes[name] = b
			p.Boxes = append(p.Boxes, b)
		}
	}
	for _, l := range links {
		p.Lines = append(p.Lines, connectBoxes(boxes[l.from], boxes[l.to], strings.Join(l.references, "\n")))
	}
	return p
}

// connectBoxes returns a line from the right side of a box to the left side of another. To an earlier or the same column it bends back.
func connectBoxes(from, to streamBox, title string) referenceLine {
	l := referenceLine{X1: from.X + from.Width, Y1: from.Y + from.Height/2, X2: to.X, Y2: to.Y + to.Height/2, Title: title}
	if to.column <= from.column {
		l.X2 = to.X + to.Width
		l.C1, l.C2 = l.X1+columnGap/2, l.X2+columnGap/2
		return l
	}
	bend := (l.X2 - l.X1) / 2
	l.C1, l.C2 = l.X1+bend, l.X2-bend
	return l
}
