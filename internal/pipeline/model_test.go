package pipeline_test

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"aqueduck/internal/lane"
)

// modelSeeds are those that every run of the tests tries; `make model` tries more.
const modelSeeds = 6

// modelRuns is how many runs of the program a plan has at the most, before those that are to end well.
const modelRuns = 3

// modelFailures are enough: what they are shrunk to costs more than all the others.
const modelFailures = 3

// modelTries bounds what shrinking a plan that failed may cost.
const modelTries = 150

// TestF22RandomEventsFaultsCrashesAndRunsEqualTheOracle carries out plans: what happens in a small workspace, faults, time, and runs of the
// program that are cut, interrupted and die. Once the faults are over and two runs later at the most, the warehouse is equal to the
// oracle; no run before was green with rows missing. A plan that fails is shrunk, and told with the command that repeats it.
func TestF22RandomEventsFaultsCrashesAndRunsEqualTheOracle(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	tryPlans(t, "model", "random lives", envNumber("AQUEDUCK_SEEDS", modelSeeds), drawPlan)
}

// tryPlans carries out the plans of so many seeds, several side by side. What fails is repeated by a target of make.
func tryPlans(t *testing.T, target, what string, seeds int, draw func(seed uint64, runs int) *trialPlan) {
	t.Helper()
	c := &trialShared{dir: (&planTrial{TB: t}).TempDir(), read: map[string]string{}}
	t.Cleanup(func() { _ = os.RemoveAll(c.dir) })
	if file := os.Getenv("AQUEDUCK_PLAN"); file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := parsePlan(string(text))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		replayPlan(t, p, c, os.Stderr)
		return
	}
	runs := envNumber("AQUEDUCK_RUNS", modelRuns)
	l := lane.New(t, what, seeds)
	var tried, failed, ran, twice atomic.Int64
	before := cpuTime(t)
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for failed.Load() < modelFailures && l.HasNext() {
		seed := l.Seed()
		l.CountTrials(1)
		if seeds == 1 {
			replayPlan(t, draw(seed, runs), c, os.Stderr)
			return
		}
		workers.Go(func() error {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				p := draw(seed, runs)
				done := runTrial(t, p, c, io.Discard)
				tried.Add(1)
				ran.Add(int64(done.runs))
				if done.secondRun {
					twice.Add(1)
				}
				if done.Failed() {
					failed.Add(1)
					reportFailure(t, p, done, c, target)
				}
			})
			return nil
		})
	}
	_ = workers.Wait() // each says itself what is wrong
	plans := float64(max(1, tried.Load()))
	t.Logf("%.0f plans, %d runs of the program, %.2f CPU-seconds a plan, %d plans needed the second clean run; %d failed",
		plans, ran.Load(), (cpuTime(t)-before).Seconds()/plans, twice.Load(), failed.Load())
}

// cpuTime is what this process has used by now, its other tests too.
func cpuTime(t testing.TB) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func envNumber(name string, usual int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return usual
}

// replayPlan carries out one plan with the program's own log.
func replayPlan(t *testing.T, p *trialPlan, c *trialShared, log io.Writer) {
	t.Helper()
	t.Logf("the plan:\n%s", p)
	if done := runTrial(t, p, c, log); done.Failed() {
		t.Errorf("%s", strings.Join(done.failed, "\n"))
	}
}

// reportFailure shrinks a plan that failed and tells what is left of it. What it is shrunk to fails in the same way.
func reportFailure(t *testing.T, p *trialPlan, done *planTrial, c *trialShared, target string) {
	t.Helper()
	kind := func(done *planTrial) string {
		first, _, _ := strings.Cut(done.failed[0], ":")
		return first
	}
	want, last := kind(done), done
	small := shrinkPlan(p, envNumber("AQUEDUCK_TRIES", modelTries), func(p *trialPlan) bool {
		again := runTrial(t, p, c, io.Discard)
		same := again.Failed() && kind(again) == want
		if same {
			last = again
		}
		return same
	})
	file := filepath.Join(os.TempDir(), fmt.Sprintf("aqueduck-model-%d.txt", p.seed))
	if err := os.WriteFile(file, []byte(small.String()), 0o600); err != nil {
		t.Error(err)
	}
	t.Errorf("seed %d fails: %s\n\nshrunk from %d operations to %d:\n%s\nagain: make %s SEED=%d RUNS=%d, or what is left of it: make model PLAN=%s",
		p.seed, strings.Join(last.failed, "\n"), len(p.ops), len(small.ops), small, target, p.seed, envNumber("AQUEDUCK_RUNS", modelRuns), file)
}

// quietLog is a log for whoever reads it; nobody reads that of many plans.
func quietLog(to io.Writer) *slog.Logger {
	if to == io.Discard {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(to, &slog.HandlerOptions{Level: slog.LevelInfo}))
}
