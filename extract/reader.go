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

// Forward reads from the watermark to now; History reads backward from the oldest time read (backfill).
const (
	Forward Phase = "forward"
	History Phase = "history"
)

// Request says what to read of a stream.
type Request struct {
	Stream *schemas.Stream
	State  State     // as stored
	Phase  Phase     // empty: Forward
	Start  time.Time // the history ends here; zero: read everything

	// Known is the time of the newest stored record; zero: none is stored. A forward window of time reaches back to it, so that a list
	// without new records still has one to show. A list that shows none is suspect.
	Known time.Time

	// Since and Until are an explicit window of a stream that is read in windows of time; either may be zero. It moves no watermark.
	// Streams without windows ignore it.
	Since, Until time.Time

	Left   int64     // records of the history still to read, by the source's count; 0: unknown
	Oldest time.Time // time of the oldest record of the history; zero: unknown

	// ReadAhead reports whether the Reader may ask for the next page before the caller wants it; nil: never. The caller closes such
	// a Reader.
	ReadAhead func() bool

	IDs  []string // of a stream that is read by ids
	Keys []string // of a batch: by index of IDs, which may repeat an id, the key of the expected record
}

// Page is one page of records. It owns its memory and stays valid after the next call.
type Page struct {
	Records    []Record
	Answered   []string  // of a stream that is read by ids: ids whose records are all in this page
	State      State     // true once this page and all before it are stored
	Boundary   bool      // a window, sweep or walk has ended: a good moment to commit
	ServerTime time.Time // the server's clock; zero when the answer has no date
	Total      int64     // total_count, -1 when absent
	Done, Left int64     // records of this window read, and still to read by the list's count; -1 unknown
	RereadAll  bool      // of a stream with detail: read every record by id, also unchanged ones
	Window     *Window   // the window of the page; nil: an explicit window, or a stream without windows
	Resumed    bool      // an earlier Reader began the window
	Gap        bool      // a feed no longer has the position where the last reading ended: records may be missing
}

// Record is one record as the API sent it, with what the reader knows about it.
type Record struct {
	Raw  []byte // its JSON; nil with Gone
	Over string // the id or value under which it was asked for
	Gone bool   // it was asked for by id, and the API itself answered that it does not exist

	Above      bool   // it is later than the end of its history window: an earlier window has read it, unless it has changed since
	Missing    string // why it is incomplete: Stub, NoItems, Unreadable; "": nothing is known to be missing
	Error      string // with Unreadable: the error
	MayBeStale bool   // read by id, possibly from a replica that lags behind the list (T7)

	Short string // its id, where the rest of a nested list was answered 404: the record was absent for a moment
}

// Reader reads one stream. It is not safe for concurrent use.
type Reader struct {
	c      *api.Client
	r      Request
	state  State // of the last page
	before State // of the page before it
	failed int   // records that could not be read
	ahead  *readAhead
	step   func(context.Context) (Page, error)
}

// Next reads the next page; io.EOF when this phase has nothing left. It returns soon after ctx ends. After another error a new
// Reader can continue from the last page's State.
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

// Close ends a request that was sent ahead and waits for its end. No call of the Reader may follow.
func (r *Reader) Close() { r.ahead.stop() }

// readNothing is the step of a Reader whose phase has nothing to read.
func readNothing(context.Context) (Page, error) { return Page{}, io.EOF }

// setProgress sets Done and Left; a total below done is implausible and leaves Left as it is.
func (p *Page) setProgress(done, total int64) {
	p.Done = done
	if total >= done {
		p.Left = total - done
	}
}

// refuseFuture fails a reading whose watermark is later than the server's clock: it would never find a record and always succeed.
// One day is allowed for clocks and zones.
func (r *Reader) refuseFuture(date time.Time) error {
	now := date
	if now.IsZero() {
		now = r.c.LocalNow()
	}
	latest := time.Unix(r.r.State.latestSeconds(), 0)
	if r.c.InFuture(latest.Add(-24 * time.Hour)) {
		return &api.Error{Class: api.ClassContract, Op: "read " + r.r.Stream.Name, Method: r.r.Stream.Read.Method, Path: r.r.Stream.Read.Path,
			Err: fmt.Errorf("%w: %s, but the server's clock says %s", errFuture, latest.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339))}
	}
	return nil
}

// unixSeconds is t in Unix seconds, 0 for the zero time.
func unixSeconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}
