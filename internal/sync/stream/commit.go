package stream

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"aqueduck/extract"
	"aqueduck/internal/problem"
	"aqueduck/load"
	"aqueduck/transform"
)

// refuseNewColumns stops a stream with `on_change: fail` when its records have a field that no earlier run has met. The first run of a stream
// only collects the fields. A new word is data, and stops nothing.
func refuseNewColumns(ctx context.Context, t *Task, drift []transform.SchemaDrift) error {
	if len(drift) == 0 || t.Base.Seq == 0 || t.Run.Config.Settings(t.Stream.Name).OnChange != "fail" {
		return nil
	}
	var known map[[3]string]bool
	err := t.Run.Writer.Use(func(work *load.Work) (err error) {
		known, err = work.Facts.KnownDrift(ctx, t.Workspace.Name, t.Stream.Name)
		return err
	})
	if err != nil {
		return err
	}
	var fresh []string
	for _, n := range drift {
		if n.Type != transform.DriftWord && !known[[3]string{n.Table, n.Column, n.Path}] {
			fresh = append(fresh, fmt.Sprintf("%s.%s (%s)", n.Table, n.Path, n.Type))
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	return &problem.Problem{Class: "data",
		What: fmt.Sprintf("stream %s: schema drift: its records have %s; nothing was stored, the watermark did not move", t.Stream.Name, strings.Join(fresh, ", ")),
		Next: "add a column in " + t.Stream.File + ", or remove on_change: fail from pipelines.yaml"}
}

// noteRedacted notes the ids of a page that were answered without any record, for a stream where such an answer means that the source redacted
// the text. An id that was answered with 404 brings a record that is marked gone, so it is not among them.
func noteRedacted(t *Task, page extract.Page) {
	if t.Tables[0].RedactIDColumn == "" {
		return
	}
	withRecords := map[string]bool{}
	for _, record := range page.Records {
		withRecords[record.Over] = true
	}
	for _, id := range page.Answered {
		if !withRecords[id] {
			t.redactedIDs = append(t.redactedIDs, id)
		}
	}
}

// addPage decodes a page into the open batch, and takes over the page's state only once all its records are in the batch: a commit between the
// two would move the watermark past records that are not stored. A read of an explicit window keeps the old state.
func (t *Task) addPage(page extract.Page) error {
	meta := transform.Meta{ReadAt: page.ServerTime}
	if meta.ReadAt.IsZero() {
		meta.ReadAt = t.Run.Now()
	}
	if t.Decoder.Records() == 0 {
		t.batchOpened = t.Run.Now()
	}
	for _, record := range page.Records {
		meta.Over = record.Over
		if record.Gone {
			if t.Tables[0].Gone {
				t.Decoder.AppendGone(record.Over, meta)
				t.Result.Gone++
			}
			noteAbsence(t, record.Over)
			continue
		}
		if err := takeRecord(t, record, meta); err != nil {
			return err
		}
	}
	if t.Stream.Read.UsesPendingIDs() {
		t.doneIDs = append(t.doneIDs, page.Answered...)
		noteRedacted(t, page)
	}
	t.Result.Extracted += int64(len(page.Records))
	if t.beforePage != nil && page.State.String() != t.State.String() { // a record that is read by id beforehand moves nothing
		t.beforePage = nil
	}
	if !t.IsWindowed() {
		before := t.State.SyncedTo
		if t.State = page.State; t.State.Sweep != nil && t.Stream.Absent == "gone" {
			t.swept.reached, t.State.SyncedTo = page.State.SyncedTo, before // until its end says what is gone
		}
	}
	auditPage(t, page)
	auditKeys(t, page)
	if page.Gap {
		t.Run.AddFinding(load.Finding{Schema: t.Workspace.Name, Stream: t.Stream.Name, Table: t.Tables[0].Name, Kind: "known", Name: "feed_gap",
			Message: "the feed no longer has the stored cursor; it was read again from its beginning"})
	}
	t.Run.Progress.recordPage(t, page)
	return nil
}

// Commit writes the open batch, the notes about incomplete records and the checkpoint in one transaction, and starts an empty batch. Without
// rows, notes or a new state it does nothing. It ignores the cancellation of ctx, as Writer.Commit does.
func (t *Task) Commit(ctx context.Context) error {
	whole := context.WithoutCancel(ctx)
	if t.swept.unchanged {
		return nil // all of the list was read; the end of its sweep moves the checkpoint
	}
	if !t.IsWindowed() {
		t.State.AlwaysSent, t.State.SometimesSent = t.Decoder.AlwaysSent(), t.Decoder.SometimesSent()
		if len(t.State.AlwaysSent)+len(t.State.SometimesSent) > 0 {
			// A later run uses these lists only under the same API version, and the version is otherwise set at the end of a window.
			t.State.Version = cmp.Or(t.State.Version, t.Workspace.Config.APIVersion)
		}
	}
	next := t.NextCheckpoint(t.State)
	if t.Decoder.Records() == 0 && len(t.doneIDs) == 0 && len(t.seenKeys) == 0 && next.State == t.Base.State && len(t.doubts.incomplete) == 0 && len(t.doubts.completed) == 0 {
		return nil
	}

	// All refusals come before the transaction. A refused batch leaves rows and watermark as they were, so the next run reads it again.
	if err := refuseVanishedColumns(whole, t); err != nil {
		return err
	}
	if err := refuseVanishedGroups(t); err != nil {
		return err
	}
	batches := t.takeBatches()
	defer ReleaseBatches(batches)
	auditTimes(t)
	rejects := t.Decoder.Rejects()
	t.Result.KeepTexts(rejects)
	err := RefuseMostRejected(t, rejects, batches[0].Rows.NumRows())
	if err == nil {
		err = refuseNewColumns(whole, t, batches[0].SchemaDrift)
	}
	if err != nil {
		t.Result.Refused = append(t.Result.Refused, rejects...)
		return err
	}
	if err := fingerprintList(whole, t, batches); err != nil {
		return fmt.Errorf("stream %s: compare the list with the last one: %w", t.Stream.Name, err)
	}
	if t.swept.unchanged {
		return nil
	}
	began := t.Run.Now()
	written, err := t.Run.Writer.Commit(ctx, t.Workspace.Name, t.Stream.Name, t.Base, next, batches)
	if err != nil {
		t.Result.Refused = append(t.Result.Refused, rejects...)
		return fmt.Errorf("stream %s: commit: %w", t.Stream.Name, err)
	}
	t.swept.written += written.Rows + written.Deleted
	t.Base, t.doneIDs, t.redactedIDs, t.seenKeys = next, nil, nil, nil
	t.doubts.incomplete, t.doubts.completed = nil, nil
	t.Result.Add(written)
	t.Run.Progress.Committed(t, began)
	return nil
}

// takeBatches takes the batches of the open batch, with what a commit must know of their reading. The caller releases them.
func (t *Task) takeBatches() []transform.Batch {
	batches := t.Decoder.Take()
	own := &batches[0]
	if t.State.Sweep != nil {
		own.Sweep, own.Seen = t.State.Sweep.Number, t.seenKeys
	}
	own.Refresh, own.ChildStreams, own.Answered, own.RedactedIDs, own.AskedAt = t.State.Replace, t.childQueues, t.doneIDs, t.redactedIDs, t.askedAt
	own.Incomplete, own.Completed = t.doubts.incomplete, t.doubts.completed
	return batches
}

// RefuseMostRejected stops the stream when more of its records became dead letters than rows. Then the stream file does not fit the source,
// and a watermark past those records would lose them. taken is the number of rows of the batch.
func RefuseMostRejected(t *Task, rejects []transform.Reject, taken int64) error {
	var whole int64
	reason := ""
	for _, r := range rejects {
		if r.Raw != nil && r.Table == t.Tables[0].Name {
			whole, reason = whole+r.Count, r.Reason
		}
	}
	if whole < minRejected || whole <= taken {
		return nil
	}
	if reason == transform.ReasonNoKey {
		reason += ": a column of the key (" + strings.Join(t.Stream.Key, ", ") + ") or a required one has no value, or one of another type"
	}
	return &problem.Problem{Class: "data",
		What: fmt.Sprintf("stream %s: %d of %d records were rejected (%s); their text is in %s, the watermark did not move",
			t.Stream.Name, whole, whole+taken, reason, t.Run.RejectFile(t.Workspace.Name, t.Stream.Name)),
		Next: "compare key:, required: and the types of these columns in " + t.Stream.File + " with a record: aqueduck streams try " + t.Stream.Name}
}

// minRejected is the smallest number of whole records among the dead letters that stops a stream. Fewer are bad records, not a wrong stream file.
const minRejected = 10

// refuseVanishedColumns stops the stream when 1,000 or more records lack a column that nearly every stored row has: such an answer
// would overwrite good data with nulls (T33). Rows of another API version do not count, because that version may rightly lack the field.
func refuseVanishedColumns(ctx context.Context, t *Task) error {
	absent, records := t.Decoder.AbsentColumns()
	if records < 1000 || len(absent) == 0 {
		return nil
	}
	if t.nearlyAlwaysSet == nil { // later fewer columns are absent, and no other ones
		err := t.Run.Writer.Use(func(work *load.Work) (err error) {
			t.nearlyAlwaysSet, err = work.Facts.NonNullColumns(ctx, t.Workspace.Name, t.Tables[0].Name, t.Workspace.Config.APIVersion, absent)
			return err
		})
		if err != nil {
			return fmt.Errorf("stream %s: compare with what is stored: %w", t.Stream.Name, err)
		}
	}
	for _, column := range absent {
		if t.nearlyAlwaysSet[column] {
			return &problem.Problem{Class: "data",
				What: fmt.Sprintf("stream %s: none of %d records has %s, which nearly all stored rows have", t.Stream.Name, records, column),
				Next: "check whether the API version or the rights of the token changed; to remove the column, drop it under streams: in pipelines.yaml"}
		}
	}
	return nil
}

// refuseVanishedGroups stops the stream when hardly any record has a list or an object that the source always sent before. The rows of that
// list's table would otherwise stay as they are for ever, and no one would notice.
func refuseVanishedGroups(t *Task) error {
	vanished := t.Decoder.VanishedGroups()
	if len(vanished) == 0 {
		return nil
	}
	return &problem.Problem{Class: "data",
		What: fmt.Sprintf("stream %s: its records lack %s, which the source always sent until now", t.Stream.Name, strings.Join(vanished, ", ")),
		Next: "check whether the API version or the rights of the token changed; if the source omits empty values, set left_out: empty under streams: in pipelines.yaml"}
}
