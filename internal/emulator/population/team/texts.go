package team

import (
	"strconv"
	"strings"

	"aqueduck/internal/emulator/event"
)

// languages are those that customers write in, with their shares in percent.
var languages = []struct {
	code  string
	share float64
	of    *language
}{{"en", 46, &english}, {"de", 26, &german}, {"fr", 13, &french}, {"es", 9, &spanish}, {"it", 6, &italian}}

// speech writes the messages of one conversation.
type speech struct {
	of     *language
	about  *exchange
	first  string // name of the customer
	number string

	posed            int // place of the first message in ask: answers of the same place fit it
	answered, helped int // how many answers of teammates and of the AI agent there were
}

func newSpeech(r *event.RNG, code string, about int, customer string) speech {
	s := speech{of: languageOf(code), first: firstName(customer), number: strconv.Itoa(20_000 + r.IntN(60_000))}
	s.about = &s.of.topics[about]
	s.posed = r.IntN(len(s.about.ask))
	return s
}

// question is what the customer asks first.
func (s *speech) question() []string { return s.about.ask[s.posed : s.posed+1] }

// answer is what a teammate answers next: first what fits the question.
func (s *speech) answer() []string { return nextOf(s.about.answer, s.posed, &s.answered) }

// help is what the AI agent answers next.
func (s *speech) help() []string { return nextOf(s.about.help, s.posed, &s.helped) }

func nextOf(of []string, first int, said *int) []string {
	n := (first + *said) % len(of)
	*said++
	return of[n : n+1]
}

// languageOf returns a language by its code, English for one that nobody answers in.
func languageOf(code string) *language {
	for _, l := range languages {
		if l.code == code {
			return l.of
		}
	}
	return &english
}

// say draws one of the texts as a body.
func (s speech) say(r *event.RNG, of []string, me string) string {
	return "<p>" + s.words(r, of, me) + "</p>"
}

func (s speech) words(r *event.RNG, of []string, me string) string {
	return strings.NewReplacer("{n}", s.number, "{me}", firstName(me), "{name}", s.first).Replace(r.PickText(of))
}

// notes are what teammates write for each other.
var notes = []string{
	"Checked the account: two workspaces with the same domain, that explains it.", "Talked to engineering, a fix is planned for the next release.",
	"Customer is on the Business plan, so the answer is due today.", "Invoice was sent to the old address. Changed it.", "Same question as last week, please use the macro.",
	"Billing has to confirm this first.", "Could reproduce it in a test workspace.", "Friendly contact, very detailed screenshots.", "Refund approved, up to one month.",
	"Waiting for the log of the import.", "Checked with the data protection officer: fine to send the form.", "Has a call with us on Thursday anyway.",
}

var spamTexts = []string{
	"Dear sir, we offer the best SEO ranking for your website. Reply for prices.", "Increase your sales with our verified contact lists, 50 % off today.",
	"You have won. Send your bank details to receive the amount.", "We are a leading supplier of LED panels and look for partners.",
}

// remarkOf draws the remark on a rating: more often when it is bad.
func (s speech) remarkOf(r *event.RNG, stars int64) string {
	switch {
	case stars <= 2 && r.Chance(0.6):
		return s.words(r, s.of.bad, "")
	case stars > 2 && r.Chance(0.18):
		return s.words(r, s.of.good, "")
	}
	return ""
}

// files draws what is attached to a message.
func (s speech) files(r *event.RNG, share float64) []event.Attachment {
	if !r.Chance(share) {
		return nil
	}
	f := event.Attachment{Name: "screenshot-" + strconv.Itoa(1+r.IntN(40)) + ".png", Type: "image/png", Size: int64(40_000 + r.IntN(900_000)), ID: r.Uint64(), Width: 1280, Height: 720}
	if r.Chance(0.3) {
		f = event.Attachment{Name: "invoice-" + s.number + ".pdf", Type: "application/pdf", Size: int64(60_000 + r.IntN(200_000)), ID: r.Uint64()}
	}
	return []event.Attachment{f}
}
