package access_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"

	"aqueduck/load/access"
)

// Holds: S20.
func TestAudienceIsWhoCanReachTheFiles(t *testing.T) {
	t.Parallel()
	me, err := user.Current()
	must(t, err)
	mine, err := user.LookupGroupId(strconv.Itoa(os.Getegid()))
	must(t, err)
	for name, tt := range map[string]struct {
		above, mode fs.FileMode // of the directory above, and of the directory; 0: there is none yet
		readers     access.Readers
		all         bool
		group       string
		closed      bool // the directory above is named
	}{
		"everybody":                         {above: 0o755, mode: 0o755, all: true, group: mine.Name},
		"a group":                           {above: 0o755, mode: 0o750, group: mine.Name},
		"a group, as configured":            {above: 0o755, mode: 0o755, readers: access.Readers{Mode: 0o640}, group: mine.Name},
		"the owner":                         {above: 0o755, mode: 0o700},
		"nobody lists the directory above":  {above: 0o711, mode: 0o755, all: true, group: mine.Name},
		"closed above":                      {above: 0o700, mode: 0o755, closed: true},
		"closed above for others":           {above: 0o750, mode: 0o755, group: mine.Name, closed: true},
		"a new directory, as configured":    {above: 0o755, readers: access.Readers{Mode: 0o644, Group: mine.Gid}, all: true, group: mine.Name},
		"a new directory of a group's name": {above: 0o755, readers: access.Readers{Mode: 0o640, Group: mine.Name}, group: mine.Name},
		"a new directory for its owner":     {above: 0o755, readers: access.Readers{Mode: 0o600}},
	} {
		base := t.TempDir()
		must(t, errors.Join(os.Chmod(base, 0o755), os.Chmod(filepath.Dir(base), 0o755)))
		above := filepath.Join(base, "above")
		dir := filepath.Join(above, "data")
		must(t, os.Mkdir(above, 0o700))
		if tt.mode != 0 {
			must(t, os.Mkdir(dir, 0o700))
			must(t, os.Chmod(dir, tt.mode))
		}
		must(t, os.Chmod(above, tt.above))
		a, err := tt.readers.Audience(dir)
		must(t, err)
		if a.Owner != me.Username || a.All != tt.all || a.Group != tt.group || (a.Path == above) != tt.closed {
			t.Errorf("%s: %+v", name, a)
		}
	}
	if _, err := (access.Readers{Group: "no-such-group"}).Audience(t.TempDir()); !errors.Is(err, access.ErrNoGroup) {
		t.Errorf("an unknown group: %v", err)
	}
}

func TestFilesForAForeignGroupAreRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, os.Chmod(filepath.Dir(dir), 0o755))
	asNobody(t, dir, func() error {
		if err := (access.Readers{Group: "1"}).Set(dir); !errors.Is(err, access.ErrNotMember) {
			return fmt.Errorf("a directory for a group of others: %w", err)
		}
		if err := (access.Readers{Group: "1"}).Refused(dir); !errors.Is(err, access.ErrNotMember) {
			return fmt.Errorf("asked about it before: %w", err)
		}
		return (access.Readers{Group: strconv.Itoa(os.Getegid())}).Refused(dir)
	})
}

// TestGroupsDirectoryTakesNoFilesOfOtherUsers has a directory that is for a group alone.
func TestGroupsDirectoryTakesNoFilesOfOtherUsers(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can make a directory for a group that it then leaves")
	}
	dir := t.TempDir()
	must(t, os.Chmod(filepath.Dir(dir), 0o755))
	must(t, os.Chmod(dir, 0o750))
	asNobody(t, dir, func() error {
		if _, err := access.Of(dir); !errors.Is(err, access.ErrNotMember) {
			return fmt.Errorf("files that the group could not read: %w", err)
		}
		if err := os.Chmod(dir, 0o755); err != nil {
			return err
		}
		file := filepath.Join(dir, "file")
		if err := errors.Join(os.WriteFile(file, nil, 0o600), access.Share(dir, file, 0o444)); err != nil {
			return fmt.Errorf("where everybody may read: %w", err)
		}
		info, err := os.Stat(file)
		if err == nil && info.Mode().Perm() != 0o444 {
			err = fmt.Errorf("the file has mode %v", info.Mode())
		}
		return err
	})
}

// asNobody calls do in a thread of a user without groups, who owns the directory; of root alone such a thread can be made.
func asNobody(t *testing.T, dir string, do func() error) {
	t.Helper()
	const nobody = 65534
	ended := make(chan error)
	isRoot := os.Geteuid() == 0
	if isRoot {
		must(t, os.Chown(dir, nobody, -1))
	}
	go func() {
		runtime.LockOSThread() // the thread ends with this function
		for _, call := range [][4]uintptr{{syscall.SYS_SETGROUPS}, {syscall.SYS_SETRESGID, nobody, nobody, nobody}, {syscall.SYS_SETRESUID, nobody, nobody, nobody}} {
			if _, _, errno := syscall.RawSyscall(call[0], call[1], call[2], call[3]); errno != 0 && isRoot {
				ended <- errno
				return
			}
		}
		ended <- do()
	}()
	must(t, <-ended)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Holds: S20.
func TestSharedFilesAllowNoMoreThanTheirDirectory(t *testing.T) {
	t.Parallel()
	for dirMode, want := range map[fs.FileMode][3]fs.FileMode{ // of a file, of a directory, of one that is not listed
		0o755: {0o444, 0o755, 0o711},
		0o750: {0o440, 0o750, 0o710},
		0o711: {0o400, 0o711, 0o711},
		0o700: {0o400, 0o700, 0o700},
	} {
		dir := t.TempDir()
		must(t, os.Chmod(dir, dirMode))
		a, err := access.Of(dir)
		must(t, err)
		file, sub, state := filepath.Join(dir, "file"), filepath.Join(dir, "sub"), filepath.Join(dir, "state")
		must(t, os.WriteFile(file, nil, 0o600))
		must(t, errors.Join(a.Share(file, 0o444), a.MakeDir(sub, 0o755), a.MakeDir(state, 0o711)))
		for i, path := range []string{file, sub, state} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want[i] {
				t.Errorf("in a directory of mode %04o: %v, %v, want %04o", dirMode, info, err, want[i])
			}
		}
	}
}
