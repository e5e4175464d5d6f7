package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"aqueduck/extract"
	"aqueduck/extract/api"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/sync/warehouse"
	"aqueduck/internal/term"
	"aqueduck/load/compare"
	"aqueduck/load/failure"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// planCheck decides what the stream's records are compared with, and estimates the requests for reading all of them.
func (c *streamCheck) planCheck(ctx context.Context, start time.Time) error {
	s := c.stream
	own := transform.Tables(s)[0]
	i := slices.IndexFunc(c.states, func(x runlog.StreamState) bool { return x.Stream == s.Name })
	there, err := c.published.HasRelation(ctx, c.workspace, own.Name)
	if err != nil || !there || i < 0 || c.states[i].SyncedTo.IsZero() {
		c.decoder, c.result.How = nil, "not compared: no run has read it"
		return err
	}
	if c.state, err = extract.ParseState(c.states[i].State); err != nil {
		return fmt.Errorf("the checkpoint of %s cannot be read: %w", s.Name, err)
	}
	c.result.AsOf = c.states[i].SyncedTo
	c.against = compare.Baseline{Schema: c.workspace, Table: own, Visible: own.Name, Newest: timeOf(s), From: start, To: c.result.AsOf}
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
	if s.Read.Since.HasWindows() && !c.state.HistoryDone && warehouse.UnixTime(c.state.HistoryTo).After(start) {
		c.against.From = warehouse.UnixTime(c.state.HistoryTo)
	}
	if c.rows, err = c.published.CountVisible(ctx, c.against); err != nil {
		return err
	}
	c.cost = 1
	if size := int64(s.Read.Page.Size); size > 0 {
		c.cost += c.rows / size
	}
	if s.Read.Detail != nil {
		c.cost += c.rows
	}
	if s.Read.UsesPendingIDs() {
		ids, err := c.parentIDs(ctx, 0)
		c.cost = int64(len(ids))
		return err
	}
	return nil
}

// timeOf returns the column with the time of a record's last change; "" when there is none.
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
	for _, name := range []string{"updated_at", "created_at"} { // the names of these fields in every record of the API (workspace-api 2)
		if at := named(func(c schemas.Column) bool { return slices.Equal(c.From, []string{name}) }); at != "" {
			return at
		}
	}
	return ""
}

// runCheck reads and compares, within the stream's share of requests. An error is part of the stream's result, and does not stop the other
// streams.
func (c *streamCheck) runCheck(ctx context.Context) error {
	if c.decoder == nil {
		return nil
	}
	err := c.findDuplicates(ctx)
	if err == nil {
		err = c.compareHistory(ctx)
	}
	if err == nil {
		err = c.readByShare(ctx)
	}
	maps.DeleteFunc(c.older, func(key string, _ bool) bool { return c.records[key] })
	if n := len(c.older); n > 0 {
		c.result.How, c.result.Whole = c.result.How+"; "+term.Count(n, "row")+" newer than the source's record", false
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, api.ErrBudget):
		c.result.How, c.result.Whole = "as far as the request budget allowed", false
		return nil
	case ctx.Err() != nil || api.ClassOf(err) == api.ClassAuth || errors.Is(failure.AsUnreadable(err), failure.ErrUnreadable):
		return err
	case problem.IsUnavailable(err):
		c.result.How = "not compared: " + problem.Classify(err).What
		return nil
	}
	failed := problem.Classify(err)
	c.result.Class, c.result.Error, c.result.Next = failed.Class, failed.Error(), cmp.Or(failed.Next, "aqueduck verify --select "+c.stream.Name)
	return nil
}

// findDuplicates looks for duplicate keys in all stored tables of the stream. It sends no request.
func (c *streamCheck) findDuplicates(ctx context.Context) error {
	if c.stream.Into != "" {
		return nil // its rows are in another stream's tables
	}
	for _, t := range transform.Tables(c.stream) {
		list, err := c.published.DuplicateKeys(ctx, c.workspace, t)
		if err != nil {
			return err
		}
		c.addDifferences(list)
	}
	return nil
}

// compareHistory compares the open states of the stream's history with the current records in the file. A history that the configuration no
// longer keeps must have none. It sends no request.
func (c *streamCheck) compareHistory(ctx context.Context) error {
	if c.stream.Into != "" || c.stream.IsExportFamily() {
		return nil
	}
	history, kept := transform.History(c.stream)
	if !kept {
		keeping := *c.stream
		keeping.History = true
		history, _ = transform.History(&keeping)
		list, err := c.published.OpenStates(ctx, c.workspace, history, c.against.Table.Key)
		c.addDifferences(list)
		return err
	}
	list, err := c.published.CompareHistory(ctx, c.against, history)
	c.addDifferences(list)
	return err
}

// readByShare reads as much as the share allows: the whole list, or random pages and records.
func (c *streamCheck) readByShare(ctx context.Context) error {
	switch {
	case c.stream.Read.UsesPendingIDs():
		return c.sampleChildren(ctx)
	case c.cost <= c.share || c.stream.Read.Detail != nil && c.cost-c.rows <= c.share/2:
		return c.wholeList(ctx)
	}
	pages, err := c.somePages(ctx)
	if err != nil {
		return err
	}
	ids, err := c.sampleByID(ctx, int(c.share-c.requestsUsed()))
	c.result.How = strings.TrimSuffix(term.Count(pages, "page")+", "+term.Count(ids, "row")+" by id", ", 0 rows by id")
	return err
}

// wholeList reads the whole list. Rows that are missing from it are read by id; a stream without such requests needs a second pass that misses
// them too, because lists shift while they are read.
func (c *streamCheck) wholeList(ctx context.Context) error {
	c.result.How = "the whole list"
	if err := c.comparePages(ctx, c.wholeListRequest(), math.MaxInt); err != nil {
		return err
	}
	keys, err := c.published.SampleKeys(ctx, c.against, 0, "")
	if err == nil && c.sweep.Refused != "" {
		err = c.markRefused(ctx)
	}
	if err != nil {
		return err
	}
	absent := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return c.seen[key] })
	if c.readsOne() {
		n := int(min(int64(len(absent)), c.share-c.requestsUsed()))
		if err := c.compareByID(ctx, absent[:max(0, n)]); err != nil {
			return err
		}
		if c.stream.Read.Detail != nil && !c.options.Deep { // the list showed which records exist, without their content
			n, err := c.sampleByID(ctx, int(c.share-c.requestsUsed()))
			c.result.How += ", " + term.Count(n, "row") + " by id"
			return err
		}
		c.result.Whole = n >= len(absent)
		return nil
	}
	c.result.Whole = true
	if c.stream.Absent != "gone" || len(absent) == 0 || c.sharesTables() || c.sweep.Capped {
		return nil
	}
	if err := c.comparePages(ctx, c.wholeListRequest(), math.MaxInt); err != nil {
		return err
	}
	for _, key := range absent {
		c.records[key] = true
		if !c.seen[key] {
			c.addDifferences([]compare.Difference{{Table: c.against.Visible, Key: key, Record: key, Kind: "ghost"}})
		}
	}
	return nil
}

// markRefused takes the rows of values that the source refused as seen: a run keeps them, and no list can show them.
func (c *streamCheck) markRefused(ctx context.Context) error {
	keys, err := c.published.KeysWith(ctx, c.against, c.stream.Read.Over.As, c.sweep.RefusedValues())
	for _, key := range keys {
		c.seen[key] = true
	}
	return err
}

// countResults completes the counts of the stream.
func (c *streamCheck) countResults() {
	r := &c.result
	counts := map[string]*int{"missing": &r.Missing, "stale": &r.Stale, "ghost": &r.Ghost, "doubled": &r.Doubled, compare.Open: &r.Ghost}
	for _, f := range c.found {
		*counts[f.Kind]++
	}
	r.Sampled, r.Differ, r.Requests = int64(len(c.records)), int64(len(c.differ)), c.requestsUsed()
	r.Under = upperBound(r.Sampled, r.Differ)
}
