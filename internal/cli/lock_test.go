package cli

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"aqueduck/internal/emulator"
	"aqueduck/internal/lane"
)

// requestGate stands before a workspace: all requests wait at it until it is opened. It records which processes sent requests; each has
// its own token.
type requestGate struct {
	server  *httptest.Server
	reached chan struct{} // closed by the first request
	opened  chan struct{}

	mu   sync.Mutex // guards what follows
	seen []string   // who asked, each once for every time that it took turns
}

func newGate(t *testing.T, space *emulator.Workspace) *requestGate {
	g := &requestGate{reached: make(chan struct{}), opened: make(chan struct{})}
	g.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.noteArrival(r.Header.Get("Authorization"))
		r.Header.Set("Authorization", "Bearer "+space.AccessToken())
		<-g.opened
		space.ServeHTTP(w, r)
	}))
	t.Cleanup(g.server.Close)
	return g
}

func (g *requestGate) noteArrival(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.seen) == 0 {
		close(g.reached)
	}
	if len(g.seen) == 0 || g.seen[len(g.seen)-1] != name {
		g.seen = append(g.seen, name)
	}
}

// waitForArrival waits until a request waits at the gate.
func (g *requestGate) waitForArrival(p *testProcess) {
	p.t.Helper()
	select {
	case <-g.reached:
	case <-p.ended:
		p.t.Fatalf("the process ended (%v) before it asked anything:\n%s", p.err, p.outputText())
	}
}

func (g *requestGate) arrivalOrder() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.seen)
}

// throughGate starts a run with its own token.
func (s *emulatedSite) throughGate(g *requestGate, name string, args ...string) *testProcess {
	s.t.Helper()
	return s.syncWith([]string{"WORKSPACE_URL=" + g.server.URL, "WORKSPACE_TOKEN=the-token-of-" + name}, args...)
}

// TestF9OneOfTenProcessesRuns starts ten at once, none of which waits.
// Holds: T145.
func TestF9OneOfTenProcessesRuns(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	s := newSite(t, 21)
	for l := lane.New(t, "races of ten processes", 1); l.HasNext(); l.CountTrials(1) {
		s.life.passHours()
		s.raceProcesses(10)
	}
	s.syncUntilEqual()
}

func (s *emulatedSite) raceProcesses(processes int) {
	s.t.Helper()
	g := newGate(s.t, s.space)
	defer g.server.Close()
	ended := make(chan *testProcess, processes)
	for i := range processes {
		p := s.throughGate(g, strconv.Itoa(i), "--wait", "0s")
		go func() { <-p.ended; ended <- p }()
	}
	for range processes - 1 {
		if p := <-ended; p.exitCode() != 5 || !strings.Contains(p.outputText(), "another process writes this warehouse") {
			s.t.Errorf("a process that found the warehouse taken ended with %d:\n%s", p.exitCode(), p.outputText())
		}
	}
	close(g.opened)
	(<-ended).requireSuccess()
	if turns := g.arrivalOrder(); len(turns) != 1 {
		s.t.Errorf("the workspace was asked by %v, want by one", turns)
	}
}

// TestF9BusyWarehouseNamesItsHolder also after a killed run has left its run.json.
func TestF9BusyWarehouseNamesItsHolder(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	s := newSite(t, 22)
	s.killAt(3)
	g := newGate(t, s.space)
	holder := s.throughGate(g, "holder")
	g.waitForArrival(holder)
	other := s.startSync("--wait", "0s")
	if other.exitCode() != 5 || !strings.Contains(other.outputText(), "process "+strconv.Itoa(holder.cmd.Process.Pid)+", pipeline nightly, run 0") {
		t.Errorf("a process that found the warehouse taken by %d ended with %d:\n%s", holder.cmd.Process.Pid, other.exitCode(), other.outputText())
	}
	close(g.opened)
	holder.requireSuccess()
}

// TestF9KilledRunReleasesTheLock kills the active process while two wait: they run one after the other, and both complete.
func TestF9KilledRunReleasesTheLock(t *testing.T) {
	t.Parallel()
	s := newSite(t, 23)
	g := newGate(t, s.space)
	holder := s.throughGate(g, "holder")
	g.waitForArrival(holder)
	waiting := []*testProcess{s.throughGate(g, "second"), s.throughGate(g, "third")}
	holder.killAndWait()
	close(g.opened)
	for _, p := range waiting {
		p.requireSuccess()
	}
	if turns := g.arrivalOrder(); len(turns) != 3 {
		t.Errorf("they asked by turns %v, want one after the other", turns)
	}
	s.syncUntilEqual()
}
