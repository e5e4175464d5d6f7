package extract

import (
	"context"
	"fmt"
	"io"
	"time"

	"aqueduck/extract/api"
	"aqueduck/schemas"
)

// Phase is a direction of reading.
type Phase string

// Forward extends what is read to now; History extends it downward.
const (
	Forward Phase = "forward"
	History Phase = "history"
)

// Request says what to read of a stream.
type Request struct {
	Stream *schemas.Stream
	State  State     // as stored
	Phase  Phase     // empty: Forward
	Start  time.Time // nothing older is wanted; zero: everything is

	// Known is the time of the newest record that is stored: a forward window of a stream that is read in windows of time reaches back to
	// it, so that a list which has nothing new still has something to show. Zero: none is stored.
	Known time.Time

	// An explicit window of a stream that is read in windows of time, either end may be zero. It moves no mark. Other streams
	// have no windows, and are read as always.
	Since, Until time.Time

	IDs  []string // of a stream that is read over something
	Keys []string // of a batch: for each of IDs, which may come twice, the key of the record that is expected for it
}

// Page is one page of records, with its own memory: it stays valid.
type Page struct {
	Records    []Record
	Answered   []string  // of a stream that is read by ids: those whose records these are, all of them
	State      State     // true once all pages up to this one are stored
	Boundary   bool      // a window, sweep or walk has ended: a good moment to commit
	ServerTime time.Time // the server's clock, zero when it did not tell
	Total      int64     // total_count, -1 when it was not sent
	Done, Left int64     // records of this window read, and left by its own count; -1 unknown
	RereadAll  bool      // of a stream with detail: records are read by themselves, also where they are as stored
	Window     *Window   // of a stream that is read in windows: the one that the page is of; nil: of any other, and of an explicit one
	Resumed    bool      // the window was begun by an earlier reader
	Gap        bool      // a feed no longer knows the place where the last reading ended: records may be missing between
}

// Record is one record.
type Record struct {
	Raw  []byte // its JSON, as it was sent
	Over string // the id or value it was asked for by
	Gone bool   // asked for by id, and the API itself says that there is none; without Raw

	Above      bool   // it lies after the history window that it came in: a window before has read it, unless it has moved since
	Missing    string // why it is not whole: Stub, NoItems, Unreadable; "" when it may be
	Error      string // of Unreadable
	MayBeStale bool   // read by itself, and what the list tells of it had perhaps not reached what answered

	Short string // its id, where the rest of a list of it was answered 404: it was away just then
}

// Reader reads one stream. It is for one goroutine.
type Reader struct {
	c      *api.Client
	r      Request
	state  State // the one of the last page
	before State // the one of the page before
	failed int   // records that could not be read
	step   func(context.Context) (Page, error)
}

// Next reads the next page; io.EOF when this phase has nothing left. A context that ends, ends it at once. After an error
// other than io.EOF the stream may be read on by a new Reader from the last page's State.
func (r *Reader) Next(ctx context.Context) (Page, error) {
	if r.step == nil {
		return Page{}, fmt.Errorf("read %s: nothing reads `since: {by: %s}`", r.r.Stream.Name, r.r.Stream.Read.Since.By)
	}
	if err := ctx.Err(); err != nil {
		return Page{}, fmt.Errorf("read %s: %w", r.r.Stream.Name, err)
	}
	page, err := r.step(ctx)
	if err != nil {
		return Page{}, err
	}
	page.State.Short = cutShort(r.state.Short, page)
	r.before, r.state = r.state, page.State
	return page, nil
}

// readNothing is the step of a reading that has nothing left.
func readNothing(context.Context) (Page, error) { return Page{}, io.EOF }

// setProgress tells how far a walk has come, by the list's own count where that is plausible.
func (p *Page) setProgress(done, total int64) {
	p.Done = done
	if total >= done {
		p.Left = total - done
	}
}

// refuseFuture stops a reading from a mark after the server's clock: it would find nothing, and say that all is well, for
// ever. A day is granted for clocks and zones.
func (r *Reader) refuseFuture(date time.Time) error {
	now := date
	if now.IsZero() {
		now = r.c.LocalNow()
	}
	mark := time.Unix(r.r.State.latestSeconds(), 0)
	if r.c.InFuture(mark.Add(-24 * time.Hour)) {
		return &api.Error{Class: api.ClassContract, Op: "read " + r.r.Stream.Name, Method: r.r.Stream.Read.Method, Path: r.r.Stream.Read.Path,
			Err: fmt.Errorf("%w: %s, but the server's clock says %s", errFuture, mark.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339))}
	}
	return nil
}

// unixSeconds is t in seconds, 0 for no time.
func unixSeconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}
