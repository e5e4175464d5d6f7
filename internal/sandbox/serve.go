package sandbox

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Task is a function that a task process can run. The kinds of its messages begin at 2. When Delegate's context ends, the task's
// context ends with the cause *Stopped, and the task must return soon.
type Task func(ctx context.Context, request json.RawMessage, answer *Answer) error

// Stopped is the cause for which a task's context ends.
type Stopped struct{ Message json.RawMessage } // the result of DelegatedTask.Stop

func (*Stopped) Error() string { return "the parent process stops it" }

// firstFile is the descriptor of the first file that a process inherits.
const firstFile = 4

// InheritedFile is file n, from 0, of DelegatedTask.Files. Processes that the task starts do not inherit it.
func InheritedFile(n int, name string) *os.File {
	syscall.CloseOnExec(firstFile + n)
	return os.NewFile(uintptr(firstFile+n), name)
}

// Answer sends a task's messages to the process that started it. Only one goroutine may use it.
type Answer struct{ out *bufio.Writer }

// Send sends a message; it may stay in a buffer until Flush.
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

// Flush sends the buffered messages.
func (a *Answer) Flush() error { return a.out.Flush() }

// Serve runs the task that this process was started for, and returns the exit code. It ignores the terminal's signals: they are
// for the starting process, which ends this one, and with which this one ends.
func Serve(tasks map[string]Task) int {
	// Received, not ignored: child processes would inherit an ignored signal.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	spent := make(chan os.Signal, 1)
	signal.Notify(spent, syscall.SIGXCPU) // Go ignores it otherwise
	go func() {
		<-spent
		fmt.Fprintln(os.Stderr, "its CPU time is used up")
		os.Exit(1)
	}()
	in := bufio.NewReader(os.Stdin)
	o, err := readOrder(in)
	if err == nil {
		err = o.Limits.applyLimits()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	go func() {
		for {
			text, err := readMessage(in)
			if err != nil {
				os.Exit(1) // the starting process has ended
			}
			stop(&Stopped{text})
		}
	}()
	const answers = firstFile - 1
	syscall.CloseOnExec(answers) // else a child process of the task would keep the pipe open
	answer := &Answer{bufio.NewWriterSize(os.NewFile(answers, "answer"), 64<<10)}
	do, ok := tasks[o.Task]
	if !ok {
		err = fmt.Errorf("no task is called %q", o.Task)
	} else {
		err = do(ctx, o.Request, answer)
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
