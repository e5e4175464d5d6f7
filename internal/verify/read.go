package verify

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"

	"aqueduck/extract"
	"aqueduck/internal/runlog"
	"aqueduck/internal/sync/stream"
	"aqueduck/internal/term"
	"aqueduck/load/compare"
	"aqueduck/transform"
)

// sampleByID compares records that are chosen at random and read by id.
func (c *streamCheck) sampleByID(ctx context.Context, most int) (int, error) {
	if most <= 0 || !c.readsOne() {
		return 0, nil
	}
	ids, err := c.published.SampleKeys(ctx, c.against, most, c.sampleSeed())
	if err != nil {
		return 0, err
	}
	return len(ids), c.compareByID(ctx, ids)
}

// readsOne reports whether single records can be read by id, by the stream itself or by another one.
func (c *streamCheck) readsOne() bool {
	_, ok := stream.ByIDStream(c.runner.Catalogue, c.stream)
	return ok || c.stream.Read.Single() != nil
}

// compareByID reads records by id and compares them. A stored row that the source answers with 404 is a ghost.
func (c *streamCheck) compareByID(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	if c.stream.Read.Single() != nil {
		reader := extract.NewReader(c.client, c.wholeListRequest())
		for chunk := range slices.Chunk(ids, stream.IDsPerBatch) {
			page, err := reader.ReadByID(ctx, chunk)
			if failed := c.comparePage(ctx, page); failed != nil || err != nil {
				return errors.Join(failed, err)
			}
		}
		return nil
	}
	other, _ := stream.ByIDStream(c.runner.Catalogue, c.stream)
	return c.compareAll(ctx, extract.Request{Stream: other, Phase: extract.Forward, IDs: ids})
}

func (c *streamCheck) compareAll(ctx context.Context, req extract.Request) error {
	reader := extract.NewReader(c.client, req)
	for {
		page, err := reader.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := c.comparePage(ctx, page); err != nil {
			return err
		}
	}
}

// sampleChildren compares the records under some random parent rows.
func (c *streamCheck) sampleChildren(ctx context.Context) error {
	ids, err := c.parentIDs(ctx, int(min(c.share, math.MaxInt32)))
	if err != nil {
		return err
	}
	c.result.How, c.result.Whole = "under "+term.Count(len(ids), "row")+" of "+c.stream.Read.Over.Streams[0], int64(len(ids)) == c.cost
	return c.compareAll(ctx, extract.Request{Stream: c.stream, State: c.state, Phase: extract.Forward, IDs: ids})
}

// parentIDs returns ids of parent rows that the stream has already read.
func (c *streamCheck) parentIDs(ctx context.Context, most int) ([]string, error) {
	over := c.stream.Read.Over
	parent, _ := c.runner.Catalogue.Stream(over.Streams[0])
	t := transform.Tables(parent)[0]
	a := compare.Baseline{Schema: c.workspace, Table: t, Visible: t.Name}
	if t.View != "" {
		a.Visible = t.View
	}
	ids, err := c.published.SampleColumn(ctx, a, over.Where, most, c.sampleSeed())
	if err != nil {
		return nil, err
	}
	waiting := map[string]bool{}
	err = c.published.Query(ctx, "SELECT schema, stream, id FROM _sync.pending", func(_ []string, row []any) error {
		if row != nil && runlog.AsText(row[0]) == c.workspace && runlog.AsText(row[1]) == c.stream.Name {
			waiting[runlog.AsText(row[2])] = true
		}
		return nil
	})
	return slices.DeleteFunc(ids, func(id string) bool { return waiting[id] }), err
}
