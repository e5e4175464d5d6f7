package worker

import (
	"slices"
	"time"

	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
)

// Outcome is how a run of a pipeline of one workspace ended. It has ids and codes alone: Temporal stores it.
type Outcome struct {
	Run     string `json:"run"`
	Exit    int    `json:"exit"`    // the exit code of the run
	Class   string `json:"class"`   // of its first error
	Passing bool   `json:"passing"` // the cause may be over later
	Stopped bool   `json:"stopped"` // it was interrupted
}

// OutcomeOf is the outcome of a run; report is nil when the run did not take place. A published file that the object store did not get is sent by
// the next run, and that is worth a retry.
func OutcomeOf(past *runlog.PastRun, report *runlog.Report) Outcome {
	o := Outcome{Run: past.Run, Exit: past.Exit, Class: past.Class, Stopped: past.Outcome == "INTERRUPTED", Passing: past.Outcome == "FAILED" && past.IsRetryable(report)}
	if report != nil && report.Unsent != nil && isPassing(report.Unsent.Class) {
		o.Passing, o.Class = true, report.Unsent.Class
	}
	return o
}

// DiedOutcome is the outcome of a run whose process died. The next one goes on from what is committed.
func DiedOutcome(run string) Outcome {
	return Outcome{Run: run, Exit: problem.ExitFailed, Class: classDied, Passing: true}
}

const classDied = "killed"

func isPassing(class string) bool { return class == "transient" || class == "busy" }

// RetryPause is how long a workspace waits before the try after a failed one, the first of which is 1; ok is false when no try follows. A stopped run
// goes on elsewhere at once. A directory or a prefix that is in use is free soon. For all else, the pauses are those of serve.
func (o Outcome) RetryPause(try int) (pause time.Duration, ok bool) {
	pauses := runlog.RetryPauses()
	switch {
	case o.Stopped:
		return time.Second, true
	case o.Exit == problem.ExitBusy || o.Passing && o.Class == "busy":
		return time.Minute, try < maxTries
	case !o.Passing || try > len(pauses):
		return 0, false
	}
	return pauses[max(try, 1)-1], true
}

// maxTries bounds the tries of one scheduled time, also those that end because their machine died.
const maxTries = 10

// DecidingOutcome is the one of several outcomes that decides what follows: one that a retry may mend, then one that needs a person.
func DecidingOutcome(all []Outcome) (decides Outcome) {
	rank := func(o Outcome) int {
		return slices.Index([]bool{o.Exit == problem.ExitOK, !o.Passing && !o.Stopped && o.Exit != problem.ExitBusy, true}, true)
	}
	for _, o := range all {
		if rank(o) > rank(decides) {
			decides = o
		}
	}
	return decides
}
