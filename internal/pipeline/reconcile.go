package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"aqueduck/extract"
	"aqueduck/load"
)

// askedAtOnce is how many records a reconciliation reads by id for one batch.
const askedAtOnce = 150

// reconcile holds the whole list against what is stored, now and then: what search no longer has was deleted, what it has
// and is not stored was told too late. Both are asked for by id, so that only the API's own word counts.
func (t *listReader) reconcile(ctx context.Context) error {
	now := t.workspace.client.Now()
	if t.stream.Reconcile == 0 || t.run.options.Limit > 0 || t.windowed() || t.owesHistory() || lately(t.state.Reconciled, t.stream.Reconcile, now) {
		return nil
	}
	if t.state.Reconciled == 0 { // the history was read a moment ago
		t.state.Reconciled = now.Unix()
		return t.commit(ctx)
	}
	listed, err := t.listed(ctx)
	if err != nil || t.result.Cut {
		return err
	}
	ids, err := t.unmatched(ctx, listed)
	if err != nil {
		return err
	}
	reader := t.workspace.client.Read(t.request(extract.Forward))
	for chunk := range slices.Chunk(ids, askedAtOnce) {
		if t.result.Cut = t.over(); t.result.Cut {
			return t.commit(ctx)
		}
		page, err := reader.ByID(ctx, chunk)
		page.State = t.state
		if failed := t.add(page); failed != nil {
			return failed
		}
		if err != nil {
			return errors.Join(err, t.commit(ctx))
		}
		if t.full() {
			if err := t.commit(ctx); err != nil {
				return err
			}
		}
	}
	t.state.Reconciled = now.Unix()
	return t.commit(ctx)
}

// lately says that something was done within a span. A time that is still to come was taken from a clock that was wrong.
func lately(then int64, span time.Duration, now time.Time) bool {
	ago := now.Sub(time.Unix(then, 0))
	return ago >= 0 && ago < span
}

// listed are the keys that the whole list has, down to the beginning of what is wanted. Records that a list has whole are
// stored as they are met: what changed without a sign is found so.
func (t *listReader) listed(ctx context.Context) (map[string]bool, error) {
	req := t.request(extract.Forward)
	req.State, req.Since = extract.State{}, time.Unix(1, 0)
	if t.start.After(req.Since) {
		req.Since = t.start
	}
	listed := map[string]bool{}
	reader := t.workspace.client.Read(req)
	for !t.over() {
		page, err := reader.Next(ctx)
		if errors.Is(err, io.EOF) {
			return listed, t.commit(ctx)
		}
		if err != nil {
			return nil, errors.Join(err, t.commit(ctx))
		}
		if t.stream.Read.Detail == nil {
			page.State = t.state
			if err := t.add(page); err != nil {
				return nil, err
			}
		}
		for _, record := range page.Records {
			if key, ok := extract.Key(t.stream, record.Raw); ok {
				listed[key] = true
			}
		}
		if t.full() {
			if err := t.commit(ctx); err != nil {
				return nil, err
			}
		}
	}
	t.result.Cut = true
	return nil, t.commit(ctx)
}

// unmatched are the ids that only one of the list and the table has. A list that lacks a large share of the table is not
// believed without the operator: it may be the search that is ill.
func (t *listReader) unmatched(ctx context.Context, listed map[string]bool) (ids []string, err error) {
	var stored int
	err = t.run.writer.use(func(work *load.Work) error {
		return work.EachKey(ctx, t.workspace.name, t.tables[0], t.start, func(key string) {
			stored++
			if !listed[key] {
				ids = append(ids, key)
			}
			delete(listed, key)
		})
	})
	if err != nil {
		return nil, fmt.Errorf("stream %s: compare the list with what is stored: %w", t.stream.Name, err)
	}
	if vanished := len(ids); vanished > guardRows && float64(vanished) > guardShare*float64(stored) && !t.run.options.acceptsDrop(t.tables[0].Name, t.stream.Name) {
		return nil, &Problem{Class: "data",
			What: fmt.Sprintf("stream %s: %d of %d rows are not in the list any more; none was asked for", t.stream.Name, vanished, stored),
			Next: "look at the source; if it is right: aqueduck sync --accept-drop " + t.stream.Name}
	}
	for key := range listed {
		ids = append(ids, key)
	}
	slices.Sort(ids)
	return ids, nil
}
