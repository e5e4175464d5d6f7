package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"aqueduck/internal/mirror"
	"aqueduck/internal/sandbox"
	"aqueduck/tools/diskfault"

	"github.com/rogpeppe/go-internal/testscript"
)

// Tests of this package that kill processes use the program itself, built with crash points.
func TestMain(m *testing.M) {
	if sandbox.IsTaskProcess() {
		os.Exit(sandbox.Serve(Tasks(programEnv())))
	}
	diskfault.Launch()
	if order := os.Getenv(analystVariable); order != "" {
		os.Exit(analystMain(order))
	}
	testscript.Main(cleaningRunner{m}, commands) // commands are in script_test.go
}

// runAsProgram makes the test binary act as the program when it has its name.
func runAsProgram() {
	Harden()
	os.Exit(Run(programEnv()))
}

func programEnv() *Env {
	return &Env{Name: os.Args[0], Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Lookup: os.LookupEnv, Now: time.Now, Wait: Wait}
}

// cleaningRunner runs the tests and removes what they built.
type cleaningRunner struct{ *testing.M }

func (t cleaningRunner) Run() int {
	code := t.M.Run()
	if err := os.RemoveAll(buildDir()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	return code
}

func buildDir() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("aqueduck-under-test-%d", os.Getpid()))
}

// built builds the program once for all tests.
var built = sync.OnceValues(func() (string, error) {
	path := filepath.Join(buildDir(), "aqueduck")
	tags := "duckdb_arrow,crashpoints"
	if mirror.Missing("") == nil {
		tags += ",mirror"
	}
	build := exec.Command("go", "build", "-tags="+tags, "-o", path, "../../cmd/aqueduck")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return path, nil
})

// testProcess is a running program with its output.
type testProcess struct {
	t       *testing.T
	cmd     *exec.Cmd
	in      io.Writer
	started time.Time
	ended   chan struct{}
	err     error         // of Wait, once ended is closed
	age     time.Duration // how long it lived, once ended is closed

	mu   sync.Mutex // guards what follows
	said bytes.Buffer
	news chan struct{} // closed and replaced whenever more is said
}

// startProcess starts the program and joins its stdout and stderr.
func startProcess(t *testing.T, path string, env []string, args ...string) *testProcess {
	t.Helper()
	p := &testProcess{t: t, cmd: exec.Command(path, args...), started: time.Now(), ended: make(chan struct{}), news: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stdout, p.cmd.Stderr = p, p
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.in = in
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.err = p.cmd.Wait()
		p.age = time.Since(p.started)
		close(p.ended)
	}()
	t.Cleanup(p.killAndWait)
	return p
}

// Write stores output of the process.
func (p *testProcess) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.news)
	p.news = make(chan struct{})
	return p.said.Write(b)
}

func (p *testProcess) outputSoFar() (string, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said.String(), p.news
}

func (p *testProcess) outputText() string {
	text, _ := p.outputSoFar()
	return text
}

// longestWait limits the wait for a text: a reworded text must not block all tests.
const longestWait = 4 * time.Minute

// waitForText waits until the process has written a text. It fails the test if the process ends without it, or takes longer than longestWait.
func (p *testProcess) waitForText(text string) {
	p.t.Helper()
	late := time.After(longestWait)
	for {
		said, news := p.outputSoFar()
		if strings.Contains(said, text) {
			return
		}
		select {
		case <-news:
		case <-late:
			p.t.Fatalf("the process has not said %q in %s:\n%s", text, longestWait, p.outputText())
		case <-p.ended:
			if !strings.Contains(p.outputText(), text) {
				p.t.Fatalf("the process ended (%v) and never said %q:\n%s", p.err, text, p.outputText())
			}
		}
	}
}

// writeLine writes a line to the process's stdin.
func (p *testProcess) writeLine(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

func (p *testProcess) sendSignal(s os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.t.Fatal(err)
	}
}

// killAndWait kills the process if it still runs, and waits for its end.
func (p *testProcess) killAndWait() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.ended
}

// killAfter kills the process after a time, and reports whether it was still running then.
func (p *testProcess) killAfter(delay time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), delay)
	defer cancel()
	select {
	case <-p.ended:
	case <-ctx.Done():
	}
	p.killAndWait()
	return p.wasKilled()
}

// wasKilled reports whether SIGKILL has ended the process.
func (p *testProcess) wasKilled() bool {
	<-p.ended
	return p.waitStatus().Signaled() && p.waitStatus().Signal() == syscall.SIGKILL
}

func (p *testProcess) waitStatus() syscall.WaitStatus {
	return p.cmd.ProcessState.Sys().(syscall.WaitStatus)
}

// exitCode waits for the end and returns the exit code as a shell does: 128 plus the signal that ended the process.
func (p *testProcess) exitCode() int {
	<-p.ended
	if p.waitStatus().Signaled() {
		return 128 + int(p.waitStatus().Signal())
	}
	return p.cmd.ProcessState.ExitCode()
}

// requireSuccess waits for the end and fails the test unless the exit code is 0.
func (p *testProcess) requireSuccess() {
	p.t.Helper()
	if code := p.exitCode(); code != 0 {
		p.t.Fatalf("%s ended with %d:\n%s", strings.Join(p.cmd.Args[1:], " "), code, p.outputText())
	}
}
