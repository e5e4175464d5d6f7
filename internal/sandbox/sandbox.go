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

// Argument is the one argument of a process that is to do a task. No command has its name.
const Argument = "task-of-a-sandbox"

// IsTaskProcess says whether this process was started to do a task: then Serve is all that it does.
func IsTaskProcess() bool { return len(os.Args) == 2 && os.Args[1] == Argument }

// Program says how a process of this program is started. Its main, or TestMain, must begin by Asked.
type Program struct{ path, name string }

// CurrentProgram is this program: on Linux the file that it was started from, also where another one has taken that file's place since.
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

// ProcessDied says that the process of a task ended before the task did.
type ProcessDied struct {
	State  string // as the system tells it: signal: segmentation fault
	Output string // the first that it said, on one line
}

func (d *ProcessDied) Error() string {
	text := "its process ended: " + d.State
	if d.Output != "" {
		text += ": " + d.Output
	}
	return text
}

// OutOfMemory says whether it ended for want of memory.
func (d *ProcessDied) OutOfMemory() bool {
	for _, sign := range []string{"out of memory", "cannot allocate memory", "bad_alloc", "pthread_create failed", "failed to reserve", "failed to create new OS thread"} {
		if strings.Contains(d.Output, sign) {
			return true
		}
	}
	return false
}

// errNoProgram is a mistake of whoever built what asks.
var errNoProgram = errors.New("this program cannot start its subprocess: no command is configured")

// Run has a task done by a process of its own, and calls take for each message that it sends, whose payload is take's only until it
// returns. It ends with the task's error, with *Died, or with the first error of take. A context that ends kills the process, whatever
// it is at. The process has nothing of this one's environment but where libraries are.
func (p Program) Run(ctx context.Context, task string, limits Limits, request any, take func(kind byte, payload []byte) error) error {
	w, err := p.startProcess(ctx, taskOrder{Task: task, Limits: limits}, request, minimalEnvironment(), nil)
	if err != nil {
		return err
	}
	return w.awaitEnd(ctx, take)
}

// DelegatedTask is a task for a process that has what this one has: its environment, its room, and some of its files.
type DelegatedTask struct {
	Task    string
	Request any
	Files   []*os.File                            // Inherited gives them to the task
	Take    func(kind byte, payload []byte) error // as of Run
	Stop    func() any                            // what the task is told, as *Stopped, once the context has ended; it then ends by itself
}

// Delegate has a task done as Run does, by a process that is not killed when the context ends: it is told so, and waited for. It ends with
// the task's error, or with *Died. Its process never outlives this one.
func (p Program) Delegate(ctx context.Context, d DelegatedTask) error {
	w, err := p.startProcess(context.WithoutCancel(ctx), taskOrder{Task: d.Task}, d.Request, os.Environ(), d.Files)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() {
		// One that cannot be told has ended.
		if text, err := json.Marshal(d.Stop()); err == nil {
			_, _ = w.lifeline.Write(encodeMessage(text))
		}
	})()
	return w.awaitEnd(context.WithoutCancel(ctx), d.Take)
}

// taskProcess is a process that does a task.
type taskProcess struct {
	cmd      *exec.Cmd
	kill     func()
	lifeline io.WriteCloser // it stays open as long as this process lives: its end is the end of the other
	from     *os.File
	words    firstOutput
}

// startProcess starts a process and asks it. A context that ends kills it.
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
	// One that cannot be asked has ended, and is told of as such.
	_, _ = w.lifeline.Write(encodeMessage(text))
	return w, nil
}

// awaitEnd takes what the process sends until it has ended.
func (w *taskProcess) awaitEnd(ctx context.Context, take func(kind byte, payload []byte) error) error {
	defer w.kill()
	defer w.from.Close()
	ended, err := receiveMessages(w.from, take)
	if !ended {
		w.kill() // it is at something that nobody waits for
	}
	_ = w.lifeline.Close() // it ends by itself
	state := w.cmd.Wait()
	switch {
	case ended || err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return &ProcessDied{State: fmt.Sprint(cmp.Or(state, errors.New("exit status 0"))), Output: w.words.firstLine()}
}

// minimalEnvironment is what a process of ours needs of this one's: neither token nor address.
func minimalEnvironment() (kept []string) {
	for _, name := range []string{"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"} {
		if value, ok := os.LookupEnv(name); ok {
			kept = append(kept, name+"="+value)
		}
	}
	return append(kept, "GOTRACEBACK=none")
}

// receiveMessages takes messages up to the last one, and says whether that came.
func receiveMessages(from io.Reader, take func(kind byte, payload []byte) error) (ended bool, err error) {
	in := bufio.NewReaderSize(from, 64<<10)
	var payload []byte
	for {
		kind, err := in.ReadByte()
		if err != nil {
			return false, nil // what has become of the process says why
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

// firstOutput keeps the first of what a process says, which tells what went wrong.
type firstOutput struct{ kept bytes.Buffer }

func (t *firstOutput) Write(text []byte) (int, error) {
	const most = 4 << 10
	t.kept.Write(text[:min(len(text), max(0, most-t.kept.Len()))])
	return len(text), nil
}

// firstLine is its first line that says something.
func (t *firstOutput) firstLine() string {
	for line := range strings.Lines(strings.ToValidUTF8(t.kept.String(), "�")) {
		if line = strings.TrimSpace(line); line != "" {
			return strings.ToValidUTF8(line[:min(len(line), 300)], "")
		}
	}
	return ""
}
