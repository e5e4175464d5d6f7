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

	"aqueduck/internal/sandbox"
	"aqueduck/tools/diskfault"

	"github.com/rogpeppe/go-internal/testscript"
)

// The tests of this package that end processes run the program itself: another one, built with crash points.
func TestMain(m *testing.M) {
	if sandbox.Asked() {
		os.Exit(sandbox.Serve(Tasks(programEnv())))
	}
	diskfault.Launch()
	if order := os.Getenv(analystVariable); order != "" {
		os.Exit(analyst(order))
	}
	testscript.Main(tidying{m}, commands) // commands are in script_test.go
}

// program does what the program does: the test binary under its name.
func program() {
	Harden()
	os.Exit(Run(programEnv()))
}

func programEnv() *Env {
	return &Env{Name: os.Args[0], Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Lookup: os.LookupEnv, Now: time.Now, Wait: Wait}
}

// tidying runs the tests and removes what they built.
type tidying struct{ *testing.M }

func (t tidying) Run() int {
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

// built builds the program, once however many tests ask.
var built = sync.OnceValues(func() (string, error) {
	path := filepath.Join(buildDir(), "aqueduck")
	build := exec.Command("go", "build", "-tags=duckdb_arrow,crashpoints", "-o", path, "../../cmd/aqueduck")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return path, nil
})

// process is a running program, with all that it has said.
type process struct {
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

// start starts the program; what it says on stdout and on stderr comes together.
func start(t *testing.T, path string, env []string, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(path, args...), started: time.Now(), ended: make(chan struct{}), news: make(chan struct{})}
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
	t.Cleanup(p.kill)
	return p
}

// Write takes in what the process says.
func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.news)
	p.news = make(chan struct{})
	return p.said.Write(b)
}

func (p *process) output() (string, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said.String(), p.news
}

func (p *process) says() string {
	text, _ := p.output()
	return text
}

// until waits until the process has said a text; it fails the test when the process ends without.
func (p *process) until(text string) {
	p.t.Helper()
	for {
		said, news := p.output()
		if strings.Contains(said, text) {
			return
		}
		select {
		case <-news:
		case <-p.ended:
			if !strings.Contains(p.says(), text) {
				p.t.Fatalf("the process ended (%v) and never said %q:\n%s", p.err, text, p.says())
			}
		}
	}
}

// tell gives the process a line to read.
func (p *process) tell(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

func (p *process) signal(s os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.t.Fatal(err)
	}
}

// kill ends the process, if it still runs, and waits until it has ended.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.ended
}

// killAfter kills the process at a time of its life, and says whether it still was alive then.
func (p *process) killAfter(delay time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), delay)
	defer cancel()
	select {
	case <-p.ended:
	case <-ctx.Done():
	}
	p.kill()
	return p.killed()
}

// killed says whether SIGKILL has ended the process.
func (p *process) killed() bool {
	<-p.ended
	return p.status().Signaled() && p.status().Signal() == syscall.SIGKILL
}

func (p *process) status() syscall.WaitStatus { return p.cmd.ProcessState.Sys().(syscall.WaitStatus) }

// exit waits for the end and gives the exit code as a shell does: 128 and the signal for one that a signal has ended.
func (p *process) exit() int {
	<-p.ended
	if p.status().Signaled() {
		return 128 + int(p.status().Signal())
	}
	return p.cmd.ProcessState.ExitCode()
}

// well waits for the end and fails the test when the process did not end well.
func (p *process) well() {
	p.t.Helper()
	if code := p.exit(); code != 0 {
		p.t.Fatalf("%s ended with %d:\n%s", strings.Join(p.cmd.Args[1:], " "), code, p.says())
	}
}
