package extract

import (
	"errors"
	"fmt"
	"net/url"
)

// pagingMode is how one kind of list says where it goes on.
type pagingMode struct {
	start int64 // number of the first page; 0: pages have none
	// given moves on by a `next` that was given.
	onNext func(p Position, e *listEnvelope) (Position, error)
	// silent moves on, or ends, where nothing says that the list ends.
	onNoNext func(p Position, e *listEnvelope) (next Position, end bool, err error)
}

// pagers are the values of `page: {by}`, with that of nested lists: of those nothing is declared, so that a list without
// any word on pages is whole.
var pagers = map[string]pagingMode{
	"none":   {start: 0, onNext: refuseNext, onNoNext: endSinglePage},
	"number": {start: 1, onNext: byNumber, onNoNext: countOn},
	"cursor": {start: 0, onNext: byCursor, onNoNext: noCursor},
	"nested": {start: 1, onNext: byNumber, onNoNext: nestedOn},
}

// nextPosition says where the list goes on after the page at p, or that it ends; rows are the records that it has given by now, each
// counted once. It ends when `next` is null; or when `next` is not given and the page is empty, or the rows reach total_count, or
// the page is the last of total_pages. Where it states more rows than it has given, neither its last page nor a null is believed
// as long as pages can be asked for by number: only an empty page is.
func (l *listRequest) nextPosition(p Position, rows int64, e *listEnvelope, base *url.URL) (next Position, end bool, err error) {
	g := pagers[l.page.By]
	next = p
	more := e.total > rows && l.page.Most == 0 && len(e.records) > 0
	switch e.pages.next {
	case nextNull:
		if end = !more || p.Page == 0; !end {
			next, _, err = countOn(p, e)
		}
	case nextPlace:
		next, err = g.onNext(p, e)
	case nextURL:
		next.Page, next.Token, err = parseNextURL(e.pages.address, base, l.path)
	case nextBare:
		// Of a list by number it says nothing; one by cursor has no other way to go on.
		if end = g.start == 0 || endsByCounts(rows, max(p.Page, e.pages.number), more, e); !end {
			next, end, err = g.onNoNext(p, e)
		}
	default:
		if end = l.isGrowing || endsByCounts(rows, max(p.Page, e.pages.number), more, e); !end {
			next, end, err = g.onNoNext(p, e)
		}
	}
	next.Rows = rows
	return next, end, err
}

// endsByCounts reports whether a list that names no next page ends by its counts; more: by its total it has records left.
func endsByCounts(rows, number int64, more bool, e *listEnvelope) bool {
	last := e.pages.totalPages > 0 && number >= e.pages.totalPages
	return len(e.records) == 0 || e.total >= 0 && rows >= e.total || last && !more
}

func refuseNext(p Position, _ *listEnvelope) (Position, error) {
	return p, errors.New("the list has a next page, but the stream file says `page: {by: none}`")
}

func byNumber(p Position, e *listEnvelope) (Position, error) {
	p.Page, p.Token = e.pages.page, e.pages.cursor
	if p.Page > 0 {
		p.Token = ""
	}
	return p, nil
}

func byCursor(p Position, e *listEnvelope) (Position, error) {
	if e.pages.cursor == "" {
		return p, errors.New("`pages.next` of the answer has no cursor, but the stream file says `page: {by: cursor}`")
	}
	p.Page, p.Token = 0, e.pages.cursor
	return p, nil
}

func endSinglePage(p Position, e *listEnvelope) (Position, bool, error) {
	if e.total >= 0 || e.pages.totalPages > 1 {
		return p, false, fmt.Errorf("the list has %d records by its own count, %d were returned, but the stream file says `page: {by: none}`", e.total, len(e.records))
	}
	return p, true, nil
}

func countOn(p Position, _ *listEnvelope) (Position, bool, error) {
	p.Page++
	return p, false, nil
}

func noCursor(p Position, e *listEnvelope) (Position, bool, error) {
	return p, false, fmt.Errorf("the answer has no `pages.next` after %d records, and nothing indicates the end of the list (total_count %d)",
		p.Rows+int64(len(e.records)), e.total)
}

func nestedOn(p Position, e *listEnvelope) (Position, bool, error) {
	if e.total < 0 && e.pages.totalPages == 0 {
		return p, true, nil
	}
	return countOn(p, e)
}

// withPageSize is the place for the same record with another number of records a page. Where pages go by number it may begin
// earlier: records that come twice do no harm.
func (p Position) withPageSize(size int) Position {
	if p.Page > 0 && p.Token == "" {
		before := (p.Page - 1) * int64(p.Size)
		p.Page = before/int64(size) + 1
		p.Rows = max(0, p.Rows-before%int64(size))
	}
	p.Size = size
	return p
}
