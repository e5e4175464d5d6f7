package extract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	overBatch  = 50 // ids a page
	overAside  = 4  // ids asked for side by side
	overMisses = 3  // ids that may fail before the others are given up too
)

// over reads one thing per id.
type over struct {
	*Reader
	ids    []string // still to be asked for
	opened time.Time
	misses []error // why single ids could not be read
}

func readOver(r *Reader) func(context.Context) (Page, error) {
	if r.r.Phase == History {
		return finished
	}
	o := &over{Reader: r}
	bad := 0
	for _, id := range r.r.IDs {
		if !idPattern.MatchString(id) {
			bad++
			continue
		}
		o.ids = append(o.ids, id)
	}
	if bad > 0 {
		// They are never asked for: what is in them could lead anywhere. The others are read before this is told.
		o.misses = append(o.misses, &Error{Class: ClassContract, Op: "read " + r.r.Stream.Name, Method: r.r.Stream.Read.Method, Path: r.r.Stream.Read.Path,
			Err: fmt.Errorf("%d of %d ids hold signs that no id of the API has", bad, len(r.r.IDs))})
	}
	return o.next
}

// finding is what came of one id.
type finding struct {
	records []Record
	date    time.Time
	err     error
}

func (o *over) next(ctx context.Context) (Page, error) {
	if len(o.ids) == 0 {
		if len(o.misses) > 0 {
			return Page{}, o.misses[0]
		}
		return Page{}, io.EOF
	}
	batch := o.ids[:min(overBatch, len(o.ids))]
	found, err := o.askAll(ctx, batch)
	if err != nil {
		return Page{}, err
	}
	p := Page{State: o.state, Total: -1, Done: -1, Left: -1}
	for _, f := range found {
		if f.err != nil {
			o.misses = append(o.misses, f.err)
			continue
		}
		p.Records = append(p.Records, f.records...)
		if !f.date.IsZero() && (p.ServerTime.IsZero() || f.date.Before(p.ServerTime)) {
			p.ServerTime = f.date // the earliest: each record is at least as new as that
		}
	}
	o.ids = o.ids[len(batch):]
	if len(o.misses) > overMisses {
		o.ids = nil
	}
	if o.opened.IsZero() {
		o.opened = p.ServerTime
	}
	p.Left, p.Boundary = int64(len(o.ids)), len(o.ids) == 0
	p.Done = int64(len(o.r.IDs)) - p.Left
	p.State.Version = o.c.o.Version
	if p.Boundary && len(o.misses) == 0 {
		p.State.SyncedTo = max(p.State.SyncedTo, unix(o.opened))
	}
	return p, nil
}

// askAll reads a batch of ids, side by side. One id that fails does not stop the others, unless that is about all of them.
func (o *over) askAll(ctx context.Context, batch []string) ([]finding, error) {
	found := make([]finding, len(batch))
	var missed atomic.Int32
	var g errgroup.Group
	g.SetLimit(overAside)
	for i, id := range batch {
		g.Go(func() error {
			if missed.Load() > overMisses {
				found[i].err = errors.New("given up after others had failed")
				return nil
			}
			if found[i] = o.ask(ctx, id); found[i].err == nil {
				return nil
			}
			missed.Add(1)
			if aboutAll(found[i].err) {
				return found[i].err
			}
			return nil
		})
	}
	return found, g.Wait()
}

// aboutAll reports whether an error is about more than the one id.
func aboutAll(err error) bool {
	switch ClassOf(err) {
	case ClassTransient, ClassContract:
		return false
	}
	return true
}

// ask reads what there is under one id.
func (o *over) ask(ctx context.Context, id string) finding {
	l := listOf(o.r.Stream, 0)
	l.path = strings.ReplaceAll(l.path, "{id}", url.PathEscape(id))
	var f finding
	for w := newWalk(o.c, l, nil); !w.ended; {
		sh, err := w.next(ctx)
		var failure *Error
		if errors.As(err, &failure) && failure.Class == ClassNotFound {
			return finding{records: []Record{{Over: id, Gone: true}}, date: failure.date}
		}
		if err != nil {
			return finding{err: err}
		}
		if f.date.IsZero() {
			f.date = sh.date
		}
		for _, raw := range sh.records {
			f.records = append(f.records, Record{Raw: raw, Over: id})
		}
	}
	return f
}
