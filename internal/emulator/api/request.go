package api

import (
	"errors"
	"net/url"
	"strconv"

	"aqueduck/internal/emulator/apiversion"
	"aqueduck/internal/emulator/search"
)

// Request is what a route gets to see of an HTTP request.
type Request struct {
	N       int // number of the request, from 1
	Path    string
	Base    string // scheme and host it was sent to
	Query   url.Values
	Body    []byte
	Version apiversion.Version
	ID      string // the first that the path names
	Inner   string // the second, of what lies in the first
	Route   string // its name
}

// nextURL is the next page as an address on the same host.
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

// perPage reads per_page from the query; more than the most is cut down to it.
func (q *Request) perPage(usual, most int) (int, bool) {
	n, ok := q.positiveParam("per_page", usual)
	return min(n, most), ok
}

// positiveParam reads a number from the query that must be above zero.
func (q *Request) positiveParam(name string, usual int) (int, bool) {
	text := q.Query.Get(name)
	if text == "" {
		return usual, true
	}
	n, err := strconv.Atoi(text)
	return min(n, farPage), (err == nil || errors.Is(err, strconv.ErrRange)) && n > 0
}

// farPage is a page beyond every list. Numbers from it on are the same: what is past the end is empty, however far.
const farPage = 1 << 31

// numberedPage is the part of a list that a request asks for by page number.
type numberedPage struct{ page, per int }

// numberedPage reads page and per_page from the query; without per_page it has the usual size.
func (q *Request) numberedPage(usual, most int) (numberedPage, bool) {
	page, good := q.positiveParam("page", 1)
	per, good2 := q.perPage(usual, most)
	return numberedPage{page, per}, good && good2
}

// pageBounds gives the places on this page, from first to before last, of a list with so many records.
func (p numberedPage) pageBounds(count int) (first, last int) {
	first = min((p.page-1)*p.per, count)
	return first, min(first+p.per, count)
}

// searchQuestion is a search as index takes it.
func (q *Request) searchQuestion() search.Question {
	return search.Question{Body: q.Body, N: q.N, Days: !q.Version.HasLaterChanges()}
}
