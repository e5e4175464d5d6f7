package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// workspaceBench measures one workspace.
type workspaceBench struct {
	contacts int
	profile  string
	profiles int

	dir     string // all files are written below it, and removed at the end
	binary  string // the program
	records string // the file of recorded contacts
	space   *emulatedSpace
	report  benchReport
}

// nightShare is how much of a workspace a night changes: one contact in a hundred.
const nightShare = 100

func (b *workspaceBench) measureContacts(ctx context.Context) (err error) {
	if b.dir, err = os.MkdirTemp("", "bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	if err := b.buildProgram(); err != nil {
		return err
	}
	if b.space, err = openSpace(b.contacts, noConversations, 0); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.space.stopEmulator()) }()
	b.records = filepath.Join(b.dir, "contacts.ndjson")
	if _, _, err := measureRole("record", b.space.url, b.records); err != nil {
		return err
	}
	info, err := os.Stat(b.records)
	if err != nil {
		return err
	}
	b.report = benchReport{contacts: int64(b.contacts), bytes: info.Size()}
	for _, step := range []func(context.Context) error{b.measurePeers, b.measureSteps, b.measureFirstSync, b.measurePeers, b.measureNights, b.measureNightly} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (b *workspaceBench) buildProgram() error {
	b.binary = filepath.Join(b.dir, "aqueduck")
	build := exec.Command("go", "build", "-trimpath", "-o", b.binary, "./cmd/aqueduck")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("build the program: %w", err)
	}
	return nil
}

// measurePeers measures the least that the work can cost. It runs before and after the syncs, because other processes share the machine.
func (b *workspaceBench) measurePeers(context.Context) error {
	for role, into := range map[string]*[]processCost{"readjson": &b.report.readJSON, "copy": &b.report.copied} {
		out := filepath.Join(b.dir, role+".out")
		_, c, err := measureRole(role, b.records, out)
		if err != nil {
			return err
		}
		*into = append(*into, c)
		if err := os.RemoveAll(out); err != nil {
			return err
		}
	}
	return nil
}

// measureSteps measures decoding alone and committing alone.
func (b *workspaceBench) measureSteps(context.Context) error {
	dir := filepath.Join(b.dir, "steps")
	text, c, err := measureRole("steps", b.records, dir)
	if err != nil {
		return err
	}
	b.report.stepsPeak = c.peak
	if err := json.Unmarshal([]byte(text), &b.report.steps); err != nil {
		return fmt.Errorf("read what the steps cost: %w", err)
	}
	return os.RemoveAll(dir)
}

func (b *workspaceBench) dataDir() string { return filepath.Join(b.dir, "data") }

// measureFirstSync measures a first sync of all contacts: from the socket to the published file and its Parquet.
func (b *workspaceBench) measureFirstSync(context.Context) (err error) {
	b.report.first, err = b.runSync(b.dataDir(), "contacts")
	return err
}

// measureNights measures a run without a change, and a run after a night of changes.
func (b *workspaceBench) measureNights(ctx context.Context) (err error) {
	if b.report.nothing, err = b.runSync(b.dataDir(), "contacts"); err != nil {
		return err
	}
	b.report.changes = int64(b.contacts / nightShare)
	if err := b.space.postCommand(ctx, fmt.Sprintf("/_bench/change?contacts=%d", b.report.changes)); err != nil {
		return err
	}
	if b.report.night, err = b.runSync(b.dataDir(), "contacts"); err != nil {
		return err
	}
	return os.RemoveAll(b.dataDir())
}

// measureNightly measures a first run of all streams, including feeds and lists, into a new warehouse.
func (b *workspaceBench) measureNightly(context.Context) (err error) {
	b.report.all, err = b.runSync(b.dataDir(), "nightly")
	return err
}
