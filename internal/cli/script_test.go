package cli

import (
	"bytes"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"aqueduck/internal/emulator"
)

// commands are the programs of scripts: the test binary under other names.
var commands = map[string]func(){"aqueduck": runAsProgram, "aqueduck-on-a-full-disk": onFullDisk, "aqueduck-on-loopback": onLoopback,
	"analyst": askAsAnalyst, "aqueduck-in-virtual-time": inVirtualTime}

// scripted is the configuration of scripts without one.
const scripted = `version: 1
workspaces:
  main: {base_url: "${WORKSPACE_URL}", token: "${WORKSPACE_TOKEN}"}
pipelines:
  nightly: {schedule: "0 2 * * *", streams: [contacts, deleted_contacts, contact_activities]}
`

// workspaceStart is hour 0 of the workspaces that tests serve.
var workspaceStart = time.Date(2024, 6, 15, 2, 0, 0, 0, time.UTC)

// Holds: S1, S7, S24, S25, S46.
func TestScripts(t *testing.T) {
	t.Parallel()
	skipInsideSandbox(t)
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("EMULATOR_CONTACTS", "60")
			env.Setenv("EMULATOR_POPULATION", "odd")
			file := filepath.Join(env.WorkDir, "pipelines.yaml")
			if _, err := os.Stat(file); err == nil {
				return nil
			}
			return os.WriteFile(file, []byte(scripted), 0o600)
		},
		Condition: func(cond string) (bool, error) {
			if cond != "namespaces" {
				return false, fmt.Errorf("no condition %s", cond)
			}
			return exec.Command("unshare", "-rm", "true").Run() == nil, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": scriptExits, "says": scriptStderr, "workspace": serveWorkspace, "filled": copyFilled, "same": scriptSameRows, "into": keepLine, "build": buildProgram,
		},
	})
}

// scriptExits runs a program that must end with an exit code: exits 3 aqueduck check.
func scriptExits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	if err != nil || neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGUMENT…")
	}
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("run %s: %v", args[1], err)
	}
	if got != want {
		ts.Fatalf("%s ended with %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// scriptStderr compares the stderr of the last program, without lines of the log, with a file. $WORK/ in the file is the
// script's directory. It replaces the time that attempts took.
func scriptStderr(ts *testscript.TestScript, neg bool, args []string) {
	var lines []string
	for line := range strings.Lines(ts.ReadFile("stderr")) {
		if !strings.HasPrefix(line, "time=") {
			lines = append(lines, line)
		}
	}
	got, want := strings.Join(lines, ""), strings.ReplaceAll(ts.ReadFile(args[0]), "$WORK/", ts.Getenv("WORK")+"/")
	if got = spentOnAttempts.ReplaceAllString(got, "attempts in T"); neg || got != want {
		ts.Fatalf("stderr is\n%s\nwant\n%s", got, want)
	}
}

// spentOnAttempts is the part of an error that says how long its attempts took.
var spentOnAttempts = regexp.MustCompile(`attempts in (under )?[0-9ms]+`)

// scriptSameRows checks that a query gives the same rows as the last time under this name: same NAME DIR SQL.
func scriptSameRows(ts *testscript.TestScript, neg bool, args []string) {
	now, err := exec.Command("aqueduck", "query", "--dir", ts.MkAbs(args[1]), "-o", "csv", args[2]).Output()
	ts.Check(err)
	file := ts.MkAbs(".same-" + args[0])
	before, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		ts.Check(os.WriteFile(file, now, 0o600))
		return
	}
	ts.Check(err)
	if bytes.Equal(now, before) == neg {
		ts.Fatalf("before:\n%s\nnow:\n%s", before, now)
	}
}

// keepLine stores the last line of the last program's stdout in a variable: into NAME.
func keepLine(ts *testscript.TestScript, _ bool, args []string) {
	lines := strings.Fields(ts.ReadFile("stdout"))
	ts.Setenv(args[0], lines[len(lines)-1])
}

// buildProgram builds the program and stores its path in BUILT.
func buildProgram(ts *testscript.TestScript, _ bool, _ []string) {
	path, err := built()
	ts.Check(err)
	ts.Setenv("BUILT", path)
}

// serveWorkspace serves an emulated workspace over HTTP until the script ends, and stores its address and token in the
// environment: workspace NAME [KNOB…].
func serveWorkspace(ts *testscript.TestScript, _ bool, args []string) {
	c := emulator.Config{Seed: 3, Contacts: 60, Inactive: 12, Activities: 90, Now: time.Now, Start: workspaceStart,
		WorkspaceID: "ws_" + args[0], Token: "token-of-" + args[0]}
	for _, knob := range args[1:] {
		name, value, _ := strings.Cut(knob, "=")
		switch name {
		case "unavailable":
			c.Unavailable = []string{value}
		case "chaos":
			c.Chaos = value
		default:
			ts.Fatalf("no knob %s", name)
		}
	}
	server := httptest.NewServer(emulator.New(c))
	ts.Defer(server.Close)
	ts.Setenv("WORKSPACE_URL", server.URL)
	ts.Setenv("WORKSPACE_TOKEN", c.Token)
}

// filledOnce fills a warehouse from the embedded workspace, once for all scripts.
var filledOnce = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(buildDir(), "filled")
	if err := os.MkdirAll(buildDir(), 0o700); err != nil {
		return "", err
	}
	file := filepath.Join(buildDir(), "pipelines.yaml")
	once := "warehouse: {publish: {first: 1h}}\n" // on a slow machine, too, the run publishes at its end alone
	if err := os.WriteFile(file, []byte(scripted+once), 0o600); err != nil {
		return "", err
	}
	sync := exec.Command("aqueduck", "sync", "-f", file, "--dir", dir)
	sync.Env = append(os.Environ(), "WORKSPACE_URL=emulator", "EMULATOR_CONTACTS=60", "EMULATOR_POPULATION=odd")
	if out, err := sync.CombinedOutput(); err != nil {
		return "", fmt.Errorf("fill a warehouse: %w\n%s", err, out)
	}
	return dir, nil
})

// copyFilled copies that warehouse into a directory: filled DIR.
func copyFilled(ts *testscript.TestScript, _ bool, args []string) {
	dir, err := filledOnce()
	ts.Check(err)
	ts.Check(ts.Exec("cp", "-a", dir, ts.MkAbs(args[0])))
}
