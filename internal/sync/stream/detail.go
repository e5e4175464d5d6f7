package stream

import (
	"context"

	"aqueduck/extract"
	"aqueduck/load"
	"aqueduck/transform"
)

// readDetails reads the records of a page by id, for a stream whose list shows only part of a record. It skips a record whose list fingerprint
// equals its stored row, unless the page belongs to a pass that looks for silent changes. A sweep skips the records that an earlier sweep of the
// run has read.
func readDetails(ctx context.Context, t *Task, reader *extract.Reader, page extract.Page) (extract.Page, error) {
	if t.Stream.Read.Detail == nil {
		return page, nil
	}
	if t.State.Sweep != nil {
		return readSweepDetails(ctx, t, reader, page)
	}
	var same []bool
	if t.listFingerprint != nil {
		fingerprints := make([]transform.ListFingerprint, len(page.Records))
		for i, record := range page.Records {
			fingerprints[i] = t.listFingerprint.Read(record.Raw)
		}
		err := t.Run.Writer.Use(func(work *load.Work) (err error) {
			same, err = work.Facts.UnchangedFingerprints(ctx, t.Workspace.Name, t.Tables[0], t.listFingerprint.Columns, fingerprints)
			return err
		})
		if err != nil {
			return extract.Page{State: t.State}, err // the list's partial records must not replace stored rows
		}
		for i, record := range page.Records {
			// A pass that looks for silent changes reads every record once; those that an earlier window has read are not read again.
			same[i] = same[i] && (!page.RereadAll || record.Above)
		}
	}
	return reader.ReadDetails(ctx, page, same)
}

// readSweepDetails reads the records of a sweep's page by id. Each is read once in a run, although the list is read several times.
func readSweepDetails(ctx context.Context, t *Task, reader *extract.Reader, page extract.Page) (extract.Page, error) {
	skip := make([]bool, len(page.Records))
	for i, record := range page.Records {
		key, ok := extract.RecordKey(t.Stream, record.Raw)
		if skip[i] = ok && t.rereadKeys[key]; skip[i] {
			t.seenKeys = append(t.seenKeys, key)
		}
	}
	page, err := reader.ReadDetails(ctx, page, skip)
	if t.rereadKeys == nil {
		t.rereadKeys = map[string]bool{}
	}
	for _, record := range page.Records {
		t.rereadKeys[record.Over] = true
	}
	return page, err
}
