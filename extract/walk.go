package extract

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/envelope"
	"aqueduck/extract/internal/windows"
)

const (
	calmPages  = 10  // good pages after which a reduced page size grows again
	emptyPages = 200 // empty pages in a row after which a list has no end
)

// listWalk reads one list from a position to its end. All readers are built from it.
type listWalk struct {
	c               *api.Client
	list            listRequest
	peek            envelope.Peek
	fingerprint     string
	pos             Position          // of the next page
	maxPageSize     int               // records per page without failures
	goodPages       int               // good pages since the last change of size
	tally           recordTally       // of the records that came
	empty           int               // empty pages in a row
	visited         map[[16]byte]bool // hashes of the positions asked for
	sizeHint        int               // expected bytes of a page
	firstOfPrevious []byte            // first record of the previous page, of lists by number
	ahead           *readAhead        // nil: pages are asked for one after the other
	asked           *pageRequest      // for the page at pos, sent ahead; nil: none
	known           *windows.Seen     // records that the caller has already; nil: none
	uneven          bool              // a page before the last had fewer records than were asked for
	unreadRecords   int               // records with a nested list that cannot be read
	ended           bool
}

// newWalk begins at from when that belongs to the same request, else at the list's beginning.
func newWalk(c *api.Client, l listRequest, from *Position) *listWalk {
	w := &listWalk{c: c, list: l, peek: l.peek(), maxPageSize: l.page.Size, visited: map[[16]byte]bool{}}
	w.fingerprint = l.requestFingerprint(c.BaseURL().String(), c.Version())
	w.pos = Position{Page: pagers[l.page.By].start, Size: l.page.Size, Fingerprint: w.fingerprint}
	if w.canResume(from) {
		w.pos = *from
		if w.pos.Size < 1 || w.pos.Size > w.maxPageSize {
			w.pos = w.pos.withPageSize(w.maxPageSize)
		}
	}
	w.tally = recordTally{seenKeys: map[uint64]struct{}{}, resumedRows: w.pos.Rows, distinct: w.pos.Rows, latest: envelope.Timeless, minTotal: -1, maxTotal: -1}
	w.recordVisit(w.pos)
	return w
}

// startWalk is newWalk, ahead of the caller where the Request allows it.
func (r *Reader) startWalk(l listRequest, from *Position) *listWalk {
	w := newWalk(r.c, l, from)
	w.ahead = r.ahead
	return w
}

// canResume reports whether a stored position belongs to this walk's request.
func (w *listWalk) canResume(from *Position) bool {
	return from != nil && from.Fingerprint == w.fingerprint && (from.Token != "" || from.Page > 0) && from.Size > 0
}

// readFirstPage reads the page at the walk's position and does not advance.
func (w *listWalk) readFirstPage(ctx context.Context) (listPage, error) {
	sh, _, err := w.readPage(ctx, 0)
	return sh, err
}

// nextPage reads a page and advances. After an error of the page itself the position is unchanged, unless the error is of
// ClassSource: such a list has no end. It must not be called after the last page.
func (w *listWalk) nextPage(ctx context.Context) (listPage, error) {
	sh, asked, err := w.readPage(ctx, 0)
	var earlier api.Error
	for whole := w.pos; err != nil; {
		// Halve the size of a page that keeps failing (T20). Each smaller size gets two attempts only: the first size has used the
		// usual number.
		failure := api.AddAttempts(err, &earlier)
		if failure == nil || failure.Path != w.list.path || !failure.SmallerPageMayHelp() || w.pos.Size <= 1 || w.mayIgnoreSize() || ctx.Err() != nil {
			return listPage{}, err
		}
		w.resizePages(w.pos.Size / 2)
		if sh, asked, err = w.readPage(ctx, 2); errors.Is(err, errSizeIgnored) {
			w.pos = whole
			if sh, asked, err = w.readPage(ctx, 2); err != nil {
				return listPage{}, err
			}
		}
	}
	if err := w.advancePast(&sh); err != nil {
		return listPage{}, err
	}
	w.askAhead(ctx)
	if err := asked.complete(ctx); err != nil {
		return listPage{}, err
	}
	sh.Records, sh.known, sh.short, sh.unread = asked.records, asked.known, asked.short, asked.unread
	if err := w.countUnread(sh.unread); err != nil {
		return listPage{}, err
	}
	return sh, nil
}

// advancePast advances to the position after a page, and fails a list that has no end.
func (w *listWalk) advancePast(sh *listPage) error {
	w.empty++
	if len(sh.Records) > 0 {
		w.empty = 0
	}
	if w.list.isGrowing && len(sh.Records) == 0 && sh.nextPosition.Token == sh.position.Token {
		sh.end = true
	}
	w.pos, w.ended = sh.nextPosition, sh.end
	if sh.end {
		if w.list.page.Most == 0 && !w.list.isGrowing {
			sh.missingRows = w.tally.missingRecords()
		}
		return nil
	}
	w.uneven = w.uneven || len(sh.Records) < sh.position.Size
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
		if why := sh.Unused.Explain(w.tally.distinct); why != "" {
			return w.contractError(&unusedError{why, w.list.page.By})
		}
		return w.sourceError(fmt.Errorf("%w: page %d repeats page %d", ErrCursorLoop, sh.position.Page, sh.position.Page-1))
	}
	if w.goodPages++; w.goodPages >= calmPages && w.pos.Size < w.maxPageSize {
		w.resizePages(min(2*w.pos.Size, w.maxPageSize))
	}
	sh.nextPosition = w.pos
	return nil
}

// resizePages continues at the same record with another page size. Where pages have numbers it may begin earlier, at a page that
// was read: that is no loop, and the tally finds one that has no end.
func (w *listWalk) resizePages(size int) {
	if w.pos = w.pos.withPageSize(size); w.pos.Token == "" {
		clear(w.visited)
	}
	w.goodPages, w.firstOfPrevious = 0, nil
	w.recordVisit(w.pos)
}

// mayIgnoreSize reports whether the server may count pages in a size of its own, so that smaller ones would begin elsewhere, and no
// total_count would show what they skip.
func (w *listWalk) mayIgnoreSize() bool {
	return w.uneven && w.pos.Page > 1 && w.pos.Token == "" && w.tally.maxTotal < 0
}

// isRepeatedPage detects a list by number that ignores the number: it would never end.
func (w *listWalk) isRepeatedPage(sh *listPage) bool {
	if sh.position.Page == 0 || len(sh.Records) == 0 {
		return false
	}
	same := sh.Pages.Next == envelope.NextAbsent && bytes.Equal(w.firstOfPrevious, sh.Records[0])
	w.firstOfPrevious = sh.Records[0]
	return same
}

// recordVisit notes that a position is asked for, and reports whether it was before.
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

// readPage reads the page at the walk's position, without the rest of its truncated nested lists: the pageRequest reads that.
func (w *listWalk) readPage(ctx context.Context, attempts int) (listPage, *pageRequest, error) {
	asked := w.takeAsked(attempts)
	found, err := asked.envelope(ctx)
	if err != nil {
		return listPage{}, nil, err
	}
	if w.pos.Page > 0 && w.pos.Token == "" && w.pos.Size < w.maxPageSize && max(len(found.Records), int(found.Pages.PerPage)) > w.pos.Size {
		return listPage{}, nil, w.contractError(errSizeIgnored)
	}
	w.sizeHint = asked.nextHint
	sh := listPage{Envelope: *found, over: w.list.over, date: asked.date, position: w.pos}
	before := w.tally.distinct
	w.tally.tallyPage(found)
	sh.fresh = w.tally.distinct - before
	if n := int(sh.Pages.PerPage); n > 0 && n < w.pos.Size && len(sh.Records) <= n {
		// The server uses a smaller page size than was asked for, and numbers its pages by that size.
		w.maxPageSize = min(w.maxPageSize, n)
		w.pos.Size, sh.position.Size = n, n
	}
	if sh.nextPosition, sh.end, err = w.list.nextPosition(w.pos, w.tally.distinct, found, w.c.BaseURL()); err != nil {
		return listPage{}, nil, w.contractError(err)
	}
	return sh, asked, nil
}

// contractError is an error of a list that is not paged as documented, or not as the stream file says.
func (w *listWalk) contractError(err error) error {
	failure := &api.Error{Class: api.ClassContract, Op: w.list.op, Method: w.list.method, Path: w.list.path, Err: err}
	if errors.As(err, new(*unusedError)) {
		failure.Class = api.ClassConfig
	}
	return failure
}

// sourceError is an error of a list that contradicts itself or has no end.
func (w *listWalk) sourceError(err error) error {
	return &api.Error{Class: api.ClassSource, Op: w.list.op, Method: w.list.method, Path: w.list.path, Err: err}
}

// shortError is the error of a list that ended before its total_count.
func (w *listWalk) shortError(lacks int64) error {
	return w.sourceError(fmt.Errorf("%w: it states %d, but %d were returned", errShort, w.tally.minTotal, w.tally.minTotal-lacks))
}
