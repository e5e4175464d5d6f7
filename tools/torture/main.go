// Command torture runs the random tests, the lanes, for as long as there is time, and reports for each how much it tried and
// what that proves. Without a time it runs them at the size that they have in make test.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"aqueduck/internal/lane"
)

// tortureLane is one or several tests of one package, with their share of the time.
type tortureLane struct {
	faults string
	pkg    string
	tests  string // for go test -run
	share  int    // share of the time, relative to the others
	places bool   // the test's own process stops at crash points, so it is built with the tag crashpoints
}

// lanes run two at a time, in this order.
var lanes = []tortureLane{
	{"F1", "internal/cli", "TestF1KillsAtRandomTimes|TestKilledRunIsNotReadAgain", 6, false},
	{"F1", "load/publish", "TestF1KillsAtRandomTimes", 2, false},
	{"F2", "internal/cli", "TestKillsAtEveryNamedPoint", 3, false},
	{"F2", "load/publish", "TestF2KillsAtEveryNamedPoint", 3, false},
	{"F9", "internal/cli", "TestF9", 2, false},
	{"F14", "internal/cli", "TestF14", 2, false},
	{"F6", "internal/pipeline", "TestF6", 3, false},
	{"F6 F7", "extract/api", "TestF6|TestF7", 1, false},
	{"F3", "internal/cli", "TestDiskFaults/^F3$", 3, false},
	{"F4", "internal/cli", "TestDiskFaults/^F4$", 3, false},
	{"F10", "internal/cli", "TestDiskFaults/^F10$", 2, false},
	{"F22", "internal/pipeline", "TestF22", 4, true},
	{"F12", "internal/pipeline", "TestF12", 1, false},
	{"F13", "internal/pipeline", "TestF13", 2, false},
	{"F17", "internal/pipeline", "TestF17", 4, false},
}

func main() {
	span := flag.Duration("for", 0, "how long in all, as 1h30m; 0: the lanes at the size that they have in make test")
	only := flag.String("only", "", "only lanes whose faults, package or tests hold this word")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := runTorture(ctx, *span, *only, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "torture:", err)
		os.Exit(1)
	}
}

// parallelLanes is the number of lanes that run at a time: each also waits for disks and processes.
const parallelLanes = 2

// runTorture runs the lanes and prints what each has tried. The first failure ends all of them.
func runTorture(ctx context.Context, span time.Duration, only string, out io.Writer) error {
	chosen, shares := []tortureLane{}, 0
	for _, c := range lanes {
		if strings.Contains(c.faults+" "+c.pkg+" "+c.tests, only) {
			chosen, shares = append(chosen, c), shares+c.share
		}
	}
	began := time.Now()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	results := make([][]trialResult, len(chosen))
	var all sync.WaitGroup
	turns := make(chan struct{}, parallelLanes)
	for i, c := range chosen {
		turns <- struct{}{} // lanes start in the order of the table
		all.Go(func() {
			defer func() { <-turns }()
			part := span * time.Duration(c.share*parallelLanes) / time.Duration(shares)
			var err error
			if results[i], err = c.runTests(ctx, min(part, span)); err != nil {
				cancel(err)
			}
		})
	}
	all.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n| fault | tried | seeds from | failed | bound |\n|---|---|---|---:|---|\n")
	for i, c := range chosen {
		for _, t := range results[i] {
			fmt.Fprintf(out, "| %s | %d %s | %s | 0 | %s |\n", c.faults, t.n, t.what, t.seeds, lane.FailureBound(t.n))
		}
	}
	fmt.Fprintf(out, "\nnothing failed in %s\n", time.Since(began).Round(time.Second))
	return nil
}

// trialResult is what one lane of a test reports.
type trialResult struct {
	n           int
	what, seeds string
}

var laneSummary = regexp.MustCompile(`lane: (\d+) (.+), seeds from (\d+) on, none failed`)

// runTests runs a test for a time and returns what it tried. When it fails, its output is the error.
func (c tortureLane) runTests(ctx context.Context, span time.Duration) (results []trialResult, err error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	args := []string{"test", "-count=1", "-v", "-vet=off", "-timeout=0", "-parallel=8", "-run", c.tests, "./" + c.pkg}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "AQUEDUCK_HEAVY=1")
	if c.places {
		cmd.Env = append(cmd.Env, "GOFLAGS=-tags=duckdb_arrow,crashpoints")
	}
	if span > 0 {
		cmd.Env = append(cmd.Env, "AQUEDUCK_TORTURE="+span.Round(time.Second).String())
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	fmt.Printf("%s %s: %s ./%s\n", time.Now().UTC().Format("15:04:05"), c.faults, c.tests, c.pkg)
	output, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("%s failed:\n%s", c.tests, failureLines(string(output)))
	}
	for line := range strings.Lines(string(output)) {
		m := laneSummary.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		n, err := strconv.Atoi(m[1])
		if err != nil {
			return nil, err
		}
		fmt.Printf("%s %s: %d %s\n", time.Now().UTC().Format("15:04:05"), c.faults, n, m[2])
		if i := findResult(results, m[2]); i >= 0 {
			results[i].n += n
		} else {
			results = append(results, trialResult{n, m[2], m[3]})
		}
	}
	if len(results) == 0 {
		return nil, errors.New(c.tests + " in " + c.pkg + ": no lane said what it tried")
	}
	return results, nil
}

// findResult returns the index of an equal lane: parts of one test try the same.
func findResult(results []trialResult, what string) int {
	for i, r := range results {
		if r.what == what {
			return i
		}
	}
	return -1
}

// failureLines returns the lines of a test's output that say what failed.
func failureLines(output string) string {
	var lines []string
	for s := bufio.NewScanner(strings.NewReader(output)); s.Scan(); {
		if text := s.Text(); !strings.HasPrefix(text, "=== ") && !strings.Contains(text, "--- PASS") {
			lines = append(lines, text)
		}
	}
	const most = 200
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}
