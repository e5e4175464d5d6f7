// Package sandbox runs a task of this program in a process of its own, within limits.
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

// Asked says whether this process was started to do a task: then Serve is all that it does.
func Asked() bool { return len(os.Args) == 2 && os.Args[1] == Argument }

// Program says how a process of this program is started. Its main, or TestMain, must begin by Asked.
type Program struct{ path, name string }

// Self is this program: on Linux the file that it was started from, also where another one has taken that file's place since.
func Self() (Program, error) {
	path, err := os.Executable()
	if err != nil {
		return Program{}, fmt.Errorf("find this program's own file: %w", err)
	}
	if _, err := os.Stat("/proc/self/exe"); runtime.GOOS == "linux" && err == nil {
		path = "/proc/self/exe"
	}
	return Program{path: path, name: os.Args[0]}, nil
}

// Died says that the process of a task ended before the task did.
type Died struct {
	State string // as the system tells it: signal: segmentation fault
	Words string // the first that it said, on one line
}

func (d *Died) Error() string {
	text := "its process ended: " + d.State
	if d.Words != "" {
		text += ": " + d.Words
	}
	return text
}

// OutOfMemory says whether it ended for want of memory.
func (d *Died) OutOfMemory() bool {
	for _, sign := range []string{"out of memory", "cannot allocate memory", "bad_alloc", "pthread_create failed", "failed to reserve", "failed to create new OS thread"} {
		if strings.Contains(d.Words, sign) {
			return true
		}
	}
	return false
}

// errNoProgram is a mistake of whoever built what asks.
var errNoProgram = errors.New("this program was not told how to start a process of its own")

// Run has a task done by a process of its own, and calls take for each message that it sends, whose payload is take's only until it
// returns. It ends with the task's error, with *Died, or with the first error of take. A context that ends kills the process, whatever
// it is at. The process has nothing of this one's environment but where libraries are.
func (p Program) Run(ctx context.Context, task string, limits Limits, request any, take func(kind byte, payload []byte) error) error {
	if p.path == "" {
		return errNoProgram
	}
	body, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("write what a process is asked: %w", err)
	}
	text, err := json.Marshal(order{Task: task, Limits: limits, Request: body})
	if err != nil {
		return fmt.Errorf("write what a process is asked: %w", err)
	}
	alive, kill := context.WithCancel(ctx)
	defer kill()
	c := exec.CommandContext(alive, p.path)
	c.Args = []string{p.name, Argument}
	c.Env = environment()
	var words tail
	c.Stdout, c.Stderr = &words, &words
	from, to, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make a pipe: %w", err)
	}
	defer from.Close()
	c.ExtraFiles = []*os.File{to}
	// It stays open as long as this process lives: its end is the end of the other.
	lifeline, err := c.StdinPipe()
	if err == nil {
		err = c.Start()
	}
	if err = errors.Join(err, to.Close()); err != nil {
		return fmt.Errorf("start a process: %w", err)
	}
	// One that cannot be asked has ended, and is told of as such.
	_, _ = lifeline.Write(append(binary.AppendUvarint(nil, uint64(len(text))), text...))
	ended, err := receive(from, take)
	if !ended {
		kill() // it is at something that nobody waits for
	}
	_ = lifeline.Close() // it ends by itself
	state := c.Wait()
	switch {
	case ended || err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return &Died{State: fmt.Sprint(cmp.Or(state, errors.New("exit status 0"))), Words: words.text()}
}

// environment is what a process of ours needs of this one's: neither token nor address.
func environment() (kept []string) {
	for _, name := range []string{"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"} {
		if value, ok := os.LookupEnv(name); ok {
			kept = append(kept, name+"="+value)
		}
	}
	return append(kept, "GOTRACEBACK=none")
}

// receive takes messages up to the last one, and says whether that came.
func receive(from io.Reader, take func(kind byte, payload []byte) error) (ended bool, err error) {
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

// tail keeps the first of what a process says, which tells what went wrong.
type tail struct{ kept bytes.Buffer }

func (t *tail) Write(text []byte) (int, error) {
	const most = 4 << 10
	t.kept.Write(text[:min(len(text), max(0, most-t.kept.Len()))])
	return len(text), nil
}

// text is its first line that says something.
func (t *tail) text() string {
	for line := range strings.Lines(strings.ToValidUTF8(t.kept.String(), "�")) {
		if line = strings.TrimSpace(line); line != "" {
			return strings.ToValidUTF8(line[:min(len(line), 300)], "")
		}
	}
	return ""
}
