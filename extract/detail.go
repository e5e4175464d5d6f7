package extract

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"aqueduck/schemas"
)

// detailAside is how many records are read by themselves side by side: at the highest quota known, with answers that take
// a fifth of a second, so many are under way.
const detailAside = 32

// Detail gives a page of a stream with `detail` whose records are replaced by their own readings; those that leave tells
// are left out. A record that the API says is gone by now is marked so. After an error the page has what was read, and the
// State from before the page: stored, it is not read again.
func (r *Reader) Detail(ctx context.Context, page Page, leave []bool) (Page, error) {
	key := keyPath(r.r.Stream)
	found := make([]*Record, len(page.Records))
	var failed atomic.Bool // no more are begun; those under way are worth waiting for
	var g errgroup.Group
	g.SetLimit(detailAside)
	for i, record := range page.Records {
		if failed.Load() {
			break
		}
		if i < len(leave) && leave[i] {
			continue
		}
		g.Go(func() (err error) {
			if found[i], err = r.detail(ctx, record.Raw, key); err != nil {
				failed.Store(true)
			}
			return err
		})
	}
	err := g.Wait()
	whole := page
	whole.Records = nil
	for _, record := range found {
		if record != nil {
			whole.Records = append(whole.Records, *record)
		}
	}
	if err != nil {
		whole.State, whole.Boundary = r.before, false
		if ctx.Err() != nil {
			err = fmt.Errorf("read %s: %w", r.r.Stream.Name, ctx.Err())
		}
	}
	return whole, err
}

// detail reads one record by itself; nil when the list's record has no id: it is kept out by whoever decodes it.
func (r *Reader) detail(ctx context.Context, raw []byte, key []string) (*Record, error) {
	id, ok := scalar(field(raw, key...))
	if !ok {
		return &Record{Raw: raw}, nil
	}
	d := r.r.Stream.Read.Detail
	l := list{op: reading(r.r.Stream), method: http.MethodGet, query: d.Query, page: schemas.Page{By: "none"}, nested: nestedLists(r.r.Stream)}
	if !idPattern.MatchString(id) {
		return nil, &Error{Class: ClassContract, Op: l.op, Method: l.method, Path: d.Path, Err: fmt.Errorf("%q is no id to read by", shorten(id))}
	}
	l.path = strings.ReplaceAll(d.Path, "{id}", url.PathEscape(id))
	sh, err := newWalk(r.c, l, nil).next(ctx)
	var failure *Error
	if errors.As(err, &failure) && failure.Class == ClassNotFound {
		return &Record{Over: id, Gone: true}, nil
	}
	if err != nil {
		return nil, err
	}
	return &Record{Raw: sh.records[0], Over: id}, nil
}

// scalar reads a JSON string or number as text.
func scalar(raw []byte) (string, bool) {
	if s, ok := text(raw); ok {
		return s, s != ""
	}
	if len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9') {
		return string(raw), true
	}
	return "", false
}
