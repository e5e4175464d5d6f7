package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"aqueduck/load/facts"
)

// benchReport is the measurement of one workspace.
type benchReport struct {
	contacts, bytes int64
	copied          []processCost
	readJSON        []processCost
	floor           []processCost
	steps           stepCost
	stepsPeak       int64
	first           []syncRun
	nothing         []syncRun
	changes         int64
	night           []syncRun
	all             []syncRun
}

// describeMachine returns one line about the machine.
func describeMachine(ctx context.Context) string {
	model := "unknown processor"
	text, err := os.ReadFile("/proc/cpuinfo")
	if _, after, found := strings.Cut(string(text), "model name\t: "); err == nil && found {
		model, _, _ = strings.Cut(after, "\n")
	}
	duckdb, err := facts.DuckDB(ctx)
	if err != nil {
		duckdb.Version = "of unknown version"
	}
	return fmt.Sprintf("%d × %s, %s, DuckDB %s", runtime.NumCPU(), model, runtime.Version(), duckdb.Version)
}

// costSpread is what several runs of one thing cost.
type costSpread struct {
	least, median, most float64 // CPU seconds
	peak                int64   // the largest
}

func spreadOf(costs []processCost) costSpread {
	seconds := make([]float64, len(costs))
	var peak int64
	for i, c := range costs {
		seconds[i], peak = c.cpu, max(peak, c.peak)
	}
	slices.Sort(seconds)
	return costSpread{seconds[0], seconds[len(seconds)/2], seconds[len(seconds)-1], peak}
}

// String is the median, with the least and the most of several runs behind it.
func (s costSpread) String() string {
	if s.least == s.most {
		return fmt.Sprintf("%.2f", s.median)
	}
	return fmt.Sprintf("%.2f (%.2f to %.2f)", s.median, s.least, s.most)
}

func costsOf(runs []syncRun) (costs []processCost) {
	for _, r := range runs {
		costs = append(costs, r.cost)
	}
	return costs
}

// firstOfFloor is how many times the floor a first run costs.
func (r *benchReport) firstOfFloor() float64 {
	return spreadOf(costsOf(r.first)).median / spreadOf(r.floor).median
}

// printReport writes the tables for docs/internals/performance.md.
func (r *benchReport) printReport(w io.Writer) {
	floor := spreadOf(r.floor)
	fmt.Fprintf(w, "\n%d contacts, %.0f MB of JSON, %d runs\n\n", r.contacts, float64(r.bytes)/1e6, len(r.first))
	fmt.Fprintln(w, "| step | CPU s | contacts / CPU s | MB / CPU s | times the floor | peak MiB | requests |")
	fmt.Fprintln(w, "|---|---:|---:|---:|---:|---:|---:|")
	line := func(name string, s costSpread, requests int64) {
		fmt.Fprintf(w, "| %s | %s | %.0f | %.0f | %.2f | %s | %s |\n", name, s, float64(r.contacts)/s.median, float64(r.bytes)/1e6/s.median,
			s.median/floor.median, formatNonZero(s.peak>>20), formatNonZero(requests))
	}
	line("a copy of the bytes", spreadOf(r.copied), 0)
	line("DuckDB `read_json` into a table", spreadOf(r.readJSON), 0)
	line("the floor", floor, 0)
	if r.steps.Records > 0 {
		line("decode alone", spreadOf([]processCost{{cpu: r.steps.Decode}}), 0)
		line("commit alone", spreadOf([]processCost{{cpu: r.steps.Commit, peak: r.stepsPeak}}), 0)
	}
	line("**the whole way**", spreadOf(costsOf(r.first)), r.first[0].requests)
	if len(r.all) == 0 {
		return
	}
	fmt.Fprintln(w, "\n| run | CPU s | rows written | peak MiB | requests |")
	fmt.Fprintln(w, "|---|---:|---:|---:|---:|")
	night := func(name string, runs []syncRun) {
		s := spreadOf(costsOf(runs))
		fmt.Fprintf(w, "| %s | %s | %d | %d | %d |\n", name, s, runs[0].rows, s.peak>>20, runs[0].requests)
	}
	night("nothing changed", r.nothing)
	night(fmt.Sprintf("%d contacts changed", r.changes), r.night)
	night("first run with feeds and lists", r.all)
}

func formatNonZero(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// ofEach calls measured with each size in a text of sizes.
func ofEach(sizes string, measured func(contacts int) error) error {
	for _, text := range strings.FieldsFunc(sizes, func(r rune) bool { return r == ',' }) {
		contacts, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil {
			return err
		}
		if err := measured(contacts); err != nil {
			return err
		}
	}
	return nil
}
