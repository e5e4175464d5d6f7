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

// Task is something that a process can be asked to do. What it sends are messages of kinds of its own, from 2 on. Its context ends where it
// was delegated and is to end by itself: the cause is *Stopped.
type Task func(ctx context.Context, request json.RawMessage, answer *Answer) error

// Stopped is why the context of a task has ended.
type Stopped struct{ Told json.RawMessage } // what Delegated.Stop gave

func (*Stopped) Error() string { return "the parent process stops it" }

// firstFile is the descriptor of the first file that a process inherits.
const firstFile = 4

// InheritedFile gives a task one of the files of Delegated, counted from 0. What the task starts does not inherit it.
func InheritedFile(n int, name string) *os.File {
	syscall.CloseOnExec(firstFile + n)
	return os.NewFile(uintptr(firstFile+n), name)
}

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
	// They are taken, not ignored: what a task starts would inherit that.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	spent := make(chan os.Signal, 1)
	signal.Notify(spent, syscall.SIGXCPU) // Go lets it pass otherwise
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
			told, err := readMessage(in)
			if err != nil {
				os.Exit(1) // nobody is there to take an answer
			}
			stop(&Stopped{told})
		}
	}()
	const answers = firstFile - 1
	syscall.CloseOnExec(answers) // else what a task starts would keep whoever asked waiting
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
