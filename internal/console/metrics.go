package console

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
)

// Metrics is what Prometheus asks for, at an address of its own: /metrics, /healthz and /readyz, for those hosts only. It wants no
// token, and has names of pipelines and streams, times and numbers.
func Metrics(s Serving, hosts []string, now func() time.Time) (http.Handler, error) {
	registry := prometheus.NewRegistry()
	for _, c := range []prometheus.Collector{&metricsCollector{s, now}, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})} {
		if err := registry.Register(c); err != nil {
			return nil, err
		}
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: 2, Timeout: questionTime}))
	registerHealth(mux, s.Dir)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(hosts, r.Host) {
			http.Error(w, "nothing goes by that name here: see --metrics-host", http.StatusMisdirectedRequest)
			return
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		mux.ServeHTTP(w, r)
	}), nil
}

// ListenMetrics opens an address for them, which only this machine reaches, and gives the hosts that requests may name: those of the
// address, and the given ones, by which a proxy may ask.
func ListenMetrics(address string, names []string) (net.Listener, []string, error) {
	p := Place{Address: address, Hosts: names}
	host, _, err := net.SplitHostPort(address)
	if err == nil && !isLoopback(host) {
		return nil, nil, &problem.Problem{Class: "config", What: fmt.Sprintf("--metrics %s could be reached from other machines", address),
			Next: "listen at 127.0.0.1: what watches from elsewhere comes by a proxy (--metrics-host), or by a tunnel"}
	}
	l, err := p.Listen()
	if err != nil {
		return nil, nil, err
	}
	return l, p.Names(l), nil
}

// ServeMetrics answers at a listener until the context ends.
func ServeMetrics(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger) error {
	return serveUntilDone(ctx, l, h, "", "", log, func() {})
}

// metricsCollector reads what is known of the pipelines whenever it is asked.
type metricsCollector struct {
	s   Serving
	now func() time.Time
}

func newMetricDesc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("aqueduck_"+name, help, labels, nil)
}

var (
	configurationOK = newMetricDesc("configuration_ok", "1 while pipelines.yaml as it is now is served, 0 while it has mistakes.")
	needsNow        = newMetricDesc("needs", "Things that are not as they should be; who: you, or nobody where it heals by itself.", "who")
	runningNow      = newMetricDesc("running", "1 while the pipeline runs.", "pipeline")
	lastRun         = newMetricDesc("last_run_timestamp_seconds", "When the pipeline's last run ended.", "pipeline")
	lastRunOK       = newMetricDesc("last_run_ok", "1 when it ended well.", "pipeline")
	lastRunTook     = newMetricDesc("last_run_duration_seconds", "How long it took.", "pipeline")
	lastRunRows     = newMetricDesc("last_run_rows", "Rows that it wrote.", "pipeline")
	lastRunRequests = newMetricDesc("last_run_requests", "Requests that it sent.", "pipeline")
	nextRun         = newMetricDesc("next_run_timestamp_seconds", "When the pipeline is due next.", "pipeline")
	dataAsOf        = newMetricDesc("data_as_of_timestamp_seconds", "Everything before it is in the published file, of all streams that the pipeline reads.", "pipeline")
	syncedTo        = newMetricDesc("stream_synced_to_timestamp_seconds", "All changes of the stream before it are in the published file.", "workspace", "stream")
	backfilled      = newMetricDesc("stream_backfill_ratio", "The share of the stream's history that is read.", "workspace", "stream")
	lateness        = newMetricDesc("stream_late", "0 fresh, 1 late, 2 much too old; not there where nothing says how old it may be.", "workspace", "stream")
)

// Describe gives nothing: which pipelines there are a reload changes.
func (c *metricsCollector) Describe(chan<- *prometheus.Desc) {}

// Collect gives what is known now, or the error that it met.
func (c *metricsCollector) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), questionTime)
	defer cancel()
	config, catalogue := c.s.Config()
	o, err := runlog.ReadOverview(ctx, c.s.Dir, config, catalogue, c.now())
	if err != nil {
		to <- prometheus.NewInvalidMetric(needsNow, err)
		return
	}
	give := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	give(configurationOK, boolGauge(c.s.Trouble() == ""))
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
			last := p.Runs[0]
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

func boolGauge(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func unixSeconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
