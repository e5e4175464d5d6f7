package console

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/runlog"
)

// runView is the page of a run.
type runView struct {
	pageView
	*runlog.RunAccount
	Axis    timeAxis
	Log     logView
	Errors  []failedStreams
	Can     bool               // the run can be cancelled here
	Healing bool               // the failed streams can be retried here
	Coming  *comingRun         // after the last run of its pipeline
	Usual   *runlog.Comparison // with the last runs of its kind; nil: too few
}

// PerMinute is how many requests the run has sent in a minute, on average; 0 without a time.
func (v *runView) PerMinute() int64 {
	if v.Time() <= 0 {
		return 0
	}
	return int64(float64(v.Requests) / v.Time().Minutes())
}

// maskKey shows the end of a key, which is enough to tell records apart; a short key is hidden.
func maskKey(key string) string {
	if n := len(key); n >= 8 {
		return "•••" + strings.ToValidUTF8(key[n-4:], "")
	}
	return "•••"
}

// knownRuns is the number of ended runs that pages read.
const knownRuns = 500

// failedStreams are the streams that failed with errors of one class.
type failedStreams struct {
	Class   string
	Act     bool
	Streams []runlog.RunStream
}

// comingRun is the next run of a pipeline, beside the buttons that start one now.
type comingRun struct {
	Now, Next time.Time
	Try       int // the number of a retry; 0: it is none
}

func newComingRun(now time.Time, p runlog.PipelineOverview) *comingRun {
	return &comingRun{now, p.Next, p.Try}
}

// readRun reads the run that an address names, with next steps for the command line of the console.
func readRun(ctx context.Context, o *Options, r *http.Request) (*runlog.RunAccount, error) {
	d, err := runlog.ReadRun(ctx, o.Dir, r.PathValue("id"))
	if err == nil && d == nil {
		err = errNotThere
	}
	if err != nil {
		return nil, err
	}
	d.RepeatFlags(o.Given)
	return d, nil
}

func (c *Console) runPage(ctx context.Context, r *http.Request) (string, framedPage, error) {
	d, err := readRun(ctx, &c.o, r)
	if err != nil {
		return "", nil, err
	}
	v := &runView{pageView: pageView{Title: "Run of " + d.Pipeline, Here: "runs"}, RunAccount: d, Axis: axisOf(d)}
	for _, s := range d.Streams {
		if s.Error == "" {
			continue
		}
		class := d.ClassOf(s)
		i := slices.IndexFunc(v.Errors, func(f failedStreams) bool { return f.Class == class })
		if i < 0 {
			i, v.Errors = len(v.Errors), append(v.Errors, failedStreams{Class: class, Act: runlog.NeedsAttention(class)})
		}
		v.Errors[i].Streams = append(v.Errors[i].Streams, s)
	}
	if v.Log, err = c.readLog(r, d.Run); err != nil {
		return "", nil, err
	}
	if d.Running == nil {
		runs, err := runlog.PastRuns(ctx, c.o.Dir, d.Pipeline, knownRuns)
		if err != nil {
			return "", nil, err
		}
		if v.Usual, err = runlog.CompareRun(c.o.Dir, d.PastRun, runs); err != nil {
			return "", nil, err
		}
	}
	config, _ := c.o.Config()
	_, ours := config.Pipeline(d.Pipeline)
	v.Can = ours && d.Running != nil
	v.Healing = ours && d.Running == nil && d.Outcome != "OK"
	if v.Healing {
		o, err := c.readOverview(ctx)
		if err != nil {
			return "", nil, err
		}
		if p, ok := findPipeline(o, d.Pipeline); ok && len(p.Runs) > 0 && p.LastWhole().Run == d.Run {
			v.Coming = newComingRun(o.Now, p)
		}
	}
	return "run", v, nil
}
