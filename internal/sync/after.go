package sync

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"aqueduck/internal/config"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
)

// runAfter runs the commands of a pipeline's `after:` when the run has published changed data. The first command that fails is the last one, and
// stands in the report. Commands run without the warehouse's lock, and write to out. Their environment is this process's without tokens and alert
// addresses, plus AQUEDUCK_DATABASE, AQUEDUCK_PIPELINE and AQUEDUCK_RUN. The end of ctx ends them.
func runAfter(ctx context.Context, r *runner.Runner, p *config.Pipeline, report *runlog.Report, out io.Writer) {
	if !report.Published || report.TablesChanged == 0 || ctx.Err() != nil {
		return
	}
	for _, command := range p.After {
		r.Log.Info("running", "after", p.Name, "command", command)
		if err := afterCommand(ctx, r, p, report, command, out).Run(); err != nil {
			report.After = &problem.Problem{Class: "config", What: fmt.Sprintf("after the run, `%s` ended with: %v; the run itself is published", command, err),
				Next: "run the command by hand now, and correct it in pipelines." + p.Name + ".after: the next run starts it only if it publishes changed tables"}
			return
		}
	}
}

func afterCommand(ctx context.Context, r *runner.Runner, p *config.Pipeline, report *runlog.Report, text string, out io.Writer) *exec.Cmd {
	c := exec.CommandContext(ctx, "/bin/sh", "-c", text)
	c.Dir = p.Dir
	c.Stdout, c.Stderr = out, out
	database, err := filepath.Abs(r.Dir.Link())
	if err != nil {
		database = r.Dir.Link() // the command reports it if it cannot be found
	}
	c.Env = append(withoutSecrets(r, os.Environ()), "AQUEDUCK_DATABASE="+database, "AQUEDUCK_PIPELINE="+p.Name, "AQUEDUCK_RUN="+report.RunID)
	// A process group of its own, so that cancelling ends the processes that the shell started too.
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error {
		if err := syscall.Kill(-c.Process.Pid, syscall.SIGTERM); !errors.Is(err, syscall.ESRCH) {
			return err
		}
		return os.ErrProcessDone
	}
	c.WaitDelay = 10 * time.Second
	return c
}

// withoutSecrets returns an environment without the variables that hold tokens, alert addresses and the key of a worker.
func withoutSecrets(r *runner.Runner, environment []string) []string {
	secret := []string{"${TEMPORAL_API_KEY}"} // of a worker
	for _, w := range r.Config.Workspaces {
		secret = append(secret, w.Token)
	}
	for _, a := range r.Config.AlertConfigs {
		secret = append(secret, a.Ping, a.Webhook)
	}
	return slices.DeleteFunc(environment, func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains(secret, "${"+name+"}")
	})
}
