package emulator

import (
	"time"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// lifeOp is one thing that happens in an hour of life, drawn for a contact at a time. It says whether it could.
type lifeOp func(w *contactBook, r *event.RNG, at int64) bool

// lifeWeek is the order in which things happen, again and again: all kinds come within 32 turns, in the shares that
// a workspace knows.
var lifeWeek = [...]lifeOp{
	lifeCreate, lifeUpdate, lifeUntag, lifeUpdate, lifeMerge, lifeUpdate, lifeArchive, lifeCreate,
	lifeUpdate, lifeUnarchive, lifeTag, lifeUpdate, lifeDelete, lifeUpdate, lifeCreate, lifeBlock,
	lifeUpdate, lifeRequestDeletion, lifeNote, lifeCreate, lifePromote, lifeUpdate, lifeErase, lifeUntag,
	lifeCreate, lifeUpdate, lifeFailMerge, lifeCompany, lifeUnblock, lifeUpdate, lifeArchive, lifeUpdate,
}

// Live lets hours of life pass: about one contact in a hundred changes in six of them, and as many conversations. What
// happens is a function of the seed, of what was done before and of the hour's number. A clock of its own moves along;
// one that follows Config.Now is taken to have moved already.
func (w *world) Live(hours int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	base := w.base(hours)
	for range hours {
		w.happen(time.Unix(base, 0))
		// Nothing happens in the first second: the instant at which an hour ends belongs to that hour (TruthAt).
		w.liveHour(base + 1)
		base += 3600
		w.hours++
		if w.cfg.Now == nil {
			w.offset += time.Hour
		}
		w.stand(min(base, w.now()))
	}
	w.happen(time.Unix(base, 0))
}

func (w *world) liveHour(base int64) {
	w.hour(base)
	w.convHour(base)
	w.hourOfActs(base)
	w.hourOfCalls(base)
	w.hourOfConsultations(base)
	w.hourOfCompanies(base)
	w.hourOfContent(base)
	w.hourOfTickets(base)
}

// base is when the next hour of life begins. With a clock that follows Config.Now it is counted from Start, not read,
// so that two processes agree to the second; only a clock far ahead of it pulls it along.
func (w *world) base(hours int) int64 {
	if w.cfg.Now == nil {
		return w.now()
	}
	base := w.cfg.Start.Unix() + int64(w.hours)*3600
	if behind := w.now() - int64(hours)*3600; behind > base+3600 {
		base = behind
	}
	return max(base, w.events[len(w.events)-1].At+1)
}

func (w *contactBook) hour(base int64) {
	r := event.NewRNG(w.cfg.Seed, event.ForLife, 2, uint64(w.hours))
	w.turnsOf(base, w.cfg.Contacts, func(at int64) {
		if op := lifeWeek[w.turns%len(lifeWeek)]; !op(w, r, at) {
			lifeUpdate(w, r, at)
		}
		w.turns++
	})
}

// turnsOf has as many things happen in an hour as so many records of hour 0 see, at least one.
func (w *core) turnsOf(base int64, records int, turn func(at int64)) {
	turns := max(1, int(w.k().HourlyChange()*float64(records)))
	for i := range turns {
		turn(base + int64(i)*population.Busy/int64(turns))
	}
}

// someone draws a contact that fits; a few tries in a small workspace may find none.
func (w *contactBook) someone(r *event.RNG, fits func(c *contact) bool) (int32, bool) {
	for range 200 {
		num := r.N(len(w.contacts))
		if fits(&w.contacts[num]) {
			return int32(num), true
		}
	}
	return 0, false
}

func isActive(c *contact) bool     { return c.status == active }
func isActiveLead(c *contact) bool { return c.status == active && !c.doc.User }
func isActiveUser(c *contact) bool { return c.status == active && c.doc.User }

func has(s status) func(c *contact) bool {
	return func(c *contact) bool { return c.status == s && c.listed }
}

// lifeEvent logs an event about a drawn contact.
func (w *contactBook) lifeEvent(r *event.RNG, fits func(c *contact) bool, e event.ContactEvent) bool {
	num, ok := w.someone(r, fits)
	if ok {
		e.Contact = num
		w.record(e)
	}
	return ok
}

func lifeCreate(w *contactBook, r *event.RNG, at int64) bool {
	_, err := w.create(at, w.make.Contact(len(w.contacts), at, at, r.Chance(0.5)), nil)
	return err == nil
}

func lifeUpdate(w *contactBook, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, isActive, event.ContactEvent{At: at, Kind: event.Updated, Set: population.DrawChanges(r, at)})
}

func lifeTag(w *contactBook, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, isActive, event.ContactEvent{At: at, Kind: event.Tagged, Other: int32(r.N(event.TagCount))})
}

func lifeUntag(w *contactBook, r *event.RNG, at int64) bool {
	num, ok := w.someone(r, func(c *contact) bool { return c.status == active && len(c.doc.Tags) > 0 })
	if !ok {
		return false
	}
	tags := w.contacts[num].doc.Tags
	w.record(event.ContactEvent{At: at, Kind: event.Untagged, Contact: num, Other: tags[r.N(len(tags))], Quiet: w.k().QuietUntag})
	return true
}

func lifeNote(w *contactBook, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, isActive, event.ContactEvent{At: at, Kind: event.Noted, Other: w.nextNote(), Text: "<p>" + r.Text(population.NoteWords) + "</p>"})
}

func lifeCompany(w *contactBook, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, isActive, event.ContactEvent{At: at, Kind: event.CompanyAttached, Other: int32(r.N(w.make.Companies))})
}

func lifePromote(w *contactBook, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, isActiveLead, event.ContactEvent{At: at, Kind: event.RoleChanged, User: true})
}

func lifeMerge(w *contactBook, r *event.RNG, at int64) bool {
	into, ok := w.someone(r, isActiveUser)
	return ok && w.lifeEvent(r, isActiveLead, event.ContactEvent{At: at, Kind: event.Merged, Other: into})
}

func lifeFailMerge(w *contactBook, r *event.RNG, at int64) bool {
	into, ok := w.someone(r, isActiveUser)
	return ok && w.lifeEvent(r, isActiveLead, event.ContactEvent{At: at, Kind: event.MergeFailed, Other: into, Text: r.Text(population.FailReasons)})
}

func lifeArchive(w *contactBook, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, isActive, event.ContactEvent{At: at, Kind: event.Archived})
}

func lifeUnarchive(w *contactBook, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, has(archived), event.ContactEvent{At: at, Kind: event.Unarchived, Quiet: w.k().QuietReturns.Draw(r)})
}

func lifeBlock(w *contactBook, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, isActive, event.ContactEvent{At: at, Kind: event.Blocked})
}

func lifeUnblock(w *contactBook, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, has(blocked), event.ContactEvent{At: at, Kind: event.Unblocked, Quiet: w.k().QuietReturns.Draw(r)})
}

func lifeDelete(w *contactBook, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, isActive, event.ContactEvent{At: at, Kind: event.Deleted, Listed: w.k().ListDeletes.Lists(len(w.events))})
}

func lifeRequestDeletion(w *contactBook, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, isActive, event.ContactEvent{At: at, Kind: event.DeletionRequested})
}

func lifeErase(w *contactBook, r *event.RNG, at int64) bool {
	return w.lifeEvent(r, has(pendingDeletion), event.ContactEvent{At: at, Kind: event.Erased})
}
