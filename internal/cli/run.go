package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	_ "time/tzdata" // schedules need time zones also on machines without them

	"aqueduck/extract"
	"aqueduck/internal/cli/usage"
	"aqueduck/internal/problem"
)

// Run executes the command line and returns the exit code. Results go to stdout, everything else to stderr.
func Run(env *Env) int {
	ctx, stop := signalContext(env)
	defer stop()
	return runCommand(ctx, env)
}

func runCommand(ctx context.Context, env *Env) int {
	width, _ := env.terminalSize(env.Stdout)
	env.written = &resultWriter{to: env.Stdout, width: width}
	env.Stdout = env.written
	root := newRoot(env)
	root.SetArgs(env.Args)
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	err := recoverPanic(func() error { return cmp.Or(root.ExecuteContext(ctx), env.misuse) })
	if lost := env.written.writeError(); err == nil && lost != nil && env.exit == problem.ExitOK {
		err = fmt.Errorf("write the result: %w", lost)
	}
	if err == nil {
		return env.exit
	}
	return printFailure(ctx, env, err)
}

// printFailure prints an error in the usual form and returns the exit code.
func printFailure(ctx context.Context, env *Env, err error) int {
	var misuse *usage.Error
	switch {
	case errors.As(err, &misuse) && env.machine.Load():
		env.jsonLog().Error(problem.Shorten(err.Error()), "class", "usage", "next", misuse.Command+" --help")
		return problem.ExitUsage
	case errors.As(err, &misuse):
		fmt.Fprintf(env.Stderr, "error[usage] %v\n     next: %s --help\n", err, misuse.Command)
		return problem.ExitUsage
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		env.printNotice("interrupted; committed data is intact, and the same command goes on from there")
		return interruptCode(ctx)
	}
	return env.printProblem(err).ExitCode()
}

// recoverPanic turns a panic of a command into its error.
func recoverPanic(do func() error) (err error) {
	defer extract.RecoverPanic(&err)
	return do()
}
