package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"aqueduck/internal/crash"
	"aqueduck/internal/oracletest"
	"aqueduck/load/lakecheck"
	"aqueduck/load/layout"
	"aqueduck/tools/diskfault"
)

// frozenSite is an emulated workspace whose time stands still, and warehouses with several histories. Each warehouse can be copied for
// runs with faults; the right result of a run is always the same.
type frozenSite struct {
	*emulatedSite
	copies atomic.Int64
}

// The histories of warehouses.
const (
	first   = "first"   // one run has ended well; what is put back from an older time comes from here
	empty   = "empty"   // there is none
	later   = "later"   // some runs have ended well; the next reads what changed and forgets somebody
	killed  = "killed"  // and one was killed after a commit: its log is there
	nothing = "nothing" // and one has read all that there is
)

var histories = []string{empty, later, killed, nothing}

func newYard(t *testing.T, seed uint64) *frozenSite {
	t.Helper()
	y := &frozenSite{emulatedSite: newSite(t, seed)}
	config := strings.Replace(nightly, "[contacts, deleted_contacts, contact_activities]}", `[deleted_contacts, calls]}
  exports: {streams: [reporting_conversation]}
streams:
  reporting_conversation: {start: 2024-06-01}`, 1)
	if err := os.WriteFile(filepath.Join(y.home, "pipelines.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	for n := range 4 { // more than are kept
		y.life.passHours()
		y.startSync().requireSuccess()
		if n == 0 {
			y.copyDirectory(y.historyDir(first), string(y.dir))
		}
	}
	// Files of rejected records may name a person whom the next run erases, so they may change.
	if err := os.WriteFile(filepath.Join(y.dir.RejectDir(), "kept.jsonl"), []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, end := range []func(string) error{y.space.RequestDeletion, y.space.EraseContact} {
		if err := end(y.space.ContactIDs("active")[0]); err != nil {
			t.Fatal(err)
		}
	}
	y.life.passHours()
	y.space.Advance(25 * time.Hour)
	for _, history := range histories[1:] {
		switch history {
		case killed:
			y.crashAt(crash.CommitDone + ":2")
		case nothing:
			y.startSync().requireSuccess()
			y.tidyAt(t, y.dir)
		}
		y.copyDirectory(y.historyDir(history), string(y.dir))
	}
	return y
}

// historyDir returns the directory of a history.
func (y *frozenSite) historyDir(history string) string { return filepath.Join(y.home, "base-"+history) }

// copyDirectory copies a directory with its times and links.
func (y *frozenSite) copyDirectory(to, from string) {
	y.t.Helper()
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
		y.t.Fatalf("copy %s: %v\n%s", from, err, out)
	}
}

// warehouseCopy is one copy of a warehouse.
type warehouseCopy struct {
	*frozenSite
	t        *testing.T
	dir      layout.Dir
	pipeline string
	file     string // its configuration
}

// copyWarehouse returns a copy of the warehouse of a history, which is removed after the test.
func (y *frozenSite) copyWarehouse(t *testing.T, history string) *warehouseCopy {
	t.Helper()
	p := &warehouseCopy{frozenSite: y, t: t, pipeline: "nightly", file: filepath.Join(y.home, "pipelines.yaml"), dir: layout.Dir(filepath.Join(y.home, "plot"+strconv.FormatInt(y.copies.Add(1), 10)))}
	if history != empty {
		y.copyDirectory(string(p.dir), y.historyDir(history))
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(string(p.dir)); err != nil {
			t.Error(err)
		}
	})
	return p
}

func (p *warehouseCopy) syncCommand(args []string) []string {
	p.t.Helper()
	path, err := built()
	if err != nil {
		p.t.Fatal(err)
	}
	return append([]string{path, "sync", p.pipeline, "--file", p.file, "--dir", string(p.dir)}, args...)
}

func (p *warehouseCopy) syncEnvironment() []string {
	// All files are written below the warehouse's directory; none is moved there from elsewhere.
	return append(os.Environ(), "WORKSPACE_URL="+p.server.URL, "WORKSPACE_TOKEN="+p.space.AccessToken(), "TMPDIR=/nowhere")
}

// endedRun is the outcome of a run.
type endedRun struct {
	status syscall.WaitStatus
	said   string
}

func (e endedRun) succeeded() bool { return e.status.Exited() && e.status.ExitStatus() == 0 }

func (e endedRun) String() string {
	if e.status.Signaled() {
		return fmt.Sprintf("ended by %v and said:\n%s", e.status.Signal(), e.said)
	}
	return fmt.Sprintf("exit %d, and it said:\n%s", e.status.ExitStatus(), e.said)
}

// syncOnce runs without a fault other than those of its environment.
func (p *warehouseCopy) syncOnce(env ...string) endedRun {
	p.t.Helper()
	line := p.syncCommand(nil)
	c := exec.CommandContext(p.t.Context(), line[0], line[1:]...)
	c.Env = append(p.syncEnvironment(), env...)
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	return endedRun{c.ProcessState.Sys().(syscall.WaitStatus), string(out)}
}

// syncWatched runs a sync whose system calls are watched.
func (p *warehouseCopy) syncWatched(w diskfault.Watch, args ...string) endedRun {
	p.t.Helper()
	out, err := os.Create(string(p.dir) + ".out")
	if err != nil {
		p.t.Fatal(err)
	}
	w.Dir, w.Out, w.Env = string(p.dir), out, p.syncEnvironment()
	status, err := diskfault.Run(w, p.syncCommand(args)...)
	said, err2 := os.ReadFile(out.Name())
	err2 = errors.Join(err2, out.Close(), os.Remove(out.Name()))
	if errors.Is(err, diskfault.ErrUnsupported) {
		p.t.Skipf("%v: %s", err, said)
	}
	if err := errors.Join(err, err2); err != nil {
		p.t.Fatal(err)
	}
	return endedRun{status, string(said)}
}

// requireOracleData fails the test unless published file and lake equal the oracle.
func (p *warehouseCopy) requireOracleData() {
	p.t.Helper()
	if p.dir.Current() == "" {
		p.t.Fatal("nothing is published")
	}
	oracletest.CompareStreams(p.t, p.space, p.dir.Current(), "deleted_contacts", "calls")
	if consistent, err := lakecheck.Consistent(p.t.Context(), p.dir); err != nil || !consistent {
		p.t.Errorf("file and lake are of one moment: %t, %v", consistent, err)
	}
}

// requireReadable fails the test unless the file that readers have now is complete, and is one that was published.
func (p *warehouseCopy) requireReadable() {
	p.t.Helper()
	info, err := os.Lstat(p.dir.Link())
	if errors.Is(err, os.ErrNotExist) || err == nil && info.Mode().IsRegular() { // a backup that is not taken in yet
		return
	}
	file := p.dir.Current()
	if err := layout.CheckSum(file, layout.SumFile(file)); err != nil {
		p.t.Errorf("what readers find: %v", err)
	}
}

// requireRecovery runs without a fault. It fails the test unless all data is right then, and only damaged files may be left.
func (p *warehouseCopy) requireRecovery() {
	p.t.Helper()
	if e := p.syncOnce(); !e.succeeded() {
		p.t.Fatalf("the next run: %v", e)
	}
	p.requireOracleData()
	p.requireTidyCopy()
}

// requireTidyCopy fails the test if there are files that a run does not leave, except those that were set aside as damaged.
func (p *warehouseCopy) requireTidyCopy() {
	p.t.Helper()
	aside, err := filepath.Glob(filepath.Join(p.dir.State(), "damaged-*"))
	if err != nil || len(aside) > 1 {
		p.t.Errorf("set aside: %v, %v", aside, err)
	}
	for _, path := range aside {
		if err := os.RemoveAll(path); err != nil {
			p.t.Error(err)
		}
	}
	p.tidyAt(p.t, p.dir)
}

func (s *emulatedSite) tidyAt(t *testing.T, dir layout.Dir) {
	t.Helper()
	at := *s
	at.t, at.dir = t, dir
	at.requireTidyDir()
}
