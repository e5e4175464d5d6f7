//go:build worker

package worker

import (
	"context"
	"errors"
	"strings"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
)

// schedulePrefix begins the ids of all schedules of workers.
const schedulePrefix = "aqueduck/"

// pausedNote is the note of a schedule that a worker paused. One that a person paused has another.
const pausedNote = "paused by aqueduck: its workspace is not in pipelines.yaml, or has no schedule there"

// placeSchedules makes a schedule for each workspace, or gives an existing one the times of this configuration. A schedule that a person paused stays paused.
// One whose workspace is not there any more is paused, and goes on when the workspace comes back: another worker may still have the older file.
func (s Setup) placeSchedules(ctx context.Context, c client.Client) error {
	config, err := s.Config()
	if err != nil {
		return err
	}
	placed := map[string]bool{}
	for _, p := range ListPlaces(config) {
		wanted := scheduleOf(p, config.Warehouse.Timezone)
		placed[wanted.ID] = true
		_, err := c.ScheduleClient().Create(ctx, wanted)
		if errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
			err = c.ScheduleClient().GetHandle(ctx, wanted.ID).Update(ctx, client.ScheduleUpdateOptions{DoUpdate: func(in client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
				is := in.Description.Schedule
				is.Spec, is.Action, is.Policy.Overlap = &wanted.Spec, wanted.Action, wanted.Overlap
				if is.State.Paused && is.State.Note == pausedNote {
					is.State.Paused, is.State.Note = false, ""
					s.Log.Info("the workspace is back: its schedule goes on", "schedule", wanted.ID)
				}
				return &client.ScheduleUpdate{Schedule: &is}, nil
			}})
		}
		if err != nil {
			return unreachable(s, "write the schedule "+wanted.ID, err)
		}
	}
	return s.pauseOthers(ctx, c, placed)
}

// pauseOthers pauses the schedules of workers whose workspace is not placed.
func (s Setup) pauseOthers(ctx context.Context, c client.Client, placed map[string]bool) error {
	all, err := c.ScheduleClient().List(ctx, client.ScheduleListOptions{})
	if err != nil {
		return unreachable(s, "list the schedules", err)
	}
	for all.HasNext() {
		one, err := all.Next()
		if err != nil {
			return unreachable(s, "list the schedules", err)
		}
		if !strings.HasPrefix(one.ID, schedulePrefix) || one.WorkflowType.Name != workflowName || placed[one.ID] || one.Paused {
			continue
		}
		if err := c.ScheduleClient().GetHandle(ctx, one.ID).Pause(ctx, client.SchedulePauseOptions{Note: pausedNote}); err != nil {
			return unreachable(s, "pause the schedule "+one.ID, err)
		}
		s.Log.Warn("the schedule of a workspace that is not in the configuration is paused", "schedule", one.ID)
	}
	return nil
}

// scheduleOf is the schedule of a workspace. A time that comes while its run is under way is skipped, or waits where another pipeline might miss it.
func scheduleOf(p Place, zone string) client.ScheduleOptions {
	o := client.ScheduleOptions{
		ID:      schedulePrefix + p.Workspace,
		Spec:    client.ScheduleSpec{CronExpressions: p.Lines, TimeZoneName: zone, Jitter: p.Jitter},
		Action:  &client.ScheduleWorkflowAction{ID: schedulePrefix + p.Workspace, Workflow: workflowName, TaskQueue: taskQueue, Args: []any{task{Workspace: p.Workspace}}},
		Overlap: enums.SCHEDULE_OVERLAP_POLICY_SKIP,
	}
	if p.Queue {
		o.Overlap = enums.SCHEDULE_OVERLAP_POLICY_BUFFER_ONE
	}
	return o
}
