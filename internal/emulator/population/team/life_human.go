package team

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// queue routes the talk to a team, whose teammates answer by their hours.
func (l *life) queue() {
	from := l.now
	l.team = topics[l.subject].team
	l.now += 1 + int64(l.r.IntN(4))
	answer := l.firstAnswer(l.now)
	l.me = l.s.onDuty(l.r, l.team, answer)
	switch x := l.r.Float64(); {
	case x < 0.5:
		l.charge = l.me
		l.assign(event.Assigned{As: event.AssignTeamAndTeammate, Team: teams[l.team].ID, Admin: everyone[l.me].ID}, event.Bot, "")
	case x < 0.95:
		l.assign(event.Assigned{As: event.AssignTeam, Team: teams[l.team].ID}, event.Bot, "")
	default:
		l.team = -1
	}
	if l.r.Chance(0.03) { // the customer needs no answer any more
		if at := l.now + 600 + int64(l.r.IntN(1800)); at < answer {
			l.now = at
			l.says(l.of.thanks)
			l.now += 300
			l.close(event.Bot, "")
			return
		}
	}
	if l.r.Chance(0.08) { // the customer asks again before anybody answers
		if at := l.now + spread(l.r, 25*60, 4*3600); at < answer-60 {
			l.now = at
			l.says(l.of.nudge)
		}
	}
	l.now = max(answer, l.now+30)
	if l.charge < 0 && l.r.Chance(0.76) {
		l.charge = l.me
		l.now -= 20
		l.assign(event.Assigned{As: event.AssignTeammate, Admin: everyone[l.me].ID}, population.AdminAuthor(everyone[l.me]), "")
		l.now += 20
	}
	l.waited = l.now - from
	l.converse()
}

// answerAll goes on where the customer wrote to a teammate who is in charge already.
func (l *life) answerAll(from int64) {
	l.now = l.firstAnswer(from)
	l.waited = l.now - from
	l.converse()
}

// firstAnswer draws when a teammate answers first: by the hours, the channel, and faster where a service level applies.
func (l *life) firstAnswer(from int64) int64 {
	median, p90 := 7.5*60, 60.0*60
	if l.slow {
		median, p90 = 0.9*3600, 7*3600
	}
	if l.level == nil && l.r.Chance(0.28) {
		l.level = &serviceLevel{name: "First answer in 4 h", within: 4 * 3600, from: from}
		if !l.slow && l.r.Chance(0.35) {
			l.level = &serviceLevel{name: "Gold: first answer in 1 h", within: 3600, from: from}
		}
	}
	seconds := min(20+spread(l.r, median, p90), 26*3600)
	if l.level != nil && seconds > l.level.within && l.r.Chance(0.45) { // those come first
		seconds = l.level.within * int64(40+l.r.IntN(55)) / 100
	}
	return l.work(from, seconds)
}

// work returns when a task that takes so many seconds of work is done. Outside the office hours the teammate on duty does some of it at once. The rest
// stands in the morning's queue.
func (l *life) work(from, seconds int64) int64 {
	if isOpen(from) {
		return afterOffice(from, seconds)
	}
	if isOnDuty(from) && l.r.Chance(dutyShare) {
		if at := from + min(seconds, 2*3600); isOnDuty(at) {
			return at
		}
	}
	return afterOffice(from, seconds+int64(l.r.IntN(3600)))
}

// dutyShare is how much of what comes to the teammate on duty is done then.
const dutyShare = 0.44

// converse writes the teammate's answers and what the customer says to them, until the end.
func (l *life) converse() {
	if l.r.Chance(0.1) {
		l.now -= 15
		l.add(event.Part{Type: "note", Author: population.AdminAuthor(everyone[l.me]), Body: "<p>" + l.r.PickText(notes) + "</p>"})
		l.now += 15
	}
	rounds := 1 + pick(l.r, 42, 27, 14, 7, 4.5, 2.5, 1.5, 1, 0.7, 0.5, 0.3)
	for turn := range rounds {
		if turn > 0 {
			l.now = l.work(l.now, 20+l.laterAnswer())
		}
		switch last := turn == rounds-1; {
		case turn == 0 && !last && l.r.Chance(0.6):
			l.reply(l.of.details)
		default:
			l.reply(l.answer())
		}
		if turn == 0 && l.r.Chance(0.12) {
			l.transfer()
		}
		if turn < rounds-1 {
			l.customerWaits()
			l.says([][]string{l.of.given, l.about.more}[l.r.IntN(2)])
		}
	}
	if l.channel == messenger && l.r.Chance(0.012) { // they talk instead
		l.now += 60
		l.call(l.r.Chance(0.6), true)
	}
	if l.r.Chance(0.02) { // the developers have to repair something first
		l.reply(l.of.waits)
		l.now = l.work(l.now+int64(4+l.r.IntN(14))*event.Day, 600)
		l.reply(l.answer())
	}
	if l.r.Chance(0.37) {
		l.snooze()
	}
	l.finish()
}

// laterAnswer draws how many seconds of work a later answer takes.
func (l *life) laterAnswer() int64 {
	if l.slow {
		return min(spread(l.r, 1.1*3600, 3.6*3600), 12*3600)
	}
	return min(spread(l.r, 5.5*60, 35*60), 8*3600)
}

// customerWaits lets pass what a customer takes to answer. Many customers write in their own office hours.
func (l *life) customerWaits() {
	if l.slow {
		l.now += 60 + min(spread(l.r, 2*3600, 20*3600), 6*event.Day)
	} else {
		l.now += 15 + min(spread(l.r, 3*60, 30*60), 3*event.Day)
	}
	l.inOffice()
}

// inOffice moves much of what a customer would write outside the office hours to the next morning.
func (l *life) inOffice() {
	if !isOpen(l.now) && l.r.Chance(0.6) {
		l.now = afterOffice(l.now, int64(l.r.IntN(2*3600)))
	}
}

// transfer passes the talk on to another team, sometimes with the answer in the same part.
func (l *life) transfer() {
	to := (max(0, l.team) + 1 + l.r.IntN(2)) % len(teams)
	l.now += 40
	by, words := population.AdminAuthor(everyone[l.me]), ""
	if l.r.Chance(0.3) {
		words = l.say(l.r, l.of.waits[:1], l.meName())
	}
	if l.charge >= 0 {
		l.assign(event.Assigned{As: event.RemoveTeammate}, by, "")
		l.now += 5
	}
	l.team = to
	l.assign(event.Assigned{As: event.AssignTeam, Team: teams[to].ID}, by, words)
	l.now = l.work(l.now, 60+l.laterAnswer())
	l.me = l.s.onDuty(l.r, to, l.now)
	l.charge = l.me
	l.assign(event.Assigned{As: event.AssignTeammate, Admin: everyone[l.me].ID}, population.AdminAuthor(everyone[l.me]), "")
	l.now += 45
	l.reply(l.answer())
}

// snooze lets the talk rest. It wakes by itself, or when the customer writes.
func (l *life) snooze() {
	l.now += 30
	days := 1 + l.r.IntN(3)
	if l.r.Chance(0.11) {
		days = 7 + l.r.IntN(11)
	}
	l.add(event.Part{Type: "comment", Author: population.AdminAuthor(everyone[l.me]), Body: l.say(l.r, l.of.waits, l.meName())})
	l.state = "snoozed"
	l.now += 4
	until := afterOffice(l.now+int64(days)*event.Day, 600)
	l.add(event.Part{Type: "snoozed", Author: population.AdminAuthor(everyone[l.me]), Until: until})
	if at := l.now + spread(l.r, 8*3600, 40*3600); at < until && l.r.Chance(0.25) {
		l.now = at
		l.says(l.of.nudge)
		l.now = l.work(l.now, 20+l.laterAnswer())
		l.reply(l.answer())
		return
	}
	l.now, l.state = until, "open"
	l.add(event.Part{Type: "open", Author: event.Bot})
	l.now = l.work(l.now, 300+l.laterAnswer())
	l.reply(l.answer())
}

// finish ends the talk: the customer is content or silent, and a teammate closes it.
func (l *life) finish() {
	by := population.AdminAuthor(everyone[l.me])
	if l.r.Chance(map[bool]float64{true: 0.3, false: 0.62}[l.slow]) {
		l.customerWaits()
		l.says(l.of.thanks)
		l.now = l.work(l.now, 30+l.laterAnswer()/2)
		if l.r.Chance(0.18) { // nobody answers the thanks
			l.close(by, "")
			l.closed(true)
			return
		}
		if l.r.Chance(0.06) { // the last words come with the close
			l.close(by, l.say(l.r, l.of.closing, by.Name))
			l.closed(true)
			return
		}
		l.reply(l.of.closing)
		l.now += []int64{0, 5, 40, 300}[pick(l.r, 2, 48, 32, 18)]
		l.close(by, "")
		l.closed(true)
		return
	}
	switch {
	case l.slow && l.r.Chance(0.65): // an e-mail is closed as it is answered
		l.now += []int64{0, 1, 3}[pick(l.r, 4, 48, 48)]
	case l.slow:
		l.now = afterOffice(l.now+event.Day, spread(l.r, 3*3600, 12*3600))
	case l.r.Chance(0.25): // somebody waits a day for an answer
		l.now = afterOffice(l.now+event.Day, spread(l.r, 1800, 2*3600))
	default:
		l.now = l.work(l.now, spread(l.r, 15*60, 90*60))
	}
	if l.r.Chance(0.04) {
		l.close(by, l.say(l.r, l.of.closing[len(l.of.closing)-1:], by.Name))
	} else {
		l.close(by, "")
	}
	l.closed(true)
}

// closed goes on after a close: a rating, or the customer comes back.
func (l *life) closed(byTeammate bool) {
	if l.r.Chance(0.108) && l.now < l.at+20*event.Day {
		l.now += min(spread(l.r, 8*3600, 48*3600), 9*event.Day)
		l.inOffice()
		l.says(l.of.again)
		if !byTeammate {
			l.queue()
			return
		}
		if l.r.Chance(0.1) { // it is taken on and opened in one part
			l.now = l.work(l.now, 60+l.laterAnswer())
			l.add(event.Part{Type: "note", Author: population.AdminAuthor(everyone[l.me]), Body: "<p>" + l.r.PickText(notes) + "</p>"})
		}
		l.now = l.work(l.now, 60+l.laterAnswer())
		l.reply(l.answer())
		l.finish()
		return
	}
	l.rate()
}

// rate asks for a rating, which some customers give. They are less content the longer they waited.
func (l *life) rate() {
	if !l.r.Chance(0.46) || len(l.born.Contacts) == 0 {
		return
	}
	l.asked, l.askFor = l.now+20+int64(l.r.IntN(40)), event.Rating{By: "workflow"}
	good := 0.82
	if l.human {
		l.askFor = event.Rating{By: "admin", Admin: everyone[l.me].ID}
		good = 0.92 + satisfaction[l.me]
		switch hours := l.waited / 3600; {
		case hours >= 24:
			good -= 0.2
		case hours >= 4:
			good -= 0.08
		}
	}
	if !l.r.Chance(0.24) {
		return
	}
	at := l.asked + 20 + spread(l.r, 8*60, 8*3600)
	stars := l.stars(good)
	l.rating = &event.Rating{Stars: stars, Remark: l.remarkOf(l.r, stars), Created: at, Updated: at, Contact: l.born.Contacts[0], By: l.askFor.By, Admin: l.askFor.Admin}
}
