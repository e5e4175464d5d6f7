package runlog

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"aqueduck/internal/problem"
	"aqueduck/load/failure"
	"aqueduck/load/layout"
)

// TestAReaderWithoutTheRightIsNotToldThatNothingIsPublished: a user who may not enter the directory cannot see the link to the published file.
func TestAReaderWithoutTheRightIsNotToldThatNothingIsPublished(t *testing.T) {
	t.Parallel()
	dir := layout.Dir(filepath.Join(t.TempDir(), "data"))
	if _, err := dir.Make(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(string(dir), 0); err != nil {
		t.Fatal(err)
	}
	said := make(chan string)
	go func() {
		runtime.LockOSThread() // the thread ends with this function
		if os.Geteuid() == 0 {
			_, _ = unix.SetfsuidRetUid(65534) // root may enter every directory
		}
		said <- problem.AsProblem(ExplainUnreadable(dir, failure.ErrNothingPublished)).Text()
	}()
	if got := <-said; !strings.HasPrefix(got, "error[config] this user has no permission to open a file: open "+dir.Published()) {
		t.Error(got)
	}
	if err := os.Chmod(string(dir), 0o700); err != nil {
		t.Error(err)
	}
}

// TestADirectoryThatThisUserCannotMakeIsRefused asks as check does, before the first run: about a directory of root, and about one to make in it.
func TestADirectoryThatThisUserCannotMakeIsRefused(t *testing.T) {
	t.Parallel()
	dir := layout.Dir(t.TempDir())
	if err := errors.Join(os.Chmod(string(dir), 0o555), os.Chmod(filepath.Dir(string(dir)), 0o755)); err != nil {
		t.Fatal(err)
	}
	refused := make(chan [2]error)
	go func() {
		runtime.LockOSThread() // the thread ends with this function
		if os.Geteuid() == 0 {
			_, _ = unix.SetfsuidRetUid(65534) // root may write everywhere
		}
		refused <- [2]error{layout.Refused(dir), layout.Refused(dir + "/new/data")}
	}()
	for i, err := range <-refused {
		if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), string(dir)) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if err := layout.Refused(layout.Dir(t.TempDir()) + "/new/data"); err != nil {
		t.Error(err)
	}
}
