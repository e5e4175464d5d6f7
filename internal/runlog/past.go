package runlog

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/google/renameio/v2"

	"aqueduck/internal/config"
	"aqueduck/internal/problem"
	"aqueduck/load/failure"
	"aqueduck/load/layout"
)

// PastRun is one run that has ended, or what kept it from being one.
type PastRun struct {
	Run      string    `json:"run"`
	Pipeline string    `json:"pipeline"`
	Started  time.Time `json:"started_at"`      // by the run's clock
	Finished time.Time `json:"finished_at"`     // likewise
	Outcome  string    `json:"outcome"`         // OK, FAILED, INTERRUPTED, KILLED; in a list HandMoved and Skipped too
	Exit     int       `json:"exit_code"`       // what the program ended with
	Rows     int64     `json:"rows"`            // written over all tables
	Requests int64     `json:"requests"`        // sent, repeated ones included
	Backfill float64   `json:"backfill"`        // share of the history that is read, 0 to 1
	Class    string    `json:"class,omitempty"` // of what went wrong first; "" as far as only the published file tells of it
	Error    string    `json:"error,omitempty"`
	Next     string    `json:"next,omitempty"`
	Line     string    `json:"line,omitempty"`    // its last line
	Partly   bool      `json:"partly,omitempty"`  // what went wrong did so in some of its streams: the others need not be read again
	Narrow   bool      `json:"narrow,omitempty"`  // it was asked for some streams, or a span of time, only
	Try      int       `json:"try,omitempty"`     // which of the runs of one time of its schedule it was, from 1; 0: it was begun by hand
	RetryAt  time.Time `json:"retry_at,omitzero"` // when it is tried again; not there: it is not

	CaughtUp  bool             `json:"caught_up,omitempty"`  // it made up for a time of the schedule that was missed, or whose run did not come to its end
	CalledOff bool             `json:"called_off,omitempty"` // somebody did not want it
	Moved     []CheckpointMove `json:"moved,omitempty"`      // it was no run: somebody moved checkpoints by hand

	Quiet bool `json:"-"` // nobody has to know of its failure yet: it is tried again
}

// Stopped says what kept a run from being one.
func (e *PastRun) Stopped(ctx context.Context, p *config.Pipeline, err error) {
	found := problem.AsProblem(err)
	e.Outcome, e.Exit = "FAILED", found.ExitCode()
	if ctx.Err() != nil {
		e.Outcome, e.Exit = "INTERRUPTED", problem.ExitInterrupted
	}
	e.Line = fmt.Sprintf("%s %s error=%s published=no run=%s", e.Outcome, p.Name, found.Class, e.Run)
	e.Class, e.Error, e.Next = found.Class, found.Error(), found.NextFor(p.Name)
}

// Reported says what a run did, and what went wrong in it first.
func (e *PastRun) Reported(r *Report) {
	e.Started, e.Finished = ToMicroseconds(r.Started), ToMicroseconds(r.Started.Add(r.Time)) // by the clock that the workspace lives by
	e.Outcome, e.Exit, e.Line = r.Outcome(), r.Exit(), r.LastLine()
	e.Rows, e.Requests, e.Backfill = r.TotalRows(), r.Requests, r.Backfill()
	e.Partly = r.Held == nil && slices.ContainsFunc(r.Streams, func(s StreamResult) bool { return s.Status == StatusFailed || s.Status == StatusInterrupted })
	for _, p := range []*problem.Problem{r.Held, r.After} {
		if p != nil {
			e.Class, e.Error, e.Next = p.Class, p.Error(), p.Next
			return
		}
	}
	for _, s := range r.Streams {
		if s.Error != "" && (s.Status == StatusFailed || s.Lost) {
			e.Class, e.Error, e.Next = s.Class, s.Name(r)+": "+s.Error, s.Next
			return
		}
	}
	for _, f := range r.Findings {
		if f.Kind == "exact" {
			e.Class, e.Error, e.Next = "data", fmt.Sprintf("%s.%s: %s", f.Schema, f.Table, f.Message), "aqueduck runs show "+r.RunID
			return
		}
	}
}

// ToMicroseconds is a time as the database has it.
func ToMicroseconds(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// Notes of ended runs: how many are kept when there are too many, and what is too many.
const (
	keptEnds = 500
	mostEnds = 512 << 10
)

// Save adds a line to the notes of ended runs. It begins with a line break: one that a full disk cut costs no other.
func (e PastRun) Save(dir layout.Dir) (err error) {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(dir.EndsFile(), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // there is no warehouse to note it in
	}
	if err != nil {
		return dir.Explain(err)
	}
	_, err = file.Write(append([]byte{'\n'}, line...))
	if err := errors.Join(err, file.Close()); err != nil {
		return dir.Explain(err)
	}
	if info, err := os.Stat(dir.EndsFile()); err != nil || info.Size() <= mostEnds {
		return err
	}
	text, err := os.ReadFile(dir.EndsFile())
	if err != nil {
		return err
	}
	lines := bytes.Split(text, []byte{'\n'})
	return dir.Explain(renameio.WriteFile(dir.EndsFile(), bytes.Join(lines[max(0, len(lines)-keptEnds):], []byte{'\n'}), 0o600))
}

// Skipped is the outcome, in a list of runs, of a time of a schedule that had no run. Its note has no run's id: it is none.
const Skipped = "LEFT OUT"

// WhySkipped says why a time of a schedule had no run.
const WhySkipped = "the previous run was still active, or the machine was suspended"

// ReadRunNotes gives the notes of ended runs, those that can be read. Whatever spoilt the others, the database has its own.
func ReadRunNotes(dir layout.Dir) ([]PastRun, error) {
	notes, err := readNotes(dir)
	return slices.DeleteFunc(notes, func(e PastRun) bool { return e.Run == "" }), err
}

// readNotes gives what readEnds does, and the times that were left out.
func readNotes(dir layout.Dir) ([]PastRun, error) {
	text, err := os.ReadFile(dir.EndsFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read how runs ended: %w", err)
	}
	var notes []PastRun
	for line := range bytes.SplitSeq(text, []byte{'\n'}) {
		var e PastRun
		if json.Unmarshal(line, &e) == nil && (e.Run != "" || e.Outcome == Skipped) {
			notes = append(notes, e)
		}
	}
	return notes, nil
}

// PastRuns gives the runs that have ended, newest first, at most so many: those of the published file, and those that published
// nothing. An empty pipeline means all.
func PastRuns(ctx context.Context, dir layout.Dir, pipeline string, most int) ([]PastRun, error) {
	runs, err := ReadRunNotes(dir)
	if err != nil {
		return nil, err
	}
	noted := map[string]bool{}
	for _, r := range runs {
		noted[r.Run] = true
	}
	err = QueryPublished(ctx, dir, `SELECT run_id, pipeline, started_at, finished_at, outcome, exit_code, rows, requests, backfill, error FROM _sync.runs`, func(v []any) error {
		if !noted[AsText(v[0])] {
			exit, _ := v[5].(int32)
			runs = append(runs, PastRun{Run: AsText(v[0]), Pipeline: AsText(v[1]), Started: AsTime(v[2]), Finished: AsTime(v[3]), Outcome: AsText(v[4]), Exit: int(exit),
				Rows: AsWhole(v[6]), Requests: AsWhole(v[7]), Backfill: asShare(v[8]), Error: AsText(v[9])})
		}
		return nil
	})
	if err != nil && !errors.Is(err, failure.ErrNothingPublished) {
		return nil, err
	}
	runs = slices.DeleteFunc(runs, func(r PastRun) bool { return pipeline != "" && r.Pipeline != pipeline })
	newestFirst(runs)
	return append([]PastRun{}, runs[:min(len(runs), most)]...), nil
}

func newestFirst(runs []PastRun) {
	slices.SortFunc(runs, func(a, b PastRun) int {
		return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(b.Run, a.Run))
	})
}
