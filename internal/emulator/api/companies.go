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

// searchCompanies serves POST /companies/search: like contact search, without the companies that have no users (workspace-api 4.11).
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

// companyListCap is the number of records after which the list of companies ends (api-notes, Page sizes; trap T80).
const companyListCap = 10_000

// listCompanies serves POST /companies/list: all companies in the order of their creation, by page number. The total counts all of them, but
// no page goes beyond the cap.
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

// companyScroll is the scroll over all companies. A workspace has one at a time.
type companyScroll struct {
	param string // "": no scroll is open
	next  int
	used  int64
	count int
}

const (
	scrollPage = 100
	scrollIdle = 60 // seconds without a request, after which the scroll is closed
)

// scrollCompanies serves GET /companies/scroll (api-notes, Page sizes). The position moves with each request, so a page that was lost on its
// way is not sent again. The end is a page without records, which closes the scroll and has no scroll_param.
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

// ofCompany calls f for the company that the path names. The caller holds the lock.
func (w *Handlers) ofCompany(q *Request, f func(n int32) answer.Answer) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	n, known := w.FindCompany(q.ID)
	if !known {
		return answer.NotFound("Company")
	}
	return f(n)
}

// oneCompany serves GET /companies/{id}.
func oneCompany(w *Handlers, q *Request) answer.Answer {
	return w.ofCompany(q, func(n int32) answer.Answer { return answer.OK(w.appendCompany(nil, n)) })
}

// companyContacts serves GET /companies/{id}/contacts: the contacts attached now, by cursor (workspace-api 4.3).
func companyContacts(w *Handlers, q *Request) answer.Answer {
	return w.ofCompany(q, func(n int32) answer.Answer {
		per, good := q.perPage(50, 150)
		if !good {
			return badNumber()
		}
		return w.contactPage(q, "GET /companies/"+q.ID+"/contacts", per, func(d *event.Contact) bool { return slices.Contains(d.Companies, n) })
	})
}

// companyNotes serves GET /companies/{id}/notes, which is not paged.
func companyNotes(w *Handlers, q *Request) answer.Answer {
	return w.ofCompany(q, func(n int32) answer.Answer {
		f := w.CompanyList[n].Newest
		return w.answerWholeList("list", "data", len(f.Notes), func(b []byte, i int32) []byte {
			return appendCompanyNote(b, f, f.Notes[i])
		})
	})
}

func appendCompanyNote(b []byte, f *event.Company, note event.CompanyNote) []byte {
	p := &jsontext.Writer{Bytes: append(b, '{')}
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
}

// companySegments serves GET /companies/{id}/segments, which is not paged.
func companySegments(w *Handlers, q *Request) answer.Answer {
	return w.ofCompany(q, func(n int32) answer.Answer {
		in := companies.SegmentsOfCompany(w.CompanyList[n].Newest)
		return w.answerWholeList("list", "data", len(in), func(b []byte, i int32) []byte { return w.appendCompanySegment(b, in[i], -1) })
	})
}
