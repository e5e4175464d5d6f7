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
	"strings"
	"time"

	"github.com/google/renameio/v2"
	"github.com/oklog/ulid/v2"

	"aqueduck/internal/config"
	"aqueduck/internal/problem"
	"aqueduck/load/failure"
	"aqueduck/load/layout"
)

// PastRun is the note of one run that has ended, or of an attempt that did not become a run.
type PastRun struct {
	Run      string    `json:"run"`
	Pipeline string    `json:"pipeline"`
	Started  time.Time `json:"started_at"`      // by the warehouse's clock
	Finished time.Time `json:"finished_at"`     // likewise
	Outcome  string    `json:"outcome"`         // OK, FAILED, INTERRUPTED, KILLED; in a list also handMoved, Skipped and RolledBack
	Exit     int       `json:"exit_code"`       // the exit code of the program
	Rows     int64     `json:"rows"`            // rows written, over all tables
	Requests int64     `json:"requests"`        // requests sent, retries included
	Backfill float64   `json:"backfill"`        // share of the history that is read, 0 to 1
	Class    string    `json:"class,omitempty"` // the class of the first error; "" when only the published file knows the run
	Error    string    `json:"error,omitempty"`
	Next     string    `json:"next,omitempty"`
	Line     string    `json:"line,omitempty"` // the run's last line of output
	// MissingModels are the models that the published file of the run lacks, each with the reason; "": none.
	MissingModels string `json:"missing_models,omitempty"`
	// Restored says which damaged file the run went on without, and from which file; "": none was damaged.
	Restored string `json:"restored,omitempty"`

	Partly  bool      `json:"partly,omitempty"`  // some streams failed; the others need not be read again
	Narrow  bool      `json:"narrow,omitempty"`  // the run was limited to some streams or to a span of time
	Part    bool      `json:"part,omitempty"`    // it was limited to some streams, some records or a span of time: it says nothing about the health of its pipeline
	Span    bool      `json:"span,omitempty"`    // it read an explicit span of time, which moves no watermark
	Try     int       `json:"try,omitempty"`     // which try for one scheduled time this was, from 1; 0: started by hand
	RetryAt time.Time `json:"retry_at,omitzero"` // when the retry begins; absent: there is none

	RetryDue time.Time `json:"retry_due,omitzero"` // the same by this machine's clock; only in the note of a run with another clock

	Emulated  bool             `json:"emulated,omitempty"`   // its times are those of an emulated workspace
	CaughtUp  bool             `json:"caught_up,omitempty"`  // a catch-up run: for a scheduled time that was missed, or whose run was interrupted or crashed
	Cancelled bool             `json:"called_off,omitempty"` // a person cancelled the run
	Moved     []CheckpointMove `json:"moved,omitempty"`      // not a run: a command changed these checkpoints
	Rollback  *Rollback        `json:"rollback,omitempty"`   // not a run: a command gave readers an older file

	Quiet  bool `json:"-"` // the failure sends no alert yet, because a retry follows
	Misses bool `json:"-"` // as that of the report: it sends no recovery
}

// retryDue is when the retry begins by this machine's clock; zero: there is none.
func (e *PastRun) retryDue() time.Time {
	if e.RetryDue.IsZero() {
		return e.RetryAt
	}
	return e.RetryDue
}

// Stopped fills in the note of an attempt that did not become a run.
func (e *PastRun) Stopped(ctx context.Context, p *config.Pipeline, err error) {
	found := problem.AsProblem(err)
	e.Outcome, e.Exit = "FAILED", found.ExitCode()
	if ctx.Err() != nil {
		e.Outcome, e.Exit = "INTERRUPTED", problem.ExitInterrupted
	}
	e.Line = fmt.Sprintf("%s %s error=%s published=no run=%s", e.Outcome, p.Name, found.Class, e.Run)
	e.Class, e.Error, e.Next = found.Class, found.Error(), found.NextFor(p.Name)
}

// Reported fills in the note of a run from its report, with its first error.
func (e *PastRun) Reported(r *Report) {
	e.Started, e.Finished = ToMicroseconds(r.Started), ToMicroseconds(r.Started.Add(r.Time)) // by the clock of the workspace
	e.Outcome, e.Exit, e.Line, e.Emulated = r.Outcome(), r.Exit(), r.LastLine(), r.Emulated
	e.Rows, e.Requests, e.Backfill = r.TotalRows(), r.Requests, r.Backfill()
	e.Partly = r.Held == nil && slices.ContainsFunc(r.Streams, func(s StreamResult) bool { return s.Status == StatusFailed || s.Status == StatusInterrupted })
	e.MissingModels, e.Restored, e.Misses = r.MissingModels, r.Restored, r.Misses
	for _, p := range r.Problems() {
		e.Class = cmp.Or(e.Class, p.Class)
		e.Error, e.Next = joinTexts(e.Error, "; ", p.Error()), joinTexts(e.Next, "; then ", p.Next)
	}
	if e.Class != "" {
		return
	}
	for _, s := range r.Streams {
		if s.Error != "" && (s.Status == StatusFailed || s.Lost || e.Exit == problem.ExitRefused) {
			e.Class, e.Error, e.Next = s.Class, NameError(s.Name(r), s.Stream, s.Error), s.Next
			if s.Class == "disk" { // the disk is full for every stream
				e.Error = s.Error
			}
			return
		}
	}
	for _, f := range r.Findings {
		if f.Kind == "exact" {
			e.Class, e.Error, e.Next = "data", f.Message, cmp.Or(f.Next, "aqueduck runs show "+r.RunID)
			if f.Table != "" {
				e.Error = f.Schema + "." + f.Table + ": " + f.Message
			}
			return
		}
	}
}

// joinTexts joins two texts, if both are there.
func joinTexts(first, between, second string) string {
	if first == "" {
		return second
	}
	return first + between + second
}

// ToMicroseconds truncates a time to microseconds in UTC, as the database stores it.
func ToMicroseconds(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// The file of notes is cut down to the newest keptEnds lines when it grows beyond mostEnds bytes.
const (
	keptEnds = 500
	mostEnds = 512 << 10
)

// hasFile reports whether readers had a published file at the end of the run, made by it or unchanged.
func (e PastRun) hasFile() bool {
	return strings.Contains(e.Line, " published=yes ") || strings.Contains(e.Line, " published=unchanged ")
}

// BeganFromOlder reports whether a run since the last publish began from an older published file, so that readers have rows which the work
// database lacks.
func BeganFromOlder(dir layout.Dir) (bool, error) {
	runs, err := ReadRunNotes(dir)
	for _, e := range slices.Backward(runs) {
		if e.hasFile() {
			break
		}
		if strings.HasPrefix(e.Restored, failure.PublishedUnusable) {
			return true, err
		}
	}
	return false, err
}

// Save appends the note to the file of notes. The line begins with a line break, so that a line that a full disk cut short spoils no other.
func (e PastRun) Save(dir layout.Dir) (err error) {
	if layout.IsOfOther(dir) {
		return nil // its owner could not change what this user leaves there
	}
	e.Emulated = e.Emulated || layout.IsEmulated(dir)
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(dir.EndsFile(), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the directory is no warehouse yet
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

// Skipped is the outcome of a skipped run in a list of runs: a scheduled time at which no run started. Its note has no run id.
const Skipped = "LEFT OUT"

// WhySkipped is the reason for skipped runs.
const WhySkipped = "the previous run was still active, the machine was suspended, or serve was not running"

// ReadRunNotes returns the notes of ended runs, oldest first. It skips lines that cannot be read; the database has its own record of those runs.
func ReadRunNotes(dir layout.Dir) ([]PastRun, error) {
	notes, err := readNotes(dir)
	return slices.DeleteFunc(notes, func(e PastRun) bool { return e.Run == "" }), err
}

// readNotes returns the notes of ended and of skipped runs, and of rollbacks. It leaves out those of this machine's clock where an emulated workspace fills
// a directory in which runs of a real one have failed. Before an emulated workspace has filled a directory, its failed runs have the times of this machine.
func readNotes(dir layout.Dir) ([]PastRun, error) {
	text, err := os.ReadFile(dir.EndsFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read how runs ended: %w", err)
	}
	var notes []PastRun
	emulated := layout.IsEmulated(dir)
	for line := range bytes.SplitSeq(text, []byte{'\n'}) {
		var e PastRun
		if json.Unmarshal(line, &e) != nil {
			continue
		}
		if !emulated {
			e.followMachine()
		}
		if (e.Run != "" || e.Outcome == Skipped || e.Rollback != nil) && e.Emulated == emulated {
			notes = append(notes, e)
		}
	}
	return notes, nil
}

// followMachine gives a run with times of an emulated workspace those of this machine's clock, which its id has.
func (e *PastRun) followMachine() {
	id, err := ulid.Parse(e.Run)
	if err != nil || !e.Emulated {
		return
	}
	shift := id.Timestamp().Sub(e.Started)
	e.Started, e.Finished, e.Emulated = ToMicroseconds(e.Started.Add(shift)), ToMicroseconds(e.Finished.Add(shift)), false
	if !e.RetryDue.IsZero() {
		e.RetryAt = e.RetryDue
	}
}

// PastRuns returns ended runs, newest first, at most so many: those in the published file, those that published nothing, and a crashed run that is
// not noted yet. An empty pipeline means all pipelines.
func PastRuns(ctx context.Context, dir layout.Dir, pipeline string, most int) ([]PastRun, error) {
	runs, err := ReadRunNotes(dir)
	if err != nil {
		return nil, err
	}
	running, lost, err := readRunFile(dir)
	if err != nil {
		return nil, err
	}
	if lost != nil && !slices.ContainsFunc(runs, func(r PastRun) bool { return r.Run == lost.Run }) {
		runs = append(runs, *lost.Killed()) // in place of what it may have published about itself
		if !layout.IsEmulated(dir) {
			runs[len(runs)-1].followMachine()
		}
	}
	noted, emulated := map[string]bool{}, layout.IsEmulated(dir)
	for i, r := range runs {
		noted[r.Run], runs[i].RetryDue = true, time.Time{}
	}
	err = QueryPublished(ctx, dir, `SELECT run_id, pipeline, started_at, finished_at, outcome, exit_code, rows, requests, backfill, error FROM _sync.runs`, func(v []any) error {
		if !noted[AsText(v[0])] {
			exit, _ := v[5].(int32)
			runs = append(runs, PastRun{Run: AsText(v[0]), Pipeline: AsText(v[1]), Started: AsTime(v[2]), Finished: AsTime(v[3]), Outcome: AsText(v[4]), Exit: int(exit),
				Rows: AsWhole(v[6]), Requests: AsWhole(v[7]), Backfill: asShare(v[8]), Error: AsText(v[9]), Emulated: emulated,
				Part: running != nil && running.Part && running.Run == AsText(v[0])})
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

// recentRuns are the newest so many runs, and the newest of each pipeline that was not limited to a part of it. runs are sorted, newest first.
func recentRuns(runs []PastRun, most int) (recent []PastRun) {
	whole := map[string]bool{}
	for i, r := range runs {
		if i < most || !r.Part && !whole[r.Pipeline] {
			recent = append(recent, r)
		}
		whole[r.Pipeline] = whole[r.Pipeline] || !r.Part
	}
	return recent
}

func newestFirst(runs []PastRun) {
	slices.SortStableFunc(runs, func(a, b PastRun) int {
		return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(b.Run, a.Run))
	})
}

// Killed is the outcome of a crashed run: its process was killed, or the machine went down.
const Killed = "KILLED"

// Unfinished is the outcome of a run that goes on and has published what it has read so far.
const Unfinished = "UNFINISHED"

// exitKilled is the exit code that a shell reports for a killed process.
const exitKilled = 137

// Killed returns the note of a crashed run, from what its run.json says.
func (r *Running) Killed() *PastRun {
	return &PastRun{Run: r.Run, Pipeline: r.Pipeline, Started: ToMicroseconds(r.Started), Finished: ToMicroseconds(r.At), Outcome: Killed, Exit: exitKilled,
		Rows: r.Rows, Requests: r.Requests, Backfill: r.Percent / 100, Narrow: r.Narrow, Part: r.Part, Span: r.Span, CaughtUp: r.CaughtUp, Try: r.Try, Emulated: r.Emulated, Class: "interrupted",
		Error: "the run crashed or was killed; committed data is intact", Next: "aqueduck sync " + r.Pipeline,
		Line: fmt.Sprintf("%s %s published=no run=%s", Killed, r.Pipeline, r.Run)}
}
