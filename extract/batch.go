package extract

import (
	"context"
	"slices"

	"aqueduck/extract/internal/scan"
)

// batchReader reads records by id, many ids in one request. The API omits the records that it does not have, without an error:
// the reader compares the expected keys with the keys in the answer.
type batchReader struct {
	*childReader
	expectedKeys map[string][]string // id to the keys of the records expected under it
	keyPath      []string            // path of a record's key
}

func readBatches(r *Reader) func(context.Context) (Page, error) {
	if r.r.Phase == History {
		return readNothing
	}
	b := &batchReader{childReader: &childReader{Reader: r, requestsPerPage: requestsAside(r.c)}, expectedKeys: map[string][]string{}, keyPath: keyPath(r.r.Stream)}
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

// askBatch asks for the records of some ids. Where the answer lacks expected records, it asks for their ids once more: one answer
// may lack a record that exists (T89). An expected record that both answers lack becomes a Record with Gone.
func (b *batchReader) askBatch(ctx context.Context, ids []string) lookupResult {
	f, missing := b.askUnit(ctx, ids, b.expectedKeys)
	if f.err != nil || len(missing) == 0 {
		return f
	}
	again := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return len(missing[id]) == 0 })
	second, gone := b.askUnit(ctx, again, missing)
	if second.err != nil {
		return second
	}
	for _, r := range second.records {
		if key, ok := scan.Scalar(scan.Field(r.Raw, b.keyPath...)); ok && slices.ContainsFunc(again, func(id string) bool { return slices.Contains(missing[id], key) }) {
			f.records = append(f.records, r)
		}
	}
	for _, id := range again {
		for _, key := range gone[id] {
			f.records = append(f.records, Record{Over: key, Gone: true})
		}
	}
	return f
}

// askUnit asks for the records of some ids, and gives by id the expected keys that the answer does not have.
func (b *batchReader) askUnit(ctx context.Context, ids []string, expected map[string][]string) (f lookupResult, missing map[string][]string) {
	l := listOf(b.r.Stream, 0)
	l.ids = map[string][]string{b.r.Stream.Read.Over.As: ids}
	received := map[string]bool{}
	for w := newWalk(b.c, l, nil); !w.ended; {
		sh, err := w.nextPage(ctx)
		if err == nil && sh.missingRows > 0 {
			err = w.shortError(sh.missingRows)
		}
		if err != nil {
			return lookupResult{err: err}, nil
		}
		if f.date.IsZero() {
			f.date = sh.date
		}
		f.records = append(f.records, pageOf(sh).Records...)
		for _, raw := range sh.Records {
			if key, ok := scan.Scalar(scan.Field(raw, b.keyPath...)); ok {
				received[key] = true
			}
		}
	}
	missing = map[string][]string{}
	for _, id := range ids {
		for _, key := range expected[id] {
			if !received[key] {
				missing[id] = append(missing[id], key)
			}
		}
	}
	return f, missing
}
