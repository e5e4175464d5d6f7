package render

import (
	"io"
	"time"

	"aqueduck/internal/grammar"
	"aqueduck/internal/plan"
	"aqueduck/internal/preview"
	"aqueduck/internal/runlog"
	"aqueduck/internal/verify"
)

// List is the rows of a command's output, below the names of their columns.
type List struct {
	Columns []string
	Rows    [][]any
	Spare   []string // of the columns: those that a narrow terminal leaves out, the first one first
}

// WriteCSV writes the rows, with the names of the columns in the first line.
func (l List) WriteCSV(w io.Writer) error { return WriteList("csv", w, time.Time{}, l) }

// ListRunStreams returns a row for each stream of a run.
func ListRunStreams(d *runlog.RunDetail) List {
	l := List{Columns: []string{"run", "workspace", "stream", "outcome", "records", "new", "changed", "gone", "rejected", "requests", "retries", "synced_to", "error", "next"}}
	for _, s := range d.Streams {
		l.Rows = append(l.Rows, []any{d.Run, s.Workspace, s.Stream, s.Outcome, s.Records, s.New, s.Changed, s.Gone, s.Rejected, s.Requests, s.Retries, TimeCell(s.SyncedTo), s.Error, s.Next})
	}
	return l
}

// ListVerified returns a row for each stream of a verification.
func ListVerified(v *verify.Verification) List {
	l := List{Columns: []string{"workspace", "stream", "compared", "missing", "stale", "ghost", "doubled", "requests", "how", "confidence", "error"}}
	for _, s := range v.Streams {
		confidence := ""
		if s.Sampled > 0 {
			confidence = verify.Confidence(s.Sampled, s.Differ, s.Whole, s.Under)
		}
		l.Rows = append(l.Rows, []any{s.Workspace, s.Stream, s.Sampled, s.Missing, s.Stale, s.Ghost, s.Doubled, s.Requests, s.How, confidence, s.Error})
	}
	return l
}

// ListStatus returns a row for each stream of a status.
func ListStatus(s *runlog.Status) List {
	l := List{Columns: []string{"workspace", "stream", "last_run", "freshness", "read_well_at", "synced_to", "history_to", "backfill", "schema_drift"}}
	for _, x := range s.Streams {
		l.Rows = append(l.Rows, []any{x.Workspace, x.Stream, x.Outcome, string(x.Freshness), TimeCell(x.OK), TimeCell(x.SyncedTo), TimeCell(x.HistoryTo), x.Backfill,
			countDrift(s.Drift, x.Workspace, x.Stream)})
	}
	return l
}

// ListPlanned returns a row for each stream of a plan; unknown numbers are empty.
func ListPlanned(p *plan.Plan) List {
	l := List{Columns: []string{"workspace", "stream", "reads", "records", "requests", "requests_per_change", "basis", "schema_drift"}}
	known := func(n int64) any {
		if n < 0 {
			return nil
		}
		return n
	}
	for _, s := range p.Streams {
		l.Rows = append(l.Rows, []any{s.Workspace, s.Stream, s.Read, known(s.Records), known(s.Requests), s.Change, s.Basis, countDrift(p.Drift, s.Workspace, s.Stream)})
	}
	return l
}

// ListMistakes returns a row for each mistake of the configuration.
func ListMistakes(found grammar.Mistakes) List {
	l := List{Columns: []string{"file", "line", "column", "warning", "message", "hint"}}
	for _, m := range found {
		l.Rows = append(l.Rows, []any{m.File, int64(m.Line), int64(m.Column), m.Warning, m.Message, m.Hint})
	}
	return l
}

// ListOnline returns a row for each stream that a token can read or not.
func ListOnline(o *preview.Online) List {
	l := List{Columns: []string{"workspace", "stream", "request", "readable", "named", "reason"}}
	for _, s := range o.Streams {
		l.Rows = append(l.Rows, []any{s.Workspace, s.Stream, s.Request, s.Answer, s.Named, s.Why})
	}
	return l
}
