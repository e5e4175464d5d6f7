package extract

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/scan"
	"aqueduck/schemas"
)

// ReadDetails replaces the records of a page of a stream with `detail` by the results of reading each one by id. A record i with
// skip[i] is omitted. A record that the API no longer has comes with Gone. After an error the page holds the records read so far
// and the State from before the page, so that the page is read again.
func (r *Reader) ReadDetails(ctx context.Context, page Page, skip []bool) (Page, error) {
	key, listed := keyPath(r.r.Stream), page.Records
	return r.readAside(ctx, page, len(listed), func(i int) (*Record, error) {
		if i < len(skip) && skip[i] {
			return nil, nil
		}
		record, err := r.fetchDetail(ctx, listed[i].Raw, key)
		if record != nil && record.Raw != nil {
			record.MayBeStale = r.mayBeStale(listed[i].Raw, record.Raw)
		}
		return record, err
	})
}

// mayBeStale reports whether a record that changed lately may be an older copy than the list's.
func (r *Reader) mayBeStale(listed, raw []byte) bool {
	at, ok := RecordTime(r.r.Stream, raw)
	return ok && isRecent(at, r.c.Now(), r.r.Stream.Read.Since.Overlap) && isStaleRead(r.r.Stream, listed, raw, r.c.Now())
}

// readAside gives the page the n records that read returns, read side by side and kept in their order; nil omits one. A record
// that cannot be read comes as Unreadable, up to mostAsideRecords of them in one reading.
func (r *Reader) readAside(ctx context.Context, page Page, n int, read func(i int) (*Record, error)) (Page, error) {
	found := make([]*Record, n)
	var failed atomic.Bool // begins no more requests; those under way are completed
	errs := make([]error, n)
	var unread atomic.Int32
	unread.Store(int32(r.failed))
	var g errgroup.Group
	g.SetLimit(requestsAside(r.c))
	for i := 0; i < n && !failed.Load(); i++ {
		g.Go(func() (err error) {
			defer RecoverPanic(&err)
			found[i], err = read(i)
			if found[i] != nil && IsRecordError(err) && ctx.Err() == nil && int(unread.Add(1)) <= mostAsideRecords {
				found[i].Missing, found[i].Error, errs[i], err = Unreadable, err.Error(), err, nil
			}
			if err != nil {
				found[i] = nil
				failed.Store(true)
			}
			return err
		})
	}
	err := g.Wait()
	page.Records = nil
	readable := 0
	for _, record := range found {
		if record == nil {
			continue
		}
		page.Records = append(page.Records, *record)
		if record.Missing != Unreadable {
			readable++
		}
	}
	if one := cmp.Or(errs...); err == nil && readable == 0 && len(page.Records) > 1 {
		err = one // when all records fail, the source fails
	}
	r.failed = int(unread.Load())
	if err != nil {
		page.State, page.Boundary = r.before, false
		if ctx.Err() != nil {
			err = fmt.Errorf("read %s: %w", r.r.Stream.Name, ctx.Err())
		}
	}
	return page, err
}

// ReadByID reads records by their ids, as ReadDetails does, of a stream with `detail` or `by_id`. Its State is the one of the
// last page.
func (r *Reader) ReadByID(ctx context.Context, ids []string) (Page, error) {
	page := Page{State: r.state, ServerTime: r.c.ServerNow(), Total: -1, Done: -1, Left: -1}
	r.before = r.state
	return r.readAside(ctx, page, len(ids), func(i int) (*Record, error) { return r.byID(ctx, ids[i]) })
}

// fetchDetail reads one record by its id. A record without a usable id is returned as the list sent it; decoding rejects it.
func (r *Reader) fetchDetail(ctx context.Context, raw []byte, key []string) (*Record, error) {
	id, ok := scan.Scalar(scan.Field(raw, key...))
	if !ok {
		return &Record{Raw: raw}, nil
	}
	return r.byID(ctx, id)
}

func (r *Reader) byID(ctx context.Context, id string) (*Record, error) {
	d := r.r.Stream.Read.Single()
	l := listRequest{op: api.ReadOp(r.r.Stream), method: http.MethodGet, query: d.Query, page: schemas.Page{By: "none"}, nested: nestedLists(r.r.Stream)}
	if !idPattern.MatchString(id) {
		return nil, &api.Error{Class: api.ClassContract, Op: l.op, Method: l.method, Path: d.Path, Err: fmt.Errorf("%q is not an id to read by", api.Shorten(id))}
	}
	l.path = strings.ReplaceAll(d.Path, "{id}", url.PathEscape(id))
	var fewer *Record    // the first answer, if it has fewer parts than it counts
	var fewerParts int64 // parts in that answer
	for n := 1; ; n++ {
		sh, err := newWalk(r.c, l, nil).nextPage(ctx)
		var failure *api.Error
		if errors.As(err, &failure) && failure.Class == api.ClassNotFound {
			return &Record{Over: id, Gone: true}, nil
		}
		if err != nil {
			return &Record{Over: id}, err
		}
		// A replica may have only half of a new record, and a cache may answer with another record (T195): ask once more.
		capped := countCapped(r.r.Stream, sh.Records[0])
		record, why := pageOf(sh).Records[0], incompleteReason(r.r.Stream, sh.Records[0], capped)
		record.Over, record.Missing = id, cmp.Or(why, record.Missing)
		other, known := RecordKey(r.r.Stream, sh.Records[0])
		another := known && other != id
		parts := countParts(r.r.Stream, sh.Records[0], capped)
		switch {
		case n == 1 && !another && parts.came < parts.counted && (why == "" || why == FewItems):
			fewer, fewerParts = &record, parts.came
		case n == 1 && (another || why != ""):
		case fewer != nil && (another || parts.came < fewerParts):
			return fewer, nil
		case another:
			err := fmt.Errorf("the answer is the record %q", api.Shorten(other))
			return &Record{Over: id}, &api.Error{Class: api.ClassContract, Op: l.op, Method: l.method, Path: l.path, Err: err}
		default:
			return &record, nil
		}
	}
}
