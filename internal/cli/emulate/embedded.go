package emulate

import (
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

	"aqueduck/extract/api"
	"aqueduck/internal/emulator"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
	"aqueduck/load/layout"
)

// embeddedEpoch is hour 0 of the emulated workspace.
var embeddedEpoch = time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)

// embeddedWorkspace is the emulated workspace of a warehouse. Its population is a function of these values.
type embeddedWorkspace struct {
	Seed     uint64 `json:"seed"`
	Contacts int    `json:"contacts,omitempty"` // active at hour 0; 0: the demo's
	Hours    int    `json:"hours"`              // simulated before the last run
	Port     int    `json:"port,omitempty"`     // the last port, which is used again if it is free, because a cursor belongs to an address
}

const emulatedToken = "emulated-workspace-token"

// Embed starts the emulator of a warehouse on a loopback port. Before each run except the first it simulates EMULATOR_HOURS. A file in the
// warehouse's directory has its settings and the simulated hours.
func Embed(lookup func(string) (string, bool), dir layout.Dir) (runner.Source, error) {
	life, first, err := readLife(lookup, dir)
	if err != nil {
		return runner.Source{}, err
	}
	passed, err := wholeNumber(lookup, "EMULATOR_HOURS", 0)
	if err != nil {
		return runner.Source{}, err
	}
	if !first {
		life.Hours += passed
	}
	source, err := serveEmulator(&life)
	if err != nil {
		return source, err
	}
	if first && dir.Current() != "" {
		return source, nil // a warehouse of a real workspace: the run refuses to mix them, so no file is written
	}
	text, err := json.Marshal(life)
	if err == nil {
		err = renameio.WriteFile(embeddedFile(dir), text, 0o600)
	}
	if err != nil {
		return runner.Source{}, errors.Join(fmt.Errorf("note the emulated hours: %w", err), source.Close())
	}
	return source, nil
}

// EmbedStill starts the emulator of a warehouse as its last run saw it; it simulates no hour.
func EmbedStill(lookup func(string) (string, bool), dir layout.Dir) (runner.Source, error) {
	life, _, err := readLife(lookup, dir)
	if err != nil {
		return runner.Source{}, err
	}
	return serveEmulator(&life)
}

// readLife reads the settings of a warehouse's workspace. Before the first run they come from the environment.
func readLife(lookup func(string) (string, bool), dir layout.Dir) (life embeddedWorkspace, first bool, err error) {
	text, err := os.ReadFile(embeddedFile(dir))
	if err == nil {
		err = json.Unmarshal(text, &life)
	}
	if err == nil {
		return life, false, nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return life, false, &problem.Problem{Class: "config", What: "read the emulated hours: " + embeddedFile(dir), Err: err,
			Next: "restore the file, or start again in another directory: --dir DIR"}
	}
	seed, err := wholeNumber(lookup, "EMULATOR_SEED", 1)
	if err == nil {
		life.Contacts, err = wholeNumber(lookup, "EMULATOR_CONTACTS", 0)
	}
	life.Seed = uint64(seed)
	return life, true, err
}

func embeddedFile(dir layout.Dir) string { return filepath.Join(dir.State(), "emulator.json") }

// serveEmulator serves a workspace after its simulated hours; its clock continues from there.
func serveEmulator(life *embeddedWorkspace) (runner.Source, error) {
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", life.Port))
	if err != nil && life.Port != 0 {
		listener, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return runner.Source{}, fmt.Errorf("start the emulator: %w", err)
	}
	if address, ok := listener.Addr().(*net.TCPAddr); ok {
		life.Port = address.Port
	}
	began := time.Now()
	hours := time.Duration(life.Hours) * time.Hour
	now := func() time.Time { return embeddedEpoch.Add(hours + time.Since(began)) }
	w := emulator.New(emulator.Config{Seed: life.Seed, Contacts: life.Contacts, Start: embeddedEpoch, Token: emulatedToken, Now: now, RatePerMinute: 60_000, NoLog: true})
	w.SimulateHours(life.Hours)
	server := &http.Server{Handler: ofThisMachine(w), ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	return runner.Source{
		BaseURL: "http://" + listener.Addr().String(), Token: api.Secret(emulatedToken), Emulated: true, Now: now,
		Close: func() error {
			err := server.Close()
			if end := <-served; !errors.Is(end, http.ErrServerClosed) {
				err = errors.Join(err, end)
			}
			return err
		},
	}, nil
}

// wholeNumber reads a whole number from the environment.
func wholeNumber(lookup func(string) (string, bool), name string, fallback int) (int, error) {
	text, ok := lookup(name)
	if !ok || text == "" {
		return fallback, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, &problem.Problem{Class: "config", What: fmt.Sprintf("%s=%q is not a whole number", name, text), Next: "set " + name + " to a whole number from 0, or unset it; variables: aqueduck help env"}
	}
	return n, nil
}
