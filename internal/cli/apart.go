package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"aqueduck/internal/config"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sandbox"
	"aqueduck/internal/sync"
)

// runTask is the name of the task that is a run, and learnedKind the kind of the message that it sends.
const (
	runTask     = "run"
	learnedKind = 2
)

// runApart runs a pipeline once in a child process, so that a crash of DuckDB ends only that process. If the child crashed, this process
// records the outcome.
func runApart(ctx context.Context, env *Env, r *runner.Runner, p *config.Pipeline, o runner.Options) {
	began := runlog.Running{Pipeline: p.Name, Started: r.Now(), At: r.Now(), Try: o.Try, Narrow: o.IsNarrow(), CaughtUp: o.CaughtUp}
	err := func() (err error) {
		if o.RunID, err = r.NameRun(); err != nil {
			return err
		}
		began.Run = o.RunID
		stdout, isFile := env.written.to.(*os.File)
		stderr, areFiles := env.Stderr.(*os.File)
		if !isFile || !areFiles {
			return errors.New("stdout or stderr is not a file that a subprocess can use")
		}
		return r.Program.Delegate(ctx, sandbox.DelegatedTask{
			Task: runTask, Request: oneRun{env.Name, env.Args, r.Config.Texts, p.Name, o, budgetsOf(r.Config)}, Files: []*os.File{stdout, stderr},
			Take: func(_ byte, payload []byte) error {
				var learned learnedBudgets
				if err := json.Unmarshal(payload, &learned); err != nil {
					return fmt.Errorf("read the state of a run: %w", err)
				}
				learned.restoreBudgets(r.Config)
				return nil
			},
			Stop: func() any {
				return stopRequest{Cancelled: errors.Is(context.Cause(ctx), sync.ErrCancelled), Code: interruptCode(ctx)}
			},
		})
	}()
	if err == nil {
		return
	}
	if err := sync.RecordDiedRun(ctx, r, p, began, err); err != nil {
		env.printProblem(err)
	}
}

// Tasks are the tasks that this program does in child processes: SQL that users wrote, and the runs of `serve`. The Env is that of the child.
func Tasks(env *Env) map[string]sandbox.Task {
	tasks := sync.Tasks()
	tasks[runTask] = func(ctx context.Context, request json.RawMessage, answer *sandbox.Answer) error {
		if err := env.runAsked(ctx, request); err != nil {
			return err
		}
		learned, err := json.Marshal(env.asked.Budgets)
		if err != nil {
			return err
		}
		return answer.Send(learnedKind, learned)
	}
	return tasks
}

// runAsked executes one run for a parent process that runs `serve`, and obeys its stop request.
func (env *Env) runAsked(ctx context.Context, request json.RawMessage) error {
	var asked oneRun
	if err := json.Unmarshal(request, &asked); err != nil {
		return fmt.Errorf("read the task of the run: %w", err)
	}
	env.Name, env.Args, env.asked = asked.Name, asked.Args, &asked
	env.Stdin, env.Stdout, env.Stderr = emptyStdin{}, sandbox.InheritedFile(0, "stdout"), sandbox.InheritedFile(1, "stderr")
	code := &atomic.Int32{}
	run, cancel := context.WithCancelCause(context.WithValue(context.WithoutCancel(ctx), signalKey{}, code))
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() {
		var why stopRequest
		var told *sandbox.Stopped
		if errors.As(context.Cause(ctx), &told) {
			_ = json.Unmarshal(told.Message, &why) // a malformed stop request stops the run too
		}
		if why.Cancelled {
			cancel(sync.ErrCancelled)
			return
		}
		code.Store(int32(why.Code))
		cancel(nil)
	})()
	if exit := runCommand(run, env); exit != problem.ExitOK {
		return fmt.Errorf("its process ended with %d", exit)
	}
	return nil
}

// serveOne runs the requested pipeline as `serve` does.
func serveOne(ctx context.Context, env *Env) error {
	setup, err := newRunner(env)
	if err != nil {
		return err
	}
	p, ok := setup.Config.Pipeline(env.asked.Pipeline)
	if !ok {
		return setup.Config.NoPipelineError(env.asked.Pipeline)
	}
	setup.Alerts = sync.NewSender(setup, setup.Config.Lookup)
	env.asked.Budgets.restoreBudgets(setup.Config)
	runServed(ctx, env, setup, p, env.asked.Options)
	env.asked.Budgets = budgetsOf(setup.Config)
	return nil
}

// emptyStdin is a stdin without input.
type emptyStdin struct{}

func (emptyStdin) Read([]byte) (int, error) { return 0, io.EOF }
