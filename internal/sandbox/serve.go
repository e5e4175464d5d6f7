package sandbox

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Kinds of messages that are not a task's own.
const (
	endKind   = 0
	errorKind = 1
)

// Task is something that a process can be asked to do. What it sends are messages of kinds of its own, from 2 on.
type Task func(ctx context.Context, request json.RawMessage, answer *Answer) error

// Answer is what a task sends to whoever asked.
type Answer struct{ out *bufio.Writer }

// Send sends a message, soon.
func (a *Answer) Send(kind byte, payload []byte) error {
	if len(payload) > largest {
		return ErrTooLarge
	}
	var head [1 + binary.MaxVarintLen64]byte
	head[0] = kind
	n := binary.PutUvarint(head[1:], uint64(len(payload)))
	if _, err := a.out.Write(head[:1+n]); err != nil {
		return err
	}
	_, err := a.out.Write(payload)
	return err
}

// Flush sends at once what was to be sent soon.
func (a *Answer) Flush() error { return a.out.Flush() }

// Serve does the one task that this process was started for, and gives its exit code. Signals of a terminal are for whoever asked: it
// ends this process, as does its own end.
func Serve(tasks map[string]Task) int {
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	spent := make(chan os.Signal, 1)
	signal.Notify(spent, syscall.SIGXCPU) // Go lets it pass otherwise
	go func() {
		<-spent
		fmt.Fprintln(os.Stderr, "its CPU time is used up")
		os.Exit(1)
	}()
	in := bufio.NewReader(os.Stdin)
	o, err := read(in)
	if err == nil {
		err = o.Limits.hold()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	go func() {
		_, _ = io.Copy(io.Discard, in)
		os.Exit(1) // nobody is there to take an answer
	}()
	answer := &Answer{bufio.NewWriterSize(os.NewFile(3, "answer"), 64<<10)}
	do, ok := tasks[o.Task]
	if !ok {
		err = fmt.Errorf("no task is called %q", o.Task)
	} else {
		err = do(context.Background(), o.Request, answer)
	}
	if err != nil {
		err = answer.Send(errorKind, []byte(err.Error()))
	} else {
		err = answer.Send(endKind, nil)
	}
	if err := errors.Join(err, answer.Flush()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func read(in *bufio.Reader) (o order, err error) {
	size, err := binary.ReadUvarint(in)
	if err != nil || size > largest {
		return o, fmt.Errorf("read what to do: %w", err)
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(in, text); err != nil {
		return o, fmt.Errorf("read what to do: %w", err)
	}
	if err := json.Unmarshal(text, &o); err != nil {
		return o, fmt.Errorf("read what to do: %w", err)
	}
	return o, nil
}

// hold puts this process under limits. That of memory it cannot raise.
func (l Limits) hold() error {
	if l.Memory > 0 {
		if err := limit(syscall.RLIMIT_DATA, uint64(l.Memory), true); err != nil {
			return fmt.Errorf("limit the memory: %w", err)
		}
	}
	if l.CPU > 0 {
		if err := limit(syscall.RLIMIT_CPU, uint64(l.CPU.Seconds())+1, false); err != nil {
			return fmt.Errorf("limit the CPU time: %w", err)
		}
	}
	return nil
}

// LiftCPU ends the limit of CPU time: what is left to do takes as long as whoever asked takes the answer.
func LiftCPU() error {
	if err := limit(syscall.RLIMIT_CPU, ^uint64(0), false); err != nil {
		return fmt.Errorf("lift the limit of CPU time: %w", err)
	}
	return nil
}

// limit sets a limit, or leaves it where it is lower already; a hard one cannot be lifted again.
func limit(resource int, most uint64, hard bool) error {
	var now syscall.Rlimit
	if err := syscall.Getrlimit(resource, &now); err != nil {
		return err
	}
	now.Cur = min(now.Max, most)
	if hard {
		now.Max = now.Cur
	}
	return syscall.Setrlimit(resource, &now)
}
