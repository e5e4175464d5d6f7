package emulator

import (
	"fmt"
	"sort"
	"strconv"
	"time"
)

// listActivities is GET /contacts/activities: oldest first, by cursor, without a total (api-notes, Searching and paging).
func (w *Workspace) listActivities(q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	per, good := q.perPage(50, 150)
	if !good {
		return badNumber()
	}
	const question = "GET /contacts/activities"
	at := cursor{page: 1}
	if token := q.query.Get("starting_after"); token != "" {
		if at, good = w.cursor(token, question, q.n); !good {
			return badCursor()
		}
	}
	feed := w.feed
	if w.k().EmptyLists {
		feed = nil
	}
	first := max(min(int(at.offset), len(feed)), w.forgotten())
	last := min(first+per, len(feed))
	b := openList(nil, "list", "data")
	for i := first; i < last; i++ {
		if i > first {
			b = append(b, ',')
		}
		b = w.appendActivity(b, i)
	}
	p := pages{page: int(at.page), perPage: per, total: -1, more: last < len(feed)}
	if w.k().TrailingToken && last > first {
		p.more = true
	}
	if p.more {
		p.token = w.hand(cursor{offset: int64(last), page: at.page + 1}, question, q.n)
	}
	return ok(w.closeList(b, q, p))
}

// forgotten is how many of the oldest activities are no longer kept.
func (w *Workspace) forgotten() int {
	if w.k().Retention == 0 {
		return 0
	}
	since := w.now() - int64(w.k().Retention/time.Second)
	return sort.Search(len(w.feed), func(i int) bool { return w.log[w.feed[i]].At >= since })
}

// activityID is the id of the activity at a place in the feed: text whose order is that of the feed.
func activityID(place int) string { return fmt.Sprintf("act_%012d", place+1) }

var activityTypes = map[Kind]string{Created: "contact.created", RoleChanged: "contact.role_updated",
	Merged: "contact.merged", MergeFailed: "contact.merge_failed", Deleted: "contact.deleted"}

func (w *Workspace) appendActivity(b []byte, i int) []byte {
	e := &w.log[w.feed[i]]
	b = append(b, `{"type":"contact_activity","id":"`...)
	b = append(append(b, activityID(i)...), `","event_type":"`...)
	b = append(append(b, activityTypes[e.Kind]...), `","contact_id":`...)
	d := w.contacts[e.Contact].doc
	b = appendString(b, d.ID)
	switch e.Kind {
	case Created:
		if e.Born.ExternalID != "" {
			b = append(b, `,"external_id":`...)
			b = appendString(b, e.Born.ExternalID)
		}
		b = append(append(append(b, `,"role":"`...), roleName(e.User)...), '"')
	case RoleChanged:
		b = append(append(append(b, `,"role":"`...), roleName(e.User)...), '"')
	case Merged, MergeFailed:
		b = append(b, `,"merge_source_id":`...)
		b = appendString(b, d.ID)
		b = append(b, `,"merge_target_id":`...)
		b = appendString(b, w.contacts[e.Other].doc.ID)
	}
	if e.Kind == MergeFailed {
		b = append(b, `,"failure_reason":`...)
		b = appendString(b, e.Text)
	}
	b = append(b, `,"created_at":`...)
	b = strconv.AppendInt(b, e.At, 10)
	return append(b, '}')
}
