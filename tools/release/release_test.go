package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// unpackedArchive is an archive that was read: its names in order, and each file's text.
type unpackedArchive struct {
	names []string
	heads map[string]*tar.Header
	texts map[string][]byte
}

func unpackArchive(t *testing.T, path string) unpackedArchive {
	t.Helper()
	f, err := os.Open(path)
	requireNoError(t, err)
	defer f.Close()
	plain, err := gzip.NewReader(f)
	requireNoError(t, err)
	u := unpackedArchive{heads: map[string]*tar.Header{}, texts: map[string][]byte{}}
	for archive := tar.NewReader(plain); ; {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return u
		}
		requireNoError(t, err)
		_, name, _ := strings.Cut(head.Name, "/")
		u.names, u.heads[name] = append(u.names, name), head
		u.texts[name], err = io.ReadAll(archive)
		requireNoError(t, err)
	}
}

func requireNoError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestS44NothingOfTheMachineIsInAnArchive packs the same files twice, at different times.
func TestS44NothingOfTheMachineIsInAnArchive(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	files := map[string]archiveFile{"bin/aqueduck": {[]byte("program"), 0o755}, "README.md": {[]byte("read"), 0o644}, "docs/a.md": {bytes.Repeat([]byte("a"), 9000), 0o644}}
	var sums [2][32]byte
	for i := range sums {
		path := filepath.Join(t.TempDir(), "x.tar.gz")
		requireNoError(t, writeArchive(path, "aqueduck_1", files, at))
		text, err := os.ReadFile(path)
		requireNoError(t, err)
		sums[i] = sha256.Sum256(text)
		u := unpackArchive(t, path)
		if !slices.Equal(u.names, []string{"README.md", "bin/aqueduck", "docs/a.md"}) || string(u.texts["bin/aqueduck"]) != "program" {
			t.Errorf("it has %v", u.names)
		}
		for name, h := range u.heads {
			if !h.ModTime.Equal(at) || h.Uid+h.Gid != 0 || h.Uname+h.Gname != "" || h.Mode != files[name].mode {
				t.Errorf("%s: %+v", name, h)
			}
		}
	}
	if sums[0] != sums[1] {
		t.Error("two archives of the same files differ")
	}
}

// TestS47EveryModuleHasItsLicence gathers the licences of everything that the program links, including DuckDB's library.
func TestS47EveryModuleHasItsLicence(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it has the Go tool list what is linked: make test runs it")
	}
	all, err := listModules(t.Context(), "../..", os.Environ())
	requireNoError(t, err)
	files := map[string]archiveFile{}
	requireNoError(t, addLicences(files, all))
	for _, want := range []struct{ name, says string }{
		{"licences/go/LICENSE", "The Go Authors"}, {"licences/github.com/duckdb/duckdb-go/v2/LICENSE", "MIT"},
		{"licences/github.com/apache/arrow-go/v18/NOTICE.txt", "Apache Arrow"}, {"licences/golang.org/x/sys/PATENTS", "patent"},
		{"licences/README", "\ngithub.com/spf13/cobra v"},
	} {
		if !strings.Contains(string(files[want.name].text), want.says) {
			t.Errorf("%s does not say %q", want.name, want.says)
		}
	}
	library := slices.IndexFunc(all, func(p linkedModule) bool { return strings.Contains(p.path, "duckdb-go-bindings/lib/") })
	if len(all) < 30 || library < 0 || len(files["licences/"+all[library].path+"/LICENSE"].text) == 0 {
		t.Errorf("%d parts, the library of DuckDB at %d", len(all), library)
	}
	if err := addLicences(files, []linkedModule{{"example.org/bare", "v1", t.TempDir()}}); err == nil || !strings.Contains(err.Error(), "module example.org/bare has no licence") {
		t.Errorf("a module without a licence: %v", err)
	}
}

// TestTheManualHasEveryCommandAsItsHelpSays uses a program with a help text that roff would take for instructions.
func TestTheManualHasEveryCommandAsItsHelpSays(t *testing.T) {
	t.Parallel()
	said := map[string]string{
		"--help":            "It reads.\n\nAvailable Commands:\n  state       Show\n  sync        Read\n\nFlags:\n  -q   less\n",
		"sync --help":       ".so /etc/passwd\n'quoted' C:\\new\n\nGlobal Flags:\n  -q   less\n\nMore.\n",
		"state --help":      "Marks.\n\nAvailable Commands:\n  show        Show\n",
		"state show --help": "Show.\n\nGlobal Flags:\n  -q   less\n",
		"help exit-codes":   "0  done", "help env": "TOKEN",
	}
	page, err := makeManual(func(args ...string) (string, error) {
		text, ok := said[strings.Join(args, " ")]
		if !ok {
			return "", fmt.Errorf("asked for %q", args)
		}
		return text, nil
	})
	requireNoError(t, err)
	for _, want := range []string{
		"\n.SS aqueduck sync\n.nf\n\\&.so /etc/passwd\n\\&'quoted' C:\\enew\n\nMore.\n.fi\n", "\n.SS aqueduck state show\n.nf\nShow.\n.fi\n",
		"\n.SH EXIT STATUS\n.nf\n0  done\n.fi\n", "\n.SH ENVIRONMENT\n.nf\nTOKEN\n.fi\n", "\n  \\-q   less\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("there is no %q in\n%s", want, page)
		}
	}
}

// TestTheLineOfCronIsWhatThePageSays compares it with docs/schedule.md.
func TestTheLineOfCronIsWhatThePageSays(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../packaging/aqueduck.cron")
	requireNoError(t, err)
	if line := strings.TrimSpace(string(text)); !slices.Equal(commandsBelow(t, "../../docs/schedule.md", "## Run every night with cron"), []string{line}) {
		t.Errorf("docs/schedule.md has another line than %q", line)
	}
}

// TestATagThatIsNotTheVersionIsRefused tags a commit with its version, and with another one.
func TestATagThatIsNotTheVersionIsRefused(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		_, err := runCommand(t.Context(), root, os.Environ(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		requireNoError(t, err)
	}
	requireNoError(t, os.WriteFile(filepath.Join(root, "VERSION"), []byte("2.1.0\n"), 0o600))
	git("init", "-q")
	git("add", "VERSION")
	git("commit", "-qm", "one")
	for _, test := range []struct{ name, tag, says string }{
		{name: "no tag"}, {name: "another tag", tag: "v2.0.0", says: "change VERSION, or tag the commit v2.1.0"}, {name: "its own tag too", tag: "v2.1.0"},
	} {
		if test.tag != "" {
			git("tag", test.tag)
		}
		c, err := lastCommit(t.Context(), root)
		if (err != nil) != (test.says != "") || err != nil && !strings.Contains(err.Error(), test.says) || err == nil && (c.version != "2.1.0" || len(c.id) != 40) {
			t.Errorf("%s: %+v, %v", test.name, c, err)
		}
	}
}

// TestS44TwoReleasesAreTheSameFiles releases the last commit twice, compiling everything the second time, and looks into the archive.
func TestS44TwoReleasesAreTheSameFiles(t *testing.T) {
	t.Parallel()
	if os.Getenv("AQUEDUCK_LONG") == "" {
		t.Skip("everything is compiled and linked twice: make release-check runs it")
	}
	var archives, sums []string
	for _, cache := range []string{"", "GOCACHE=" + t.TempDir()} {
		built, err := buildRelease(t.Context(), "../..", t.TempDir(), releaseParts{arches: []string{runtime.GOARCH}}, append(os.Environ(), cache))
		requireNoError(t, err)
		archive := built[0]
		check := exec.Command("sha256sum", "-c", "SHA256SUMS")
		check.Dir = filepath.Dir(archive)
		said, err := check.CombinedOutput()
		requireNoError(t, err)
		text, err := os.ReadFile(filepath.Join(check.Dir, "SHA256SUMS"))
		requireNoError(t, err)
		archives, sums = append(archives, archive), append(sums, string(text))
		t.Logf("%s%s", text, said)
	}
	if sums[0] != sums[1] {
		t.Errorf("the first is\n%sthe second\n%s", sums[0], sums[1])
	}
	u := unpackArchive(t, archives[0])
	for _, name := range []string{"README.md", "CHANGELOG.md", "LICENSE", "SECURITY.md", "pipelines.example.yaml", "docs/install.md", "docs/schedule.md", "docs/monitor.md",
		"docs/recover.md", "docs/privacy.md", "docs/queries/joins.sql", "packaging/aqueduck.service",
		"packaging/aqueduck.cron", "completions/bash/aqueduck", "completions/zsh/_aqueduck", "completions/fish/aqueduck.fish", "man/man1/aqueduck.1", "licences/README"} {
		if len(u.texts[name]) == 0 {
			t.Errorf("there is no %s in it", name)
		}
	}
	var made struct {
		Version, Commit, License string
		SBOM                     struct {
			Components []struct{ Name, Version string }
		}
	}
	requireNoError(t, json.Unmarshal(u.texts["version.json"], &made))
	if want := strings.Split(filepath.Base(archives[0]), "_")[1]; made.Version != want || len(made.Commit) != 12 || made.License != "Apache-2.0" {
		t.Errorf("the program of version %s calls itself %s of commit %q, licence %s", want, made.Version, made.Commit, made.License)
	}
	for _, c := range made.SBOM.Components {
		if c.Name != "std" && c.Name != "duckdb" && !strings.Contains(string(u.texts["licences/README"]), "\n"+c.Name+" "+c.Version+":") {
			t.Errorf("%s %s is linked and has no licence in it", c.Name, c.Version)
		}
	}
	if !strings.Contains(string(u.texts["man/man1/aqueduck.1"]), ".SS aqueduck state rewind") {
		t.Error("the manual lacks a command")
	}
}

// TestANewColleagueComesToHisFirstAnswerInFiveCommands follows docs/install.md, from the archive of the last commit, on a machine without Go,
// over an emulated workspace.
func TestANewColleagueComesToHisFirstAnswerInFiveCommands(t *testing.T) {
	t.Parallel()
	if os.Getenv("AQUEDUCK_LONG") == "" {
		t.Skip("it makes a release: make release-check runs it")
	}
	built, err := buildRelease(t.Context(), "../..", t.TempDir(), releaseParts{arches: []string{runtime.GOARCH}}, os.Environ())
	requireNoError(t, err)
	archive := built[0]
	page, err := os.ReadFile("../../docs/install.md")
	requireNoError(t, err)
	_, block, found := strings.Cut(string(page), "From the archive to the first query")
	_, block, found2 := strings.Cut(block, "```\n")
	block, _, found3 := strings.Cut(block, "```\n")
	commands := strings.Split(strings.TrimSpace(block), "\n")
	if !found || !found2 || !found3 || len(commands) != 5 {
		t.Fatalf("the page has %d commands: %q", len(commands), commands)
	}
	space := emulator.New(emulator.Config{Seed: 3, Contacts: 60, Inactive: 12, Activities: 90, Conversations: 20,
		Knobs: emulator.Knobs{Export: emulator.ExportKnobs{Pending: -1, Working: -1}}}) // its clock stands still, so jobs must be ready at once
	server := httptest.NewServer(space)
	defer server.Close()
	home := t.TempDir()
	requireNoError(t, os.Symlink(archive, filepath.Join(home, filepath.Base(archive))))
	path := filepath.Join(home, "tools")
	requireNoError(t, os.Mkdir(path, 0o755))
	for _, tool := range []string{"sh", "tar", "gzip", "printf"} {
		where, err := exec.LookPath(tool)
		requireNoError(t, err)
		requireNoError(t, os.Symlink(where, filepath.Join(path, tool)))
	}
	var said []byte
	for _, command := range commands {
		command = strings.Replace(strings.Replace(command, "'https://…'", "'"+server.URL+"'", 1), "'…'", "'"+space.AccessToken()+"'", 1)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		c := exec.CommandContext(ctx, "/bin/sh", "-c", command)
		c.Dir, c.Env = home, []string{"PATH=" + path, "HOME=" + home}
		if said, err = c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, said)
		}
	}
	if !strings.Contains(string(said), "\n  varchar ") || strings.Count(string(said), "\n") < 9 {
		t.Errorf("the last command says\n%s", said)
	}
}
