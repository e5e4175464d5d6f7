//go:build worker

package cli

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"go.temporal.io/sdk/client"

	"aqueduck/internal/emulator"
	"aqueduck/internal/oracletest"
	"aqueduck/load/layout"
)

// workersOfTheFleet is how many workers a fleet has.
const workersOfTheFleet = 4

// TestTheFleetLosesNothing runs one night of many workspaces twice: undisturbed, and with two workers killed and one paused in the middle of their
// runs. Every workspace's run ends well, its file in the object store has the emulator's rows, and no two workers run one workspace at once, but for
// the paused one that wakes up. A worker that gets SIGTERM hands its runs on at once. AQUEDUCK_FLEET is the number of workspaces, at least ten.
// Holds: P5.
func TestTheFleetLosesNothing(t *testing.T) {
	if os.Getenv("AQUEDUCK_FLEET") == "" {
		t.Skip("it needs a Temporal server: make fleet runs it")
	}
	count, err := strconv.Atoi(os.Getenv("AQUEDUCK_FLEET"))
	if err != nil {
		t.Fatalf("AQUEDUCK_FLEET is the number of workspaces: %v", err)
	}
	requests := map[string]int{}
	for _, night := range []string{undisturbed, disturbed} {
		t.Run(night, func(t *testing.T) {
			f := newFleet(t, count, night)
			f.runNight()
			f.compareRows()
			requests[night] = f.total
			if night == disturbed && (len(f.killed) != 2 || f.paused < 0 || !f.woken) {
				t.Errorf("killed %v, paused %d, woken %t: the night was too short for that", f.killed, f.paused, f.woken)
			}
		})
	}
	// Each of the six runs that were disturbed is read once more, at most from its beginning.
	if most := requests[undisturbed] * (count + 7) / count; requests[disturbed] > most {
		t.Errorf("%d requests, and %d undisturbed: %d are the most", requests[disturbed], requests[undisturbed], most)
	}
	t.Run(stopped, func(t *testing.T) {
		f := newFleet(t, 2, stopped)
		began := time.Now()
		f.runNight()
		took := time.Since(began)
		f.compareRows()
		if len(f.killed) != 1 {
			t.Fatalf("workers %v were stopped", f.killed)
		}
		if said := f.workers[f.killed[0]].outputText(); !strings.Contains(said, "INTERRUPTED nightly ") || took > silentFor {
			t.Errorf("it took %s, and the worker that was stopped said\n%s", took, said)
		}
	})
	t.Run(timed, func(t *testing.T) {
		f := newFleet(t, 1, timed)
		f.startWorkers(1)
		f.workers[0].waitForText("OK minutely ")
		f.workers[0].sendSignal(syscall.SIGTERM)
		<-f.workers[0].ended
		if said := f.workers[0].outputText(); f.workers[0].err != nil || strings.Contains(said, "yearly") {
			t.Errorf("it ended with %v and said\n%s", f.workers[0].err, said)
		}
	})
}

// Nights of a fleet.
const (
	undisturbed = "undisturbed"
	disturbed   = "disturbed" // two workers are killed, one is paused
	stopped     = "stopped"   // one worker gets SIGTERM
	timed       = "timed"     // Temporal's clock begins the run, of the pipeline whose time it is
)

// silentFor is how long Temporal waits for a silent worker. A run that is handed over does not wait for that.
const silentFor = 30 * time.Second

// workerFleet is emulated workspaces, an object store and workers.
type workerFleet struct {
	t        *testing.T
	home     string
	spaces   map[string]*emulator.Workspace
	stored   atomic.Int64 // requests to the object store
	temporal client.Client
	settings []string // the environment of the workers
	workers  []*testProcess
	night    string

	mu     sync.Mutex       // guards what follows
	total  int              // requests of all workers
	seen   map[string][]int // the workers that read a workspace, each once in a row
	killed []int            // or stopped, in their order
	paused int              // the worker that was; -1: none yet
	held   []string         // workspaces that the paused worker reads
	woken  bool             // it was continued, while another worker read one of its workspaces
}

// newFleet starts everything but the workers.
func newFleet(t *testing.T, count int, night string) *workerFleet {
	t.Helper()
	f := &workerFleet{t: t, home: t.TempDir(), spaces: map[string]*emulator.Workspace{}, seen: map[string][]int{}, paused: -1, night: night}
	backend := s3mem.New()
	if err := backend.CreateBucket("bucket"); err != nil {
		t.Fatal(err)
	}
	bucket := gofakes3.New(backend).Server()
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.stored.Add(1)
		bucket.ServeHTTP(w, r)
	}))
	t.Cleanup(store.Close)
	server := exec.Command(os.Getenv("AQUEDUCK_TEMPORAL"))
	input, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		input.Close()
		_ = server.Wait() // it is no matter of this test how the server ends
	})
	line, err := bufio.NewReader(output).ReadString('\n')
	words := strings.Fields(line)
	if err != nil || len(words) != 2 {
		t.Fatalf("Temporal said %q: %v", line, err)
	}
	if f.temporal, err = client.Dial(client.Options{HostPort: words[0], Namespace: words[1]}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.temporal.Close)
	f.settings = []string{"ADDRESS=" + words[0], "TEMPORAL_NAMESPACE=" + words[1], "AWS_ENDPOINT_URL_S3=" + store.URL, "AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=key", "AWS_SECRET_ACCESS_KEY=secret"}
	config := "version: 1\nwarehouse: {dir: \"${MACHINE}/${AQUEDUCK_WORKSPACE}\", remote: \"s3://bucket/${AQUEDUCK_WORKSPACE}\"" + mirrorOfFleet(f.home) + "}\nworkspaces:\n"
	for n := range count {
		name := fmt.Sprintf("ws%03d", n)
		config += "  " + name + `: {base_url: "` + f.serveSpace(name, uint64(n+1)) + `", token: "${TOKEN}"}` + "\n"
	}
	pipelines := `{nightly: {schedule: "0 2 * * *", jitter: 1s, streams: [contacts, deleted_contacts, contact_activities, tags]}}`
	if night == timed {
		pipelines = `{yearly: {schedule: "0 2 1 1 *", streams: [tags]}, minutely: {schedule: "* * * * *", jitter: 1s, streams: [tags]}}`
	}
	config += "pipelines: " + pipelines + "\n"
	if err := os.WriteFile(filepath.Join(f.home, "pipelines.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return f
}

// serveSpace serves an emulated workspace. Each worker has a token of its own, by which its requests are known.
func (f *workerFleet) serveSpace(name string, seed uint64) string {
	f.t.Helper()
	space := emulator.New(emulator.Config{Seed: seed, Contacts: 1200, Inactive: 100, Activities: 3000, Conversations: -1, Token: tokenOf(0), WorkspaceID: "id_" + name})
	for n := 1; n < workersOfTheFleet; n++ {
		if err := space.AddToken(tokenOf(n)); err != nil {
			f.t.Fatal(err)
		}
	}
	f.spaces[name] = space
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for n := range workersOfTheFleet {
			if r.Header.Get("Authorization") == "Bearer "+tokenOf(n) {
				f.noteRequest(name, n)
			}
		}
		space.ServeHTTP(w, r)
	}))
	f.t.Cleanup(server.Close)
	return server.URL
}

func tokenOf(worker int) string { return fmt.Sprintf("token-of-worker-%d", worker) }

// noteRequest counts a request, and disturbs the worker that sent it when its time has come.
func (f *workerFleet) noteRequest(workspace string, worker int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.total++
	if seen := f.seen[workspace]; len(seen) == 0 || seen[len(seen)-1] != worker {
		f.seen[workspace] = append(seen, worker)
	}
	if f.night == undisturbed || f.night == timed || slices.Contains(f.killed, worker) {
		return
	}
	each := 12 * len(f.spaces) / 10 // requests between two disturbances: a part of one run and more with more workspaces
	switch {
	case f.night == stopped:
		if len(f.killed) == 0 && f.total >= 30 {
			f.killed = append(f.killed, worker)
			f.signalWorker(worker, syscall.SIGTERM)
		}
	case worker == f.paused:
		f.held = append(f.held, workspace) // sent before it was paused, or after it was woken
	case f.paused >= 0 && !f.woken && slices.Contains(f.held, workspace):
		f.signalWorker(f.paused, syscall.SIGCONT)
		f.woken = true
	case len(f.killed) < 2 && f.total >= each*(len(f.killed)+1):
		f.killed = append(f.killed, worker)
		f.signalWorker(worker, syscall.SIGKILL)
	case len(f.killed) == 2 && f.paused < 0 && f.total >= 3*each:
		f.paused, f.held = worker, append(f.held, workspace)
		f.signalWorker(worker, syscall.SIGSTOP)
	}
}

// signalWorker sends a signal to the worker alone, as a kernel that lacks memory does; one that pauses it goes to its runs, too.
func (f *workerFleet) signalWorker(n int, s syscall.Signal) {
	pid := f.workers[n].cmd.Process.Pid
	if s == syscall.SIGSTOP || s == syscall.SIGCONT {
		pid = -pid
	}
	if err := syscall.Kill(pid, s); err != nil {
		f.t.Error(err)
	}
}

// runNight is one night, from the start of the workers to their end.
func (f *workerFleet) runNight() {
	f.t.Helper()
	f.startWorkers(workersOfTheFleet)
	f.endNight()
}

// startWorkers starts workers, each as on a machine of its own.
func (f *workerFleet) startWorkers(count int) {
	f.t.Helper()
	for n := range count {
		env := append(slices.Clone(f.settings), "MACHINE="+filepath.Join(f.home, fmt.Sprint("machine", n)), "TOKEN="+tokenOf(n))
		f.workers = append(f.workers, startGroup(f.t, env, "worker", "--temporal", strings.TrimPrefix(f.settings[0], "ADDRESS="), "-f", filepath.Join(f.home, "pipelines.yaml"), "-q"))
	}
}

// endNight triggers all schedules, and waits until every workflow has ended and every worker that lives has stopped.
func (f *workerFleet) endNight() {
	f.t.Helper()
	names := slices.Sorted(maps.Keys(f.spaces))
	ctx, cancel := context.WithTimeout(f.t.Context(), time.Hour)
	defer cancel()
	began := time.Now()
	for _, name := range names {
		f.waitUntil(ctx, "the schedule of "+name, func() bool {
			return f.temporal.ScheduleClient().GetHandle(ctx, "aqueduck/"+name).Trigger(ctx, client.ScheduleTriggerOptions{}) == nil
		})
	}
	for _, name := range names {
		var runs []client.ScheduleActionResult
		f.waitUntil(ctx, "the run of "+name, func() bool {
			d, err := f.temporal.ScheduleClient().GetHandle(ctx, "aqueduck/"+name).Describe(ctx)
			if err == nil {
				runs = d.Info.RecentActions
				if next := d.Info.NextActionTimes; len(next) == 0 || !next[0].UTC().Truncate(time.Minute).Equal(next[0].UTC().Truncate(24*time.Hour).Add(2*time.Hour)) {
					f.t.Errorf("Temporal begins %s at %v", name, next)
				}
			}
			return len(runs) > 0
		})
		for _, run := range runs {
			if err := f.temporal.GetWorkflow(ctx, run.StartWorkflowResult.WorkflowID, run.StartWorkflowResult.FirstExecutionRunID).Get(ctx, nil); err != nil {
				f.t.Errorf("%s: %v", name, err)
			}
		}
		if len(runs) != 1 {
			f.t.Errorf("%s has %d runs", name, len(runs))
		}
	}
	took := time.Since(began)
	f.mu.Lock()
	killed, paused := slices.Clone(f.killed), f.paused
	f.mu.Unlock()
	if paused >= 0 {
		f.signalWorker(paused, syscall.SIGCONT)
	}
	var cpu time.Duration
	for n, w := range f.workers {
		if !slices.Contains(killed, n) {
			w.sendSignal(syscall.SIGTERM)
		}
		<-w.ended
		if w.err != nil && (f.night == stopped || !slices.Contains(killed, n)) {
			f.t.Errorf("worker %d: %v\n%s", n, w.err, w.outputText())
		}
		cpu += w.cmd.ProcessState.UserTime() + w.cmd.ProcessState.SystemTime()
	}
	f.t.Logf("%d workspaces, %d requests, %d to the store, %.0f s, %.0f CPU seconds without those of killed workers' runs; killed %v, paused %d", len(names), f.total, f.stored.Load(), took.Seconds(), cpu.Seconds(), killed, paused)
	for name, seen := range f.seen {
		for i := range len(seen) - 1 { // a worker follows another one only if that is dead or was paused
			if !slices.Contains(killed, seen[i]) && !slices.Contains(seen, paused) {
				f.t.Errorf("workers %v read %s, one after the other", seen, name)
			}
		}
	}
}

// waitUntil waits until something is the case, and looks five times a second.
func (f *workerFleet) waitUntil(ctx context.Context, what string, is func() bool) {
	f.t.Helper()
	look := time.NewTicker(200 * time.Millisecond)
	defer look.Stop()
	for !is() {
		select {
		case <-look.C:
		case <-ctx.Done():
			for n, w := range f.workers {
				f.t.Logf("worker %d:\n%s", n, w.outputText())
			}
			f.t.Fatalf("%s did not come", what)
		}
	}
}

// startGroup starts the program in a process group of its own, which a signal can reach with its runs.
func startGroup(t *testing.T, env []string, args ...string) *testProcess {
	t.Helper()
	p := startProcess(t, "setsid", env, append([]string{"aqueduck"}, args...)...)
	t.Cleanup(func() { _ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) }) // also runs that are stopped; mostly there is none
	return p
}

// compareRows pulls every workspace from the object store, as a laptop does, and compares its rows with the emulator's.
func (f *workerFleet) compareRows() {
	f.t.Helper()
	for name, space := range f.spaces {
		dir := filepath.Join(f.home, "copy-"+name)
		pull := startProcess(f.t, "aqueduck", f.settings, "pull", "s3://bucket/"+name, "--dir", dir)
		if <-pull.ended; pull.err != nil {
			f.t.Errorf("%s: %v\n%s", name, pull.err, pull.outputText())
			continue
		}
		f.compareMirror(name)
		for stream, columns := range map[string][]string{"contacts": {"id", "email", "updated_at"}, "contact_activities": {"id", "contact_id"}, "deleted_contacts": {"id"}, "tags": {"id", "name"}} {
			got, err := oracletest.QueryRows(layout.Dir(dir).Current(), "SELECT "+strings.Join(columns, ", ")+" FROM "+name+"."+stream)
			if err != nil {
				f.t.Fatal(err)
			}
			var want []string
			for _, row := range space.Oracle(stream) {
				var values []string
				for _, c := range columns {
					value := fmt.Sprint(row[c])
					if row[c] == nil {
						value = "∅" // as QueryRows writes it
					}
					values = append(values, value)
				}
				want = append(want, strings.Join(values, "|"))
			}
			if len(want) == 0 {
				f.t.Errorf("%s has no %s", name, stream)
			}
			oracletest.CompareRows(f.t, name+"."+stream, got, want)
		}
	}
}
