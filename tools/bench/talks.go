package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// The use of the request budget is measured with a latency, and with a limit that the run could exceed.
const (
	slowAnswer = 200 * time.Millisecond
	perMinute  = 1000
	shareTime  = "5m"
)

// conversationsBench measures conversations: each is one request, with parts and reviews in child tables.
type conversationsBench struct {
	workspaceBench
	conversations int
	first         syncRun
	nothing       syncRun
	night         syncRun
	changes       int
	share         float64 // share of the allowed requests that were made
}

func (b *conversationsBench) measureConversations(ctx context.Context) (err error) {
	if b.dir, err = os.MkdirTemp("", "bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	if err := b.buildProgram(); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{b.measureReading, b.measureBudget} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// measureReading measures a first run over all conversations, a run without a change, and a run after a night of changes.
func (b *conversationsBench) measureReading(ctx context.Context) (err error) {
	if b.space, err = openSpace(b.conversations/10, b.conversations, 0); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.space.stopEmulator()) }()
	if b.first, err = b.runSync(b.dataDir(), "conversations"); err != nil {
		return err
	}
	if b.nothing, err = b.runSync(b.dataDir(), "conversations"); err != nil {
		return err
	}
	b.changes = b.conversations / nightShare
	if err := b.space.postCommand(ctx, fmt.Sprintf("/_bench/reply?conversations=%d", b.changes)); err != nil {
		return err
	}
	b.night, err = b.runSync(b.dataDir(), "conversations")
	return errors.Join(err, os.RemoveAll(b.dataDir()))
}

// measureBudget measures how much of its request budget a run uses while there is work and each answer takes time.
func (b *conversationsBench) measureBudget(context.Context) (err error) {
	if b.space, err = openSpace(b.conversations/10, b.conversations, slowAnswer); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.space.stopEmulator()) }()
	file := filepath.Join(b.dir, "slow.yaml")
	text := fmt.Sprintf(configuration, fmt.Sprintf(", requests_per_minute: %d", perMinute))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return err
	}
	command := exec.Command(b.binary, "-f", file, "--dir", b.dataDir(), "--quiet", "sync", "conversations", "--max-time", shareTime)
	s, err := b.measureSync(command)
	if err != nil {
		return err
	}
	b.share = float64(s.requests) / (s.took.Minutes() * perMinute)
	return nil
}

// printConversations writes the table for docs/internals/performance.md.
func (b *conversationsBench) printConversations(w io.Writer) {
	fmt.Fprintf(w, "\n%d conversations\n\n", b.conversations)
	fmt.Fprintln(w, "| run | CPU s | rows written | rows / CPU s | peak MiB | requests |")
	fmt.Fprintln(w, "|---|---:|---:|---:|---:|---:|")
	line := func(name string, s syncRun) {
		fmt.Fprintf(w, "| %s | %.2f | %d | %.0f | %d | %d |\n", name, s.cost.cpu, s.rows, float64(s.rows)/s.cost.cpu, s.cost.peak>>20, s.requests)
	}
	line("first run", b.first)
	line("nothing changed", b.nothing)
	line(fmt.Sprintf("%d answered", b.changes), b.night)
	fmt.Fprintf(w, "\n%.1f %% of the request budget used, of %d a minute, at a latency of %s\n", 100*b.share, perMinute, slowAnswer)
}
