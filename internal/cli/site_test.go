package cli

import (
	"errors"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/oracletest"
	"aqueduck/load/lakecheck"
	"aqueduck/load/layout"
)

// nightly is the configuration of the processes.
const nightly = `version: 1
warehouse: {dir: data}
workspaces:
  main: {base_url: "${WORKSPACE_URL}", token: "${WORKSPACE_TOKEN}", api_version: "2.17"}
pipelines:
  nightly: {schedule: "0 2 * * *", streams: [contacts, deleted_contacts, contact_activities]}
`

// everything also reads a stream of each kind.
var everything = strings.Replace(nightly, "contact_activities]}", `contact_activities, conversations, calls, call_transcripts, admin_activity_logs, "reporting_*"]}
streams:
  "reporting_*": {start: 2024-06-01}`, 1)

// emulatedSite is an emulated workspace that the test serves, with a warehouse that processes fill. Only the test and workspaceLife move
// its clock.
type emulatedSite struct {
	t      *testing.T
	space  *emulator.Workspace
	server *httptest.Server
	life   *workspaceLife
	home   string     // holds pipelines.yaml and the warehouse
	dir    layout.Dir // the warehouse
	houses int        // warehouses there were
	whole  bool       // every kind of stream is read
}

func newSite(t *testing.T, seed uint64) *emulatedSite {
	t.Helper()
	if testing.Short() {
		t.Skip("its processes are built without the race detector: make test runs it")
	}
	// Exports are ready at once, because the workspace's clock stands still while a process waits. Changes without a new time
	// are found within days, not by one run.
	space := emulator.New(emulator.Config{Seed: seed, Contacts: 240, Inactive: 40, Activities: 400, Conversations: 60, Knobs: emulator.Knobs{
		QuietConversations: emulator.Never, Export: emulator.ExportKnobs{Pending: -1, Working: -1},
	}})
	s := &emulatedSite{t: t, space: space, home: warehouseRoom(t), life: &workspaceLife{t: t, space: space, r: rand.New(rand.NewPCG(seed, 1))}}
	s.server = httptest.NewServer(space)
	t.Cleanup(s.server.Close)
	if err := os.WriteFile(filepath.Join(s.home, "pipelines.yaml"), []byte(nightly), 0o600); err != nil {
		t.Fatal(err)
	}
	s.newWarehouse()
	return s
}

// closeSite ends the site before the end of its test, which may need many.
func (s *emulatedSite) closeSite() {
	s.server.Close()
	if err := os.RemoveAll(string(s.dir)); err != nil {
		s.t.Error(err)
	}
}

// publishEarly makes the site's processes publish the newest data before the history, also in short runs.
func (s *emulatedSite) publishEarly() *emulatedSite {
	s.t.Helper()
	config := strings.Replace(nightly, "{dir: data}", "{dir: data, publish: {first: 0s}}", 1)
	if err := os.WriteFile(filepath.Join(s.home, "pipelines.yaml"), []byte(config), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return s
}

// readAllStreams makes the site's processes read every kind of stream, which takes longer.
func (s *emulatedSite) readAllStreams() *emulatedSite {
	s.t.Helper()
	s.whole = true
	if err := os.WriteFile(filepath.Join(s.home, "pipelines.yaml"), []byte(everything), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return s
}

// warehouseRoom returns a directory for a warehouse, in memory if there is enough. A run on a disk would mostly wait, and a kill leaves the
// same files.
func warehouseRoom(t *testing.T) string {
	t.Helper()
	const memory, enough = "/dev/shm", 2 << 30
	var fs syscall.Statfs_t
	if err := syscall.Statfs(memory, &fs); err != nil || int64(fs.Bavail)*fs.Bsize < enough {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp(memory, "aqueduck-under-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// newWarehouse replaces the warehouse by an empty one.
func (s *emulatedSite) newWarehouse() {
	s.t.Helper()
	if s.houses > 0 {
		if err := os.RemoveAll(string(s.dir)); err != nil {
			s.t.Fatal(err)
		}
	}
	s.houses++
	s.dir = layout.Dir(filepath.Join(s.home, "data"+strconv.Itoa(s.houses)))
}

// startSync starts a run.
func (s *emulatedSite) startSync(args ...string) *testProcess {
	s.t.Helper()
	return s.syncWith(nil, args...)
}

// syncWith starts a run with additional environment variables.
func (s *emulatedSite) syncWith(env []string, args ...string) *testProcess {
	s.t.Helper()
	path, err := built()
	if err != nil {
		s.t.Fatal(err)
	}
	env = append([]string{"WORKSPACE_URL=" + s.server.URL, "WORKSPACE_TOKEN=" + s.space.AccessToken()}, env...)
	args = append([]string{"sync", "nightly", "--file", filepath.Join(s.home, "pipelines.yaml"), "--dir", string(s.dir)}, args...)
	return startProcess(s.t, path, env, args...)
}

// crashAt runs until a crash point kills the process.
func (s *emulatedSite) crashAt(place string, args ...string) {
	s.t.Helper()
	if p := s.syncWith([]string{"AQUEDUCK_CRASH=" + place}, args...); !p.wasKilled() {
		s.t.Fatalf("the process did not come to %s:\n%s", place, p.outputText())
	}
}

// syncUntilEqual lets quiet hours pass, so that transcripts and exports are read again, and runs once without a fault. Then all published data
// must be the truth. It returns the time of the run.
func (s *emulatedSite) syncUntilEqual() time.Duration {
	s.t.Helper()
	s.life.stopActivity()
	s.space.Advance(25 * time.Hour)
	p := s.startSync()
	p.requireSuccess()
	took := p.age
	oracletest.CompareAll(s.t, s.space, s.dir.Current())
	if s.whole {
		oracletest.CompareReports(s.t, s.space, s.dir.Current(), time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC))
	}
	if consistent, err := lakecheck.Consistent(s.t.Context(), s.dir); err != nil || !consistent {
		s.t.Errorf("file and lake are of one moment: %t, %v", consistent, err)
	}
	if strings.Contains(p.outputText(), "note:") && !strings.Contains(p.outputText(), "note: this machine's clock is") { // the workspace's is its own
		s.t.Errorf("the run found something to note:\n%s", p.outputText())
	}
	s.requireTidyDir()
	if s.t.Failed() {
		s.t.FailNow()
	}
	return took
}

// publishedFileCount returns the number of published files.
func (s *emulatedSite) publishedFileCount() int {
	s.t.Helper()
	files, err := s.dir.PublishedFiles()
	if err != nil {
		s.t.Fatal(err)
	}
	return len(files)
}

// requireTidyDir fails the test if the warehouse's directory has files that a run does not leave.
func (s *emulatedSite) requireTidyDir() {
	s.t.Helper()
	wanted := map[string]bool{"format": true, "lock": true, "published": true, "tmp": true, "rejects": true, "runs": true, "hash.key": true, "ended.jsonl": true, "older-removed": true}
	entries, err := os.ReadDir(s.dir.State())
	if err != nil {
		s.t.Fatal(err)
	}
	for _, e := range entries {
		if !wanted[e.Name()] && !strings.HasPrefix(e.Name(), "bookkeeping-") {
			s.t.Errorf("%s was left behind", e.Name())
		}
	}
	for _, dir := range []string{s.dir.Temp(), s.dir.RejectDir()} {
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			s.t.Errorf("in %s: %v, %v", dir, entries, err)
		}
	}
	files, err := filepath.Glob(filepath.Join(s.dir.Published(), "*.duckdb"))
	sums, err2 := filepath.Glob(filepath.Join(s.dir.Published(), "*.sha256"))
	if err := errors.Join(err, err2); err != nil || len(files) > 3 || len(sums) != len(files) {
		s.t.Errorf("published are %v, with checksums %v: %v", files, sums, err)
	}
}

// readEveryRow reads every row of the present published file, if there is one.
func (s *emulatedSite) readEveryRow() {
	s.t.Helper()
	file := s.dir.Current()
	if file == "" {
		return
	}
	rows, err := oracletest.QueryRows(file, `SELECT count(*) = count(DISTINCT id), sum(length(a::VARCHAR)) > 0 FROM contacts_all a`)
	if err != nil || len(rows) != 1 || rows[0] != "true|true" {
		s.t.Fatalf("what is published after the kill: %v, %v", rows, err)
	}
}
