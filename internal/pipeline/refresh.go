package pipeline

import (
	"context"
	"fmt"
	"slices"
	"time"

	"aqueduck/extract"
	"aqueduck/load"
)

// beginRefresh makes the task read from the beginning. What is stored is compared with, not emptied; what differs is replaced, also
// where the source now says that it is older. The checkpoint says so until all is read: a refresh that is cut goes on as one.
func beginRefresh(ctx context.Context, t *task, work *load.Work, again bool) error {
	t.state = extract.State{Again: again, Replace: true}
	table := t.tables[0].Name
	if refreshesTable(t.run, t.workspace, table) {
		return nil // another stream of the run that goes into the same table has begun it
	}
	if err := work.BeginRefresh(ctx, t.workspace.name, table); err != nil {
		return fmt.Errorf("stream %s: begin its full refresh: %w", t.stream.Name, err)
	}
	return nil
}

// refreshesTable reports whether one of the tasks is in a full refresh of a table.
func refreshesTable(r *run, w *workspace, table string) bool {
	return slices.ContainsFunc(r.tasks, func(t *task) bool {
		return t.workspace == w && t.tables[0].Name == table && t.state.Replace
	})
}

// endRefreshes ends the full refreshes of the streams that were read to their end.
func endRefreshes(ctx context.Context, r *run) error {
	for _, t := range r.tasks {
		if !t.state.Replace || !t.done || !t.complete() || t.owesHistory() || t.windowed() {
			continue
		}
		t.state.Replace, t.refreshed = false, true
		end := t.commit
		if t.days != nil {
			end = t.days.commitProgress
		}
		if err := end(ctx); err != nil {
			return err
		}
		if refreshesTable(r, t.workspace, t.tables[0].Name) {
			continue
		}
		err := r.writer.use(func(work *load.Work) error { return work.BeginRefresh(ctx, t.workspace.name, t.tables[0].Name) })
		if err != nil {
			return fmt.Errorf("stream %s: end its full refresh: %w", t.stream.Name, err)
		}
	}
	return nil
}

// idsToRead asks the stream's SQL file which ids to read, with the key that is expected for each where one request is for several.
// A full refresh reads the records that are stored again as well; what other streams write into the table they read themselves.
func (t *idReader) idsToRead(ctx context.Context, work *load.Work) (ids, keys []string, err error) {
	schema, query, own := t.workspace.name, t.stream.Read.Over.SQL, t.tables[0]
	anew := t.state.Replace && t.stream.Into == "" && len(own.Key) == 1
	if t.stream.Read.Over.Size > 0 {
		ids, keys, err = work.Expected(ctx, schema, query)
		if err != nil || !anew {
			return ids, keys, err
		}
		more, expected, err := work.Expected(ctx, schema, query, own.Name)
		return append(ids, more...), append(keys, expected...), err
	}
	if ids, err = work.IDs(ctx, schema, query); err != nil || !anew {
		return ids, nil, err
	}
	err = work.EachKey(ctx, schema, own, time.Time{}, func(key string) { ids = append(ids, key) })
	slices.Sort(ids)
	return slices.Compact(ids), nil, err
}
