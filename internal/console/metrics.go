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

	"aqueduck/internal/console/web"
	"aqueduck/internal/metrics"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
)

// Metrics returns the handler of /metrics, /healthz and /readyz, for these hosts only. It needs no token. It contains names of pipelines and
// streams, times and numbers.
func Metrics(s Serving, hosts []string, now func() time.Time) (http.Handler, error) {
	read := func(ctx context.Context) (*runlog.Overview, error) {
		config, catalogue := s.Config()
		return runlog.ReadOverview(ctx, s.Dir, config, catalogue, now())
	}
	registry := prometheus.NewRegistry()
	for _, c := range []prometheus.Collector{&metrics.Collector{Read: read, Trouble: s.Trouble, Within: questionTime},
		&metrics.FleetCollector{Read: s.Workspaces, Within: questionTime}, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})} {
		if err := registry.Register(c); err != nil {
			return nil, err
		}
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: 2, Timeout: questionTime}))
	web.RegisterHealth(mux, s.Dir)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(hosts, r.Host) {
			http.Error(w, "the metrics do not accept this host name: see --metrics-host", http.StatusMisdirectedRequest)
			return
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		mux.ServeHTTP(w, r)
	}), nil
}

// ListenMetrics listens on an address that only this machine can reach. It also returns the hosts that requests may name: those of the
// address, and the given ones, for a proxy.
func ListenMetrics(address string, names []string) (net.Listener, []string, error) {
	p := Place{Address: address, Hosts: names, flag: "--metrics"}
	host, _, err := net.SplitHostPort(address)
	if err == nil && !isLoopback(host) && !isUnknownHost(host) {
		return nil, nil, &problem.Problem{Class: "usage", What: fmt.Sprintf("--metrics %s can be reached from other machines", address),
			Next: "listen on 127.0.0.1; other machines can use a proxy (--metrics-host) or a tunnel"}
	}
	l, err := p.Listen()
	if err != nil {
		return nil, nil, err
	}
	return l, p.Names(l), nil
}

// ServeMetrics serves the metrics until the context ends.
func ServeMetrics(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger) error {
	return web.ServeUntilDone(ctx, l, h, "", "", log, func() {})
}
