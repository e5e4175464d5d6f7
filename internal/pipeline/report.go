package pipeline

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"aqueduck/load"
	"aqueduck/load/layout"
	"aqueduck/transform"
)

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
	Extracted         int64 // records read
	New, Changed      int64 // rows of the stream's own table
	Rows              int64 // rows written over all its tables
	Gone              int64 // records that left the source
	Rejected          int64 // records kept out whole and values that do not fit, each once: as of the run's end
	NewRejected       int64 // of them: those that this run met first
	Requests          int64
	Retries           int64
	Time              time.Duration
	SyncedTo          time.Time
	Backfill          float64 // share of the history that is read, 0 to 1
	Cut               bool    // max_time, max_requests or --limit ended it; it goes on in the next run
	Lost              bool    // unavailable, and was not so when it was asked for before
	Class, Error      string
	Next              string
	Rejects           []transform.Reject // what Rejected counts

	refused []transform.Reject // what did not fit of batches that were not committed
	texts   [][]byte           // records that were kept out whole, as they came
	fault   error              // of the program: what Error tells, with all that it was told in
}

func (s *StreamResult) add(w load.Written) {
	s.New += w.New
	s.Changed += w.Changed
	s.Rows += w.Rows
}

// keepTexts keeps the text of the records that were kept out whole.
func (s *StreamResult) keepTexts(rejects []transform.Reject) {
	for _, r := range rejects {
		if r.Raw != nil {
			s.texts = append(s.texts, r.Raw)
		}
	}
}

// countRejects counts what does not fit: what is noted of it, and what was met in batches that were not committed.
func (s *StreamResult) countRejects(noted []load.Misfits) {
	s.Rejected, s.NewRejected, s.Rejects = 0, 0, nil
	for _, m := range noted {
		s.Rejected, s.NewRejected = s.Rejected+m.Count, s.NewRejected+m.New
		s.Rejects = append(s.Rejects, transform.Reject{Stream: s.Stream, Table: m.Table, Column: m.Column, Reason: m.Reason, Count: m.Count, Key: m.Key})
	}
	for _, r := range s.refused {
		s.Rejected, s.NewRejected = s.Rejected+r.Count, s.NewRejected+r.Count
		s.Rejects = append(s.Rejects, r)
	}
}

// Report is what a run did.
type Report struct {
	Pipeline    string
	RunID       string
	APIVersions []string   // that were asked for, each once
	Dir         layout.Dir // where the data is
	Started     time.Time
	Time        time.Duration
	Streams     []StreamResult
	Changes     []load.Change
	Notes       []string       // what the reader should know besides: a restored database, a skewed clock
	Interrupted bool           // it was told to stop, perhaps between two streams
	Findings    []load.Finding // of the audit; known and soft ones when they are new
	Held        *Problem       // why readers keep the file they had; nil: they do not
	Published   bool
	After       *Problem // the command that failed once data had been published; nil: none
	// TablesChanged counts the tables that readers found changed, each time anew.
	TablesChanged int
	Requests      int64
	Left          time.Duration // estimate until the history is read; 0 when it is, or unknown

	given Given // flags that next steps repeat
	code  int   // what the program ends with where the run was interrupted; 0: ExitInterrupted
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
		if s.fault != nil {
			faults = append(faults, s.fault)
		}
	}
	return faults
}

// Rows is the number of rows written.
func (r *Report) Rows() (rows int64) {
	for _, s := range r.Streams {
		rows += s.Rows
	}
	return rows
}

// Exit is the code that the run ends the program with.
func (r *Report) Exit() int {
	code, asked, refused := ExitOK, 0, 0
	for _, s := range r.Streams {
		if s.Requests > 0 {
			asked++
		}
		if s.Status == StatusUnavailable {
			refused++
		}
		switch {
		case s.Class == "auth":
			return ExitRefused
		case (s.Status == StatusFailed || s.Lost) && code == ExitOK:
			code = ExitFailed
		}
	}
	if refused > 0 && refused == asked {
		return ExitRefused // 403 for all that was asked: the token may read nothing of this
	}
	if r.Interrupted {
		return cmp.Or(r.code, ExitInterrupted)
	}
	if r.Held != nil {
		return r.Held.ExitCode()
	}
	if r.exact() || r.After != nil {
		return ExitFailed
	}
	return code
}

// Outcome is the first word of the last line.
func (r *Report) Outcome() string {
	switch r.Exit() {
	case ExitOK:
		return "OK"
	case ExitHungUp, ExitInterrupted, ExitTerminated:
		return "INTERRUPTED"
	}
	return "FAILED"
}

// backfill is the share of the history that the stream furthest behind has read; what the workspace does not have has none.
func (r *Report) backfill() float64 {
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
		left = " left=" + brief(r.Left)
	}
	return fmt.Sprintf("%s %s ok=%d unavailable=%d failed=%d rows=%d rejected=%d new_rejected=%d requests=%d backfill=%d%%%s published=%s time=%s run=%s",
		r.Outcome(), r.Pipeline, r.Count(StatusOK), r.Count(StatusUnavailable), r.Count(StatusFailed), r.Rows(), rejected, fresh, r.Requests,
		int(r.backfill()*100), left, published, brief(r.Time), r.RunID)
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

// brief is a duration as a person reads it: 11.2s, 4m10s, 7h10m.
func brief(d time.Duration) string {
	const tenth = 100 * time.Millisecond
	switch {
	case d.Round(tenth) < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d.Round(time.Second) < time.Hour:
		d = d.Round(time.Second)
		return pair(d/time.Minute, "m", d%time.Minute/time.Second, "s")
	}
	d = d.Round(time.Minute)
	return pair(d/time.Hour, "h", d%time.Hour/time.Minute, "m")
}

func pair(large time.Duration, unit string, small time.Duration, smallUnit string) string {
	if small == 0 {
		return fmt.Sprintf("%d%s", large, unit)
	}
	return fmt.Sprintf("%d%s%d%s", large, unit, small, smallUnit)
}

// Print writes what was read and where to, the table of a run, the errors with their next steps, and the last line.
func (r *Report) Print(w io.Writer) {
	fmt.Fprintf(w, "%s  run %s  api %s  →  %s + %s/\n\n", r.Pipeline, r.RunID, strings.Join(r.APIVersions, ", "), r.Dir.Link(), r.Dir.Lake(""))
	t := table.NewWriter()
	t.SetStyle(plainStyle())
	t.AppendHeader(table.Row{"STREAM", "STATUS", "EXTRACTED", "NEW", "CHANGED", "REJECTED", "REQS", "RETRIES", "TIME", "SYNCED TO"})
	t.SetColumnConfigs(right(3, 4, 5, 6, 7, 8, 9))
	for _, s := range r.Streams {
		counted := thousands
		if s.Status == StatusUnavailable && s.Extracted == 0 {
			counted = func(int64) string { return "–" } // 0 would say that there is none
		}
		t.AppendRow(table.Row{s.name(r), string(s.Status), counted(s.Extracted), counted(s.New), counted(s.Changed),
			counted(s.Rejected), thousands(s.Requests), thousands(s.Retries), brief(s.Time), s.reached()})
	}
	fmt.Fprintln(w, draw(t))
	made := 0
	for _, c := range r.Changes {
		if c.Column == "" {
			made++
			continue
		}
		fmt.Fprintf(w, "  %s.%s.%s %s\n", c.Schema, c.Table, c.Column, c.What)
	}
	if made > 0 {
		fmt.Fprintf(w, "  %s made\n", many(made, "table"))
	}
	for _, note := range r.Notes {
		fmt.Fprintf(w, "  note: %s\n", note)
	}
	for _, f := range r.Findings {
		fmt.Fprintf(w, "  audit %s: %s of %s.%s: %s, expected %s: %s\n", f.Kind, f.Name, f.Schema, f.Table, cmp.Or(f.Found, "–"), cmp.Or(f.Expected, "–"), f.Message)
	}
	for _, s := range r.Streams {
		if s.Error != "" {
			fmt.Fprintf(w, "\n  error[%s] %s%s\n       next: %s\n", s.Class, s.of(r), s.Error, s.Next)
		}
		if s.Lost {
			fmt.Fprintf(w, "       note: %s could be read until now. What was read stays; later runs do not fail for it, `aqueduck status` tells how old it is\n", s.name(r))
		}
	}
	for _, p := range []*Problem{r.Held, r.After} {
		if p != nil {
			fmt.Fprintf(w, "\n  error[%s] %s\n       next: %s\n", p.Class, p.What, p.Next)
		}
	}
	if r.Interrupted {
		fmt.Fprintf(w, "\n  interrupted: what was whole is committed, and not yet published\n       next: %s\n", r.given.To("aqueduck sync "+r.Pipeline))
	}
	fmt.Fprintf(w, "\n%s\n", r.LastLine())
}

// Called gives how each of some streams is called: by its name, with its workspace before it where they are of several.
func Called[S any](streams []S, place func(S) (workspace, stream string)) func(S) string {
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

func (s *StreamResult) name(r *Report) string {
	return Called(r.Streams, func(s StreamResult) (string, string) { return s.Workspace, s.Stream })(*s)
}

// of names the workspace of an error, where the run reads several.
func (s *StreamResult) of(r *Report) string {
	if s.name(r) == s.Stream {
		return ""
	}
	return "workspace " + s.Workspace + ": "
}

// reached says how far the stream is read, or that it stayed where it was.
func (s *StreamResult) reached() string {
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

// plainStyle has no lines: it reads the same on a terminal, in a mail and in a log.
func plainStyle() table.Style {
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Format.Header = text.FormatDefault
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	return style
}

// right puts columns of numbers, counted from 1, on the right.
func right(numbers ...int) []table.ColumnConfig {
	columns := make([]table.ColumnConfig, len(numbers))
	for i, n := range numbers {
		columns[i] = table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight}
	}
	return columns
}

// draw is a table, set in a little, with no spaces at the ends of its lines.
func draw(t table.Writer) string {
	lines := strings.Split(t.Render(), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight("  "+line, " ")
	}
	return strings.Join(lines, "\n")
}

// many is a number of things.
func many(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return thousands(int64(n)) + " " + thing + "s"
}

func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
