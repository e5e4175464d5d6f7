package extract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"aqueduck/extract/api"
)

const (
	overBatch  = 50 // ids of a page, one request each
	overMisses = 3  // failed requests after which the rest is given up, if none has succeeded
)

// childReader reads child records by the ids of their parents: one id a request, or several (batchReader).
type childReader struct {
	*Reader
	units           [][]string // ids still to be asked for, one request each
	requestsPerPage int        // requests per page
	idsLeft         int        // ids in units
	ask             func(ctx context.Context, ids []string) lookupResult
	opened          time.Time
	answered        atomic.Int32 // requests that succeeded
	failures        []error      // errors of the failed requests
}

func readOver(r *Reader) func(context.Context) (Page, error) {
	if r.r.Phase == History {
		return readNothing
	}
	o := &childReader{Reader: r, requestsPerPage: overBatch}
	o.ask = o.askOne
	for _, id := range o.askableIDs() {
		o.units = append(o.units, []string{id})
	}
	o.idsLeft = len(o.units)
	if o.mayBeMissing() {
		o.units = spreadFirst(o.units)
	}
	return o.nextBatch
}

// spreadFirst puts units from all over the queue onto the first page. The parents that wait longest may all be deleted, and by
// that page missingEverywhere judges.
func spreadFirst(units [][]string) [][]string {
	var first, rest [][]string
	for i, unit := range units {
		if i*(overBatch-1) >= len(first)*(len(units)-1) {
			first = append(first, unit)
		} else {
			rest = append(rest, unit)
		}
	}
	return append(first, rest...)
}

// askableIDs is the ids that may be put into a request. Any other id could change the request's path, and is never sent; the
// reading ends with an error that counts them.
func (o *childReader) askableIDs() []string {
	var ids []string
	for _, id := range o.r.IDs {
		if idPattern.MatchString(id) {
			ids = append(ids, id)
		}
	}
	if bad := len(o.r.IDs) - len(ids); bad > 0 {
		o.failures = append(o.failures, &api.Error{Class: api.ClassContract, Op: api.ReadOp(o.r.Stream), Method: o.r.Stream.Read.Method, Path: o.r.Stream.Read.Path,
			Err: fmt.Errorf("%d of %d ids have characters that no id of the API has", bad, len(o.r.IDs))})
	}
	return ids
}

// lookupResult is the outcome of one request.
type lookupResult struct {
	records []Record
	date    time.Time
	none    error // the 404 that says that the id does not exist
	err     error
}

func (o *childReader) nextBatch(ctx context.Context) (Page, error) {
	if len(o.units) == 0 {
		if len(o.failures) > 0 {
			return Page{}, o.firstFailure()
		}
		return Page{}, io.EOF
	}
	units := o.units[:min(o.requestsPerPage, len(o.units))]
	found, err := o.askAll(ctx, units)
	if err != nil {
		return Page{}, err
	}
	if err := o.missingEverywhere(found); err != nil {
		return Page{}, err
	}
	p := Page{State: o.state, Total: -1}
	var apart [][]string
	for i, f := range found {
		if len(units[i]) > 1 && IsRecordError(f.err) { // one bad record may break the answer for all ids: ask for each id alone
			for _, id := range units[i] {
				apart = append(apart, []string{id})
			}
			continue
		}
		o.idsLeft -= len(units[i])
		if f.err != nil {
			o.failures = append(o.failures, f.err)
			continue
		}
		p.Records = append(p.Records, f.records...)
		p.Answered = append(p.Answered, units[i]...)
		if !f.date.IsZero() && (p.ServerTime.IsZero() || f.date.Before(p.ServerTime)) {
			p.ServerTime = f.date // the earliest: every record is at least as new
		}
	}
	o.units = append(apart, o.units[len(units):]...)
	if o.isDown(len(o.failures)) {
		o.units, o.idsLeft = nil, 0
	}
	if o.opened.IsZero() {
		o.opened = p.ServerTime
	}
	p.Left, p.Boundary = int64(o.idsLeft), len(o.units) == 0
	p.Done = int64(len(o.r.IDs)) - p.Left
	p.State.Version = o.c.Version()
	if p.Boundary && len(o.failures) == 0 {
		p.State.SyncedTo = max(p.State.SyncedTo, unixSeconds(o.opened))
	}
	return p, nil
}

// missingEverywhere returns the 404 of a stream that was never read and whose first answers are all 404, although its parents
// exist. The workspace, or this API version, does not have the stream; the page then concludes nothing about single ids.
func (o *childReader) missingEverywhere(found []lookupResult) error {
	if !o.mayBeMissing() {
		return nil
	}
	for _, f := range found {
		if f.none == nil {
			return nil
		}
	}
	return found[0].none
}

// mayBeMissing reports whether no answer has shown yet that the workspace has the stream.
func (o *childReader) mayBeMissing() bool {
	return o.r.Stream.Read.UsesPendingIDs() && o.state.SyncedTo == 0 && o.opened.IsZero()
}

// askAll makes the requests of a page side by side. A request that fails does not stop the others, unless its error concerns all
// of them.
func (o *childReader) askAll(ctx context.Context, units [][]string) ([]lookupResult, error) {
	found := make([]lookupResult, len(units))
	var missed atomic.Int32
	var g errgroup.Group
	g.SetLimit(requestsAside(o.c))
	for i, ids := range units {
		g.Go(func() (err error) {
			defer RecoverPanic(&err)
			if o.isDown(int(missed.Load()) + len(o.failures)) {
				found[i].err = errSkipped
				return nil
			}
			if found[i] = o.askAgain(ctx, ids); found[i].err == nil {
				o.answered.Add(1)
				return nil
			}
			missed.Add(1)
			if concernsAll(found[i].err) {
				return found[i].err
			}
			return nil
		})
	}
	return found, g.Wait()
}

var errSkipped = errors.New("skipped after others had failed")

// firstFailure returns the first error of a request that was sent: it has the class of the stream's failure.
func (o *childReader) firstFailure() error {
	sent := slices.IndexFunc(o.failures, func(err error) bool { return !errors.Is(err, errSkipped) })
	return o.failures[max(0, sent)]
}

// isDown reports whether so many requests failed that the source fails, not single ids.
func (o *childReader) isDown(misses int) bool {
	return misses > mostAsideRecords || misses > overMisses && o.answered.Load() == 0
}

// concernsAll reports whether an error would meet the requests for other ids, too.
func concernsAll(err error) bool {
	switch api.ClassOf(err) {
	case api.ClassTransient, api.ClassContract, api.ClassSource, api.ClassCursor:
		return false
	}
	return true
}

// askAgain asks, and asks once more where a list ended short of its count (T165) or the server has lost its cursor.
func (o *childReader) askAgain(ctx context.Context, ids []string) lookupResult {
	f := o.ask(ctx, ids)
	if errors.Is(f.err, errShort) || api.ClassOf(f.err) == api.ClassCursor {
		f = o.ask(ctx, ids)
	}
	return f
}

// askOne reads the child records of one id.
func (o *childReader) askOne(ctx context.Context, ids []string) lookupResult {
	id := ids[0]
	l := listOf(o.r.Stream, 0).forValue(o.r.Stream.Read.Over.As, id)
	var f lookupResult
	for w := newWalk(o.c, l, nil); !w.ended; {
		sh, err := w.nextPage(ctx)
		var failure *api.Error
		if errors.As(err, &failure) && failure.Class == api.ClassNotFound {
			return lookupResult{records: []Record{{Over: id, Gone: true}}, date: failure.ServerTime, none: err}
		}
		if err == nil && sh.missingRows > 0 {
			err = w.shortError(sh.missingRows)
		}
		if err != nil {
			return lookupResult{err: err}
		}
		if f.date.IsZero() {
			f.date = sh.date
		}
		for _, record := range pageOf(sh).Records {
			record.Over = id
			f.records = append(f.records, record)
		}
	}
	return f
}
