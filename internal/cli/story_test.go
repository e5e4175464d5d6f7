package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// clockVariable names the address of the clock for a program in virtual time.
const clockVariable = "CLOCK_URL"

// inVirtualTime runs the program with the clock of a test, which waiting advances. With DISK_KIB its disk is full.
func inVirtualTime() {
	if os.Getenv("DISK_KIB") != "" {
		fillDisk()
	}
	moved := func(d time.Duration) time.Time {
		resp, err := http.PostForm(os.Getenv(clockVariable), url.Values{"wait": {d.String()}})
		var now time.Time
		if err == nil {
			err = errors.Join(json.NewDecoder(resp.Body).Decode(&now), resp.Body.Close())
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(99)
		}
		return now
	}
	a := Env{Name: "aqueduck", Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Lookup: os.LookupEnv,
		Now: func() time.Time { return moved(0) }, Wait: func(ctx context.Context, d time.Duration) error { moved(d); return ctx.Err() }}
	os.Exit(Run(&a))
}

// nightStory has a workspace, the machine of an operator, and the server that receives alerts.
type nightStory struct {
	t      *testing.T
	dir    string
	space  *emulator.Workspace
	env    []string
	outage [2]time.Time // the API answers 503 between them
	story  bytes.Buffer

	mu      sync.Mutex // guards what follows
	alerted []string
	under   *os.Process // the program that runs
	stopAt  time.Time   // the machine stops then
}

func newNights(t *testing.T, contacts int, config string) *nightStory {
	t.Helper()
	n := &nightStory{t: t, dir: t.TempDir(), space: emulator.New(emulator.Config{Seed: 4, Contacts: contacts, Inactive: 12, Activities: 60, Token: "token-of-before",
		Start: time.Date(2026, 11, 20, 1, 50, 0, 0, time.UTC)})}
	api := httptest.NewServer(http.HandlerFunc(n.serveAPI))
	desk := httptest.NewServer(http.HandlerFunc(n.serveDesk))
	t.Cleanup(api.Close)
	t.Cleanup(desk.Close)
	n.env = append(os.Environ(), "WORKSPACE_URL="+api.URL, clockVariable+"="+desk.URL+"/clock", "PING_URL="+desk.URL+"/ping/x", "HOOK_URL="+desk.URL+"/hook/x")
	n.writeConfig(config)
	return n
}

// writeConfig writes pipelines.yaml.
func (n *nightStory) writeConfig(config string) {
	n.t.Helper()
	if err := os.WriteFile(filepath.Join(n.dir, "pipelines.yaml"), []byte(config), 0o600); err != nil {
		n.t.Fatal(err)
	}
}

func (n *nightStory) serveAPI(w http.ResponseWriter, r *http.Request) {
	if now := n.space.CurrentTime(); !now.Before(n.outage[0]) && now.Before(n.outage[1]) {
		w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
		http.Error(w, `{"type":"error.list","request_id":"req_503","errors":[{"code":"service_unavailable","message":"try later"}]}`, http.StatusServiceUnavailable)
		return
	}
	n.space.ServeHTTP(w, r)
}

// serveDesk serves the clock and receives alerts.
func (n *nightStory) serveDesk(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/clock" {
		d, err := time.ParseDuration(r.FormValue("wait"))
		if err != nil {
			n.t.Error(err)
		}
		if d > 0 {
			n.space.Advance(d)
		}
		n.mu.Lock()
		if n.stopAt.IsZero() || n.space.CurrentTime().Before(n.stopAt) {
			n.mu.Unlock()
		} else {
			n.stopAt = time.Time{}
			n.mu.Unlock()
			if err := n.under.Kill(); err != nil {
				n.t.Error(err)
			}
			return
		}
		if err := json.NewEncoder(w).Encode(n.space.CurrentTime()); err != nil {
			n.t.Error(err)
		}
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		n.t.Error(err)
	}
	text := string(body)
	var message struct{ Event, Text string }
	if json.Unmarshal(body, &message) == nil {
		text = message.Event + "\n" + message.Text
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.alerted = append(n.alerted, strings.TrimSpace(n.space.CurrentTime().Format("15:04")+" "+r.URL.Path+" "+text))
}

// moveClockTo sets the clock to a time.
func (n *nightStory) moveClockTo(when string) {
	n.t.Helper()
	to, err := time.Parse("2006-01-02 15:04", when)
	if err != nil {
		n.t.Fatal(err)
	}
	n.space.Advance(to.Sub(n.space.CurrentTime()))
}

// runCommandLine runs a command of the operator and returns its output and exit code, without the parts that differ each time.
func (n *nightStory) runCommandLine(env string, args ...string) string {
	n.t.Helper()
	c := exec.CommandContext(n.t.Context(), "aqueduck-in-virtual-time", args...)
	c.Dir, c.Env = n.dir, append(n.env, strings.Fields(env)...)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		n.t.Fatal(err)
	}
	n.mu.Lock()
	n.under = c.Process
	n.mu.Unlock()
	err := c.Wait()
	text := out.String()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		n.t.Fatalf("%v: %v", args, err)
	}
	var lines []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "time=") {
			lines = append(lines, strings.TrimRight(line, " \n"))
		}
	}
	return normalizeOutput(strings.Join(lines, "\n")) + fmt.Sprintf("\nexit %d", c.ProcessState.ExitCode())
}

// takeAlerts returns the alerts since the last call.
func (n *nightStory) takeAlerts() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := normalizeOutput(strings.Join(n.alerted, "\n"))
	n.alerted = nil
	return all
}

var untidy = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`01[0-9A-Z]{24}`), "RUN"},
	{regexp.MustCompile(`(?m)(^  |\brun )[0-9A-HJKMNP-TV-Z]{8}(  |\))`), "${1}RUN$2"},
	{regexp.MustCompile(`time=\S+`), "time=T"},
	{spentOnAttempts, "attempts in T"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "HOST"},
	{regexp.MustCompile(`\b\d\.\ds\b`), "T.Ts"},
	{regexp.MustCompile(`(copy_file_range|write): file too large`), "file too large"},
}

func normalizeOutput(text string) string {
	for _, u := range untidy {
		text = u.what.ReplaceAllString(text, u.with)
	}
	return text
}

// recordCommand adds the output of a command to the story, and the alerts meanwhile as HH:MM PATH BODY.
func (n *nightStory) recordCommand(comment, env string, args ...string) {
	n.t.Helper()
	fmt.Fprintf(&n.story, "# %s, %s\n$ aqueduck %s\n%s\n", n.space.CurrentTime().Format("2 January 15:04"), comment, strings.Join(args, " "), n.runCommandLine(env, args...))
	if came := n.takeAlerts(); came != "" {
		fmt.Fprintf(&n.story, "\nalerts:\n%s\n", came)
	}
	n.story.WriteString("\n")
}

var update = flag.Bool("update", false, "write the stories as they are told now")

// compareStory compares the story with that of a file.
func (n *nightStory) compareStory(file, got string) {
	n.t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			n.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		n.t.Fatal(err)
	}
	if got != string(want) {
		n.t.Errorf("the story is\n%s\nwant that of %s (go test ./internal/cli -run %s -update writes it):\n%s", got, file, n.t.Name(), want)
	}
}
