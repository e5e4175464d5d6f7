package runlog

import (
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
