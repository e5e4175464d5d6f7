package cli

import (
	"cmp"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"aqueduck/load/layout"
)

// TestStatusEndsWithOneWhenNobodyCanRead asks a warehouse without its published file, without the link to it, and one that has published nothing.
func TestStatusEndsWithOneWhenNobodyCanRead(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		spoil func(dir layout.Dir) error
		code  int
		says  string
	}{
		"nothing published": {func(layout.Dir) error { return nil }, 0, ""},
		"files are gone": {func(dir layout.Dir) error {
			return os.Symlink(filepath.Join(dir.Published(), "run1.duckdb"), dir.Link())
		}, 1, "no published file is left"},
		"link is missing": {func(dir layout.Dir) error {
			return os.WriteFile(filepath.Join(dir.Published(), "01M8GZDNVPJQREMDN9FKYKB6QB-01.duckdb"), nil, 0o644)
		}, 1, "the link "},
	} {
		home := t.TempDir()
		dir := layout.Dir(filepath.Join(home, "data"))
		file := filepath.Join(home, "pipelines.yaml")
		config := "version: 1\nwarehouse: {dir: " + string(dir) + "}\nworkspaces: {main: {base_url: emulator}}\npipelines: {nightly: {streams: [tags]}}\n"
		for _, err := range []error{os.MkdirAll(dir.State(), 0o755), os.MkdirAll(dir.Published(), 0o755), os.WriteFile(filepath.Join(dir.State(), "format"), []byte("5\n"), 0o644),
			os.WriteFile(file, []byte(config), 0o644), test.spoil(dir)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, each := range []string{"--workspaces=false", "--workspaces"} {
			a, stdout, stderr := inProcess("status", "--exit-code", "-f", file, each)
			if code := runCommand(t.Context(), a); code != test.code || !strings.Contains(stdout.String()+stderr.String(), test.says) {
				t.Errorf("%s, %s: code %d\n%s%s", name, each, code, stdout, stderr)
			}
		}
	}
}

// TestARefusedRunLeavesNoFileInTheDirectoryOfAnotherUser: the owner could not change what root leaves there, and no erasure could end.
func TestARefusedRunLeavesNoFileInTheDirectoryOfAnotherUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a directory to somebody else")
	}
	const other = 65533
	var posts atomic.Int32
	hook := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { posts.Add(1) }))
	defer hook.Close()
	home := t.TempDir()
	dir := layout.Dir(filepath.Join(home, "data"))
	file := filepath.Join(home, "pipelines.yaml")
	config := "version: 1\nwarehouse: {dir: " + string(dir) + "}\nworkspaces: {main: {base_url: emulator}}\npipelines: {nightly: {streams: [tags]}}\n" +
		"alerts: {ops: {webhook: \"" + hook.URL + "\"}}\n"
	_, err := dir.Make()
	for _, err := range []error{err, os.WriteFile(file, []byte(config), 0o600), filepath.WalkDir(string(dir), func(path string, _ fs.DirEntry, err error) error {
		return cmp.Or(err, os.Chown(path, other, other))
	})} {
		if err != nil {
			t.Fatal(err)
		}
	}
	a, stdout, stderr := inProcess("sync", "-f", file)
	if code := runCommand(t.Context(), a); code != 3 || !strings.Contains(stderr.String(), "belongs to another user (65533)") ||
		!strings.Contains(stderr.String(), "next: run it as that user: sudo -u 65533 aqueduck") {
		t.Errorf("code %d\n%s%s", code, stdout, stderr)
	}
	if posts.Load() != 1 {
		t.Errorf("%d alerts were sent, want 1", posts.Load())
	}
	err = filepath.WalkDir(string(dir), func(path string, e fs.DirEntry, err error) error {
		info, unknown := e.Info()
		if err == nil && unknown == nil && info.Sys().(*syscall.Stat_t).Uid != other {
			t.Errorf("%s belongs to user %d", path, info.Sys().(*syscall.Stat_t).Uid)
		}
		return cmp.Or(err, unknown)
	})
	if err != nil {
		t.Error(err)
	}
}
