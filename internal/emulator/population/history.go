package population

import (
	"math"
	"slices"

	"aqueduck/internal/emulator/event"
)

// contactHistory draws the three years of contacts before hour 0: active contacts, inactive ones, and the events between.
type contactHistory struct {
	m        *Contacts
	start    int64
	active   int
	departed int
	log      []event.ContactEvent
	created  []int64             // by contact
	kinds    []event.ContactKind // by contact: how it became inactive, or 0
}

// departures are the kinds of inactive contacts, with their shares in percent.
var departures = []struct {
	kind  event.ContactKind
	share int
}{{event.Archived, 34}, {event.Merged, 30}, {event.Blocked, 10}, {event.DeletionRequested, 10}, {event.Erased, 16}}

// DrawContactLog returns the log up to hour 0, in the order of time, with at least the given number of activities.
func DrawContactLog(m *Contacts, start int64, contacts, inactive, activities int) []event.ContactEvent {
	p := &contactHistory{m: m, start: start, active: contacts, departed: inactive}
	p.planDepartures(contacts + inactive)
	for num := range p.created {
		p.drawContactEvents(num)
	}
	p.padActivities(activities)
	slices.SortStableFunc(p.log, func(a, b event.ContactEvent) int { return int(a.At - b.At) })
	return p.log
}

// planDepartures decides when contacts are created and which become inactive. Both are spread evenly, so any part of the three years has all
// kinds.
func (p *contactHistory) planDepartures(total int) {
	p.created, p.kinds = make([]int64, total), make([]event.ContactKind, total)
	p.log = make([]event.ContactEvent, 0, total*2+16)
	r := event.NewRNG(p.m.Seed, event.ForLife)
	for num := range total {
		p.created[num] = p.start - event.Span + int64(float64(event.Span-2*event.Day)*(float64(num)+r.Float64())/float64(total))
		if p.m.Script != nil {
			p.created[num] = p.m.Script.Arrival(p.created[num])
		}
	}
	var order []event.ContactKind
	for _, d := range departures {
		for range d.share {
			order = append(order, d.kind)
		}
	}
	for i := range p.departed {
		place := (float64(i) + 0.5) / float64(p.departed)
		if p.m.Script != nil {
			place = p.m.Script.DepartedPlace(place)
		}
		num := int(place * float64(total))
		for p.kinds[num] != 0 { // the one after it, when many of an age have left
			num = (num + 1) % total
		}
		p.kinds[num] = order[(i*37)%len(order)] // 37 is prime to 100, so each kind comes early and late
	}
}

// drawContactEvents writes one contact's events. A contact that became inactive keeps its earlier updated_at.
func (p *contactHistory) drawContactEvents(num int) {
	r := event.NewRNG(p.m.Seed, event.ForLife, uint64(num)+1)
	created, kind := p.created[num], p.kinds[num]
	user := r.Chance(0.65) && kind != event.Merged
	updated := p.drawUpdated(r, num, created)
	d := p.m.DrawContact(num, created, updated, user)
	// Most users began as leads; their role changed before their last update.
	began := user
	if user && updated > created+2 && r.Chance(0.85) {
		began = false
	}
	p.log = append(p.log, event.ContactEvent{At: created, Kind: event.Created, User: began, Contact: int32(num), Born: d})
	if began != user {
		p.log = append(p.log, event.ContactEvent{At: r.TimeBetween(created+1, updated), Kind: event.RoleChanged, User: true, Quiet: true, Contact: int32(num)})
	}
	if kind != 0 {
		p.addDeparture(r, num, kind, updated)
	}
}

// drawUpdated draws the time of the last change. Three imports each changed hundreds of ten thousand contacts within one second: more than a
// page of equal times (trap T11).
func (p *contactHistory) drawUpdated(r *event.RNG, num int, created int64) int64 {
	if p.m.Script != nil {
		return p.m.Script.LastVisit(r, created, p.kinds[num] != 0)
	}
	bulk := p.start - event.Span + int64(1+num%3)*event.Span/4
	if created < bulk && r.Chance(0.18) {
		return bulk
	}
	x := r.Float64()
	return created + int64(float64(p.start-3600-created)*x*x)
}

func (p *contactHistory) addDeparture(r *event.RNG, num int, kind event.ContactKind, after int64) {
	latest, older := p.start-600, int64(math.MaxInt64)
	if p.m.Script != nil { // who leaves does so soon after the last visit
		latest = max(after+2, min(latest, after+21*event.Day))
	}
	at := r.TimeBetween(after+1, latest)
	if p.m.Script != nil {
		at = min(max(after+1, p.m.Script.HourOfDay(at)), p.start-600)
		older = at
	}
	e := event.ContactEvent{At: at, Kind: kind, Contact: int32(num)}
	switch kind {
	case event.Merged:
		e.Other = p.drawMergeTarget(r, num, older)
		e.At = max(at, p.created[e.Other]+1)
		e.Quiet = true // the survivor's updated_at is drawn already
	case event.Erased:
		p.log = append(p.log, event.ContactEvent{At: max(after+1, at-30*event.Day), Kind: event.DeletionRequested, Contact: int32(num)})
		e.At++
	}
	p.log = append(p.log, e)
}

// drawMergeTarget draws the target of a merge: mostly an active contact, sometimes one that became inactive later or was itself merged. It was created
// before a time, unless nobody fits.
func (p *contactHistory) drawMergeTarget(r *event.RNG, num int, older int64) int32 {
	for tries := 0; ; tries++ {
		to := r.IntN(len(p.created))
		switch {
		case to == num, tries < 100 && p.created[to] >= older:
		case p.kinds[to] == event.Merged:
			// Only towards older contacts, so that chains end.
			if to < num && r.Chance(0.3) {
				return int32(to)
			}
		case p.kinds[to] == 0 || p.kinds[to] == event.Archived:
			return int32(to)
		}
	}
}

// padActivities adds failed merges and early deletions that no list shows, until the activity feed has the wanted length.
func (p *contactHistory) padActivities(activities int) {
	have := 0
	for _, e := range p.log {
		if givesActivity(e.Kind) {
			have++
		}
	}
	r := event.NewRNG(p.m.Seed, event.ForLife, 0, 1)
	missing := max(0, activities-have)
	for range missing/10 + p.active/200 {
		from, to := r.IntN(len(p.created)), r.IntN(len(p.created))
		at := r.TimeBetween(max(p.created[from], p.created[to])+1, p.start)
		p.log = append(p.log, event.ContactEvent{At: at, Kind: event.MergeFailed, Contact: int32(from), Other: int32(to), Text: r.PickText(FailReasons)})
	}
	total := len(p.created)
	for i := range missing/2 + 1 {
		num := total + i
		created := r.TimeBetween(p.start-event.Span, p.start-30*event.Day)
		deleted := int64(0)
		if p.m.Script != nil {
			created, deleted = p.m.Script.Stay(r)
		}
		d := p.m.DrawContact(num, created, created+3600, r.Chance(0.5))
		if deleted == 0 {
			deleted = r.TimeBetween(created+event.Day, p.start-event.Day)
		}
		p.log = append(p.log,
			event.ContactEvent{At: created, Kind: event.Created, User: d.User, Contact: int32(num), Born: d},
			event.ContactEvent{At: deleted, Kind: event.Deleted, Contact: int32(num)})
	}
}

// givesActivity reports whether the activity feed contains events of a kind.
func givesActivity(k event.ContactKind) bool {
	switch k {
	case event.Created, event.RoleChanged, event.Merged, event.MergeFailed, event.Deleted:
		return true
	}
	return false
}
