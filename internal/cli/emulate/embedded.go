package emulate

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/google/renameio/v2"

	"aqueduck/extract/api"
	"aqueduck/internal/emulator"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/load/layout"
)

// embeddedEpoch is hour 0 of the emulated workspace.
var embeddedEpoch = time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)

// embeddedWorkspace is the emulated workspace of a warehouse. Its population is a function of seed, contacts and hours.
type embeddedWorkspace struct {
	Seed       uint64    `json:"seed"`
	Population string    `json:"population,omitempty"` // "": odd, as in files of earlier builds
	Contacts   int       `json:"contacts,omitempty"`   // active at hour 0; 0: the demo's
	Hours      int       `json:"hours"`                // simulated before the last run
	Port       int       `json:"port,omitempty"`       // the last port, which is used again if it is free, because a cursor belongs to an address
	Clock      time.Time `json:"clock"`                // its time when the last run began
}

const emulatedToken = "emulated-workspace-token"

// Embedded is the emulated workspace of a warehouse. This process serves it as long as it is connected. Its clock is the warehouse's.
type Embedded struct {
	Lookup func(string) (string, bool)
	Dir    layout.Dir
	Clock  *runlog.WarehouseClock
	Still  bool         // it is as the last run saw it
	Log    *slog.Logger // warns of variables without effect; nil: nothing does

	mu    sync.Mutex // guards what follows
	users int        // connections
	on    servedWorkspace
	life  embeddedWorkspace
}

// servedWorkspace is a workspace that is served on a loopback port.
type servedWorkspace struct {
	url   string
	now   func() time.Time
	close func() error
}

// Connect serves the workspace. Before each run except the first EMULATOR_HOURS pass in it. A file in the warehouse's directory has its
// settings, the simulated hours and its clock, which never runs backwards. A run that is refused leaves it as it was.
func (e *Embedded) Connect() (source runner.Source, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.users == 0 {
		if err := e.serveLife(); err != nil {
			return source, err
		}
	}
	e.users++
	return runner.Source{BaseURL: e.on.url, Token: api.Secret(emulatedToken), Emulated: true, Keep: e.keepLife, Close: e.disconnect}, nil
}

// disconnect ends a connection. After the last one the workspace's clock stands.
func (e *Embedded) disconnect() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.users--; e.users > 0 {
		return nil
	}
	if e.setsClock() {
		stood := e.on.now()
		e.Clock.FollowEmulated(func() time.Time { return stood })
	}
	return e.on.close()
}

// setsClock reports whether the workspace's clock becomes that of the warehouse. One of a real workspace keeps its own: the run is refused.
func (e *Embedded) setsClock() bool { return layout.TakesKind(e.Dir, true) }

// serveLife lets the hours pass and serves the workspace.
func (e *Embedded) serveLife() error {
	life, first, err := readLife(e.Lookup, e.Dir)
	if err != nil {
		return err
	}
	passed, err := wholeNumber(e.Lookup, "EMULATOR_HOURS", 0)
	if err != nil {
		return err
	}
	if !first && !e.Still {
		life.Hours += passed
	}
	if !first && e.Log != nil {
		life.warnOfIgnored(e.Log, e.Lookup)
	}
	life.Clock = embeddedEpoch.Add(time.Duration(life.Hours) * time.Hour)
	if now := e.Clock.TimeNow(); !first && now.After(life.Clock) {
		life.Clock = now
	}
	if e.on, err = serveEmulator(&life); err != nil {
		return err
	}
	if e.life = life; e.setsClock() {
		e.Clock.FollowEmulated(e.on.now)
	}
	return nil
}

// keepLife writes the file.
func (e *Embedded) keepLife() error {
	text, err := json.Marshal(e.life)
	if err == nil {
		err = renameio.WriteFile(e.Dir.EmulatorFile(), text, 0o600)
	}
	if err != nil {
		return fmt.Errorf("note the emulated hours: %w", err)
	}
	return nil
}

// readLife reads the settings of a warehouse's workspace. Before the first run they come from the environment.
func readLife(lookup func(string) (string, bool), dir layout.Dir) (life embeddedWorkspace, first bool, err error) {
	text, err := os.ReadFile(dir.EmulatorFile())
	if err == nil {
		err = json.Unmarshal(text, &life)
	}
	if err == nil {
		return life, false, nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return life, false, runlog.DamagedEmulator(dir, err)
	}
	seed, err := wholeNumber(lookup, "EMULATOR_SEED", 1)
	if err == nil {
		life.Contacts, err = wholeNumber(lookup, "EMULATOR_CONTACTS", 0)
	}
	life.Seed, life.Population = uint64(seed), defaultPopulation
	if name, _ := lookup("EMULATOR_POPULATION"); name != "" {
		life.Population = name
	}
	if err == nil && !isPopulation(life.Population) {
		err = &problem.Problem{Class: "config", What: fmt.Sprintf("EMULATOR_POPULATION=%q is neither team nor odd", life.Population),
			Next: "set EMULATOR_POPULATION to team or odd, or unset it; variables: aqueduck help env"}
	}
	return life, true, err
}

// warnOfIgnored warns of variables that were set for the first run, and have another value now.
func (l embeddedWorkspace) warnOfIgnored(log *slog.Logger, lookup func(string) (string, bool)) {
	contacts, population := strconv.Itoa(l.Contacts), cmp.Or(l.Population, "odd")
	if l.Contacts == 0 {
		contacts = "the default"
	}
	for _, made := range [][2]string{{"EMULATOR_SEED", strconv.FormatUint(l.Seed, 10)}, {"EMULATOR_CONTACTS", contacts}, {"EMULATOR_POPULATION", population}} {
		if text, _ := lookup(made[0]); text != "" && text != made[1] && (l.Contacts != 0 || text != "0") {
			log.Warn(fmt.Sprintf("%s=%s has no effect: the workspace of this warehouse was made with %s; to make another one, use another directory: --dir DIR", made[0], text, made[1]))
		}
	}
}

// serveEmulator serves a workspace after its simulated hours. Its clock passes from then on.
func serveEmulator(life *embeddedWorkspace) (on servedWorkspace, err error) {
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", life.Port))
	if err != nil && life.Port != 0 {
		listener, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return on, fmt.Errorf("start the emulator: %w", err)
	}
	if address, ok := listener.Addr().(*net.TCPAddr); ok {
		life.Port = address.Port
	}
	began, stood := time.Now(), life.Clock
	on = servedWorkspace{url: "http://" + listener.Addr().String(), now: func() time.Time { return stood.Add(time.Since(began)) }}
	w := emulator.New(emulator.Config{Seed: life.Seed, Population: life.Population, Contacts: life.Contacts, Start: embeddedEpoch, Token: emulatedToken, Now: on.now, RatePerMinute: 60_000, NoLog: true})
	w.SimulateHours(life.Hours)
	server := &http.Server{Handler: ofThisMachine(w), ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	on.close = func() error {
		err := server.Close()
		if end := <-served; !errors.Is(end, http.ErrServerClosed) {
			err = errors.Join(err, end)
		}
		return err
	}
	return on, nil
}

// wholeNumber reads a whole number from the environment.
func wholeNumber(lookup func(string) (string, bool), name string, fallback int) (int, error) {
	text, ok := lookup(name)
	if !ok || text == "" {
		return fallback, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, &problem.Problem{Class: "config", What: fmt.Sprintf("%s=%q is not a whole number from 0", name, text), Next: "set " + name + " to a whole number, or unset it; variables: aqueduck help env"}
	}
	return n, nil
}
