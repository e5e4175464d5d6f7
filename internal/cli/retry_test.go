package cli

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"aqueduck/internal/config"
	"aqueduck/internal/runlog"
	"aqueduck/load/layout"
)

// alerted is a configuration with alerts.
const alerted = served + `alerts:
  ops: {ping: "${PING_URL}", webhook: "${HOOK_URL}", on: [failure, recovery]}
`

// collectAlerts receives the host's alerts, as HH:MM PATH and the content of webhooks.
func (h *serveHost) collectAlerts() *[]string {
	h.t.Helper()
	var came []string
	desk := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			h.t.Error(err)
		}
		var message struct{ Event, Class string }
		_ = json.Unmarshal(body, &message) // a ping is none
		h.mu.Lock()
		defer h.mu.Unlock()
		came = append(came, strings.TrimSpace(h.clockTime().Format("02 15:04")+" "+r.URL.Path+" "+message.Event+" "+message.Class))
	}))
	h.t.Cleanup(desk.Close)
	h.env = []string{"PING_URL=" + desk.URL + "/ping", "HOOK_URL=" + desk.URL + "/hook"}
	return &came
}

// failRequests makes the API answer 503 from one time to another.
func (h *serveHost) failRequests(from, to time.Time, paths ...string) {
	h.before = func(w http.ResponseWriter, r *http.Request) bool {
		if now := h.clockTime(); now.Before(from) || !now.Before(to) || len(paths) > 0 && !slices.Contains(paths, r.URL.Path) {
			return false
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	}
}

// TestServeRetriesTransientFailures: after an outage of forty minutes the night is complete, without an alert.
func TestServeRetriesTransientFailures(t *testing.T) {
	t.Parallel()
	h := newHost(t, date2026(time.March, 2, 0, 0), alerted)
	came := h.collectAlerts()
	h.failRequests(date2026(time.March, 3, 1, 30), date2026(time.March, 3, 2, 10))
	_, log := h.serveUntil(date2026(time.March, 3, 12, 0))
	h.requireEqual("alerts", *came, "02 01:30 /ping/start", "02 01:30 /ping", "03 01:30 /ping/start", "03 01:45 /ping/start", "03 02:30 /ping/start", "03 02:30 /ping")
	h.requireEqual("runs that were published", h.runStarts(), "03-02 01:30", "03-03 02:30")
	if !strings.Contains(log, `msg="the run is retried" pipeline=nightly class=transient at=2026-03-03T01:45:`) || !strings.Contains(log, `try="3 of 4"`) {
		t.Errorf("the log does not tell of it:\n%s", log)
	}
}

// TestServeAlertsAfterTheLastRetry once for a night, and again after recovery. The number of retries is limited, and retry: none has none.
func TestServeAlertsAfterTheLastRetry(t *testing.T) {
	if testing.Short() {
		t.Skip("make race-all has the test of what is tried again; make test runs this one")
	}
	t.Parallel()
	h := newHost(t, date2026(time.March, 2, 0, 0), alerted)
	came := h.collectAlerts()
	h.failRequests(date2026(time.March, 2, 1, 30), date2026(time.March, 2, 12, 0))
	h.serveUntil(date2026(time.March, 3, 1, 0))
	h.requireEqual("alerts", *came, "02 01:30 /ping/start", "02 01:45 /ping/start", "02 02:30 /ping/start", "02 04:30 /ping/start", "02 04:30 /ping/fail", "02 04:30 /hook failure transient")
	*came = nil
	h.serveUntil(date2026(time.March, 3, 12, 0))
	h.requireEqual("alerts of the next night", *came, "03 01:30 /ping/start", "03 01:30 /ping", "03 01:30 /hook recovery")
	*came = nil
	h.failRequests(date2026(time.March, 4, 1, 30), date2026(time.March, 4, 2, 10))
	h.writePipelines(strings.Replace(alerted, "schedule:", "retry: none, schedule:", 1))
	h.serveUntil(date2026(time.March, 4, 12, 0))
	h.requireEqual("alerts where nothing is tried again", *came, "04 01:30 /ping/start", "04 01:30 /ping/fail", "04 01:30 /hook failure transient")
}

// TestServeContinuesRetriesAfterARestart: the retry is recorded beside the database, status shows it, and it reads only failed streams.
func TestServeContinuesRetriesAfterARestart(t *testing.T) {
	if testing.Short() {
		t.Skip("make race-all has the test of what is tried again; make test runs this one")
	}
	t.Parallel()
	h := newHost(t, date2026(time.March, 2, 0, 0), alerted)
	came := h.collectAlerts()
	h.serveUntil(date2026(time.March, 3, 1, 0))
	*came = nil
	h.failRequests(date2026(time.March, 3, 1, 30), date2026(time.March, 3, 2, 10), "/contacts/deleted")
	h.serveUntil(date2026(time.March, 3, 1, 40))
	status, stdout, stderr := inProcess("status", "-f", filepath.Join(h.home, "pipelines.yaml"))
	status.Now = h.clockTime
	if code := runCommand(t.Context(), status); code != 0 || !strings.Contains(stdout.String(), " CET, in 5 min: retry 2 of 4, by aqueduck serve\n") {
		t.Errorf("%d %s%s", code, stdout, stderr)
	}
	config, catalogue, err := config.LoadConfig(filepath.Join(h.home, "pipelines.yaml"), lookupIn(h.env))
	if err != nil {
		t.Fatal(err)
	}
	o, err := runlog.ReadOverview(t.Context(), layout.Dir(config.Warehouse.Dir), config, catalogue, h.clockTime())
	if err != nil || len(o.Needs) != 1 || o.Needs[0].Act || !strings.HasPrefix(o.Needs[0].What, "the last read of deleted_contacts failed: ") || !strings.Contains(o.Needs[0].What, "503") ||
		!strings.HasSuffix(o.Needs[0].What, "; retry 2 of 4 starts at 02:45 CET") ||
		o.Pipelines[0].Health != runlog.HealthError || len(o.Coming) != 2 || o.Coming[0].Try != 2 {
		t.Errorf("the overview has %+v, %+v, %v", o.Needs, o.Coming, err)
	}
	out, _ := h.serveUntil(date2026(time.March, 3, 12, 0))
	h.requireEqual("alerts", *came, "03 01:30 /ping/start", "03 01:45 /ping/start", "03 02:30 /ping/start", "03 02:30 /ping")
	if !strings.Contains(out, "FAILED nightly ok=0 unavailable=0 failed=1 ") || !strings.Contains(out, "OK nightly ok=1 ") {
		t.Errorf("it did not read what failed alone:\n%s", out)
	}
}

func (h *serveHost) requireEqual(what string, got []string, want ...string) {
	h.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		h.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// writePipelines replaces pipelines.yaml.
func (h *serveHost) writePipelines(config string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.home, "pipelines.yaml"), []byte(config), 0o600); err != nil {
		h.t.Fatal(err)
	}
}
