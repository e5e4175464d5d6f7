package api

import (
	"net/http"
	"strconv"

	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/knobs"
	"aqueduck/internal/emulator/search"
)

// openList begins the envelope of a list (workspace-api 2.8).
func openList(b []byte, kind, key string) []byte {
	return append(append(append(append(append(b, `{"type":"`...), kind...), `","`...), key...), `":[`...)
}

// closeList ends the envelope of a list with its total and its pages, in the shape of the knobs.
func (w *Handlers) closeList(b []byte, q *Request, p search.Page) []byte {
	return closeEnvelope(w, append(b, ']'), q, p)
}

// closeEnvelope ends an envelope behind its records, as closeList does.
func closeEnvelope(w *Handlers, b []byte, q *Request, p search.Page) []byte {
	if p.Total >= 0 && !w.K().NoTotal {
		b = append(b, `,"total_count":`...)
		b = strconv.AppendInt(b, int64(w.reportedTotal(p.Total)), 10)
	}
	if !p.More {
		switch w.K().ShapesFor(q.Route).End {
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
	if p.Total >= 0 && !w.K().NoTotalPages {
		all = (w.reportedTotal(p.Total) + p.PerPage - 1) / p.PerPage
	}
	b = append(b, `,"total_pages":`...)
	b = strconv.AppendInt(b, int64(all), 10)
	return append(w.appendNext(b, q, p), `}}`...)
}

// reportedTotal returns the total_count that the knobs make of a number.
func (w *Handlers) reportedTotal(total int) int {
	total += int(float64(total) * w.K().TotalError)
	if w.K().TotalCap > 0 {
		total = min(total, w.K().TotalCap)
	}
	return total
}

func (w *Handlers) appendNumber(b []byte, name string, n int) []byte {
	b = append(append(append(b, `,"`...), name...), `":`...)
	if w.K().PagesAsText {
		return append(strconv.AppendInt(append(b, '"'), int64(n), 10), '"')
	}
	return strconv.AppendInt(b, int64(n), 10)
}

func (w *Handlers) appendNext(b []byte, q *Request, p search.Page) []byte {
	shapes := w.K().ShapesFor(q.Route)
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

func badNumber() answer.Answer {
	return answer.Failure(http.StatusBadRequest, "parameter_invalid", "page and per_page must be positive numbers")
}

func badCursor() answer.Answer {
	return answer.Failure(http.StatusBadRequest, "client_error", search.BadCursor)
}

// refusedSearch returns the answer to a refused search.
func refusedSearch(r *search.Refusal) answer.Answer {
	return answer.Failure(r.Status, r.Code, r.Message)
}

// answerNumberedPage answers one page of a list that is paged by number. item writes the record at a position of the list.
func (w *Handlers) answerNumberedPage(q *Request, usual, most, count int, item func(b []byte, i int) []byte) answer.Answer {
	at, good := q.numberedPage(usual, most)
	if !good {
		return badNumber()
	}
	if w.K().EmptyLists {
		count = 0
	}
	b := openList(nil, "list", "data")
	first, last := at.pageBounds(count)
	for i := first; i < last; i++ {
		if i > first {
			b = append(b, ',')
		}
		b = item(b, i)
	}
	return answer.OK(w.closeList(b, q, search.Page{Number: at.page, PerPage: at.per, Total: count, More: last < count}))
}
