package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync/atomic"

	"aqueduck/internal/cli/apart"
	"aqueduck/internal/config"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sandbox"
	"aqueduck/internal/sync"
	"aqueduck/internal/worker"
)

// runApart runs a pipeline once in a child process.
func runApart(ctx context.Context, env *Env, r *runner.Runner, p *config.Pipeline, o runner.Options) {
	env.execute(ctx, r, p, apart.Request{Options: o}, nil)
}

// execute runs a pipeline once in a child process, which has the command line of this one.
func (env *Env) execute(ctx context.Context, r *runner.Runner, p *config.Pipeline, asked apart.Request, beat func()) worker.Outcome {
	asked.Name, asked.Args, asked.Texts, asked.Pipeline, asked.Budgets = env.Name, env.Args, r.Config.Texts, p.Name, apart.BudgetsOf(r.Config)
	ended, err := apart.Execute(ctx, r, p, asked, apart.Parent{Stdout: env.written.to, Stderr: env.Stderr, Code: interruptCode, Beat: beat})
	if err != nil {
		env.printProblem(err)
	}
	return ended
}

// Tasks are the tasks that this program does in child processes: SQL that users wrote, and runs. The Env is that of the child.
func Tasks(env *Env) map[string]sandbox.Task {
	tasks := sync.Tasks()
	tasks[apart.TaskName] = apart.NewTask(env.runAsked)
	return tasks
}

// runAsked executes one run for a parent process, and obeys its stop request.
func (env *Env) runAsked(ctx context.Context, asked *apart.Request) int {
	env.Name, env.Args, env.asked = asked.Name, asked.Args, asked
	env.Lookup = forWorkspace(env.Lookup, asked.Workspace)
	env.Stdin, env.Stdout, env.Stderr = emptyStdin{}, sandbox.InheritedFile(0, "stdout"), sandbox.InheritedFile(1, "stderr")
	code := &atomic.Int32{}
	run, cancel := context.WithCancelCause(context.WithValue(context.WithoutCancel(ctx), signalKey{}, code))
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() {
		var why apart.StopRequest
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
	return runCommand(run, env)
}

// runOne runs the requested pipeline once.
func runOne(ctx context.Context, env *Env) error {
	setup, err := newRunner(env)
	if err != nil {
		return err
	}
	p, ok := setup.Config.Pipeline(env.asked.Pipeline)
	if !ok {
		return setup.Config.NoPipelineError(env.asked.Pipeline)
	}
	if some := env.asked.Options.Workspaces; len(some) > 0 {
		p = p.Narrow(setup.Config, some)
	}
	setup.Alerts = sync.NewSender(setup, setup.Config.Lookup)
	setup.Ended = func(past runlog.PastRun, report *runlog.Report) { env.asked.Ended = worker.OutcomeOf(&past, report) }
	env.asked.Budgets.RestoreBudgets(setup.Config)
	runServed(ctx, env, setup, p, env.asked.Options)
	env.asked.Budgets = apart.BudgetsOf(setup.Config)
	return nil
}

// emptyStdin is a stdin without input.
type emptyStdin struct{}

func (emptyStdin) Read([]byte) (int, error) { return 0, io.EOF }
