// Package metrics tells Prometheus the state of the pipelines and of all workspaces: their runs, the age of their data, and what needs action.
package metrics

import (
	"context"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"aqueduck/internal/fleet"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
)

// Collector reads the state of the pipelines for each request.
type Collector struct {
	Read    func(context.Context) (*runlog.Overview, error)
	Trouble func() string // why the present pipelines.yaml is not in use; "": it is
	Within  time.Duration // after which reading is given up
}

func newMetricDesc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("aqueduck_"+name, help, labels, nil)
}

var (
	configurationOK = newMetricDesc("configuration_ok", "1 if the current pipelines.yaml is loaded, 0 if it has mistakes.")
	emulated        = newMetricDesc("emulated", "1 if the times of all metrics are those of an emulated workspace, not of this machine.")
	needsNow        = newMetricDesc("needs", "Open problems; who: you, or nobody where the next run solves it.", "who")
	runningNow      = newMetricDesc("running", "1 while the pipeline runs.", "pipeline")
	lastRun         = newMetricDesc("last_run_timestamp_seconds", "When the pipeline's last run ended.", "pipeline")
	lastRunOK       = newMetricDesc("last_run_ok", "1 if it succeeded.", "pipeline")
	lastRunTook     = newMetricDesc("last_run_duration_seconds", "Duration of the last run in seconds.", "pipeline")
	lastRunRows     = newMetricDesc("last_run_rows", "Rows written by the last run.", "pipeline")
	lastRunRequests = newMetricDesc("last_run_requests", "Requests sent by the last run.", "pipeline")
	nextRun         = newMetricDesc("next_run_timestamp_seconds", "Time of the next scheduled run.", "pipeline")
	dataAsOf        = newMetricDesc("data_as_of_timestamp_seconds", "Watermark: everything before it is in the published file, for all streams of the pipeline.", "pipeline")
	syncedTo        = newMetricDesc("stream_synced_to_timestamp_seconds", "Watermark: all changes of the stream before it are in the published file.", "workspace", "stream")
	backfilled      = newMetricDesc("stream_backfill_ratio", "Share of the stream's history that is read.", "workspace", "stream")
	fleetRead       = newMetricDesc("workspaces_ok", "1 if the state of all workspaces could be read.")
	spaceSeen       = newMetricDesc("workspace_seen", "1 if the workspace's object store could be asked, or it has none; 0: the other values are what this machine knows.", "workspace")
	spaceOK         = newMetricDesc("workspace_last_run_ok", "1 if the workspace's last run succeeded, on whichever machine.", "workspace")
	spaceRun        = newMetricDesc("workspace_last_run_timestamp_seconds", "When the workspace's last run began.", "workspace")
	spaceSuccess    = newMetricDesc("workspace_last_success_timestamp_seconds", "When a run of the workspace last ended well.", "workspace")
	spaceAsOf       = newMetricDesc("workspace_data_as_of_timestamp_seconds", "Everything of the workspace before it is published.", "workspace")
	spaceNext       = newMetricDesc("workspace_next_run_timestamp_seconds", "Time of the workspace's next scheduled run.", "workspace")
	spaceRunning    = newMetricDesc("workspace_running", "1 while this machine runs a pipeline of the workspace.", "workspace")
	spaceNeeds      = newMetricDesc("workspace_needs", "Open problems of the workspace that need a person.", "workspace")
	spaceBreached   = newMetricDesc("workspace_breached", "1 if the freshness SLA of a stream of the workspace is breached.", "workspace")
	lateness        = newMetricDesc("stream_late", "0 = fresh, 1 = late, 2 = SLA breached; absent without an SLA, and while a stream that was never read is not yet late.", "workspace", "stream")
)

// Describe sends nothing, because a reload may change the pipelines.
func (c *Collector) Describe(chan<- *prometheus.Desc) {}

// Collect sends the present values, or the error of reading them.
func (c *Collector) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), c.Within)
	defer cancel()
	o, err := c.Read(ctx)
	if err != nil {
		to <- prometheus.NewInvalidMetric(needsNow, err)
		return
	}
	give := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	give(configurationOK, boolGauge(c.Trouble() == ""))
	give(emulated, boolGauge(o.Emulated))
	var act, heal float64
	for _, n := range o.Needs {
		if n.Act {
			act++
		} else {
			heal++
		}
	}
	give(needsNow, act, "you")
	give(needsNow, heal, "nobody")
	for _, p := range o.Pipelines {
		give(runningNow, boolGauge(o.Running != nil && o.Running.Pipeline == p.Name), p.Name)
		if !p.Next.IsZero() {
			give(nextRun, unixSeconds(p.Next), p.Name)
		}
		if !p.AsOf.IsZero() {
			give(dataAsOf, unixSeconds(p.AsOf), p.Name)
		}
		if len(p.Runs) > 0 {
			last := p.LastWhole()
			give(lastRun, unixSeconds(last.Finished), p.Name)
			give(lastRunOK, boolGauge(last.Exit == problem.ExitOK), p.Name)
			give(lastRunTook, last.Finished.Sub(last.Started).Seconds(), p.Name)
			give(lastRunRows, float64(last.Rows), p.Name)
			give(lastRunRequests, float64(last.Requests), p.Name)
		}
	}
	for _, s := range o.Streams {
		if !s.SyncedTo.IsZero() {
			give(syncedTo, unixSeconds(s.SyncedTo), s.Workspace, s.Stream)
		}
		give(backfilled, s.Backfill, s.Workspace, s.Stream)
		if i := slices.Index([]runlog.Freshness{runlog.Fresh, runlog.Late, runlog.Breached}, s.Freshness); i >= 0 {
			give(lateness, float64(i), s.Workspace, s.Stream)
		}
	}
}

// FleetCollector reads the state of all workspaces for each request, whichever machine ran them last.
type FleetCollector struct {
	Read   func(context.Context) ([]fleet.Row, error)
	Within time.Duration // after which reading is given up
}

// Describe sends nothing, because a reload may change the workspaces.
func (c *FleetCollector) Describe(chan<- *prometheus.Desc) {}

// Collect sends the present values. Where the workspaces cannot be read it says so, and the other metrics are there.
func (c *FleetCollector) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), c.Within)
	defer cancel()
	rows, err := c.Read(ctx)
	give := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	give(fleetRead, boolGauge(err == nil))
	for _, row := range rows {
		name := row.Workspace
		give(spaceSeen, boolGauge(row.Unseen == ""), name)
		give(spaceRunning, boolGauge(row.Running != ""), name)
		give(spaceBreached, boolGauge(row.Breached), name)
		needs := slices.DeleteFunc(slices.Clone(row.Needs), func(n runlog.ActionItem) bool { return !n.Act })
		give(spaceNeeds, float64(len(needs)), name)
		if row.Last != nil {
			give(spaceOK, boolGauge(row.Last.Exit == problem.ExitOK), name)
			give(spaceRun, unixSeconds(row.Last.Started), name)
		}
		for d, at := range map[*prometheus.Desc]time.Time{spaceSuccess: row.Success, spaceAsOf: row.AsOf, spaceNext: row.Next} {
			if !at.IsZero() {
				give(d, unixSeconds(at), name)
			}
		}
	}
}

func boolGauge(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func unixSeconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
