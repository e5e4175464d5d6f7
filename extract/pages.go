package extract

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/go-faster/jx"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/scan"
)

// nextKind is the form of `pages.next`.
type nextKind int

const (
	nextAbsent nextKind = iota
	nextNull
	nextPlace // an object with a page, a cursor or both
	nextURL   // the address of the next page
	nextBare  // an object with a null cursor and no page
)

// pageInfo is what an answer says about its page and the next one.
type pageInfo struct {
	next    nextKind
	page    int64  // nextPlace
	cursor  string // nextPlace
	address string // nextURL

	number, perPage, totalPages int64 // of this page; 0 when absent
}

// parsePages reads the pagination object. Each part of it may be absent or null. An unknown shape is an error: guessing could end
// a list early (T14).
func parsePages(raw []byte) (pageInfo, error) {
	var p pageInfo
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
func (p *pageInfo) setCounter(key string, raw []byte) {
	n := max(0, scan.Count(raw))
	switch key {
	case "page":
		p.number = n
	case "per_page":
		p.perPage = n
	case "total_pages":
		p.totalPages = n
	}
}

// orElse takes the counters from other and keeps p's `next`.
func (p pageInfo) orElse(other pageInfo) pageInfo {
	other.next, other.page, other.cursor, other.address = p.next, p.page, p.cursor, p.address
	return other
}

// readNext reads `pages.next`.
func (p *pageInfo) readNext(raw []byte) error {
	d := jx.DecodeBytes(raw)
	switch d.Next() {
	case jx.Null:
		p.next = nextNull
		return nil
	case jx.String:
		p.next = nextURL
		p.address, _ = scan.Text(raw)
		if p.address == "" {
			return errors.New("`pages.next` of the answer is an empty text")
		}
		return nil
	case jx.Object:
	default:
		return fmt.Errorf("`pages.next` of the answer is %s", d.Next())
	}
	p.next = nextPlace
	empty, none := false, false
	err := d.ObjBytes(func(d *jx.Decoder, key []byte) error {
		raw, err := d.Raw()
		switch {
		case err != nil:
			return err
		case string(key) == "page":
			p.page = max(0, scan.Count(raw))
		case string(key) == "starting_after":
			p.cursor = parseCursor(raw)
			empty, none = string(raw) == `""`, string(raw) == "null"
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case empty:
		return errors.New("`pages.next.starting_after` of the answer is an empty text")
	case p.page == 0 && none:
		p.next = nextBare
	case p.page == 0 && p.cursor == "":
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

// parseNextURL reads the position from a URL of the next page. A URL of another host, which would receive the token, or of
// another list is an error.
func parseNextURL(address string, base *url.URL, path string) (page int64, cursor string, err error) {
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
