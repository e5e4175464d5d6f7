package extract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/envelope"
	"aqueduck/schemas"
)

// errOverflow says that one second has more records than one answer holds, and the source has no way to ask for the rest.
var errOverflow = errors.New("one second has more records than one answer holds")

// longestSpan is a span in seconds that is longer than any window.
const longestSpan = 1 << 40

// betweenReader reads a stream in windows of time from a list that has no pages. It asks for spans of a window and halves a span
// until one answer holds all of its records. Windows, and the state after one, are those of searchReader.
type betweenReader struct {
	*searchReader
	until        int64 // end of the window being read, exclusive
	reading      bool  // a window is open
	size         int64 // seconds asked for at once; 0: the whole window. It is kept for the next window, where records are about as dense
	overflowRows int64 // the most records that an incomplete answer held; 0: every answer was complete
	rows         int64 // records of this window read so far
}

func readBetween(r *Reader) func(context.Context) (Page, error) {
	b := &betweenReader{searchReader: &searchReader{Reader: r}}
	b.state = b.state.switchPhase(r.r.Phase)
	return b.nextSpan
}

func (b *betweenReader) nextSpan(ctx context.Context) (Page, error) {
	if !b.reading {
		if b.r.Phase == History && b.r.Since.IsZero() && b.r.Until.IsZero() && b.state.Window == nil && b.passedStart() {
			return b.endHistory(), nil
		}
		if err := b.openWindow(ctx); err != nil {
			return Page{}, err
		}
	}
	sh, to, err := b.fitSpan(ctx)
	if err != nil {
		return Page{}, err
	}
	if b.fresh {
		if err := b.refuseFuture(sh.date); err != nil {
			return Page{}, err
		}
		b.fresh = false
	}
	return b.buildSpanPage(sh, to), nil
}

// openWindow opens the next window or resumes the stored one; io.EOF when there is none.
func (b *betweenReader) openWindow(ctx context.Context) error {
	if b.c.ServerNow().IsZero() {
		// A window ends at the server's now. Any answer tells that time.
		if _, err := peekList(ctx, b.c, b.r.Stream); err != nil {
			return err
		}
	}
	from, err := b.chooseWindow(ctx)
	if err != nil {
		return err
	}
	b.reading, b.fresh, b.rows, b.reached = true, true, 0, 0
	b.since = b.window.From
	if from != nil {
		b.since, b.reached, b.rows = max(b.since, from.Since), from.LastTime, from.Rows
	}
	now := b.c.ServerNow()
	if b.window.To == 0 && !b.resumed && !now.IsZero() && !b.explicit {
		b.window.To = max(1, now.Add(-b.r.Stream.Read.Since.Lag).Unix())
	}
	if b.until = b.window.To; b.until == 0 {
		// The end is the server's now, which is not known. One more day allows for a wrong local clock.
		b.until = max(unixSeconds(now), b.c.LocalNow().Unix()) + 24*3600
	}
	return nil
}

// fitSpan reads the longest span from b.since that one answer holds completely, and returns the span's end. A span that overflows
// is halved.
func (b *betweenReader) fitSpan(ctx context.Context) (sh listPage, to int64, err error) {
	attempts := 0
	var earlier api.Error
	for {
		to = max(b.until, b.since+1)
		if b.size > 0 {
			to = min(to, b.since+b.size)
		}
		sh, err = readSpan(ctx, b.c, listOf(b.r.Stream, 0), b.r.Stream.Read.Since.Field, b.since, to, attempts)
		failure := api.AddAttempts(err, &earlier)
		switch {
		case err == nil && !sh.isTruncated(b.r.Stream.Read.Query):
			b.growSpan(int64(len(sh.Records)))
			return sh, to, nil
		case err == nil && to-b.since <= 1:
			return sh, to, b.overflowError(sh)
		case err == nil:
			b.overflowRows = max(b.overflowRows, int64(len(sh.Records)))
		case ctx.Err() != nil || failure == nil || !failure.SmallerPageMayHelp() || to-b.since <= 1:
			return sh, to, err
		default:
			attempts = 2 // the first span has used the usual number of attempts
		}
		b.size = max(1, (to-b.since)/2)
	}
}

// growSpan chooses the next span after a complete answer. It doubles the span, up to 85 % of what an answer can hold if records
// stay as dense: an answer that overflows is a wasted request. The bounds may add two seconds (readSpan).
func (b *betweenReader) growSpan(got int64) {
	next := min(2*b.size, longestSpan)
	if b.overflowRows > 0 && b.size > 0 {
		next = max(1, min(next, int64(0.85*float64(b.size+2)*float64(b.overflowRows)/float64(max(1, got)))-2))
	}
	b.size = next
}

// overflowError fails the stream: it cannot read all records of one second.
func (b *betweenReader) overflowError(sh listPage) error {
	class := api.ClassContract
	if sh.Unused.Explain(int64(len(sh.Records))) != "" {
		class = api.ClassConfig
	}
	return &api.Error{Class: class, Op: api.ReadOp(b.r.Stream), Method: b.r.Stream.Read.Method, Path: b.r.Stream.Read.Path,
		Err: fmt.Errorf("%w: at %s it returns %d, and there are or may be more", errOverflow,
			time.Unix(b.since, 0).UTC().Format(time.RFC3339), len(sh.Records))}
}

// isTruncated reports whether an answer says that it does not hold all records. One that says nothing may lack some when it holds
// as many as were asked for.
func (sh *listPage) isTruncated(asked []schemas.Param) bool {
	p := sh.Pages
	given := int64(len(sh.Records))
	silent := p.Next == envelope.NextAbsent && p.TotalPages == 0 && sh.Total < 0
	return silent && slices.Contains(asked, schemas.Param{Name: "per_page", Value: strconv.FormatInt(given, 10)}) ||
		p.Next == envelope.NextPlace || p.Next == envelope.NextURL || p.TotalPages > 1 || sh.Total > given || sh.Unused.Explain(given) != ""
}

// buildSpanPage makes the Page, with its State, of a complete answer for the span up to to.
func (b *betweenReader) buildSpanPage(sh listPage, to int64) Page {
	for _, g := range sh.Seen {
		if g.At != envelope.Timeless {
			b.reached = max(b.reached, g.At)
		}
	}
	b.rows += int64(len(sh.Records))
	p := pageOf(sh)
	p.Total, p.Done, p.Left = -1, b.rows, -1
	p.Window, p.Resumed = b.shownWindow()
	b.since = to
	end := to >= b.until
	p.Boundary = end
	switch {
	case b.explicit:
		p.State = b.r.State
	case end:
		p.State = b.stateAfterWindow()
	default:
		p.State = b.stateInWindow()
	}
	if end {
		p.Left, b.reading = 0, false
	}
	return p
}

// stateInWindow is the state before the window's end.
func (b *betweenReader) stateInWindow() State {
	st, w := b.state, b.window
	st.Window, st.Position = &w, &Position{Since: b.since, LastTime: b.reached, Rows: b.rows}
	if w.Kind == windowForward {
		st.Version = b.c.Version()
	}
	return st
}

// readSpan asks once for the records from one time to before another. The API does not document whether its bounds are inclusive.
// The request therefore begins one second earlier and ends at the end itself: this is complete in both cases. With inclusive
// bounds adjacent spans share seconds; records that come twice do no harm.
func readSpan(ctx context.Context, c *api.Client, l listRequest, field string, from, to int64, attempts int) (listPage, error) {
	l = withSpan(l, field, from, to)
	q := l.callAt(Position{})
	q.Attempts = attempts
	found, a, err := l.sendCall(ctx, c, q, envelope.PeekOf(nil, field, nil))
	if err != nil {
		return listPage{}, err
	}
	return listPage{Envelope: *found, date: a.Date}, nil
}

// withSpan is the list restricted to the time from from to to, in Unix seconds.
func withSpan(l listRequest, field string, from, to int64) listRequest {
	l.query = append(append([]schemas.Param(nil), l.query...),
		schemas.Param{Name: field + "_after", Value: strconv.FormatInt(max(0, from-1), 10)},
		schemas.Param{Name: field + "_before", Value: strconv.FormatInt(to, 10)})
	return l
}
