package alert_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"aqueduck/internal/alert"
)

const runID = "01K9ZZZZZZZZZZZZZZZZZZZZZZ"

// alertServer is a server that receives alerts, with a Sender for it.
type alertServer struct {
	t      *testing.T
	sender *alert.Sender
	now    time.Time
	log    bytes.Buffer

	mu     sync.Mutex
	got    []string // method, path and body of each
	answer []int    // the next answers; then 200
}

func newDesk(t *testing.T, on ...alert.Kind) *alertServer {
	d := &alertServer{t: t, now: time.Date(2026, 11, 1, 2, 0, 0, 0, time.UTC)}
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	target := alert.Target{Name: "ops", Ping: server.URL + "/ping/secret-of-ping", Webhook: server.URL + "/hook/secret-of-hook", On: on, Cooldown: 4 * time.Hour}
	if len(on) == 0 {
		target.Webhook = ""
	}
	d.sender = &alert.Sender{Targets: []alert.Target{target}, State: filepath.Join(t.TempDir(), "alerts.json"), Now: func() time.Time { return d.now },
		Wait: func(ctx context.Context, wait time.Duration) error { d.now = d.now.Add(wait); return ctx.Err() }, Log: slog.New(slog.NewTextHandler(&d.log, nil))}
	return d
}

func (d *alertServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		d.t.Error(err)
	}
	text := string(body)
	if r.Header.Get("Content-Type") == "application/json" {
		var m alert.Message
		if err := json.Unmarshal(body, &m); err != nil {
			d.t.Errorf("%s: %v", body, err)
		}
		text = string(m.Event) + "|" + m.Text
	}
	d.got = append(d.got, r.Method+" "+r.URL.RequestURI()+" "+text)
	if len(d.answer) > 0 {
		status := d.answer[0]
		d.answer = d.answer[1:]
		if status/100 == 3 {
			w.Header().Set("Location", "/elsewhere")
		}
		w.WriteHeader(status)
	}
}

// takeReceived returns the requests since the last call.
func (d *alertServer) takeReceived() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	got := d.got
	d.got = nil
	return got
}

func (d *alertServer) wantReceived(what string, want ...string) {
	d.t.Helper()
	if got := d.takeReceived(); !slices.Equal(got, want) {
		d.t.Errorf("%s:\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func okRun() alert.Run {
	return alert.Run{Pipeline: "nightly", ID: runID, Succeeded: true, Line: "OK nightly ok=4"}
}

func failedRun(class string) alert.Run {
	return alert.Run{Pipeline: "nightly", ID: runID, Class: class, Error: "contacts: 503", Next: "aqueduck sync nightly --failed", Line: "FAILED nightly ok=3"}
}

const failureMessage = "POST /hook/secret-of-hook failure|aqueduck: nightly failed: error[transient] contacts: 503\nnext: aqueduck sync nightly --failed\nFAILED nightly ok=3"

func TestPingsSayWhenARunBeginsAndHowItEnds(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.sender.NotifyStarted(t.Context(), alert.Run{Pipeline: "nightly", ID: runID})
	d.sender.NotifyEnded(t.Context(), okRun())
	d.sender.NotifyEnded(t.Context(), failedRun("transient"))
	stopped := failedRun("interrupted")
	stopped.Interrupted = true
	d.sender.NotifyEnded(t.Context(), stopped)
	const rid = "?rid=019a7fff-ffff-ffff-ffff-ffffffffffff"
	d.wantReceived("pings", "POST /ping/secret-of-ping/start"+rid+" ", "POST /ping/secret-of-ping"+rid+" OK nightly ok=4", "POST /ping/secret-of-ping/fail"+rid+" FAILED nightly ok=3")
}

func TestAFailureIsPostedOnceAndThenItsRecovery(t *testing.T) {
	t.Parallel()
	d := newDesk(t, alert.Failure, alert.Recovery)
	d.sender.Targets[0].Ping = ""
	d.sender.NotifyEnded(t.Context(), okRun())
	d.wantReceived("all is well")
	d.sender.NotifyEnded(t.Context(), failedRun("transient"))
	d.wantReceived("the first failure", failureMessage)
	d.now = d.now.Add(time.Hour)
	d.sender.NotifyEnded(t.Context(), failedRun("transient"))
	d.wantReceived("the same within the cooldown")
	d.sender.NotifyEnded(t.Context(), failedRun("auth"))
	d.wantReceived("another one", strings.Replace(failureMessage, "transient", "auth", 1))
	d.now = d.now.Add(4 * time.Hour)
	d.sender.NotifyEnded(t.Context(), failedRun("auth"))
	d.wantReceived("the same later", strings.Replace(failureMessage, "transient", "auth", 1))
	d.sender.NotifyEnded(t.Context(), okRun())
	d.wantReceived("recovery", "POST /hook/secret-of-hook recovery|aqueduck: nightly has recovered\nOK nightly ok=4")
	d.sender.NotifyEnded(t.Context(), okRun())
	d.wantReceived("still well")
}

func TestAWebhookReceivesOnlyItsEvents(t *testing.T) {
	t.Parallel()
	d := newDesk(t, alert.Late)
	d.sender.Targets[0].Ping, d.sender.Targets[0].Pipelines = "", []string{"nightly"}
	d.sender.NotifyEnded(t.Context(), failedRun("transient"))
	changed := okRun()
	changed.Changes = []string{"contacts.plan: a field that no column takes"}
	d.sender.NotifyEnded(t.Context(), changed)
	d.sender.NotifyFreshness(t.Context(), "weekly", []string{"calls"}, d.now)
	d.wantReceived("what it does not want")
	d.sender.NotifyFreshness(t.Context(), "nightly", []string{"contacts", "calls"}, d.now)
	d.sender.NotifyFreshness(t.Context(), "nightly", []string{"contacts", "calls"}, d.now)
	d.wantReceived("late, once", "POST /hook/secret-of-hook late|aqueduck: nightly has a breached freshness SLA: contacts, calls\nnext: aqueduck status")
	d.sender.NotifyFreshness(t.Context(), "nightly", nil, d.now)
	d.wantReceived("on time again, which nobody wants to know")
	d.sender.Targets[0].On = []alert.Kind{alert.Changed}
	d.sender.NotifyEnded(t.Context(), changed)
	d.wantReceived("a change", "POST /hook/secret-of-hook schema_change|aqueduck: nightly: schema drift\ncontacts.plan: a field that no column takes")
}

// TestAFailedPostIsRetriedAndSentLater: a failure that no webhook has accepted is posted after the next run.
func TestAFailedPostIsRetriedAndSentLater(t *testing.T) {
	t.Parallel()
	d := newDesk(t, alert.Failure)
	d.sender.Targets[0].Ping = ""
	d.answer = []int{503, 429, 200}
	d.sender.NotifyEnded(t.Context(), failedRun("transient"))
	d.wantReceived("in three tries", failureMessage, failureMessage, failureMessage)
	if err := os.Remove(d.sender.State); err != nil {
		t.Fatal(err)
	}
	d.answer = []int{500, 500, 500}
	d.sender.NotifyEnded(t.Context(), failedRun("transient"))
	d.wantReceived("in vain", failureMessage, failureMessage, failureMessage)
	d.sender.NotifyEnded(t.Context(), failedRun("transient"))
	d.wantReceived("later", failureMessage)
	if err := os.Remove(d.sender.State); err != nil {
		t.Fatal(err)
	}
	d.answer = []int{302}
	d.sender.NotifyEnded(t.Context(), failedRun("transient"))
	d.wantReceived("an answer that leads elsewhere is not followed", failureMessage)
	d.sender.Targets[0].Webhook = "http://127.0.0.1:1/hook/secret-of-hook"
	d.sender.NotifyEnded(t.Context(), failedRun("auth"))
	if log := d.log.String(); strings.Contains(log, "secret") || strings.Count(log, "an alert could not be sent") != 3 {
		t.Errorf("the log says too much, or too little:\n%s", log)
	} else if !strings.Contains(log, `alert=ops.webhook `) || !strings.Contains(log, `next="correct the address in alerts.ops.webhook, or see whether its service works"`) {
		t.Errorf("the log does not say which address is meant:\n%s", log)
	}
}

// TestABrokenStateFileLosesNoAlert: an alert may be repeated.
func TestABrokenStateFileLosesNoAlert(t *testing.T) {
	t.Parallel()
	d := newDesk(t, alert.Failure)
	d.sender.Targets[0].Ping = ""
	for range 2 {
		if err := os.WriteFile(d.sender.State, []byte(`{"ops`), 0o600); err != nil {
			t.Fatal(err)
		}
		d.sender.NotifyEnded(t.Context(), failedRun("transient"))
	}
	d.wantReceived("told each time", failureMessage, failureMessage)
}

// TestARunOfAPartSendsOnlyItsFailure: what it did not read may still fail, and a ping would say that the whole pipeline ran.
func TestARunOfAPartSendsOnlyItsFailure(t *testing.T) {
	t.Parallel()
	d := newDesk(t, alert.Failure, alert.Recovery)
	failed, ok := failedRun("transient"), okRun()
	failed.Part, ok.Part = true, true
	d.sender.NotifyStarted(t.Context(), failed)
	d.sender.NotifyEnded(t.Context(), failed)
	d.wantReceived("its failure", failureMessage)
	d.sender.NotifyStarted(t.Context(), ok)
	d.sender.NotifyEnded(t.Context(), ok)
	d.wantReceived("its success")
	d.sender.Targets[0].Ping = ""
	d.sender.NotifyEnded(t.Context(), okRun())
	d.wantReceived("recovery", "POST /hook/secret-of-hook recovery|aqueduck: nightly has recovered\nOK nightly ok=4")
}
