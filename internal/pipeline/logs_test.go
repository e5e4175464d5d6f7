package pipeline_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/lane"
	"aqueduck/internal/plan"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync"
)

// withStreams is the nightly pipeline with more streams.
func withStreams(streams string) string {
	return strings.Replace(nightly, "contact_activities]", "contact_activities, "+streams+"]", 1)
}

// syncAtRandom runs the pipeline as operators do: cut short, interrupted between two requests, or to its end. It must not fail.
func (b *testBed) syncAtRandom(l *workspaceLife, n int) {
	b.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	last, count := l.rollDice(30), 0
	b.space.RunBetween(func(int) {
		if count++; count == last && n%2 == 0 {
			cancel()
		}
	})
	var o runner.Options
	if n%3 == 1 {
		o.MaxRequests = int64(2 + l.rollDice(25))
	}
	report, err := sync.Sync(ctx, b.runner, b.runner.Config.Pipelines[0], o)
	if err != nil && ctx.Err() == nil || err == nil && report.Exit() == problem.ExitFailed {
		b.t.Fatalf("run %d: %v\n%+v", n, err, report)
	}
	b.space.RunBetween(nil)
}

// TestT84ActivityLogsEqualTheOracle reads the log of a changing workspace, through runs that are cut and interrupted between any two answers. One
// hour has 10,000 entries.
func TestT84ActivityLogsEqualTheOracle(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	for _, temper := range []struct {
		name  string
		many  int
		knobs emulator.Knobs
	}{
		{"250 an answer", 10_000, emulator.Knobs{}},
		{"20 an answer, bounds outside, no next", 1_000, emulator.Knobs{LogPage: 20, LogBoundsOut: true, LogNoNext: true}},
		{"entries come late", 1_000, emulator.Knobs{LogLag: 10 * time.Minute, NextShape: emulator.ShapeURL}},
	} {
		t.Run(temper.name, func(t *testing.T) {
			t.Parallel()
			c := tinyConfig(111)
			c.Logs, c.Knobs = 600, temper.knobs
			b := newBedWith(t, c, withStreams("admin_activity_logs"))
			l := newLife(b, 111)
			for n := range 4 {
				b.syncAtRandom(l, n)
				b.space.SimulateHours(4)
				if n == 1 {
					b.space.AddRandomActions(temper.many, time.Hour)
				}
			}
			l.stopChanges()
			b.syncOnce(runner.Options{})
			b.equalsOracle()
			if report := b.syncOnce(runner.Options{}); report.TotalRows() != 0 || !strings.Contains(report.LastLine(), "backfill=100%") {
				t.Errorf("a quiet run: %s", report.LastLine())
			}
		})
	}
}

// TestT84FiftyEntriesInOneSecondFail where an answer has twenty: no request can ask for the others.
func TestT84FiftyEntriesInOneSecondFail(t *testing.T) {
	t.Parallel()
	c := tinyConfig(112)
	c.LogPage = 20
	b := newBedWith(t, c, withStreams("admin_activity_logs"))
	b.syncOnce(runner.Options{})
	mark := b.queryRows("SELECT synced_to FROM _sync.checkpoints WHERE stream = 'admin_activity_logs'")
	b.space.Advance(time.Hour)
	b.space.AddRandomActions(50, time.Second)
	b.space.Advance(time.Hour)
	report := b.trySync(runner.Options{})
	s := streamResult(t, report, "admin_activity_logs")
	if report.Exit() != problem.ExitFailed || s.Class != "data" || !strings.Contains(s.Error, "one second") {
		t.Errorf("%s\n%+v", report.LastLine(), s)
	}
	if got := b.queryRows("SELECT synced_to FROM _sync.checkpoints WHERE stream = 'admin_activity_logs'"); got[0] != mark[0] {
		t.Errorf("the mark moved from %s to %s", mark[0], got[0])
	}
	b.space.SetKnobs(func(k *emulator.Knobs) { k.LogPage = 0 })
	b.syncOnce(runner.Options{})
	b.equalsOracle()
}

// TestT85TypesOfEveryVersionAreStored: types that 2.14 renamed are stored as sent.
func TestT85TypesOfEveryVersionAreStored(t *testing.T) {
	t.Parallel()
	for version, want := range map[string][]string{"2.13": {"admin_assignment_limit_change|assignment_limit"}, "2.12": {"the_assignment_limit_change|assignment_limit"},
		"2.17": {"admin_conversation_assignment_limit_change|conversation_assignment_limit", "admin_ticket_assignment_limit_change|ticket_assignment_limit"}} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			c := tinyConfig(113)
			if version == "2.12" {
				c.OldLimitType = "the_assignment_limit_change"
			}
			b := newBedWith(t, c, strings.Replace(withStreams("admin_activity_logs"), "2.17", version, 1))
			b.syncOnce(runner.Options{Select: []string{"admin_activity_logs"}})
			got := b.queryRows("SELECT DISTINCT activity_type, json_keys(metadata)[1] FROM admin_activity_logs WHERE activity_type LIKE '%assignment_limit%' ORDER BY 1")
			if !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

// TestT86ActivityLogsOutsideThePlanKeepTheirRows: the plan changes during the backfill. Rows and checkpoint stay, other streams go on, and once
// the plan includes the log again the backfill continues.
func TestT86ActivityLogsOutsideThePlanKeepTheirRows(t *testing.T) {
	t.Parallel()
	c := tinyConfig(114)
	c.LogPage, c.Logs = 20, 400
	b := newBedWith(t, c, withStreams("admin_activity_logs"))
	asked := 0
	b.space.SetKnobs(func(k *emulator.Knobs) {
		k.Mutate = func(route string, body []byte) []byte {
			if route == "logs.list" {
				asked++
			}
			return body
		}
	})
	b.space.RunBetween(func(int) {
		if asked == 12 {
			b.space.SetKnobs(func(k *emulator.Knobs) { k.Unavailable = []string{"logs.list"} })
		}
	})
	report := b.syncOnce(runner.Options{})
	if s := streamResult(t, report, "admin_activity_logs"); s.Status != runlog.StatusUnavailable || s.New == 0 || report.Count(runlog.StatusOK) != 4 {
		t.Errorf("%s\n%+v", report.LastLine(), s)
	}
	held := b.queryRows("SELECT count(*) FROM admin_activity_logs")
	b.syncOnce(runner.Options{})
	if got := b.queryRows("SELECT count(*) FROM admin_activity_logs"); got[0] != held[0] || got[0] == "0" || got[0] == "400" {
		t.Errorf("%s rows, before %s", got[0], held[0])
	}
	b.space.RunBetween(nil)
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Unavailable, k.Mutate = nil, nil })
	b.syncOnce(runner.Options{})
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	b.equalsOracle()
}

// TestExplicitWindowOfTheActivityLogMovesNoWatermark reads the span of --since and --until.
func TestExplicitWindowOfTheActivityLogMovesNoWatermark(t *testing.T) {
	t.Parallel()
	c := tinyConfig(115)
	c.Logs = 365
	b := newBedWith(t, c, withStreams("admin_activity_logs")+"streams: {admin_activity_logs: {start: 2024-06-01}}\n")
	b.syncOnce(runner.Options{})
	before := b.queryRows("SELECT state FROM _sync.checkpoints WHERE stream = 'admin_activity_logs'")
	held := b.queryRows("SELECT count(*) FROM admin_activity_logs")
	now := b.space.CurrentTime()
	report := b.syncOnce(runner.Options{Since: now.Add(-200 * 24 * time.Hour), Until: now.Add(-100 * 24 * time.Hour)})
	if s := streamResult(t, report, "admin_activity_logs"); s.New < 50 || s.Requests > 3 {
		t.Errorf("before: %v, %+v", held, s)
	}
	if got := b.queryRows("SELECT state FROM _sync.checkpoints WHERE stream = 'admin_activity_logs'"); got[0] != before[0] {
		t.Errorf("the checkpoint moved from %s to %s", before[0], got[0])
	}
}

// TestBackfillShareOfALogIsTimeRead: the source states no number of records, but a configured start makes the end known.
func TestBackfillShareOfALogIsTimeRead(t *testing.T) {
	t.Parallel()
	c := tinyConfig(116)
	c.Logs, c.LogPage = 1000, 20
	b := newBedWith(t, c, withStreams("admin_activity_logs")+"streams: {admin_activity_logs: {start: 2023-07-01}}\n")
	report := b.syncOnce(runner.Options{Select: []string{"admin_activity_logs"}, MaxRequests: 20})
	if s := streamResult(t, report, "admin_activity_logs"); !s.Cut || s.Backfill < 0.02 || s.Backfill > 0.9 {
		t.Errorf("after twenty requests: %+v", s)
	}
	report = b.syncOnce(runner.Options{Select: []string{"admin_activity_logs"}})
	if s := streamResult(t, report, "admin_activity_logs"); s.Backfill != 1 {
		t.Errorf("at the end: %+v", s)
	}
	plan, err := plan.Make(context.Background(), b.runner, b.runner.Config.Pipelines, runner.Options{Select: []string{"admin_activity_logs"}}, plan.AskAll)
	if err != nil || len(plan.Streams) != 1 || !strings.HasPrefix(plan.Streams[0].Read, "changes since ") {
		t.Errorf("the plan: %+v, %v", plan, err)
	}
}
