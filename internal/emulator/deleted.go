package emulator

import (
	"html"
	"slices"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/knobs"
)

// listDeleted is GET /contacts/deleted: inactive contacts, paged by number (workspace-api 4.11).
func listDeleted(w *server, q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := w.inactive(q.n)
	return w.numbered(q, 10, 150, len(list), func(b []byte, i int) []byte {
		return w.appendInactive(b, &w.contacts[list[i]])
	})
}

// inactive gives the contacts of the list in its order.
func (w *contactBook) inactive(n int) []int32 {
	if w.stale {
		w.gone = w.gone[:0]
		for num := range w.contacts {
			if w.contacts[num].listed {
				w.gone = append(w.gone, int32(num))
			}
		}
		slices.SortStableFunc(w.gone, func(a, b int32) int { return int(w.contacts[b].since - w.contacts[a].since) })
		if w.k().DeletedOrder == knobs.OrderOldest {
			slices.Reverse(w.gone)
		}
		w.stale = false
	}
	if w.k().DeletedOrder != knobs.OrderRandom {
		return w.gone
	}
	list, r := slices.Clone(w.gone), event.NewRNG(w.cfg.Seed, event.ForShuffle, uint64(n))
	for i := len(list) - 1; i > 0; i-- {
		j := r.N(i + 1)
		list[i], list[j] = list[j], list[i]
	}
	return list
}

// appendInactive writes a deleted-contact entry (workspace-api 2.10). E-mails are HTML-escaped there, as api-notes has it.
func (w *server) appendInactive(b []byte, c *contact) []byte {
	d := c.doc
	b = append(b, `{"type":"contact","id":`...)
	b = jsontext.AppendString(b, d.ID)
	b = append(append(append(b, `,"role":"`...), roleOf(d)...), `","status":"`...)
	b = append(append(b, c.status.entry()...), `","updated_at":`...)
	b = jsontext.AppendTime(b, c.since)
	if c.status == merged {
		b = append(b, `,"merged_into_id":`...)
		b = jsontext.AppendString(b, w.contacts[c.into].doc.ID)
	}
	external, email := d.ExternalID, d.Email
	if c.status == permanentlyDeleted {
		external, email = "", ""
	}
	b = append(b, `,"external_id":`...)
	b = jsontext.AppendText(b, external)
	b = append(b, `,"email":`...)
	b = jsontext.AppendText(b, html.EscapeString(email))
	return append(b, '}')
}

// entry is the status under which a contact is listed: one of the five of workspace-api 3.1. A contact deleted by
// DELETE is shown as waiting for its deletion.
func (s status) entry() string {
	if s == deleted {
		return pendingDeletion.String()
	}
	return s.String()
}
