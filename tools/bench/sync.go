package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"

	"aqueduck/internal/config"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync"
	"aqueduck/load/layout"
)

// configuration is the pipeline file of the measured syncs: contacts with their child tables and everything published of them, or all streams.
const configuration = `version: 1
warehouse: {dir: data}
workspaces:
  main: {base_url: "${WORKSPACE_URL}", token: "${WORKSPACE_TOKEN}", api_version: "2.17"%s}
pipelines:
  contacts: {streams: [contacts]}
  nightly: {streams: [contacts, deleted_contacts, contact_activities]}
  conversations: {streams: [conversations]}
  large: {streams: [contacts, conversations]}
`

// syncRun is one run of the program.
type syncRun struct {
	cost     processCost
	rows     int64
	requests int64
	took     time.Duration // as the program reports it
}

var lastLine = regexp.MustCompile(`(?m)^OK .* rows=(\d+) .*requests=(\d+) .*published=(?:yes|unchanged) .*time=(\S+)`)

// runSync runs the released program over a workspace into a warehouse. For a profile it runs the same pipeline inside this program.
func (b *workspaceBench) runSync(dir, name string) (syncRun, error) {
	file := filepath.Join(b.dir, "pipelines.yaml")
	if err := os.WriteFile(file, []byte(fmt.Sprintf(configuration, "")), 0o600); err != nil {
		return syncRun{}, err
	}
	command := exec.Command(b.binary, "-f", file, "--dir", dir, "--quiet", "sync", name)
	if b.profile != "" {
		self, err := os.Executable()
		if err != nil {
			return syncRun{}, err
		}
		b.profiles++
		out := fmt.Sprintf("sync-%d-%d.pprof", b.contacts, b.profiles)
		command = exec.Command(self, "profile", file, dir, name, filepath.Join(b.profile, out))
	}
	return b.measureSync(command)
}

// measureSync runs a sync to its end and parses its last line.
func (b *workspaceBench) measureSync(command *exec.Cmd) (syncRun, error) {
	command.Env = append(os.Environ(), "WORKSPACE_URL="+b.space.url, "WORKSPACE_TOKEN="+spaceToken)
	c, err := startChild(command)
	if err != nil {
		return syncRun{}, err
	}
	text, err := c.readToEnd()
	if err != nil {
		return syncRun{}, err
	}
	found := lastLine.FindStringSubmatch(text)
	if found == nil {
		return syncRun{}, fmt.Errorf("the sync did not end well: %s", strings.TrimSpace(text))
	}
	rows, err := strconv.ParseInt(found[1], 10, 64)
	if err != nil {
		return syncRun{}, err
	}
	requests, err := strconv.ParseInt(found[2], 10, 64)
	if err != nil {
		return syncRun{}, err
	}
	took, err := time.ParseDuration(found[3])
	return syncRun{cost: c.cost, rows: rows, requests: requests, took: took}, err
}

// The program's own settings of the heap.
const (
	gcPercent   = 25
	heapReserve = 64 << 20
)

// profileSync runs the pipeline in this process and writes its CPU profile.
func profileSync(args []string) (err error) {
	out, err := os.Create(args[3])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	config, catalogue, err := config.LoadConfig(args[0], os.LookupEnv)
	if err != nil {
		return err
	}
	debug.SetGCPercent(gcPercent)
	reserve := make([]byte, heapReserve)
	defer runtime.KeepAlive(reserve)
	setup := &runner.Runner{
		Config: config, Catalogue: catalogue, Dir: layout.Dir(args[1]), Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Connect: func(_ context.Context, name string) (runner.Source, error) {
			url, token, err := config.Connect(name, os.LookupEnv)
			return runner.Source{BaseURL: url, Token: token}, err
		},
		Wait: func(ctx context.Context, d time.Duration) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(d):
				return nil
			}
		},
	}
	p, ok := config.Pipeline(args[2])
	if !ok {
		return fmt.Errorf("no pipeline %s", args[2])
	}
	if err := pprof.StartCPUProfile(out); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	report, err := sync.Sync(context.Background(), setup, p, runner.Options{})
	if err != nil {
		return err
	}
	fmt.Println(report.LastLine())
	return nil
}
