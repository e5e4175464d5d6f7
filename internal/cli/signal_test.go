package cli

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"aqueduck/internal/lane"
	"aqueduck/internal/runlog"
)

// soon is how long a run may take to end after a signal.
const soon = 10 * time.Second

// TestF14SignalsEndARunSoon sends SIGINT and SIGTERM at any time of a run's life, in a new warehouse and in a full one.
func TestF14SignalsEndARunSoon(t *testing.T) {
	t.Parallel()
	const signals = 5
	var waits []time.Duration
	for l := lane.New(t, "runs interrupted at any time", signals); l.More(); l.Done(signals) {
		waits = append(waits, interrupting(t, rand.New(rand.NewPCG(l.Seed(), 0)), signals)...)
	}
	slices.Sort(waits)
	t.Logf("%d runs interrupted took %s, %s at most", len(waits), waits[len(waits)/2], waits[len(waits)-1])
}

func interrupting(t *testing.T, r *rand.Rand, wanted int) (waits []time.Duration) {
	s := newSite(t, r.Uint64())
	defer s.leave()
	first := s.settle()
	span := first
	for i := 0; len(waits) < wanted; i++ {
		if i%5 == 4 {
			s.settle()
		}
		if i%10 == 0 {
			s.move()
			span = first
		}
		s.life.begin()
		p := s.sync()
		if wait, was := p.interrupt([]syscall.Signal{syscall.SIGINT, syscall.SIGTERM}[i%2], time.Duration(r.Int64N(int64(span)))); was {
			waits = append(waits, wait)
		} else {
			p.well()
			span = p.age
		}
		s.opens()
		s.life.hours()
	}
	s.settle()
	return waits
}

// interrupt sends a signal at a time of the process's life and sees that it ends as it should; false when it had ended
// well before. It gives how long the end took.
func (p *process) interrupt(signal syscall.Signal, delay time.Duration) (time.Duration, bool) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), delay)
	defer cancel()
	select {
	case <-p.ended:
	case <-ctx.Done():
	}
	p.signal(signal)
	at := time.Now()
	code := p.exit()
	took := time.Since(at)
	if code == 0 {
		return 0, false
	}
	if took > soon {
		p.t.Errorf("%s after %s ended the process after %s:\n%s", signal, delay, took, p.says())
	}
	said := p.says()
	goesOn := strings.Contains(said, "the same command goes on from there") || strings.Contains(said, "next: aqueduck sync ")
	young := p.status().Signaled() // before the program could say how it takes signals
	if code != 128+int(signal) || !goesOn && !young {
		p.t.Errorf("%s after %s ended the process with %d:\n%s", signal, delay, code, said)
	}
	return took, true
}

// TestF14ASecondSignalEndsAtOnce meets a run in the middle of a commit, which the first signal lets finish.
func TestF14ASecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, 32)
	for _, pair := range [][2]syscall.Signal{{syscall.SIGINT, syscall.SIGTERM}, {syscall.SIGTERM, syscall.SIGINT}} {
		p := s.syncWith([]string{"AQUEDUCK_CRASH=commit-written:2:hold"})
		p.until("holding at commit-written")
		p.signal(pair[0])
		p.until("once more stops at once")
		p.signal(pair[1])
		if code := p.exit(); code != 128+int(pair[1]) {
			t.Errorf("%s after %s ended the process with %d", pair[1], pair[0], code)
		}
		s.life.hours()
	}
	s.settle()
}

// TestF14TheCodeOfAnInterruptedRunIsTheOneThatIsNoted: runs, the summary and the process tell one code, by the signal that came.
func TestF14TheCodeOfAnInterruptedRunIsTheOneThatIsNoted(t *testing.T) {
	t.Parallel()
	s := newSite(t, 33)
	signals := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as where the tests run under nohup: what they start inherits it
		signals = append(signals, syscall.SIGHUP)
	}
	for _, sent := range signals {
		asked, answer := make(chan struct{}), make(chan struct{})
		var first sync.Once
		s.space.Between(func(int) { first.Do(func() { close(asked); <-answer }) })
		file := filepath.Join(t.TempDir(), "run.json")
		p := s.sync("--summary-file", file)
		<-asked
		p.signal(sent)
		p.until("once more stops at once")
		close(answer)
		want := 128 + int(sent)
		if code := p.exit(); code != want {
			t.Errorf("%s ended the process with %d", sent, code)
		}
		runs, err := runlog.PastRuns(t.Context(), s.dir, "", 1)
		if err != nil || len(runs) != 1 || runs[0].Exit != want || runs[0].Outcome != "INTERRUPTED" {
			t.Errorf("%s is noted as %+v, %v", sent, runs, err)
		}
		if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), fmt.Sprintf(`"exit_code": %d,`, want)) {
			t.Errorf("%s: %v, the summary is\n%s", sent, err, text)
		}
	}
}

// TestF14ARunThatIgnoresHangupsGoesOn, as nohup has it.
func TestF14ARunThatIgnoresHangupsGoesOn(t *testing.T) {
	t.Parallel()
	s := newSite(t, 34)
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	asked, answer := make(chan struct{}), make(chan struct{})
	var first sync.Once
	s.space.Between(func(int) { first.Do(func() { close(asked); <-answer }) })
	p := start(t, "sh", []string{"WORKSPACE_URL=" + s.server.URL, "WORKSPACE_TOKEN=" + s.space.Token()}, "-c", `trap "" HUP; exec "$0" "$@"`,
		path, "sync", "nightly", "--file", filepath.Join(s.home, "pipelines.yaml"), "--dir", string(s.dir))
	<-asked
	p.signal(syscall.SIGHUP)
	close(answer)
	if code := p.exit(); code != 0 || strings.Contains(p.says(), "once more stops at once") {
		t.Errorf("it ended with %d:\n%s", code, p.says())
	}
}
