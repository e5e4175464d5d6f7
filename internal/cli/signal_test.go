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

// soon limits the time from a signal to the end of a run.
const soon = 10 * time.Second

// TestF14SignalsEndARunSoon sends SIGINT and SIGTERM at random times of a run, in a new warehouse and in a full one.
func TestF14SignalsEndARunSoon(t *testing.T) {
	t.Parallel()
	signals := lane.Cases(3, 5)
	var waits []time.Duration
	for l := lane.New(t, "runs interrupted at any time", signals); l.HasNext(); l.CountTrials(signals) {
		waits = append(waits, interruptRuns(t, rand.New(rand.NewPCG(l.Seed(), 0)), signals)...)
	}
	slices.Sort(waits)
	t.Logf("%d runs interrupted took %s, %s at most", len(waits), waits[len(waits)/2], waits[len(waits)-1])
}

func interruptRuns(t *testing.T, r *rand.Rand, wanted int) (waits []time.Duration) {
	s := newSite(t, r.Uint64())
	defer s.closeSite()
	first := s.syncUntilEqual()
	span := first
	for i := 0; len(waits) < wanted; i++ {
		if i%5 == 4 {
			s.syncUntilEqual()
		}
		if i%10 == 0 {
			s.newWarehouse()
			span = first
		}
		s.life.startActivity()
		p := s.startSync()
		if wait, was := p.interruptAfter([]syscall.Signal{syscall.SIGINT, syscall.SIGTERM}[i%2], time.Duration(r.Int64N(int64(span)))); was {
			waits = append(waits, wait)
		} else {
			p.requireSuccess()
			span = p.age
		}
		s.readEveryRow()
		s.life.passHours()
	}
	s.syncUntilEqual()
	return waits
}

// interruptAfter sends a signal after a time, checks how the process ends, and returns the time that this took; false if the process ended
// before.
func (p *testProcess) interruptAfter(signal syscall.Signal, delay time.Duration) (time.Duration, bool) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), delay)
	defer cancel()
	select {
	case <-p.ended:
	case <-ctx.Done():
	}
	p.sendSignal(signal)
	at := time.Now()
	code := p.exitCode()
	took := time.Since(at)
	if code == 0 {
		return 0, false
	}
	if took > soon {
		p.t.Errorf("%s after %s ended the process after %s:\n%s", signal, delay, took, p.outputText())
	}
	said := p.outputText()
	goesOn := strings.Contains(said, "the same command goes on from there") || strings.Contains(said, "next: aqueduck sync ")
	young := p.waitStatus().Signaled() // before the program could say how it takes signals
	if code != 128+int(signal) || !goesOn && !young {
		p.t.Errorf("%s after %s ended the process with %d:\n%s", signal, delay, code, said)
	}
	return took, true
}

// TestF14SecondSignalEndsAtOnce comes in the middle of a commit, which the first signal lets finish.
func TestF14SecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, 32)
	for _, pair := range [][2]syscall.Signal{{syscall.SIGINT, syscall.SIGTERM}, {syscall.SIGTERM, syscall.SIGINT}} {
		p := s.syncWith([]string{"AQUEDUCK_CRASH=commit-written:2:hold"})
		p.waitForText("holding at commit-written")
		p.sendSignal(pair[0])
		p.waitForText("press Ctrl-C again to stop immediately")
		p.sendSignal(pair[1])
		if code := p.exitCode(); code != 128+int(pair[1]) {
			t.Errorf("%s after %s ended the process with %d", pair[1], pair[0], code)
		}
		s.life.passHours()
	}
	s.syncUntilEqual()
}

// ignoresHangups is whether the tests began under nohup: what they start then ignores SIGHUP too. After a test has listened to that
// signal, the standard library says no more that it is ignored.
var ignoresHangups = signal.Ignored(syscall.SIGHUP)

// TestF14InterruptedRunRecordsItsExitCode: `runs`, the summary and the process have the same code, that of the signal.
func TestF14InterruptedRunRecordsItsExitCode(t *testing.T) {
	t.Parallel()
	s := newSite(t, 33)
	signals := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !ignoresHangups {
		signals = append(signals, syscall.SIGHUP)
	}
	for _, sent := range signals {
		asked, answer := make(chan struct{}), make(chan struct{})
		var first sync.Once
		s.space.RunBetween(func(int) { first.Do(func() { close(asked); <-answer }) })
		release := sync.OnceFunc(func() { close(answer) })
		t.Cleanup(release) // a failure here must not leave the server waiting for its handler
		file := filepath.Join(t.TempDir(), "run.json")
		p := s.startSync("--summary-file", file)
		<-asked
		p.sendSignal(sent)
		p.waitForText("press Ctrl-C again to stop immediately")
		release()
		want := 128 + int(sent)
		if code := p.exitCode(); code != want {
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

// TestF14RunThatIgnoresHangupsContinues, as with nohup.
func TestF14RunThatIgnoresHangupsContinues(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	s := newSite(t, 34)
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	asked, answer := make(chan struct{}), make(chan struct{})
	var first sync.Once
	s.space.RunBetween(func(int) { first.Do(func() { close(asked); <-answer }) })
	p := startProcess(t, "sh", []string{"WORKSPACE_URL=" + s.server.URL, "WORKSPACE_TOKEN=" + s.space.AccessToken()}, "-c", `trap "" HUP; exec "$0" "$@"`,
		path, "sync", "nightly", "--file", filepath.Join(s.home, "pipelines.yaml"), "--dir", string(s.dir))
	<-asked
	p.sendSignal(syscall.SIGHUP)
	close(answer)
	if code := p.exitCode(); code != 0 || strings.Contains(p.outputText(), "press Ctrl-C again to stop immediately") {
		t.Errorf("it ended with %d:\n%s", code, p.outputText())
	}
}
