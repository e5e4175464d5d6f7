package pipeline

import (
	"context"
	"fmt"
	"slices"
	"time"

	"aqueduck/extract"
	"aqueduck/load"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// childQueues are the streams that are read over the rows of one. What it commits waits for them, also when this run does not read
// them: those that were ever read, and those that some pipeline is to read.
func childQueues(ctx context.Context, r *run, w *workspace, s *schemas.Stream) (feeds []transform.Feed, err error) {
	for _, other := range r.runner.Catalogue.Streams() {
		if !other.Read.Pending() || !slices.Contains(other.Read.Over.Streams, s.Name) && !slices.Contains(other.Read.Over.Streams, s.Owner()) {
			continue
		}
		var known load.Checkpoint
		if err := r.writer.use(func(work *load.Work) (err error) {
			known, err = work.Checkpoint(ctx, w.name, other.Name)
			return err
		}); err != nil {
			return nil, fmt.Errorf("stream %s: see whether %s is read over it: %w", s.Name, other.Name, err)
		}
		if known.Seq > 0 || slices.Contains(r.runner.stored(w.name), other) {
			feeds = append(feeds, transform.Feed{Stream: other.Name, Column: other.Read.Over.Where})
		}
	}
	return feeds, nil
}

// noteRedacted notes the ids of a page that answered without any record, where that says that what is stored was redacted. One that
// answered 404 says nothing of the kind: it is gone.
func noteRedacted(t *task, page extract.Page) {
	if t.tables[0].MutedBy == "" {
		return
	}
	told := map[string]bool{}
	for _, record := range page.Records {
		told[record.Over] = true
	}
	for _, id := range page.Answered {
		if !told[id] {
			t.muted = append(t.muted, id)
		}
	}
}

// read walks the ids that wait for the stream, until none does: rows of its own may put further ones there.
func (t *queueReader) read(ctx context.Context, _ extract.Phase) error {
	if err := t.await(ctx); err != nil {
		return err
	}
	for !t.over() {
		var ids []string
		err := t.run.writer.use(func(work *load.Work) (err error) {
			ids, t.askedAt, err = work.Pending(ctx, t.workspace.name, t.stream.Name)
			return err
		})
		if err != nil || len(ids) == 0 {
			return err
		}
		req := t.request(extract.Forward)
		req.IDs = ids
		if err := t.readPages(ctx, req); err != nil || t.result.Cut {
			return err
		}
	}
	t.result.Cut = true
	return nil
}

// await puts rows that are stored already among the ids that wait: all of them when the stream is new, or forgotten; now and
// then those that changed lately, for what comes under them later without a change of theirs; of an explicit window those of its time.
func (t *queueReader) await(ctx context.Context) error {
	over, now := t.stream.Read.Over, t.workspace.client.Now()
	var since, until time.Time
	switch {
	case t.windowed():
		since, until = t.run.options.Since, t.run.options.Until
	case t.state.Refreshed > 0:
		if over.Every == 0 || lately(t.state.Refreshed, over.Every, now) {
			return nil
		}
		since = now.Add(-over.For)
	}
	var origins []load.Origin
	for _, name := range over.Streams {
		if s, known := t.run.runner.Catalogue.Stream(name); known {
			origins = append(origins, load.Origin{Table: transform.Tables(s)[0], Column: over.Where, Since: since, Until: until})
		}
	}
	state := t.state
	if !t.windowed() {
		state.Refreshed = now.Unix()
	}
	next := t.next(state)
	err := t.run.writer.use(func(work *load.Work) error {
		return work.Await(ctx, t.workspace.name, t.stream.Name, t.base, next, origins)
	})
	if err != nil {
		return fmt.Errorf("stream %s: find what there is to read: %w", t.stream.Name, err)
	}
	t.base, t.state = next, state
	return nil
}
