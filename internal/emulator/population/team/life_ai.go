package team

import "aqueduck/internal/emulator/event"

// outcomes of the AI agent's part with their shares in percent; the last one is none.
var outcomes = []string{"confirmed_resolution", "assumed_resolution", "routed_to_team", "abandoned", ""}

var outcomeShares = []float64{13, 34, 38, 10, 5}

// askAI has the AI agent answer: within seconds, and never after a teammate.
func (l *life) askAI() {
	outcome := outcomes[pick(l.r, outcomeShares...)]
	l.talk.ai = &event.AIOutcome{Title: "Answers in the " + map[bool]string{true: "inbox", false: "messenger"}[l.slow], Resolution: outcome}
	if l.r.Chance(0.8) {
		n := l.s.article(l.subject, l.r)
		l.talk.ai.Sources = []event.ContentSource{l.s.articleSource(n)}
	}
	author := event.AIAgent
	author.Answer = true
	if l.r.Chance(0.02) { // it signs as a teammate
		author.Type, author.ID, author.Name, author.Email = "admin", "5123410", admins[9].Name, admins[9].Email
	}
	for turn := range 1 + pick(l.r, 42, 35, 23) {
		if turn > 0 {
			l.now += spread(l.r, 70, 5*60)
			l.says(l.about.more)
		}
		l.now += 1 + min(60, spread(l.r, 5, 17))
		l.add(event.Part{Type: "comment", Author: author, Body: l.say(l.r, l.help(), "")})
	}
	if outcome == "routed_to_team" && l.r.Chance(0.2) {
		l.consult()
	}
	switch outcome {
	case "confirmed_resolution":
		l.now += spread(l.r, 120, 15*60)
		l.says(l.of.thanks[:2])
		l.now += 1 + min(60, spread(l.r, 5, 17))
		l.add(event.Part{Type: "comment", Author: author, Body: "<p>" + l.words(l.r, l.of.closing[1:2], "") + "</p>"})
		l.aiDone = l.now
		l.now += 60 + int64(l.r.IntN(240))
	case "assumed_resolution":
		l.aiDone = l.now + 3600
		l.now += 3*3600 + int64(l.r.IntN(900))
	case "abandoned":
		l.aiDone = l.now + 4*3600
		l.now += 6*3600 + int64(l.r.IntN(900))
	default:
		l.now += spread(l.r, 80, 10*60)
		l.says(l.of.human)
		l.aiDone = l.now + 2
		l.queue()
		l.rateAI()
		return
	}
	l.close(event.Bot, "")
	l.rateAI()
	l.closed(false)
}

// rateAI draws the rating of the AI agent's part.
func (l *life) rateAI() {
	if !l.r.Chance(0.08) {
		return
	}
	good := map[string]float64{"confirmed_resolution": 0.95, "assumed_resolution": 0.84, "routed_to_team": 0.74, "abandoned": 0.5, "": 0.5}[l.talk.ai.Resolution]
	l.talk.ai.Stars = l.stars(good)
	l.talk.ai.Remark = l.remarkOf(l.r, l.talk.ai.Stars)
	l.aiRate = l.aiDone + 60 + spread(l.r, 120, 1800)
}

// stars draws a rating that is 4 or 5 in a share of the cases.
func (l *life) stars(good float64) int64 {
	if l.r.Chance(good) {
		return []int64{5, 4}[pick(l.r, 76, 24)]
	}
	return []int64{3, 2, 1}[pick(l.r, 40, 21, 39)]
}
