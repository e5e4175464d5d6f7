package plan

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"aqueduck/extract"
	"aqueduck/internal/runlog"
	"aqueduck/internal/sync/warehouse"
	"aqueduck/load/facts"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// What estimates are based on: the last run, or stored rows.
const (
	basisLastRun = "as in the last run"
	basisChanges = "as many changes as before"
)

// expectRequests estimates the requests of a stream that a run has read completely. A list that is read whole takes what it took. Of the others
// as many records are expected as changed in a time before the watermark that is as long as the time since. Without these rows, or for ids that an
// SQL file finds, the last run has to do, unless it was the first one: that has read the history.
func (p *planBuilder) expectRequests(ctx context.Context, workspace string, s *schemas.Stream, state extract.State, past pastRuns) (requests int64, basis string, err error) {
	parent, read := s, state
	switch {
	case s.Read.UsesPendingIDs():
		ok := false
		if parent, ok = p.runner.Catalogue.Stream(s.Read.Over.Streams[0]); !ok || len(s.Read.Over.Streams) > 1 {
			return past.requests, basisLastRun, nil
		}
		if read, _, err = p.stateOf(workspace, parent.Name); err != nil {
			return 0, "", err
		}
	case s.Read.ByIDs() && past.runs < 2:
		return -1, "one per id; known after the other streams", nil
	case s.Read.ByIDs():
		return past.requests, basisLastRun, nil
	}
	if parent.Read.Since.By == "full" || read.SyncedTo == 0 || parent.Read.Since.HasWindows() && !read.HistoryDone {
		return past.requests, basisLastRun, nil
	}
	var window, every time.Duration
	if s.Read.Over != nil {
		window, every = s.Read.Over.For, s.Read.Over.Every
	} else if s.Read.Detail != nil {
		window, every = s.Read.Detail.For, s.Read.Detail.Every
	}
	listed, changed, known, err := p.countChanges(ctx, workspace, parent, warehouse.UnixTime(read.SyncedTo), window, every)
	if err != nil || !known {
		return past.requests, basisLastRun, err
	}
	if s.Read.UsesPendingIDs() {
		return int64(math.Ceil(float64(changed) * s.RequestsPerChange())), basisChanges, nil
	}
	requests = 1
	if size := int64(s.Read.Page.Size); size > 0 {
		requests += listed / size
	}
	if s.Read.Detail != nil {
		requests += changed
	}
	return requests, basisChanges, nil
}

// expectChildren estimates the requests of streams that ask by the ids of another one, where no run has read either of the two: as many as the
// source has records of the other one.
func (p *planBuilder) expectChildren(workspace string) error {
	for i, planned := range p.plan.Streams {
		s, ok := p.runner.Catalogue.Stream(planned.Stream)
		if !ok || planned.Workspace != workspace || planned.Requests >= 0 {
			continue
		}
		parent := parentOf(s)
		if parent == "" {
			continue
		}
		_, read, err := p.stateOf(workspace, parent)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(p.plan.Streams, func(other PlannedStream) bool { return other.Workspace == workspace && other.Stream == parent })
		if read || at < 0 || p.plan.Streams[at].Records < 0 {
			continue
		}
		one := &p.plan.Streams[i]
		one.Requests, one.Basis = int64(math.Ceil(float64(p.plan.Streams[at].Records)*s.RequestsPerChange())), "by the records of "+parent
		p.plan.Requests += one.Requests
	}
	return nil
}

// parentOf returns the stream whose records give the ids that s asks for; "" where several do, or where the ids are only those that another stream
// left out.
func parentOf(s *schemas.Stream) string {
	switch {
	case s.Read.UsesPendingIDs() && len(s.Read.Over.Streams) == 1:
		return s.Read.Over.Streams[0]
	case s.Read.ByIDs() && s.With == "" && len(s.Read.Over.After) == 1:
		return s.Read.Over.After[0]
	}
	return ""
}

// countChanges counts stored rows by the time of their last change. listed are those of the lookback window and of a time as long as that since the
// watermark, changed those of that time alone. With `refresh` changed also has the rows whose turn comes in that time.
func (p *planBuilder) countChanges(ctx context.Context, workspace string, s *schemas.Stream, watermark time.Time, window, every time.Duration) (listed, changed int64, known bool, err error) {
	table, column := transform.Tables(s)[0], cmp.Or(s.Newest, s.Read.Since.Field, "created_at")
	schema := facts.StoredSchema(workspace, table)
	if p.stored[schema+"."+table.Name][column] != "TIMESTAMP WITH TIME ZONE" {
		return 0, 0, false, nil
	}
	quoted, since := `"`+column+`"`, max(0, p.runner.Now().Sub(watermark))
	between := func(before time.Duration) string {
		return fmt.Sprintf("%s > '%s'::TIMESTAMPTZ AND %[1]s <= '%[3]s'::TIMESTAMPTZ", quoted, watermark.Add(-before-since).Format(time.RFC3339), watermark.Add(-before).Format(time.RFC3339))
	}
	times := []string{between(0)}
	for before := every; every > 0 && before <= window; before += every {
		times = append(times, between(before))
	}
	query := fmt.Sprintf(`SELECT count(*) FILTER (%s > '%s'::TIMESTAMPTZ), count(*) FILTER (%s) FROM "%s"."%s"`, quoted,
		watermark.Add(-s.Read.Since.Overlap-since).Format(time.RFC3339), strings.Join(times, " OR "), schema, table.Name)
	err = runlog.QueryPublished(ctx, p.runner.Dir, query, func(v []any) error {
		listed, changed = runlog.AsWhole(v[0]), runlog.AsWhole(v[1])
		return nil
	})
	return listed, changed, true, err
}
