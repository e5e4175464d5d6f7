package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"aqueduck/internal/emulator"
	"aqueduck/internal/pipeline"
)

// birth is hour 0 of a workspace that is served by the machine's clock: long ago, so that it is the same at each start
// and no mark of an earlier one lies in its future.
var birth = time.Date(2024, 6, 15, 2, 0, 0, 0, time.UTC)

// emulation is what the flags of emulate say.
type emulation struct {
	port                  int
	identity              identity
	token, chaos, version string
	header                string
	rate                  int
	state                 string
}

func (a *app) emulate() *cobra.Command {
	var e emulation
	c := &cobra.Command{
		Use:   "emulate",
		Short: "Serve a workspace without an account",
		Long: `Serve an emulated workspace on this machine until Ctrl-C: the reading side of the API, with a population that
is a function of the seed, and faults on demand. Its true rows are at /_oracle/STREAM, also those of an earlier time, and
whatever happens in it can be made happen: GET /_emulator/ tells how.

With --state a file keeps what was made happen, and the workspace is the same after the next start.

Faults, for --chaos, with commas between them:
  ` + strings.ReplaceAll(emulator.ChaosHelp, "\n", "\n  "),
		Example: `  aqueduck emulate
  aqueduck emulate --port 0 --seed 7 --contacts 500 --conversations 200 --token abc
  aqueduck emulate --port 8080 --chaos 'error=0.02:503,429=0.05,reset@17' --log-level debug
  aqueduck emulate --hours 48 --zone Europe/Berlin --api-version 2.16 --rate 600
  aqueduck emulate --port 8080 --state emulated.ndjson`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return a.emulateWith(c, &e) },
	}
	flags := c.Flags()
	flags.IntVar(&e.port, "port", 8080, "port on 127.0.0.1; 0 takes a free one")
	flags.Uint64Var(&e.identity.Seed, "seed", 1, "another seed is another workspace")
	flags.IntVar(&e.identity.Contacts, "contacts", 0, "how many contacts it has (default: the demo's)")
	flags.IntVar(&e.identity.Conversations, "conversations", 0, "how many conversations it has; below 0 none (default: three for ten contacts)")
	flags.IntVar(&e.identity.Hours, "hours", 0, "hours of life before it is served, in June 2024; nothing happens from then to now")
	flags.StringVar(&e.identity.Zone, "zone", "UTC", "its time zone, as Europe/Berlin")
	flags.StringVar(&e.version, "api-version", "2.17", "the version that is served when a request names none")
	flags.StringVar(&e.header, "version-header", "Service-Version", "the header that names the version")
	flags.IntVar(&e.rate, "rate", 10_000, "requests a minute that it allows, spread over windows of ten seconds; 0 is no limit")
	flags.StringVar(&e.token, "token", emulatedToken, "the token it accepts")
	flags.StringVar(&e.chaos, "chaos", "", "faults by probability, or by the number of the request (see above)")
	flags.StringVar(&e.state, "state", "", "a file that keeps what was made happen, for the next start")
	return c
}

var headerName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*$`)

var versionNumber = regexp.MustCompile(`^[0-9]+\.[0-9]+$`)

// emulateWith checks the flags, makes the workspace and serves it.
func (a *app) emulateWith(c *cobra.Command, e *emulation) (err error) {
	if err := emulator.ParseChaos(e.chaos); err != nil {
		return misused(c, "%w", err)
	}
	zone, err := time.LoadLocation(e.identity.Zone)
	switch {
	case err != nil || e.identity.Zone == "":
		return misused(c, "--zone %s: it is a name as Europe/Berlin", quoted(e.identity.Zone))
	case e.identity.Contacts < 0 || e.identity.Hours < 0 || e.rate < 0:
		return misused(c, "--contacts, --hours and --rate cannot be below zero")
	case e.token == "" || strings.ContainsFunc(e.token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return misused(c, "--token is one word")
	case !headerName.MatchString(e.header):
		return misused(c, "--version-header %s: it is a name as Service-Version", quoted(e.header))
	case !versionNumber.MatchString(e.version):
		return misused(c, "--api-version %s: it is a number as 2.17", e.version)
	}
	e.identity.Start = birth
	var kept *stateFile
	if e.state != "" {
		if kept, err = openState(c, e.state, &e.identity); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, kept.Close()) }()
		if zone, err = time.LoadLocation(e.identity.Zone); err != nil {
			return kept.damaged(1, err)
		}
	}
	log := a.log()
	w := emulator.New(emulator.Config{Seed: e.identity.Seed, Contacts: e.identity.Contacts, Conversations: e.identity.Conversations,
		Hours: e.identity.Hours, Start: e.identity.Start, Zone: zone, Token: e.token, DefaultVersion: e.version, VersionHeader: e.header, RatePerMinute: e.rate,
		Now: a.now, Knobs: emulator.Knobs{Chaos: e.chaos}, Watch: watcher(log)})
	if err := kept.redo(w, log); err != nil {
		return err
	}
	w.Journal(func(d emulator.Done) error {
		log.Info("control", "do", d.Do)
		return kept.append(d)
	})
	return a.listen(c.Context(), w, e.port, log)
}

// watcher logs a line a request: faults, which were asked for, at info.
func watcher(log *slog.Logger) func(emulator.LoggedRequest) {
	return func(r emulator.LoggedRequest) {
		about := []any{"n", r.N, "method", r.Method, "path", r.Path, "status", r.Status, "version", r.Version}
		if r.Fault != "" {
			log.Info("fault", append(about, "fault", r.Fault)...)
			return
		}
		log.Debug("request", about...)
	}
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
func (a *app) listen(ctx context.Context, w *emulator.Workspace, port int, log *slog.Logger) error {
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return &pipeline.Problem{Class: "config", What: fmt.Sprintf("port %d cannot be served", port), Err: err,
			Next: "choose another one; --port 0 takes any that is free", Exit: pipeline.ExitFailed}
	}
	url, token := "http://"+listener.Addr().String(), w.Token()
	fmt.Fprintf(a.stdout, `serving an emulated workspace on %[1]s
token: %[2]s

its truth is at %[1]s/_oracle/contacts, what can be made happen at %[1]s/_emulator/

try it, the second where a pipelines.yaml is:
  curl -sS -H %[3]s %[4]s
  WORKSPACE_URL=%[1]s WORKSPACE_TOKEN=%[5]s %[6]s sync --dir emulated
`, url, token, quoted("Authorization: Bearer "+token), quoted(url+"/contacts?per_page=2"), quoted(token), quoted(a.name))
	server := &http.Server{Handler: w, ReadHeaderTimeout: 10 * time.Second, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)}
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
