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

// modelSeeds is the number of seeds in every run of the tests; `make model` tries more.
var modelSeeds = lane.Cases(4, 6)

// modelRuns is the largest number of runs in a plan, before the runs that must succeed.
const modelRuns = 3

// modelFailures stops the test after so many failures: shrinking them costs more than all other trials.
const modelFailures = 3

// modelTries limits the number of trials for shrinking one failure.
const modelTries = 150

// TestF22RandomEventsFaultsCrashesAndRunsEqualTheOracle executes plans: events in a small workspace, faults, time, and runs that are cut,
// interrupted and die. After the faults at most two runs are needed until the warehouse equals the oracle, and no earlier run succeeded with rows
// missing. A failing plan is shrunk, and reported with the command that repeats it.
func TestF22RandomEventsFaultsCrashesAndRunsEqualTheOracle(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	tryPlans(t, "model", "random lives", envNumber("AQUEDUCK_SEEDS", modelSeeds), drawPlan)
}

// tryPlans executes the plans of n seeds, several at the same time. A make target repeats a failure.
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
	_ = workers.Wait() // each reports its own failure
	plans := float64(max(1, tried.Load()))
	t.Logf("%.0f plans, %d runs of the program, %.2f CPU-seconds a plan, %d plans needed the second clean run; %d failed",
		plans, ran.Load(), (cpuTime(t)-before).Seconds()/plans, twice.Load(), failed.Load())
}

// cpuTime is the CPU time of this process so far, with its other tests.
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

// replayPlan executes one plan with the program's own log.
func replayPlan(t *testing.T, p *trialPlan, c *trialShared, log io.Writer) {
	t.Helper()
	t.Logf("the plan:\n%s", p)
	if done := runTrial(t, p, c, log); done.Failed() {
		t.Errorf("%s", strings.Join(done.failed, "\n"))
	}
}

// reportFailure shrinks a failing plan and reports the rest of it, which fails in the same way.
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

// quietLog is a log that discards everything: nobody reads the logs of many plans.
func quietLog(to io.Writer) *slog.Logger {
	if to == io.Discard {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(to, &slog.HandlerOptions{Level: slog.LevelInfo}))
}
