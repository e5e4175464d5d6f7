// Package sandbox executes a task of this program in a separate process, within limits.
package sandbox

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// Argument is the only argument of a task process. No command has its name.
const Argument = "task-of-a-sandbox"

// IsTaskProcess reports whether this process was started to run a task. It must then call Serve and exit.
func IsTaskProcess() bool { return len(os.Args) == 2 && os.Args[1] == Argument }

// Program says how to start a task process. The program's main, or TestMain, must begin with IsTaskProcess.
type Program struct{ path, name string }

// CurrentProgram is this program. On Linux it is the file that was started, even if another file has replaced it since.
func CurrentProgram() (Program, error) {
	path, err := os.Executable()
	if err != nil {
		return Program{}, fmt.Errorf("find this program's own file: %w", err)
	}
	if _, err := os.Stat("/proc/self/exe"); runtime.GOOS == "linux" && err == nil {
		path = "/proc/self/exe"
	}
	return Program{path: path, name: os.Args[0]}, nil
}

// ProcessDied says that a task process ended before its task did.
type ProcessDied struct {
	State  string // as the system reports it, such as "signal: segmentation fault"
	Output string // first line of its output
}

func (d *ProcessDied) Error() string {
	text := "its process ended: " + d.State
	if d.Output != "" {
		text += ": " + d.Output
	}
	return text
}

// OutOfMemory reports whether the process ended because it could not allocate memory.
func (d *ProcessDied) OutOfMemory() bool {
	for _, sign := range []string{"out of memory", "cannot allocate memory", "bad_alloc", "pthread_create failed", "failed to reserve", "failed to create new OS thread"} {
		if strings.Contains(d.Output, sign) {
			return true
		}
	}
	return false
}

// errNoProgram is a mistake in the calling code: a zero Program.
var errNoProgram = errors.New("this program cannot start its subprocess: no command is configured")

// Run runs a task in a new process, and calls take for each message that it sends. The payload is valid until take returns. Run
// returns the task's error, a *ProcessDied, or the first error of take. When ctx ends it kills the process. The process inherits
// no environment variables but the library paths.
func (p Program) Run(ctx context.Context, task string, limits Limits, request any, take func(kind byte, payload []byte) error) error {
	w, err := p.startProcess(ctx, taskOrder{Task: task, Limits: limits}, request, minimalEnvironment(), nil)
	if err != nil {
		return err
	}
	return w.awaitEnd(ctx, take)
}

// DelegatedTask is a task for a process with this process's environment, without limits, and with some of its files.
type DelegatedTask struct {
	Task    string
	Request any
	Files   []*os.File                            // the task gets them by InheritedFile
	Take    func(kind byte, payload []byte) error // as of Run
	Stop    func() any                            // its result is sent to the task when ctx ends, which ends the task's context with *Stopped
}

// Delegate runs a task as Run does, but does not kill the process when ctx ends: it tells the task, and waits until it ends. It
// returns the task's error, or a *ProcessDied. The process never outlives this one.
func (p Program) Delegate(ctx context.Context, d DelegatedTask) error {
	w, err := p.startProcess(context.WithoutCancel(ctx), taskOrder{Task: d.Task}, d.Request, os.Environ(), d.Files)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() {
		// A write that fails means that the process has ended.
		if text, err := json.Marshal(d.Stop()); err == nil {
			_, _ = w.lifeline.Write(encodeMessage(text))
		}
	})()
	return w.awaitEnd(context.WithoutCancel(ctx), d.Take)
}

// taskProcess is a running task process.
type taskProcess struct {
	cmd      *exec.Cmd
	kill     func()
	lifeline io.WriteCloser // the process's standard input, open as long as this process lives: the task process exits at its end
	from     *os.File
	words    firstOutput
}

// startProcess starts a process and sends it the order. It is killed when ctx ends.
func (p Program) startProcess(ctx context.Context, o taskOrder, request any, environment []string, files []*os.File) (*taskProcess, error) {
	if p.path == "" {
		return nil, errNoProgram
	}
	var text []byte
	var err error
	if o.Request, err = json.Marshal(request); err == nil {
		text, err = json.Marshal(o)
	}
	if err != nil {
		return nil, fmt.Errorf("write the task of a subprocess: %w", err)
	}
	alive, kill := context.WithCancel(ctx)
	w := &taskProcess{cmd: exec.CommandContext(alive, p.path), kill: kill}
	w.cmd.Args, w.cmd.Env = []string{p.name, Argument}, environment
	w.cmd.Stdout, w.cmd.Stderr = &w.words, &w.words
	from, to, err := os.Pipe()
	if err != nil {
		kill()
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	w.from, w.cmd.ExtraFiles = from, append([]*os.File{to}, files...)
	if w.lifeline, err = w.cmd.StdinPipe(); err == nil {
		err = w.cmd.Start()
	}
	if err = errors.Join(err, to.Close()); err != nil {
		kill()
		return nil, errors.Join(fmt.Errorf("start a process: %w", err), from.Close())
	}
	// A write that fails means that the process has ended: awaitEnd reports it.
	_, _ = w.lifeline.Write(encodeMessage(text))
	return w, nil
}

// awaitEnd receives messages until the process has ended.
func (w *taskProcess) awaitEnd(ctx context.Context, take func(kind byte, payload []byte) error) error {
	defer w.kill()
	defer w.from.Close()
	ended, err := receiveMessages(w.from, take)
	if !ended {
		w.kill() // nobody waits for the rest
	}
	_ = w.lifeline.Close() // the process exits at the end of its input
	state := w.cmd.Wait()
	switch {
	case ended || err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return &ProcessDied{State: fmt.Sprint(cmp.Or(state, errors.New("exit status 0"))), Output: w.words.firstLine()}
}

// minimalEnvironment is the library paths of this process's environment: neither tokens nor addresses.
func minimalEnvironment() (kept []string) {
	for _, name := range []string{"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"} {
		if value, ok := os.LookupEnv(name); ok {
			kept = append(kept, name+"="+value)
		}
	}
	return append(kept, "GOTRACEBACK=none")
}

// receiveMessages receives messages, and reports whether the last one came.
func receiveMessages(from io.Reader, take func(kind byte, payload []byte) error) (ended bool, err error) {
	in := bufio.NewReaderSize(from, 64<<10)
	var payload []byte
	for {
		kind, err := in.ReadByte()
		if err != nil {
			return false, nil // the state of the process will say why
		}
		size, err := binary.ReadUvarint(in)
		if err != nil {
			return false, nil
		}
		if size > largest {
			return false, ErrTooLarge
		}
		if uint64(cap(payload)) < size {
			payload = make([]byte, size)
		}
		payload = payload[:size]
		if _, err := io.ReadFull(in, payload); err != nil {
			return false, nil
		}
		switch kind {
		case endKind:
			return true, nil
		case errorKind:
			return true, errors.New(string(payload))
		}
		if err := take(kind, payload); err != nil {
			return false, err
		}
	}
}

// firstOutput keeps the first 4 KiB of a process's output, which say what went wrong.
type firstOutput struct{ kept bytes.Buffer }

func (t *firstOutput) Write(text []byte) (int, error) {
	const most = 4 << 10
	t.kept.Write(text[:min(len(text), max(0, most-t.kept.Len()))])
	return len(text), nil
}

// firstLine is the first line that is not empty, at most 300 bytes.
func (t *firstOutput) firstLine() string {
	for line := range strings.Lines(strings.ToValidUTF8(t.kept.String(), "�")) {
		if line = strings.TrimSpace(line); line != "" {
			return strings.ToValidUTF8(line[:min(len(line), 300)], "")
		}
	}
	return ""
}
