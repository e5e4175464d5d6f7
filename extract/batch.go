package extract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// batches reads records by many ids a request. The API leaves out what it does not have without a word: what was expected
// is held against what came.
type batches struct {
	*Reader
	chunks [][]string          // ids still to be asked for, a request each
	keys   map[string][]string // of the records expected, by id
	name   []string            // path of a record's key
	all    int                 // requests of the whole reading
	opened time.Time
	misses []error // why chunks could not be read
}

func readBatches(r *Reader) func(context.Context) (Page, error) {
	if r.r.Phase == History {
		return finished
	}
	b := &batches{Reader: r, keys: map[string][]string{}, name: keyPath(r.r.Stream)}
	var ids []string
	bad := 0
	for i, id := range r.r.IDs {
		key := id
		if i < len(r.r.Keys) {
			key = r.r.Keys[i]
		}
		if !idPattern.MatchString(id) {
			bad++
			continue
		}
		if _, twice := b.keys[id]; !twice {
			ids = append(ids, id)
		}
		b.keys[id] = append(b.keys[id], key)
	}
	if bad > 0 {
		b.misses = append(b.misses, &Error{Class: ClassContract, Op: reading(r.r.Stream), Method: r.r.Stream.Read.Method, Path: r.r.Stream.Read.Path,
			Err: fmt.Errorf("%d of %d ids hold signs that no id of the API has", bad, len(r.r.IDs))})
	}
	for size := r.r.Stream.Read.Over.Size; len(ids) > 0; {
		n := min(size, len(ids))
		b.chunks = append(b.chunks, ids[:n])
		ids = ids[n:]
	}
	b.all = len(b.chunks)
	return b.next
}

func (b *batches) next(ctx context.Context) (Page, error) {
	if len(b.chunks) == 0 {
		if len(b.misses) > 0 {
			return Page{}, b.misses[0]
		}
		return Page{}, io.EOF
	}
	some := b.chunks[:min(overAside, len(b.chunks))]
	found, err := b.askAll(ctx, some)
	if err != nil {
		return Page{}, err
	}
	p := Page{State: b.state, Total: -1, Done: -1, Left: -1}
	for _, f := range found {
		if f.err != nil {
			b.misses = append(b.misses, f.err)
			continue
		}
		p.Records = append(p.Records, f.records...)
		if !f.date.IsZero() && (p.ServerTime.IsZero() || f.date.Before(p.ServerTime)) {
			p.ServerTime = f.date
		}
	}
	b.chunks = b.chunks[len(some):]
	if len(b.misses) > overMisses {
		b.chunks = nil
	}
	if b.opened.IsZero() {
		b.opened = p.ServerTime
	}
	p.Boundary = len(b.chunks) == 0
	p.State.Version = b.c.o.Version
	if p.Boundary && len(b.misses) == 0 {
		p.State.SyncedTo = max(p.State.SyncedTo, unix(b.opened))
	}
	return p, nil
}

// askAll reads some chunks side by side. One that fails does not stop the others, unless that is about all of them.
func (b *batches) askAll(ctx context.Context, chunks [][]string) ([]finding, error) {
	found := make([]finding, len(chunks))
	var missed atomic.Int32
	var g errgroup.Group
	for i, ids := range chunks {
		g.Go(func() error {
			if int(missed.Load())+len(b.misses) > overMisses {
				found[i].err = errors.New("given up after others had failed")
				return nil
			}
			if found[i] = b.ask(ctx, ids); found[i].err == nil {
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

// ask reads what there is under some ids, and notes whose records did not come.
func (b *batches) ask(ctx context.Context, ids []string) finding {
	l := listOf(b.r.Stream, 0)
	l.ids = map[string][]string{b.r.Stream.Read.Over.As: ids}
	var f finding
	came := map[string]bool{}
	for w := newWalk(b.c, l, nil); !w.ended; {
		sh, err := w.next(ctx)
		if err != nil {
			return finding{err: err}
		}
		if f.date.IsZero() {
			f.date = sh.date
		}
		for _, raw := range sh.records {
			f.records = append(f.records, Record{Raw: raw})
			came[textOf(field(raw, b.name...))] = true
		}
	}
	for _, id := range ids {
		for _, key := range b.keys[id] {
			if !came[key] {
				f.records = append(f.records, Record{Over: key, Gone: true})
			}
		}
	}
	return f
}

// textOf is an id as text, whatever it was sent as.
func textOf(value []byte) string {
	if s, ok := text(value); ok {
		return s
	}
	return string(value)
}
