package console

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/runlog"
)

// timeAxis is the time axis of a run, with a line for each stream.
type timeAxis struct {
	Lines []streamLine
	Ticks []string // at equal distances
	Paces []paceLane
	Took  time.Duration
}

type streamLine struct {
	Name, Endpoint string
	Class          string // of the error that ended it
	Bars           template.HTML
	Requests       int64
	Limited        int64
	Failed         int64
	Retries        int64
	Waited         time.Duration
}

// axisOf draws how a run spent its time; it is empty without a trace.
func axisOf(d *runlog.RunAccount) timeAxis {
	if d.Trace == nil {
		return timeAxis{}
	}
	from, to := d.Trace.Started, d.Trace.Ended
	if to.IsZero() {
		to = lastOf(d.Trace)
	}
	a := timeAxis{Took: to.Sub(from)}
	if a.Took <= 0 {
		return timeAxis{}
	}
	const ticks = 4
	for i := range ticks + 1 {
		a.Ticks = append(a.Ticks, formatDuration(a.Took*time.Duration(i)/ticks))
	}
	called := runlog.StreamNamer(d.Trace.Streams, func(s runlog.TracedStream) (string, string) { return s.Workspace, s.Stream })
	began := func(s runlog.TracedStream) time.Time {
		if len(s.Spans) == 0 {
			return to
		}
		return s.Spans[0].From
	}
	streams := slices.Clone(d.Trace.Streams)
	slices.SortStableFunc(streams, func(a, b runlog.TracedStream) int { return began(a).Compare(began(b)) }) // in the order of their beginnings
	for _, s := range streams {
		l := streamLine{Name: called(s), Endpoint: s.Endpoint, Class: s.Class, Bars: drawSpans(s.Spans, from, a.Took), Requests: s.Requests, Limited: s.Limited, Failed: s.Failed,
			Retries: s.Retries, Waited: s.Waited}
		a.Lines = append(a.Lines, l)
	}
	a.Paces = pacesOf(d.Trace.Pace, from, a.Took)
	a.Lines = append(a.Lines, streamLine{Name: "publishing", Bars: drawSpans(d.Trace.Publishing, from, a.Took)})
	return a
}

// lastOf returns the last time in the trace of a run that has not ended.
func lastOf(t *runlog.Trace) time.Time {
	to := t.Started.Add(time.Second)
	all := slices.Clone(t.Publishing)
	for _, s := range t.Streams {
		all = append(all, s.Spans...)
	}
	for _, s := range all {
		if s.To.After(to) {
			to = s.To
		}
	}
	return to
}

// layers are drawn in this order, each over the one before: waiting covers reading.
var layers = []string{"reading", "waiting", "committing", "publishing"}

func drawSpans(all []runlog.Span, from time.Time, whole time.Duration) template.HTML {
	var b strings.Builder
	b.WriteString(`<svg class="axis" viewBox="0 0 1000 16" preserveAspectRatio="none" aria-hidden="true">`)
	for i := 1; i < 4; i++ {
		fmt.Fprintf(&b, `<line class="grid" x1="%d" x2="%d" y1="0" y2="16"/>`, 250*i, 250*i)
	}
	for _, layer := range layers {
		for _, s := range all {
			if s.What != layer {
				continue
			}
			x := 1000 * float64(s.From.Sub(from)) / float64(whole)
			w := max(2, 1000*float64(s.To.Sub(s.From))/float64(whole))
			x = max(0, min(x, 998))
			y, h := 3, 10
			if layer == "waiting" {
				y, h = 6, 4
			}
			fmt.Fprintf(&b, `<rect class="%s" x="%.1f" y="%d" width="%.1f" height="%d"><title>%s %s, from %s on</title></rect>`,
				layer, x, y, min(w, 1000-x), h, layer, formatDuration(s.To.Sub(s.From)), formatDuration(s.From.Sub(from)))
		}
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}
