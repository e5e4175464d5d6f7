package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestTheOtherArchitectureRunsTheDemo builds a release for the architecture that this machine is not, and runs its demo in QEMU's user mode.
// proot is between them, because the program starts processes of itself, which the kernel cannot.
func TestTheOtherArchitectureRunsTheDemo(t *testing.T) {
	t.Parallel()
	if os.Getenv("AQUEDUCK_LONG") == "" {
		t.Skip("it compiles everything for another architecture: make release-cross runs it")
	}
	arch := map[string]string{"amd64": "arm64", "arm64": "amd64"}[runtime.GOARCH]
	other, err := newTarget(arch, os.Environ())
	requireNoError(t, err)
	needTools(t, "proot")
	dir := t.TempDir()
	built, err := buildRelease(t.Context(), "../..", dir, releaseParts{arches: []string{arch}}, os.Environ())
	requireNoError(t, err)
	_, err = runCommand(t.Context(), dir, os.Environ(), "tar", "xzf", built[0], "--strip-components=1", "--no-same-owner")
	requireNoError(t, err)
	run := func(args ...string) string {
		t.Helper()
		line := append([]string{"-q", strings.Join(other.runner, " "), filepath.Join(dir, "bin/aqueduck")}, args...)
		said, err := runCommand(t.Context(), dir, append(os.Environ(), "WORKSPACE_URL=emulator", "EMULATOR_CONTACTS=300"), "proot", line...)
		requireNoError(t, err)
		return said
	}
	if said := run("version", "--json"); !strings.Contains(said, "lib/linux-"+arch+" v") {
		t.Errorf("the program for %s says\n%s", arch, said)
	}
	run("init", "--emulator")
	if said := run("sync", "nightly", "-q", "--dir", "demo"); !strings.HasPrefix(said, "OK nightly ") {
		t.Errorf("the run says %s", said)
	}
	questions, err := filepath.Glob("../../docs/queries/demo_*.sql")
	requireNoError(t, err)
	for _, question := range questions {
		text, err := os.ReadFile(question)
		requireNoError(t, err)
		if said := run("query", "--dir", "demo", "--", string(text)); strings.Count(said, "\n") < 5 {
			t.Errorf("%s is answered with\n%s", question, said)
		}
	}
	if len(questions) < 3 {
		t.Errorf("the demo has %d questions", len(questions))
	}
}
