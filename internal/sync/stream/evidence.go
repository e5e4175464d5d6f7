package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"aqueduck/extract"
	"aqueduck/internal/problem"
	"aqueduck/internal/sync/warehouse"
	"aqueduck/load"
	"aqueduck/schemas"
)

// evidenceRows is how many stored rows of a window, the newest, its search must return.
const evidenceRows = 5

// checkWindowEvidence compares the pages of a window with the newest rows that are stored in that window. A search that does not return them may
// be broken or behind, and its answer then looks like a window with few changes or none. So at the last page of a window that lacks half of them,
// the missing ones are read by id. When the source still has half of them, or any where no record came, with times inside the window,
// checkWindowEvidence returns an error: the search is broken, and the watermark must not move past the window.
func checkWindowEvidence(ctx context.Context, t *Task, page extract.Page) error {
	column := t.Stream.TimeColumn()
	if column == "" || page.Window == nil || page.Resumed || t.IsWindowed() || isFedByOthers(t) || !hasPlainKey(t.Stream) {
		return nil
	}
	from, to := time.Unix(page.Window.From, 0), t.Workspace.Client.Now()
	if page.Window.To > 0 {
		to = time.Unix(page.Window.To, 0)
	}
	evidence := t.evidence[*page.Window]
	if evidence == nil {
		missing, err := newestStored(ctx, t, column, from, to)
		if err != nil {
			return err
		}
		evidence = &windowEvidence{window: *page.Window, column: column, from: from, to: to, stored: len(missing), missing: missing}
		if t.evidence == nil {
			t.evidence = map[extract.Window]*windowEvidence{}
		}
		t.evidence[*page.Window] = evidence
	}
	if page.Boundary {
		delete(t.evidence, *page.Window)
	}
	evidence.anyRecord = evidence.anyRecord || len(page.Records) > 0
	for _, record := range page.Records {
		if key, ok := extract.RecordKey(t.Stream, record.Raw); ok {
			delete(evidence.missing, key)
		}
	}
	lacks, known := len(evidence.missing), evidence.stored
	history := page.Window.Kind == string(extract.History) // a full refresh reads many windows, with many records that have left since
	if !page.Boundary || lacks == 0 || 2*lacks < known || history && lacks < known {
		return nil
	}
	return evidence.confirmMissingByID(ctx, t)
}

// hasPlainKey reports whether the key is one field of the record that is stored as sent: only then can a stored row be found among the records.
func hasPlainKey(s *schemas.Stream) bool {
	return len(s.Key) == 1 && slices.ContainsFunc(s.Columns, func(c schemas.Column) bool {
		return c.Name == s.Key[0] && !c.IsComputed() && c.As == "" && (c.Type == schemas.Text || c.Type == schemas.Int)
	})
}

// extendToNewestStored extends a forward window back to the newest stored row. Where nothing has changed for longer than the lookback window, that row
// is the only evidence that the search still works.
func extendToNewestStored(ctx context.Context, t *Task, req *extract.Request) error {
	column := t.Stream.TimeColumn()
	if column == "" || req.Phase != extract.Forward || t.IsWindowed() || isFedByOthers(t) || !hasPlainKey(t.Stream) {
		return nil
	}
	return t.Run.Writer.Use(func(work *load.Work) (err error) {
		req.Known, err = work.Facts.Newest(ctx, t.Workspace.Name, t.Tables[0], column, warehouse.UnixTime(t.State.SyncedTo))
		if err != nil {
			return fmt.Errorf("stream %s: find its newest record: %w", t.Stream.Name, err)
		}
		return nil
	})
}

// dropStoredOlder removes from a page the records before the real beginning of its window that are stored with the same time. They were read only as
// evidence. Storing them again would keep whatever this answer says of them, and no later window would read them
// to correct it.
func dropStoredOlder(ctx context.Context, t *Task, page extract.Page) (extract.Page, error) {
	if page.Window == nil || page.Window.Before == 0 {
		return page, nil
	}
	beforeWindow := func(record extract.Record) (key string, at int64, ok bool) {
		key, keyed := extract.RecordKey(t.Stream, record.Raw)
		at, timed := extract.RecordTime(t.Stream, record.Raw)
		return key, at, keyed && timed && at < page.Window.Before
	}
	var keys []string
	for _, record := range page.Records {
		if key, _, ok := beforeWindow(record); ok {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return page, nil
	}
	var stored map[string]time.Time
	err := t.Run.Writer.Use(func(work *load.Work) (err error) {
		from, to := time.Unix(page.Window.From, 0), time.Unix(page.Window.Before, 0)
		stored, err = work.Facts.KeysBetween(ctx, t.Workspace.Name, t.Tables[0], t.Stream.TimeColumn(), from, to, keys, len(keys))
		return err
	})
	if err != nil {
		return page, fmt.Errorf("stream %s: find which of its older records are stored: %w", t.Stream.Name, err)
	}
	page.Records = slices.DeleteFunc(slices.Clone(page.Records), func(record extract.Record) bool {
		key, at, ok := beforeWindow(record)
		storedAt, found := stored[key]
		return ok && found && storedAt.Unix() == at
	})
	return page, nil
}

// confirmMissingByID reads by id the newest stored rows of the window that its search did not return. A row that the source still has, with a time
// inside the window, shows that the search left it out. It does not matter whether the row has changed: its old time was inside the window too.
func (e *windowEvidence) confirmMissingByID(ctx context.Context, t *Task) error {
	ids := slices.Sorted(maps.Keys(e.missing))
	there, known, err := timesByID(ctx, t, ids)
	if err != nil {
		return err
	}
	within := 0
	for _, at := range there {
		if e.window.IncludesTime(at) {
			within++
		}
	}
	exist := e.stored - len(ids) + len(there)
	proof := fmt.Sprintf("%d of these %d still exist at the source, as requests by id show", within, len(ids))
	if len(ids) == 1 {
		proof = "it still exists at the source, as a request by id shows"
	}
	switch {
	case !known && len(ids) < e.stored:
		return nil
	case !known:
		proof = "this stream cannot request records by their ids"
	case within == 0 && !e.anyRecord:
		return e.confirmEmptyList(ctx, t)
	case within == 0, e.anyRecord && 2*within < exist:
		return nil
	}
	lacks := fmt.Sprintf("%d of the %d newest stored rows", len(ids), e.stored)
	if e.stored == 1 {
		lacks = "the newest stored row"
	}
	return &problem.Problem{Class: "source", Next: problem.SourceNext,
		What: fmt.Sprintf("stream %s: its list lacks %s of %s to %s; %s; the list cannot be trusted", t.Stream.Name, lacks, formatTime(e.from), formatTime(e.to), proof)}
}

// confirmEmptyList checks a search that returned nothing for a window with stored rows, none of which the source has in that window any more. When
// the source still has some older stored rows by id, a search from their stored times on must return a record, or else a search without a time
// bound: the index may not have rows yet that were restored a moment ago, or has them with older times. A record with a time inside the window
// shows that the window's answer was wrong, even if the search works by now.
func (e *windowEvidence) confirmEmptyList(ctx context.Context, t *Task) error {
	stored, err := newestStored(ctx, t, e.column, time.Unix(0, 0), e.from)
	if err != nil {
		return err
	}
	there, _, err := timesByID(ctx, t, slices.Sorted(maps.Keys(stored)))
	if err != nil || len(there) == 0 {
		return err
	}
	var kept []int64
	for key, at := range there {
		if was, known := stored[key]; known && at >= was.Unix() {
			kept = append(kept, was.Unix())
		}
	}
	since := []int64{1} // no time bound
	if len(kept) > 0 {
		since = []int64{max(1, slices.Min(kept)), 1}
	}
	for _, from := range since {
		times, some, err := searchFrom(ctx, t, from)
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(times, e.window.IncludesTime); i >= 0 {
			return &problem.Problem{Class: "source", Next: problem.SourceNext,
				What: fmt.Sprintf("stream %s: its list returned nothing from %s on, and a second search returns a record of %s", t.Stream.Name, formatTime(e.from), formatTime(time.Unix(times[i], 0)))}
		}
		if some {
			return nil
		}
	}
	return &problem.Problem{Class: "source", Next: problem.SourceNext,
		What: fmt.Sprintf("stream %s: its list is empty for every start time, but %d stored records exist by id", t.Stream.Name, len(there))}
}

// searchFrom returns the times of the first records of a search from a time on; some reports whether there is any record.
func searchFrom(ctx context.Context, t *Task, from int64) (times []int64, some bool, err error) {
	req := t.phaseRequest(extract.Forward)
	req.State, req.Since = extract.State{}, time.Unix(from, 0)
	for reader := extract.NewReader(t.Workspace.Client, req); !some; { // the first pages may be empty
		page, err := reader.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, false, fmt.Errorf("stream %s: ask its list for any record: %w", t.Stream.Name, err)
		}
		some = len(page.Records) > 0
		for _, record := range page.Records {
			if at, timed := extract.RecordTime(t.Stream, record.Raw); timed {
				times = append(times, at)
			}
		}
	}
	return times, some, nil
}

// newestStored returns the keys and times of the newest rows that are stored between two times, at most evidenceRows.
func newestStored(ctx context.Context, t *Task, column string, from, to time.Time) (stored map[string]time.Time, err error) {
	err = t.Run.Writer.Use(func(work *load.Work) (err error) {
		stored, err = work.Facts.KeysBetween(ctx, t.Workspace.Name, t.Tables[0], column, from, to, nil, evidenceRows)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("stream %s: choose the stored rows that its search must return: %w", t.Stream.Name, err)
	}
	return stored, nil
}

// timesByID reads records by id and returns the times (Unix seconds) of those that the source has, by their keys. known is false when no stream can read these
// records by id.
func timesByID(ctx context.Context, t *Task, ids []string) (there map[string]int64, known bool, err error) {
	if len(ids) == 0 {
		return nil, true, nil
	}
	there = map[string]int64{}
	records, known, err := readByID(ctx, t, ids)
	if err != nil {
		return nil, known, fmt.Errorf("stream %s: request by id what its search did not return: %w", t.Stream.Name, err)
	}
	for _, record := range records {
		key, keyed := extract.RecordKey(t.Stream, record.Raw)
		if at, timed := extract.RecordTime(t.Stream, record.Raw); keyed && timed && !record.Gone {
			there[key] = at
		}
	}
	return there, known, nil
}
