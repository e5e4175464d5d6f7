package extract

import (
	"context"
	"slices"

	"aqueduck/extract/internal/scan"
)

// batchReader asks for records by many ids a request. The API leaves out what it does not have without a word: what was expected
// is held against what came.
type batchReader struct {
	*childReader
	expectedKeys map[string][]string // of the records expected, by id
	keyPath      []string            // path of a record's key
}

func readBatches(r *Reader) func(context.Context) (Page, error) {
	if r.r.Phase == History {
		return readNothing
	}
	b := &batchReader{childReader: &childReader{Reader: r, requestsPerPage: overAside}, expectedKeys: map[string][]string{}, keyPath: keyPath(r.r.Stream)}
	b.childReader.ask = b.askBatch
	for i, id := range r.r.IDs {
		key := id
		if i < len(r.r.Keys) {
			key = r.r.Keys[i]
		}
		if !slices.Contains(b.expectedKeys[id], key) {
			b.expectedKeys[id] = append(b.expectedKeys[id], key)
		}
	}
	var ids []string
	asked := map[string]bool{}
	for _, id := range b.askableIDs() {
		if !asked[id] {
			ids = append(ids, id)
		}
		asked[id] = true
	}
	b.idsLeft = len(ids)
	for unit := range slices.Chunk(ids, r.r.Stream.Read.Over.Size) {
		b.units = append(b.units, unit)
	}
	return b.nextBatch
}

// askBatch reads what there is under some ids, and notes whose records did not come.
func (b *batchReader) askBatch(ctx context.Context, ids []string) lookupResult {
	l := listOf(b.r.Stream, 0)
	l.ids = map[string][]string{b.r.Stream.Read.Over.As: ids}
	var f lookupResult
	came := map[string]bool{}
	for w := newWalk(b.c, l, nil); !w.ended; {
		sh, err := w.nextPage(ctx)
		if err != nil {
			return lookupResult{err: err}
		}
		if f.date.IsZero() {
			f.date = sh.date
		}
		f.records = append(f.records, pageOf(sh).Records...)
		for _, raw := range sh.records {
			if key, ok := scan.Scalar(scan.Field(raw, b.keyPath...)); ok {
				came[key] = true
			}
		}
	}
	for _, id := range ids {
		for _, key := range b.expectedKeys[id] {
			if !came[key] {
				f.records = append(f.records, Record{Over: key, Gone: true})
			}
		}
	}
	return f
}
