package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"aqueduck/internal/crash"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	pipelinesync "aqueduck/internal/sync"
)

// trialShared is the state that the trials of a test share.
type trialShared struct {
	alone sync.RWMutex // held by a run that dies at a kill point, because kill points are global
	dir   string

	mu   sync.Mutex // guards what follows
	read map[string]string
}

// baseWarehouse returns a synced warehouse by its contents. The first call makes it.
func (c *trialShared) baseWarehouse(what string, make func(to string)) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.read[what] == "" {
		to := filepath.Join(c.dir, fmt.Sprint(len(c.read)))
		make(to)
		c.read[what] = to
	}
	return c.read[what]
}

// modelRun is one run of the program in a plan.
type modelRun struct {
	cancel, die, life, slow, requests, seconds, refresh, limit int
	stream, point                                              string
	passes                                                     int
	accept                                                     []string // streams whose loss of most rows is accepted
}

func parseRun(with string) (r modelRun) {
	for word := range strings.FieldsSeq(with) {
		name, value, _ := strings.Cut(word, "=")
		number, _, _ := strings.Cut(value, ":")
		into := map[string]*int{"cancel": &r.cancel, "die": &r.die, "life": &r.life, "slow": &r.slow, "requests": &r.requests, "time": &r.seconds, "refresh": &r.refresh, "limit": &r.limit}[name]
		if into != nil {
			fmt.Sscan(number, into)
		}
		switch name {
		case "select":
			r.stream = value
		case "point":
			var passes string
			r.point, passes, _ = strings.Cut(value, ":")
			fmt.Sscan(passes, &r.passes)
		}
	}
	return r
}

func (r *modelRun) runOptions() runner.Options {
	o := runner.Options{MaxRequests: int64(r.requests), MaxTime: time.Duration(r.seconds) * time.Second, FullRefresh: r.refresh > 0, Limit: int64(r.limit), AcceptDrop: r.accept}
	if r.stream != "" {
		o.Select = []string{r.stream}
	}
	return o
}

// executeRun executes one run. A run that dies leaves the files on disk at that moment; what it does later is undone.
func (t *planTrial) executeRun(o planOp) {
	r := parseRun(o.with)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	died := filepath.Join(t.TempDir(), "died")
	die := func() {
		if ctx.Err() != nil {
			return
		}
		if err := copyDir(string(t.bed.runner.Dir), died); err != nil {
			t.Error(err)
		}
		cancel()
	}
	if t.plan.world {
		t.bed.space.Advance(10 * time.Minute) // longer than the lag of search
	}
	before := t.listedIDs()
	asked := 0
	t.bed.space.RunBetween(func(int) {
		asked++
		if r.slow > 0 {
			t.bed.space.Advance(time.Duration(t.life.dice.IntN(r.slow)) * time.Second)
		}
		if r.life > 0 && t.life.dice.IntN(r.life) == 0 {
			events := t.allEvents()
			t.applyEvent(events[t.life.dice.IntN(len(events))].name)
		}
		if asked == r.cancel {
			cancel()
		}
		if asked == r.die {
			die()
		}
	})
	report, err := t.runProgram(ctx, &r, die)
	t.bed.space.RunBetween(nil)
	t.runs++
	if _, statErr := os.Stat(died); statErr == nil {
		t.bed.failOn(os.RemoveAll(string(t.bed.runner.Dir)))
		t.bed.failOn(os.Rename(died, string(t.bed.runner.Dir)))
		t.checkReadable()
		return
	}
	t.checkRun(ctx, before, report, err)
	if err == nil && !t.Failed() {
		t.checkExitOK(r, report)
	}
	if err == nil && !t.Failed() && report.HasShown() {
		t.noteHistory()
	}
}

// runProgram runs the program, which dies when it passes a kill point for the n-th time.
func (t *planTrial) runProgram(ctx context.Context, r *modelRun, die func()) (*runlog.Report, error) {
	sync := func() (*runlog.Report, error) {
		return pipelinesync.Sync(ctx, t.bed.runner, t.bed.runner.Config.Pipelines[0], r.runOptions())
	}
	if r.point == "" || !crash.Named {
		t.common.alone.RLock()
		defer t.common.alone.RUnlock()
		return sync()
	}
	t.common.alone.Lock()
	defer t.common.alone.Unlock()
	defer crash.Watch(nil)
	passed := 0
	crash.Watch(func(name string) {
		if name == r.point {
			if passed++; passed == r.passes {
				die()
			}
		}
	})
	return sync()
}

func (t *planTrial) allEvents() (all []lifeEvent) {
	for _, f := range families {
		if t.plan.readsAny(f.name) {
			all = append(all, f.events(t.life)...)
		}
	}
	if t.plan.world {
		all = slices.DeleteFunc(all, func(e lifeEvent) bool { return isSilentEvent(e.name) })
	}
	return all
}

// checkRun checks the outcome of a run. One that meets faults may fail, and one that was told to stop must stop.
func (t *planTrial) checkRun(ctx context.Context, before map[string][]string, report *runlog.Report, err error) {
	quiet := !t.chaos && t.temper == "" && t.lies == "" && ctx.Err() == nil
	var found *problem.Problem
	switch {
	case err != nil && ctx.Err() != nil && errors.Is(err, context.Canceled):
	case err != nil && t.chaos && errors.As(err, &found):
	case err != nil:
		t.Errorf("run: %v", err)
	case report.Exit() == problem.ExitOK:
		t.checkSynced(before, report)
	case quiet:
		t.Errorf("run: without faults it ends %s\n%+v\n%+v", report.LastLine(), report.Streams, report.Findings)
	default:
		for _, f := range report.Findings {
			if f.Kind == "exact" && f.Name != "incomplete" {
				t.Errorf("finding: %+v", f)
			}
		}
	}
}

// checkReadable checks that readers have a complete file, or none before the first publish.
func (t *planTrial) checkReadable() {
	if file := t.bed.runner.Dir.Current(); file != "" {
		t.bed.queryRows("SELECT count(*) FROM _sync.runs")
	}
}

// listedIDs returns the ids in the lists that are swept.
func (t *planTrial) listedIDs() map[string][]string {
	list := map[string][]string{}
	for _, stream := range []string{"deleted_contacts", "deleted_conversations", "calls", "news_items"} {
		if slices.Contains(t.plan.streamNames(), stream) {
			list[stream] = rowIDs(t.bed.space.Oracle(stream))
		}
	}
	return list
}

// checkSynced checks that every record up to a stream's watermark is stored as it was then, and that records that were listed both before and
// after the run are stored. A late index, or a source that answers differently each time, is an exception.
func (t *planTrial) checkSynced(before map[string][]string, report *runlog.Report) {
	if t.temper != "" || t.lies != "" || !report.HasShown() || t.replays {
		return
	}
	after := t.listedIDs()
	for _, s := range report.Streams {
		if s.Status != runlog.StatusOK || s.Cut || s.Backfill < 1 || s.SyncedTo.IsZero() {
			continue
		}
		if list, walked := before[s.Stream]; walked {
			stored := t.bed.queryRows("SELECT id FROM " + s.Stream)
			for _, id := range list {
				if slices.Contains(after[s.Stream], id) && !slices.Contains(stored, id) {
					t.Errorf("green: %s was walked and has no %s", s.Stream, id)
				}
			}
		}
		if s.Stream == "contacts" && !t.cameBack || s.Stream == "conversations" || s.Stream == "tickets" {
			t.checkWatermark(s)
		}
	}
}

// checkWatermark checks that every searched record up to its watermark is stored, and not older than it was then.
func (t *planTrial) checkWatermark(s runlog.StreamResult) {
	stored := map[string]int64{}
	for _, line := range t.bed.queryRows("SELECT id, epoch(updated_at)::BIGINT FROM " + s.Stream) {
		id, at, _ := strings.Cut(line, "|")
		stored[id], _ = strconv.ParseInt(at, 10, 64)
	}
	for _, row := range t.bed.space.Oracle(s.Stream) {
		id, at := row["id"].(string), row["updated_at"].(int64)
		if have, there := stored[id]; at <= s.SyncedTo.Unix() && (!there || have < at) {
			t.Errorf("green: %s is synced to %s and has %s of %d at %d (there: %t)", s.Stream, s.SyncedTo, id, at, have, there)
		}
	}
}
