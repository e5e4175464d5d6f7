package console

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/answer"
	"aqueduck/internal/runlog"
)

// timeAxis is the time axis of a run, with a line for each stream.
type timeAxis struct {
	Lines []streamLine
	Marks template.HTML // round times, as texts over the lines
	Paces []paceLane
	Steps []stepBar
	Took  time.Duration

	Asked, Retried int // requests of all streams, and retries among them
}

// stepBar is a step of the run's publishes. Its bar is as long as its part of the longest step.
type stepBar struct {
	What string
	Took time.Duration
	Bar  template.HTML
}

// stepBars draws the steps of publishes.
func stepBars(steps []runlog.PublishStep) (all []stepBar) {
	longest := time.Millisecond
	for _, s := range steps {
		longest = max(longest, s.Took)
	}
	for _, s := range steps {
		bar := fmt.Sprintf(`<svg class="inbar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="publishing" width="%.1f" height="10"/></svg>`, 100*float64(s.Took)/float64(longest))
		all = append(all, stepBar{s.What, s.Took, template.HTML(bar)})
	}
	return all
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
	a.Marks, a.Steps = drawMarks(a.Took), stepBars(d.Trace.Steps)
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
		a.Lines, a.Asked, a.Retried = append(a.Lines, l), a.Asked+int(s.Requests), a.Retried+int(s.Retries)
	}
	a.Paces = pacesOf(d.Trace.Pace, from, a.Took)
	a.Lines = append(a.Lines, streamLine{Name: "publishing", Bars: drawSpans(d.Trace.Publishing, from, a.Took)})
	return a
}

// markSteps are the distances that the marks of a time axis may have.
var markSteps = []time.Duration{10 * time.Millisecond, 50 * time.Millisecond, 200 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour}

// markTimes returns the marks of a time axis of a length: 0 and at most five round times, or one a day.
func markTimes(whole time.Duration) (all []time.Duration) {
	step := markSteps[len(markSteps)-1]
	if i := slices.IndexFunc(markSteps, func(step time.Duration) bool { return whole/step <= 5 }); i >= 0 {
		step = markSteps[i]
	}
	for at := time.Duration(0); at <= whole; at += step {
		all = append(all, at)
	}
	return all
}

func drawMarks(whole time.Duration) template.HTML {
	var b strings.Builder
	for _, at := range markTimes(whole) {
		anchor, x := "middle", 100*float64(at)/float64(whole)
		switch {
		case at == 0:
			anchor = "start"
		case x > 95:
			anchor = "end"
		}
		fmt.Fprintf(&b, `<text x="%.1f%%" y="75%%" text-anchor="%s">%s</text>`, x, anchor, formatMark(at))
	}
	return template.HTML(b.String())
}

// formatMark formats a round duration.
func formatMark(d time.Duration) string {
	switch {
	case d == 0:
		return "0"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	}
	return answer.FormatSpan(d)
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
	for _, at := range markTimes(whole)[1:] {
		fmt.Fprintf(&b, `<line class="grid" x1="%[1]g" x2="%[1]g" y1="0" y2="16"/>`, math.Round(1000*float64(at)/float64(whole)))
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
