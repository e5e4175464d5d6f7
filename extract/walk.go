package extract

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"time"

	"aqueduck/extract/api"
)

const (
	calmPages  = 10  // good pages after which a reduced page size grows again
	emptyPages = 200 // pages without a record, one after the other, that no real list has
)

// walk goes through one list from a position to its end. Every way of reading a stream is walks over lists.
type walk struct {
	c      *api.Client
	list   list
	peek   recordPeek
	print  string
	pos    Position          // of the next page
	most   int               // records a page, when all goes well
	calm   int               // good pages since the size was last changed
	tally  tally             // of the records that came
	empty  int               // pages without a record until now
	seen   map[[16]byte]bool // hashes of the places asked for
	hint   int               // bytes that a page may have
	before []byte            // first record of the page before, of lists by number
	aside  int               // records of which a list could not be read on
	ended  bool
}

// newWalk begins at from, when that belongs to the same request; at the list's beginning otherwise.
func newWalk(c *api.Client, l list, from *Position) *walk {
	w := &walk{c: c, list: l, peek: recordPeekOf(l), most: l.page.Size, seen: map[[16]byte]bool{}}
	w.print = l.fingerprint(c.BaseURL().String(), c.Version())
	w.pos = Position{Page: pagers[l.page.By].start, Size: l.page.Size, Fingerprint: w.print}
	if w.resumes(from) {
		w.pos = *from
		if w.pos.Size < 1 || w.pos.Size > w.most {
			w.pos = w.pos.resized(w.most)
		}
	}
	w.tally = newTally(w.pos.Rows)
	w.visit(w.pos)
	return w
}

// resumes reports whether a stored place can be used by this walk.
func (w *walk) resumes(from *Position) bool {
	return from != nil && from.Fingerprint == w.print && (from.Token != "" || from.Page > 0) && from.Size > 0
}

// first reads the page at the walk's place and stays there.
func (w *walk) first(ctx context.Context) (listPage, error) { return w.read(ctx, 0) }

// next reads a page and moves on. After an error the walk is where it was, unless it is of ClassSource: then the list has no end to
// reach. After the last page it must not be called.
func (w *walk) next(ctx context.Context) (listPage, error) {
	sh, err := w.read(ctx, 0)
	for err != nil {
		// A page that keeps failing is asked for in smaller pieces. Each size gets a second chance only: by then the server
		// has had the usual number of them.
		var failure *api.Error
		if !errors.As(err, &failure) || failure.Path != w.list.path || !failure.SmallerPageMayHelp() || w.pos.Size <= 1 || ctx.Err() != nil {
			return listPage{}, err
		}
		w.resize(w.pos.Size / 2)
		sh, err = w.read(ctx, 2)
	}
	if err := w.move(&sh); err != nil {
		return listPage{}, err
	}
	return sh, nil
}

// move goes on to the place after a page.
func (w *walk) move(sh *listPage) error {
	w.empty++
	if len(sh.records) > 0 {
		w.empty = 0
	}
	if w.list.tail && len(sh.records) == 0 && sh.after.Token == sh.used.Token {
		sh.end = true
	}
	w.pos, w.ended = sh.after, sh.end
	if sh.end {
		if w.list.page.Most == 0 && !w.list.tail {
			sh.lacks = w.tally.lacking()
		}
		return nil
	}
	if err := w.tally.endless(); err != nil {
		return w.sourceError(err)
	}
	if w.empty >= emptyPages {
		return w.sourceError(fmt.Errorf("%d pages in a row hold no record, and none says that the list ends", w.empty))
	}
	if w.visit(w.pos) {
		return w.sourceError(ErrCursorLoop)
	}
	if w.repeats(sh) {
		return w.sourceError(fmt.Errorf("%w: page %d is page %d again", ErrCursorLoop, sh.used.Page, sh.used.Page-1))
	}
	if w.calm++; w.calm >= calmPages && w.pos.Size < w.most {
		w.resize(min(2*w.pos.Size, w.most))
	}
	sh.after = w.pos
	return nil
}

// resize goes on from the same record in pages of another size. Where pages go by number, that may be before it.
func (w *walk) resize(size int) {
	w.pos = w.pos.resized(size)
	w.calm, w.before = 0, nil
	w.visit(w.pos)
}

// repeats notices a list by number that pays no heed to the number: it would never end.
func (w *walk) repeats(sh *listPage) bool {
	if sh.used.Page == 0 || len(sh.records) == 0 {
		return false
	}
	same := sh.pages.next == nextAbsent && bytes.Equal(w.before, sh.records[0])
	w.before = sh.records[0]
	return same
}

// visit notes that a place is being asked for; true when it was before.
func (w *walk) visit(p Position) bool {
	key := p.Token
	if key == "" {
		key = "\x00" + strconv.FormatInt(p.Page, 10) + "/" + strconv.Itoa(p.Size)
	}
	sum := sha256.Sum256([]byte(key))
	hash := [16]byte(sum[:16])
	before := w.seen[hash]
	w.seen[hash] = true
	return before
}

// fetch asks for the page at the walk's place.
func (w *walk) fetch(ctx context.Context, attempts int) (found *envelope, date time.Time, err error) {
	q := w.list.call(w.pos)
	q.Attempts, q.Hint = attempts, w.hint
	q.Accept = func(a *api.Answer) (err error) {
		found, err = parseEnvelope(a.Body, w.list.records, w.peek)
		return err
	}
	a, err := w.c.Send(ctx, q)
	if err != nil {
		return nil, time.Time{}, err
	}
	w.hint = len(a.Body) + len(a.Body)/8 // pages of a list are alike
	return found, a.Date, nil
}

// read asks for the page at the walk's place, with its capped lists read to their ends.
func (w *walk) read(ctx context.Context, attempts int) (listPage, error) {
	found, date, err := w.fetch(ctx, attempts)
	if err == nil && w.list.tail && found.pages.next == nextAbsent && len(found.records) >= w.pos.Size {
		// A full page that names no next one is the last by chance only: what it says is heard twice.
		found, date, err = w.fetch(ctx, attempts)
	}
	if err != nil {
		return listPage{}, err
	}
	sh := listPage{envelope: *found, over: w.list.over, date: date, used: w.pos}
	before := w.tally.distinct
	w.tally.add(found)
	sh.fresh = w.tally.distinct - before
	if n := int(sh.pages.perPage); n > 0 && n < w.pos.Size && len(sh.records) <= n {
		// The server gives less than was asked for: its numbers count pages of its own size.
		w.most = min(w.most, n)
		w.pos.Size, sh.used.Size = n, n
	}
	if sh.after, sh.end, err = w.list.follow(w.pos, w.tally.distinct, found, w.c.BaseURL()); err != nil {
		return listPage{}, w.contractError(err)
	}
	if err := w.complete(ctx, &sh); err != nil {
		return listPage{}, err
	}
	return sh, nil
}

// contractError is an error about how the list is paged.
func (w *walk) contractError(err error) error {
	return &api.Error{Class: api.ClassContract, Op: w.list.op, Method: w.list.method, Path: w.list.path, Err: err}
}

// sourceError is an error of a list that contradicts itself, or leads to no end.
func (w *walk) sourceError(err error) error {
	return &api.Error{Class: api.ClassSource, Op: w.list.op, Method: w.list.method, Path: w.list.path, Err: err}
}

// shortError is the error of a list that ends before it has given what it states.
func (w *walk) shortError(lacks int64) error {
	return w.sourceError(fmt.Errorf("%w: it states %d, and %d came", errShort, w.tally.least, w.tally.least-lacks))
}
