package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"aqueduck/extract"
	"aqueduck/load/compare"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// check holds one stream against the file.
type check struct {
	*verifier
	stream  *schemas.Stream
	decoder *transform.Decoder // nil: the stream is not asked
	against compare.Against
	state   extract.State
	rows    int64
	cost    int64 // requests of reading all, about
	share   int64 // requests that it may use
	began   int64 // those that were sent before it

	records map[string]bool // keys that were judged
	differ  map[string]bool // those that differ
	seen    map[string]bool // keys that the list has
	found   []Found
	result  Verified
}

// place finds what the stream's records are held against, and what reading all of them costs.
func (c *check) place(ctx context.Context, start time.Time) error {
	s := c.stream
	own := transform.Tables(s)[0]
	i := slices.IndexFunc(c.states, func(x StreamState) bool { return x.Stream == s.Name })
	there, err := c.held.Has(ctx, c.workspace, own.Name)
	if err != nil || !there || i < 0 || c.states[i].SyncedTo.IsZero() {
		c.decoder, c.result.How = nil, "not asked: it is not read to any time yet"
		return err
	}
	if c.state, err = extract.ParseState(c.states[i].State); err != nil {
		return fmt.Errorf("the checkpoint of %s cannot be read: %w", s.Name, err)
	}
	c.result.AsOf = c.states[i].SyncedTo
	c.against = compare.Against{Schema: c.workspace, Table: own, Visible: own.Name, Newest: timeOf(s), From: start, To: c.result.AsOf}
	if own.View != "" {
		c.against.Visible = own.View
	}
	if s.PublishAs != "" && s.Internal {
		relations, err := c.runner.Catalogue.Relations(s.PublishAs)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(relations, func(r schemas.Relation) bool { return r.Name == s.Name }) {
			c.against.Visible = s.Name
		}
	}
	if s.Read.Since.Windowed() && !c.state.HistoryDone && unix(c.state.HistoryTo).After(start) {
		c.against.From = unix(c.state.HistoryTo)
	}
	if c.rows, err = c.held.Count(ctx, c.against); err != nil {
		return err
	}
	c.cost = 1
	if size := int64(s.Read.Page.Size); size > 0 {
		c.cost += c.rows / size
	}
	if s.Read.Detail != nil {
		c.cost += c.rows
	}
	if s.Read.Pending() {
		ids, err := c.parents(ctx, 0)
		c.cost = int64(len(ids))
		return err
	}
	return nil
}

// timeOf is the column that tells when a record last changed; "" when none does.
func timeOf(s *schemas.Stream) string {
	named := func(test func(schemas.Column) bool) string {
		i := slices.IndexFunc(s.Columns, func(c schemas.Column) bool { return c.Type == schemas.Timestamp && test(c) })
		if i < 0 {
			return ""
		}
		return s.Columns[i].Name
	}
	if s.Newest != "" {
		return s.Newest
	}
	if at := named(func(c schemas.Column) bool { return slices.Equal(c.From, []string{s.Read.Since.Field}) }); at != "" {
		return at
	}
	for _, name := range []string{"updated_at", "created_at"} { // as every record of the API calls them (workspace-api 2)
		if at := named(func(c schemas.Column) bool { return slices.Equal(c.From, []string{name}) }); at != "" {
			return at
		}
	}
	return ""
}

// run reads and compares, within the stream's share of requests. What cannot be read is told, and stops nothing else.
func (c *check) run(ctx context.Context) error {
	if c.decoder == nil {
		return nil
	}
	err := c.doubled(ctx)
	if err == nil {
		err = c.history(ctx)
	}
	if err == nil {
		err = c.read(ctx)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, extract.ErrBudget):
		c.result.How, c.result.Whole = "as far as the requests went", false
		return nil
	case ctx.Err() != nil || extract.ClassOf(err) == extract.ClassAuth:
		return err
	case lacking(err):
		c.result.How = "not asked: " + classify(err).What
		return nil
	}
	c.result.Error = classify(err).Error()
	return nil
}

func (c *check) used() int64 { return c.client.Requests() - c.began }

// doubled looks through all stored tables of the stream, which asks nothing of the source.
func (c *check) doubled(ctx context.Context) error {
	if c.stream.Into != "" {
		return nil // its tables are another's
	}
	for _, t := range transform.Tables(c.stream) {
		list, err := c.held.Doubled(ctx, c.workspace, t)
		if err != nil {
			return err
		}
		c.note(list)
	}
	return nil
}

// history holds the open states of the stream's history against the records that the file shows, which asks nothing of the source.
func (c *check) history(ctx context.Context) error {
	history, kept := transform.History(c.stream)
	if !kept || c.stream.Into != "" {
		return nil
	}
	list, err := c.held.History(ctx, c.against, history)
	c.note(list)
	return err
}

// read chooses by what the share allows: the whole list, or pages and single records of it.
func (c *check) read(ctx context.Context) error {
	switch {
	case c.stream.Read.Pending():
		return c.under(ctx)
	case c.cost <= c.share || c.stream.Read.Detail != nil && c.cost-c.rows <= c.share/2:
		return c.wholeList(ctx)
	}
	pages, err := c.somePages(ctx)
	if err != nil {
		return err
	}
	ids, err := c.some(ctx, int(c.share-c.used()))
	c.result.How = strings.TrimSuffix(many(pages, "page")+", "+many(ids, "row")+" by id", ", 0 rows by id")
	return err
}

// wholeList walks all of the list. What it lacks is asked for by id; where nothing is read by id, a second walk has to miss
// it too, for lists shift while they are read.
func (c *check) wholeList(ctx context.Context) error {
	c.result.How = "the whole list"
	if err := c.pages(ctx, c.everything(), math.MaxInt); err != nil {
		return err
	}
	keys, err := c.held.Keys(ctx, c.against, 0, "")
	if err != nil {
		return err
	}
	absent := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return c.seen[key] })
	if c.readsOne() {
		n := int(min(int64(len(absent)), c.share-c.used()))
		if err := c.ask(ctx, absent[:max(0, n)]); err != nil {
			return err
		}
		if c.stream.Read.Detail != nil && !c.options.Deep { // the list told who is there, not what they are
			n, err := c.some(ctx, int(c.share-c.used()))
			c.result.How += ", " + many(n, "row") + " by id"
			return err
		}
		c.result.Whole = n >= len(absent)
		return nil
	}
	c.result.Whole = true
	if c.stream.Absent != "gone" || len(absent) == 0 || c.joined() {
		return nil
	}
	if err := c.pages(ctx, c.everything(), math.MaxInt); err != nil {
		return err
	}
	for _, key := range absent {
		c.records[key] = true
		if !c.seen[key] {
			c.note([]compare.Difference{{Table: c.against.Visible, Key: key, Record: key, Kind: "ghost"}})
		}
	}
	return nil
}

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
	reader := c.client.Read(req)
	ended := true // a walk that has come to its end asks nothing to say so
	for range most {
		if c.used() >= c.share && !ended {
			return extract.ErrBudget
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
	defer release(batches)
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

// close closes the account.
func (c *check) close() {
	r := &c.result
	counts := map[string]*int{"missing": &r.Missing, "stale": &r.Stale, "ghost": &r.Ghost, "doubled": &r.Doubled}
	for _, f := range c.found {
		*counts[f.Kind]++
	}
	r.Sampled, r.Differ, r.Requests = int64(len(c.records)), int64(len(c.differ)), c.used()
	r.Under = under(r.Sampled, r.Differ)
}
