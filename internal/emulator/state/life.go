package state

import "time"

// SimulateHours lets hours of life pass: about one contact in a hundred changes in six of them, and as many conversations. What
// happens is a function of the seed, of what was done before and of the hour's number. A clock of its own moves along;
// one that follows Config.Now is taken to have moved already.
func (w *World) SimulateHours(hours int) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
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

func (w *World) liveHour(base int64) {
	w.Contacts.SimulateContactsHour(base)
	w.Conversations.SimulateThreadsHour(base)
	w.AdminLog.SimulateAdminHour(base)
	w.Calls.SimulateCallsHour(base)
	w.SimulateConsultations(base)
	w.Companies.SimulateCompaniesHour(base)
	w.Content.SimulateContentHour(base)
	w.Tickets.SimulateTicketsHour(base)
}

// nextHourStart is when the next hour of life begins. With a clock that follows Config.Now it is counted from Start, not read,
// so that two processes agree to the second; only a clock far ahead of it pulls it along.
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
