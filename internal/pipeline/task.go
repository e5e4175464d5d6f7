package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"aqueduck/extract"
	"aqueduck/load"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// A batch is committed at whichever of these comes first: fewer, larger commits are nearly the whole cost of loading,
// and a crash loses at most one.
const (
	batchRecords = 100_000
	batchBytes   = 64 << 20
	batchAge     = 30 * time.Second
)

// task reads one stream of one workspace: pages in, batches committed with the state that they make true.
type task struct {
	run       *run
	workspace *workspace
	stream    *schemas.Stream
	tables    []transform.Table
	start     time.Time // history is read down to here; zero: to the first record
	decoder   *transform.Decoder
	heads     *transform.Heads // nil: nothing in a list tells whether a record is stored as it is
	export    *exporting       // of a dataset of exports; nil: of any other stream
	feeds     []transform.Feed // streams that are read over what this one commits
	answered  []string         // ids of the open batch that the stream waits for no longer
	brought   map[string]bool  // keys of records that this run's walks over a list have read by themselves
	seen      []string         // of these, what the open batch has met again
	muted     []string         // those of them that have no rows, where that takes texts out
	askedAt   time.Time        // of the ids that it waits for: when the last was put there
	broken    error            // why the stream cannot be read at all
	filled    map[string]bool  // columns that nearly every stored row has; nil until asked for

	evidence *evidence // of the window at hand; nil: before the first
	doubts   doubts

	found  float64 // share of the history that earlier runs had read
	base   load.Checkpoint
	state  extract.State
	walked time.Time // when the walk over the list began
	opened time.Time // when the open batch took its first record
	capped bool      // a record was met whose list the source cuts short
	done   bool      // the last phase was read to its end
	newest bool      // what is newest was: the mark is where the run wanted it, or the whole list was walked
	result StreamResult

	refreshed bool // a full refresh ended: what the source gives was all read again
}

func (r *run) newTask(ctx context.Context, w *workspace, s *schemas.Stream) (*task, error) {
	settings := r.config.Settings(s.Name)
	if s.Read.Since.By == schemas.Export {
		settings.Hash, settings.Drop = nil, nil // its columns are known once it is restored
	}
	decoder, err := transform.NewDecoder(s, transform.Options{
		APIVersion: w.config.APIVersion, Hash: settings.Hash, Drop: settings.Drop, HashKey: r.hashKey, LeftOutEmpty: settings.LeftOutEmpty,
	})
	if err != nil {
		return nil, fmt.Errorf("stream %s: %w", s.Name, err)
	}
	heads, err := transform.NewHeads(s)
	if err != nil {
		return nil, err
	}
	t := &task{
		run: r, workspace: w, stream: s, tables: transform.Tables(s), decoder: decoder, heads: heads, start: settings.Start,
		result: StreamResult{Workspace: w.name, Stream: s.Name, Status: StatusOK},
	}
	if t.feeds, err = r.feeds(ctx, w, s); err != nil {
		return nil, err
	}
	if err = t.restore(ctx); err == nil && s.Read.Since.By == schemas.Export {
		err = t.readDataset()
	}
	t.found = t.reached()
	if known := w.shares[s.Name]; t.found == 0 && t.state.HistoryTo > 0 && known < 1 {
		t.found = known
	}
	return t, err
}

// restore reads the checkpoint from the database, which alone knows what is committed.
func (t *task) restore(ctx context.Context) error {
	again := t.stream.Read.Detail != nil && t.stream.Read.Since.Windowed() // every record of a whole list is read by itself anyway
	return t.run.writer.use(func(work *load.Work) error {
		var err error
		if t.base, err = work.Checkpoint(ctx, t.workspace.name, t.stream.Name); err != nil {
			return fmt.Errorf("stream %s: read its checkpoint: %w", t.stream.Name, err)
		}
		if err := t.restoreDoubts(ctx, work); err != nil {
			return fmt.Errorf("stream %s: %w", t.stream.Name, err)
		}
		known, err := extract.ParseState(t.base.State)
		if err == nil && known.Version == t.workspace.config.APIVersion {
			t.decoder.Expect(known.Sent, known.Sometimes)
		}
		if t.run.options.FullRefresh && t.workspace.lost == nil {
			return t.beginRefresh(ctx, work, again)
		}
		if t.state = known; err != nil {
			return fmt.Errorf("stream %s: its checkpoint cannot be read: %w; next: aqueduck state reset %s", t.stream.Name, err, t.stream.Name)
		}
		if was, now := t.state.Version, t.workspace.config.APIVersion; outdated(t.stream, t.state, now) {
			t.state = extract.State{Again: again}
			t.run.reported.Notes = append(t.run.reported.Notes, fmt.Sprintf("%s was read under API version %s: all of it is read again under %s", t.stream.Name, was, now))
		}
		return t.pullBack(ctx, work)
	})
}

// read is the loop of a run: for each page transform, when the batch is full or the page ends a window commit. What was
// whole when reading stopped is committed, whatever stopped it. History is many windows one after the other, short ones
// first: there the end of a window is no reason to commit less than a batch.
func (t *task) read(ctx context.Context, req extract.Request) error {
	reader := t.workspace.client.Read(req)
	for !t.over() {
		page, err := reader.Next(ctx)
		if errors.Is(err, io.EOF) {
			if err := t.commit(ctx); err != nil {
				return err
			}
			return t.run.publishIfDue(ctx)
		}
		if err != nil {
			return errors.Join(err, t.commit(ctx))
		}
		doubt := t.weigh(ctx, page)
		if doubt != nil {
			page.State, page.Boundary = t.state, false // what came is kept, and proves nothing
		}
		if page, err = t.dropKnown(ctx, page); err != nil {
			return errors.Join(doubt, err, t.commit(ctx))
		}
		page, err = t.details(ctx, reader, page)
		if failed := t.add(page); failed != nil {
			return failed
		}
		if err = errors.Join(doubt, err); err != nil {
			return errors.Join(err, t.commit(ctx))
		}
		if t.full() || page.Boundary && req.Phase != extract.History {
			if err := t.commit(ctx); err != nil {
				return err
			}
			if err := t.run.publishIfDue(ctx); err != nil {
				return err
			}
		}
	}
	t.result.Cut = true
	return t.commit(ctx)
}

// over says that the run asks for no more of the stream: of any, of any of a workspace that refuses the token, or of this one.
func (t *task) over() bool { return t.run.over() || t.workspace.refused.Load() || t.limited() }

// limited says that the stream has brought as many records as the run wants of each.
func (t *task) limited() bool {
	return t.run.options.Limit > 0 && t.result.Extracted >= t.run.options.Limit
}

// add decodes a page into the open batch. The state moves on only once all records of the page are in the batch.
func (t *task) add(page extract.Page) error {
	meta := transform.Meta{ReadAt: page.ServerTime}
	if meta.ReadAt.IsZero() {
		meta.ReadAt = t.run.now()
	}
	if t.decoder.Records() == 0 {
		t.opened = t.run.now()
	}
	for _, record := range page.Records {
		meta.Over = record.Over
		if record.Gone {
			if t.tables[0].Gone {
				t.decoder.Gone(record.Over, meta)
				t.result.Gone++
			}
			t.settleDoubt(record.Over)
			continue
		}
		if err := t.take(record, meta); err != nil {
			return err
		}
	}
	if t.stream.Read.Pending() {
		t.answered = append(t.answered, page.Answered...)
		t.mute(page)
	}
	t.result.Extracted += int64(len(page.Records))
	if !t.windowed() {
		t.state = page.State
	}
	t.auditPage(page)
	if page.Gap {
		t.run.find(load.Finding{Schema: t.workspace.name, Stream: t.stream.Name, Table: t.tables[0].Name, Kind: "known", Name: "feed_gap",
			Message: "the feed no longer knew where the last reading ended; what it still has was read again from its beginning"})
	}
	t.run.progress.page(t, page)
	return nil
}

// windowed says that an explicit window is read, which moves no mark.
func (t *task) windowed() bool { return t.run.options.windowed() }

func (t *task) full() bool {
	return t.decoder.Records()+len(t.doubts.incomplete) >= batchRecords || t.decoder.Bytes() >= batchBytes ||
		t.decoder.Records() > 0 && t.run.now().Sub(t.opened) >= batchAge
}

// commit hands the open batch over with the state it makes true. It goes on when the run was interrupted: a page that
// is whole is worth keeping.
func (t *task) commit(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	if !t.windowed() {
		t.state.Sent, t.state.Sometimes = t.decoder.Always(), t.decoder.Sometimes()
		if len(t.state.Sent)+len(t.state.Sometimes) > 0 { // they are believed under the version that sent them, whether or not a window has ended
			t.state.Version = cmp.Or(t.state.Version, t.workspace.config.APIVersion)
		}
	}
	next := t.next(t.state)
	if t.decoder.Records() == 0 && len(t.answered) == 0 && len(t.seen) == 0 && next.State == t.base.State && len(t.doubts.incomplete) == 0 && len(t.doubts.completed) == 0 {
		return nil
	}
	if err := t.refuseVanishedColumns(ctx); err != nil {
		return err
	}
	if err := t.refuseVanishedGroups(); err != nil {
		return err
	}
	batches := t.decoder.Take()
	defer release(batches)
	if t.state.Sweep != nil {
		batches[0].Sweep, batches[0].Seen = t.state.Sweep.Number, t.seen
	}
	batches[0].Refresh = t.state.Replace
	batches[0].Feeds, batches[0].Answered, batches[0].Muted, batches[0].AskedAt = t.feeds, t.answered, t.muted, t.askedAt
	t.auditTimes()
	batches[0].Incomplete, batches[0].Completed = t.doubts.incomplete, t.doubts.completed
	rejects := t.decoder.Rejects()
	t.result.keepTexts(rejects)
	err := t.refuseMostRejected(rejects, batches[0].Rows.NumRows())
	if err == nil {
		err = t.refuseNews(ctx, batches[0].News)
	}
	if err != nil {
		t.result.refused = append(t.result.refused, rejects...)
		return err
	}
	began := t.run.now()
	written, err := t.run.writer.commit(ctx, t.workspace.name, t.stream.Name, t.base, next, batches)
	if err != nil {
		t.result.refused = append(t.result.refused, rejects...)
		return fmt.Errorf("stream %s: commit: %w", t.stream.Name, err)
	}
	t.base, t.answered, t.muted, t.seen = next, nil, nil, nil
	t.doubts.incomplete, t.doubts.completed = nil, nil
	t.result.add(written)
	t.run.progress.committed(t, began)
	return nil
}

// refuseMostRejected stops the stream when more of its records were kept out whole than came in: that is a stream file
// which does not fit its source, and moving the mark past such records would lose them.
func (t *task) refuseMostRejected(rejects []transform.Reject, taken int64) error {
	var whole int64
	reason := ""
	for _, r := range rejects {
		if r.Raw != nil && r.Table == t.tables[0].Name {
			whole, reason = whole+r.Count, r.Reason
		}
	}
	if whole < minRejected || whole <= taken {
		return nil
	}
	return &Problem{Class: "data",
		What: fmt.Sprintf("stream %s: %d of %d records were kept out whole (%s); their text is in the rejects directory, the mark did not move",
			t.stream.Name, whole, whole+taken, reason),
		Next: "compare key: and required: in " + t.stream.File + " with a record of the source"}
}

// minRejected is how few bad records are no sign of a wrong stream file.
const minRejected = 10

func (t *task) next(state extract.State) load.Checkpoint {
	return load.Checkpoint{
		Workspace: t.workspace.name, Stream: t.stream.Name, Seq: t.base.Seq + 1, State: state.String(),
		SyncedTo: unix(state.SyncedTo), HistoryTo: unix(state.HistoryTo),
	}
}

func unix(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

func release(batches []transform.Batch) {
	for _, b := range batches {
		b.Rows.Release()
	}
}

// refuseVanishedColumns stops the stream when a column that nearly every stored row has is in none of many records: an
// answer that leaves a field out would otherwise overwrite good data with nulls (T33). Another API version may leave it out.
func (t *task) refuseVanishedColumns(ctx context.Context) error {
	absent, records := t.decoder.AbsentColumns()
	if records < 1000 || len(absent) == 0 {
		return nil
	}
	if t.filled == nil {
		err := t.run.writer.use(func(work *load.Work) (err error) {
			t.filled, err = work.NonNullColumns(ctx, t.workspace.name, t.tables[0], t.workspace.config.APIVersion)
			return err
		})
		if err != nil {
			return fmt.Errorf("stream %s: compare with what is stored: %w", t.stream.Name, err)
		}
	}
	for _, column := range absent {
		if t.filled[column] {
			return &Problem{Class: "data",
				What: fmt.Sprintf("stream %s: none of %d records has %s, which nearly every stored row has", t.stream.Name, records, column),
				Next: "see whether the API version or the token's rights changed; drop the column under streams: in pipelines.yaml if it is meant to go"}
		}
	}
	return nil
}

// refuseVanishedGroups stops the stream when hardly any of its records has a list or an object that the source always sent: what is
// stored of it would grow old, and nothing would say so.
func (t *task) refuseVanishedGroups() error {
	vanished := t.decoder.Vanished()
	if len(vanished) == 0 {
		return nil
	}
	return &Problem{Class: "data",
		What: fmt.Sprintf("stream %s: its records lack %s, which the source always sent", t.stream.Name, strings.Join(vanished, ", ")),
		Next: "see whether the API version or the token's rights changed; if it is left out where it is empty, say left_out: empty under streams: in pipelines.yaml"}
}

// settle turns how a stream ended into its status.
func (t *task) settle(ctx context.Context, err error) {
	switch {
	case err == nil:
		return
	case ctx.Err() != nil:
		t.result.Status, t.result.Next = StatusInterrupted, t.run.again()
		return
	case errors.Is(err, extract.ErrBudget):
		t.result.Cut = true
		return
	}
	problem := classify(err)
	if problem.Class == "auth" || errors.Is(err, t.workspace.lost) {
		t.run.apart(t.workspace, problem)
	}
	if t.explain(problem); problem.Class == "bug" {
		t.result.fault = err
	}
	t.result.Status = StatusFailed
	if lacking(err) {
		t.result.Status = StatusUnavailable
		t.result.Lost = t.workspace.answers[t.stream.Name] == string(StatusOK)
	}
	t.result.Class, t.result.Error, t.result.Next = problem.Class, problem.Error(), t.run.runner.Given.To(problem.next(t.run.pipeline.Name))
}

// explain makes a refusal say what the stream needs, where its file does.
func (t *task) explain(p *Problem) {
	needs, asked := t.stream.Needs, t.workspace.config.APIVersion
	switch {
	case p.Class == "scope" && needs.Scope != "":
		p.Next = "give the token the scope " + needs.Scope + "; the stream is unavailable until then, and is asked for at each run"
	case p.Class == "not_found" && olderVersion(asked, needs.Version):
		p.Class = "version"
		p.Next = fmt.Sprintf("ask for API version %s or later, which has it, by api_version; this asks for %s", needs.Version, asked)
	}
}
