package problem

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	"aqueduck/load/failure"
	"aqueduck/load/layout"
)

func TestAPathIsNamedOnce(t *testing.T) {
	t.Parallel()
	_, open := os.ReadFile("/nonexistent/a.yaml")
	for what, want := range map[string]string{
		"write /nonexistent/a.yaml":   "write /nonexistent/a.yaml: no such file or directory",
		"write /x/nonexistent/a.yaml": "write /x/nonexistent/a.yaml: open /nonexistent/a.yaml: no such file or directory",
		"write the file":              "write the file: open /nonexistent/a.yaml: no such file or directory",
	} {
		if got := (&Problem{What: what, Err: open}).Error(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if got := FirstLine(fmt.Errorf("%s: %w", what, open)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestAProblemNamesTheVariableOfItsValue(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ class, what, want string }{
		{"config", "there is no file nix.yaml", "AQUEDUCK_FILE=nix.yaml (variable of --file): there is no file nix.yaml"},
		{"usage", `there is no file "nix.yaml"`, `AQUEDUCK_FILE=nix.yaml (variable of --file): there is no file "nix.yaml"`},
		{"data", "there is no file nix.yaml", "there is no file nix.yaml"},
		{"config", "there is no file conf/nix.yaml or nix.yaml2", "there is no file conf/nix.yaml or nix.yaml2"},
		{"config", "read AQUEDUCK_FILE: nix.yaml", "read AQUEDUCK_FILE: nix.yaml"},
	} {
		p := Problem{Class: tt.class, What: tt.what}
		if p.NameVariable("AQUEDUCK_FILE", "--file", "nix.yaml"); p.Error() != tt.want {
			t.Errorf("got %s, want %s", p.Error(), tt.want)
		}
	}
}

func TestADiskErrorNamesTheDiskFirst(t *testing.T) {
	t.Parallel()
	full := fmt.Errorf("%w in data: write work.duckdb: %w", failure.ErrDiskFull, syscall.ENOSPC)
	for name, tt := range map[string]struct {
		err  error
		want string
	}{
		"as it is":        {full, "the disk is full in data: write work.duckdb: no space left on device"},
		"below others":    {fmt.Errorf("stream contacts: the work database is closed: %w", full), "the disk is full in data: write work.duckdb: no space left on device (stream contacts: the work database is closed)"},
		"explained only":  {layout.Dir("data").Explain(fmt.Errorf("publish: %w", syscall.ENOSPC)), "the disk is full in data: publish: no space left on device"},
		"not begun":       {fmt.Errorf("publish: %w: it needs 64 MiB", failure.ErrNoRoom), "too little disk space: it needs 64 MiB (publish)"},
		"never explained": {fmt.Errorf("write the report: %w", syscall.ENOSPC), "the disk is full: write the report: no space left on device"},
	} {
		if p := AsProblem(tt.err); p.Class != "disk" || p.What != tt.want {
			t.Errorf("%s: %s: %s, want %s", name, p.Class, p.What, tt.want)
		}
	}
}
