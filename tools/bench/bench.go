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
	runs     int // how often each thing is measured
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

func (b *workspaceBench) measureContacts(ctx context.Context) error {
	return b.withRecords(ctx, func(ctx context.Context) error {
		for _, step := range []func(context.Context) error{b.measureFirstSyncs, b.measureSteps, b.measureNights, b.measureNightly} {
			if err := step(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// withRecords builds the program, starts a workspace and records its contacts for the time of measured.
func (b *workspaceBench) withRecords(ctx context.Context, measured func(context.Context) error) (err error) {
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
	return measured(ctx)
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

// measureFirstSyncs measures first syncs of all contacts, from the socket to the published file and its Parquet, and between them the least that
// the work can cost: other processes share the machine.
func (b *workspaceBench) measureFirstSyncs(context.Context) error {
	for range b.runs {
		if err := b.measureReferences(); err != nil {
			return err
		}
		if err := os.RemoveAll(b.dataDir()); err != nil {
			return err
		}
		s, err := b.runSync(b.dataDir(), "contacts")
		if err != nil {
			return err
		}
		b.report.first = append(b.report.first, s)
	}
	return nil
}

// measureReferences measures each of the references once.
func (b *workspaceBench) measureReferences() error {
	for role, into := range map[string]*[]processCost{"copy": &b.report.copied, "readjson": &b.report.readJSON, "floor": &b.report.floor} {
		dir := filepath.Join(b.dir, role)
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
		_, c, err := measureRole(role, b.records, filepath.Join(dir, "out"))
		if err != nil {
			return err
		}
		*into = append(*into, c)
		if err := os.RemoveAll(dir); err != nil {
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

// measureNights measures runs without a change, and runs after a night of changes.
func (b *workspaceBench) measureNights(ctx context.Context) error {
	for range b.runs {
		s, err := b.runSync(b.dataDir(), "contacts")
		if err != nil {
			return err
		}
		b.report.nothing = append(b.report.nothing, s)
	}
	b.report.changes = int64(b.contacts / nightShare)
	for range b.runs {
		if err := b.space.postCommand(ctx, fmt.Sprintf("/_bench/change?contacts=%d", b.report.changes)); err != nil {
			return err
		}
		s, err := b.runSync(b.dataDir(), "contacts")
		if err != nil {
			return err
		}
		b.report.night = append(b.report.night, s)
	}
	return nil
}

// measureNightly measures first runs of all streams, including feeds and lists, each into a new warehouse.
func (b *workspaceBench) measureNightly(context.Context) error {
	for range b.runs {
		if err := os.RemoveAll(b.dataDir()); err != nil {
			return err
		}
		s, err := b.runSync(b.dataDir(), "nightly")
		if err != nil {
			return err
		}
		b.report.all = append(b.report.all, s)
	}
	return nil
}
