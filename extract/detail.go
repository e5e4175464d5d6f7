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

// How many records are read by themselves side by side: as many as the pace allows in a second, which answers hardly take,
// so that other streams wait behind no more than that; never fewer, and never more, than these.
const (
	fewestAside = 4
	mostAside   = 32
)

// ReadDetails gives a page of a stream with `detail` whose records are replaced by their own readings; those that leave tells
// are left out. A record that the API says is gone by now is marked so. After an error the page has what was read, and the
// State from before the page: stored, it is not read again.
func (r *Reader) ReadDetails(ctx context.Context, page Page, leave []bool) (Page, error) {
	key, listed := keyPath(r.r.Stream), page.Records
	return r.readAside(ctx, page, len(listed), func(i int) (*Record, error) {
		if i < len(leave) && leave[i] {
			return nil, nil
		}
		record, err := r.fetchDetail(ctx, listed[i].Raw, key)
		if record != nil && record.Raw != nil {
			record.MayBeStale = r.mayBeStale(listed[i].Raw, record.Raw)
		}
		return record, err
	})
}

// mayBeStale reports whether a record that changed lately may have been read too early.
func (r *Reader) mayBeStale(listed, raw []byte) bool {
	at, ok := RecordTime(r.r.Stream, raw)
	return ok && isRecent(at, r.c.Now(), r.r.Stream.Read.Since.Overlap) && isStaleRead(r.r.Stream, listed, raw, r.c.Now())
}

// readAside gives the page with the n records that read gives, side by side and in their order; nil is none. A record that cannot be
// read is given as such, as long as few are.
func (r *Reader) readAside(ctx context.Context, page Page, n int, read func(i int) (*Record, error)) (Page, error) {
	found := make([]*Record, n)
	var failed atomic.Bool // no more are begun; those under way are worth waiting for
	errs := make([]error, n)
	var unread atomic.Int32
	unread.Store(int32(r.failed))
	var g errgroup.Group
	g.SetLimit(min(mostAside, max(fewestAside, r.c.RequestsPerSecond())))
	for i := 0; i < n && !failed.Load(); i++ {
		g.Go(func() (err error) {
			defer RecoverPanic(&err)
			found[i], err = read(i)
			if found[i] != nil && isRecordError(err) && ctx.Err() == nil && int(unread.Add(1)) <= mostAsideRecords {
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
	came := 0
	for _, record := range found {
		if record == nil {
			continue
		}
		page.Records = append(page.Records, *record)
		if record.Missing != Unreadable {
			came++
		}
	}
	if one := cmp.Or(errs...); err == nil && came == 0 && len(page.Records) > 1 {
		err = one // it is not about one of them
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

// ReadByID reads records by their ids, as Detail does, of a stream whose file says how. Its State is the one of the last page.
func (r *Reader) ReadByID(ctx context.Context, ids []string) (Page, error) {
	page := Page{State: r.state, ServerTime: r.c.ServerNow(), Total: -1, Done: -1, Left: -1}
	r.before = r.state
	return r.readAside(ctx, page, len(ids), func(i int) (*Record, error) { return r.byID(ctx, ids[i]) })
}

// fetchDetail reads one record by itself. The list's own stays when it has no id: it is kept out by whoever decodes it.
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
	var fewer *Record // the first answer, where it has fewer parts than it counts
	var came int64    // those that it has
	for n := 1; ; n++ {
		sh, err := newWalk(r.c, l, nil).nextPage(ctx)
		var failure *api.Error
		if errors.As(err, &failure) && failure.Class == api.ClassNotFound {
			return &Record{Over: id, Gone: true}, nil
		}
		if err != nil {
			return &Record{Over: id}, err
		}
		// What answers may have only half of a record that has just been made, or another's from a cache: it is asked once more.
		record, why := pageOf(sh).Records[0], IncompleteReason(r.r.Stream, sh.records[0])
		record.Over, record.Missing = id, cmp.Or(why, record.Missing)
		other, known := RecordKey(r.r.Stream, sh.records[0])
		another := known && other != id
		parts, counted := countParts(r.r.Stream, sh.records[0])
		switch {
		case n == 1 && (another || why != ""):
		case n == 1 && parts < counted:
			fewer, came = &record, parts
		case fewer != nil && (another || parts < came):
			return fewer, nil
		case another:
			err := fmt.Errorf("the answer is the record %q", api.Shorten(other))
			return &Record{Over: id}, &api.Error{Class: api.ClassContract, Op: l.op, Method: l.method, Path: l.path, Err: err}
		default:
			return &record, nil
		}
	}
}
