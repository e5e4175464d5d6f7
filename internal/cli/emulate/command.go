package emulate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"aqueduck/internal/cli/usage"
	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/api/fault"
	"aqueduck/internal/emulator/apiversion"
	"aqueduck/internal/emulator/control"
	"aqueduck/internal/emulator/webhook"
	"aqueduck/internal/problem"
)

// epoch is hour 0 of a workspace that is served by the machine's clock. It is long ago, so that it is the same at each start and no
// watermark of an earlier start lies in its future.
var epoch = time.Date(2024, 6, 15, 2, 0, 0, 0, time.UTC)

// Host is what the command gets from the program.
type Host struct {
	Name   string              // of the program as it was called, for command lines in messages
	Stdout io.Writer           // where results go
	Now    func() time.Time    // the clock of the workspace
	Log    func() *slog.Logger // as the flags set it
}

// emulateOptions are the flags of emulate.
type emulateOptions struct {
	port                  int
	identity              workspaceIdentity
	token, chaos, version string
	header                string
	rate                  int
	state                 string
	scoped                []string
	knobs                 string
	webhooks              []string
	secret                string
	live                  bool
	speed                 float64
	openAPI               bool
}

// NewCommand returns the command emulate.
func NewCommand(h Host) *cobra.Command {
	var e emulateOptions
	c := &cobra.Command{
		Use:   "emulate",
		Short: "Serve an emulated workspace: the API without an account",
		Long: `Serve an emulated workspace on this machine until Ctrl-C: the whole API for reads and writes, with generated
data that depends only on the seed, and with fault injection.

/_oracle/STREAM returns the true rows, also as of an earlier time. GET /_emulator/ describes how to trigger
events. Open / in a browser to see the data and the requests. /openapi.json, also printed by --openapi, describes the API.

--state keeps triggered events in a file, so that the next start serves the same workspace.

With --live the workspace goes on living by this machine's clock: contacts, conversations and tickets are created
and change while it is served. Its history ends now, not in June 2024. --speed 60 lets an hour pass in each minute.
With --state the next start goes on, and first catches up with the clock.

--webhook sends notifications of events to an address: ratings, bot replies, finished jobs, dynamic content,
calls. They are signed with --webhook-secret. A notification is repeated until it is answered with 2xx, at
most eight times.

Faults for --chaos, separated by commas:
  ` + strings.ReplaceAll(fault.ChaosHelp, "\n", "\n  "),
		Example: `  aqueduck emulate
  aqueduck emulate --port 0 --seed 7 --contacts 500 --conversations 200 --token abc
  aqueduck emulate --population odd
  aqueduck emulate --port 8080 --chaos 'error=0.02:503,429=0.05,reset@17' --log-level debug
  aqueduck emulate --hours 48 --zone Europe/Berlin --api-version 2.16 --rate 600
  aqueduck emulate --port 8080 --state emulated.ndjson
  aqueduck emulate --openapi > openapi.json
  aqueduck emulate --live
  aqueduck emulate --live --speed 60 --state living.ndjson
  aqueduck emulate --scoped-token reader=read_conversations --knobs '{"Unavailable": ["calls"], "NoDynamicContent": true}'
  aqueduck emulate --webhook http://127.0.0.1:9999/hook --webhook-secret s3cret`,
		Args: usage.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error { return runEmulator(h, c, &e) },
	}
	flags := c.Flags()
	flags.IntVar(&e.port, "port", 8080, "port on 127.0.0.1; 0 takes a free one")
	flags.Uint64Var(&e.identity.Seed, "seed", 1, "seed of the generated data; each seed gives another workspace")
	flags.StringVar(&e.identity.Population, "population", defaultPopulation, "what the workspace is like: team, a support team of ten, or odd, every unusual value")
	flags.IntVar(&e.identity.Contacts, "contacts", 0, "number of contacts (default: that of the demo)")
	flags.IntVar(&e.identity.Conversations, "conversations", 0, "number of conversations; a negative number means none (default: three for ten contacts)")
	flags.IntVar(&e.identity.Hours, "hours", 0, "hours of changes after hour 0 (June 2024); with --live, hour 0 is so many hours before now")
	flags.BoolVar(&e.live, "live", false, "let hours pass with this machine's clock, from now on")
	flags.Float64Var(&e.speed, "speed", 1, "with --live: how much faster than this machine's clock time passes; 60 is an hour a minute")
	flags.StringVar(&e.identity.Zone, "zone", "UTC", "time zone of the workspace, e.g. Europe/Berlin")
	flags.StringVar(&e.version, "api-version", "2.17", "API version for requests that name none")
	flags.StringVar(&e.header, "version-header", "Service-Version", "header that names the API version")
	flags.IntVar(&e.rate, "rate", 10_000, "allowed requests per minute, spread over windows of ten seconds; 0 is no limit")
	flags.StringVar(&e.token, "token", emulatedToken, "accepted token")
	flags.StringArrayVar(&e.scoped, "scoped-token", nil, "another token with its scopes, e.g. reader=read_conversations,read_dynamic_content; a token alone reads what needs no scope, such as contacts; may be given several times")
	flags.StringVar(&e.knobs, "knobs", "", "settings for behaviour that differs between workspaces, as a JSON object (listed in docs/internals/emulator-controls.md)")
	flags.StringVar(&e.chaos, "chaos", "", "faults by probability, or by the number of the request (see above)")
	flags.BoolVar(&e.openAPI, "openapi", false, "print the OpenAPI 3.1 document of what is served, and end")
	flags.StringVar(&e.state, "state", "", "file that keeps triggered events for the next start")
	flags.StringArrayVar(&e.webhooks, "webhook", nil, "address that gets each event, e.g. http://127.0.0.1:9999/hook; may be given several times")
	flags.StringVar(&e.secret, "webhook-secret", "emulated-webhook-secret", "secret that signs the notifications to webhooks")
	return c
}

var headerName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*$`)

var versionNumber = regexp.MustCompile(`^[0-9]+\.[0-9]+$`)

// runEmulator checks the flags, creates the workspace and serves it.
func runEmulator(h Host, c *cobra.Command, e *emulateOptions) (err error) {
	if err := checkFlags(c, e); err != nil {
		return err
	}
	if e.openAPI {
		_, err := h.Stdout.Write(emulator.OpenAPI())
		return err
	}
	if e.identity.Start = epoch; e.live {
		e.identity.Live, e.identity.Start = newLiveness(h.Now(), e.speed, e.identity.Hours)
	}
	var kept *stateFile
	if e.state != "" {
		if kept, err = openState(c, e.state, &e.identity); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, kept.Close()) }()
	}
	zone, err := time.LoadLocation(e.identity.Zone)
	if err != nil { // of the state file: that of the flag was checked
		return kept.damagedError(1, err)
	}
	log, now := h.Log(), h.Now
	if e.identity.Live != nil {
		now = e.identity.Live.clock(h.Now)
	}
	w := emulator.New(emulator.Config{Seed: e.identity.Seed, Population: e.identity.Population, Contacts: e.identity.Contacts, Conversations: e.identity.Conversations,
		Hours: e.identity.Hours, Start: e.identity.Start, Zone: zone, Token: e.token, DefaultVersion: e.version, VersionHeader: e.header, RatePerMinute: e.rate,
		Now: now, Live: e.identity.Live != nil, Knobs: emulator.Knobs{Chaos: e.chaos}, Watch: logRequests(log)})
	if err := addScopedTokens(c, w, e.scoped); err != nil {
		return err
	}
	if err := setKnobs(c, w, e.knobs); err != nil {
		return err
	}
	if err := kept.replayOperations(w, log); err != nil {
		return err
	}
	if e.identity.Live != nil {
		if err := catchUp(c.Context(), w, e.identity.Start, log); err != nil {
			return err
		}
	}
	w.SetJournal(func(d emulator.JournalEntry) error {
		log.Info("control", "do", d.Do)
		return kept.appendOperation(d)
	})
	return serveEmulation(c.Context(), h, w, e, log)
}

// setKnobs turns the knobs of --knobs.
func setKnobs(c *cobra.Command, w *emulator.Workspace, text string) error {
	if text == "" {
		return nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		return usage.Errorf(c, `--knobs: expected a JSON object, e.g. '{"Unavailable": ["calls"]}': %w`, err)
	}
	if _, err := w.RunOperation("set", json.RawMessage(text)); err != nil {
		return usage.Errorf(c, "--knobs: %s (docs/internals/emulator-controls.md describes them)", strings.TrimPrefix(err.Error(), "set: "))
	}
	return nil
}

// checkFlags checks the flags that need nothing else.
func checkFlags(c *cobra.Command, e *emulateOptions) error {
	if err := fault.CheckChaos(e.chaos); err != nil {
		return usage.Errorf(c, "%w", err)
	}
	_, err := time.LoadLocation(e.identity.Zone)
	switch {
	case err != nil || e.identity.Zone == "":
		return usage.Errorf(c, "--zone %s: expected a name like Europe/Berlin", problem.ShellQuote(e.identity.Zone))
	case !isPopulation(e.identity.Population):
		return usage.Errorf(c, "--population %s: expected team or odd", problem.ShellQuote(e.identity.Population))
	case !oneWord(e.token):
		return usage.Errorf(c, "--token cannot contain spaces")
	case !headerName.MatchString(e.header):
		return usage.Errorf(c, "--version-header %s: expected a name like Service-Version", problem.ShellQuote(e.header))
	case !isServed(e.version):
		return usage.Errorf(c, "--api-version %s: expected a number up to 2.17, such as 2.16", problem.ShellQuote(e.version))
	case e.port < 0 || e.port > 65_535:
		return usage.Errorf(c, "--port %d: expected a number up to 65535; 0 takes a free port", e.port)
	}
	for _, address := range e.webhooks {
		if err := emulator.CheckWebhook(address, e.secret); err != nil {
			return usage.Errorf(c, "--webhook: %w", err)
		}
	}
	if err := usage.RefuseBelow(c, 0, "contacts", "hours", "rate"); err != nil {
		return err
	}
	return checkLiveFlags(c, e.live, e.speed, e.state)
}

// isServed reports whether a text is an API version that the emulator serves.
func isServed(version string) bool {
	v, ok := apiversion.Parse(version)
	return ok && versionNumber.MatchString(version) && apiversion.AfterStable.AtLeast(v)
}

// addScopedTokens adds the tokens of --scoped-token.
func addScopedTokens(c *cobra.Command, w *emulator.Workspace, list []string) error {
	for _, given := range list {
		token, scopes, _ := strings.Cut(given, "=")
		if !oneWord(token) {
			return usage.Errorf(c, "--scoped-token %s: expected a token and its scopes, e.g. reader=read_conversations", problem.ShellQuote(given))
		}
		if err := w.AddToken(token, strings.FieldsFunc(scopes, func(r rune) bool { return r == ',' })...); err != nil {
			return usage.Errorf(c, "--scoped-token %s: %w", problem.ShellQuote(token), err)
		}
	}
	return nil
}

func oneWord(token string) bool {
	return token != "" && !strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })
}

// logRequests logs a line for each request. Injected faults are logged at info, because they were requested.
func logRequests(log *slog.Logger) func(control.Request) {
	return func(r control.Request) {
		about := []any{"n", r.N, "method", r.Method, "path", r.Path, "status", r.Status, "version", r.Version}
		if r.Fault != "" {
			log.Info("fault", append(about, "fault", r.Fault)...)
			return
		}
		log.Debug("request", about...)
	}
}

// serveEmulation serves until the context ends, and then lets active requests finish.
func serveEmulation(ctx context.Context, h Host, w *emulator.Workspace, e *emulateOptions, log *slog.Logger) error {
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", e.port))
	if err != nil {
		return &problem.Problem{Class: "config", What: fmt.Sprintf("the emulator cannot open port %d", e.port), Err: err,
			Next: "choose another port; --port 0 takes a free one"}
	}
	url, token := "http://"+listener.Addr().String(), w.AccessToken()
	fmt.Fprintf(h.Stdout, `serving an emulated workspace on %[1]s
token: %[2]s

open it in a browser to see its data and requests;
true rows: %[1]s/_oracle/contacts, events to trigger: %[1]s/_emulator/

try it (the second command needs a pipelines.yaml):
  curl -sS -H %[3]s %[4]s
  WORKSPACE_URL=%[1]s WORKSPACE_TOKEN=%[5]s %[6]s sync --dir emulated
`, url, token, problem.ShellQuote("Authorization: Bearer "+token), problem.ShellQuote(url+"/contacts?per_page=2"), problem.ShellQuote(token), problem.ShellQuote(h.Name))
	if e.identity.Live != nil {
		fmt.Fprintf(h.Stdout, "\nthe workspace lives: its clock shows %s, and is %v times as fast as this machine's\n", w.CurrentTime().UTC().Format(time.DateTime+" MST"), e.identity.Live.Speed)
		living, end := context.WithCancel(ctx)
		defer end()
		go keepLiving(living, w)
	}
	told, err := notifyWebhooks(h, w, url, e, log)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	server := &http.Server{Handler: ofThisMachine(w), ReadHeaderTimeout: 10 * time.Second, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)}
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
	told(ending)
	return nil
}

// notifyWebhooks starts to send notifications to the webhooks. The returned function stops it and reports what was not delivered.
func notifyWebhooks(h Host, w *emulator.Workspace, url string, e *emulateOptions, log *slog.Logger) (end func(context.Context), err error) {
	if len(e.webhooks) == 0 {
		return func(context.Context) {}, nil
	}
	watch := func(d webhook.Delivery) {
		about := []any{"topic", d.Topic, "url", d.URL, "tries", d.Tries, "status", d.Status, "error", d.Error}
		switch {
		case d.Taken:
			log.Debug("notification delivered", about...)
		case d.Over:
			log.Warn("notification given up", about...)
		default:
			log.Info("notification not delivered yet", about...)
		}
	}
	var hooks []webhook.Hook
	for _, address := range e.webhooks {
		hooks = append(hooks, webhook.Hook{URL: address, Secret: e.secret, Watch: watch})
	}
	notifier, err := w.StartNotifier(url, hooks...)
	if err != nil {
		return nil, fmt.Errorf("tell webhooks: %w", err)
	}
	fmt.Fprintf(h.Stdout, "\nwebhooks are signed with the secret %s\n", e.secret)
	return func(ctx context.Context) {
		fmt.Fprintf(h.Stdout, "notifications that were not delivered: %d\n", notifier.Close(ctx))
	}, nil
}
