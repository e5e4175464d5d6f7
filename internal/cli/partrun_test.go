package cli

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// command runs a command in this process on the host's clock, and returns its exit code and stdout.
func (h *serveHost) command(args ...string) (code int, stdout string) {
	h.t.Helper()
	e, out, log := inProcess(append(args, "-f", filepath.Join(h.home, "pipelines.yaml"))...)
	e.Now, e.Wait = h.clockTime, h.waitOnClock
	e.Lookup = lookupIn(append(h.env, "WORKSPACE_URL="+h.server.URL, "WORKSPACE_TOKEN="+h.token))
	h.end = h.clockTime().AddDate(1, 0, 0)
	code = runCommand(h.t.Context(), e)
	h.t.Logf("%v: %d\n%s%s", args, code, out, log)
	return code, out.String()
}

// TestARunOfSomeStreamsIsNoRecovery: it says nothing about the other streams. So it sends neither the recovery nor a ping, and status still has the
// failure of the last run of the whole pipeline.
func TestARunOfSomeStreamsIsNoRecovery(t *testing.T) {
	t.Parallel()
	h := newHost(t, date2026(time.March, 2, 0, 0), alerted)
	came := h.collectAlerts()
	h.failRequests(date2026(time.March, 1, 0, 0), date2026(time.March, 3, 0, 0), "/contacts/deleted")
	if code, _ := h.command("sync", "-q"); code != 1 {
		t.Fatalf("it ended with %d", code)
	}
	h.requireEqual("alerts of the failure", kindsOf(*came), "/ping/start", "/ping/fail", "/hook failure transient")
	*came = nil
	for range 11 { // more than status lists
		if code, _ := h.command("sync", "nightly", "-q", "--select", "contacts", "--exclude", "deleted_contacts"); code != 0 {
			t.Fatalf("it ended with %d", code)
		}
	}
	h.requireEqual("alerts of runs of some streams", kindsOf(*came))
	if _, said := h.command("status"); !strings.Contains(said, "failed    nightly at ") {
		t.Errorf("status says\n%s", said)
	}
	if _, said := h.command("status", "--workspaces", "-o", "json"); !strings.Contains(said, `"health": "error"`) || strings.Contains(said, `"last_success"`) {
		t.Errorf("the workspaces are\n%s", said)
	}
	h.before = nil
	if code, _ := h.command("sync", "-q"); code != 0 {
		t.Fatalf("it ended with %d", code)
	}
	h.requireEqual("alerts of the recovery", kindsOf(*came), "/ping/start", "/ping", "/hook recovery")
	if _, said := h.command("status"); strings.Contains(said, "failed    nightly") {
		t.Errorf("status says\n%s", said)
	}
}

// kindsOf are alerts without their times.
func kindsOf(came []string) (kinds []string) {
	for _, one := range came {
		kinds = append(kinds, one[len("02 15:04 "):])
	}
	return kinds
}

// TestNoRecoveryWhileALostStreamIsUnavailable: later runs end well, and the stream that was lost is still not read. A stream that was never read delays
// no recovery.
func TestNoRecoveryWhileALostStreamIsUnavailable(t *testing.T) {
	t.Parallel()
	h := newHost(t, date2026(time.March, 2, 0, 0), strings.Replace(alerted, "deleted_contacts", "deleted_contacts, tickets", 1))
	came, fails := h.collectAlerts(), "/none"
	h.before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != fails {
			return false
		}
		w.WriteHeader(http.StatusBadRequest)
		return true
	}
	sync := func(code int, flags, failing string, unavailable []string, alerts ...string) {
		t.Helper()
		h.space.Advance(time.Hour)
		h.space.SetKnobs(func(k *emulator.Knobs) { k.Unavailable = unavailable })
		*came, fails = nil, failing
		if got, said := h.command(append([]string{"sync", "-q"}, strings.Fields(flags)...)...); got != code {
			t.Fatalf("it ended with %d: %s", got, said)
		}
		h.requireEqual("alerts", kindsOf(*came), alerts...)
	}
	never, both := []string{"tickets"}, []string{"tickets", "contacts.deleted"}
	sync(1, "", "/contacts/deleted", never, "/ping/start", "/ping/fail", "/hook failure data")
	sync(0, "", "", never, "/ping/start", "/ping", "/hook recovery")
	sync(1, "", "", both, "/ping/start", "/ping/fail", "/hook failure plan")
	sync(0, "", "", both, "/ping/start", "/ping")
	sync(0, "--failed", "", both, "/ping/start", "/ping")
	sync(0, "", "", never, "/ping/start", "/ping", "/hook recovery")
}
