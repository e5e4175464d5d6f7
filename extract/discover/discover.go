// Package discover reads the beginning of a list of the API of which no stream file exists.
package discover

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
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

// UnreadableError says that no stream file reads a list whole.
type UnreadableError struct {
	Path string
	Why  string // what in the answers stands against it
}

// Error names the list, and what stands against it.
func (e *UnreadableError) Error() string { return "GET " + e.Path + ": " + e.Why }

// NoListError says that an answer has no list under the key that was chosen.
type NoListError struct {
	Path, List string
	Lists      []string // keys of the lists that the answer has
}

// Error names the key, and the lists that the answer has.
func (e *NoListError) Error() string {
	has := "no list at all"
	if len(e.Lists) > 0 {
		has = strings.Join(e.Lists, ", ")
	}
	return fmt.Sprintf("the answer to GET %s has no list %q; it has %s", e.Path, e.List, has)
}

// DescribeList reads the beginning of an unknown list: GET path, and the same in other pages, which shows what names the next page
// and the largest page that the API returns. list chooses among several lists in the answer; without
// it there, the error is a *NoListError. A list that stream files cannot read to its end is an *UnreadableError.
func DescribeList(ctx context.Context, c *api.Client, path, list string) (Discovery, error) {
	a := asker{ctx, c, path, list}
	whole, err := a.fetchOutline("")
	if err != nil {
		return Discovery{}, err
	}
	f := Discovery{List: whole.key, Records: whole.records, Page: schemas.Page{By: "none"}, Why: "the list is one answer"}
	if f.List == "" {
		f.Why = "the answer is a single record"
		return f, nil
	}
	by, why := whole.pagedBy()
	if by == "" && len(whole.records) > 1 {
		if by, why, err = a.tryPages(whole); err != nil {
			return Discovery{}, err
		}
	}
	switch rest := whole.explainRest(); {
	case by != "":
		f.Page, f.Why = schemas.Page{By: by, In: "query"}, why
		f.Page.Size, err = a.findLargestPage(whole)
		return f, err
	case rest != "":
		return Discovery{}, &UnreadableError{path, rest + ", and no `page:` of a stream file reads the others: the answer has no `pages.next`, and page=2 does not lead on to an empty page"}
	case len(whole.records) < 2:
		f.Why = "too few records to detect paging"
	}
	return f, nil
}

const (
	usualPage = 50      // the default page size of the API's document
	mostAsked = 1000    // the largest page that is asked for: with more, one answer would hold too much
	farPage   = 100_000 // a page that no list has
)

// pageSizes are asked for where the API refuses a larger page and does not say what it allows.
var pageSizes = []int{500, 250, 200, 150, 100, 60}

// asker asks for pages of one unknown list.
type asker struct {
	ctx        context.Context
	c          *api.Client
	path, list string
}

// tryPages asks for pages of one record, and for the second page, when the first answer does not show how the list is paged.
func (a asker) tryPages(whole answerOutline) (by, why string, err error) {
	first, size := whole, ""
	one, err := a.fetchOutline("per_page=1")
	if err != nil && !isRefused(err) {
		return "", "", err
	}
	if err == nil && len(one.records) < len(whole.records) {
		if by, why = one.pagedBy(); by != "" {
			return by, why, nil
		}
		first, size = one, "per_page=1&"
	}
	second, err := a.fetchOutline(size + "page=2")
	if err != nil {
		return "", "", ignoreRefusal(err)
	}
	if len(second.records) > 0 && (len(first.records) == 0 || bytes.Equal(first.records[0], second.records[0])) {
		return "", "", nil // the number is not heeded
	}
	if whole.total < 0 && len(second.records) > 0 {
		// Without a count the list ends at an empty page.
		if far, err := a.fetchOutline(fmt.Sprintf("%spage=%d", size, farPage)); err != nil || len(far.records) > 0 {
			return "", "", ignoreRefusal(err)
		}
	}
	return "number", "page=2 is another page", nil
}

// isRefused reports whether the API answers a request, and refuses it.
func isRefused(err error) bool {
	switch api.ClassOf(err) {
	case api.ClassContract, api.ClassNotFound, api.ClassCursor:
		return true
	}
	return api.StatusOf(err) == http.StatusNotFound
}

func ignoreRefusal(err error) error {
	if isRefused(err) {
		return nil
	}
	return err
}

// findLargestPage is the largest number of records that the API returns in a page. It asks for a large one, and takes what the
// answer grants, or what the refusal states.
func (a asker) findLargestPage(whole answerOutline) (int, error) {
	usual := int(whole.pages.PerPage)
	if usual < 1 && whole.explainRest() != "" {
		usual = len(whole.records)
	}
	if usual < 1 {
		usual = usualPage
	}
	sizes := append([]int{mostAsked}, pageSizes...)
	for len(sizes) > 0 && sizes[0] > usual {
		size := sizes[0]
		sizes = sizes[1:]
		large, err := a.fetchOutline("per_page=" + strconv.Itoa(size))
		if isRefused(err) {
			if stated := statedMost(err, size); stated > usual {
				sizes = append([]int{stated}, slices.DeleteFunc(sizes, func(n int) bool { return n >= stated })...)
			}
			continue
		}
		if err != nil {
			return 0, err
		}
		switch got := len(large.records); {
		case large.pages.PerPage > 0:
			return int(min(large.pages.PerPage, int64(size))), nil
		case large.explainRest() != "" || large.pages.Next == envelope.NextPlace || large.pages.Next == envelope.NextURL:
			return max(1, min(got, size)), nil // there are more: the page is as large as it gets
		case size < mostAsked:
			return size, nil // a larger page was refused, this one was not
		default:
			return max(got, usual), nil
		}
	}
	return usual, nil
}

var wholeNumber = regexp.MustCompile(`\d+`)

// statedMost is the largest number below size in the message of a refusal; 0 when it has none.
func statedMost(err error, size int) int {
	var refusal *api.Error
	most := 0
	if errors.As(err, &refusal) {
		for _, text := range wholeNumber.FindAllString(refusal.Message, -1) {
			if n, err := strconv.Atoi(text); err == nil && n < size {
				most = max(most, n)
			}
		}
	}
	return most
}

// answerOutline is an answer whose stream is unknown.
type answerOutline struct {
	key     string
	records [][]byte
	total   int64 // total_count; -1: none
	pages   envelope.PageInfo
	unused  envelope.Unused
}

// explainRest says what shows that the list has more than this answer; "" when nothing does.
func (o answerOutline) explainRest() string {
	given := int64(len(o.records))
	if o.total > given {
		return fmt.Sprintf("the answer has %d of %d records (total_count)", given, o.total)
	}
	return o.unused.Explain(given)
}

func (a asker) fetchOutline(query string) (answerOutline, error) {
	var o answerOutline
	var unlisted *NoListError
	attempts := 0
	if query != "" {
		attempts = 2 // another API may answer a wrong page with any error: it is no outage
	}
	_, err := a.c.Send(a.ctx, api.Call{Op: "preview " + a.path, Method: "GET", Path: a.path, Query: query, Attempts: attempts, Accept: func(answer *api.Answer) (err error) {
		if err := api.AcceptJSON(answer); err != nil {
			return err
		}
		if jx.DecodeBytes(answer.Body).Next() == jx.Array {
			return &UnreadableError{a.path, "the answer is itself a list, and a stream file reads a list in an object"}
		}
		if lists, _, _ := listsOf(answer.Body); a.list != "" && !slices.Contains(lists, a.list) {
			unlisted = &NoListError{a.path, a.list, lists}
			return nil // the same request would have the same answer
		}
		if o, err = outlineOf(answer.Body, a.list); err == nil && o.key != "" {
			o.unused.NoteHeaders(answer.Header())
		}
		return err
	}})
	if err == nil && unlisted != nil {
		return o, unlisted
	}
	return o, err
}

// listsOf are the keys of the lists in an answer, all its keys, and what it says of its type.
func listsOf(body []byte) (lists, keys []string, kind string) {
	if jx.DecodeBytes(body).Next() != jx.Object {
		return nil, nil, ""
	}
	keys, values := scan.Members(body)
	for i, key := range keys {
		if jx.DecodeBytes(values[i]).Next() == jx.Array {
			lists = append(lists, key)
		}
		if key == "type" {
			kind, _ = scan.Text(values[i])
		}
	}
	return lists, keys, kind
}

// outlineOf finds the only list of objects in an answer.
func outlineOf(body []byte, list string) (answerOutline, error) {
	if jx.DecodeBytes(body).Next() != jx.Object {
		return answerOutline{}, errors.New("the answer is not a JSON object")
	}
	lists, keys, kind := listsOf(body)
	lists = slices.DeleteFunc(lists, func(key string) bool { return list == "" && key == "links" || list != "" && key != list })
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
	return answerOutline{key: lists[0], records: e.Records, total: e.Total, pages: e.UseTop().Pages, unused: e.Unused}, nil
}

// pagedBy is the `page: {by}` of the answer, and what shows it; "" when nothing does.
func (o answerOutline) pagedBy() (by, why string) {
	switch p := o.pages; {
	case p.Next == envelope.NextPlace && p.Cursor != "":
		return "cursor", "`pages.next` holds a cursor"
	case p.Next == envelope.NextPlace:
		return "number", "`pages.next` holds a number"
	case p.Next == envelope.NextURL:
		address, err := url.Parse(p.Address)
		if err != nil {
			return "", ""
		}
		if address.Query().Get("starting_after") != "" {
			return "cursor", "`next` is an address with a cursor"
		}
		if address.Query().Get("page") != "" {
			return "number", "`next` is an address with a page"
		}
	case p.TotalPages > 1:
		return "number", "the answer counts its pages but names no next page"
	}
	return "", ""
}
