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

// listWalk goes through one list from a position to its end. Every way of reading a stream is walks over lists.
type listWalk struct {
	c               *api.Client
	list            listRequest
	peek            recordPeek
	fingerprint     string
	pos             Position          // of the next page
	maxPageSize     int               // records a page, when all goes well
	goodPages       int               // good pages since the size was last changed
	tally           recordTally       // of the records that came
	empty           int               // pages without a record until now
	visited         map[[16]byte]bool // hashes of the places asked for
	sizeHint        int               // bytes that a page may have
	firstOfPrevious []byte            // first record of the page before, of lists by number
	unreadRecords   int               // records of which a list could not be read on
	ended           bool
}

// newWalk begins at from, when that belongs to the same request; at the list's beginning otherwise.
func newWalk(c *api.Client, l listRequest, from *Position) *listWalk {
	w := &listWalk{c: c, list: l, peek: recordPeekOf(l), maxPageSize: l.page.Size, visited: map[[16]byte]bool{}}
	w.fingerprint = l.requestFingerprint(c.BaseURL().String(), c.Version())
	w.pos = Position{Page: pagers[l.page.By].start, Size: l.page.Size, Fingerprint: w.fingerprint}
	if w.canResume(from) {
		w.pos = *from
		if w.pos.Size < 1 || w.pos.Size > w.maxPageSize {
			w.pos = w.pos.withPageSize(w.maxPageSize)
		}
	}
	w.tally = newTally(w.pos.Rows)
	w.recordVisit(w.pos)
	return w
}

// canResume reports whether a stored place can be used by this walk.
func (w *listWalk) canResume(from *Position) bool {
	return from != nil && from.Fingerprint == w.fingerprint && (from.Token != "" || from.Page > 0) && from.Size > 0
}

// readFirstPage reads the page at the walk's place and stays there.
func (w *listWalk) readFirstPage(ctx context.Context) (listPage, error) { return w.readPage(ctx, 0) }

// nextPage reads a page and moves on. After an error the walk is where it was, unless it is of ClassSource: then the list has no end to
// reach. After the last page it must not be called.
func (w *listWalk) nextPage(ctx context.Context) (listPage, error) {
	sh, err := w.readPage(ctx, 0)
	for err != nil {
		// A page that keeps failing is asked for in smaller pieces. Each size gets a second chance only: by then the server
		// has had the usual number of them.
		var failure *api.Error
		if !errors.As(err, &failure) || failure.Path != w.list.path || !failure.SmallerPageMayHelp() || w.pos.Size <= 1 || ctx.Err() != nil {
			return listPage{}, err
		}
		w.resizePages(w.pos.Size / 2)
		sh, err = w.readPage(ctx, 2)
	}
	if err := w.advancePast(&sh); err != nil {
		return listPage{}, err
	}
	return sh, nil
}

// advancePast goes on to the place after a page.
func (w *listWalk) advancePast(sh *listPage) error {
	w.empty++
	if len(sh.records) > 0 {
		w.empty = 0
	}
	if w.list.isGrowing && len(sh.records) == 0 && sh.nextPosition.Token == sh.position.Token {
		sh.end = true
	}
	w.pos, w.ended = sh.nextPosition, sh.end
	if sh.end {
		if w.list.page.Most == 0 && !w.list.isGrowing {
			sh.missingRows = w.tally.missingRecords()
		}
		return nil
	}
	if err := w.tally.checkEndless(); err != nil {
		return w.sourceError(err)
	}
	if w.empty >= emptyPages {
		return w.sourceError(fmt.Errorf("%d pages in a row have no record, and none ends the list", w.empty))
	}
	if w.recordVisit(w.pos) {
		return w.sourceError(ErrCursorLoop)
	}
	if w.isRepeatedPage(sh) {
		return w.sourceError(fmt.Errorf("%w: page %d repeats page %d", ErrCursorLoop, sh.position.Page, sh.position.Page-1))
	}
	if w.goodPages++; w.goodPages >= calmPages && w.pos.Size < w.maxPageSize {
		w.resizePages(min(2*w.pos.Size, w.maxPageSize))
	}
	sh.nextPosition = w.pos
	return nil
}

// resizePages goes on from the same record in pages of another size. Where pages go by number, that may be before it.
func (w *listWalk) resizePages(size int) {
	w.pos = w.pos.withPageSize(size)
	w.goodPages, w.firstOfPrevious = 0, nil
	w.recordVisit(w.pos)
}

// isRepeatedPage notices a list by number that pays no heed to the number: it would never end.
func (w *listWalk) isRepeatedPage(sh *listPage) bool {
	if sh.position.Page == 0 || len(sh.records) == 0 {
		return false
	}
	same := sh.pages.next == nextAbsent && bytes.Equal(w.firstOfPrevious, sh.records[0])
	w.firstOfPrevious = sh.records[0]
	return same
}

// recordVisit notes that a place is being asked for; true when it was before.
func (w *listWalk) recordVisit(p Position) bool {
	key := p.Token
	if key == "" {
		key = "\x00" + strconv.FormatInt(p.Page, 10) + "/" + strconv.Itoa(p.Size)
	}
	sum := sha256.Sum256([]byte(key))
	hash := [16]byte(sum[:16])
	before := w.visited[hash]
	w.visited[hash] = true
	return before
}

// fetchEnvelope asks for the page at the walk's place.
func (w *listWalk) fetchEnvelope(ctx context.Context, attempts int) (found *listEnvelope, date time.Time, err error) {
	q := w.list.callAt(w.pos)
	q.Attempts, q.Hint = attempts, w.sizeHint
	q.Accept = func(a *api.Answer) (err error) {
		found, err = parseEnvelope(a.Body, w.list.records, w.peek)
		return err
	}
	a, err := w.c.Send(ctx, q)
	if err != nil {
		return nil, time.Time{}, err
	}
	w.sizeHint = len(a.Body) + len(a.Body)/8 // pages of a list are alike
	return found, a.Date, nil
}

// readPage asks for the page at the walk's place, with its capped lists read to their ends.
func (w *listWalk) readPage(ctx context.Context, attempts int) (listPage, error) {
	found, date, err := w.fetchEnvelope(ctx, attempts)
	if err == nil && w.list.isGrowing && found.pages.next == nextAbsent && len(found.records) >= w.pos.Size {
		// A full page that names no next one is the last by chance only: what it says is heard twice.
		found, date, err = w.fetchEnvelope(ctx, attempts)
	}
	if err != nil {
		return listPage{}, err
	}
	sh := listPage{listEnvelope: *found, over: w.list.over, date: date, position: w.pos}
	before := w.tally.distinct
	w.tally.tallyPage(found)
	sh.fresh = w.tally.distinct - before
	if n := int(sh.pages.perPage); n > 0 && n < w.pos.Size && len(sh.records) <= n {
		// The server gives less than was asked for: its numbers count pages of its own size.
		w.maxPageSize = min(w.maxPageSize, n)
		w.pos.Size, sh.position.Size = n, n
	}
	if sh.nextPosition, sh.end, err = w.list.nextPosition(w.pos, w.tally.distinct, found, w.c.BaseURL()); err != nil {
		return listPage{}, w.contractError(err)
	}
	if err := w.completeNested(ctx, &sh); err != nil {
		return listPage{}, err
	}
	return sh, nil
}

// contractError is an error about how the list is paged.
func (w *listWalk) contractError(err error) error {
	return &api.Error{Class: api.ClassContract, Op: w.list.op, Method: w.list.method, Path: w.list.path, Err: err}
}

// sourceError is an error of a list that contradicts itself, or leads to no end.
func (w *listWalk) sourceError(err error) error {
	return &api.Error{Class: api.ClassSource, Op: w.list.op, Method: w.list.method, Path: w.list.path, Err: err}
}

// shortError is the error of a list that ends before it has given what it states.
func (w *listWalk) shortError(lacks int64) error {
	return w.sourceError(fmt.Errorf("%w: it states %d, but %d were returned", errShort, w.tally.minTotal, w.tally.minTotal-lacks))
}
