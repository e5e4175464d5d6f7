package team

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// life draws one talk step by step.
type life struct {
	*talk
	speech
	s        *Script
	r        *event.RNG
	now      int64
	state    string
	team     int  // place of the team in charge; -1: none
	charge   int  // place in everyone of the teammate in charge; -1: none
	me       int  // place in everyone of the teammate who writes
	slow     bool // e-mail: hours pass between messages
	customer event.Author
	waited   int64 // the longest wait for a teammate, in seconds
	human    bool  // a teammate answered
}

// message types of channels.
const (
	messenger = "conversation"
	email     = "email"
	phone     = "phone_call"
)

// add adds a part now.
func (l *life) add(p event.Part) {
	p.At, p.Updated, p.Notified, p.State = l.now, l.now, l.now, l.state
	if p.Type == "note" {
		p.Notified = 0
	}
	l.parts = append(l.parts, p)
}

// says adds a message of the customer, which opens the talk.
func (l *life) says(of []string) {
	l.state = "open"
	l.add(event.Part{Type: "comment", Author: l.customer, Body: l.say(l.r, of, l.meName()), Files: l.files(l.r, 0.05)})
}

func (l *life) meName() string { return everyone[max(0, l.me)].Name }

// reply adds a message of the teammate who writes.
func (l *life) reply(of []string) {
	l.human = true
	l.add(event.Part{Type: "comment", Author: population.AdminAuthor(everyone[l.me]), Body: l.say(l.r, of, l.meName()), Files: l.files(l.r, 0.05)})
}

func (l *life) close(by event.Author, body string) {
	l.state = "closed"
	l.add(event.Part{Type: "close", Author: by, Body: body})
}

// assign adds a part that changes who is in charge.
func (l *life) assign(to event.Assigned, by event.Author, body string) {
	l.add(event.Part{Type: "assignment", Author: by, Assigned: to, Body: body})
}
