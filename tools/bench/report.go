package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"aqueduck/load/facts"
)

// benchReport is the measurement of one workspace.
type benchReport struct {
	contacts, bytes int64
	readJSON        []processCost
	copied          []processCost
	steps           stepCost
	stepsPeak       int64
	first           syncRun
	nothing         syncRun
	changes         int64
	night           syncRun
	all             syncRun
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

func meanCost(costs []processCost) processCost {
	var sum processCost
	for _, c := range costs {
		sum.cpu += c.cpu / float64(len(costs))
		sum.peak = max(sum.peak, c.peak)
	}
	return sum
}

// printReport writes the table for docs/internals/performance.md.
func (r *benchReport) printReport(w io.Writer) {
	peer := meanCost(r.readJSON)
	fmt.Fprintf(w, "\n%d contacts, %.0f MB of JSON\n\n", r.contacts, float64(r.bytes)/1e6)
	fmt.Fprintln(w, "| step | CPU s | contacts / CPU s | MB / CPU s | of read_json | peak MiB | requests |")
	fmt.Fprintln(w, "|---|---:|---:|---:|---:|---:|---:|")
	line := func(name string, cpu float64, peak int64, requests int64) {
		fmt.Fprintf(w, "| %s | %.2f | %.0f | %.0f | %.2f | %s | %s |\n", name, cpu, float64(r.contacts)/cpu, float64(r.bytes)/1e6/cpu,
			peer.cpu/cpu, formatNonZero(peak>>20), formatNonZero(requests))
	}
	copied := meanCost(r.copied)
	line("a copy of the bytes", copied.cpu, copied.peak, 0)
	line("DuckDB `read_json` into a table", peer.cpu, peer.peak, 0)
	line("decode alone", r.steps.Decode, 0, 0)
	line("commit alone", r.steps.Commit, r.stepsPeak, 0)
	line("**the whole way**", r.first.cost.cpu, r.first.cost.peak, r.first.requests)
	fmt.Fprintln(w, "\n| run | CPU s | rows written | peak MiB | requests |")
	fmt.Fprintln(w, "|---|---:|---:|---:|---:|")
	night := func(name string, s syncRun) {
		fmt.Fprintf(w, "| %s | %.2f | %d | %d | %d |\n", name, s.cost.cpu, s.rows, s.cost.peak>>20, s.requests)
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
