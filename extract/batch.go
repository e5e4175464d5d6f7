package extract

import (
	"context"
	"slices"

	"aqueduck/extract/internal/scan"
)

// batches asks for records by many ids a request. The API leaves out what it does not have without a word: what was expected
// is held against what came.
type batches struct {
	*over
	keys map[string][]string // of the records expected, by id
	name []string            // path of a record's key
}

func readBatches(r *Reader) func(context.Context) (Page, error) {
	if r.r.Phase == History {
		return finished
	}
	b := &batches{over: &over{Reader: r, page: overAside}, keys: map[string][]string{}, name: keyPath(r.r.Stream)}
	b.over.ask = b.ask
	for i, id := range r.r.IDs {
		key := id
		if i < len(r.r.Keys) {
			key = r.r.Keys[i]
		}
		if !slices.Contains(b.keys[id], key) {
			b.keys[id] = append(b.keys[id], key)
		}
	}
	var ids []string
	asked := map[string]bool{}
	for _, id := range b.askable() {
		if !asked[id] {
			ids = append(ids, id)
		}
		asked[id] = true
	}
	b.left = len(ids)
	for unit := range slices.Chunk(ids, r.r.Stream.Read.Over.Size) {
		b.units = append(b.units, unit)
	}
	return b.next
}

// ask reads what there is under some ids, and notes whose records did not come.
func (b *batches) ask(ctx context.Context, ids []string) lookupResult {
	l := listOf(b.r.Stream, 0)
	l.ids = map[string][]string{b.r.Stream.Read.Over.As: ids}
	var f lookupResult
	came := map[string]bool{}
	for w := newWalk(b.c, l, nil); !w.ended; {
		sh, err := w.next(ctx)
		if err != nil {
			return lookupResult{err: err}
		}
		if f.date.IsZero() {
			f.date = sh.date
		}
		f.records = append(f.records, pageOf(sh).Records...)
		for _, raw := range sh.records {
			if key, ok := scan.Scalar(scan.Field(raw, b.name...)); ok {
				came[key] = true
			}
		}
	}
	for _, id := range ids {
		for _, key := range b.keys[id] {
			if !came[key] {
				f.records = append(f.records, Record{Over: key, Gone: true})
			}
		}
	}
	return f
}
