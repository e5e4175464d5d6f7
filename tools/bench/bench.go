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

// bench is the measurement of one workspace.
type bench struct {
	contacts int
	profile  string
	profiles int

	dir     string // everything is written below it, and removed
	binary  string // the program
	records string // the file of recorded contacts
	space   *space
	report  report
}

// nightShare is how much of a workspace a night changes: one contact in a hundred.
const nightShare = 100

func (b *bench) run(ctx context.Context) (err error) {
	if b.dir, err = os.MkdirTemp("", "bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	if err := b.build(); err != nil {
		return err
	}
	if b.space, err = openSpace(b.contacts, noConversations, 0); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.space.close()) }()
	b.records = filepath.Join(b.dir, "contacts.ndjson")
	if _, _, err := measure("record", b.space.url, b.records); err != nil {
		return err
	}
	info, err := os.Stat(b.records)
	if err != nil {
		return err
	}
	b.report = report{contacts: int64(b.contacts), bytes: info.Size()}
	for _, step := range []func(context.Context) error{b.peer, b.steps, b.way, b.peer, b.nights, b.nightly} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) build() error {
	b.binary = filepath.Join(b.dir, "aqueduck")
	build := exec.Command("go", "build", "-trimpath", "-o", b.binary, "./cmd/aqueduck")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("build the program: %w", err)
	}
	return nil
}

// peer measures what the work costs at the least. It runs before and after the whole way, on a machine that others use
// too.
func (b *bench) peer(context.Context) error {
	for role, into := range map[string]*[]cost{"readjson": &b.report.readJSON, "copy": &b.report.copied} {
		out := filepath.Join(b.dir, role+".out")
		_, c, err := measure(role, b.records, out)
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

// steps measures decoding and committing alone.
func (b *bench) steps(context.Context) error {
	dir := filepath.Join(b.dir, "steps")
	text, c, err := measure("steps", b.records, dir)
	if err != nil {
		return err
	}
	b.report.stepsPeak = c.peak
	if err := json.Unmarshal([]byte(text), &b.report.steps); err != nil {
		return fmt.Errorf("read what the steps cost: %w", err)
	}
	return os.RemoveAll(dir)
}

func (b *bench) data() string { return filepath.Join(b.dir, "data") }

// way measures the whole way of all contacts: from the socket to the published file and its Parquet.
func (b *bench) way(context.Context) (err error) {
	b.report.first, err = b.sync(b.data(), "contacts")
	return err
}

// nights measures a run without a change, and a night with some.
func (b *bench) nights(ctx context.Context) (err error) {
	if b.report.nothing, err = b.sync(b.data(), "contacts"); err != nil {
		return err
	}
	b.report.changes = int64(b.contacts / nightShare)
	if err := b.space.post(ctx, fmt.Sprintf("/_bench/change?contacts=%d", b.report.changes)); err != nil {
		return err
	}
	if b.report.night, err = b.sync(b.data(), "contacts"); err != nil {
		return err
	}
	return os.RemoveAll(b.data())
}

// nightly measures a first run of everything, feeds and lists too, into a new warehouse.
func (b *bench) nightly(context.Context) (err error) {
	b.report.all, err = b.sync(b.data(), "nightly")
	return err
}
