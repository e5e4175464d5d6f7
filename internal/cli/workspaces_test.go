package cli

import (
	"encoding/json"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"aqueduck/internal/emulator"
	"aqueduck/internal/fleet"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
)

// machineOf is one of the machines that share the workspaces of a fleet.
type machineOf struct {
	t   *testing.T
	env []string
}

// run runs a command to its end, and returns its exit code and its output.
func (m machineOf) run(args ...string) (int, string) {
	m.t.Helper()
	p := startProcess(m.t, "aqueduck", m.env, args...)
	<-p.ended
	return p.cmd.ProcessState.ExitCode(), p.outputText()
}

// runOf is run for one workspace.
func (m machineOf) runOf(workspace string, args ...string) (int, string) {
	m.t.Helper()
	return machineOf{m.t, append(slices.Clone(m.env), "AQUEDUCK_WORKSPACE="+workspace)}.run(args...)
}

// rows is the status of all workspaces.
func (m machineOf) rows() (code int, rows map[string]fleet.Row) {
	m.t.Helper()
	code, text := m.run("status", "-f", m.env[0][len("FILE="):], "--exit-code", "-o", "json")
	var all struct{ Workspaces []fleet.Row }
	if err := json.NewDecoder(strings.NewReader(text)).Decode(&all); err != nil {
		m.t.Fatalf("%v\n%s", err, text)
	}
	rows = map[string]fleet.Row{}
	for _, r := range all.Workspaces {
		rows[r.Workspace] = r
	}
	return code, rows
}

// TestStatusShowsTheRunsOfOtherMachines: one line a workspace, whichever machine ran it last, and how that ended. A machine that never ran one transfers no file.
// A store that cannot be asked is told, and the others are shown.
func TestStatusShowsTheRunsOfOtherMachines(t *testing.T) {
	t.Parallel()
	backend := s3mem.New()
	if err := backend.CreateBucket("bucket"); err != nil {
		t.Fatal(err)
	}
	store := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(store.Close)
	space := httptest.NewServer(emulator.New(emulator.Config{Seed: 9, Contacts: 3, Conversations: -1, Token: "right"}))
	t.Cleanup(space.Close)
	config := `version: 1
warehouse: {dir: "${MACHINE}/${AQUEDUCK_WORKSPACE}", remote: "s3://bucket/${AQUEDUCK_WORKSPACE}"}
workspaces:
  eu: {base_url: "${SPACE}", token: right}
  us: {base_url: "${SPACE}", token: "${US_TOKEN}"}
  new: {base_url: "${SPACE}", token: right}
pipelines:
  nightly: {schedule: "0 2 * * *", streams: [tags]}
  weekly: {schedule: "0 3 * * 0", streams: [segments], workspaces: [eu]}
`
	home := t.TempDir()
	file := filepath.Join(home, "pipelines.yaml")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(config, "token: right", `token: "${TOKEN}"`)), 0o600); err != nil {
		t.Fatal(err)
	}
	machine := func(name, usToken string) machineOf {
		return machineOf{t, []string{"FILE=" + file, "MACHINE=" + filepath.Join(home, name), "SPACE=" + space.URL, "TOKEN=right", "US_TOKEN=" + usToken,
			"AWS_ENDPOINT_URL_S3=" + store.URL, "AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=key", "AWS_SECRET_ACCESS_KEY=secret"}}
	}
	a, b := machine("a", "right"), machine("b", "wrong-secret-token")
	for _, sync := range []struct {
		on                  machineOf
		workspace, pipeline string
		code                int
	}{{a, "eu", "nightly", 0}, {a, "us", "nightly", 0}, {a, "eu", "weekly", 0}, {b, "us", "nightly", problem.ExitRefused}} {
		if code, said := sync.on.runOf(sync.workspace, "sync", sync.pipeline, "--workspace", sync.workspace, "-f", file, "-q"); code != sync.code {
			t.Fatalf("%s of %s ended with %d:\n%s", sync.pipeline, sync.workspace, code, said)
		}
	}
	laptop := machine("laptop", "right")
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	var seen [3]map[string]fleet.Row
	for i, m := range []machineOf{a, b, laptop} {
		code, rows := m.rows()
		if code != problem.ExitRefused {
			t.Errorf("machine %d: status ended with %d", i, code)
		}
		eu, us, fresh := rows["eu"], rows["us"], rows["new"]
		if eu.Health != runlog.HealthOK || eu.Last == nil || eu.Last.Pipeline != "weekly" || eu.Last.Outcome != "OK" || eu.Last.Host != host || eu.AsOf.IsZero() || eu.Success.IsZero() || len(eu.Needs) > 0 {
			t.Errorf("machine %d: eu is %+v, last run %+v", i, eu, eu.Last)
		}
		if us.Health != runlog.HealthAct || us.Last == nil || us.Last.Outcome != "FAILED" || us.Last.Exit != problem.ExitRefused || us.AsOf.IsZero() || us.Success.After(us.Last.Started) || len(us.Needs) != 1 || us.Needs[0].Next == "" {
			t.Errorf("machine %d: us is %+v, last run %+v", i, us, us.Last)
		}
		if fresh.Health != runlog.HealthNew || fresh.Last != nil || fresh.Next.IsZero() {
			t.Errorf("machine %d: the new one is %+v", i, fresh)
		}
		seen[i] = rows
	}
	if seen[0]["eu"].Last.Run != seen[2]["eu"].Last.Run || !seen[0]["eu"].AsOf.Equal(seen[2]["eu"].AsOf) {
		t.Errorf("eu is %+v here and %+v there", seen[0]["eu"], seen[2]["eu"])
	}
	if _, err := os.Stat(filepath.Join(home, "laptop")); err == nil {
		t.Error("status made a directory or took a file")
	}
	told, err := backend.GetObject("bucket", "us/runs.json", nil)
	if err != nil {
		t.Fatal(err)
	}
	words, err := io.ReadAll(told.Contents)
	if err != nil {
		t.Fatal(err)
	}
	// The error of the API and what a person should do have words of the source in them, or tokens. They stay where the run was.
	if us := seen[1]["us"].Needs[0].What; strings.Contains(string(words), "wrong-secret-token") || strings.Contains(string(words), "unauthorized") || !strings.Contains(strings.ToLower(us), "unauthorized") || !strings.Contains(string(words), `"auth"`) {
		t.Errorf("machines tell each other %s\nof the error %s", words, us)
	}
	code, said := a.run("status", "-f", file)
	if code != 0 || !strings.Contains(said, "3 workspaces: 1 needs action, 1 on time, 1 new") || !strings.Contains(said, host) || !strings.Contains(said, "next: on "+host+": aqueduck runs show ") {
		t.Errorf("it ended with %d and said\n%s", code, said)
	}
	// The store is gone: what this machine knows is shown, and the rest is told.
	store.Close()
	code, said = a.run("status", "-f", file)
	if code != problem.ExitFailed || !strings.Contains(said, "eu: as this machine knows it: ") || !strings.Contains(said, "error[transient] ask the object stores of eu, us, new: ") || !strings.Contains(said, "weekly") {
		t.Errorf("it ended with %d and said\n%s", code, said)
	}
}
