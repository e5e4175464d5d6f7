package api

import (
	"errors"
	"net/url"
	"strconv"

	"aqueduck/internal/emulator/apiversion"
	"aqueduck/internal/emulator/search"
)

// Request is the part of an HTTP request that routes use.
type Request struct {
	N       int // number of the request, from 1
	Path    string
	Base    string // scheme and host it was sent to
	Query   url.Values
	Body    []byte
	Version apiversion.Version
	ID      string // the first id in the path
	Inner   string // the second id in the path
	Route   string // the route's name
}

// nextURL is the address of the next page on the same host.
func (q *Request) nextURL(p search.Page) string {
	v := url.Values{}
	for name, values := range q.Query {
		v[name] = values
	}
	v.Set("per_page", strconv.Itoa(p.PerPage))
	if p.Token != "" {
		v.Set("starting_after", p.Token)
	} else {
		v.Set("page", strconv.Itoa(p.Number+1))
	}
	return q.Base + q.Path + "?" + v.Encode()
}

// perPage reads per_page from the query. A number above the maximum is reduced to it.
func (q *Request) perPage(usual, most int) (int, bool) {
	n, ok := q.positiveParam("per_page", usual)
	return min(n, most), ok
}

// positiveParam reads a number above zero from the query.
func (q *Request) positiveParam(name string, usual int) (int, bool) {
	text := q.Query.Get(name)
	if text == "" {
		return usual, true
	}
	n, err := strconv.Atoi(text)
	return min(n, farPage), (err == nil || errors.Is(err, strconv.ErrRange)) && n > 0
}

// farPage is a page number beyond every list. Larger numbers are reduced to it, so that no product overflows.
const farPage = 1 << 31

// numberedPage is the page of a list that a request names by number.
type numberedPage struct{ page, per int }

// numberedPage reads page and per_page from the query; per_page defaults to the usual size.
func (q *Request) numberedPage(usual, most int) (numberedPage, bool) {
	page, good := q.positiveParam("page", 1)
	per, good2 := q.perPage(usual, most)
	return numberedPage{page, per}, good && good2
}

// pageBounds returns the first position on this page and the one after its last, for a list of count records.
func (p numberedPage) pageBounds(count int) (first, last int) {
	first = min((p.page-1)*p.per, count)
	return first, min(first+p.per, count)
}

// searchQuestion returns the search in the form that the index takes.
func (q *Request) searchQuestion() search.Question {
	return search.Question{Body: q.Body, N: q.N, Days: !q.Version.HasLaterChanges()}
}
