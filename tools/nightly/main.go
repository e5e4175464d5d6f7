// Command nightly runs the lanes that are too long for CI, one after the other, and prints one table with the outcome and
// the cost of each. A lane that fails does not stop the others.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// nightLane is one target of the Makefile.
type nightLane struct {
	target string
	vars   []string // variables of make: NAME=value
	says   string   // the last line of output with this word says what was tried; "": no line does
}

// nightLanes returns all lanes of a night, the shortest first, so that obvious failures show early.
func nightLanes(hours, seeds string) []nightLane {
	return []nightLane{
		{"check", nil, ""},
		{"test-all", nil, ""},
		{"race-all", nil, ""},
		{"twice", nil, ""},
		{"browser", nil, ""},
		{"mirror-test", nil, ""},
		{"worker-test", nil, ""},
		{"fleet", nil, "CPU seconds"},
		{"clients", nil, "values are the oracle's"},
		{"interop", nil, "rows are equal"},
		{"release-check", nil, ""},
		{"release-cross", nil, ""},
		{"bench-check", nil, "times the floor"},
		{"fuzz", nil, "execs:"},
		{"world", []string{"SEEDS=" + seeds}, "none failed"},
		{"model", []string{"SEEDS=" + seeds}, "none failed"},
		{"mutants", nil, "killed in"},
		{"long", nil, ""},
		{"large", nil, ""},
		{"torture", []string{"HOURS_OF=" + hours}, "nothing failed"},
		{"oracle-mutants", nil, "noticed"},
	}
}

func main() {
	hours := flag.String("hours", "1", "how many hours the torture lane takes")
	seeds := flag.String("seeds", "500", "how many seeds the model and world lanes try")
	only := flag.String("only", "", "lanes to run, separated by commas; empty: all")
	logs := flag.String("logs", "nightly", "directory for the output of each lane")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	chosen, err := chooseLanes(nightLanes(*hours, *seeds), *only)
	if err == nil {
		err = runAll(ctx, chosen, *logs, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "nightly:", err)
		os.Exit(1)
	}
}

// chooseLanes returns the named lanes in the order of the table; all when names is empty.
func chooseLanes(all []nightLane, names string) ([]nightLane, error) {
	if names == "" {
		return all, nil
	}
	var chosen []nightLane
	wanted := strings.Split(names, ",")
	for _, l := range all {
		if slices.Contains(wanted, l.target) {
			chosen = append(chosen, l)
		}
	}
	if len(chosen) != len(wanted) {
		return nil, fmt.Errorf("a lane of %q does not exist, or is named twice", names)
	}
	return chosen, nil
}

// laneResult is the result of a lane.
type laneResult struct {
	outcome   string // ok, FAILED, skipped, interrupted
	wall, cpu time.Duration
	said      string
}

// runAll runs lanes in their order and prints the table, also after an interruption. It returns an error when a lane fails.
func runAll(ctx context.Context, chosen []nightLane, logs string, out io.Writer) error {
	if err := os.MkdirAll(logs, 0o755); err != nil {
		return fmt.Errorf("make the directory of the logs: %w", err)
	}
	var failed []string
	results := make([]laneResult, len(chosen))
	for i, l := range chosen {
		results[i] = laneResult{outcome: "not run"}
		if ctx.Err() != nil {
			continue
		}
		log := filepath.Join(logs, l.target+".log")
		fmt.Fprintf(out, "%s make %s, output in %s\n", time.Now().UTC().Format("15:04:05"), strings.Join(append([]string{l.target}, l.vars...), " "), log)
		var err error
		if results[i], err = l.runLane(ctx, log); err != nil {
			return fmt.Errorf("lane %s: %w", l.target, err)
		}
		if results[i].outcome == "FAILED" {
			failed = append(failed, l.target)
		}
	}
	printTable(out, chosen, results)
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	if len(failed) > 0 {
		return fmt.Errorf("failed: %s; each has its output in %s", strings.Join(failed, ", "), logs)
	}
	return nil
}

// runLane runs a lane with its output in a log. The error is of the night itself: a lane that fails is a result.
func (l nightLane) runLane(ctx context.Context, log string) (r laneResult, err error) {
	file, err := os.Create(log)
	if err != nil {
		return r, err
	}
	cmd := exec.CommandContext(ctx, "make", append([]string{l.target}, l.vars...)...)
	cmd.Stdout, cmd.Stderr = file, file
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	began := time.Now()
	ended := cmd.Run()
	r.wall = time.Since(began)
	if err := file.Close(); err != nil {
		return r, err
	}
	if cmd.ProcessState == nil {
		return r, ended // the lane did not start
	}
	// The CPU time of a process includes its children that it waited for.
	r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	switch {
	case ctx.Err() != nil:
		r.outcome = "interrupted"
	case ended != nil:
		r.outcome = "FAILED"
	default:
		r.outcome = "ok"
	}
	text, err := os.ReadFile(log)
	if strings.Contains(string(text), "--- SKIP") && !strings.Contains(string(text), "--- PASS") {
		r.outcome = "skipped" // this machine lacks something that the lane needs
	}
	r.said = lastLine(string(text), l.says)
	return r, err
}

// lastLine returns the last line of a text that contains a word, shortened for a table.
func lastLine(text, word string) (found string) {
	if word == "" {
		return ""
	}
	for line := range strings.Lines(text) {
		if strings.Contains(line, word) {
			found = strings.TrimSpace(line)
		}
	}
	if _, message, ok := strings.Cut(found, ".go:"); ok { // a test's log line begins with file and line
		_, found, _ = strings.Cut(message, ": ")
	}
	const most = 100
	if runes := []rune(found); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return found
}

func printTable(out io.Writer, chosen []nightLane, results []laneResult) {
	fmt.Fprintf(out, "\n| lane | outcome | wall | CPU seconds | what it tried |\n|---|---|---:|---:|---|\n")
	for i, l := range chosen {
		r := results[i]
		fmt.Fprintf(out, "| %s | %s | %s | %.0f | %s |\n", l.target, r.outcome, r.wall.Round(time.Second), r.cpu.Seconds(), r.said)
	}
}
