package emulate

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/control"
)

// began is what the machine's clock shows when a workspace begins to live: ten past nine on a Monday.
var began = time.Date(2031, 5, 5, 9, 10, 0, 0, time.UTC)

// machine is a machine with a clock that a test moves.
type machine struct {
	t      *testing.T
	passed atomic.Int64 // since began
}

func (m *machine) now() time.Time { return began.Add(time.Duration(m.passed.Load())) }

func (m *machine) pass(d time.Duration) { m.passed.Add(int64(d)) }

// run is emulate with flags until the context ends.
func (m *machine) run(ctx context.Context, stdout io.Writer, args ...string) error {
	c := NewCommand(Host{Name: "aqueduck", Stdout: stdout, Now: m.now, Log: func() *slog.Logger { return slog.New(slog.DiscardHandler) }})
	c.SetArgs(args)
	c.SilenceUsage, c.SilenceErrors = true, true
	return c.ExecuteContext(ctx)
}

// serve starts emulate. The returned function ends it.
func (m *machine) serve(args ...string) (address string, end func()) {
	m.t.Helper()
	ctx, cancel := context.WithCancel(m.t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := m.run(ctx, in, append([]string{"--port", "0"}, args...)...)
		_ = in.CloseWithError(err)
		ended <- err
	}()
	lines := bufio.NewReader(out)
	first, err := lines.ReadString('\n')
	if err != nil {
		m.t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	return strings.TrimSpace(strings.TrimPrefix(first, "serving an emulated workspace on ")), func() {
		cancel()
		if err := <-ended; err != nil {
			m.t.Error(err)
		}
	}
}

func (m *machine) get(url string, into any) string {
	m.t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		m.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		m.t.Fatalf("%s: %d, %v: %s", url, resp.StatusCode, err, text)
	}
	if into != nil {
		if err := json.Unmarshal(text, into); err != nil {
			m.t.Fatal(err)
		}
	}
	return string(text)
}

// state returns what a workspace has, once what is due has happened.
func (m *machine) state(address string) (s control.WorkspaceState) {
	m.t.Helper()
	m.get(address+"/_emulator/state", &s)
	return s
}

// TestEmulateLivesWithTheMachine, an hour a minute, and with --state also while it does not run.
func TestEmulateLivesWithTheMachine(t *testing.T) {
	t.Parallel()
	m, file := &machine{t: t}, filepath.Join(t.TempDir(), "living.ndjson")
	address, end := m.serve("--live", "--speed", "60", "--contacts", "60", "--conversations", "900", "--hours", "3", "--state", file)
	first := m.state(address)
	if !first.Clock.Equal(began) || first.Hours != 3 {
		t.Errorf("at the beginning it is %s after %d hours", first.Clock, first.Hours)
	}
	m.pass(40 * time.Minute)
	later := m.state(address)
	if want := began.Add(40 * time.Hour); !later.Clock.Equal(want) || later.Hours != 43 || later.Activities <= first.Activities || later.Conversations <= first.Conversations {
		t.Errorf("after 40 minutes: %+v, before %+v", later, first)
	}
	resp, err := http.Post(address+"/_emulator/do/contacts.create?role=lead", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		t.Error(resp.Status)
	}
	_ = resp.Body.Close()
	m.pass(4 * time.Minute)
	at := m.state(address).Clock.Format(time.RFC3339)
	streams := []string{"contacts", "contact_activities", "conversation_parts", "tickets", "admin_activity_logs", "articles", "companies"}
	then := map[string]string{}
	for _, stream := range streams {
		then[stream] = m.get(address+"/_oracle/"+stream+"?at="+at, nil)
	}
	end()

	m.pass(2 * time.Hour)
	address, end = m.serve("--state", file)
	defer end()
	for _, stream := range streams {
		if now := m.get(address+"/_oracle/"+stream+"?at="+at, nil); now != then[stream] {
			t.Errorf("after a restart %s of %s have %d bytes, before %d", stream, at, len(now), len(then[stream]))
		}
	}
	if s := m.state(address); !s.Clock.Equal(began.Add(164*time.Hour)) || s.Hours != 167 || s.Conversations <= later.Conversations {
		t.Errorf("two hours later: %+v", s)
	}
}

// TestEmulateAgreesWithTheMachinesClock at the speed of 1. An earlier time of the machine does not move it backwards past its beginning.
func TestEmulateAgreesWithTheMachinesClock(t *testing.T) {
	t.Parallel()
	m := &machine{t: t}
	address, end := m.serve("--live", "--contacts", "60")
	defer end()
	for _, passes := range []time.Duration{0, 61 * time.Minute, 47 * time.Hour} {
		m.pass(passes)
		if s := m.state(address); !s.Clock.Equal(m.now()) || s.Hours != int(m.now().Sub(began.Truncate(time.Hour))/time.Hour) {
			t.Errorf("at %s it shows %s after %d hours", m.now(), s.Clock, s.Hours)
		}
	}
	m.passed.Store(-int64(time.Hour))
	if s := m.state(address); !s.Clock.Equal(began) {
		t.Errorf("where the machine shows an hour before the beginning: %s", s.Clock)
	}
}

func TestEmulateRefusesALifeThatIsNone(t *testing.T) {
	t.Parallel()
	m := &machine{t: t}
	fixed, living := filepath.Join(t.TempDir(), "fixed.ndjson"), filepath.Join(t.TempDir(), "living.ndjson")
	for _, args := range [][]string{{"--state", fixed}, {"--live", "--speed", "0.5", "--state", living}} {
		_, end := m.serve(append(args, "--contacts", "60")...)
		end()
	}
	for args, wanted := range map[string]string{
		"--live --speed=-1":                      "--speed -1: expected a number above 0, and not above 3600",
		"--live --speed=0":                       "--speed 0: expected a number above 0",
		"--live --speed=NaN":                     "--speed NaN: expected a number above 0",
		"--live --speed=3601":                    "--speed 3601: expected a number above 0",
		"--speed=60":                             "--speed needs --live: without it no hour passes",
		"--live --state " + fixed:                "--state " + fixed + " is a workspace whose time is fixed, from 2024-06-15 on: omit --live, or give another file",
		"--speed 60 --state " + fixed:            "is a workspace whose time is fixed: omit --speed, or give another file",
		"--live=false --state " + living:         "is a workspace that lives: omit --live=false, or give another file",
		"--live --speed=60 --state " + living:    "is a workspace of --speed 0.5, not 60: omit --speed, or give another file",
		"--live --contacts 61 --state " + living: "is a workspace of --contacts 60, not 61",
	} {
		err := m.run(t.Context(), io.Discard, append([]string{"--port", "0"}, strings.Fields(args)...)...)
		if err == nil || !strings.Contains(err.Error(), wanted) {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func TestEmulatePrintsItsOpenAPIDocument(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := (&machine{t: t}).run(t.Context(), &out, "--openapi"); err != nil || !bytes.Equal(out.Bytes(), emulator.OpenAPI()) {
		t.Errorf("%v, %d bytes", err, out.Len())
	}
}
