package population

import (
	"slices"

	"aqueduck/internal/emulator/event"
)

// contactHistory draws what happened before hour 0: three years of contacts, those that are gone, and the events between.
type contactHistory struct {
	m       *Contacts
	start   int64
	active  int
	gone    int
	log     []event.ContactEvent
	created []int64             // by contact
	kinds   []event.ContactKind // by contact: how it left, or 0
}

// departures is the mix of inactive contacts, in hundredths.
var departures = []struct {
	kind  event.ContactKind
	share int
}{{event.Archived, 34}, {event.Merged, 30}, {event.Blocked, 10}, {event.DeletionRequested, 10}, {event.Erased, 16}}

// DrawContactLog gives the log up to hour 0, in the order of time, with at least the given number of activities.
func DrawContactLog(m *Contacts, start int64, contacts, inactive, activities int) []event.ContactEvent {
	p := &contactHistory{m: m, start: start, active: contacts, gone: inactive}
	p.planDepartures(contacts + inactive)
	for num := range p.created {
		p.drawContactEvents(num)
	}
	p.padActivities(activities)
	slices.SortStableFunc(p.log, func(a, b event.ContactEvent) int { return int(a.At - b.At) })
	return p.log
}

// planDepartures decides who is created when and who is gone: spread evenly, so that any part of the three years has all kinds.
func (p *contactHistory) planDepartures(total int) {
	p.created, p.kinds = make([]int64, total), make([]event.ContactKind, total)
	p.log = make([]event.ContactEvent, 0, total*2+16)
	r := event.NewRNG(p.m.Seed, event.ForLife)
	for num := range total {
		p.created[num] = p.start - event.Span + int64(float64(event.Span-2*event.Day)*(float64(num)+r.Float64())/float64(total))
	}
	var order []event.ContactKind
	for _, d := range departures {
		for range d.share {
			order = append(order, d.kind)
		}
	}
	for i := range p.gone {
		num := int((float64(i) + 0.5) / float64(p.gone) * float64(total))
		p.kinds[num] = order[(i*37)%len(order)] // 37: prime to 100, so that each kind comes early and late
	}
}

// drawContactEvents writes one contact's events. Contacts that left keep updated_at from before they left.
func (p *contactHistory) drawContactEvents(num int) {
	r := event.NewRNG(p.m.Seed, event.ForLife, uint64(num)+1)
	created, kind := p.created[num], p.kinds[num]
	user := r.Chance(0.65) && kind != event.Merged
	updated := p.drawUpdated(r, num, created)
	d := p.m.DrawContact(num, created, updated, user)
	// Most users began as leads; their role changed before they were last updated.
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

// drawUpdated draws the time of the last change. Three imports each touched hundreds of ten thousand contacts within one
// second: more than a page of equal times (trap T11).
func (p *contactHistory) drawUpdated(r *event.RNG, num int, created int64) int64 {
	bulk := p.start - event.Span + int64(1+num%3)*event.Span/4
	if created < bulk && r.Chance(0.18) {
		return bulk
	}
	x := r.Float64()
	return created + int64(float64(p.start-3600-created)*x*x)
}

func (p *contactHistory) addDeparture(r *event.RNG, num int, kind event.ContactKind, after int64) {
	at := r.TimeBetween(after+1, p.start-600)
	e := event.ContactEvent{At: at, Kind: kind, Contact: int32(num)}
	switch kind {
	case event.Merged:
		e.Other = p.drawMergeTarget(r, num)
		e.At = max(at, p.created[e.Other]+1)
		e.Quiet = true // the survivor's updated_at is drawn already
	case event.Erased:
		p.log = append(p.log, event.ContactEvent{At: max(after+1, at-30*event.Day), Kind: event.DeletionRequested, Contact: int32(num)})
		e.At++
	}
	p.log = append(p.log, e)
}

// drawMergeTarget is whom a lead was merged into: mostly an active contact, sometimes one that left since, or was itself merged.
func (p *contactHistory) drawMergeTarget(r *event.RNG, num int) int32 {
	for {
		to := r.IntN(len(p.created))
		switch {
		case to == num:
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

// padActivities adds merges that failed and contacts of long ago that were deleted and are listed nowhere, until the feed of
// activities is as long as wanted.
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
		d := p.m.DrawContact(num, created, created+3600, r.Chance(0.5))
		p.log = append(p.log,
			event.ContactEvent{At: created, Kind: event.Created, User: d.User, Contact: int32(num), Born: d},
			event.ContactEvent{At: r.TimeBetween(created+event.Day, p.start-event.Day), Kind: event.Deleted, Contact: int32(num)})
	}
}

// givesActivity says whether the feed of activities tells of an event.
func givesActivity(k event.ContactKind) bool {
	switch k {
	case event.Created, event.RoleChanged, event.Merged, event.MergeFailed, event.Deleted:
		return true
	}
	return false
}
