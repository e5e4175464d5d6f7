package runlog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/problem"
	"aqueduck/internal/term"
	"aqueduck/load"
	"aqueduck/load/layout"
	"aqueduck/transform"
)

// hasExactFindings reports whether the audit found an error that fails the run.
func (r *Report) hasExactFindings() bool {
	return slices.ContainsFunc(r.Findings, func(f load.Finding) bool { return f.Kind == "exact" })
}

// Outcome is the result of one stream in a run.
type Outcome string

// The outcomes of a stream.
const (
	StatusOK          Outcome = "ok"
	StatusUnavailable Outcome = "unavailable" // the workspace, version or token does not have it; every run asks again
	StatusFailed      Outcome = "FAILED"
	StatusInterrupted Outcome = "interrupted"
	StatusCut         Outcome = "cut" // max_time, max_requests or --limit ended it before it was up to date
)

// StreamResult is what a run did for one stream.
type StreamResult struct {
	Workspace, Stream string
	Status            Outcome
	Extracted         int64         // records read
	New, Changed      int64         // rows of the stream's own table, without child tables
	Rows              int64         // rows written, over all tables of the stream
	Gone              int64         // records that the source no longer has
	Rejected          int64         // dead letters at the end of the run: whole records and values, each once
	NewRejected       int64         // of them: first met by this run
	Requests          int64         // requests sent, retries included
	Retries           int64         // of them: retries
	Time              time.Duration // how long it was read
	SyncedTo          time.Time     // the watermark; zero: none
	Backfill          float64       // share of the history that is read, 0 to 1
	Cut               bool          // max_time, max_requests or --limit ended it; the next run continues
	Lost              bool          // unavailable, and was available in an earlier run
	Class, Error      string
	Next              string
	Rejects           []transform.Reject // what Rejected counts

	Refused []transform.Reject `json:"-"` // dead letters of batches that were not committed
	Texts   [][]byte           `json:"-"` // records that became dead letters as a whole, as the source sent them
	Fault   error              `json:"-"` // an error of the program itself, with everything that Error leaves out
}

// Add adds the rows that a commit wrote.
func (s *StreamResult) Add(w load.Written) {
	s.New += w.New
	s.Changed += w.Changed
	s.Rows += w.Rows
}

// KeepTexts keeps the text of the records that became dead letters as a whole.
func (s *StreamResult) KeepTexts(rejects []transform.Reject) {
	for _, r := range rejects {
		if r.Raw != nil {
			s.Texts = append(s.Texts, r.Raw)
		}
	}
}

// CountRejects sets the counts of dead letters: those noted in the database, and those of batches that were not committed.
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
	APIVersions []string      // the versions that the run asked for, each once
	Dir         layout.Dir    // the data directory
	Started     time.Time     // by the warehouse's clock
	Emulated    bool          // that is the clock of an emulated workspace
	Time        time.Duration // duration
	Streams     []StreamResult
	Changes     []load.Change
	Drift       []Drift          // what the source sent for the first time, as far as the run has published it
	Notes       []string         // other remarks: a restored database, clocks that differ
	Interrupted bool             // a signal or a person ended the run
	Findings    []load.Finding   // of the audit; soft and known ones only when they are new
	Held        *problem.Problem // why the publish was held back; nil: it was not
	Published   bool             // the run published a file
	Unchanged   bool             // readers had all that the run read: it changed no file
	Drifted     bool             // the published file has changes of tables, or new fields, that the run recorded
	Unsent      *problem.Problem // why the object store did not get the published file; nil: it did, or there is none
	After       *problem.Problem // the command of `after:` that failed; nil: none
	// MissingModels are the models that the published file lacks, each with the reason.
	MissingModels string
	// Restored says which damaged file the run went on without, and from which file.
	Restored string
	// TablesChanged counts the changed tables of each publish of the run, added up.
	TablesChanged int
	Requests      int64         // requests sent, retries included
	Left          time.Duration // estimate until the history is read; 0 when it is, or when it is not known

	Given problem.CLIFlags `json:"-"` // flags that commands in next steps repeat
	Code  int              `json:"-"` // the exit code of an interrupted run; 0: ExitInterrupted

	Misses bool `json:"-"` // a stream of the pipeline that was read before is unavailable; known only where a recovery is sent to someone
}

// Count returns the number of streams with an outcome.
func (r *Report) Count(status Outcome) int {
	n := 0
	for _, s := range r.Streams {
		if s.Status == status {
			n++
		}
	}
	return n
}

// Faults returns the errors of streams that only a bug of the program explains.
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

// Exit returns the exit code of the program after this run.
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
		return problem.ExitRefused // every stream answered 403: the token has none of the scopes
	}
	if r.Interrupted {
		return cmp.Or(r.Code, problem.ExitInterrupted)
	}
	if r.Held != nil {
		return r.Held.ExitCode()
	}
	if r.hasExactFindings() || r.Unsent != nil || r.After != nil {
		return problem.ExitFailed
	}
	return code
}

// Outcome is the first word of the last line of output.
func (r *Report) Outcome() string {
	switch r.Exit() {
	case problem.ExitOK:
		return "OK"
	case problem.ExitHungUp, problem.ExitInterrupted, problem.ExitTerminated:
		return "INTERRUPTED"
	}
	return "FAILED"
}

// Backfill is the share of the history, 0 to 1, of the stream that is furthest behind. Streams that the workspace does not have do not count.
func (r *Report) Backfill() float64 {
	share := 1.0
	for _, s := range r.Streams {
		if s.Status != StatusUnavailable {
			share = min(share, s.Backfill)
		}
	}
	return share
}

// HasShown reports whether readers have all that the run read.
func (r *Report) HasShown() bool { return r.Published || r.Unchanged }

// Problems are what failed besides the streams, the most important first.
func (r *Report) Problems() []*problem.Problem {
	return slices.DeleteFunc([]*problem.Problem{r.Held, r.Unsent, r.After}, func(p *problem.Problem) bool { return p == nil })
}

// Failures are Problems and the exact findings of the audit: why a run ends with another code than 0 although its streams are ok.
func (r *Report) Failures() []*problem.Problem {
	all := r.Problems()
	for _, f := range r.Findings {
		if f.Kind == "exact" {
			all = append(all, &problem.Problem{Class: "data", What: fmt.Sprintf("the audit found %s in %s%s: %s", f.Name, f.Schema, term.WithNote(".", f.Table), f.Message),
				Next: cmp.Or(f.Next, r.Given.Append("aqueduck runs show "+r.RunID))})
		}
	}
	return all
}

// LastLine is the last line of output. Its form is stable, for scripts.
func (r *Report) LastLine() string {
	var rejected, fresh int64
	for _, s := range r.Streams {
		rejected, fresh = rejected+s.Rejected, fresh+s.NewRejected
	}
	published := "no"
	switch {
	case r.Published:
		published = "yes"
	case r.Unchanged:
		published = "unchanged"
	}
	cut, left := "", ""
	if n := r.Count(StatusCut); n > 0 {
		cut = fmt.Sprintf(" cut=%d", n)
	}
	if r.Left > 0 {
		left = " left=" + term.Duration(r.Left)
	}
	return fmt.Sprintf("%s %s ok=%d unavailable=%d failed=%d%s rows=%d rejected=%d new_rejected=%d requests=%d backfill=%d%%%s published=%s time=%s run=%s",
		r.Outcome(), r.Pipeline, r.Count(StatusOK), r.Count(StatusUnavailable), r.Count(StatusFailed), cut, r.TotalRows(), rejected, fresh, r.Requests,
		int(r.Backfill()*100), left, published, term.Duration(r.Time), r.RunID)
}

// StoppedError says why a run did not take place, and has its last line of output.
type StoppedError struct {
	Err  error
	Line string
}

// Error returns the text of the cause.
func (e *StoppedError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *StoppedError) Unwrap() error { return e.Err }

// StreamNamer returns a function that names streams: with the workspace before the name where the streams are of several workspaces.
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

// NameError returns the error of a stream behind the name by which the output calls the stream.
func NameError(called, stream, text string) string {
	return called + ": " + strings.TrimPrefix(strings.TrimPrefix(text, "stream "+stream+": "), "read "+stream+": ")
}

// Of names the workspace of an error when the run reads several; "" otherwise.
func (s *StreamResult) Of(r *Report) string {
	if s.Name(r) == s.Stream {
		return ""
	}
	return "workspace " + s.Workspace + ": "
}

// Reached says up to which time the stream is read, as seen from now.
func (s *StreamResult) Reached(now time.Time) string {
	at := term.ShortTime(now, s.SyncedTo.UTC())
	if s.Status != StatusFailed && s.Backfill < 1 && s.Status != StatusUnavailable { // an unavailable stream has no history, as in the last line
		return fmt.Sprintf("%s, backfill %d%%", at, int(s.Backfill*100))
	}
	return at
}
