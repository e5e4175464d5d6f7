package team

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// phone is a talk that begins with a call, of the customer or, outbound, of a teammate. A call that nobody took is followed by one back.
func (l *life) phone(outbound bool) {
	l.at = l.work(l.at, 0)
	l.now, l.born.Source.Body = l.at, ""
	l.team = topics[l.subject].team
	if !outbound {
		l.me = l.s.onDuty(l.r, l.team, l.now)
	}
	l.charge = l.me
	l.now++
	l.assign(event.Assigned{As: event.AssignTeamAndTeammate, Team: teams[l.team].ID, Admin: everyone[l.me].ID}, event.Bot, "")
	if !l.call(outbound, l.r.Chance(0.87)) {
		l.now = l.work(l.now, spread(l.r, 25*60, 3*3600))
		l.call(true, true)
	}
	l.human, l.waited = true, 0
	by := population.AdminAuthor(everyone[l.me])
	if l.r.Chance(0.5) {
		l.now = l.work(l.now, 120+spread(l.r, 10*60, 3600))
		l.reply(l.answer())
	} else {
		l.now = l.work(l.now, 60)
		l.add(event.Part{Type: "note", Author: by, Body: "<p>" + l.r.PickText(notes) + "</p>"})
	}
	l.now += 60 + spread(l.r, 300, 3600)
	l.close(by, "")
	l.closed(true)
}

// CallLines returns the transcript of a call.
func (s *Script) CallLines(call int32) []event.TranscriptLine {
	r := event.NewRNG(s.seed, forDialogue, 1<<40, uint64(call))
	about := &english.topics[s.drawTopic(r)]
	var list []event.TranscriptLine
	at := 0.5
	for _, one := range []struct {
		who   string
		words []string
	}{{"agent", []string{"Acme support, good morning. How can I help?", "Hello, this is Acme. What can I do for you?"}}, {"contact", about.ask}, {"agent", english.details[1:]}, {"contact", english.given},
		{"agent", about.answer}, {"contact", english.thanks}} {
		text := plain(r, one.words)
		list = append(list, event.TranscriptLine{Speaker: one.who, Text: text, Start: at, End: at + float64(len(text))/16})
		at += float64(len(text))/16 + 0.75
	}
	return list
}
