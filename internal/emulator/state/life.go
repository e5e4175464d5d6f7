package state

import "time"

// Live lets hours of life pass: about one contact in a hundred changes in six of them, and as many conversations. What
// happens is a function of the seed, of what was done before and of the hour's number. A clock of its own moves along;
// one that follows Config.Now is taken to have moved already.
func (w *World) Live(hours int) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	base := w.base(hours)
	for range hours {
		w.RunDue(time.Unix(base, 0))
		// Nothing happens in the first second: the instant at which an hour ends belongs to that hour (TruthAt).
		w.liveHour(base + 1)
		base += 3600
		w.HoursLived++
		w.MoveClock(time.Hour)
		w.NoteTerms(min(base, w.Now()))
	}
	w.RunDue(time.Unix(base, 0))
}

func (w *World) liveHour(base int64) {
	w.Contacts.LiveHour(base)
	w.Conversations.LiveHour(base)
	w.AdminLog.LiveHour(base)
	w.Calls.LiveHour(base)
	w.LiveHourOfConsultations(base)
	w.Companies.LiveHour(base)
	w.Content.LiveHour(base)
	w.Tickets.LiveHour(base)
}

// base is when the next hour of life begins. With a clock that follows Config.Now it is counted from Start, not read,
// so that two processes agree to the second; only a clock far ahead of it pulls it along.
func (w *World) base(hours int) int64 {
	if w.Setup.Now == nil {
		return w.Now()
	}
	base := w.Setup.Start.Unix() + int64(w.HoursLived)*3600
	if behind := w.Now() - int64(hours)*3600; behind > base+3600 {
		base = behind
	}
	return max(base, w.ContactLog[len(w.ContactLog)-1].At+1)
}
