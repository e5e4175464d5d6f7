package contacts

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// lifeOp is one simulated operation on a drawn contact at a time. It returns false when no contact fits.
type lifeOp func(w *Book, r *event.RNG, at int64) bool

// lifeWeek is the order of simulated operations, repeated. Every kind comes within 32 turns, in the shares of a real workspace.
var lifeWeek = [...]lifeOp{
	lifeCreate, lifeUpdate, lifeUntag, lifeUpdate, lifeMerge, lifeUpdate, lifeArchive, lifeCreate,
	lifeUpdate, lifeUnarchive, lifeTag, lifeUpdate, lifeDelete, lifeUpdate, lifeCreate, lifeBlock,
	lifeUpdate, lifeRequestDeletion, lifeNote, lifeCreate, lifePromote, lifeUpdate, lifeErase, lifeUntag,
	lifeCreate, lifeUpdate, lifeFailMerge, lifeCompany, lifeUnblock, lifeUpdate, lifeArchive, lifeUpdate,
}

// SimulateContactsHour carries out the operations of a simulated hour on contacts. The caller holds the lock.
func (w *Book) SimulateContactsHour(base int64) {
	r := event.NewRNG(w.Setup.Seed, event.ForLife, 2, uint64(w.HoursLived))
	w.SpreadTurns(base, w.Setup.Contacts, func(at int64) {
		if op := lifeWeek[w.turns%len(lifeWeek)]; !op(w, r, at) {
			lifeUpdate(w, r, at)
		}
		w.turns++
	})
}

// NoteReply notes that somebody wrote in a conversation at a time, if it is an active contact. One that was seen before was there then. Events of an hour
// that is simulated at once are logged after those that were drawn before, so updated_at may be later. The caller holds the lock.
func (w *Book) NoteReply(id string, at int64) {
	if num, known := w.ByID[id]; known && IsActive(&w.List[num]) {
		logged := max(at, w.ContactLog[len(w.ContactLog)-1].At)
		set := []event.FieldChange{{Field: "last_replied_at", Value: at}}
		if w.List[num].Doc.LastSeen != 0 {
			set = append(set, event.FieldChange{Field: "last_seen_at", Value: at})
		}
		w.RecordContactEvent(event.ContactEvent{At: logged, Kind: event.Updated, Contact: num, Set: set})
	}
}

// DrawContact draws a contact that fits. After 200 tries it gives up, as a small workspace may have none.
func (w *Book) DrawContact(r *event.RNG, fits func(c *StoredContact) bool) (int32, bool) {
	for range 200 {
		num := r.IntN(len(w.List))
		if fits(&w.List[num]) {
			return int32(num), true
		}
	}
	return 0, false
}

// IsActive reports whether a contact is active, so that search returns it.
func IsActive(c *StoredContact) bool { return c.Status == Active }

func isActiveLead(c *StoredContact) bool { return c.Status == Active && !c.Doc.User }

func isActiveUser(c *StoredContact) bool { return c.Status == Active && c.Doc.User }

func hasStatus(s Status) func(c *StoredContact) bool {
	return func(c *StoredContact) bool { return c.Status == s && c.Listed }
}

// lifeEvent logs an event about a drawn contact.
func (w *Book) lifeEvent(r *event.RNG, fits func(c *StoredContact) bool, e event.ContactEvent) bool {
	num, ok := w.DrawContact(r, fits)
	if ok {
		e.Contact = num
		w.RecordContactEvent(e)
	}
	return ok
}

func lifeCreate(w *Book, r *event.RNG, at int64) bool {
	users := 0.5
	if s := w.Setup.Origin.Script; s != nil {
		if users = 0.1; !r.Chance(s.Busy(at) / 4) { // as many come as before hour 0, and as they did
			return false
		}
	}
	_, err := w.createDrawn(at, w.Maker.DrawContact(len(w.List), at, at, r.Chance(users)), nil)
	return err == nil
}

func lifeUpdate(w *Book, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, IsActive, event.ContactEvent{At: at, Kind: event.Updated, Set: w.Maker.DrawChanges(r, at)})
}

func lifeTag(w *Book, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, IsActive, event.ContactEvent{At: at, Kind: event.Tagged, Other: int32(r.IntN(w.Setup.Cast.TagCount))})
}

func lifeUntag(w *Book, r *event.RNG, at int64) bool {
	num, ok := w.DrawContact(r, func(c *StoredContact) bool { return c.Status == Active && len(c.Doc.Tags) > 0 })
	if !ok {
		return false
	}
	tags := w.List[num].Doc.Tags
	w.RecordContactEvent(event.ContactEvent{At: at, Kind: event.Untagged, Contact: num, Other: tags[r.IntN(len(tags))], Quiet: w.K().QuietUntag})
	return true
}

func lifeNote(w *Book, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, IsActive, event.ContactEvent{At: at, Kind: event.Noted, Other: w.NextNote(), Text: w.Maker.DrawNote(r)})
}

func lifeCompany(w *Book, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, IsActive, event.ContactEvent{At: at, Kind: event.CompanyAttached, Other: int32(r.IntN(w.Maker.Companies))})
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
	return ok && w.lifeEvent(r, isActiveLead, event.ContactEvent{At: at, Kind: event.MergeFailed, Other: into, Text: r.PickText(population.FailReasons)})
}

func lifeArchive(w *Book, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, IsActive, event.ContactEvent{At: at, Kind: event.Archived})
}

func lifeUnarchive(w *Book, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, hasStatus(Archived), event.ContactEvent{At: at, Kind: event.Unarchived, Quiet: w.K().QuietReturns.ShouldHappen(r)})
}

func lifeBlock(w *Book, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, IsActive, event.ContactEvent{At: at, Kind: event.Blocked})
}

func lifeUnblock(w *Book, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, hasStatus(Blocked), event.ContactEvent{At: at, Kind: event.Unblocked, Quiet: w.K().QuietReturns.ShouldHappen(r)})
}

func lifeDelete(w *Book, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, IsActive, event.ContactEvent{At: at, Kind: event.Deleted, Listed: w.K().ListDeletes.ShouldList(len(w.ContactLog))})
}

func lifeRequestDeletion(w *Book, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, IsActive, event.ContactEvent{At: at, Kind: event.DeletionRequested})
}

func lifeErase(w *Book, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, hasStatus(PendingDeletion), event.ContactEvent{At: at, Kind: event.Erased})
}
