package apart

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"aqueduck/internal/config"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sandbox"
	"aqueduck/internal/sync"
	"aqueduck/internal/worker"
)

// TaskName is the name of the task that is a run.
const TaskName = "run"

// Kinds of the messages that a run sends.
const (
	learnedKind = 2
	beatKind    = 3
	outcomeKind = 4
)

// beatEvery is how often a run says that its process lives.
const beatEvery = 5 * time.Second

// Parent is what the parent gives a run and learns from it.
type Parent struct {
	Stdout, Stderr io.Writer                 // files, which the child uses
	Code           func(context.Context) int // the exit code to record for an interrupted run
	Beat           func()                    // called every few seconds while the child lives; nil: nobody wants to know
}

// Execute runs a pipeline once in a child process, so that a crash of DuckDB ends only that process. If the child crashed, this process records the
// outcome. When ctx ends the child stops as on a signal, and Execute waits for its end.
func Execute(ctx context.Context, r *runner.Runner, p *config.Pipeline, asked Request, parent Parent) (ended worker.Outcome, err error) {
	o := &asked.Options
	began := runlog.Running{Pipeline: p.Name, Started: r.Now(), At: r.Now(), Try: o.Try, Narrow: o.IsNarrow(), Part: o.IsPart(), Span: o.IsWindowed(), CaughtUp: o.CaughtUp, Emulated: r.IsEmulated()}
	err = func() (err error) {
		if o.RunID, err = r.NameRun(); err != nil {
			return err
		}
		began.Run = o.RunID
		stdout, isFile := parent.Stdout.(*os.File)
		stderr, areFiles := parent.Stderr.(*os.File)
		if !isFile || !areFiles {
			return errors.New("stdout or stderr is not a file that a subprocess can use")
		}
		return r.Program.Delegate(ctx, sandbox.DelegatedTask{
			Task: TaskName, Request: asked, Files: []*os.File{stdout, stderr},
			Take: func(kind byte, payload []byte) error { return takeMessage(r, parent, kind, payload, &ended) },
			Stop: func() any {
				return StopRequest{Cancelled: errors.Is(context.Cause(ctx), sync.ErrCancelled), Code: parent.Code(ctx)}
			},
		})
	}()
	if err == nil {
		return ended, nil
	}
	return worker.DiedOutcome(began.Run), sync.RecordDiedRun(ctx, r, p, began, err)
}

// takeMessage takes a message of a child process.
func takeMessage(r *runner.Runner, parent Parent, kind byte, payload []byte, ended *worker.Outcome) error {
	switch kind {
	case beatKind:
		if parent.Beat != nil {
			parent.Beat()
		}
	case outcomeKind:
		return json.Unmarshal(payload, ended)
	case learnedKind:
		var learned LearnedBudgets
		if err := json.Unmarshal(payload, &learned); err != nil {
			return fmt.Errorf("read the state of a run: %w", err)
		}
		learned.RestoreBudgets(r.Config)
	}
	return nil
}

// NewTask is the task of the child process. do runs what is asked and returns the exit code of its command.
func NewTask(do func(ctx context.Context, asked *Request) int) sandbox.Task {
	return func(ctx context.Context, request json.RawMessage, answer *sandbox.Answer) error {
		var asked Request
		if err := json.Unmarshal(request, &asked); err != nil {
			return fmt.Errorf("read the task of the run: %w", err)
		}
		exit := make(chan int, 1)
		go func() { exit <- do(ctx, &asked) }()
		beat := time.NewTicker(beatEvery)
		defer beat.Stop()
		for {
			select {
			case <-beat.C:
				if err := errors.Join(answer.Send(beatKind, nil), answer.Flush()); err != nil {
					return err
				}
			case code := <-exit:
				return asked.sendEnd(answer, code)
			}
		}
	}
}

// sendEnd sends what the parent learns at the end. The run of a workspace that did not begin has an outcome, too: that of its command.
func (asked *Request) sendEnd(answer *sandbox.Answer, exit int) error {
	if asked.Workspace == "" && exit != 0 {
		return fmt.Errorf("its process ended with %d", exit)
	}
	if exit != 0 && asked.Ended.Exit == 0 {
		asked.Ended.Exit = exit
	}
	learned, err := json.Marshal(asked.Budgets)
	if err != nil {
		return err
	}
	ended, err := json.Marshal(asked.Ended)
	return errors.Join(err, answer.Send(learnedKind, learned), answer.Send(outcomeKind, ended))
}
