package console

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"aqueduck/internal/answer"
	"aqueduck/internal/dictionary"
	"aqueduck/internal/runlog"
	"aqueduck/load/failure"
)

// streamView is the page of a stream.
type streamView struct {
	pageView
	runlog.StreamStatus
	Pipelines  []string                      // that read it
	Known      *dictionary.StreamDescription // nil: no stream file has this name
	Checkpoint *runlog.StreamState           // nil: no run has committed one
	Start      time.Time                     // where the configuration lets its history begin; zero: at its beginning
	Years      []calendarYear
	Runs       []runlog.StreamRun
	Charts     []runChart
	Tables     []*Table
	Records    int64 // records that the shown runs read
	Asked      int64 // requests that they sent
}

// streamRuns is the number of runs that the page of a stream shows.
const streamRuns = 60

// streamLink is the address of the page of a stream.
func streamLink(workspace, stream string) string {
	return "/s/" + url.PathEscape(workspace) + "/" + url.PathEscape(stream)
}

// findStream returns the state of the stream that an address names, and its runs. A stream without a checkpoint is known by its runs alone.
func findStream(ctx context.Context, c *Console, r *http.Request) (s runlog.StreamStatus, runs []runlog.StreamRun, err error) {
	o, err := c.readOverview(ctx)
	if err != nil {
		return s, nil, err
	}
	s.Workspace, s.Stream = r.PathValue("workspace"), r.PathValue("stream")
	if runs, err = runlog.StreamRuns(ctx, c.o.Dir, s.Workspace, s.Stream, streamRuns); err != nil {
		return s, nil, err
	}
	i := slices.IndexFunc(o.Streams, func(known runlog.StreamStatus) bool {
		return known.Workspace == s.Workspace && known.Stream == s.Stream
	})
	switch {
	case i >= 0:
		s = o.Streams[i]
	case len(runs) == 0:
		return s, nil, errNotThere
	default:
		s.Outcome, s.Error, s.Hint, s.Checked = runs[0].Outcome, runs[0].Error, runs[0].Next, runs[0].Finished
	}
	return s, runs, nil
}

func (c *Console) streamPage(ctx context.Context, r *http.Request) (string, framedPage, error) {
	s, runs, err := findStream(ctx, c, r)
	if err != nil {
		return "", nil, err
	}
	v := &streamView{pageView: pageView{Title: s.Stream, Here: "freshness"}, StreamStatus: s, Runs: runs, Charts: streamCharts(runs, c.zones.zoneOf(r))}
	config, catalogue := c.o.Config()
	for _, p := range config.Pipelines {
		if runlog.ReadsStream(p, config, catalogue, s.Workspace, s.Stream) {
			v.Pipelines = append(v.Pipelines, p.Name)
		}
	}
	v.Start = config.Settings(s.Stream).Start
	states, err := runlog.ReadStates(ctx, c.o.Dir, []string{s.Stream})
	if err != nil && !errors.Is(err, failure.ErrNothingPublished) {
		return "", nil, err
	}
	if i := slices.IndexFunc(states, func(state runlog.StreamState) bool { return state.Workspace == s.Workspace }); i >= 0 {
		v.Checkpoint = &states[i]
	}
	for _, run := range v.Runs {
		v.Asked, v.Records = v.Asked+run.Requests, v.Records+run.Records
	}
	now, _ := runlog.WarehouseTime(c.o.Dir, c.o.Now())
	v.Years = backfillCalendar(v.Start, s, now)
	return "stream", v, v.addTables(ctx, c)
}

// addTables adds how the stream is read, and its tables in the published file.
func (v *streamView) addTables(ctx context.Context, c *Console) error {
	_, catalogue := c.o.Config()
	if _, ok := catalogue.Stream(v.Stream); !ok {
		return nil
	}
	known, err := dictionary.DescribeStream(catalogue, v.Stream)
	if err != nil {
		return err
	}
	v.Known = &known
	d, err := c.readPublished(ctx)
	if errors.Is(err, failure.ErrNothingPublished) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, name := range known.Shown {
		if t := d.findTable(v.Workspace, name); t != nil {
			v.Tables = append(v.Tables, t)
		}
	}
	return nil
}

// streamCharts draws records, duration and requests of a stream's runs, each with a link to its run.
func streamCharts(runs []runlog.StreamRun, zone *time.Location) []runChart {
	if len(runs) == 0 {
		return nil
	}
	var records, times, requests []chartColumn
	for _, r := range slices.Backward(runs) {
		length, class := r.Finished.Sub(r.Started), "main"
		if r.Outcome == string(runlog.StatusFailed) {
			class = "error"
		}
		run := runlog.PastRun{Run: r.Run, Started: r.Started}
		records = append(records, chartColumn{run, []columnPart{{class, float64(r.Records)}}, answer.FormatNumber(r.Records) + " records read"})
		times = append(times, chartColumn{run, []columnPart{{class, length.Seconds()}}, formatDuration(length)})
		requests = append(requests, chartColumn{run, []columnPart{{"main", float64(r.Requests - r.Retries)}, {"late", float64(r.Retries)}}, answer.FormatNumber(r.Requests) + " requests, of them retries: " + answer.FormatNumber(r.Retries)})
	}
	return []runChart{newRunChart("Records read", "records", records, zone, nil), newRunChart("Duration", answer.Seconds, times, zone, nil),
		newRunChart("Requests", "requests", requests, zone, []legendEntry{{"main", "first tries"}, {"late", "retries"}})}
}

// calendarYear is a year of the backfill.
type calendarYear struct {
	Year   int
	Months [12]calendarMonth
}

// calendarMonth is a month of the backfill: read, partly read, missing, or outside of what is to be read.
type calendarMonth struct {
	Name  string
	State string // read, partly, missing or ""
}

// Words says the month for people who do not see its colour.
func (m calendarMonth) Words() string {
	return m.Name + map[string]string{"read": ": read", "partly": ": partly read", "missing": ": not read yet", "": ": not to be read"}[m.State]
}

// mostYears limits the calendar: a start that is a mistake must not make a page of a thousand years.
const mostYears = 30

// backfillCalendar says which months of a stream's history are read. Without a start and with a complete history nothing says where it begins, so there is none.
// Where a backfill goes on and the configuration names no start, the share that is read gives an estimate of it.
func backfillCalendar(start time.Time, s runlog.StreamStatus, now time.Time) (years []calendarYear) {
	if s.SyncedTo.IsZero() || start.IsZero() && s.HistoryTo.IsZero() {
		return nil
	}
	read := s.HistoryTo // what is read begins here
	if read.IsZero() {
		read = start
	}
	if start.IsZero() {
		start = read
		if s.Backfill > 0 && s.Backfill < 1 {
			start = s.SyncedTo.Add(-time.Duration(float64(s.SyncedTo.Sub(read)) / s.Backfill))
		}
	}
	start = start.UTC()
	for year := max(start.Year(), now.Year()-mostYears+1); year <= now.Year(); year++ {
		one := calendarYear{Year: year}
		for i := range one.Months {
			from := time.Date(year, time.Month(i+1), 1, 0, 0, 0, 0, time.UTC)
			to := from.AddDate(0, 1, 0)
			one.Months[i] = calendarMonth{from.Format("Jan 2006"), monthState(from, to, start, read, s.SyncedTo, now)}
		}
		years = append(years, one)
	}
	return years
}

// monthState compares a month with the time that is to be read (start to now) and the time that is read.
func monthState(from, to, start, read, synced, now time.Time) string {
	if !from.Before(now) || !to.After(start) {
		return ""
	}
	if from.Before(start) {
		from = start
	}
	if to.After(synced) && !synced.Before(from) {
		to = synced // the end of the current month is still to come
	}
	switch {
	case !to.After(read) || from.After(synced):
		return "missing"
	case from.Before(read):
		return "partly"
	}
	return "read"
}
