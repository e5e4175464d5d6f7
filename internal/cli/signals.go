package cli

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"aqueduck/internal/problem"
)

// signalContext returns a context that the first SIGINT, SIGTERM or hangup of the terminal cancels. A second signal ends the program at once. If
// hangups were ignored at start-up, as with nohup, they stay ignored.
func signalContext(env *Env) (context.Context, func()) {
	got := &atomic.Int32{}
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), signalKey{}, got))
	notify := make(chan os.Signal, 2)
	signal.Notify(notify, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(notify, syscall.SIGHUP)
	}
	done := make(chan struct{})
	go func() {
		for {
			select {
			case s := <-notify:
				code := int32(problem.ExitInterrupted)
				switch {
				case s == syscall.SIGHUP && env.reloads.Load():
					continue
				case s == syscall.SIGHUP:
					code = problem.ExitHungUp
				case s == syscall.SIGTERM:
					code = problem.ExitTerminated
				}
				if !got.CompareAndSwap(0, code) {
					os.Exit(int(code))
				}
				env.printNotice("stopping; press Ctrl-C again to stop immediately")
				cancel()
			case <-done:
				return
			}
		}
	}()
	return ctx, func() { signal.Stop(notify); close(done); cancel() }
}

type signalKey struct{}

// interruptCode returns 129, 130 or 143, for the signal that cancelled the context.
func interruptCode(ctx context.Context) int {
	if got, ok := ctx.Value(signalKey{}).(*atomic.Int32); ok && got.Load() != 0 {
		return int(got.Load())
	}
	return problem.ExitInterrupted
}
