package emulator

import (
	"fmt"
	"sort"
	"strconv"
	"time"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/search"
)

// listActivities is GET /contacts/activities: oldest first, by cursor, without a total (api-notes, Searching and paging).
func listActivities(w *server, q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	per, good := q.perPage(50, 150)
	if !good {
		return badNumber()
	}
	const question = "GET /contacts/activities"
	at := search.Cursor{Page: 1}
	if token := q.query.Get("starting_after"); token != "" {
		if at, good = w.env.Cursor(token, question, q.n); !good {
			return badCursor()
		}
	}
	feed := w.feed
	if w.k().EmptyLists {
		feed = nil
	}
	b := openList(nil, "list", "data")
	p := search.Page{Number: int(at.Page), PerPage: per, Total: -1}
	last, count := int(at.Offset), 0
	for i := max(last, w.forgotten()); i < len(feed) && !p.More; i++ {
		switch {
		case !w.arrived(i):
			continue
		case count == per:
			p.More = true
			continue
		case count > 0:
			b = append(b, ',')
		}
		b = w.appendActivity(b, i)
		last = i + 1
		count++
	}
	if w.k().TrailingToken && count > 0 {
		p.More = true
	}
	if p.More {
		p.Token = w.env.Hand(search.Cursor{Offset: int64(last), Page: at.Page + 1}, question, q.n)
	}
	return ok(w.closeList(b, q, p))
}

// forgotten is how many of the oldest activities are no longer kept.
func (w *contactBook) forgotten() int {
	if w.k().Retention == 0 {
		return 0
	}
	since := w.now() - int64(w.k().Retention/time.Second)
	return sort.Search(len(w.feed), func(i int) bool { return w.events[w.feed[i]].At >= since })
}

// arrived says whether the activity at a place is in the feed yet.
func (w *contactBook) arrived(i int) bool {
	most := w.k().ActivityLag
	if most == 0 {
		return true
	}
	r := event.NewRNG(w.cfg.Seed, event.ForLag, 1, uint64(i))
	return w.events[w.feed[i]].At+int64(r.Share()*most.Seconds()) <= w.now()
}

// activityID is the id of the activity at a place in the feed: text whose order is that of the feed.
func activityID(place int) string { return fmt.Sprintf("act_%012d", place+1) }

var activityTypes = map[event.ContactKind]string{event.Created: "contact.created", event.RoleChanged: "contact.role_updated",
	event.Merged: "contact.merged", event.MergeFailed: "contact.merge_failed", event.Deleted: "contact.deleted"}

func (w *server) appendActivity(b []byte, i int) []byte {
	e := &w.events[w.feed[i]]
	b = append(b, `{"type":"contact_activity","id":"`...)
	b = append(append(b, activityID(i)...), `","event_type":"`...)
	b = append(append(b, activityTypes[e.Kind]...), `","contact_id":`...)
	d := w.contacts[e.Contact].doc
	b = jsontext.AppendString(b, d.ID)
	switch e.Kind {
	case event.Created:
		if e.Born.ExternalID != "" {
			b = append(b, `,"external_id":`...)
			b = jsontext.AppendString(b, e.Born.ExternalID)
		}
		b = append(append(append(b, `,"role":"`...), roleName(e.User)...), '"')
	case event.RoleChanged:
		b = append(append(append(b, `,"role":"`...), roleName(e.User)...), '"')
	case event.Merged, event.MergeFailed:
		b = append(b, `,"merge_source_id":`...)
		b = jsontext.AppendString(b, d.ID)
		b = append(b, `,"merge_target_id":`...)
		b = jsontext.AppendString(b, w.contacts[e.Other].doc.ID)
	}
	if e.Kind == event.MergeFailed {
		b = append(b, `,"failure_reason":`...)
		b = jsontext.AppendString(b, e.Text)
	}
	b = append(b, `,"created_at":`...)
	b = strconv.AppendInt(b, e.At, 10)
	return append(b, '}')
}

// isActivity says whether the feed tells of an event.
func isActivity(k event.ContactKind) bool {
	switch k {
	case event.Created, event.RoleChanged, event.Merged, event.MergeFailed, event.Deleted:
		return true
	}
	return false
}
