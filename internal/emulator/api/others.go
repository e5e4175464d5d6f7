package api

import (
	"strconv"

	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/api/render"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/state/contacts"
)

// answerContactList answers one of a contact's own lists. Readers use it when the list inside the contact is cut at its cap.
func (w *Handlers) answerContactList(q *Request, numbers func(d *event.Contact) []int32, item func(b []byte, d *event.Contact, n int32) []byte) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	num, known := w.ByID[q.ID]
	if !known || w.List[num].Status != contacts.Active {
		return answer.NotFound("Contact")
	}
	usual := w.K().SubListPage
	if usual == 0 {
		usual = 50
	}
	d := w.List[num].Doc
	list := numbers(d)
	return w.answerNumberedPage(q, usual, 150, len(list), func(b []byte, i int) []byte { return item(b, d, list[i]) })
}

func contactTags(w *Handlers, q *Request) answer.Answer {
	return w.answerContactList(q, func(d *event.Contact) []int32 { return d.Tags }, func(b []byte, _ *event.Contact, n int32) []byte {
		return render.AppendTag(w.Setup.Cast, b, n, true)
	})
}

func contactNotes(w *Handlers, q *Request) answer.Answer {
	return w.answerContactList(q, func(d *event.Contact) []int32 { return d.Notes }, func(b []byte, d *event.Contact, n int32) []byte {
		return appendContactNote(w, b, d, n)
	})
}

func contactCompanies(w *Handlers, q *Request) answer.Answer {
	return w.answerContactList(q, func(d *event.Contact) []int32 { return d.Companies }, func(b []byte, _ *event.Contact, n int32) []byte {
		return w.appendCompany(b, n)
	})
}

func contactSegments(w *Handlers, q *Request) answer.Answer {
	return w.answerContactList(q, contacts.SegmentsOf, func(b []byte, _ *event.Contact, n int32) []byte { return w.appendSegment(b, n, -1) })
}

func contactSubscriptions(w *Handlers, q *Request) answer.Answer {
	return w.answerContactList(q, w.Subscriptions, func(b []byte, _ *event.Contact, n int32) []byte { return render.AppendSubscription(w.Setup.Cast, b, n) })
}

// answerWholeList answers a list that is not paged.
func (w *Handlers) answerWholeList(kind, key string, count int, item func(b []byte, n int32) []byte) answer.Answer {
	if w.K().EmptyLists {
		count = 0
	}
	b := openList(nil, kind, key)
	for n := range count {
		if n > 0 {
			b = append(b, ',')
		}
		b = item(b, int32(n))
	}
	return answer.OK(append(b, `]}`...))
}

// listSegments serves GET /segments (workspace-api 4.7): those of contacts, then those of companies. Members are counted on request.
func listSegments(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	write := segmentWriter(w, q)
	return w.answerWholeList("segment.list", "segments", len(w.Setup.Cast.Segments)+len(w.Setup.Cast.CompanySegments), write)
}

// oneSegment serves GET /segments/{id}, of contacts or of companies.
func oneSegment(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	write := segmentWriter(w, q)
	for n := range int32(len(w.Setup.Cast.Segments)) {
		if strconv.FormatInt(event.SegmentID(n), 10) == q.ID {
			return answer.OK(write(nil, n))
		}
	}
	for n := range int32(len(w.Setup.Cast.CompanySegments)) {
		if strconv.FormatInt(event.CompanySegmentID(n), 10) == q.ID {
			return answer.OK(write(nil, int32(len(w.Setup.Cast.Segments))+n))
		}
	}
	return answer.NotFound("Segment")
}

// segmentWriter returns a function that writes the nth segment, with the number of its members if the request asks for it. The caller holds
// the lock.
func segmentWriter(w *Handlers, q *Request) func(b []byte, n int32) []byte {
	counts := make([]int, len(w.Setup.Cast.Segments))
	count := q.Query.Get("include_count") == "true"
	for i := range w.List {
		if c := &w.List[i]; count && c.Status == contacts.Active {
			for _, n := range contacts.SegmentsOf(c.Doc) {
				counts[n]++
			}
		}
	}
	return func(b []byte, n int32) []byte {
		ofFirms := n - int32(len(w.Setup.Cast.Segments))
		switch {
		case ofFirms >= 0 && count:
			return w.appendCompanySegment(b, ofFirms, w.CountInSegment(ofFirms))
		case ofFirms >= 0:
			return w.appendCompanySegment(b, ofFirms, -1)
		case count:
			return w.appendSegment(b, n, counts[n])
		}
		return w.appendSegment(b, n, -1)
	}
}

func (w *Handlers) appendSegment(b []byte, n int32, count int) []byte {
	b = append(b, `{"type":"segment","id":"`...)
	b = strconv.AppendInt(b, event.SegmentID(n), 10)
	b = append(b, `","name":`...)
	segment, began := w.Setup.Cast.Segments[n], w.Setup.Start.Unix()-event.Span
	b = jsontext.AppendString(b, segment.Name)
	b = append(b, `,"created_at":`...)
	b = strconv.AppendInt(b, began+segment.Made, 10)
	b = append(b, `,"updated_at":`...)
	b = strconv.AppendInt(b, began+segment.Updated, 10)
	b = append(b, `,"person_type":"contact"`...)
	if count >= 0 {
		b = append(append(append(b, `,"`...), w.K().SegmentCountField()...), `":`...)
		b = strconv.AppendInt(b, int64(count), 10)
	}
	return append(b, '}')
}
