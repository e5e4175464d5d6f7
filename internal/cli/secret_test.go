package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/load/layout"
	"aqueduck/load/read"
)

// What must not appear anywhere: the token, and a person's address that only the text of an error has.
const (
	canaryToken = "Zq7Lm2Xv9Tb4Rk8Wd3Hf6Ny"
	canaryMail  = "rosa.canary@finch.example.org"
)

// skipInsideSandbox skips a test that inspects processes in the lane that inspects this process.
func skipInsideSandbox(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it looks at what other processes leave and say, without the race detector: make test runs it")
	}
}

// leakyWorkspace is a workspace that repeats the token and a person's address in errors, names of lists, addresses, headers and records.
type leakyWorkspace struct {
	*httptest.Server
	space   *emulator.Workspace
	revoked atomic.Bool
	led     atomic.Int64 // requests that came where a redirect leads
}

func newBlabbing(t *testing.T) *leakyWorkspace {
	t.Helper()
	b := &leakyWorkspace{space: emulator.New(emulator.Config{Seed: 7, Contacts: 30, Inactive: 4, Activities: 30, Start: workspaceStart, Now: time.Now, Token: canaryToken})}
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { b.led.Add(1) }))
	t.Cleanup(elsewhere.Close)
	const said = "token " + canaryToken + " of " + canaryMail
	failure := func(code string) string {
		return fmt.Sprintf(`{"type":"error.list","request_id":%q,"errors":[{"code":%q,"message":%q}]}`, canaryToken, code, said)
	}
	answers := map[string]func(w http.ResponseWriter){
		"/tags":  func(w http.ResponseWriter) { w.WriteHeader(400); fmt.Fprint(w, failure(canaryToken)) },
		"/teams": func(w http.ResponseWriter) { fmt.Fprintf(w, `{"%s":{},"x":"%s"}`, said, canaryMail) },
		"/admins": func(w http.ResponseWriter) {
			w.Header().Set("Location", elsewhere.URL+"/?token="+canaryToken+"&for="+canaryMail)
			w.WriteHeader(307)
		},
		"/segments":            func(w http.ResponseWriter) { fmt.Fprint(w, failure("strange")) },
		"/subscription_types":  func(w http.ResponseWriter) { w.WriteHeader(403); fmt.Fprint(w, failure("forbidden")) },
		"/ticket_types":        func(w http.ResponseWriter) { w.WriteHeader(422); fmt.Fprint(w, "<p>"+said) },
		"/away_status_reasons": func(w http.ResponseWriter) { w.WriteHeader(404); fmt.Fprint(w, failure("not_found")) },
		"/ticket_states": func(w http.ResponseWriter) {
			w.Header().Set("X-Request-Id", canaryToken)
			w.WriteHeader(410)
			fmt.Fprint(w, said)
		},
		"/contacts/deleted": func(w http.ResponseWriter) {
			fmt.Fprintf(w, `{"type":"list","data":[],"pages":{"next":"https://evil.example.org/%s?for=%s"}}`, canaryToken, canaryMail)
		},
	}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if b.revoked.Load() {
			w.WriteHeader(401)
			fmt.Fprint(w, failure("unauthorized"))
			return
		}
		if answer := answers[r.URL.Path]; answer != nil {
			answer(w)
			return
		}
		r.Header.Del("Accept-Encoding")
		got := httptest.NewRecorder()
		b.space.ServeHTTP(got, r)
		text := bytes.ReplaceAll(got.Body.Bytes(), []byte(`{"type":"contact",`), []byte(`{"type":"contact","echo":"Bearer `+canaryToken+`",`))
		w.Header().Set("Date", got.Header().Get("Date"))
		w.Header().Set("X-Echo", r.Header.Get("Authorization"))
		w.WriteHeader(got.Code)
		_, _ = w.Write(text)
	}))
	t.Cleanup(b.Close)
	return b
}

// TestS2NeitherTokenNorAddressIsWrittenAnywhere causes every error that such a workspace can cause, with debug logs, and searches
// the output and every file.
// Holds: S1.
func TestS2NeitherTokenNorAddressIsWrittenAnywhere(t *testing.T) {
	t.Parallel()
	skipInsideSandbox(t)
	b := newBlabbing(t)
	home := inDirectory(t, strings.Replace(scripted, "[contacts, deleted_contacts, contact_activities]", `[contacts, deleted_contacts, contact_activities,
    tags, teams, admins, segments, subscription_types, ticket_types, ticket_states, away_status_reasons]`, 1))
	said := ""
	run := func(want int, args ...string) {
		t.Helper()
		p := startProcess(t, "aqueduck", []string{"WORKSPACE_URL=" + b.URL, "WORKSPACE_TOKEN=" + canaryToken},
			append(args, "-f", filepath.Join(home, "pipelines.yaml"), "--dir", filepath.Join(home, "data"), "--log-level", "debug")...)
		if got := p.exitCode(); got != want {
			t.Errorf("%s ended with %d, want %d:\n%s", strings.Join(args, " "), got, want, p.outputText())
		}
		said += p.outputText()
	}
	run(1, "sync")
	for _, words := range []string{"400 [redacted]", "token [redacted] of [redacted]", "redirects are not followed", "points to another host"} {
		if !strings.Contains(said, words) {
			t.Errorf("nothing says %q: the test finds nothing", words)
		}
	}
	run(1, "streams", "try", "tags")
	run(0, "status")
	b.revoked.Store(true)
	run(4, "sync")
	run(2, "sync", "--token", "x")
	if b.led.Load() > 0 {
		t.Errorf("%d requests went where a redirect led", b.led.Load())
	}
	looked := 0
	err := filepath.WalkDir(filepath.Join(home, "data"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		said, looked = said+string(text), looked+1
		return err
	})
	if err != nil || looked < 10 {
		t.Fatalf("%d files were looked through: %v", looked, err)
	}
	// A database compresses texts, so every row is read too.
	file, all := layout.Dir(filepath.Join(home, "data")).Current(), ""
	ask := func(query string, visit func(string)) {
		if err := read.Query(t.Context(), file, query, func(_ []string, row []any) error {
			if row != nil {
				visit(fmt.Sprint(row[0]))
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	ask("SELECT 'SELECT to_json(t)::VARCHAR FROM ' || schema_name || '.' || table_name || ' t' FROM duckdb_tables() WHERE NOT internal", func(query string) {
		ask(query, func(row string) { all += row + "\n" })
	})
	if !strings.Contains(all, `"echo":"Bearer [redacted]"`) && !strings.Contains(all, `\"echo\":\"Bearer [redacted]\"`) {
		t.Error("no row has the field that repeated the token: the test finds nothing")
	}
	said += all
	for i := 0; i+8 <= len(canaryToken); i++ {
		if at := strings.Index(said, canaryToken[i:i+8]); at >= 0 {
			t.Fatalf("a piece of the token was written or said: …%q…", said[max(0, at-200):min(len(said), at+100)])
		}
	}
	if at := strings.Index(said, canaryMail); at >= 0 {
		t.Errorf("the person's address was written or said: …%q…", said[max(0, at-200):min(len(said), at+100)])
	}
}

// TestS7ProcessAndCrashRevealNoToken checks the command line of a running process, and that a crash leaves no core dump.
func TestS7ProcessAndCrashRevealNoToken(t *testing.T) {
	t.Parallel()
	skipInsideSandbox(t)
	if _, err := os.Stat("/proc/self/limits"); err != nil {
		t.Skip("there is no /proc to look at a process by")
	}
	h := newHeld(t)
	h.searches.Store(2)
	p := startProcess(t, "sh", h.environment(), "-c", `ulimit -c unlimited; exec aqueduck "$@"`, "sh", "sync", "-f", h.file)
	h.awaitSearch(p)
	proc := filepath.Join("/proc", fmt.Sprint(p.cmd.Process.Pid))
	limits, err := os.ReadFile(filepath.Join(proc, "limits"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(limits)) {
		if f := strings.Fields(strings.TrimPrefix(line, "Max core file size")); strings.HasPrefix(line, "Max core file size") && (f[0] != "0" || f[1] != "0") {
			t.Errorf("a crash may leave a core: %s", line)
		}
	}
	if words, err := os.ReadFile(filepath.Join(proc, "cmdline")); err != nil || bytes.Contains(words, []byte(h.token)) || !bytes.Contains(words, []byte("sync")) {
		t.Errorf("the command line is %q, %v", words, err)
	}
	h.open()
	p.requireSuccess()
}

// TestS20ReadersAreThoseOfTheUmaskAndTheConfiguration runs with several umasks, then with a mode and a group in the
// configuration, on the same files. Readers can read what they need and nothing else, and only the owner can write.
func TestS20ReadersAreThoseOfTheUmaskAndTheConfiguration(t *testing.T) {
	t.Parallel()
	skipInsideSandbox(t)
	space := emulator.New(emulator.Config{Seed: 7, Contacts: 30, Inactive: 4, Activities: 30, Start: workspaceStart, Now: time.Now, Knobs: emulator.Knobs{
		// A record without its key becomes a dead letter.
		Mutate: func(_ string, body []byte) []byte {
			return bytes.Replace(body, []byte(`"data":[{"type":"contact",`), []byte(`"data":[{"type":"contact"},{"type":"contact",`), 1)
		},
	}})
	server := httptest.NewServer(space)
	t.Cleanup(server.Close)
	config := strings.Replace(scripted, "contact_activities]", "contact_activities]}\nstreams: {contacts: {hash: [email]}", 1)
	group := os.Getegid()
	if os.Geteuid() == 0 {
		group = 65534
	}
	for _, tt := range []struct {
		mask, then string // the umask; the keys of warehouse in a second run
		dir        fs.FileMode
		group      int
	}{
		{mask: "000", dir: 0o755, group: os.Getegid()},
		{mask: "027", dir: 0o750, group: os.Getegid()},
		{mask: "077", dir: 0o700, group: os.Getegid()},
		{mask: "077", then: fmt.Sprintf(`mode: 0640, group: "%d"`, group), dir: 0o750, group: group},
		{mask: "000", then: `mode: 0600`, dir: 0o700, group: os.Getegid()},
		{mask: "077", then: `mode: "0644"`, dir: 0o755, group: os.Getegid()},
	} {
		dir := filepath.Join(inDirectory(t, config), "data")
		file := filepath.Join(filepath.Dir(dir), "pipelines.yaml")
		sync := func() {
			command := exec.Command("sh", "-c", "umask "+tt.mask+`; exec aqueduck sync -q -f "$1" --dir "$2"`, "sh", file, dir)
			command.Env = append(os.Environ(), "WORKSPACE_URL="+server.URL, "WORKSPACE_TOKEN="+space.AccessToken())
			if out, err := command.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
		sync()
		if tt.then != "" {
			if err := os.WriteFile(file, []byte(config+"\nwarehouse: {"+tt.then+"}\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			sync()
		}
		checkAccess(t, tt.mask+" "+tt.then, dir, tt.dir, tt.group)
	}
}

// checkAccess compares the modes and groups of all files of a warehouse with what its readers may.
func checkAccess(t *testing.T, name, dir string, readers fs.FileMode, group int) {
	t.Helper()
	seen := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil || d.Type()&fs.ModeSymlink != 0 {
			return err
		}
		file, err := filepath.Rel(dir, path)
		want := wantedMode(file, d.IsDir())
		if got := info.Mode().Perm(); got != want&(0o700|readers) {
			t.Errorf("umask %s: %s has mode %04o, want %04o", name, file, got, want&(0o700|readers))
		}
		if got := int(info.Sys().(*syscall.Stat_t).Gid); want&0o055 != 0 && got != group {
			t.Errorf("umask %s: %s belongs to group %d, want %d", name, file, got, group)
		}
		seen[strings.Split(strings.TrimPrefix(file, ".aqueduck/"), "/")[0]] = true
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"lake", "published", "rejects", "hash.key", "lock", "tmp"} {
		if !seen[file] {
			t.Errorf("umask %s: there is no %s", name, file)
		}
	}
}

// wantedMode returns the mode of a file of a warehouse by its name.
func wantedMode(name string, dir bool) fs.FileMode {
	switch {
	case name == ".aqueduck":
		return 0o711
	case dir && (name == "." || name == ".aqueduck/published" || name == "lake" || strings.HasPrefix(name, "lake/")):
		return 0o755
	case dir:
		return 0o700
	case strings.HasPrefix(name, ".aqueduck/published/"):
		return 0o444
	case strings.HasPrefix(name, "lake/"):
		return 0o644
	}
	return 0o600
}
