package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// inDirectory is a directory with a configuration.
func inDirectory(t *testing.T, config string) string {
	t.Helper()
	home := room(t)
	if err := os.WriteFile(filepath.Join(home, "pipelines.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return home
}

func TestEmulatePrintsACommandThatWorks(t *testing.T) {
	t.Parallel()
	p := start(t, "aqueduck", nil, "emulate", "--port", "0", "--contacts", "60", "--token", "it's-a-token")
	p.until(" sync --dir emulated\n")
	if !strings.Contains(p.says(), "\ntoken: it's-a-token\n") {
		t.Errorf("it does not say the token:\n%s", p.says())
	}
	_, try, _ := strings.Cut(p.says(), "try it:\n")
	var stdout, stderr bytes.Buffer
	sync := exec.Command("sh", "-c", try)
	sync.Dir, sync.Stdout, sync.Stderr = inDirectory(t, scripted), &stdout, &stderr
	if err := sync.Run(); err != nil || !strings.Contains(stdout.String(), "\nOK nightly ok=4 ") {
		t.Errorf("%s\nended with %v:\n%s%s", try, err, &stdout, &stderr)
	}
	p.signal(syscall.SIGTERM)
	if code := p.exit(); code != 0 {
		t.Errorf("it ended with %d:\n%s", code, p.says())
	}
}

func TestEmulateSaysThatAPortIsTaken(t *testing.T) {
	t.Parallel()
	p := start(t, "aqueduck", nil, "emulate", "--port", "0", "--contacts", "60")
	p.until("serving an emulated workspace on http://127.0.0.1:")
	_, port, _ := strings.Cut(p.says(), "http://127.0.0.1:")
	port, _, _ = strings.Cut(port, "\n")
	other := start(t, "aqueduck", nil, "emulate", "--port", port, "--contacts", "60")
	if code := other.exit(); code != 1 || !strings.Contains(other.says(), "error[config] port "+port+" cannot be served: ") ||
		!strings.Contains(other.says(), "next: choose another one; --port 0 takes any that is free") {
		t.Errorf("it ended with %d:\n%s", code, other.says())
	}
}
