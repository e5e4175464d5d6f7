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
		id := strconv.FormatInt(event.NoteID(n), 10)
		b = append(append(append(append(b, `{"type":"note","id":"`...), id...), `","url":"/notes/`...), id...)
		b = append(b, `","body":`...)
		b = jsontext.AppendString(b, w.NoteBody(n))
		b = append(b, `,"contact":{"type":"contact","id":`...)
		b = jsontext.AppendString(b, d.ID)
		return append(b, `}}`...)
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

func listTags(w *Handlers, _ *Request) answer.Answer {
	return w.answerWholeList("list", "data", w.Setup.Cast.TagCount, func(b []byte, n int32) []byte { return render.AppendTag(w.Setup.Cast, b, n, false) })
}

func listAdmins(w *Handlers, _ *Request) answer.Answer {
	listed := w.Setup.Cast.Admins
	if w.K().FormerAdmins {
		listed = w.Setup.Cast.Everyone
	}
	return w.answerWholeList("admin.list", "admins", len(listed), func(b []byte, n int32) []byte {
		a := listed[n]
		b = append(b, `{"type":"admin","id":"`...)
		b = strconv.AppendInt(b, a.ID, 10)
		b = append(b, `","name":`...)
		b = jsontext.AppendString(b, a.Name)
		b = append(b, `,"email":`...)
		b = jsontext.AppendString(b, a.Email)
		b = append(b, `,"away_mode_enabled":false,"has_inbox_seat":true,"team_ids":[`...)
		for n, id := range render.TeamsOf(w.Setup.Cast, a) {
			if n > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, id, 10)
		}
		return append(b, `]}`...)
	})
}

// listSegments serves GET /segments (workspace-api 4.7): those of contacts, then those of companies. Members are counted on request.
func listSegments(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	counts := make([]int, len(w.Setup.Cast.Segments))
	count := q.Query.Get("include_count") == "true"
	for i := range w.List {
		if c := &w.List[i]; count && c.Status == contacts.Active {
			for _, n := range contacts.SegmentsOf(c.Doc) {
				counts[n]++
			}
		}
	}
	return w.answerWholeList("segment.list", "segments", len(w.Setup.Cast.Segments)+len(w.Setup.Cast.CompanySegments), func(b []byte, n int32) []byte {
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
	})
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
