package emulator

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/knobs"
	"aqueduck/internal/emulator/search"
)

// openList begins an envelope (workspace-api 2.8).
func openList(b []byte, kind, key string) []byte {
	return append(append(append(append(append(b, `{"type":"`...), kind...), `","`...), key...), `":[`...)
}

// closeList ends the envelope of a list with its count and its pages, in the shape that the knobs ask for.
func (w *server) closeList(b []byte, q *request, p search.Page) []byte {
	b = append(b, ']')
	if p.Total >= 0 && !w.k().NoTotal {
		b = append(b, `,"total_count":`...)
		b = strconv.AppendInt(b, int64(w.told(p.Total)), 10)
	}
	if !p.More {
		switch w.k().ShapesFor(q.route).End {
		case knobs.ShapeNoPages:
			return append(b, '}')
		case knobs.ShapeNullPage:
			return append(b, `,"pages":null}`...)
		case knobs.ShapeEmpty:
			return append(b, `,"pages":{}}`...)
		}
	}
	b = append(b, `,"pages":{"type":"pages"`...)
	b = w.appendNumber(b, "page", p.Number)
	b = w.appendNumber(b, "per_page", p.PerPage)
	all := 0
	if p.Total >= 0 && !w.k().NoTotalPages {
		all = (w.told(p.Total) + p.PerPage - 1) / p.PerPage
	}
	b = append(b, `,"total_pages":`...)
	b = strconv.AppendInt(b, int64(all), 10)
	return append(w.appendNext(b, q, p), `}}`...)
}

// told is what total_count says of a number.
func (w *server) told(total int) int {
	total += int(float64(total) * w.k().TotalError)
	if w.k().TotalCap > 0 {
		total = min(total, w.k().TotalCap)
	}
	return total
}

func (w *server) appendNumber(b []byte, name string, n int) []byte {
	b = append(append(append(b, `,"`...), name...), `":`...)
	if w.k().PagesAsText {
		return append(strconv.AppendInt(append(b, '"'), int64(n), 10), '"')
	}
	return strconv.AppendInt(b, int64(n), 10)
}

func (w *server) appendNext(b []byte, q *request, p search.Page) []byte {
	shapes := w.k().ShapesFor(q.route)
	if !p.More {
		switch shapes.End {
		case knobs.ShapeAbsent:
			return b
		case knobs.ShapeEmptyEnd:
			return append(b, `,"next":{"starting_after":""}`...)
		}
		return append(b, `,"next":null`...)
	}
	b = append(b, `,"next":`...)
	if shapes.Next == knobs.ShapeURL {
		return jsontext.AppendString(b, q.nextURL(p))
	}
	b = append(b, '{')
	if p.Token == "" || shapes.Next != knobs.ShapeNoPage {
		b = append(b, `"page":`...)
		b = strconv.AppendInt(b, int64(p.Number+1), 10)
	}
	if p.Token != "" {
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = append(b, `"starting_after":`...)
		b = jsontext.AppendString(b, p.Token)
	}
	return append(b, '}')
}

// nextURL is the next page as an address on the same host.
func (q *request) nextURL(p search.Page) string {
	v := url.Values{}
	for name, values := range q.query {
		v[name] = values
	}
	v.Set("per_page", strconv.Itoa(p.PerPage))
	if p.Token != "" {
		v.Set("starting_after", p.Token)
	} else {
		v.Set("page", strconv.Itoa(p.Number+1))
	}
	return q.base + q.path + "?" + v.Encode()
}

// perPage reads per_page from the query; more than the most is cut down to it.
func (q *request) perPage(usual, most int) (int, bool) {
	n, ok := q.positive("per_page", usual)
	return min(n, most), ok
}

// positive reads a number from the query that must be above zero.
func (q *request) positive(name string, usual int) (int, bool) {
	text := q.query.Get(name)
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
func (q *request) numberedPage(usual, most int) (numberedPage, bool) {
	page, good := q.positive("page", 1)
	per, good2 := q.perPage(usual, most)
	return numberedPage{page, per}, good && good2
}

// span gives the places on this page, from first to before last, of a list with so many records.
func (p numberedPage) span(count int) (first, last int) {
	first = min((p.page-1)*p.per, count)
	return first, min(first+p.per, count)
}

func badNumber() answer {
	return failure(http.StatusBadRequest, "parameter_invalid", "page and per_page must be positive numbers")
}

func badCursor() answer {
	return failure(http.StatusBadRequest, "client_error", search.BadCursor)
}

// refusedSearch is the answer to a search that is refused.
func refusedSearch(r *search.Refusal) answer { return failure(r.Status, r.Code, r.Message) }

// asked is a search as index takes it.
func (q *request) asked() search.Question {
	return search.Question{Body: q.body, N: q.n, Days: !q.version.later()}
}

func ok(body []byte) answer { return answer{status: http.StatusOK, body: body} }

// numbered answers one page of a list that is paged by number. item writes the record at a place of the list.
func (w *server) numbered(q *request, usual, most, count int, item func(b []byte, i int) []byte) answer {
	at, good := q.numberedPage(usual, most)
	if !good {
		return badNumber()
	}
	if w.k().EmptyLists {
		count = 0
	}
	b := openList(nil, "list", "data")
	first, last := at.span(count)
	for i := first; i < last; i++ {
		if i > first {
			b = append(b, ',')
		}
		b = item(b, i)
	}
	return ok(w.closeList(b, q, search.Page{Number: at.page, PerPage: at.per, Total: count, More: last < count}))
}
