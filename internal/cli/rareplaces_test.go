package cli

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"aqueduck/internal/crash"
	"aqueduck/internal/oracletest"
)

// killsAtRarePlaces dies at each place that only some runs pass: while somebody is erased and the file written anew, while a
// damaged work database or a backup is dealt with, and around an export job.
func killsAtRarePlaces(t *testing.T, y *yard) {
	for _, place := range slices.Concat(crash.ErasePoints(), crash.RebuildPoints(), crash.RestorePoints()) {
		t.Run(place, func(t *testing.T) {
			p := y.plot(t, killed)
			switch place {
			case crash.OpenAside:
				if err := os.Truncate(p.dir.Database(), 5000); err != nil {
					t.Fatal(err)
				}
			case crash.BackupSummed, crash.BackupMoved:
				p = p.backup()
			}
			p.dies(place)
			p.readable()
			p.recovers()
		})
	}
	for _, place := range crash.ExportPoints() {
		t.Run(place, func(t *testing.T) {
			p := y.plot(t, empty)
			p.pipeline = "exports"
			p.dies(place)
			if e := p.run(); !e.well() {
				t.Fatal(e)
			}
			start := time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC)
			oracletest.Report(t, y.space, p.dir.Current(), "conversation", start)
			p.tidy()
		})
	}
}

// dies runs into a place.
func (p *plot) dies(place string) {
	p.t.Helper()
	if e := p.run("AQUEDUCK_CRASH=" + place + ":1"); !e.status.Signaled() || e.status.Signal() != syscall.SIGKILL {
		p.t.Fatalf("the run did not come to %s: %v", place, e)
	}
}

// backup is a new directory with nothing but the published file in the place of the link, and the log of erasures.
func (p *plot) backup() *plot {
	p.t.Helper()
	text, err := os.ReadFile(p.dir.Current())
	if err != nil {
		p.t.Fatal(err)
	}
	fresh := p.plot(p.t, empty)
	err = errors.Join(os.Mkdir(string(fresh.dir), 0o755), os.WriteFile(fresh.dir.Link(), text, 0o644))
	erasures := filepath.Join(string(p.dir), "erasures.log")
	if _, statErr := os.Stat(erasures); statErr == nil {
		p.duplicate(string(fresh.dir), erasures)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return fresh
}
