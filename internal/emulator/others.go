package emulator

import (
	"strconv"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
)

// ownList is one of a contact's own lists, where a capped nested one is read on.
func (w *server) ownList(q *request, numbers func(d *event.Contact) []int32, item func(b []byte, d *event.Contact, n int32) []byte) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	num, known := w.byID[q.id]
	if !known || w.contacts[num].status != active {
		return notFound("Contact")
	}
	usual := w.k().SubListPage
	if usual == 0 {
		usual = 50
	}
	d := w.contacts[num].doc
	list := numbers(d)
	return w.numbered(q, usual, 150, len(list), func(b []byte, i int) []byte { return item(b, d, list[i]) })
}

func contactTags(w *server, q *request) answer {
	return w.ownList(q, func(d *event.Contact) []int32 { return d.Tags }, func(b []byte, _ *event.Contact, n int32) []byte {
		return appendTag(b, n, true)
	})
}

func contactNotes(w *server, q *request) answer {
	return w.ownList(q, func(d *event.Contact) []int32 { return d.Notes }, func(b []byte, d *event.Contact, n int32) []byte {
		id := strconv.FormatInt(event.NoteID(n), 10)
		b = append(append(append(append(b, `{"type":"note","id":"`...), id...), `","url":"/notes/`...), id...)
		b = append(b, `","body":`...)
		b = jsontext.AppendString(b, w.noteBody(n))
		b = append(b, `,"contact":{"type":"contact","id":`...)
		b = jsontext.AppendString(b, d.ID)
		return append(b, `}}`...)
	})
}

func (w *contactBook) noteBody(n int32) string {
	if body, ok := w.notes[n]; ok {
		return body
	}
	return w.make.Note(n)
}

func contactCompanies(w *server, q *request) answer {
	return w.ownList(q, func(d *event.Contact) []int32 { return d.Companies }, func(b []byte, _ *event.Contact, n int32) []byte {
		return w.appendCompany(b, n)
	})
}

func contactSegments(w *server, q *request) answer {
	return w.ownList(q, segmentsOf, func(b []byte, _ *event.Contact, n int32) []byte { return w.appendSegment(b, n, -1) })
}

func contactSubscriptions(w *server, q *request) answer {
	return w.ownList(q, w.subscribed, func(b []byte, _ *event.Contact, n int32) []byte { return appendSubscription(b, n) })
}

func appendTag(b []byte, n int32, url bool) []byte {
	id := strconv.FormatInt(event.TagID(n), 10)
	b = append(append(append(b, `{"type":"tag","id":"`...), id...), `","name":`...)
	b = jsontext.AppendString(b, event.TagName(n))
	if url {
		b = append(append(append(b, `,"url":"/tags/`...), id...), '"')
	}
	return append(b, '}')
}

// whole answers a list that is not paged.
func (w *server) whole(kind, key string, count int, item func(b []byte, n int32) []byte) answer {
	if w.k().EmptyLists {
		count = 0
	}
	b := openList(nil, kind, key)
	for n := range count {
		if n > 0 {
			b = append(b, ',')
		}
		b = item(b, int32(n))
	}
	return ok(append(b, `]}`...))
}

func listTags(w *server, _ *request) answer {
	return w.whole("list", "data", event.TagCount, func(b []byte, n int32) []byte { return appendTag(b, n, false) })
}

func listAdmins(w *server, _ *request) answer {
	listed := event.Admins
	if w.k().FormerAdmins {
		listed = event.Everyone
	}
	return w.whole("admin.list", "admins", len(listed), func(b []byte, n int32) []byte {
		a := listed[n]
		b = append(b, `{"type":"admin","id":"`...)
		b = strconv.AppendInt(b, a.ID, 10)
		b = append(b, `","name":`...)
		b = jsontext.AppendString(b, a.Name)
		b = append(b, `,"email":`...)
		b = jsontext.AppendString(b, a.Email)
		b = append(b, `,"away_mode_enabled":false,"has_inbox_seat":true,"team_ids":[`...)
		if a.InTeams {
			b = append(b, `814865,814866`...)
		}
		return append(b, `]}`...)
	})
}

// listSegments is GET /segments (workspace-api 4.7), those of contacts before those of companies; members are counted when
// asked for.
func listSegments(w *server, q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	counts := make([]int, len(event.Segments))
	count := q.query.Get("include_count") == "true"
	for i := range w.contacts {
		if c := &w.contacts[i]; count && c.status == active {
			for _, n := range segmentsOf(c.doc) {
				counts[n]++
			}
		}
	}
	return w.whole("segment.list", "segments", len(event.Segments)+len(event.CompanySegments), func(b []byte, n int32) []byte {
		ofFirms := n - int32(len(event.Segments))
		switch {
		case ofFirms >= 0 && count:
			return w.appendFirmSegment(b, ofFirms, w.companiesIn(ofFirms))
		case ofFirms >= 0:
			return w.appendFirmSegment(b, ofFirms, -1)
		case count:
			return w.appendSegment(b, n, counts[n])
		}
		return w.appendSegment(b, n, -1)
	})
}

func (w *server) appendSegment(b []byte, n int32, count int) []byte {
	b = append(b, `{"type":"segment","id":"`...)
	b = strconv.AppendInt(b, event.SegmentID(n), 10)
	b = append(b, `","name":`...)
	segment, began := event.Segments[n], w.cfg.Start.Unix()-event.Span
	b = jsontext.AppendString(b, segment.Name)
	b = append(b, `,"created_at":`...)
	b = strconv.AppendInt(b, began+segment.Made, 10)
	b = append(b, `,"updated_at":`...)
	b = strconv.AppendInt(b, began+segment.Updated, 10)
	b = append(b, `,"person_type":"contact"`...)
	if count >= 0 {
		b = append(append(append(b, `,"`...), w.k().SegmentCountField()...), `":`...)
		b = strconv.AppendInt(b, int64(count), 10)
	}
	return append(b, '}')
}

// segmentsOf says which segments a contact is in.
func segmentsOf(d *event.Contact) []int32 {
	in := []bool{d.User, !d.User, d.LastSeen != 0, d.SignedUp == 0, d.LastReplied == 0, len(d.Tags) > 3,
		placeOf(d).Country == "Germany" || placeOf(d).Country == "France", false, d.AndroidApp != nil || d.IOSApp != nil,
		len(d.Companies) > 0, d.Email == "", len(d.Tags) > 0}
	var list []int32
	for n, yes := range in {
		if yes {
			list = append(list, int32(n))
		}
	}
	return list
}

func appendSubscription(b []byte, n int32) []byte {
	p := &jsontext.Writer{Bytes: b}
	writeRecord(p, subscriptionType(n, 0))
	return p.Bytes
}
