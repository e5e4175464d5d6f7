package verify

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/runner"
	"aqueduck/load/layout"
)

// TestTheDirectoryOfAnotherUserGetsNoListOfDifferences: a file of root would keep the owner from the differences that he has accepted.
func TestTheDirectoryOfAnotherUserGetsNoListOfDifferences(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a directory to somebody else")
	}
	r := &runner.Runner{Dir: layout.Dir(t.TempDir()), Now: time.Now}
	if _, err := r.Dir.Make(); err != nil {
		t.Fatal(err)
	}
	found := &Verification{Findings: []Finding{{ID: "9347b21ca5a7"}}}
	const other = 65533
	give := func(uid int) {
		t.Helper()
		err := filepath.WalkDir(string(r.Dir), func(path string, _ fs.DirEntry, err error) error { return cmp.Or(err, os.Chown(path, uid, uid)) })
		if err != nil {
			t.Fatal(err)
		}
	}
	give(other)
	if err := recallAccepted(r, found); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(verifyStatePath(r)); err == nil {
		t.Error("the list was written")
	}
	if err := Accept(r, []string{"9347b21ca5a7"}); err == nil || !strings.Contains(err.Error(), "belongs to another user") {
		t.Errorf("accept: %v", err)
	}
	give(os.Geteuid())
	if err := recallAccepted(r, found); err != nil {
		t.Error(err)
	}
	if n, err := readVerifyState(r); err != nil || len(n.Found) != 1 {
		t.Errorf("the owner's list: %+v, %v", n, err)
	}
}
