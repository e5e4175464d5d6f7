package envelope

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/go-faster/jx"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/scan"
)

// NextKind is the form of `pages.next`.
type NextKind int

const (
	NextAbsent NextKind = iota
	NextNull
	NextPlace // an object with a page, a cursor or both
	NextURL   // the address of the next page
	NextBare  // an object with a null cursor and no page
)

// PageInfo is what an answer says about its page and the next one.
type PageInfo struct {
	Next    NextKind
	Page    int64  // NextPlace
	Cursor  string // NextPlace
	Address string // NextURL

	Number, PerPage, TotalPages int64 // of this page; 0 when absent
}

// PagingError says that the answer names its pages in a form that is not known.
type PagingError struct{ Err error }

// Error is the message of the cause.
func (e *PagingError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *PagingError) Unwrap() error { return e.Err }

// parsePages reads the pagination object. Each part of it may be absent or null. An unknown shape is an error: guessing could end
// a list early (T14).
func parsePages(raw []byte) (PageInfo, error) {
	var p PageInfo
	d := jx.DecodeBytes(raw)
	switch d.Next() {
	case jx.Null:
		return p, nil
	case jx.Object:
	default:
		return p, fmt.Errorf("`pages` of the answer is %s", d.Next())
	}
	var wrong error
	err := d.ObjBytes(func(d *jx.Decoder, key []byte) error {
		raw, err := d.Raw()
		if err != nil {
			return err
		}
		if string(key) != "next" {
			p.setCounter(string(key), raw)
			return nil
		}
		wrong = p.readNext(raw)
		return wrong
	})
	if wrong != nil {
		return p, wrong
	}
	return p, err
}

// setCounter stores one of the counters. It ignores other keys and values that are no number.
func (p *PageInfo) setCounter(key string, raw []byte) {
	n := max(0, scan.Count(raw))
	switch key {
	case "page":
		p.Number = n
	case "per_page":
		p.PerPage = n
	case "total_pages":
		p.TotalPages = n
	}
}

// UseTop is the envelope with the `next` beside the list in place of a missing `pages.next`.
func (e *Envelope) UseTop() *Envelope {
	if e.Pages.Next != NextAbsent || e.Top.Next == NextAbsent {
		return e
	}
	used := *e
	used.Pages = e.Top.orElse(e.Pages)
	return &used
}

// orElse takes the counters from other and keeps p's `next`.
func (p PageInfo) orElse(other PageInfo) PageInfo {
	other.Next, other.Page, other.Cursor, other.Address = p.Next, p.Page, p.Cursor, p.Address
	return other
}

// readNext reads `pages.next`.
func (p *PageInfo) readNext(raw []byte) error {
	d := jx.DecodeBytes(raw)
	switch d.Next() {
	case jx.Null:
		p.Next = NextNull
		return nil
	case jx.String:
		p.Next = NextURL
		p.Address, _ = scan.Text(raw)
		if p.Address == "" {
			return errors.New("`pages.next` of the answer is an empty text")
		}
		return nil
	case jx.Object:
	default:
		return fmt.Errorf("`pages.next` of the answer is %s", d.Next())
	}
	p.Next = NextPlace
	empty, none := false, false
	err := d.ObjBytes(func(d *jx.Decoder, key []byte) error {
		raw, err := d.Raw()
		switch {
		case err != nil:
			return err
		case string(key) == "page":
			p.Page = max(0, scan.Count(raw))
		case string(key) == "starting_after":
			p.Cursor = parseCursor(raw)
			empty, none = string(raw) == `""`, string(raw) == "null"
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case empty:
		return errors.New("`pages.next.starting_after` of the answer is an empty text")
	case p.Page == 0 && none:
		p.Next = NextBare
	case p.Page == 0 && p.Cursor == "":
		return errors.New("`pages.next` of the answer has neither a page nor a cursor")
	}
	return nil
}

// parseCursor reads an opaque cursor. A number is kept as it is written.
func parseCursor(raw []byte) string {
	if s, ok := scan.Text(raw); ok {
		return s
	}
	if _, ok := scan.Number(raw); ok {
		return strings.TrimSpace(string(raw))
	}
	return ""
}

// ParseNextURL reads the position from a URL of the next page. A URL of another host, which would receive the token, or of
// another list is an error.
func ParseNextURL(address string, base *url.URL, path string) (page int64, cursor string, err error) {
	u, err := url.Parse(address)
	if err != nil {
		return 0, "", errors.New("`pages.next` of the answer is not a URL")
	}
	if u.IsAbs() || u.Host != "" {
		if !strings.EqualFold(u.Host, base.Host) || u.IsAbs() && !strings.EqualFold(u.Scheme, base.Scheme) || u.User != nil {
			return 0, "", fmt.Errorf("`pages.next` of the answer points to another host, %s", api.Shorten(u.Host))
		}
	}
	if got := u.EscapedPath(); got != "" && got != path && got != base.EscapedPath()+path {
		return 0, "", fmt.Errorf("`pages.next` of the answer points to another list, %s", api.Shorten(got))
	}
	query := u.Query()
	cursor = query.Get("starting_after")
	page = max(0, scan.Count([]byte(query.Get("page"))))
	if page == 0 && cursor == "" {
		return 0, "", errors.New("`pages.next` of the answer is a URL with neither a page nor a cursor")
	}
	return page, cursor, nil
}
