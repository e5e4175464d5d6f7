package api

import (
	"fmt"
	"strconv"

	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/search"
	"aqueduck/internal/emulator/state/contacts"
)

// listActivities serves GET /contacts/activities: oldest first, by cursor, without a total (api-notes, Searching and paging).
func listActivities(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	per, good := q.perPage(50, 150)
	if !good {
		return badNumber()
	}
	const question = "GET /contacts/activities"
	at := search.Cursor{Page: 1}
	if token := q.Query.Get("starting_after"); token != "" {
		if at, good = w.SearchEnv.DecodeCursor(token, question, q.N); !good {
			return badCursor()
		}
	}
	feed := w.Feed
	if w.K().EmptyLists {
		feed = nil
	}
	b := openList(nil, "list", "data")
	p := search.Page{Number: int(at.Page), PerPage: per, Total: -1}
	last, count := int(at.Offset), 0
	for i := max(last, w.CountExpired()); i < len(feed) && !p.More; i++ {
		switch {
		case !w.HasArrived(i):
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
	if w.K().TrailingToken && count > 0 {
		p.More = true
	}
	if p.More {
		p.Token = w.SearchEnv.EncodeCursor(search.Cursor{Offset: int64(last), Page: at.Page + 1}, question, q.N)
	}
	return answer.OK(w.closeList(b, q, p))
}

// activityID returns the id of the activity at a place in the feed. The ids sort as the feed does.
func activityID(place int) string { return fmt.Sprintf("act_%012d", place+1) }

var activityTypes = map[event.ContactKind]string{event.Created: "contact.created", event.RoleChanged: "contact.role_updated",
	event.Merged: "contact.merged", event.MergeFailed: "contact.merge_failed", event.Deleted: "contact.deleted"}

func (w *Handlers) appendActivity(b []byte, i int) []byte {
	e := &w.ContactLog[w.Feed[i]]
	b = append(b, `{"type":"contact_activity","id":"`...)
	b = append(append(b, activityID(i)...), `","event_type":"`...)
	b = append(append(b, activityTypes[e.Kind]...), `","contact_id":`...)
	d := w.List[e.Contact].Doc
	b = jsontext.AppendString(b, d.ID)
	switch e.Kind {
	case event.Created:
		if e.Born.ExternalID != "" {
			b = append(b, `,"external_id":`...)
			b = jsontext.AppendString(b, e.Born.ExternalID)
		}
		b = append(append(append(b, `,"role":"`...), contacts.RoleName(e.User)...), '"')
	case event.RoleChanged:
		b = append(append(append(b, `,"role":"`...), contacts.RoleName(e.User)...), '"')
	case event.Merged, event.MergeFailed:
		b = append(b, `,"merge_source_id":`...)
		b = jsontext.AppendString(b, d.ID)
		b = append(b, `,"merge_target_id":`...)
		b = jsontext.AppendString(b, w.List[e.Other].Doc.ID)
	}
	if e.Kind == event.MergeFailed {
		b = append(b, `,"failure_reason":`...)
		b = jsontext.AppendString(b, e.Text)
	}
	b = append(b, `,"created_at":`...)
	b = strconv.AppendInt(b, e.At, 10)
	return append(b, '}')
}
