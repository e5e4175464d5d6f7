package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"
)

// budgetConfig has a request budget, a pipeline for each kind of list, and one with all streams.
const budgetConfig = `version: 1
warehouse: {dir: data}
workspaces: {main: {base_url: "${WORKSPACE_URL}", token: "${WORKSPACE_TOKEN}", requests_per_minute: %d}}
streams: {"reporting_*": {start: 2026-10-01}}
pipelines:
  contacts: {streams: [contacts]}
  conversations: {streams: [conversations]}
  activities: {streams: [contact_activities]}
  companies: {streams: [companies, companies_listed]}
  tickets: {streams: [tickets]}
  all: {streams: "*"}
`

// budgetRow is a first run whose answers take slowAnswer, with a budget of requests.
type budgetRow struct {
	pipeline                           string
	oneByOne                           bool // its list is read by a cursor, so each request needs the answer before
	contacts, conversations, perMinute int
	run                                syncRun
}

// leastTime is the time that the budget, or the answers one after the other, make a run take.
func (r budgetRow) leastTime() time.Duration {
	least := time.Duration(float64(r.run.requests) / float64(r.perMinute) * float64(time.Minute))
	if r.oneByOne {
		least = max(least, time.Duration(r.run.requests)*slowAnswer)
	}
	return least
}

// budgetRows are the runs that are measured. Each workspace has many records of the list that is read, and few others.
var budgetRows = []budgetRow{
	{pipeline: "contacts", contacts: 50_000, perMinute: perMinute},
	{pipeline: "activities", oneByOne: true, contacts: 50_000, perMinute: perMinute},
	{pipeline: "companies", oneByOne: true, contacts: 50_000, perMinute: perMinute},
	{pipeline: "conversations", contacts: 2_000, conversations: 20_000, perMinute: 10_000},
	{pipeline: "tickets", oneByOne: true, contacts: 2_000, conversations: 20_000, perMinute: perMinute},
	{pipeline: "all", contacts: 10_000, conversations: 3_000, perMinute: perMinute},
	{pipeline: "contacts", contacts: 1_000_000, perMinute: 10_000},
}

// runBudget measures the time of first runs beside the least that their requests can take. A pattern chooses pipelines.
func runBudget(ctx context.Context, only string) error {
	fmt.Println(describeMachine(ctx))
	pattern, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	fmt.Printf("\nanswers of %s\n\n| pipeline | contacts | conversations | requests a minute | requests | least s | s | times | CPU s |\n", slowAnswer)
	fmt.Println("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
	for _, row := range budgetRows {
		if !pattern.MatchString(row.pipeline) {
			continue
		}
		if err := row.measureRow(); err != nil {
			return err
		}
		row.printRow(os.Stdout)
	}
	return nil
}

func (r *budgetRow) measureRow() (err error) {
	b := workspaceBench{}
	if b.dir, err = os.MkdirTemp("", "bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	if err := b.buildProgram(); err != nil {
		return err
	}
	conversations := r.conversations
	if conversations == 0 {
		conversations = noConversations
	}
	if b.space, err = openSpace(r.contacts, conversations, slowAnswer); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.space.stopEmulator()) }()
	config := filepath.Join(b.dir, "budget.yaml")
	if err := os.WriteFile(config, fmt.Appendf(nil, budgetConfig, r.perMinute), 0o600); err != nil {
		return err
	}
	r.run, err = b.measureSync(exec.Command(b.binary, "-f", config, "--dir", b.dataDir(), "--quiet", "sync", r.pipeline))
	return err
}

// printRow writes a row of the table for docs/internals/performance.md.
func (r *budgetRow) printRow(w io.Writer) {
	fmt.Fprintf(w, "| `%s` | %d | %d | %d | %d | %.1f | %.1f | %.2f | %.1f |\n", r.pipeline, r.contacts, r.conversations, r.perMinute, r.run.requests,
		r.leastTime().Seconds(), r.run.took.Seconds(), float64(r.run.took)/float64(r.leastTime()), r.run.cost.cpu)
}
