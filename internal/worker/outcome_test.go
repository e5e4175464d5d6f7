package worker

import (
	"testing"
	"time"

	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
)

func TestAnOutcomeSaysWhetherATryFollows(t *testing.T) {
	t.Parallel()
	transient := &runlog.Report{Streams: []runlog.StreamResult{{Status: runlog.StatusFailed, Class: "transient"}}}
	refused := &runlog.Report{Streams: []runlog.StreamResult{{Status: runlog.StatusFailed, Class: "auth"}}}
	unsent := &runlog.Report{Unsent: &problem.Problem{Class: "busy"}}
	stranded := &runlog.Report{Unsent: &problem.Problem{Class: "transient"}}
	const never = -1
	for name, test := range map[string]struct {
		outcome Outcome
		pauses  map[int]time.Duration
	}{
		"a passing error":       {OutcomeOf(&runlog.PastRun{Outcome: "FAILED", Exit: 1, Class: "transient"}, transient), map[int]time.Duration{1: 15 * time.Minute, 2: 45 * time.Minute, 3: 2 * time.Hour, 4: never}},
		"a refused token":       {OutcomeOf(&runlog.PastRun{Outcome: "FAILED", Exit: 4, Class: "auth"}, refused), map[int]time.Duration{1: never}},
		"a wrong configuration": {Outcome{Exit: problem.ExitConfig, Class: "config"}, map[int]time.Duration{1: never}},
		"another run":           {OutcomeOf(&runlog.PastRun{Outcome: "FAILED", Exit: 5, Class: "busy"}, nil), map[int]time.Duration{1: time.Minute, 9: time.Minute, 10: never}},
		"another machine won":   {OutcomeOf(&runlog.PastRun{Outcome: "FAILED", Exit: 1}, unsent), map[int]time.Duration{1: time.Minute}},
		"no store at first":     {OutcomeOf(&runlog.PastRun{Outcome: "FAILED", Exit: 1, Class: "transient"}, nil), map[int]time.Duration{1: 15 * time.Minute, 4: never}},
		"no store at the end":   {OutcomeOf(&runlog.PastRun{Outcome: "FAILED", Exit: 1}, stranded), map[int]time.Duration{1: 15 * time.Minute, 3: 2 * time.Hour, 4: never}},
		"a signal":              {OutcomeOf(&runlog.PastRun{Outcome: "INTERRUPTED", Exit: 143}, transient), map[int]time.Duration{1: time.Second, 9: time.Second}},
		"a process that died":   {DiedOutcome("run"), map[int]time.Duration{1: 15 * time.Minute, 4: never}},
	} {
		for try, want := range test.pauses {
			pause, again := test.outcome.RetryPause(try)
			if again != (want != never) || again && pause != want {
				t.Errorf("%s, try %d: %s, %t", name, try, pause, again)
			}
		}
	}
}

func TestWhatARetryMayMendDecides(t *testing.T) {
	t.Parallel()
	well, refused, passing := Outcome{}, Outcome{Exit: 4, Class: "auth"}, Outcome{Exit: 1, Class: "transient", Passing: true}
	for _, test := range []struct {
		all  []Outcome
		want Outcome
	}{
		{nil, well}, {[]Outcome{well, well}, well}, {[]Outcome{well, refused}, refused}, {[]Outcome{refused, passing, well}, passing}, {[]Outcome{passing, refused}, passing},
	} {
		if got := DecidingOutcome(test.all); got != test.want {
			t.Errorf("%v: %v", test.all, got)
		}
	}
}
