package contacts

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// lifeOp is one thing that happens in an hour of life, drawn for a contact at a time. It says whether it could.
type lifeOp func(w *Book, r *event.RNG, at int64) bool

// lifeWeek is the order in which things happen, again and again: all kinds come within 32 turns, in the shares that
// a workspace knows.
var lifeWeek = [...]lifeOp{
	lifeCreate, lifeUpdate, lifeUntag, lifeUpdate, lifeMerge, lifeUpdate, lifeArchive, lifeCreate,
	lifeUpdate, lifeUnarchive, lifeTag, lifeUpdate, lifeDelete, lifeUpdate, lifeCreate, lifeBlock,
	lifeUpdate, lifeRequestDeletion, lifeNote, lifeCreate, lifePromote, lifeUpdate, lifeErase, lifeUntag,
	lifeCreate, lifeUpdate, lifeFailMerge, lifeCompany, lifeUnblock, lifeUpdate, lifeArchive, lifeUpdate,
}

// LiveHour has happen what an hour of life brings to contacts. The lock is held.
func (w *Book) LiveHour(base int64) {
	r := event.NewRNG(w.Setup.Seed, event.ForLife, 2, uint64(w.HoursLived))
	w.SpreadTurns(base, w.Setup.Contacts, func(at int64) {
		if op := lifeWeek[w.turns%len(lifeWeek)]; !op(w, r, at) {
			lifeUpdate(w, r, at)
		}
		w.turns++
	})
}

// DrawContact draws a contact that fits; a few tries in a small workspace may find none.
func (w *Book) DrawContact(r *event.RNG, fits func(c *Contact) bool) (int32, bool) {
	for range 200 {
		num := r.N(len(w.List))
		if fits(&w.List[num]) {
			return int32(num), true
		}
	}
	return 0, false
}

// IsActive reports whether search returns a contact.
func IsActive(c *Contact) bool { return c.Status == Active }

func isActiveLead(c *Contact) bool { return c.Status == Active && !c.Doc.User }

func isActiveUser(c *Contact) bool { return c.Status == Active && c.Doc.User }

func has(s Status) func(c *Contact) bool {
	return func(c *Contact) bool { return c.Status == s && c.Listed }
}

// lifeEvent logs an event about a drawn contact.
func (w *Book) lifeEvent(r *event.RNG, fits func(c *Contact) bool, e event.ContactEvent) bool {
	num, ok := w.DrawContact(r, fits)
	if ok {
		e.Contact = num
		w.Record(e)
	}
	return ok
}

func lifeCreate(w *Book, r *event.RNG, at int64) bool {
	_, err := w.create(at, w.Maker.Contact(len(w.List), at, at, r.Chance(0.5)), nil)
	return err == nil
}

func lifeUpdate(w *Book, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, IsActive, event.ContactEvent{At: at, Kind: event.Updated, Set: population.DrawChanges(r, at)})
}

func lifeTag(w *Book, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, IsActive, event.ContactEvent{At: at, Kind: event.Tagged, Other: int32(r.N(event.TagCount))})
}

func lifeUntag(w *Book, r *event.RNG, at int64) bool {
	num, ok := w.DrawContact(r, func(c *Contact) bool { return c.Status == Active && len(c.Doc.Tags) > 0 })
	if !ok {
		return false
	}
	tags := w.List[num].Doc.Tags
	w.Record(event.ContactEvent{At: at, Kind: event.Untagged, Contact: num, Other: tags[r.N(len(tags))], Quiet: w.K().QuietUntag})
	return true
}

func lifeNote(w *Book, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, IsActive, event.ContactEvent{At: at, Kind: event.Noted, Other: w.NextNote(), Text: "<p>" + r.Text(population.NoteWords) + "</p>"})
}

func lifeCompany(w *Book, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, IsActive, event.ContactEvent{At: at, Kind: event.CompanyAttached, Other: int32(r.N(w.Maker.Companies))})
}

func lifePromote(w *Book, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, isActiveLead, event.ContactEvent{At: at, Kind: event.RoleChanged, User: true})
}

func lifeMerge(w *Book, r *event.RNG, at int64) bool {
	into, ok := w.DrawContact(r, isActiveUser)
	return ok && w.lifeEvent(r, isActiveLead, event.ContactEvent{At: at, Kind: event.Merged, Other: into})
}

func lifeFailMerge(w *Book, r *event.RNG, at int64) bool {
	into, ok := w.DrawContact(r, isActiveUser)
	return ok && w.lifeEvent(r, isActiveLead, event.ContactEvent{At: at, Kind: event.MergeFailed, Other: into, Text: r.Text(population.FailReasons)})
}

func lifeArchive(w *Book, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, IsActive, event.ContactEvent{At: at, Kind: event.Archived})
}

func lifeUnarchive(w *Book, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, has(Archived), event.ContactEvent{At: at, Kind: event.Unarchived, Quiet: w.K().QuietReturns.Draw(r)})
}

func lifeBlock(w *Book, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, IsActive, event.ContactEvent{At: at, Kind: event.Blocked})
}

func lifeUnblock(w *Book, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, has(Blocked), event.ContactEvent{At: at, Kind: event.Unblocked, Quiet: w.K().QuietReturns.Draw(r)})
}

func lifeDelete(w *Book, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, IsActive, event.ContactEvent{At: at, Kind: event.Deleted, Listed: w.K().ListDeletes.Lists(len(w.ContactLog))})
}

func lifeRequestDeletion(w *Book, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, IsActive, event.ContactEvent{At: at, Kind: event.DeletionRequested})
}

func lifeErase(w *Book, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, has(PendingDeletion), event.ContactEvent{At: at, Kind: event.Erased})
}
