package pipeline

import (
	"context"

	"aqueduck/extract"
	"aqueduck/load"
	"aqueduck/transform"
)

// details reads the records of a page by themselves, for a stream whose list leaves out what a record has. Those that are
// stored as the list shows them are not asked for, unless the page is of a reading that looks for silent changes.
func (t *task) details(ctx context.Context, reader *extract.Reader, page extract.Page) (extract.Page, error) {
	if t.stream.Read.Detail == nil {
		return page, nil
	}
	var same []bool
	if t.heads != nil && !page.Again {
		heads := make([]transform.Head, len(page.Records))
		for i, record := range page.Records {
			heads[i] = t.heads.Read(record.Raw)
		}
		err := t.run.writer.use(func(work *load.Work) (err error) {
			same, err = work.Same(ctx, t.workspace.name, t.tables[0], t.heads.Columns, heads)
			return err
		})
		if err != nil {
			return extract.Page{State: t.state}, err // what the list has is not what is stored
		}
	}
	return reader.Detail(ctx, page, same)
}
