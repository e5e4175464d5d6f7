package state

import "time"

// SimulateHours simulates hours: in six of them about one contact in a hundred changes, and as many conversations. What happens is a function
// of the seed, of everything done before and of the hour's number. The workspace's own clock moves along; one that follows Setup.Now must have
// moved already. A workspace that lives by its clock only moves that.
func (w *World) SimulateHours(hours int) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	if w.Lives() {
		w.MoveClock(time.Duration(hours) * time.Hour)
		w.RunDue(w.TimeHeld())
		return
	}
	base := w.nextHourStart(hours)
	for range hours {
		w.RunDue(time.Unix(base, 0))
		// Nothing happens in the first second: the instant at which an hour ends belongs to that hour (TruthAt).
		w.liveHour(base + 1)
		base += 3600
		w.HoursLived++
		w.MoveClock(time.Hour)
		w.NoteTerms(min(base, w.UnixNow()))
	}
	w.RunDue(time.Unix(base, 0))
}

// Live lets each hour pass by the clock, from hour 0 on. What happens in an hour happens at its time: whoever reads in between sees the part
// that has happened. It is a function of the seed, of the hour's number and of what was done before, however late the hours are caught up with.
func (w *World) Live() {
	w.Core.Live(w.Setup.Start, func(at int64) { w.liveHour(at + 1) }, w.NoteTerms)
}

func (w *World) liveHour(base int64) {
	w.Contacts.SimulateContactsHour(base)
	if w.Setup.Origin.Script != nil {
		w.playHour(base)
		w.Companies.SimulateCompaniesHour(base)
		w.Content.SimulateContentHour(base)
		return
	}
	w.Conversations.SimulateThreadsHour(base)
	w.AdminLog.SimulateAdminHour(base)
	w.Calls.SimulateCallsHour(base)
	w.SimulateConsultations(base)
	w.Companies.SimulateCompaniesHour(base)
	w.Content.SimulateContentHour(base)
	w.Tickets.SimulateTicketsHour(base)
}

// nextHourStart returns when the next simulated hour begins. With an outside clock it counts from Start instead of reading the clock, so that
// two processes agree to the second. Only a clock far ahead moves it.
func (w *World) nextHourStart(hours int) int64 {
	if w.Setup.Now == nil {
		return w.UnixNow()
	}
	base := w.Setup.Start.Unix() + int64(w.HoursLived)*3600
	if behind := w.UnixNow() - int64(hours)*3600; behind > base+3600 {
		base = behind
	}
	return max(base, w.ContactLog[len(w.ContactLog)-1].At+1)
}
