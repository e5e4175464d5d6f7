package stream

import (
	"context"

	"aqueduck/extract"
	"aqueduck/load"
	"aqueduck/transform"
)

// readDetails reads the records of a page by themselves, for a stream whose list leaves out what a record has. Those that are
// stored as the list shows them are not asked for, unless the page is of a reading that looks for silent changes; of a list
// that is walked whole, those that an earlier walk of the run has brought.
func readDetails(ctx context.Context, t *Task, reader *extract.Reader, page extract.Page) (extract.Page, error) {
	if t.Stream.Read.Detail == nil {
		return page, nil
	}
	if t.State.Sweep != nil {
		return readDetail(ctx, t, reader, page)
	}
	var same []bool
	if t.listFingerprint != nil {
		heads := make([]transform.ListFingerprint, len(page.Records))
		for i, record := range page.Records {
			heads[i] = t.listFingerprint.Read(record.Raw)
		}
		err := t.Run.Writer.Use(func(work *load.Work) (err error) {
			same, err = work.Facts.UnchangedFingerprints(ctx, t.Workspace.Name, t.Tables[0], t.listFingerprint.Columns, heads)
			return err
		})
		if err != nil {
			return extract.Page{State: t.State}, err // what the list has is not what is stored
		}
		for i, record := range page.Records {
			// A reading that looks for silent changes asks for every record once: not again for those that a window before has read.
			same[i] = same[i] && (!page.RereadAll || record.Above)
		}
	}
	return reader.ReadDetails(ctx, page, same)
}

// readDetail reads the records of a page of a list that is walked whole, each once in a run however often the list is walked.
func readDetail(ctx context.Context, t *Task, reader *extract.Reader, page extract.Page) (extract.Page, error) {
	leave := make([]bool, len(page.Records))
	for i, record := range page.Records {
		key, ok := extract.RecordKey(t.Stream, record.Raw)
		if leave[i] = ok && t.rereadKeys[key]; leave[i] {
			t.seenKeys = append(t.seenKeys, key)
		}
	}
	page, err := reader.ReadDetails(ctx, page, leave)
	if t.rereadKeys == nil {
		t.rereadKeys = map[string]bool{}
	}
	for _, record := range page.Records {
		t.rereadKeys[record.Over] = true
	}
	return page, err
}
