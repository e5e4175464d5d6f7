package extract

import (
	"errors"
	"fmt"
	"net/url"

	"aqueduck/extract/internal/envelope"
)

// pagingMode is how one kind of list names its next page.
type pagingMode struct {
	start int64 // number of the first page; 0: pages have no numbers
	// onNext is the position that a `next` in the answer names.
	onNext func(p Position, e *envelope.Envelope) (Position, error)
	// onNoNext is the next position, or the end, when the answer has no `next` and no count ends the list.
	onNoNext func(p Position, e *envelope.Envelope) (next Position, end bool, err error)
}

// pagers are the values of `page: {by}`, and "nested" for nested lists. No stream file declares the paging of a nested list: one
// without any paging information is complete.
var pagers = map[string]pagingMode{
	"none":   {start: 0, onNext: refuseNext, onNoNext: endSinglePage},
	"number": {start: 1, onNext: byNumber, onNoNext: countOn},
	"cursor": {start: 0, onNext: byCursor, onNoNext: noCursor},
	"nested": {start: 1, onNext: byNumber, onNoNext: nestedOn},
}

// nextPosition is the position after the page at p, or the end of the list. rows is the number of distinct records read by now.
//
// The list ends when `next` is null. It also ends when `next` is absent and the page is empty, rows reaches total_count, or the
// page is the last of total_pages. A list by number with a total_count above rows ends at an empty page only: neither its last
// page nor a null is believed.
//
// The end is an *unusedError when the answer shows a next page in words that paging does not read.
func (l *listRequest) nextPosition(p Position, rows int64, e *envelope.Envelope, base *url.URL) (next Position, end bool, err error) {
	switch {
	case l.page.By == "none" && l.page.Most > 0:
		p.Rows = rows
		return p, true, nil // the file itself says that the source has more
	case l.page.By == "number" || l.page.By == "cursor":
		e = e.UseTop()
	}
	next, end, err = l.readPosition(p, rows, e, base)
	if err != nil || end {
		if why := l.explainUnused(rows, e, err); why != "" {
			return next, false, &unusedError{why, l.page.By}
		}
	}
	return next, end, err
}

// unusedError says that a list has more records than the stream file reads.
type unusedError struct {
	why string // what shows that there are more
	by  string // the stream file's `page: {by}`
}

func (u *unusedError) Error() string {
	return fmt.Sprintf("%s, but the stream file says `page: {by: %s}`", u.why, u.by)
}

// explainUnused says what in the last answer of a list shows that there are more records; "" when nothing does. err is why the
// paging does not lead on.
func (l *listRequest) explainUnused(rows int64, e *envelope.Envelope, err error) string {
	given := max(rows, int64(len(e.Records)))
	switch {
	case l.page.Most > 0 || l.page.By == "nested":
		return ""
	case l.page.By == "none" && err != nil:
		return err.Error()
	case l.page.By == "none" && e.Total > given:
		return fmt.Sprintf("the answer has %d of %d records (total_count)", given, e.Total)
	case l.page.By == "none", l.page.By == "cursor" && err != nil && e.Pages.Next == envelope.NextAbsent:
		return e.Unused.Explain(given)
	}
	return e.Unused.ExplainNext()
}

// readPosition is nextPosition by `pages` and total_count alone.
func (l *listRequest) readPosition(p Position, rows int64, e *envelope.Envelope, base *url.URL) (next Position, end bool, err error) {
	g := pagers[l.page.By]
	next = p
	more := e.Total > rows && l.page.Most == 0 && len(e.Records) > 0
	switch e.Pages.Next {
	case envelope.NextNull:
		if end = !more || p.Page == 0; !end {
			next, _, err = countOn(p, e)
		}
	case envelope.NextPlace:
		next, err = g.onNext(p, e)
	case envelope.NextURL:
		next.Page, next.Token, err = envelope.ParseNextURL(e.Pages.Address, base, l.path)
	case envelope.NextBare:
		// A null cursor ends a list by cursor. It says nothing about a list by number.
		if end = g.start == 0 || endsByCounts(rows, max(p.Page, e.Pages.Number), more, e); !end {
			next, end, err = g.onNoNext(p, e)
		}
	default:
		if end = l.isGrowing || endsByCounts(rows, max(p.Page, e.Pages.Number), more, e); !end {
			next, end, err = g.onNoNext(p, e)
		}
	}
	next.Rows = rows
	return next, end, err
}

// endsByCounts reports whether the counts of an answer without `next` end the list. more: by total_count records are left.
func endsByCounts(rows, number int64, more bool, e *envelope.Envelope) bool {
	last := e.Pages.TotalPages > 0 && number >= e.Pages.TotalPages
	return len(e.Records) == 0 || e.Total >= 0 && rows >= e.Total || last && !more
}

func refuseNext(p Position, _ *envelope.Envelope) (Position, error) {
	return p, errors.New("the answer names a next page (pages.next)")
}

func byNumber(p Position, e *envelope.Envelope) (Position, error) {
	p.Page, p.Token = e.Pages.Page, e.Pages.Cursor
	if p.Page > 0 {
		p.Token = ""
	}
	return p, nil
}

func byCursor(p Position, e *envelope.Envelope) (Position, error) {
	if e.Pages.Cursor == "" {
		return p, errors.New("`pages.next` of the answer has no cursor, but the stream file says `page: {by: cursor}`")
	}
	p.Page, p.Token = 0, e.Pages.Cursor
	return p, nil
}

func endSinglePage(p Position, e *envelope.Envelope) (Position, bool, error) {
	if e.Pages.TotalPages > 1 {
		return p, false, fmt.Errorf("the answer is one of %d pages (total_pages)", e.Pages.TotalPages)
	}
	return p, true, nil
}

func countOn(p Position, _ *envelope.Envelope) (Position, bool, error) {
	p.Page++
	return p, false, nil
}

func noCursor(p Position, e *envelope.Envelope) (Position, bool, error) {
	states := "it has no total_count"
	if e.Total >= 0 {
		states = fmt.Sprintf("its total_count is %d", e.Total)
	}
	return p, false, fmt.Errorf("the answer has no `pages.next` after %d records, and nothing indicates the end of the list: %s", p.Rows+int64(len(e.Records)), states)
}

func nestedOn(p Position, e *envelope.Envelope) (Position, bool, error) {
	if e.Total < 0 && e.Pages.TotalPages == 0 {
		return p, true, nil
	}
	return countOn(p, e)
}

// withPageSize is the position of the same record in pages of another size. Where pages have numbers it may begin earlier:
// records that come twice do no harm.
func (p Position) withPageSize(size int) Position {
	if p.Page > 0 && p.Token == "" {
		before := (p.Page - 1) * int64(p.Size)
		p.Page = before/int64(size) + 1
		p.Rows = max(0, p.Rows-before%int64(size))
	}
	p.Size = size
	return p
}
