// Package discover reads the beginning of a list of the API of which no stream file exists.
package discover

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/go-faster/jx"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/envelope"
	"aqueduck/extract/internal/scan"
	"aqueduck/schemas"
)

// Discovery describes a list of the API of which no stream file exists, as far as two requests tell.
type Discovery struct {
	List    string // key of the list; "" when the answer is the record
	Records [][]byte
	Page    schemas.Page // how the list is paged
	Why     string       // what in the answers shows the paging
}

// DescribeList reads the beginning of an unknown list: GET path, and the same with pages of one record, which shows what names the
// next page. list chooses among several lists in the answer.
func DescribeList(ctx context.Context, c *api.Client, path, list string) (Discovery, error) {
	whole, err := fetchOutline(ctx, c, path, "", list)
	if err != nil {
		return Discovery{}, err
	}
	f := Discovery{List: whole.key, Records: whole.records, Page: schemas.Page{By: "none"}, Why: "the list is one answer"}
	if len(whole.records) < 2 {
		f.Why = "too few records to detect paging"
	}
	if f.List == "" {
		f.Why = "the answer is a single record"
		return f, nil
	}
	size := int(max(whole.pages.PerPage, 0))
	if size == 0 {
		size = usualPage
	}
	found := schemas.Page{In: "query", Size: size}
	if found.By, f.Why = whole.pagedBy(f.Why); found.By == "" && len(whole.records) > 1 {
		one, err := fetchOutline(ctx, c, path, "per_page=1", list)
		if err != nil {
			return Discovery{}, err
		}
		if len(one.records) < len(whole.records) {
			found.By, f.Why = one.pagedBy(f.Why)
		}
	}
	if found.By != "" {
		f.Page = found
	}
	return f, nil
}

// usualPage is the default page size of the API's document.
const usualPage = 50

// answerOutline is an answer whose stream is unknown.
type answerOutline struct {
	key     string
	records [][]byte
	pages   envelope.PageInfo
}

func fetchOutline(ctx context.Context, c *api.Client, path, query, list string) (answerOutline, error) {
	var o answerOutline
	_, err := c.Send(ctx, api.Call{Op: "preview " + path, Method: "GET", Path: path, Query: query, Accept: func(a *api.Answer) (err error) {
		if err := api.AcceptJSON(a); err != nil {
			return err
		}
		o, err = outlineOf(a.Body, list)
		return err
	}})
	return o, err
}

// outlineOf finds the only list of objects in an answer.
func outlineOf(body []byte, list string) (answerOutline, error) {
	if jx.DecodeBytes(body).Next() != jx.Object {
		return answerOutline{}, errors.New("the answer is not a JSON object")
	}
	var lists []string
	kind := ""
	keys, values := scan.Members(body)
	for i, key := range keys {
		if first := jx.DecodeBytes(values[i]); first.Next() == jx.Array && (list == "" || list == key) {
			lists = append(lists, key)
		}
		if key == "type" {
			kind, _ = scan.Text(values[i])
		}
	}
	if slices.Contains(lists, "data") && kind == "list" {
		lists = []string{"data"}
	}
	isList := kind == "list" || strings.HasSuffix(kind, ".list") || list != ""
	switch {
	case !isList && (kind != "" || len(lists) != 1):
		return answerOutline{records: [][]byte{body}}, nil
	case len(lists) == 0:
		return answerOutline{}, fmt.Errorf("the answer has no list: its keys are %s", api.Shorten(strings.Join(keys, ", ")))
	case len(lists) > 1:
		return answerOutline{}, fmt.Errorf("the answer has more than one list: %s", strings.Join(lists, ", "))
	}
	e, err := envelope.Parse(body, lists, envelope.PeekOf(nil, "", nil))
	if err != nil {
		return answerOutline{}, err
	}
	return answerOutline{key: lists[0], records: e.Records, pages: e.Pages}, nil
}

// pagedBy is the `page: {by}` of the answer, and what shows it; "" and otherwise when nothing does.
func (o answerOutline) pagedBy(otherwise string) (by, why string) {
	switch p := o.pages; {
	case p.Next == envelope.NextPlace && p.Cursor != "":
		return "cursor", "`pages.next` holds a cursor"
	case p.Next == envelope.NextPlace:
		return "number", "`pages.next` holds a number"
	case p.Next == envelope.NextURL:
		address, err := url.Parse(p.Address)
		if err == nil && address.Query().Get("starting_after") != "" {
			return "cursor", "`pages.next` is an address with a cursor"
		}
		return "number", "`pages.next` is an address with a page"
	case p.TotalPages > 1:
		return "number", "the answer counts its pages but names no next page"
	}
	return "", otherwise
}
