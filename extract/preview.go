package extract

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-faster/jx"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/envelope"
	"aqueduck/extract/internal/scan"
	"aqueduck/schemas"
)

// Preview is the first page of a stream's list as it came, and what its paging decided. People use it to check that a stream file
// fits its source.
type Preview struct {
	Keys       []string // of the answer, in its order
	List       string   // key of the list; "" when the answer is the record
	Records    []Record
	Total      int64     // total_count, -1 when absent
	ServerTime time.Time // zero when the answer has no date
	Next       string    // in words: where the list continues, or that it ends
	Refused    error     // why a run would fail at this page; nil: it would not
}

// PreviewStream reads the first page of a stream with the page size of its file. A stream that is read by ids is asked for id. Of
// a stream with `detail`, the first few records are read by id.
func PreviewStream(ctx context.Context, c *api.Client, s *schemas.Stream, id string, few int) (Preview, error) {
	l, err := previewList(c, s, id)
	if err != nil {
		return Preview{}, err
	}
	at := Position{Page: pagers[l.page.By].start, Size: l.page.Size}
	var found *envelope.Envelope
	q := l.callAt(at)
	q.Accept = func(a *api.Answer) (err error) {
		found, err = envelope.Parse(a.Body, l.records, l.peek())
		return err
	}
	a, err := c.Send(ctx, q)
	if err != nil {
		return Preview{}, err
	}
	preview := Preview{Total: found.Total, ServerTime: a.Date}
	preview.Keys, _ = scan.Members(a.Body)
	if i := slices.IndexFunc(preview.Keys, func(key string) bool { return slices.Contains(l.records, key) }); i >= 0 {
		preview.List = preview.Keys[i]
	}
	for _, raw := range found.Records {
		preview.Records = append(preview.Records, Record{Raw: raw, Over: l.over})
	}
	preview.Next, preview.Refused = describePlace(&l, at, found, c.BaseURL())
	if s.Read.Since.By == "between" {
		preview.Next, preview.Refused = "the last day was requested; a period that exceeds one answer is split", nil
	}
	if s.Read.Detail == nil {
		return preview, nil
	}
	reader := NewReader(c, Request{Stream: s})
	page, err := reader.ReadDetails(ctx, Page{Records: preview.Records[:min(few, len(preview.Records))]}, nil)
	preview.Records = slices.DeleteFunc(page.Records, func(r Record) bool { return r.Gone })
	return preview, err
}

// previewList is the list that PreviewStream asks for: the whole list, the last day of a list between two times, or the list of
// an id.
func previewList(c *api.Client, s *schemas.Stream, id string) (listRequest, error) {
	l := listOf(s, 0)
	l.op, l.nested = "preview "+s.Name, nil
	switch over := s.Read.Over; {
	case over == nil && s.Read.Since.By == "between":
		now := c.LocalNow().Unix()
		return withSpan(l, s.Read.Since.Field, now-24*3600, now), nil
	case over == nil:
		return l, nil
	case id == "" && len(over.Values) > 0:
		return l.forValue(over.As, over.Values[0]), nil
	case !idPattern.MatchString(id):
		return l, fmt.Errorf("preview %s: it is read by id, and %q is not an id", s.Name, api.Shorten(id))
	case over.Size > 0:
		l.ids = map[string][]string{over.As: {id}}
		return l, nil
	}
	return l.forValue(s.Read.Over.As, id), nil
}

// describePlace says in words where a list continues after its first page.
func describePlace(l *listRequest, at Position, e *envelope.Envelope, base *url.URL) (string, error) {
	next, end, err := l.nextPosition(at, int64(len(e.Records)), e, base)
	switch {
	case err != nil:
		return "", err
	case end && e.Pages.Next == envelope.NextNull:
		return "the list ends: `pages.next` is null", nil
	case end:
		return "the list ends: all its stated records were returned", nil
	case next.Token != "":
		return "the next page is found by a cursor in the answer", nil
	}
	return fmt.Sprintf("the next page is page %d", next.Page), nil
}

// Discovery describes a list of the API of which no stream file exists, as far as two requests tell.
type Discovery struct {
	List    string // key of the list; "" when the answer is the record
	Records [][]byte
	Page    schemas.Page // how the list is paged
	Why     string       // what in the answers shows the paging
}

// Discover reads the beginning of an unknown list: GET path, and the same with pages of one record, which shows what names the
// next page. list chooses among several lists in the answer.
func Discover(ctx context.Context, c *api.Client, path, list string) (Discovery, error) {
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
