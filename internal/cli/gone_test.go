package cli

import (
	"os"
	"path/filepath"
	"strings"
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
