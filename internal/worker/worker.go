//go:build worker

package worker

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"aqueduck/internal/problem"
)

// Names that Temporal stores. Another program version must find them.
const (
	taskQueue    = "aqueduck"
	workflowName = "aqueduck-run"
	activityName = "aqueduck-sync"
)

const (
	// silence is how long a machine may be silent before another one takes its run. A run beats every five seconds.
	silence = 30 * time.Second
	// longest bounds one scheduled time with all its tries. What a run may take is the pipeline's max_time.
	longest = 7 * 24 * time.Hour
	// stopTime is how long runs may take to commit their batches when this worker ends.
	stopTime = 10 * time.Minute
)

// task is all that Temporal knows of a run: names alone.
type task struct {
	Workspace string    `json:"workspace"`
	At        time.Time `json:"at,omitzero"` // the scheduled time, without the jitter
}

// IsBuilt says that this program has the worker.
func IsBuilt() bool { return true }

// WorkFor runs workspaces for Temporal until the context ends, and then stops its runs as a signal does. First it makes the schedules in Temporal equal to those of
// the configuration, and pauses those of workspaces that it lacks. Without Temporal it does not begin; once it has begun it waits for a Temporal that is gone.
func WorkFor(ctx context.Context, s Setup) error {
	options, err := envconfig.LoadDefaultClientOptions()
	if err != nil {
		return &problem.Problem{Class: "config", What: "read the settings of Temporal", Err: err, Next: "correct the variables TEMPORAL_… or the file of TEMPORAL_CONFIG_FILE"}
	}
	options.HostPort, options.Logger = s.Address, log.NewStructuredLogger(s.Log)
	c, err := client.DialContext(ctx, options)
	if err != nil {
		return unreachable(s, "connect to Temporal", err)
	}
	defer c.Close()
	if err := s.placeSchedules(ctx, c); err != nil {
		return err
	}
	broken := make(chan error, 1)
	w := worker.New(c, taskQueue, worker.Options{
		MaxConcurrentActivityExecutionSize: s.Parallel, WorkerStopTimeout: stopTime, DisableRegistrationAliasing: true, MaxHeartbeatThrottleInterval: silence / 3,
		OnFatalError: func(err error) { broken <- err },
	})
	w.RegisterWorkflowWithOptions(runWorkspace, workflow.RegisterOptions{Name: workflowName})
	w.RegisterActivityWithOptions(s.syncWorkspace, activity.RegisterOptions{Name: activityName})
	if err := w.Start(); err != nil {
		return unreachable(s, "start the worker", err)
	}
	s.Log.Info("waiting for workspaces", "temporal", s.Address, "queue", taskQueue)
	select {
	case <-ctx.Done():
		w.Stop()
		s.Log.Info("stopped")
		return nil
	case err := <-broken:
		w.Stop()
		return unreachable(s, "work for Temporal", err)
	}
}

// unreachable is the problem of a worker without its server.
func unreachable(s Setup, doing string, err error) error {
	return &problem.Problem{Class: "transient", What: doing + " at " + s.Address, Err: err, Next: "check the address, TEMPORAL_NAMESPACE, the variables TEMPORAL_TLS_… and the server, then start the worker again"}
}

// runWorkspace is the workflow of one scheduled time.
func runWorkspace(ctx workflow.Context, t task) error {
	if at, ok := workflow.GetTypedSearchAttributes(ctx).GetTime(temporal.NewSearchAttributeKeyTime("TemporalScheduledStartTime")); ok {
		t.At = at
	}
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		ScheduleToCloseTimeout: longest, HeartbeatTimeout: silence, WaitForCancellation: true,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute, MaximumAttempts: maxTries},
	})
	return workflow.ExecuteActivity(ctx, activityName, t).Get(ctx, nil)
}

// syncWorkspace is the activity: it runs the pipelines of a workspace whose time it is, one after the other.
func (s Setup) syncWorkspace(ctx context.Context, t task) error {
	config, err := s.Config()
	if err != nil {
		return temporal.NewNonRetryableApplicationError("the configuration of this worker cannot be read: its log says why", "config", nil)
	}
	due := DuePipelines(config, t.Workspace, t.At)
	if len(due) == 0 {
		return temporal.NewNonRetryableApplicationError("no pipeline of this worker reads this workspace: delete its schedule, or start the worker with the file that has it", "config", nil)
	}
	run, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-activity.GetWorkerStopChannel(ctx):
			cancel()
		case <-run.Done():
		}
	}()
	var all []Outcome
	for _, pipeline := range due {
		if run.Err() == nil {
			all = append(all, s.Run(run, t.Workspace, pipeline, func() { activity.RecordHeartbeat(ctx) }))
		}
	}
	if ctx.Err() != nil { // cancelled by a person, or another worker has the run
		return ctx.Err()
	}
	return failureOf(DecidingOutcome(all), int(activity.GetInfo(ctx).Attempt))
}

// failureOf is what Temporal learns of an outcome: whether, and when, to try again. Texts of errors stay in the log of the run.
func failureOf(o Outcome, try int) error {
	if o.Exit == problem.ExitOK {
		return nil
	}
	pause, again := o.RetryPause(try)
	return temporal.NewApplicationErrorWithOptions(fmt.Sprintf("run %s ended with %d: aqueduck runs show says why", o.Run, o.Exit), o.Class,
		temporal.ApplicationErrorOptions{NonRetryable: !again, NextRetryDelay: pause})
}
