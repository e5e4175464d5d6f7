package emulator

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/emulator/control"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/knobs"
	"aqueduck/internal/emulator/oracle"
	"aqueduck/internal/emulator/population"
)

// ErrTime is answered when the truth is asked for of a time that the oracle cannot tell of.
var ErrTime = errors.New("no truth of that time")

// OracleStreams names the streams that Oracle knows.
func OracleStreams() []string { return oracle.Streams() }

// Oracle gives the rows that a perfect reader would hold of a stream now, computed from the log alone; nil for a stream
// it does not know. The package's documentation tells the columns.
func (w *Workspace) Oracle(stream string) []map[string]any {
	rows := w.Truth(stream)
	if rows == nil {
		return nil
	}
	list := []map[string]any{}
	for row := range rows {
		list = append(list, row)
	}
	return list
}

// Truth is Oracle row by row, for workspaces whose rows are too many to hold.
func (w *Workspace) Truth(stream string) iter.Seq[map[string]any] {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.happen(w.clock())
	return oracle.New(w.log(), w.now()).Rows(stream)
}

// TruthAt is Truth as it was: the rows that a perfect reader held when a second was over. It is what Truth told then, and
// stays so whatever happens later, an erasure too. Before hour 0 and after now there is none: ErrTime.
func (w *Workspace) TruthAt(stream string, t time.Time) (iter.Seq[map[string]any], error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.happen(w.clock())
	start, now := w.cfg.Start.Unix(), w.now()
	switch at := t.Unix(); {
	case at < start:
		return nil, fmt.Errorf("%w: %s is before hour 0, %s, and what the population was before it is not drawn", ErrTime,
			t.UTC().Format(time.RFC3339), w.cfg.Start.UTC().Format(time.RFC3339))
	case at > now:
		return nil, fmt.Errorf("%w: %s is yet to come, it is %s", ErrTime, t.UTC().Format(time.RFC3339), w.clock().UTC().Format(time.RFC3339))
	}
	rows := oracle.At(w.log(), t.Unix()).Rows(stream)
	if rows == nil {
		return nil, unknownStream(stream)
	}
	return rows, nil
}

func unknownStream(stream string) error {
	return fmt.Errorf("%w %q; the oracle knows %s", control.ErrNoStream, stream, strings.Join(OracleStreams(), ", "))
}

// log is all that happened. Logs are only appended to, so it is read without the lock.
func (w *world) log() event.Log {
	return event.Log{Start: w.cfg.Start.Unix(), Contacts: slices.Clip(w.events), Companies: slices.Clip(w.firmLog), Conversations: slices.Clip(w.said),
		Tickets: slices.Clip(w.ticketLog), Deletions: w.deletions, Content: slices.Clip(w.contentLog), Consultations: slices.Clip(w.consulted),
		Calls: slices.Clip(w.calls), Actions: w.acts, Reports: slices.Clip(w.reportEvents), Terms: slices.Clip(w.terms), Facts: w.facts()}
}

// facts are what the events of the log hold that is drawn anew whenever it is asked for.
func (w *world) facts() event.Facts {
	seed, start, contacts := w.cfg.Seed, w.cfg.Start.Unix(), w.cfg.Contacts
	return event.Facts{
		Conversation: w.conv.Begin, Ticket: w.ticketing.Begin, Consultations: w.conv.Consultations,
		Dialogue: func(c *event.Consultation) *event.Dialogue { return population.Dialogue(seed, c) },
		Lines:    func(call int32) []event.Line { return population.CallLines(seed, call) },

		Companies: w.make.Companies, Company: func(n int32) *event.Company { return w.make.Company(n, start) },
		CompanyID:     func(n int32) string { return string(w.make.AppendCompanyID(nil, n)) },
		Subscriptions: w.make.Subscriptions, Note: w.make.Note,

		Content: func() [event.ContentKinds][]event.BornContent { return population.BornContent(seed, start) },
		Piece:   population.PieceOf,
		Wording: func(kind event.ContentKind, n int32, edits int) event.Wording {
			return population.WordingOf(seed, kind, n, edits)
		},
		VersionNote: func(connector int32, n int) string { return population.VersionNoteOf(seed, connector, n) },

		Reports: func(set *event.Dataset, hour int) []event.ReportFact {
			return population.ReportFacts(seed, contacts, start, set, hour)
		},
		TalkReport: func(conversation int32) event.TalkReport { return population.DrawTalk(seed, conversation) },
	}
}

// stand notes what the truth depends on from a time on. The lock is held.
func (w *core) stand(at int64) {
	k := w.k()
	w.terms = append(w.terms, event.Terms{At: at, Hours: w.hours, Workspace: w.workspace, PartsCap: k.MostParts(), UsersOnly: k.UsersOnly,
		FormerAdmins: k.FormerAdmins, NoDynamicContent: k.NoDynamicContent, TranscriptLate: int64(k.TranscriptLate / time.Second),
		CallsLeftOut: k.CallsLeftOut, Redacted: map[knobs.Sometimes]event.Redacted{knobs.ByTurns: event.RedactedByTurns, knobs.Always: event.RedactedHidden, knobs.Never: event.RedactedMuted}[k.HitlRedacted]})
}
