package verify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"aqueduck/extract"
	"aqueduck/extract/api"
	"aqueduck/internal/sync/stream"
	"aqueduck/load/compare"
	"aqueduck/schemas"
	"aqueduck/transform"
)

func (c *streamCheck) requestsUsed() int64 { return c.client.Requests() - c.began }

// sharesTables reports whether other streams write into this stream's tables. Then its own list does not show which rows exist.
func (c *streamCheck) sharesTables() bool {
	return c.stream.Into != "" || slices.ContainsFunc(c.runner.Catalogue.Streams(), func(s *schemas.Stream) bool { return s.Into == c.stream.Name })
}

// wholeListRequest is the request for the whole list. It moves no watermark.
func (c *streamCheck) wholeListRequest() extract.Request {
	req := extract.Request{Stream: c.stream, Phase: extract.Forward}
	if c.stream.Read.Since.HasWindows() {
		req.Since = time.Unix(1, 0)
		if c.against.From.After(req.Since) {
			req.Since = c.against.From
		}
	}
	return req
}

// somePages compares pages at random times; of a list without times, its first pages.
func (c *streamCheck) somePages(ctx context.Context) (int, error) {
	most := max(1, int(c.share/2))
	if !c.readsOne() {
		most = int(c.share)
	}
	if !c.stream.Read.Since.HasWindows() {
		return most, c.comparePages(ctx, c.wholeListRequest(), most)
	}
	times, err := c.published.SampleTimes(ctx, c.against, c.against.Newest, most, c.sampleSeed())
	if err != nil {
		return 0, err
	}
	for i, text := range times {
		at, err := strconv.ParseInt(text, 10, 64)
		if err != nil || c.requestsUsed() >= int64(most) {
			return i, err
		}
		req := c.wholeListRequest()
		req.Since = time.Unix(at, 0)
		if err := c.comparePages(ctx, req, 1); err != nil {
			return i, err
		}
	}
	return len(times), nil
}

// sampleSeed is a seed that differs for each verification, so that each chooses other rows.
func (c *streamCheck) sampleSeed() string { return strconv.FormatInt(c.runner.Now().UnixNano(), 36) }

// comparePages compares at most so many pages of a request.
func (c *streamCheck) comparePages(ctx context.Context, req extract.Request, most int) error {
	reader := extract.NewReader(c.client, req)
	ended := true // the end of a list costs no request
	for range most {
		if c.requestsUsed() >= c.share && !ended {
			return api.ErrBudget
		}
		page, err := reader.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		ended = page.Boundary
		if page.State.Sweep != nil {
			c.sweep = *page.State.Sweep
		}
		if c.stream.Read.Detail == nil {
			if err := c.comparePage(ctx, page); err != nil {
				return err
			}
			continue
		}
		if err := c.compareListed(ctx, reader, page); err != nil {
			return err
		}
	}
	return nil
}

// compareListed compares a page of a list that does not have complete records. Records without a stored row are read by id.
func (c *streamCheck) compareListed(ctx context.Context, reader *extract.Reader, page extract.Page) (err error) {
	if c.options.Deep {
		if page, err = reader.ReadDetails(ctx, page, nil); err != nil {
			return err
		}
		return c.comparePage(ctx, page)
	}
	var keys []string
	for _, record := range page.Records {
		if key, ok := extract.RecordKey(c.stream, record.Raw); ok {
			c.seen[key] = true
			keys = append(keys, key)
		}
	}
	absent, err := c.published.AbsentKeys(ctx, c.against, keys)
	if err != nil {
		return err
	}
	return c.compareByID(ctx, absent[:min(len(absent), int(c.share))])
}

// comparePage compares the records of a page with the file.
func (c *streamCheck) comparePage(ctx context.Context, page extract.Page) error {
	meta := transform.Meta{ReadAt: page.ServerTime}
	for _, record := range page.Records {
		meta.Over = record.Over
		if record.Gone {
			c.recordGhost(ctx, record.Over)
			continue
		}
		if record.Missing != "" {
			c.seen[record.Over] = true // it exists, with nothing to compare
			continue
		}
		if err := c.decoder.Append(record.Raw, meta); err != nil {
			return fmt.Errorf("stream %s: %w", c.stream.Name, err)
		}
	}
	batches := c.decoder.Take()
	defer stream.ReleaseBatches(batches)
	judged, err := c.published.CompareRecords(ctx, c.against, batches)
	if err != nil {
		return err
	}
	for _, key := range judged.Seen {
		c.seen[key] = true
	}
	for _, key := range judged.Compared {
		c.records[key] = true
	}
	for _, key := range judged.Older {
		c.older[key] = true
	}
	c.addDifferences(judged.Differences)
	return nil
}

// recordGhost notes a stored row whose record the source does not have.
func (c *streamCheck) recordGhost(ctx context.Context, key string) {
	if c.stream.Read.UsesPendingIDs() {
		return
	}
	if absent, err := c.published.AbsentKeys(ctx, c.against, []string{key}); err == nil && len(absent) == 0 {
		c.records[key] = true
		c.addDifferences([]compare.Difference{{Table: c.against.Visible, Key: key, Record: key, Kind: "ghost"}})
	}
}

// findingID is the id of a difference. It has no key and no value of a record.
func findingID(workspace, table, kind, key string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{workspace, table, kind, key}, "\x00")))
	return hex.EncodeToString(sum[:6])
}

// addDifferences adds differences, each once.
func (c *streamCheck) addDifferences(list []compare.Difference) {
	for _, d := range list {
		f := Finding{ID: findingID(c.workspace, d.Table, d.Kind, d.Key), Workspace: c.workspace, Stream: c.stream.Name, Table: d.Table, Kind: d.Kind, Key: d.Key, Columns: d.Columns}
		if d.Kind == compare.Open {
			f.Class, f.What, f.Next = "data", "the state is open, and the configuration no longer keeps this history", "end such states: aqueduck sync"
		}
		if slices.ContainsFunc(c.found, func(known Finding) bool { return known.ID == f.ID }) {
			continue
		}
		c.found = append(c.found, f)
		c.records[d.Record], c.differ[d.Record] = true, true
	}
}
