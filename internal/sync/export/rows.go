package export

import (
	"context"
	"errors"
	"fmt"
	"time"

	"aqueduck/extract"
	"aqueduck/extract/export"
	"aqueduck/internal/dictionary"
	"aqueduck/internal/problem"
	"aqueduck/internal/sync/stream"
	"aqueduck/internal/sync/warehouse"
	"aqueduck/internal/term"
	"aqueduck/load"
	"aqueduck/transform"
)

// errTooMuch says that an export holds more than one commit may hold in memory.
var errTooMuch = errors.New("the export is too large for one commit")

// reasonAmbiguous is the dead-letter reason of a local time that the clocks showed twice or never.
const reasonAmbiguous = "ambiguous_time"

// exportTally counts the rows of an export that are not simply stored.
type exportTally struct {
	outside   int64   // rows outside of the job's days, skipped
	foreign   int64   // of them: further outside than the surplus second
	ambiguous []int64 // numbers of the batch's rows whose local time is ambiguous
}

// storeRows replaces the rows of the job's days by those of the export, in one transaction with the checkpoint.
func (t *exportReader) storeRows(ctx context.Context, job extract.ExportJob, archive *export.Archive) error {
	t.Run.Progress.Exported(t.Task, archive.Rows)
	if archive.Text > mostExport {
		return t.refuseTooLarge(job, archive)
	}
	columns, all, err := t.matchColumns(archive)
	if err != nil {
		return err
	}
	if err := t.addColumns(ctx, all); err != nil {
		return err
	}
	tally, err := t.decodeRows(job, archive, columns)
	if err != nil {
		return err
	}
	return t.commitSpan(ctx, job, archive, tally)
}

// refuseTooLarge returns errTooMuch, which makes the caller export fewer days at once; for a single day it returns a problem that ends the stream.
func (t *exportReader) refuseTooLarge(job extract.ExportJob, archive *export.Archive) error {
	if !t.oneDay(job) {
		return errTooMuch
	}
	return &problem.Problem{Class: "data", Err: errTooMuch,
		What: fmt.Sprintf("stream %s: one day has %d rows with %d MB of text", t.Stream.Name, archive.Rows, archive.Text>>20),
		Next: "drop columns that you do not need, under streams: in pipelines.yaml"}
}

func (t *exportReader) oneDay(job extract.ExportJob) bool {
	return t.export.days.Count(job.From, job.To) == 1
}

// matchColumns maps the columns of every file in the archive to the table's. all are the columns of the table after this export.
func (t *exportReader) matchColumns(archive *export.Archive) ([]export.Columns, []extract.ExportColumn, error) {
	all := t.State.Export.Columns
	accept := t.Run.Options.AcceptsDrop(t.Stream.Name)
	columns := make([]export.Columns, len(archive.Members))
	present := map[string]bool{}
	for i, m := range archive.Members {
		c, err := t.export.set.MatchColumns(m.Header, all, accept)
		if err != nil {
			return nil, nil, &problem.Problem{Class: "data", What: fmt.Sprintf("stream %s: export file %s", t.Stream.Name, m.Name), Err: err,
				Next: "check the dataset in the workspace; if the rows are really gone: aqueduck sync --accept-drop " + t.Stream.Name}
		}
		columns[i], all = c, c.All
		for _, column := range c.All {
			present[column.Name] = present[column.Name] || !column.Gone
		}
	}
	for i := range all {
		all[i].Gone = !present[all[i].Name] // no file of the archive has it
	}
	return columns, all, nil
}

// addColumns adds new columns to the table, and makes a decoder that knows them.
func (t *exportReader) addColumns(ctx context.Context, all []extract.ExportColumn) error {
	e := *t.State.Export
	e.Columns = all
	s := dictionary.DatasetStream(t.export.family, t.Stream.Name, &e)
	if len(s.Columns) != len(t.Stream.Columns) {
		if err := errors.Join(t.setDecoder(s), t.Broken); err != nil {
			return err
		}
		changes, err := t.Run.Writer.WidenTable(ctx, t.Workspace.Name, t.Tables[0])
		if err != nil {
			return fmt.Errorf("stream %s: add the columns of its export: %w", s.Name, err)
		}
		t.Run.AddChanges(changes)
	}
	t.State.Export = &e
	return nil
}

// decodeRows decodes the rows of the job's days into a batch. It skips rows of the extra second that the job asks for at both ends. Rows of any
// other day refuse the whole export: then the source and the warehouse disagree about the time zone.
func (t *exportReader) decodeRows(job extract.ExportJob, archive *export.Archive, columns []export.Columns) (exportTally, error) {
	var tally exportTally
	var buffer []byte
	meta := transform.Meta{ReadAt: t.export.source.Now()}
	err := archive.EachRow(func(member int, cells []export.Cell) error {
		row := columns[member].BuildRecord(buffer, cells, t.export.days.Zone)
		buffer = row.JSON
		if row.Timed && (row.Time < job.From || row.Time >= job.To) {
			tally.outside++
			if row.Time < job.From-1 || row.Time > job.To+1 {
				tally.foreign++
			}
			return nil
		}
		if t.Decoder.Bytes() > mostExport {
			return errTooMuch
		}
		number := int64(t.Decoder.Records())
		err := t.Decoder.Append(row.JSON, meta)
		if row.Ambiguous && int64(t.Decoder.Records()) > number {
			tally.ambiguous = append(tally.ambiguous, number)
		}
		return err
	})
	if err != nil {
		stream.ReleaseBatches(t.Decoder.Take())
		if errors.Is(err, errTooMuch) {
			err = t.refuseTooLarge(job, archive)
		}
		return tally, err
	}
	if tally.foreign > 0 {
		stream.ReleaseBatches(t.Decoder.Take())
		return tally, &problem.Problem{Class: "data",
			What: fmt.Sprintf("stream %s: %d of %d rows belong to other days than the requested ones", t.Stream.Name, tally.foreign, archive.Rows),
			Next: "if its times have no time zone, set warehouse.timezone to the zone of the workspace; nothing was stored, the watermark did not move"}
	}
	return tally, nil
}

// commitSpan checks the decoded rows, and replaces the stored rows of the days in one transaction with the checkpoint.
func (t *exportReader) commitSpan(ctx context.Context, job extract.ExportJob, archive *export.Archive, tally exportTally) error {
	batches := t.Decoder.Take()
	defer stream.ReleaseBatches(batches)
	own := &batches[0]
	own.Mode, own.Window = transform.ReplaceWindow, [2]time.Time{warehouse.UnixTime(job.From), warehouse.UnixTime(job.To)}
	own.Refresh = t.State.Replace
	rejects := t.Decoder.Rejects()
	for _, row := range tally.ambiguous {
		own.DeadLetters = append(own.DeadLetters, transform.DeadLetter{Row: row, Table: t.Tables[0].Name, Column: export.TimeColumn, Reason: reasonAmbiguous, Count: 1})
	}
	t.Result.KeepTexts(rejects)
	err := stream.RefuseMostRejected(t.Task, rejects, own.Rows.NumRows())
	if err == nil {
		err = t.verifyRowCounts(archive, tally, rejects, own.Rows.NumRows())
	}
	if err == nil {
		err = t.refuseEmptied(ctx, job, own.Rows.NumRows())
	}
	if err != nil {
		t.Result.Refused = append(t.Result.Refused, rejects...)
		return err
	}
	state := t.stateAfter(job)
	next := t.NextCheckpoint(state)
	began := t.Run.Now()
	written, err := t.Run.Writer.Commit(ctx, t.Workspace.Name, t.Stream.Name, t.Base, next, batches)
	if err != nil {
		return fmt.Errorf("stream %s: commit: %w", t.Stream.Name, err)
	}
	t.Base, t.State = next, state
	if job.Kind == extract.ExportWindow {
		t.export.window = job.To
	}
	t.Result.Extracted += archive.Rows
	t.Result.Add(written)
	t.Run.Progress.Committed(t.Task, began)
	switch { // adapt the span so that the next job is about as large as one commit should be
	case archive.Text > largeExport:
		t.export.span = max(1, t.export.span/2)
	case archive.Text < smallExport:
		t.export.span = min(longestSpan, t.export.span*2)
	}
	return nil
}

// verifyRowCounts checks that every row of the file was stored, became a dead letter or lies outside of the days.
func (t *exportReader) verifyRowCounts(archive *export.Archive, tally exportTally, rejects []transform.Reject, stored int64) error {
	var whole int64
	for _, r := range rejects {
		if r.Raw != nil {
			whole += r.Count
		}
	}
	if stored+whole+tally.outside != archive.Rows {
		return fmt.Errorf("stream %s: of %d rows of an export %d were stored, %d rejected and %d left out", t.Stream.Name, archive.Rows, stored, whole, tally.outside)
	}
	return nil
}

// refuseEmptied refuses an export that has far fewer rows than are stored for the same days (T152).
func (t *exportReader) refuseEmptied(ctx context.Context, job extract.ExportJob, rows int64) error {
	if t.Run.Options.AcceptsDrop(t.Stream.Name) {
		return nil
	}
	var stored int64
	err := t.Run.Writer.Use(func(work *load.Work) (err error) {
		stored, err = work.Facts.RowsBetween(ctx, t.Workspace.Name, t.Tables[0], warehouse.UnixTime(job.From), warehouse.UnixTime(job.To))
		return err
	})
	if err != nil {
		return fmt.Errorf("stream %s: compare with what is stored: %w", t.Stream.Name, err)
	}
	if lost := stored - rows; lost > stream.GuardRows && float64(lost) > stream.GuardShare*float64(stored) {
		return &problem.Problem{Class: "data",
			What: fmt.Sprintf("stream %s: from %s to %s the source has %d rows, %d are stored; no row was replaced", t.Stream.Name,
				term.OrDash(warehouse.UnixTime(job.From)), term.OrDash(warehouse.UnixTime(job.To)), rows, stored),
			Next: "check the source; if the rows are really gone: aqueduck sync --accept-drop " + t.Stream.Name}
	}
	return nil
}

// stateAfter returns the state that is true once the days of a job are stored.
func (t *exportReader) stateAfter(job extract.ExportJob) extract.State {
	state, e := t.State, *t.State.Export
	e.Job = nil
	switch job.Kind {
	case extract.ExportForward:
		if state.SyncedTo == 0 {
			state.HistoryTo = job.From
		}
		state.SyncedTo = max(state.SyncedTo, job.To)
	case extract.ExportRefresh:
		if e.Refresh != nil {
			e.Refresh = &extract.ExportSpan{From: e.Refresh.From, To: min(e.Refresh.To, job.From)}
			if e.Refresh.From >= e.Refresh.To {
				e.Refresh = nil
			}
		}
	case extract.ExportHistory:
		state.HistoryTo = min(state.HistoryTo, job.From)
		state.HistoryDone = state.HistoryTo <= t.historyFloor()
	}
	if e.LowestTime == 0 || job.From < e.LowestTime {
		e.LowestTime = job.From
	}
	state.Export, state.Version = &e, t.Workspace.Config.APIVersion
	return state
}
