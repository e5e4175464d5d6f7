package team

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// newTalk draws the talk that begins at a time.
func (s *Script) newTalk(r *event.RNG, at int64, who *event.Contact) *talk {
	t := &talk{ScriptedThread: population.ScriptedThread{Num: -1}, at: at}
	l := &life{talk: t, s: s, r: r, now: at, state: "open", team: -1, charge: -1, customer: population.ContactAuthor(who)}
	t.begun = pick(r, 76, 10, 9, 5)
	t.subject = s.drawTopic(r)
	l.speech = newSpeech(r, who.Language, t.subject, who.Name)
	t.channel = l.drawChannel()
	l.slow = t.channel == email || t.channel == "custom_channel"
	t.born = event.Beginning{Company: -1, Contacts: []*event.Contact{who}, Title: l.about.title, Priority: r.Chance(0.06)}
	if len(who.Companies) > 0 {
		t.born.Company = who.Companies[0]
	}
	if r.Chance(0.7) {
		t.born.Attrs = append(t.born.Attrs, event.Attribute{Name: "Topic", Raw: `"` + topics[t.subject].name + `"`})
	}
	if r.Chance(0.08) {
		t.born.Attrs = append(t.born.Attrs, event.Attribute{Name: "Urgent", Raw: "true"})
	}
	l.begin()
	l.tag()
	l.review()
	return t
}

func (l *life) drawChannel() string {
	switch l.begun {
	case byBot:
		return messenger
	case byCampaign:
		return []string{email, messenger}[pick(l.r, 60, 40)]
	}
	return []string{messenger, email, "whatsapp", phone, "instagram", "custom_channel"}[pick(l.r, 51, 30.4, 8.6, 4.9, 3.8, 1.2)]
}

// begin writes the first message, and everything that follows.
func (l *life) begin() {
	source := &event.Source{Type: l.channel, Delivered: population.CustomerInitiated, Author: l.customer}
	l.born.Source = source
	if l.channel == messenger && l.r.Chance(0.7) {
		source.URL = "https://app.example/" + []string{"inbox", "reports", "settings", "settings/billing", "contacts"}[l.r.IntN(5)]
	}
	switch l.begun {
	case byCustomer:
		source.Body = l.say(l.r, l.question(), "")
		if l.channel == email {
			source.Subject = l.about.title
			source.Files = l.files(l.r, 0.12)
		}
		l.askedBy()
		return
	case byBot:
		source.Delivered, source.Author = "operator_initiated", event.Bot
	case byCampaign:
		source.Delivered, source.Author = "automated", event.Bot
	case byTeammate:
		l.at = l.work(l.at, 0)
		l.now = l.at
		l.team = topics[l.subject].team
		l.me = l.s.onDuty(l.r, l.team, l.now)
		source.Delivered, source.Author = "admin_initiated", population.AdminAuthor(everyone[l.me])
		if l.channel == phone {
			l.phone(true)
			return
		}
	}
	source.Body, l.born.Title = l.say(l.r, l.of.welcome, ""), ""
	if l.channel == email {
		source.Subject = l.of.welcome[0][:min(len(l.of.welcome[0]), 5)] + " " + l.first
	}
	if l.begun == byTeammate && l.r.Chance(0.15) { // one more message at once
		l.now += 30
		l.add(event.Part{Type: "comment", Author: source.Author, Body: l.say(l.r, l.of.welcome, "")})
	}
	l.outbound()
}

// outbound goes on after a message of the workspace: the customer answers or does not.
func (l *life) outbound() {
	if !l.r.Chance([]float64{0, 0.62, 0.3, 0.7}[l.begun]) {
		l.now += []int64{0, 5 * 3600, 2 * event.Day, 3 * event.Day}[l.begun]
		l.close(event.Bot, "")
		return
	}
	l.now += spread(l.r, 12*60, 5*3600)
	if l.begun == byBot && l.r.Chance(0.2) { // the customer chooses an answer that the bot offers
		l.add(event.Part{Type: "quick_reply", Author: l.customer, Meta: `{"quick_reply_option_uuid":"q-1"}`, Body: l.say(l.r, l.of.curious, "")})
		l.now += 20 + int64(l.r.IntN(60))
	}
	l.says(l.of.curious)
	switch {
	case l.begun == byBot && l.r.Chance(0.8):
		l.askAI()
	case l.begun == byTeammate:
		l.assign(event.Assigned{As: event.AssignTeammate, Admin: everyone[l.me].ID}, population.AdminAuthor(everyone[l.me]), "")
		l.charge = l.me
		l.answerAll(l.now)
	default:
		l.queue()
	}
}

// askedBy goes on after a customer's first message.
func (l *life) askedBy() {
	switch {
	case l.channel == phone:
		l.phone(false)
	case l.r.Chance(0.025):
		l.spam()
	case l.r.Chance(0.026): // older mail was imported into it
		l.now -= event.Day
		l.says(l.about.more)
		l.now = l.at
		l.queue()
	case l.channel != "custom_channel" && l.r.Chance(0.76):
		l.askAI()
	default:
		l.queue()
	}
}

// spam is closed without an answer.
func (l *life) spam() {
	l.born.Title, l.born.Source.Body = "", "<p>"+l.r.PickText(spamTexts)+"</p>"
	l.now = l.work(l.now, spread(l.r, 1800, 4*3600))
	l.tags = append(l.tags, event.AppliedTag{Tag: 31, At: l.now, By: admins[0].ID})
	l.close(population.AdminAuthor(everyone[l.s.onDuty(l.r, support, l.now)]), "")
}

// tag adds the tag of the topic, and now and then another one.
func (l *life) tag() {
	at := min(l.at+60, l.end())
	if l.r.Chance(0.62) {
		l.tags = append(l.tags, event.AppliedTag{Tag: int32(l.subject), At: at, By: admins[l.r.IntN(len(admins))].ID})
	}
	if other := int32(len(topics) + zipf(l.r, len(tagNames)-len(topics))); l.r.Chance(0.12) && other != 31 {
		l.tags = append(l.tags, event.AppliedTag{Tag: other, At: at, By: admins[l.r.IntN(len(admins))].ID})
	}
}
