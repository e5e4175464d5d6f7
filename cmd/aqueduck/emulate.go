package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"aqueduck/extract"
	"aqueduck/internal/emulator"
	"aqueduck/internal/pipeline"
	"aqueduck/load"
)

// hourZero is when the emulated workspace begins to live.
var hourZero = time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)

// emulated is the workspace of a warehouse: its population is a function of these two.
type emulated struct {
	Seed  uint64 `json:"seed"`
	Hours int    `json:"hours"` // of life lived before the last run
}

const emulatedToken = "emulated-workspace-token"

// embedded starts the emulator of a warehouse on a loopback port. EMULATOR_HOURS of life pass first, but not before the
// first run; the hours lived are kept in the warehouse's directory.
func (a *app) embedded(dir load.Dir) (pipeline.Source, error) {
	kept := filepath.Join(dir.State(), "emulator.json")
	life := emulated{Seed: 1}
	text, err := os.ReadFile(kept)
	if err == nil {
		err = json.Unmarshal(text, &life)
		var passed int
		if err == nil {
			passed, err = a.number("EMULATOR_HOURS", 0)
		}
		life.Hours += passed
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return pipeline.Source{}, fmt.Errorf("read how long the emulated workspace has lived (%s): %w", kept, err)
	}
	if text, err = json.Marshal(life); err != nil {
		return pipeline.Source{}, fmt.Errorf("note the emulated hours: %w", err)
	}
	if err := renameio.WriteFile(kept, text, 0o600); err != nil {
		return pipeline.Source{}, fmt.Errorf("note the emulated hours: %w", err)
	}
	return serveEmulator(life)
}

// serveEmulator serves a workspace that has lived its hours and whose clock runs on from there.
func serveEmulator(life emulated) (pipeline.Source, error) {
	began := time.Now()
	now := func() time.Time { return hourZero.Add(time.Duration(life.Hours)*time.Hour + time.Since(began)) }
	w := emulator.New(emulator.Config{Seed: life.Seed, Start: hourZero, Token: emulatedToken, Now: now, RatePerMinute: 60_000, NoLog: true})
	w.Live(life.Hours)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return pipeline.Source{}, fmt.Errorf("start the emulator: %w", err)
	}
	server := &http.Server{Handler: w, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	return pipeline.Source{
		BaseURL: "http://" + listener.Addr().String(), Token: extract.Secret(emulatedToken), Emulated: true, Now: now,
		Close: func() error {
			err := server.Close()
			if end := <-served; !errors.Is(end, http.ErrServerClosed) {
				err = errors.Join(err, end)
			}
			return err
		},
	}, nil
}

// number reads a whole number from the environment.
func (a *app) number(name string, fallback int) (int, error) {
	text, ok := a.env(name)
	if !ok || text == "" {
		return fallback, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s=%q: give a whole number of hours", name, text)
	}
	return n, nil
}

func (a *app) emulate() *cobra.Command {
	var port, contacts int
	var seed uint64
	var chaos, token string
	c := &cobra.Command{
		Use:   "emulate",
		Short: "Serve a workspace without an account",
		Long: `Serve an emulated workspace on this machine until Ctrl-C: the reading side of the API, with a population that
is a function of the seed, and faults on demand. Its true rows are at /_oracle/STREAM.`,
		Example: `  aqueduck emulate --port 8080
  aqueduck emulate --port 8080 --chaos 'error=0.02:503,429=0.05,truncate=0.01'`,
		Args: usage(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			began := time.Now()
			if err := emulator.ParseChaos(chaos); err != nil {
				return &usageError{command: c.CommandPath(), err: err}
			}
			w := emulator.New(emulator.Config{Seed: seed, Contacts: contacts, Start: hourZero, Token: token, RatePerMinute: 10_000,
				Now: func() time.Time { return hourZero.Add(time.Since(began)) }, Knobs: emulator.Knobs{Chaos: chaos}})
			return a.listen(c.Context(), w, port, token)
		},
	}
	c.Flags().IntVar(&port, "port", 8080, "port on 127.0.0.1; 0 takes a free one")
	c.Flags().Uint64Var(&seed, "seed", 1, "another seed is another workspace")
	c.Flags().IntVar(&contacts, "contacts", 0, "how many contacts it has (default: the demo's)")
	c.Flags().StringVar(&token, "token", emulatedToken, "the token it accepts")
	c.Flags().StringVar(&chaos, "chaos", "", "faults by probability: error=0.02:503,429=0.05,reset=0.01,truncate=0.01,garbage=0.005,html404=0.01,slow=p95:800ms")
	return c
}

// listen serves until the context ends and then lets requests under way finish.
func (a *app) listen(ctx context.Context, w http.Handler, port int, token string) error {
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return &pipeline.Problem{Class: "config", What: "serve the emulator", Err: err, Next: "choose another port: --port 0 takes a free one", Exit: pipeline.ExitFailed}
	}
	fmt.Fprintf(a.stdout, "serving an emulated workspace on http://%s\ntoken: %s\n\ntry it:\n  WORKSPACE_URL=http://%s WORKSPACE_TOKEN=%s aqueduck sync --dir emulated\n",
		listener.Addr(), token, listener.Addr(), token)
	server := &http.Server{Handler: w, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve the emulator: %w", err)
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := server.Shutdown(ending); err != nil {
		return fmt.Errorf("stop the emulator: %w", err)
	}
	return nil
}
