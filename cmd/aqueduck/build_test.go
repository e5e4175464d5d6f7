package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestGoBuildWithoutTheTagSaysWhatToDo(t *testing.T) {
	t.Parallel()
	build := exec.Command("go", "build", "-tags=", "-o", os.DevNull, ".")
	build.Env = append(os.Environ(), "GOFLAGS=")
	out, err := build.CombinedOutput()
	if want := "run `make build`, or first `export GOFLAGS=-tags=duckdb_arrow`"; err == nil || !strings.Contains(string(out), want) {
		t.Errorf("it ended with %v and said\n%s", err, out)
	}
	if lines := strings.Count(string(out), "\n"); lines > 2 {
		t.Errorf("it said more than that:\n%s", out)
	}
}
