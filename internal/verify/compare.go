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

func (c *check) used() int64 { return c.client.Requests() - c.began }

// joined says that other streams write into the tables of this one: its list alone does not say who is there.
func (c *check) joined() bool {
	return c.stream.Into != "" || slices.ContainsFunc(c.runner.Catalogue.Streams(), func(s *schemas.Stream) bool { return s.Into == c.stream.Name })
}

// everything asks for the whole list, moving no mark.
func (c *check) everything() extract.Request {
	req := extract.Request{Stream: c.stream, Phase: extract.Forward}
	if c.stream.Read.Since.Windowed() {
		req.Since = time.Unix(1, 0)
		if c.against.From.After(req.Since) {
			req.Since = c.against.From
		}
	}
	return req
}

// somePages reads pages at times chosen by chance, of a list without times its first pages.
func (c *check) somePages(ctx context.Context) (int, error) {
	most := max(1, int(c.share/2))
	if !c.readsOne() {
		most = int(c.share)
	}
	if !c.stream.Read.Since.Windowed() {
		return most, c.pages(ctx, c.everything(), most)
	}
	times, err := c.held.Times(ctx, c.against, c.against.Newest, most, c.seed())
	if err != nil {
		return 0, err
	}
	for i, text := range times {
		at, err := strconv.ParseInt(text, 10, 64)
		if err != nil || c.used() >= int64(most) {
			return i, err
		}
		req := c.everything()
		req.Since = time.Unix(at, 0)
		if err := c.pages(ctx, req, 1); err != nil {
			return i, err
		}
	}
	return len(times), nil
}

// seed makes each verification choose other rows.
func (c *check) seed() string { return strconv.FormatInt(c.runner.Now().UnixNano(), 36) }

// pages compares so many pages of a request.
func (c *check) pages(ctx context.Context, req extract.Request, most int) error {
	reader := extract.NewReader(c.client, req)
	ended := true // a walk that has come to its end asks nothing to say so
	for range most {
		if c.used() >= c.share && !ended {
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
		if c.stream.Read.Detail == nil {
			if err := c.compare(ctx, page); err != nil {
				return err
			}
			continue
		}
		if err := c.heads(ctx, reader, page); err != nil {
			return err
		}
	}
	return nil
}

// heads takes a page of a list that does not have all of its records: those that are not here are read by themselves.
func (c *check) heads(ctx context.Context, reader *extract.Reader, page extract.Page) (err error) {
	if c.options.Deep {
		if page, err = reader.Detail(ctx, page, nil); err != nil {
			return err
		}
		return c.compare(ctx, page)
	}
	var keys []string
	for _, record := range page.Records {
		if key, ok := extract.Key(c.stream, record.Raw); ok {
			c.seen[key] = true
			keys = append(keys, key)
		}
	}
	absent, err := c.held.Absent(ctx, c.against, keys)
	if err != nil {
		return err
	}
	return c.ask(ctx, absent[:min(len(absent), int(c.share))])
}

// compare holds the records of a page against the file.
func (c *check) compare(ctx context.Context, page extract.Page) error {
	meta := transform.Meta{ReadAt: page.ServerTime}
	for _, record := range page.Records {
		meta.Over = record.Over
		if record.Gone {
			c.gone(ctx, record.Over)
			continue
		}
		if record.Missing != "" {
			c.seen[record.Over] = true // it is there, and says nothing that could be compared
			continue
		}
		if err := c.decoder.Append(record.Raw, meta); err != nil {
			return fmt.Errorf("stream %s: %w", c.stream.Name, err)
		}
	}
	batches := c.decoder.Take()
	defer stream.ReleaseBatches(batches)
	judged, err := c.held.Records(ctx, c.against, batches)
	if err != nil {
		return err
	}
	for _, key := range judged.Seen {
		c.seen[key] = true
	}
	for _, key := range judged.Compared {
		c.records[key] = true
	}
	c.note(judged.Differences)
	return nil
}

// gone takes in that the source has no such record.
func (c *check) gone(ctx context.Context, key string) {
	if c.stream.Read.Pending() {
		return
	}
	if absent, err := c.held.Absent(ctx, c.against, []string{key}); err == nil && len(absent) == 0 {
		c.records[key] = true
		c.note([]compare.Difference{{Table: c.against.Visible, Key: key, Record: key, Kind: "ghost"}})
	}
}

// note adds differences, each once.
func (c *check) note(list []compare.Difference) {
	for _, d := range list {
		sum := sha256.Sum256([]byte(strings.Join([]string{c.workspace, d.Table, d.Kind, d.Key}, "\x00")))
		f := Found{ID: hex.EncodeToString(sum[:6]), Workspace: c.workspace, Stream: c.stream.Name, Table: d.Table, Kind: d.Kind, Key: d.Key, Columns: d.Columns}
		if slices.ContainsFunc(c.found, func(known Found) bool { return known.ID == f.ID }) {
			continue
		}
		c.found = append(c.found, f)
		c.records[d.Record], c.differ[d.Record] = true, true
	}
}
