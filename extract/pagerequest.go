package extract

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/envelope"
)

// pageRequest is the request for a page, followed by the requests for the rest of its truncated nested lists. Of its walk it uses
// what never changes.
type pageRequest struct {
	walk     *listWalk
	position Position
	attempts int
	hint     int // expected bytes of the page

	found    *envelope.Envelope
	date     time.Time // the server's clock
	nextHint int
	err      error    // why the page did not come
	records  [][]byte // those of found, with complete nested lists; the caller reads found meanwhile
	known    []bool   // as in listPage
	short    []string // as in listPage
	unread   []error  // as in listPage
	broken   error    // why the nested lists could not be read

	// Of a request that was sent ahead; else nil.
	arrived chan struct{} // closed when the page, or its error, has come
	ended   chan struct{} // closed when its nested lists have come, too
	cancel  context.CancelFunc
}

// requestAt is the request for the page at a position, not yet sent.
func (w *listWalk) requestAt(at Position, attempts int) *pageRequest {
	return &pageRequest{walk: w, position: at, attempts: attempts, hint: w.sizeHint}
}

// askAhead asks for the page at the walk's position, if the Reader may be ahead of its caller.
func (w *listWalk) askAhead(ctx context.Context) {
	if w.ahead == nil || w.ended || !w.ahead.wanted() {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	p := w.requestAt(w.pos, 0)
	p.arrived, p.ended, p.cancel = make(chan struct{}), make(chan struct{}), cancel
	w.asked, w.ahead.asked = p, p
	go p.run(ctx)
}

// takeAsked is the request for the page at the walk's position: the one that was sent ahead, or one that is not sent yet.
func (w *listWalk) takeAsked(attempts int) *pageRequest {
	p := w.asked
	if p == nil {
		return w.requestAt(w.pos, attempts)
	}
	w.asked, w.ahead.asked = nil, nil
	return p
}

// run sends the requests of a page ahead.
func (p *pageRequest) run(ctx context.Context) {
	defer close(p.ended)
	p.fetchApart(ctx)
	close(p.arrived)
	p.broken = p.completeNested(ctx)
}

// stop implements stopper.
func (p *pageRequest) stop() {
	p.cancel()
	<-p.ended
}

// await waits until a channel of a request that was sent ahead is closed. The end of ctx ends the request.
func (p *pageRequest) await(ctx context.Context, done <-chan struct{}) {
	defer context.AfterFunc(ctx, p.cancel)()
	<-done
}

// fetchApart is fetch in a goroutine of its own. A panic there is one of the caller that takes the page.
func (p *pageRequest) fetchApart(ctx context.Context) {
	defer RecoverPanic(&p.err)
	p.fetch(ctx)
}

// fetch asks for the page. A full page of a feed without `next` is rarely the last one: it asks once more before the feed is
// believed to end.
func (p *pageRequest) fetch(ctx context.Context) {
	p.exchange(ctx)
	if p.err == nil && p.walk.list.isGrowing && p.found.Pages.Next == envelope.NextAbsent && len(p.found.Records) >= p.position.Size {
		p.exchange(ctx)
	}
}

// exchange is one request for the page.
func (p *pageRequest) exchange(ctx context.Context) {
	list := &p.walk.list
	q := list.callAt(p.position)
	q.Attempts, q.Hint = p.attempts, p.hint
	var a *api.Answer
	if p.found, a, p.err = list.sendCall(ctx, p.walk.c, q, p.walk.peek); p.err != nil {
		var failure *api.Error
		if list.page.By == "none" && errors.As(p.err, &failure) && errors.As(p.err, new(*envelope.PagingError)) {
			failure.Class, failure.Err = api.ClassConfig, &unusedError{failure.Err.Error(), list.page.By}
		}
		return
	}
	p.date, p.nextHint = a.Date, len(a.Body)+len(a.Body)/8 // pages of a list have similar sizes
}

// envelope waits for the page.
func (p *pageRequest) envelope(ctx context.Context) (*envelope.Envelope, error) {
	if p.arrived == nil {
		p.fetch(ctx)
	} else {
		p.await(ctx, p.arrived)
	}
	var fault *PanicError
	if errors.As(p.err, &fault) {
		panic(fault)
	}
	return p.found, p.err
}

// complete waits for the rest of the page's nested lists.
func (p *pageRequest) complete(ctx context.Context) error {
	if p.ended == nil {
		return p.completeNested(ctx)
	}
	p.await(ctx, p.ended)
	p.cancel()
	return p.broken
}

// completeNested reads the truncated nested lists of the page's records to their ends, and puts the complete lists into the
// records.
func (p *pageRequest) completeNested(ctx context.Context) error {
	if p.err != nil {
		return nil
	}
	p.records = p.found.Records
	for i, seen := range p.found.Seen {
		if p.walk.known.Has(seen) {
			if p.known == nil {
				p.known = make([]bool, len(p.records))
			}
			p.known[i] = true
		}
	}
	var g errgroup.Group
	g.SetLimit(requestsAside(p.walk.c))
	for i, seen := range p.found.Seen {
		if seen.Cuts == nil || p.known != nil && p.known[i] {
			continue
		}
		if p.short == nil {
			p.records, p.short, p.unread = slices.Clone(p.records), make([]string, len(p.records)), make([]error, len(p.records))
		}
		g.Go(func() (err error) {
			defer RecoverPanic(&err)
			p.records[i], p.short[i], p.unread[i], err = p.walk.fillIn(ctx, p.found.Records[i], seen.Cuts)
			return err
		})
	}
	return g.Wait()
}
