package api

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/search"
	"aqueduck/internal/emulator/state/companies"
)

// searchCompanies is POST /companies/search: as contact search, without the companies that have no users (workspace-api 4.11).
func searchCompanies(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.CountUsers()
	found, p, refused := w.CompanyIndex.AnswerSearch(q.searchQuestion())
	if refused != nil {
		return refusedSearch(refused)
	}
	b := openList(nil, "list", "data")
	for i, f := range found {
		if i > 0 {
			b = append(b, ',')
		}
		b = w.appendFirm(b, f)
	}
	return answer.OK(w.closeList(b, q, p))
}

// companyListCap is where the list of companies stops (api-notes, Page sizes; trap T80).
const companyListCap = 10_000

// listCompanies is POST /companies/list: all of them in the order of their creation, by page number. Its count tells the
// truth, but no page goes beyond the cap.
func listCompanies(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	at, good := q.numberedPage(15, 60)
	if !good {
		return badNumber()
	}
	most := w.K().CompanyListCap
	if most == 0 {
		most = companyListCap
	}
	all := len(w.CompanyList)
	if w.K().EmptyLists {
		all = 0
	}
	reach := min(all, most)
	first, last := at.pageBounds(reach)
	b := openList(nil, "list", "data")
	for n := first; n < last; n++ {
		if n > first {
			b = append(b, ',')
		}
		b = w.appendCompany(b, int32(n))
	}
	return answer.OK(w.closeList(b, q, search.Page{Number: at.page, PerPage: at.per, Total: all, More: last < reach}))
}

// companyScroll is the one walk over all companies that a workspace has open at a time.
type companyScroll struct {
	param string // "": none is open
	next  int
	used  int64
	count int
}

const (
	scrollPage = 100
	scrollIdle = 60 // seconds without a request, after which it is gone
)

// scrollCompanies is GET /companies/scroll (api-notes, Page sizes). The place moves with each request, so a page that was
// lost on its way is not given again; the end is a page without records, which closes it, and names no parameter to go on with.
func scrollCompanies(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	s, param := &w.scroll, q.Query.Get("scroll_param")
	if w.UnixNow()-s.used >= scrollIdle {
		s.param = ""
	}
	switch {
	case param == "" && s.param != "":
		return answer.Failure(http.StatusBadRequest, "scroll_exists", "scroll already exists for this workspace")
	case param == "":
		s.count++
		s.next, s.param = 0, fmt.Sprintf("%016x", event.MixBits(w.Setup.Seed^uint64(s.count)<<32))
	case param != s.param:
		return answer.Failure(http.StatusNotFound, "not_found", "scroll parameter not found")
	}
	s.used = w.UnixNow()
	first, last := s.next, min(s.next+scrollPage, len(w.CompanyList))
	if w.K().EmptyLists {
		last = first
	}
	b := openList(nil, "list", "data")
	for n := first; n < last; n++ {
		if n > first {
			b = append(b, ',')
		}
		b = w.appendCompany(b, int32(n))
	}
	p := &jsontext.Writer{Bytes: append(b, `],"pages":null,"total_count":null`...)}
	param = s.param
	if s.next = last; first == last {
		s.param = ""
	}
	if s.param == "" && !w.K().ScrollNamesEnd {
		param = ""
	}
	p.TextOrNull("scroll_param", param)
	p.Close()
	return answer.OK(p.Bytes)
}

// ofCompany has f answer about the company of the path. The lock is held.
func (w *Handlers) ofCompany(q *Request, f func(n int32) answer.Answer) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	n, known := w.FindCompany(q.ID)
	if !known {
		return answer.NotFound("Company")
	}
	return f(n)
}

// oneCompany is GET /companies/{id}.
func oneCompany(w *Handlers, q *Request) answer.Answer {
	return w.ofCompany(q, func(n int32) answer.Answer { return answer.OK(w.appendCompany(nil, n)) })
}

// companyContacts is GET /companies/{id}/contacts: those attached now, by cursor (workspace-api 4.3).
func companyContacts(w *Handlers, q *Request) answer.Answer {
	return w.ofCompany(q, func(n int32) answer.Answer {
		per, good := q.perPage(50, 150)
		if !good {
			return badNumber()
		}
		return w.contactPage(q, "GET /companies/"+q.ID+"/contacts", per, func(d *event.Contact) bool { return slices.Contains(d.Companies, n) })
	})
}

// companyNotes is GET /companies/{id}/notes, which is not paged.
func companyNotes(w *Handlers, q *Request) answer.Answer {
	return w.ofCompany(q, func(n int32) answer.Answer {
		f := w.CompanyList[n].Newest
		return w.answerWholeList("list", "data", len(f.Notes), func(b []byte, i int32) []byte {
			note := f.Notes[i]
			p := &jsontext.Writer{Bytes: b}
			p.Bytes = append(p.Bytes, '{')
			p.TextOrNull("type", "note")
			p.TextOrNull("id", strconv.FormatInt(note.ID, 10))
			p.TimeOrNull("created_at", note.At)
			p.TextOrNull("body", note.Body)
			p.Open("company")
			p.TextOrNull("type", "company")
			p.TextOrNull("id", f.ID)
			p.Close()
			p.Open("author")
			p.TextOrNull("type", "admin")
			p.TextOrNull("id", strconv.FormatInt(note.By, 10))
			p.Close()
			p.Close()
			return p.Bytes
		})
	})
}

// companySegments is GET /companies/{id}/segments, which is not paged.
func companySegments(w *Handlers, q *Request) answer.Answer {
	return w.ofCompany(q, func(n int32) answer.Answer {
		in := companies.SegmentsOfCompany(w.CompanyList[n].Newest)
		return w.answerWholeList("list", "data", len(in), func(b []byte, i int32) []byte { return w.appendFirmSegment(b, in[i], -1) })
	})
}
