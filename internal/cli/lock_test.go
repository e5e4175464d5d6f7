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

// gate stands before a workspace: the first request waits at it until it is opened, and with it whoever asks later. It
// notes who asked: processes that are told apart come with tokens of their own.
type gate struct {
	server  *httptest.Server
	reached chan struct{} // closed by the first request
	opened  chan struct{}

	mu   sync.Mutex // guards what follows
	seen []string   // who asked, each once for every time that it took turns
}

func newGate(t *testing.T, space *emulator.Workspace) *gate {
	g := &gate{reached: make(chan struct{}), opened: make(chan struct{})}
	g.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.note(r.Header.Get("Authorization"))
		r.Header.Set("Authorization", "Bearer "+space.Token())
		<-g.opened
		space.ServeHTTP(w, r)
	}))
	t.Cleanup(g.server.Close)
	return g
}

func (g *gate) note(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.seen) == 0 {
		close(g.reached)
	}
	if len(g.seen) == 0 || g.seen[len(g.seen)-1] != name {
		g.seen = append(g.seen, name)
	}
}

// wait waits until a process stands at the gate.
func (g *gate) wait(p *process) {
	p.t.Helper()
	select {
	case <-g.reached:
	case <-p.ended:
		p.t.Fatalf("the process ended (%v) before it asked anything:\n%s", p.err, p.says())
	}
}

func (g *gate) turns() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.seen)
}

// throughGate starts a run that comes to the workspace by a token of its own.
func (s *site) throughGate(g *gate, name string, args ...string) *process {
	s.t.Helper()
	return s.syncWith([]string{"WORKSPACE_URL=" + g.server.URL, "WORKSPACE_TOKEN=the-token-of-" + name}, args...)
}

// TestF9OfTenProcessesOneWorks starts ten at once, none of which waits.
// Holds: T145.
func TestF9OfTenProcessesOneWorks(t *testing.T) {
	t.Parallel()
	s := newSite(t, 21)
	for l := lane.New(t, "races of ten processes", 1); l.More(); l.Done(1) {
		s.life.hours()
		s.race(10)
	}
	s.settle()
}

func (s *site) race(processes int) {
	s.t.Helper()
	g := newGate(s.t, s.space)
	defer g.server.Close()
	ended := make(chan *process, processes)
	for i := range processes {
		p := s.throughGate(g, strconv.Itoa(i), "--wait", "0s")
		go func() { <-p.ended; ended <- p }()
	}
	for range processes - 1 {
		if p := <-ended; p.exit() != 5 || !strings.Contains(p.says(), "another process writes this warehouse") {
			s.t.Errorf("a process that found the warehouse taken ended with %d:\n%s", p.exit(), p.says())
		}
	}
	close(g.opened)
	(<-ended).well()
	if turns := g.turns(); len(turns) != 1 {
		s.t.Errorf("the workspace was asked by %v, want by one", turns)
	}
}

// TestF9ABusyWarehouseNamesItsHolder also when a killed run has left its own account behind.
func TestF9ABusyWarehouseNamesItsHolder(t *testing.T) {
	t.Parallel()
	s := newSite(t, 22)
	s.killAt(3)
	g := newGate(t, s.space)
	holder := s.throughGate(g, "holder")
	g.wait(holder)
	other := s.sync("--wait", "0s")
	if other.exit() != 5 || !strings.Contains(other.says(), "process "+strconv.Itoa(holder.cmd.Process.Pid)+", pipeline nightly, run 0") {
		t.Errorf("a process that found the warehouse taken by %d ended with %d:\n%s", holder.cmd.Process.Pid, other.exit(), other.says())
	}
	close(g.opened)
	holder.well()
}

// TestF9DeathFreesTheWarehouse kills the one that works while two wait: they take turns, and each reads to its end.
func TestF9DeathFreesTheWarehouse(t *testing.T) {
	t.Parallel()
	s := newSite(t, 23)
	g := newGate(t, s.space)
	holder := s.throughGate(g, "holder")
	g.wait(holder)
	waiting := []*process{s.throughGate(g, "second"), s.throughGate(g, "third")}
	holder.kill()
	close(g.opened)
	for _, p := range waiting {
		p.well()
	}
	if turns := g.turns(); len(turns) != 3 {
		t.Errorf("they asked by turns %v, want one after the other", turns)
	}
	s.settle()
}
