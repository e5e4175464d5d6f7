package runlog

import (
	"fmt"
	"math"
	"slices"
	"time"

	"aqueduck/internal/term"
	"aqueduck/load/layout"
)

const (
	comparedRuns = 10  // a run is compared with at most so many
	enoughRuns   = 3   // and with at least so many
	muchLonger   = 1.5 // a run takes longer than others from this factor on
)

// Comparison is a run beside the last runs of its kind: of its pipeline, not limited to some streams if it was not, and that ended OK.
type Comparison struct {
	Runs  int           // how many it is compared with
	Usual time.Duration // the median of their times
	Took  time.Duration // of the run itself
	Part  string        // the activity that took most of the difference, as spans name it; "": none, or not known
	More  time.Duration // how much longer that activity took than the median of the others; below 0: shorter
}

// CompareRun compares a run with those that ended before it; nil: too few ended. runs are the newest first, of any pipelines. What took the time is
// known if traces are kept.
func CompareRun(dir layout.Dir, run PastRun, runs []PastRun) (*Comparison, error) {
	var times []time.Duration
	parts := map[string][]time.Duration{}
	for _, r := range runs {
		if len(times) == comparedRuns {
			break
		}
		if r.Pipeline != run.Pipeline || r.Run == run.Run || r.Run == "" || r.Outcome != "OK" || r.Narrow != run.Narrow || !r.Started.Before(run.Started) {
			continue
		}
		times = append(times, r.Finished.Sub(r.Started))
		own, err := timeByActivity(dir, r.Run)
		if err != nil {
			return nil, err
		}
		for what := range own {
			parts[what] = append(parts[what], own[what])
		}
	}
	if len(times) < enoughRuns {
		return nil, nil
	}
	c := &Comparison{Runs: len(times), Usual: median(times), Took: run.Finished.Sub(run.Started)}
	if c.factor() == 1 {
		return c, nil
	}
	own, err := timeByActivity(dir, run.Run)
	if err != nil {
		return nil, err
	}
	for _, what := range []string{"reading", "waiting", "committing", "publishing"} {
		others := parts[what]
		for len(others) < len(times) {
			others = append(others, 0) // that run had none, or keeps no trace
		}
		more := own[what] - median(others)
		// An activity explains a difference if it took at least half of it.
		if (more > 0) == (c.Took > c.Usual) && 2*more.Abs() >= (c.Took-c.Usual).Abs() && more.Abs() > c.More.Abs() && own != nil {
			c.Part, c.More = what, more
		}
	}
	return c, nil
}

// factor is how many times as long the run took; 1 where the difference is small. Differences of less than a second are noise.
func (c *Comparison) factor() float64 {
	f := float64(c.Took) / float64(max(c.Usual, time.Millisecond))
	if f > 1/muchLonger && f < muchLonger || (c.Took-c.Usual).Abs() < time.Second {
		return 1
	}
	return f
}

// String says it in one sentence.
func (c *Comparison) String() string {
	of := fmt.Sprintf("the last %s of its kind (median %s)", term.Count(c.Runs, "run"), term.Duration(c.Usual))
	text := "It took about as long as " + of
	switch f := c.factor(); {
	case f > 1:
		text = fmt.Sprintf("It took %s × as long as %s", formatFactor(f), of)
	case f < 1:
		text = fmt.Sprintf("It took %.0f %% of the time of %s", 100*f, of)
	}
	if c.Part == "" {
		return text + "."
	}
	what, than := map[string]string{"waiting": "waiting for the rate limit"}[c.Part], "longer"
	if what == "" {
		what = c.Part
	}
	if c.More < 0 {
		than = "shorter"
	}
	if c.More.Abs() > (c.Took - c.Usual).Abs() {
		than += ", summed over streams that are read at the same time"
	}
	return fmt.Sprintf("%s: %s took %s %s.", text, what, term.Duration(c.More.Abs()), than)
}

func formatFactor(f float64) string {
	if f < 10 {
		f = math.Round(f*10) / 10
	} else {
		f = math.Round(f)
	}
	return fmt.Sprint(f)
}

// timeByActivity sums the spans of a run by their activity; nil: no trace is kept.
func timeByActivity(dir layout.Dir, run string) (map[string]time.Duration, error) {
	t, err := ReadTrace(dir, run)
	if err != nil || t == nil {
		return nil, err
	}
	sums := map[string]time.Duration{}
	spans := slices.Clone(t.Publishing)
	for _, s := range t.Streams {
		spans = append(spans, s.Spans...)
	}
	for _, s := range spans {
		sums[s.What] += s.To.Sub(s.From)
	}
	return sums, nil
}

func median(all []time.Duration) time.Duration {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}
