package pipeline_test

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"aqueduck/internal/alert"
	"aqueduck/internal/cli/render"
	"aqueduck/internal/preview"
	"aqueduck/internal/runner"
)

// TestOnlineChecksDiskLockAndAlerts: disk space, the write lock, and the addresses of alerts, which receive nothing.
func TestOnlineChecksDiskLockAndAlerts(t *testing.T) {
	t.Parallel()
	asked := 0
	there := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer there.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + closed.Addr().String() + "/secret-of-a-hook"
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	b := newBed(t, tinyConfig(306))
	b.runner.Alerts = &alert.Sender{Targets: []alert.Target{{Name: "ops", Ping: there.URL + "/uuid"}}}
	online, err := preview.CheckOnline(context.Background(), b.runner)
	b.failOn(err)
	if online.Failed() || online.Room.Free <= 0 || online.Room.Needs != 0 || len(online.Alerts) != 1 || online.Alerts[0] != (preview.Reachable{Alert: "ops", For: "ping"}) {
		t.Errorf("before the first run: %+v", online)
	}
	var said bytes.Buffer
	render.PrintOnline(online, &said)
	if !strings.Contains(said.String(), ", this machine's clock agrees\n") || !strings.Contains(said.String(), "; no process writes it\n") {
		t.Errorf("what is fine is not told:\n%s", said.String())
	}
	b.syncOnce(runner.Options{})
	asked = 0
	b.failOn(os.WriteFile(b.runner.Dir.RunFile(), []byte(`{"pid": 1, "pipeline": "nightly"}`), 0o600))
	b.runner.Alerts.Targets = append(b.runner.Alerts.Targets, alert.Target{Name: "chat", Webhook: nobody})
	online, err = preview.CheckOnline(context.Background(), b.runner)
	b.failOn(err)
	said.Reset()
	render.PrintOnline(online, &said)
	for _, want := range []string{" free, a run needs ", "; process 1 writes it, pipeline nightly\n", "alert ops: its ping can be reached\n", "alert chat: its webhook cannot be reached: dial tcp "} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, said.String())
		}
	}
	if !online.Failed() || strings.Contains(said.String(), "secret") || asked > 0 {
		t.Errorf("failed %t, %d requests to the ping\n%s", online.Failed(), asked, said.String())
	}
	online.Alerts, online.Room.Free = nil, online.Room.Needs-1
	said.Reset()
	render.PrintOnline(online, &said)
	if !online.Failed() || !strings.Contains(said.String(), "too little: the next run would fail") {
		t.Errorf("a small disk:\n%s", said.String())
	}
}
