package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"aqueduck/internal/emulator"
	"aqueduck/internal/oracletest"
	"aqueduck/load/layout"
)

// ownMounts is in the environment of a test that can mount filesystems which only it sees.
const ownMounts = "AQUEDUCK_OWN_MOUNTS"

// TestF5ASmallDiskLosesNothing runs in filesystems of twenty sizes from 8 to 255 MB: the run succeeds or reports a full
// disk, before it writes more than fits. With more space the next run has all data. It is a lane, because it reads 4,000 contacts forty times.
func TestF5ASmallDiskLosesNothing(t *testing.T) {
	if os.Getenv("AQUEDUCK_LONG") == "" {
		t.Skip("make large runs it")
	}
	if os.Getenv(ownMounts) == "" {
		inOwnMounts(t)
		return
	}
	s := newSite(t, 51)
	s.space = emulator.New(emulator.Config{Seed: 51, Contacts: 4000, Inactive: 40, Activities: 400})
	s.server.Config.Handler = s.space
	ends := map[string]int{}
	for i := range 20 {
		s.dir = layout.Dir(filepath.Join(s.home, "data"))
		size := 8 + 13*i
		if err := os.MkdirAll(string(s.dir), 0o755); err != nil {
			t.Fatal(err)
		}
		mountTmpfs(t, string(s.dir), size, 0)
		p := s.startSync()
		code, said := p.exitCode(), p.outputText()
		switch {
		case code == 0:
			ends["done"]++
		case code == 1 && strings.Contains(said, "too little disk space") && strings.Contains(said, "this step was not begun"):
			ends["refused before it wrote"]++
		case code == 1 && strings.Contains(said, "the disk is full"):
			ends["filled"]++
		default:
			t.Errorf("with %d MB: exit %d\n%s", size, code, said)
		}
		mountTmpfs(t, string(s.dir), 1024, syscall.MS_REMOUNT)
		s.startSync().requireSuccess()
		oracletest.CompareAll(t, s.space, s.dir.Current())
		if err := syscall.Unmount(string(s.dir), 0); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("20 sizes: %v", ends)
}

func mountTmpfs(t *testing.T, dir string, megabytes int, flags uintptr) {
	t.Helper()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", flags, fmt.Sprintf("size=%dm,mode=755", megabytes)); err != nil {
		t.Fatal(err)
	}
}

// inOwnMounts runs the test in a process with separate mounts.
func inOwnMounts(t *testing.T) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, "-test.run=^"+t.Name()+"$", "-test.v")
	c.Env = append(os.Environ(), ownMounts+"=1")
	c.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	out, err := c.CombinedOutput()
	if c.ProcessState == nil {
		t.Skipf("filesystems cannot be mounted here: %v", err)
	}
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}
