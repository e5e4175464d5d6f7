package working

import (
	"context"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"aqueduck/internal/cli/usage"
	"aqueduck/internal/config"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
	"aqueduck/internal/worker"
)

// Host is what the command gets from the program.
type Host struct {
	Asked func() bool                     // this process is to do one run
	One   func(ctx context.Context) error // does it
	Log   func() *slog.Logger
	Load  func(workspace string) (*runner.Runner, error) // reads the configuration, with a value for AQUEDUCK_WORKSPACE
	Check func(*runner.Runner) error                     // refuses one whose workspaces cannot be connected to
	Run   func(ctx context.Context, r *runner.Runner, p *config.Pipeline, o runner.Options, beat func()) worker.Outcome
}

// NewCommand returns the command worker.
func NewCommand(h Host) *cobra.Command {
	var address string
	var parallel int
	c := &cobra.Command{
		Use:   "worker",
		Short: "Run workspaces for Temporal, on any number of machines",
		Long: `Run workspaces when Temporal says so. Each workspace of pipelines.yaml has a schedule "aqueduck/WORKSPACE" there, with the times of its
pipelines; the worker makes and updates it at its start. One worker at a time has a workspace. If it dies, another one goes on.

Each workspace needs a directory of its own, and with several machines a place of its own in an object store:
warehouse: {dir: "data/${AQUEDUCK_WORKSPACE}", remote: "s3://bucket/${AQUEDUCK_WORKSPACE}"}

SIGTERM and Ctrl-C stop the runs as they stop sync; another worker goes on with them. Namespace, TLS and keys come from the
variables of Temporal's own tools: TEMPORAL_NAMESPACE, TEMPORAL_API_KEY, TEMPORAL_TLS_… See docs/worker.md.

"make build-worker" makes a program that has the worker, "make build-full" one that has the Iceberg mirror, too. Any other reads the
flags and pipelines.yaml, and then ends with exit code 3; "aqueduck version" says what a program has.`,
		Example: `  aqueduck worker --temporal temporal.example.com:7233
  aqueduck worker --temporal 127.0.0.1:7233 --parallel 4 --log-format json`,
		Args: usage.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case h.Asked():
				return h.One(c.Context())
			case address == "":
				return usage.Errorf(c, "--temporal ADDRESS is missing")
			}
			if err := usage.RefuseBelow(c, 1, "parallel"); err != nil {
				return err
			}
			return work(c.Context(), h, address, parallel)
		},
	}
	c.Flags().StringVar(&address, "temporal", "", "address of Temporal, e.g. 127.0.0.1:7233")
	c.Flags().IntVar(&parallel, "parallel", 2, "workspaces that this worker runs at the same time; each needs some 500 MB of memory")
	return c
}

// work checks the configuration and runs workspaces until the context ends.
func work(ctx context.Context, h Host, address string, parallel int) error {
	log := h.Log()
	r, err := checkSetup(h)
	if err != nil {
		return err
	}
	if r.Config.Warehouse.Remote == "" && worker.IsBuilt() {
		log.Warn("warehouse.remote is not set: every worker has its own data of a workspace")
	}
	return worker.WorkFor(ctx, worker.Setup{
		Address: address, Parallel: parallel, Log: log,
		Config: func() (*config.Config, error) {
			r, err := h.Load(anyWorkspace)
			if err != nil {
				log.Error("the configuration cannot be read", "error", problem.AsProblem(err))
				return nil, err
			}
			return r.Config, nil
		},
		Run: func(ctx context.Context, workspace, pipeline string, beat func()) worker.Outcome {
			failed := func(err error) worker.Outcome {
				p := problem.AsProblem(err)
				log.Error("a run could not begin", "workspace", workspace, "pipeline", pipeline, "error", p, "next", p.Next)
				return worker.Outcome{Exit: p.ExitCode(), Class: p.Class}
			}
			r, err := h.Load(workspace)
			if err != nil {
				return failed(err)
			}
			o := runner.Options{Workspaces: []string{workspace}, Wait: time.Minute}
			some, err := r.ChoosePipelines([]string{pipeline}, o)
			if err != nil {
				return failed(err)
			}
			return h.Run(ctx, r, some[0], o, beat)
		},
	})
}

// anyWorkspace stands for a workspace where it does not matter which.
const anyWorkspace = "workspace"

// checkSetup reads the configuration, and refuses one that a worker cannot use.
func checkSetup(h Host) (*runner.Runner, error) {
	r, err := h.Load(anyWorkspace)
	if err != nil {
		return nil, err
	}
	places := worker.ListPlaces(r.Config)
	if len(places) == 0 {
		return nil, &problem.Problem{Class: "config", What: "no pipeline of " + r.Config.File + " has a schedule", Next: `give a pipeline one, e.g. schedule: "0 2 * * *"`}
	}
	if w := r.Config.Warehouse; w.Mirror.Location != "" && w.Mirror.Catalog == "" {
		return nil, &problem.Problem{Class: "config", What: "warehouse.mirror.catalog is not set: every worker would have a catalog of its own, and engines would see old tables in all but one",
			Next: "set it to postgres://HOST:PORT/DATABASE or rest:https://HOST/PATH, for all workers the same"}
	}
	if err := h.Check(r); err != nil {
		return nil, err
	}
	if len(places) == 1 {
		return r, nil
	}
	other, err := h.Load(places[0].Workspace)
	if err != nil {
		return nil, err
	}
	if other.Dir == r.Dir || other.Config.Warehouse.Remote == r.Config.Warehouse.Remote && r.Config.Warehouse.Remote != "" {
		return nil, &problem.Problem{Class: "config", What: "the workspaces share one warehouse.dir or one warehouse.remote, so that their runs would wait for each other",
			Next: `write warehouse: {dir: "data/${AQUEDUCK_WORKSPACE}", remote: "s3://bucket/${AQUEDUCK_WORKSPACE}"}, and omit --dir`}
	}
	return r, nil
}
