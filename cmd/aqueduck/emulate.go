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
	"regexp"
	"strconv"
	"strings"
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

// emulated is the workspace of a warehouse: its population is a function of these.
type emulated struct {
	Seed     uint64 `json:"seed"`
	Contacts int    `json:"contacts,omitempty"` // active at hour 0; 0: the demo's
	Hours    int    `json:"hours"`              // of life lived before the last run
	Port     int    `json:"port,omitempty"`     // it was served on, and is again if it is free: cursors are of an address
}

const emulatedToken = "emulated-workspace-token"

// embedded starts the emulator of a warehouse on a loopback port. EMULATOR_HOURS of life pass first, but not before the
// first run; what it is and the hours lived are kept in the warehouse's directory.
func (a *app) embedded(dir load.Dir) (pipeline.Source, error) {
	life, first, err := a.life(dir)
	if err != nil {
		return pipeline.Source{}, err
	}
	passed, err := a.number("EMULATOR_HOURS", 0)
	if err != nil {
		return pipeline.Source{}, err
	}
	if !first {
		life.Hours += passed
	}
	source, err := serveEmulator(&life)
	if err != nil {
		return source, err
	}
	if first && dir.Current() != "" {
		return source, nil // a real workspace's warehouse: the run will refuse to mix them, and nothing is left in it
	}
	text, err := json.Marshal(life)
	if err == nil {
		err = renameio.WriteFile(kept(dir), text, 0o600)
	}
	if err != nil {
		return pipeline.Source{}, errors.Join(fmt.Errorf("note the emulated hours: %w", err), source.Close())
	}
	return source, nil
}

// still starts the emulator of a warehouse as its last run saw it; no hour passes.
func (a *app) still(dir load.Dir) (pipeline.Source, error) {
	life, _, err := a.life(dir)
	if err != nil {
		return pipeline.Source{}, err
	}
	return serveEmulator(&life)
}

// life reads what the workspace of a warehouse is. Before the first run the environment says it.
func (a *app) life(dir load.Dir) (life emulated, first bool, err error) {
	text, err := os.ReadFile(kept(dir))
	if err == nil {
		err = json.Unmarshal(text, &life)
	}
	if err == nil {
		return life, false, nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return life, false, fmt.Errorf("read how long the emulated workspace has lived (%s): %w", kept(dir), err)
	}
	seed, err := a.number("EMULATOR_SEED", 1)
	if err == nil {
		life.Contacts, err = a.number("EMULATOR_CONTACTS", 0)
	}
	life.Seed = uint64(seed)
	return life, true, err
}

func kept(dir load.Dir) string { return filepath.Join(dir.State(), "emulator.json") }

// serveEmulator serves a workspace that has lived its hours and whose clock runs on from there.
func serveEmulator(life *emulated) (pipeline.Source, error) {
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", life.Port))
	if err != nil && life.Port != 0 {
		listener, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return pipeline.Source{}, fmt.Errorf("start the emulator: %w", err)
	}
	if address, ok := listener.Addr().(*net.TCPAddr); ok {
		life.Port = address.Port
	}
	began := time.Now()
	hours := time.Duration(life.Hours) * time.Hour
	now := func() time.Time { return hourZero.Add(hours + time.Since(began)) }
	w := emulator.New(emulator.Config{Seed: life.Seed, Contacts: life.Contacts, Start: hourZero, Token: emulatedToken, Now: now, RatePerMinute: 60_000, NoLog: true})
	w.Live(life.Hours)
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
		return 0, &pipeline.Problem{Class: "config", What: fmt.Sprintf("%s=%q is no whole number", name, text), Next: "aqueduck help env"}
	}
	return n, nil
}

// birth is hour 0 of a workspace that is served by the machine's clock: long ago, so that it is the same at each start
// and no mark of an earlier one lies in its future.
var birth = time.Date(2024, 6, 15, 2, 0, 0, 0, time.UTC)

func (a *app) emulate() *cobra.Command {
	var port, contacts int
	var seed uint64
	var chaos, token string
	c := &cobra.Command{
		Use:   "emulate",
		Short: "Serve a workspace without an account",
		Long: `Serve an emulated workspace on this machine until Ctrl-C: the reading side of the API, with a population that
is a function of the seed, and faults on demand. Its true rows are at /_oracle/STREAM.`,
		Example: `  aqueduck emulate
  aqueduck emulate --port 0 --seed 7 --contacts 500 --token abc
  aqueduck emulate --port 8080 --chaos 'error=0.02:503,429=0.05,truncate=0.01'`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := emulator.ParseChaos(chaos); err != nil {
				return misused(c, "%w", err)
			}
			if contacts < 0 || token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
				return misused(c, "--contacts cannot be below zero, --token is one word")
			}
			w := emulator.New(emulator.Config{Seed: seed, Contacts: contacts, Start: birth, Token: token, RatePerMinute: 10_000,
				Now: a.now, Knobs: emulator.Knobs{Chaos: chaos}})
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

// quoted is a word as a shell takes it.
func quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=@%+-]+$`)

// listen serves until the context ends and then lets requests under way finish.
func (a *app) listen(ctx context.Context, w http.Handler, port int, token string) error {
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return &pipeline.Problem{Class: "config", What: fmt.Sprintf("port %d cannot be served", port), Err: err,
			Next: "choose another one; --port 0 takes any that is free", Exit: pipeline.ExitFailed}
	}
	fmt.Fprintf(a.stdout, "serving an emulated workspace on http://%s\ntoken: %s\n\ntry it:\n  WORKSPACE_URL=http://%s WORKSPACE_TOKEN=%s %s sync --dir emulated\n",
		listener.Addr(), token, listener.Addr(), quoted(token), quoted(a.name))
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
