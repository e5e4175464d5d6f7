package schedule

import (
	"context"
	"reflect"
	"testing"
	"testing/synctest"
	"time"
)

// runDiary records the runs of a job, in the virtual time of a synctest bubble, which begins at 2000-01-01 00:00 UTC.
type runDiary struct {
	ran, skipped []string
}

func (d *runDiary) diaryJob(t testing.TB, spec string, takes time.Duration) Job {
	const layout = "02 15:04"
	return Job{
		Name: "nightly", Schedule: mustParse(t, spec, time.UTC), CatchUp: true,
		Run: func(ctx context.Context, caughtUp bool) {
			said := ""
			if caughtUp {
				said = " caught up"
			}
			d.ran = append(d.ran, time.Now().UTC().Format(layout)+said)
			_ = waitVirtual(ctx, takes) // a cancelled run ends early
		},
		Skipped: func(at time.Time) { d.skipped = append(d.skipped, at.UTC().Format(layout)) },
	}
}

func waitVirtual(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func (d *runDiary) wantRuns(t *testing.T, ran, skipped []string) {
	t.Helper()
	if !reflect.DeepEqual(d.ran, ran) {
		t.Errorf("ran at %v, want %v", d.ran, ran)
	}
	if !reflect.DeepEqual(d.skipped, skipped) {
		t.Errorf("skipped %v, want %v", d.skipped, skipped)
	}
}

// runFor runs a job for a span of virtual time.
func runFor(t *testing.T, span time.Duration, job Job) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), span)
	defer cancel()
	Run(ctx, []Job{job}, time.Now, waitVirtual)
}

func TestRunRunsAJobAtItsTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d runDiary
		runFor(t, 72*time.Hour, d.diaryJob(t, "0 2 * * *", time.Hour))
		d.wantRuns(t, []string{"01 02:00", "02 02:00", "03 02:00"}, nil)
	})
}

func TestRunSkipsTimesThatComeDuringARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d runDiary
		runFor(t, 4*time.Hour, d.diaryJob(t, "0 * * * *", 90*time.Minute))
		d.wantRuns(t, []string{"01 01:00", "01 03:00"}, []string{"01 02:00"})
	})
}

func TestRunQueuesOnceForAllTimesThatComeDuringARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d runDiary
		job := d.diaryJob(t, "0 * * * *", 150*time.Minute)
		job.Overlap = Queue
		runFor(t, 5*time.Hour, job)
		d.wantRuns(t, []string{"01 01:00", "01 03:30"}, []string{"01 02:00"})
	})
}

// Holds: T136, F8.
func TestRunCatchesUpOnceAfterDowntime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d runDiary
		job := d.diaryJob(t, "0 2 * * *", time.Minute)
		job.Last = time.Now().Add(-70 * time.Hour)
		runFor(t, 24*time.Hour, job)
		d.wantRuns(t, []string{"01 00:00 caught up", "01 02:00"}, []string{"30 02:00"})
	})
}

func TestRunCatchesNothingUpWhereNothingWasMissed(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*Job)
	}{
		{"never ran", func(j *Job) { j.Last = time.Time{} }},
		{"not wanted", func(j *Job) { j.CatchUp = false }},
		{"ran since", func(j *Job) { j.Last = time.Now().Add(-time.Hour) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var d runDiary
				job := d.diaryJob(t, "0 2 * * *", time.Minute)
				job.Last = time.Now().Add(-70 * time.Hour)
				c.edit(&job)
				runFor(t, 3*time.Hour, job)
				d.wantRuns(t, []string{"01 02:00"}, nil)
			})
		})
	}
}

// TestRunRetriesBeforeTheNextTime, once for each time that NextRetry returns, and not after the next time, or after the retry is
// withdrawn.
func TestRunRetriesBeforeTheNextTime(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*Job, *time.Time)
		ran  []string
	}{
		{"told once", func(j *Job, at *time.Time) {
			retryEachRun(j, at, 20*time.Minute, 0)
		}, []string{"01 02:00", "01 02:30", "02 02:00", "02 02:30"}},
		{"told for ever", func(j *Job, at *time.Time) {
			run := j.Run
			j.Run = func(ctx context.Context, caughtUp bool) {
				run(ctx, caughtUp)
				*at = time.Date(2000, 1, 1, 2, 20, 0, 0, time.UTC)
			}
			j.Retry = func(ctx context.Context) { run(ctx, false) }
		}, []string{"01 02:00", "01 02:20", "02 02:00"}},
		{"the next time comes first", func(j *Job, at *time.Time) {
			retryEachRun(j, at, 30*time.Hour, 0)
		}, []string{"01 02:00", "02 02:00"}},
		{"it was done meanwhile", func(j *Job, at *time.Time) {
			retryEachRun(j, at, 20*time.Minute, 0)
			asked := 0
			j.NextRetry = func() time.Time {
				if asked++; asked%2 == 0 {
					*at = time.Time{}
				}
				return *at
			}
		}, []string{"01 02:00", "02 02:00"}},
		{"the last one is left to try again", func(j *Job, at *time.Time) {
			*at = time.Now().Add(-20 * time.Minute)
			j.Last = time.Now().Add(-time.Hour)
			retryEachRun(j, at, 0, 0)
		}, []string{"01 00:00", "01 02:00", "02 02:00"}},
		{"but not where nothing is made up for", func(j *Job, at *time.Time) {
			*at = time.Now().Add(-20 * time.Minute)
			j.CatchUp = false
			retryEachRun(j, at, 0, 0)
		}, []string{"01 02:00", "02 02:00"}},
		{"it takes until after the next time", func(j *Job, at *time.Time) {
			retryEachRun(j, at, 20*time.Minute, 24*time.Hour)
		}, []string{"01 02:00", "01 02:30"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var d runDiary
				var at time.Time
				job := d.diaryJob(t, "0 2 * * *", 10*time.Minute)
				job.NextRetry = func() time.Time { return at }
				c.edit(&job, &at)
				runFor(t, 47*time.Hour, job)
				d.wantRuns(t, c.ran, d.skipped)
			})
		})
	}
}

// retryEachRun asks for a retry some time after the end of each run; retries take longer by the given time.
func retryEachRun(j *Job, at *time.Time, pause, longer time.Duration) {
	run := j.Run
	j.Run = func(ctx context.Context, caughtUp bool) {
		run(ctx, caughtUp)
		if *at = (time.Time{}); pause > 0 {
			*at = time.Now().Add(pause)
		}
	}
	j.Retry = func(ctx context.Context) {
		run(ctx, false)
		*at = time.Time{}
		_ = waitVirtual(ctx, longer) // a cancelled run ends early
	}
}

// suspendedClock makes time jump while the job waits, as when a machine is suspended.
func suspendedClock(after, jump time.Duration) (func() time.Time, func(context.Context, time.Duration) error) {
	begin := time.Now()
	now := func() time.Time {
		if t := time.Now(); t.Sub(begin) > after {
			return t.Add(jump)
		}
		return time.Now()
	}
	return now, waitVirtual
}

// Holds: F8.
func TestRunAfterTheMachineSleptRunsOnceOrNotAtAll(t *testing.T) {
	for _, c := range []struct {
		name    string
		catchUp bool
		skipped int
		ran     []string
	}{
		{"catch up", true, 2, []string{"01 01:01 caught up", "01 15:00"}}, // by the clock of the bubble, which the jump is ahead of
		{"no catch up", false, 3, []string{"01 15:00"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var d runDiary
				job := d.diaryJob(t, "0 2 * * *", time.Minute)
				job.CatchUp = c.catchUp
				now, wait := suspendedClock(time.Hour, 59*time.Hour)
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Hour)
				defer cancel()
				Run(ctx, []Job{job}, now, wait)
				if len(d.skipped) != c.skipped || !reflect.DeepEqual(d.ran, c.ran) {
					t.Errorf("ran %v, skipped %v", d.ran, d.skipped)
				}
			})
		})
	}
}

func TestRunEndsWithItsContextAfterTheRunningJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := false
		job := Job{Name: "n", Schedule: mustParse(t, "0 2 * * *", time.UTC), Run: func(ctx context.Context, _ bool) {
			<-ctx.Done()
			_ = waitVirtual(context.WithoutCancel(ctx), time.Second) // it finishes its page
			ended = true
		}}
		runFor(t, 3*time.Hour, job)
		if !ended {
			t.Error("returned before the job had ended")
		}
	})
}

func TestRunJittersTheSameWayEachTime(t *testing.T) {
	var first []string
	for range 2 {
		synctest.Test(t, func(t *testing.T) {
			var d runDiary
			job := d.diaryJob(t, "0 2 * * *", time.Minute)
			job.Jitter = time.Hour
			runFor(t, 48*time.Hour, job)
			if len(d.ran) != 2 || d.ran[0][3:] == d.ran[1][3:] {
				t.Errorf("ran at %v", d.ran)
			}
			if first != nil && !reflect.DeepEqual(first, d.ran) {
				t.Errorf("ran at %v, then at %v", first, d.ran)
			}
			first = d.ran
		})
	}
}

func TestRunJobsBesideOneAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a, b runDiary
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Hour)
		defer cancel()
		Run(ctx, []Job{a.diaryJob(t, "0 2 * * *", 4*time.Hour), b.diaryJob(t, "0 3 * * *", time.Hour)}, time.Now, waitVirtual)
		a.wantRuns(t, []string{"01 02:00"}, nil)
		b.wantRuns(t, []string{"01 03:00"}, nil)
	})
}

// TestF8EveryNightOfTwoYearsIsServedOnce simulates the 366 nights of 2000 and the 365 of 2001 in four zones, at a time that the
// clocks of each skip or show twice once a year.
func TestF8EveryNightOfTwoYearsIsServedOnce(t *testing.T) {
	for name, spec := range map[string]string{
		"Europe/Berlin": "30 2 * * *", "America/New_York": "30 1 * * *", "Australia/Lord_Howe": "15 2 * * *", "America/Santiago": "0 0 * * *",
	} {
		t.Run(name, func(t *testing.T) {
			z := loadZone(t, name)
			now := time.Date(2000, 1, 1, 12, 0, 0, 0, z)
			first, end, served := now.AddDate(0, 0, 1), now.AddDate(2, 0, 0), map[string]int{}
			job := Job{Name: "nightly", Schedule: mustParse(t, spec, z), CatchUp: true, Run: func(context.Context, bool) {
				served[now.In(z).Format(time.DateOnly)]++
			}}
			Run(t.Context(), []Job{job}, func() time.Time { return now }, func(_ context.Context, d time.Duration) error {
				if now = now.Add(d); now.After(end) {
					return context.Canceled
				}
				return nil
			})
			for day := first; !day.After(end); day = day.AddDate(0, 0, 1) {
				if n := served[day.Format(time.DateOnly)]; n != 1 {
					t.Errorf("the night of %s was served %d times", day.Format(time.DateOnly), n)
				}
			}
			if len(served) != 366+365 {
				t.Errorf("%d nights were served, want %d", len(served), 366+365)
			}
		})
	}
}
