package extract

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/envelope"
	"aqueduck/schemas"
)

// listRequest is a request for one list of the API, without the position in it.
type listRequest struct {
	op        string // for messages
	method    string
	path      string // escaped
	over      string // the id or value that the list belongs to; "" when the stream has one list
	query     []schemas.Param
	records   []string
	page      schemas.Page
	search    *timeRange // nil: the whole list
	nested    []envelope.NestedList
	key       []string            // path of a record's key; nil: the key is not one field
	ids       map[string][]string // a batch: the ids asked for, by the parameter that carries them; else nil
	optional  bool                // the source may refuse it
	isGrowing bool                // a feed: its last page may be empty and name itself as the next
}

// timeRange asks for the records with the field at or after a time, in ascending order of the field.
type timeRange struct {
	field  string
	since  int64
	before int64 // exclusive end; 0: none
}

// listOf is the request for a stream's list. since is the time, in Unix seconds, from which a searched stream is asked.
func listOf(s *schemas.Stream, since int64) listRequest {
	l := listRequest{
		op:     api.ReadOp(s),
		method: s.Read.Method, path: s.Read.Path, query: s.Read.Query, records: s.Read.Records, page: s.Read.Page,
		nested: nestedLists(s), key: keyPath(s),
	}
	if s.Read.Detail != nil {
		l.nested = nil // reading the record by id completes them
	}
	if s.Read.Since.By == "search" {
		l.search = &timeRange{field: s.Read.Since.Field, since: since}
	}
	return l
}

// nestedLists are the nested lists of a record that an answer may cut, with the address of the rest.
func nestedLists(s *schemas.Stream) []envelope.NestedList {
	var lists []envelope.NestedList
	for _, c := range s.Children {
		if c.Rest == nil || c.Within != "" || len(c.From) == 0 {
			continue
		}
		beside := c.From[: len(c.From)-1 : len(c.From)-1]
		count := c.Count
		if count == nil {
			count = append(beside, "total_count")
		}
		lists = append(lists, envelope.NestedList{From: c.From, Count: count, More: append(beside, "has_more"), Rest: c.Rest})
	}
	return lists
}

// peek picks from each record what reading the list needs.
func (l *listRequest) peek() envelope.Peek {
	field := ""
	if l.search != nil {
		field = l.search.field
	}
	return envelope.PeekOf(l.key, field, l.nested)
}

// sendCall sends a call for the list, and finds the records in its answer, and what the answer says about the rest.
func (l *listRequest) sendCall(ctx context.Context, c *api.Client, q api.Call, picked envelope.Peek) (found *envelope.Envelope, a *api.Answer, err error) {
	q.Accept = func(a *api.Answer) (err error) {
		if found, err = envelope.Parse(a.Body, l.records, picked); err == nil && len(l.records) > 0 {
			found.Unused.NoteHeaders(a.Header())
		}
		return err
	}
	a, err = c.Send(ctx, q)
	return found, a, err
}

// forValue is the list of one id or value: it replaces {id} in the path, and is the only query parameter as, if that is not empty.
func (l listRequest) forValue(as, value string) listRequest {
	l.over, l.path = value, strings.ReplaceAll(l.path, "{id}", url.PathEscape(value))
	if as != "" {
		others := slices.DeleteFunc(slices.Clone(l.query), func(p schemas.Param) bool { return p.Name == as })
		l.query = append(others, schemas.Param{Name: as, Value: value})
	}
	return l
}

// listsOf are the lists of a stream that is read in full: one, or one for each value.
func listsOf(s *schemas.Stream) []listRequest {
	if s.Read.Over == nil {
		return []listRequest{listOf(s, 0)}
	}
	var lists []listRequest
	for _, value := range s.Read.Over.Values {
		l := listOf(s, 0).forValue(s.Read.Over.As, value)
		l.optional = slices.Contains(s.Read.Over.Optional, value)
		lists = append(lists, l)
	}
	return lists
}

// The body of a POST.
type (
	listBody struct {
		Query      *filterGroup    `json:"query,omitempty"`
		Sort       *sortOrder      `json:"sort,omitempty"`
		Pagination *paginationBody `json:"pagination,omitempty"`
	}
	filterGroup struct {
		Operator string        `json:"operator"`
		Value    []queryFilter `json:"value"`
	}
	// queryFilter is one condition on a field, or a group of them.
	queryFilter struct {
		Field    string          `json:"field,omitempty"`
		Operator string          `json:"operator"`
		Value    json.RawMessage `json:"value"`
	}
	sortOrder struct {
		Field string `json:"field"`
		Order string `json:"order"`
	}
	paginationBody struct {
		Page          int64  `json:"page,omitempty"`
		PerPage       int    `json:"per_page,omitempty"`
		StartingAfter string `json:"starting_after,omitempty"`
	}
)

// callAt is the request for the page at a position.
func (l *listRequest) callAt(p Position) api.Call {
	q := api.Call{Op: l.op, Method: l.method, Path: l.path, Cursor: p.Token != ""}
	query := url.Values{}
	for _, param := range l.query {
		query.Add(param.Name, param.Value)
	}
	var body listBody
	if l.page.In == "body" {
		body.Pagination = &paginationBody{Page: p.Page, PerPage: p.Size, StartingAfter: p.Token}
	} else {
		setPlace(query, p)
	}
	if s := l.search; s != nil {
		body.Query = s.buildQuery()
		body.Sort = &sortOrder{Field: s.field, Order: "ascending"}
	}
	if l.method == http.MethodPost {
		q.Body = marshalBody(body)
		if l.ids != nil {
			q.Body = marshalBody(l.ids)
		}
	}
	q.Query = query.Encode()
	return q
}

// buildQuery is the filter of a search. Where the API compares whole days of an unknown time zone, "=" takes the day of the time
// and ">" the days after it. Where it compares seconds, "=" takes that second. Together they miss nothing in both cases (T1, T4).
// "<" takes what is before the time, or before its day.
func (s *timeRange) buildQuery() *filterGroup {
	from := filterGroup{Operator: "OR", Value: []queryFilter{s.timeFilter("=", s.since), s.timeFilter(">", s.since)}}
	if s.before == 0 {
		return &from
	}
	return &filterGroup{Operator: "AND", Value: []queryFilter{{Operator: from.Operator, Value: marshalBody(from.Value)}, s.timeFilter("<", s.before)}}
}

func (s *timeRange) timeFilter(operator string, at int64) queryFilter {
	return queryFilter{Field: s.field, Operator: operator, Value: marshalBody(at)}
}

// marshalBody is the JSON of a part of a request's body.
func marshalBody[T int64 | []queryFilter | listBody | map[string][]string](v T) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic("extract: a request's body is always JSON: " + err.Error()) // texts and numbers only
	}
	return text
}

func setPlace(query url.Values, p Position) {
	if p.Page > 0 {
		query.Set("page", strconv.FormatInt(p.Page, 10))
	}
	if p.Size > 0 {
		query.Set("per_page", strconv.Itoa(p.Size))
	}
	if p.Token != "" {
		query.Set("starting_after", p.Token)
	}
}

// requestFingerprint identifies the request without its position. A server may accept a cursor of another request, and mean
// another list by it (T13).
func (l *listRequest) requestFingerprint(base, version string) string {
	q := l.callAt(Position{})
	h := sha256.New()
	for _, part := range []string{base, version, q.Method, q.Path, q.Query, string(q.Body)} {
		fmt.Fprintf(h, "%d:%s\n", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
