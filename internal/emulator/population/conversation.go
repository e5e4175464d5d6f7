package population

import (
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"aqueduck/internal/emulator/event"
)

// Conversations draws conversations. The initial content of each is a function of the seed, its number and the calls of hour 0, and is drawn
// again for each question.
type Conversations struct {
	Origin
	bodies []string
	Calls  map[int32][]int32 // numbers of the calls of hour 0 by conversation, which parts summarise
}

// NewConversations returns a source of conversations.
func NewConversations(from Origin) *Conversations {
	m := &Conversations{Origin: from}
	if m.Script != nil {
		m.bodies = m.Script.Bodies()
		return m
	}
	r := event.NewRNG(m.Seed, event.ForConversation)
	for i := range shortBodies {
		m.bodies = append(m.bodies, "<p>"+drawProse(r, 2+r.IntN(25), i%20 < 3)+"</p>")
	}
	m.bodies = append(m.bodies, oddBodies...)
	for i := range longBodies {
		m.bodies = append(m.bodies, longBody(r, i))
	}
	return m
}

// The bodies are drawn with equal probability: 3 % are larger than 20 kB, and 15 % are not ASCII.
const (
	shortBodies = 600
	longBodies  = 19
)

// longBody returns a pasted text: a little more than 20 kB, one of them more than 64 kB.
func longBody(r *event.RNG, i int) string {
	text := drawProse(r, 40, i%6 == 1) + " "
	size := 20_001 + 150*i
	if i == 0 {
		size = 66_000
	}
	return "<p>" + strings.Repeat(text, size/len(text)+1) + "</p>"
}

// drawProse joins words, some of them not ASCII when foreign is set.
func drawProse(r *event.RNG, count int, foreign bool) string {
	words := make([]string, count)
	for i := range words {
		words[i] = r.PickText(plainWords)
	}
	if foreign {
		for range 1 + count/4 {
			words[r.IntN(count)] = r.PickText(foreignWords)
		}
	}
	return strings.Join(words, " ")
}

// DrawOpenings returns the log of conversations up to hour 0: their openings, spread over the life of the contacts in log.
func (m *Conversations) DrawOpenings(count int, start int64, log []event.ContactEvent) []event.ThreadEvent {
	if m.Script != nil {
		return m.Script.Conversations(count, log)
	}
	guests := guestsOf(log)
	events := make([]event.ThreadEvent, count)
	for num := range events {
		r := event.NewRNG(m.Seed, event.ForConversationPopulation, uint64(num))
		at := start - event.Span + 30*event.Day + int64(float64(event.Span-32*event.Day)*(float64(num)+r.Float64())/float64(count))
		who := guests.drawContacts(r, at, contactsPerThread(num))
		size := m.drawSize(r, num)
		events[num] = event.ThreadEvent{At: at, Until: m.drawEnd(r, at, start), Kind: event.ThreadOpened, Num: int32(num), Size: int32(size),
			Contacts: who}
	}
	return events
}

// contactPool has all contacts in the order of their creation.
type contactPool struct {
	born  []*event.Contact
	times []int64
}

func guestsOf(log []event.ContactEvent) (g contactPool) {
	for i := range log {
		if log[i].Kind == event.Created {
			g.born, g.times = append(g.born, log[i].Born), append(g.times, log[i].At)
		}
	}
	return g
}

// drawContacts draws the contacts of a new conversation at a time. Contacts of the last weeks write more than those of years ago. Contacts
// that are merged or deleted now have written, too (trap T26).
func (g *contactPool) drawContacts(r *event.RNG, at int64, count int) []*event.Contact {
	known := max(1, sort.Search(len(g.times), func(i int) bool { return g.times[i] > at }))
	who := r.IntN(known)
	if r.Chance(0.4) {
		who = known - 1 - r.IntN(min(known, known/10+1))
	}
	return g.born[who:min(who+count, len(g.born)):len(g.born)]
}

// contactsPerThread returns the number of contacts of a conversation: mostly one, now and then a group.
func contactsPerThread(num int) int {
	if num%40 == 9 {
		return 2 + num%3
	}
	return 1
}

// drawSize draws the number of parts: six in the median, now and then hundreds, and the sizes around the cap of an answer (trap T57).
func (m *Conversations) drawSize(r *event.RNG, num int) int {
	u := r.Float64()
	switch at := num % 1500; {
	case at%750 == 400:
		return 1001 + r.IntN(400)
	case at >= 803 && at <= 805:
		return 499 + at - 803
	case u < 0.02:
		return 0
	}
	return min(600, 1+int(0.5+5*math.Pow(u/(1.0001-u), 0.615)))
}

// drawEnd draws the time of the last part. In one night a clean-up closed hundreds of conversations within one second (trap T11).
func (m *Conversations) drawEnd(r *event.RNG, at, start int64) int64 {
	if night := start - event.Span/5; at < night && r.Chance(0.16) {
		return night
	}
	x := r.Float64()
	end := at + 600 + int64(20*event.Day*x*x*x)
	if r.Chance(0.05) {
		end = at + int64(float64(start-at)*r.Float64())
	}
	return min(max(end, at+60), start-3600)
}

// DrawBeginning draws the initial content of a conversation.
func (m *Conversations) DrawBeginning(e *event.ThreadEvent) *event.Beginning {
	if e.With != nil && e.With.Begun != nil {
		return copyBeginning(e)
	}
	if e.With != nil && e.With.Message != nil {
		return writtenBeginning(e)
	}
	r := event.NewRNG(m.Seed, event.ForConversation, uint64(e.Num))
	num := e.Num
	b := &event.Beginning{Num: num, Company: -1, Contacts: e.Contacts, Title: r.PickText(Titles), Priority: r.Chance(0.1), Bare: num%97 == 13}
	b.Median, b.Handling = int64(r.IntN(3000)), int64(r.IntN(9000))
	if b.Silent = e.Size == 0 || event.NewRNG(m.Seed, event.ForSilence, uint64(num)).Chance(0.061); b.Silent {
		b.Median, b.Handling = 0, 0
	}
	if len(e.Contacts) > 0 && len(e.Contacts[0].Companies) > 0 {
		b.Company = e.Contacts[0].Companies[0]
	}
	end := max(e.At, e.Until)
	m.drawSource(r, b, e.At)
	helped := m.drawParts(b, int(e.Size), e.At, end)
	m.drawSurroundings(r, b, e.At, end)
	if helped {
		b.AI = m.drawAIOutcome(r)
	}
	m.drawReviews(r, b, end)
	return b
}

// copyBeginning returns a copy of the initial content that an opening has: the caller may change it.
func copyBeginning(e *event.ThreadEvent) *event.Beginning {
	b := *e.With.Begun
	b.Num, b.Contacts, b.Parts, b.Tags, b.Linked, b.Scorecards = e.Num, e.Contacts, slices.Clone(b.Parts), slices.Clone(b.Tags), slices.Clip(b.Linked), slices.Clip(b.Scorecards)
	if b.Source != nil {
		s := *b.Source
		s.ID = event.MessageID(e.Num)
		b.Source = &s
	}
	return &b
}

// writtenBeginning returns the initial content of a conversation that a request or an operation began: its first message and nothing else.
func writtenBeginning(e *event.ThreadEvent) *event.Beginning {
	opening := *e.With.Message
	return &event.Beginning{Num: e.Num, Company: -1, Contacts: e.Contacts, Source: &opening, Written: true, Silent: opening.Delivered != CustomerInitiated}
}

// drawSource draws the first message at a time. A few conversations have none.
func (m *Conversations) drawSource(r *event.RNG, b *event.Beginning, at int64) {
	s := &event.Source{Type: r.PickText(Channels), ID: event.MessageID(b.Num), Delivered: r.PickText(deliveries),
		Body: m.bodies[r.IntN(len(m.bodies))], Author: customerOf(b.Contacts)}
	if b.Silent && s.Delivered == CustomerInitiated {
		s.Delivered = "automated" // nobody answered it
	}
	if s.Delivered != CustomerInitiated {
		s.Author = m.drawTeammate(r, at)
	}
	if s.Type == "email" {
		s.Subject = "<p>Re: " + r.PickText(Titles[3:]) + "</p>"
	}
	if r.Chance(0.6) {
		s.URL = "https://shop.example/orders?page=" + strconv.Itoa(r.IntN(50)) + "&session=secret"
	}
	s.Files = drawFiles(r, 0.08)
	if b.Num%331 == 5 {
		return
	}
	if m.isBornRedacted(b.Num, -1) {
		s.Body, s.Subject, s.Files, s.Redacted = "", "", nil, true
	}
	b.Source = s
}

// CustomerInitiated is the delivery of a message that a contact wrote unprompted.
const CustomerInitiated = "customer_initiated"

// customerOf returns the contact that began a conversation, as an author.
func customerOf(who []*event.Contact) event.Author {
	if len(who) == 0 {
		return event.Author{Type: "lead", ID: "0"}
	}
	return ContactAuthor(who[0])
}

// ContactAuthor returns a contact as an author.
func ContactAuthor(d *event.Contact) event.Author {
	who := event.Author{Type: "lead", ID: d.ID, Name: d.Name, Email: d.Email}
	if d.User {
		who.Type = "user"
	}
	return who
}

// drawTeammate draws an author among the admins of a time.
func (m *Conversations) drawTeammate(r *event.RNG, at int64) event.Author {
	return AdminAuthor(m.Cast.Everyone[adminAt(m.Cast, r, at, m.Start)])
}

// isBornRedacted reports whether an initial part, or with -1 the source, was redacted: five in a thousand parts.
func (m *Conversations) isBornRedacted(num int32, place int) bool {
	return event.NewRNG(m.Seed, event.ForRedaction, uint64(num), uint64(place)).Chance(0.0066)
}

func drawFiles(r *event.RNG, share float64) (list []event.Attachment) {
	if !r.Chance(share) {
		return nil
	}
	for range 1 + r.IntN(3) {
		n := r.IntN(len(fileNames))
		f := event.Attachment{Name: fileNames[n], Type: fileTypes[n], Size: int64(100 + r.IntN(5_000_000)), ID: r.Uint64()}
		if strings.HasPrefix(f.Type, "image/") {
			f.Width, f.Height = int64(100+r.IntN(2000)), int64(100+r.IntN(2000))
		}
		list = append(list, f)
	}
	return list
}

// drawSurroundings draws the fields of a conversation besides its parts; end is the time of the last part.
func (m *Conversations) drawSurroundings(r *event.RNG, b *event.Beginning, at, end int64) {
	if r.Chance(0.4) {
		for _, tag := range drawDistinct(r, 1+r.IntN(4), m.Cast.TagCount) {
			b.Tags = append(b.Tags, event.AppliedTag{Tag: tag, At: at + int64(r.IntN(60)), By: m.Cast.Everyone[adminAt(m.Cast, r, at, m.Start)].ID})
		}
	}
	for range r.IntN(4) {
		a := convAttrs[r.IntN(len(convAttrs))]
		b.Attrs = SetAttribute(b.Attrs, a.Name, a.Raw)
	}
	if r.Chance(0.05) {
		a := oddAttrs[r.IntN(len(oddAttrs))]
		b.Attrs = SetAttribute(b.Attrs, a.Name, a.Raw)
	}
	if r.Chance(0.15) && len(b.Contacts) > 0 {
		b.Rating = m.DrawRating(r, b.Contacts[0], end)
	}
	if r.Chance(0.2) {
		b.SLA = &event.SLA{Name: r.PickText([]string{"Gold", "4h Antwort"}), Status: r.PickText([]string{"hit", "missed", "active", "cancelled"})}
	}
	if r.Chance(0.7) && !b.Silent {
		b.FirstReply = &event.FirstReply{At: at, Type: r.PickText(Channels), URL: r.PickText([]string{"", "https://shop.example/cart?token=secret"})}
	}
	for i := range max(0, r.IntN(12)-9) {
		b.Linked = append(b.Linked, DrawLinked(r, int(b.Num)*4+i))
	}
}

// DrawLinked draws a linked ticket or conversation; n distinguishes the draws.
func DrawLinked(r *event.RNG, n int) event.LinkedObject {
	l := event.LinkedObject{Type: "ticket", ID: strconv.FormatInt(event.ThreadBase+3+7*int64(n), 10), Category: r.PickText([]string{"Customer", "Back-office", "Tracker"})}
	if r.Chance(0.1) {
		l.Type, l.Category = "conversation", ""
	}
	return l
}

// DrawRating draws a contact's rating of a conversation at a time.
func (m *Conversations) DrawRating(r *event.RNG, by *event.Contact, at int64) *event.Rating {
	g := &event.Rating{Stars: int64(1 + r.IntN(5)), Remark: r.PickText(remarks), Created: at, Updated: at, Contact: by,
		By: r.PickText([]string{"admin", "admin", "workflow", ""})}
	if g.By == "admin" {
		g.Admin = m.Cast.Admins[r.IntN(len(m.Cast.Admins))].ID
	}
	return g
}

// drawAIOutcome draws the result of the AI agent's part.
func (m *Conversations) drawAIOutcome(r *event.RNG) *event.AIOutcome {
	a := &event.AIOutcome{Title: r.PickText([]string{"", "Welcome flow", "Größen & Preise"}),
		Resolution: r.PickText([]string{"assumed_resolution", "confirmed_resolution", "routed_to_team", "abandoned", ""})}
	if r.Chance(0.3) {
		a.Stars, a.Remark = int64(1+r.IntN(5)), r.PickText(remarks)
	}
	for range r.IntN(4) {
		a.Sources = append(a.Sources, DrawSource(r))
	}
	return a
}

// DrawSource draws an article of hour 0, which may be a draft or removed by now, or another source.
func DrawSource(r *event.RNG) event.ContentSource {
	n := r.IntN(contentAtBirth[event.Articles])
	s := event.ContentSource{Type: r.PickText([]string{"article", "article", "internal_article", "content_snippet", "external_content"}),
		Title: articleTitles[n%len(articleTitles)], Locale: r.PickText([]string{"en", "de", "ja"}), URL: "https://help.example/articles/" + event.ContentText(event.Articles, int32(n))}
	switch s.Type {
	case "content_snippet":
		s.Title, s.Locale, s.URL = "", "", "" // a snippet is text and nothing else
	case "internal_article":
		s.URL = "https://help.example/internal/" + event.ContentText(event.InternalArticles, int32(n%contentAtBirth[event.InternalArticles]))
	case "external_content":
		s.URL = "https://docs.example/pages/" + strconv.Itoa(n)
	}
	return s
}

// drawReviews draws the reviews of a conversation that ended at a time.
func (m *Conversations) drawReviews(r *event.RNG, b *event.Beginning, at int64) {
	if b.Num%5 == 2 {
		for card := range 1 + r.IntN(2) {
			status := ""
			if r.Chance(0.8) {
				status = r.PickText(ReviewStatuses)
			}
			b.Scorecards = append(b.Scorecards, m.DrawScorecard(r, b.Num, card, status, at))
		}
	}
	if b.Num%7 == 3 {
		for n := range 1 + r.IntN(2) {
			b.Evaluations = append(b.Evaluations, m.DrawEvaluation(r, n, at))
		}
	}
	b.Scorecards, b.Evaluations = slices.Clip(b.Scorecards), slices.Clip(b.Evaluations)
}

// AdminAuthor returns an admin as an author.
func AdminAuthor(a event.Admin) event.Author {
	return event.Author{Type: "admin", ID: strconv.FormatInt(a.ID, 10), Name: a.Name, Email: a.Email}
}
