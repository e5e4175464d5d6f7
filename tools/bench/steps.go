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

// stepCost is the CPU time of the steps of a way without a socket: from recorded pages to commits.
type stepCost struct {
	Records        int64
	Batches        int
	Decode, Commit float64 // seconds
}

// pageRecords is how many records a page of the search has.
const pageRecords = 150

// steps decodes recorded pages and, when a directory is given, commits them into a new warehouse there.
func steps(args []string) error {
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
	w := walker{decoder: decoder, pages: bufio.NewReaderSize(in, 1<<20)}
	ctx := context.Background()
	if len(args) > 1 {
		if w.work, err = openWork(ctx, layout.Dir(args[1]), transform.Tables(stream)); err != nil {
			return err
		}
	}
	err = w.walk(ctx)
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
	work, err := load.Open(ctx, dir, load.Options{Now: time.Now, RunID: "bench"})
	if err != nil {
		return nil, err
	}
	_, err = work.Tables.Ensure(ctx, "main", tables)
	return work, err
}

// walker goes through recorded pages.
type walker struct {
	decoder *transform.Decoder
	pages   *bufio.Reader
	work    *load.Work // nil: nothing is committed
	base    load.Checkpoint
	cost    stepCost
}

func (w *walker) walk(ctx context.Context) error {
	w.base = load.Checkpoint{Workspace: "main", Stream: "contacts"}
	for {
		page, err := w.page()
		if err != nil {
			return err
		}
		if err := w.decode(page); err != nil {
			return err
		}
		// The limits of a batch are those of a run.
		if len(page) < pageRecords || w.decoder.Records() >= 100_000 || w.decoder.Bytes() >= 64<<20 {
			if err := w.take(ctx); err != nil {
				return err
			}
		}
		if len(page) < pageRecords {
			return nil
		}
	}
}

// page reads the records of the next page; the last one is short.
func (w *walker) page() ([][]byte, error) {
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

func (w *walker) decode(page [][]byte) error {
	before := own()
	for _, record := range page {
		if err := w.decoder.Append(record, transform.Meta{ReadAt: hourZero}); err != nil {
			return err
		}
	}
	w.cost.Decode += own() - before
	w.cost.Records += int64(len(page))
	return nil
}

func (w *walker) take(ctx context.Context) error {
	before := own()
	batches := w.decoder.Take()
	w.cost.Decode += own() - before
	w.cost.Batches++
	defer func() {
		for _, b := range batches {
			b.Rows.Release()
		}
	}()
	if w.work == nil {
		return nil
	}
	before = own()
	next := w.base
	next.Seq++
	if _, err := w.work.Commit(ctx, "main", "contacts", w.base, next, batches); err != nil {
		return fmt.Errorf("commit %d: %w", next.Seq, err)
	}
	w.cost.Commit += own() - before
	w.base = next
	return nil
}
