package pipeline_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"aqueduck/internal/lane"
	"aqueduck/internal/runner"
	"aqueduck/load/read"
)

// TestF12TenReadersQueryDuringRuns has ten readers open the published file again and again, with several queries each. No query fails, and all
// answers of one session are of the same snapshot.
func TestF12TenReadersQueryDuringRuns(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	const readers = 10
	b := newBed(t, tinyConfig(73)).publishingAll()
	b.syncOnce(runner.Options{})
	l := newLife(b, 73)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	questions := lane.New(t, "questions of ten readers", 1)
	var asked atomic.Int64
	var all sync.WaitGroup
	turns := make(chan bool, readers)
	for range readers {
		all.Go(func() {
			for ctx.Err() == nil && !t.Failed() {
				if !questions.HasDeadline() { // in make test other tests need the processor too: only some sessions for each request of the run
					select {
					case <-ctx.Done():
						return
					case <-turns:
					}
				}
				if err := b.readerSession(&asked); err != nil {
					t.Error(err)
				}
			}
		})
	}
	b.space.RunBetween(func(int) {
		for range readers / 3 {
			select {
			case turns <- true:
			default: // all readers are busy
			}
		}
	})
	for questions.HasNext() {
		before := asked.Load()
		for range 2 {
			l.applyEvents(10)
			b.syncOnce(runner.Options{})
		}
		questions.CountTrials(int(asked.Load() - before))
	}
	stop()
	all.Wait()
	b.space.RunBetween(nil)
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	b.equalsOracle()
}

// readerSession opens the published file and runs the same queries three times. The rows and the run that they belong to must not change.
func (b *testBed) readerSession(asked *atomic.Int64) error {
	r, err := read.OpenReader(context.Background(), b.runner.Dir.Link())
	if err != nil {
		return err
	}
	defer r.Close()
	first := ""
	for range 3 {
		var got string
		err := r.Query(context.Background(), `SELECT (SELECT max(run_id) FROM _sync.runs), (SELECT count(*) FROM contacts_all), (SELECT count(*) FROM contact_activities)`,
			func(_ []string, row []any) error {
				if row != nil {
					got = fmt.Sprint(row...)
				}
				return nil
			})
		if err != nil {
			return err
		}
		asked.Add(1)
		if first == "" {
			first = got
		}
		if got != first {
			return fmt.Errorf("one session was told %s, then %s", first, got)
		}
	}
	return nil
}
