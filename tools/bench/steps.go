package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"aqueduck/load"
	"aqueduck/load/layout"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// stepCost is the CPU time of the steps of a sync without a socket: from recorded pages to commits.
type stepCost struct {
	Records        int64
	Batches        int
	Decode, Commit float64 // seconds
}

// pageRecords is the number of records on a page of search.
const pageRecords = 150

// replaySteps decodes recorded pages and, when a directory is given, commits them into a new warehouse there.
func replaySteps(args []string) error {
	in, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer in.Close()
	catalogue, err := schemas.Builtin()
	if err != nil {
		return err
	}
	stream, ok := catalogue.Stream("contacts")
	if !ok {
		return errors.New("there is no stream contacts")
	}
	decoder, err := transform.NewDecoder(stream, transform.Options{APIVersion: "2.17"})
	if err != nil {
		return err
	}
	w := pageReplay{decoder: decoder, pages: bufio.NewReaderSize(in, 1<<20)}
	ctx := context.Background()
	if len(args) > 1 {
		if w.work, err = openWork(ctx, layout.Dir(args[1]), transform.Tables(stream)); err != nil {
			return err
		}
	}
	err = w.replayPages(ctx)
	if w.work != nil {
		err = errors.Join(err, w.work.Close())
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(w.cost)
}

func openWork(ctx context.Context, dir layout.Dir, tables []transform.Table) (*load.Work, error) {
	if err := load.Prepare(dir); err != nil {
		return nil, err
	}
	work, err := load.OpenWork(ctx, dir, load.Options{Now: time.Now, RunID: "bench"})
	if err != nil {
		return nil, err
	}
	_, err = work.Tables.Ensure(ctx, "main", tables)
	return work, err
}

// pageReplay reads recorded pages.
type pageReplay struct {
	decoder *transform.Decoder
	pages   *bufio.Reader
	work    *load.Work // nil: nothing is committed
	base    load.Checkpoint
	cost    stepCost
}

func (w *pageReplay) replayPages(ctx context.Context) error {
	w.base = load.Checkpoint{Workspace: "main", Stream: "contacts"}
	for {
		page, err := w.nextPage()
		if err != nil {
			return err
		}
		if err := w.decodePage(page); err != nil {
			return err
		}
		// The same limits of a batch as in a run.
		if len(page) < pageRecords || w.decoder.Records() >= 100_000 || w.decoder.Bytes() >= 64<<20 {
			if err := w.commitBatch(ctx); err != nil {
				return err
			}
		}
		if len(page) < pageRecords {
			return nil
		}
	}
}

// nextPage reads the records of the next page; the last one is shorter.
func (w *pageReplay) nextPage() ([][]byte, error) {
	var page [][]byte
	for len(page) < pageRecords {
		line, err := w.pages.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return page, nil
		}
		if err != nil {
			return nil, err
		}
		page = append(page, line)
	}
	return page, nil
}

func (w *pageReplay) decodePage(page [][]byte) error {
	before := ownCPUTime()
	for _, record := range page {
		if err := w.decoder.Append(record, transform.Meta{ReadAt: hourZero}); err != nil {
			return err
		}
	}
	w.cost.Decode += ownCPUTime() - before
	w.cost.Records += int64(len(page))
	return nil
}

func (w *pageReplay) commitBatch(ctx context.Context) error {
	before := ownCPUTime()
	batches := w.decoder.Take()
	w.cost.Decode += ownCPUTime() - before
	w.cost.Batches++
	defer func() {
		for _, b := range batches {
			b.Rows.Release()
		}
	}()
	if w.work == nil {
		return nil
	}
	before = ownCPUTime()
	next := w.base
	next.Seq++
	if _, err := w.work.Commit(ctx, "main", "contacts", w.base, next, batches); err != nil {
		return fmt.Errorf("commit %d: %w", next.Seq, err)
	}
	w.cost.Commit += ownCPUTime() - before
	w.base = next
	return nil
}
