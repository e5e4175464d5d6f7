package runlog

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"aqueduck/internal/problem"
	"aqueduck/internal/term"
	"aqueduck/load"
	"aqueduck/load/layout"
	"aqueduck/transform"
)

// hasExactFindings says that the audit found what must not be.
func (r *Report) hasExactFindings() bool {
	return slices.ContainsFunc(r.Findings, func(f load.Finding) bool { return f.Kind == "exact" })
}

// Outcome is how a stream ended.
type Outcome string

// The ways a stream ends.
const (
	StatusOK          Outcome = "ok"
	StatusUnavailable Outcome = "unavailable" // the workspace does not have it; asked for again at each run
	StatusFailed      Outcome = "FAILED"
	StatusInterrupted Outcome = "interrupted"
	StatusCut         Outcome = "cut" // max_time, max_requests or --limit ended it before it was read up to now
)

// StreamResult is what a run did for one stream.
type StreamResult struct {
	Workspace, Stream string
	Status            Outcome
	Extracted         int64         // records read
	New, Changed      int64         // rows of the stream's own table
	Rows              int64         // rows written over all its tables
	Gone              int64         // records that left the source
	Rejected          int64         // records kept out whole and values that do not fit, each once: as of the run's end
	NewRejected       int64         // of them: those that this run met first
	Requests          int64         // sent, repeated ones included
	Retries           int64         // of them: those that asked again
	Time              time.Duration // that it was read for
	SyncedTo          time.Time     // the watermark; zero: none
	Backfill          float64       // share of the history that is read, 0 to 1
	Cut               bool          // max_time, max_requests or --limit ended it; it goes on in the next run
	Lost              bool          // unavailable, and was not so when it was asked for before
	Class, Error      string
	Next              string
	Rejects           []transform.Reject // what Rejected counts

	Refused []transform.Reject `json:"-"` // what did not fit of batches that were not committed
	Texts   [][]byte           `json:"-"` // records that were kept out whole, as they came
	Fault   error              `json:"-"` // of the program: what Error tells, with all that it was told in
}

// Add counts what a commit wrote.
func (s *StreamResult) Add(w load.Written) {
	s.New += w.New
	s.Changed += w.Changed
	s.Rows += w.Rows
}

// KeepTexts keeps the text of the records that were kept out whole.
func (s *StreamResult) KeepTexts(rejects []transform.Reject) {
	for _, r := range rejects {
		if r.Raw != nil {
			s.Texts = append(s.Texts, r.Raw)
		}
	}
}

// CountRejects counts what does not fit: what is noted of it, and what was met in batches that were not committed.
func (s *StreamResult) CountRejects(noted []load.DeadLetterCount) {
	s.Rejected, s.NewRejected, s.Rejects = 0, 0, nil
	for _, m := range noted {
		s.Rejected, s.NewRejected = s.Rejected+m.Count, s.NewRejected+m.New
		s.Rejects = append(s.Rejects, transform.Reject{Stream: s.Stream, Table: m.Table, Column: m.Column, Reason: m.Reason, Count: m.Count, Key: m.Key})
	}
	for _, r := range s.Refused {
		s.Rejected, s.NewRejected = s.Rejected+r.Count, s.NewRejected+r.Count
		s.Rejects = append(s.Rejects, r)
	}
}

// Report is what a run did.
type Report struct {
	Pipeline    string
	RunID       string
	APIVersions []string      // that were asked for, each once
	Dir         layout.Dir    // where the data is
	Started     time.Time     // by the run's clock
	Time        time.Duration // that it took
	Streams     []StreamResult
	Changes     []load.Change
	Notes       []string         // what the reader should know besides: a restored database, a skewed clock
	Interrupted bool             // it was told to stop, perhaps between two streams
	Findings    []load.Finding   // of the audit; known and soft ones when they are new
	Held        *problem.Problem // why readers keep the file they had; nil: they do not
	Published   bool             // readers have a file of this run
	After       *problem.Problem // the command that failed once data had been published; nil: none
	// TablesChanged counts the tables that readers found changed, each time anew.
	TablesChanged int
	Requests      int64         // sent, repeated ones included
	Left          time.Duration // estimate until the history is read; 0 when it is, or unknown

	Given problem.CLIFlags `json:"-"` // flags that next steps repeat
	Code  int              `json:"-"` // what the program ends with where the run was interrupted; 0: ExitInterrupted
}

// Count is the number of streams that ended with a status.
func (r *Report) Count(status Outcome) int {
	n := 0
	for _, s := range r.Streams {
		if s.Status == status {
			n++
		}
	}
	return n
}

// Faults are the errors of streams that nothing but the program explains.
func (r *Report) Faults() (faults []error) {
	for _, s := range r.Streams {
		if s.Fault != nil {
			faults = append(faults, s.Fault)
		}
	}
	return faults
}

// TotalRows is the number of rows written.
func (r *Report) TotalRows() (rows int64) {
	for _, s := range r.Streams {
		rows += s.Rows
	}
	return rows
}

// Exit is the code that the run ends the program with.
func (r *Report) Exit() int {
	code, asked, refused := problem.ExitOK, 0, 0
	for _, s := range r.Streams {
		if s.Requests > 0 {
			asked++
		}
		if s.Status == StatusUnavailable {
			refused++
		}
		switch {
		case s.Class == "auth":
			return problem.ExitRefused
		case (s.Status == StatusFailed || s.Lost) && code == problem.ExitOK:
			code = problem.ExitFailed
		}
	}
	if refused > 0 && refused == asked {
		return problem.ExitRefused // 403 for all that was asked: the token may read nothing of this
	}
	if r.Interrupted {
		return cmp.Or(r.Code, problem.ExitInterrupted)
	}
	if r.Held != nil {
		return r.Held.ExitCode()
	}
	if r.hasExactFindings() || r.After != nil {
		return problem.ExitFailed
	}
	return code
}

// Outcome is the first word of the last line.
func (r *Report) Outcome() string {
	switch r.Exit() {
	case problem.ExitOK:
		return "OK"
	case problem.ExitHungUp, problem.ExitInterrupted, problem.ExitTerminated:
		return "INTERRUPTED"
	}
	return "FAILED"
}

// Backfill is the share of the history that the stream furthest behind has read; what the workspace does not have has none.
func (r *Report) Backfill() float64 {
	share := 1.0
	for _, s := range r.Streams {
		if s.Status != StatusUnavailable {
			share = min(share, s.Backfill)
		}
	}
	return share
}

// LastLine is the one line that scripts may depend on.
func (r *Report) LastLine() string {
	var rejected, fresh int64
	for _, s := range r.Streams {
		rejected, fresh = rejected+s.Rejected, fresh+s.NewRejected
	}
	published := "no"
	if r.Published {
		published = "yes"
	}
	left := ""
	if r.Left > 0 {
		left = " left=" + term.Duration(r.Left)
	}
	return fmt.Sprintf("%s %s ok=%d unavailable=%d failed=%d rows=%d rejected=%d new_rejected=%d requests=%d backfill=%d%%%s published=%s time=%s run=%s",
		r.Outcome(), r.Pipeline, r.Count(StatusOK), r.Count(StatusUnavailable), r.Count(StatusFailed), r.TotalRows(), rejected, fresh, r.Requests,
		int(r.Backfill()*100), left, published, term.Duration(r.Time), r.RunID)
}

// StoppedError is what kept a run from being one, and the last line of that run.
type StoppedError struct {
	Err  error
	Line string
}

// Error says what is wrong.
func (e *StoppedError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *StoppedError) Unwrap() error { return e.Err }

// StreamNamer gives how each of some streams is called: by its name, with its workspace before it where they are of several.
func StreamNamer[S any](streams []S, place func(S) (workspace, stream string)) func(S) string {
	several := slices.ContainsFunc(streams, func(s S) bool {
		first, _ := place(streams[0])
		workspace, _ := place(s)
		return workspace != first
	})
	return func(s S) string {
		workspace, stream := place(s)
		if several {
			return workspace + "." + stream
		}
		return stream
	}
}

func (s *StreamResult) Name(r *Report) string {
	return StreamNamer(r.Streams, func(s StreamResult) (string, string) { return s.Workspace, s.Stream })(*s)
}

// Of names the workspace of an error, where the run reads several.
func (s *StreamResult) Of(r *Report) string {
	if s.Name(r) == s.Stream {
		return ""
	}
	return "workspace " + s.Workspace + ": "
}

// Reached says how far the stream is read, or that it stayed where it was.
func (s *StreamResult) Reached() string {
	at := "–"
	if !s.SyncedTo.IsZero() {
		at = s.SyncedTo.UTC().Format(time.RFC3339)
	}
	if s.Status == StatusFailed {
		return "kept at " + at
	}
	if s.Backfill < 1 && s.Status != StatusUnavailable { // what the workspace does not have has no history, as in the last line
		return fmt.Sprintf("%s, history %d%%", at, int(s.Backfill*100))
	}
	return at
}
