package population

import (
	"fmt"
	"strconv"
	"strings"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
)

// Contacts draws contacts and the records around them. Everything is a function of its seed.
type Contacts struct {
	Origin
	Companies int // number of companies that contacts may belong to
	avatars   []string
	abouts    []string // shared texts, as JSON
}

// CountCompanies returns how many companies a workspace with a number of contacts has.
func CountCompanies(contacts int) int { return contacts/12 + 3 }

// NewContacts returns a source of contacts for a workspace of that size.
func NewContacts(from Origin) *Contacts {
	seed := from.Seed
	m := &Contacts{Origin: from, Companies: CountCompanies(from.Contacts)}
	for i := range 400 {
		m.avatars = append(m.avatars, fmt.Sprintf("https://static.example/avatars/%03d/face-%x.png", i, event.MixBits(seed+uint64(i))))
	}
	r := event.NewRNG(seed, event.ForNote)
	for range 400 {
		words := make([]string, 15+r.IntN(60))
		for i := range words {
			words[i] = r.PickText(NoteWords)
		}
		m.abouts = append(m.abouts, string(jsontext.AppendString(nil, strings.Join(words, " "))))
	}
	return m
}

// ContactID returns an id in the form of such services: 24 hex digits, with the creation time first.
func (m *Contacts) ContactID(num int, created int64) string {
	return fmt.Sprintf("%08x%016x", uint32(created), event.MixBits(m.Seed^event.MixBits(uint64(num)*0x9e3779b97f4a7c15+event.ForID)))
}

// DrawContact draws all initial attributes of a contact. lately is the latest time that any of its timestamps may have.
func (m *Contacts) DrawContact(num int, created, lately int64, user bool) *event.Contact {
	if m.Script != nil {
		return m.Script.Contact(num, m.ContactID(num, created), created, lately, user, m.Companies)
	}
	r := event.NewRNG(m.Seed, event.ForContact, uint64(num))
	d := &event.Contact{ID: m.ContactID(num, created), Created: created, Updated: lately, User: user}
	m.drawName(r, d, num)
	m.drawTimes(r, d, lately)
	if r.Chance(0.8) {
		d.Place = &places[r.IntN(len(places))]
	}
	if r.Chance(0.75) {
		d.Browser = &browsers[r.IntN(len(browsers))]
	}
	if r.Chance(0.12) {
		d.AndroidApp, d.Android = &androidApps[r.IntN(len(androidApps))], r.TimeBetween(created, lately+1)
	}
	if r.Chance(0.15) {
		d.IOSApp, d.IOSSeen = &iosApps[r.IntN(len(iosApps))], r.TimeBetween(created, lately+1)
	}
	d.Language = r.PickText(languages)
	if r.Chance(0.4) {
		d.Owner = m.Cast.Admins[r.IntN(len(m.Cast.Admins))].ID
	}
	d.Unsubscribed, d.Spam, d.Bounced = r.Chance(0.08), r.Chance(0.005), r.Chance(0.02)
	m.drawLists(r, d, num)
	d.Attrs = m.drawAttributes(r, created)
	return d
}

func (m *Contacts) drawName(r *event.RNG, d *event.Contact, num int) {
	first, last := r.PickText(firstNames), r.PickText(lastNames)
	switch {
	case r.Chance(0.02):
		d.Name = r.PickText(oddNames)
	case r.Chance(0.95) || d.User:
		d.Name = first + " " + last
	}
	if d.User || r.Chance(0.7) {
		mailbox := "c" + strconv.FormatInt(int64(num), 36)
		if r.Chance(0.03) {
			mailbox = "o'" + mailbox + "+tag&co" // HTML-escaped in the list of inactive contacts
		}
		d.Email = mailbox + "@" + r.PickText(mailDomains)
		d.Verified = r.Chance(0.6)
	}
	if r.Chance(0.45) {
		d.Phone = "+" + strconv.Itoa(1+r.IntN(98)) + strconv.FormatUint(1e8+r.Uint64()%9e8, 10)
	}
	if d.User {
		d.ExternalID = "ext-" + strconv.FormatUint(event.MixBits(m.Seed+uint64(num))%1e9, 10) + "-" + strconv.Itoa(num)
	}
	if r.Chance(0.5) {
		d.Avatar = r.PickText(m.avatars)
	}
}

func (m *Contacts) drawTimes(r *event.RNG, d *event.Contact, lately int64) {
	at := func(p float64) int64 {
		if !r.Chance(p) {
			return 0
		}
		return r.TimeBetween(d.Created, lately+1)
	}
	d.SignedUp, d.LastSeen, d.LastReplied = at(0.6), at(0.8), at(0.3)
	d.LastContacted, d.LastOpened, d.LastClicked = at(0.5), at(0.35), at(0.15)
	// Broken clocks of customers' systems leave such times (trap T53; api-notes: the far future occurs).
	if r.Chance(0.002) {
		d.SignedUp = []int64{253402300799, 4102444799, 1, -62135596800}[r.IntN(4)]
	}
}

// drawLists draws the nested lists. Two in a hundred contacts have more tags than an answer contains.
func (m *Contacts) drawLists(r *event.RNG, d *event.Contact, num int) {
	count := 0
	switch {
	case num%50 == 7:
		count = 11 + r.IntN(30)
	case num%997 == 11:
		count = 10 // exactly the cap
	case r.Chance(0.6):
		count = 1 + r.IntN(4)
	}
	d.Tags = drawDistinct(r, count, m.Cast.TagCount)
	count = 0
	switch {
	case num%311 == 5:
		count = 11 + r.IntN(8)
	case r.Chance(0.35):
		count = 1 + r.IntN(2)
	}
	d.Companies = drawDistinct(r, min(count, m.Companies), m.Companies)
	count = 0
	switch {
	case num%293 == 3:
		count = 12 + r.IntN(6)
	case r.Chance(0.25):
		count = 1 + r.IntN(3)
	}
	for i := range count {
		d.Notes = append(d.Notes, int32(num*32+i)) // 32: more than the notes of any new contact
	}
	for range max(0, r.IntN(6)-3) {
		site := socialSites[r.IntN(len(socialSites))]
		d.Social = append(d.Social, event.SocialProfile{Name: site.Name, URL: site.URL + strings.ToLower(d.ID[:10])})
	}
}

// drawDistinct draws count different numbers below limit.
func drawDistinct(r *event.RNG, count, limit int) []int32 {
	if count == 0 {
		return nil
	}
	first, step := r.IntN(limit), 1+2*r.IntN(3)
	for greatestDivisor(step, limit) != 1 {
		step++
	}
	list := make([]int32, count)
	for i := range list {
		list[i] = int32((first + i*step) % limit)
	}
	return list
}

func greatestDivisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (m *Contacts) drawAttributes(r *event.RNG, created int64) []event.Attribute {
	if r.Chance(0.15) {
		return nil
	}
	list := make([]event.Attribute, 0, 4)
	list = append(list, event.Attribute{Name: "plan", Raw: r.PickText(planValues)})
	if r.Chance(0.6) {
		// The same attribute is a number, a text or a boolean (trap T48).
		score := strconv.Itoa(r.IntN(1000))
		switch {
		case r.Chance(0.05):
			score = `"` + score + `"`
		case r.Chance(0.03):
			score = "true"
		case r.Chance(0.2):
			score += ".5"
		}
		list = append(list, event.Attribute{Name: "score", Raw: score})
	}
	if r.Chance(0.4) {
		list = append(list, event.Attribute{Name: "paid", Raw: strconv.FormatBool(r.Chance(0.5))})
	}
	if r.Chance(0.3) {
		list = append(list, event.Attribute{Name: event.DateAttribute, Raw: strconv.FormatInt(created+int64(r.IntN(700))*event.Day, 10)})
	}
	if r.Chance(0.9) {
		list = append(list, event.Attribute{Name: "about", Raw: r.PickText(m.abouts)})
	}
	if r.Chance(0.06) {
		odd := oddAttrs[r.IntN(len(oddAttrs))]
		list = SetAttribute(list, odd.Name, odd.Raw)
	}
	if r.Chance(0.0005) {
		list = append(list, event.Attribute{Name: strings.Repeat("long name ", 1000), Raw: `"x"`})
	}
	return list
}

// NoteBody returns the body of a note of the population.
func (m *Contacts) NoteBody(n int32) string {
	if m.Script != nil {
		return m.Script.Note(n)
	}
	r := event.NewRNG(m.Seed, event.ForNote, uint64(n))
	words := make([]string, 3+r.IntN(9))
	for i := range words {
		words[i] = r.PickText(NoteWords)
	}
	return "<p>" + strings.Join(words, " ") + "</p>"
}

// DrawChanges draws the field changes of a contact at a time.
func (m *Contacts) DrawChanges(r *event.RNG, at int64) []event.FieldChange {
	if m.Script != nil {
		return m.Script.Changes(r, at)
	}
	spot := places[r.IntN(len(places))]
	changes := [][]event.FieldChange{
		{{Field: "name", Value: r.PickText(firstNames) + " " + r.PickText(lastNames)}, {Field: "last_seen_at", Value: at}},
		{{Field: "location_country", Value: spot.Country}, {Field: "location_region", Value: spot.Region}, {Field: "location_city", Value: spot.City}, {Field: "last_seen_at", Value: at}},
		{{Field: "custom_attributes.plan", Value: "moved-" + r.PickText(event.TagWords)}, {Field: "custom_attributes.score", Value: int64(r.IntN(1000))}},
		{{Field: "email", Value: "new" + r.PickText([]string{"1", "2", "3"}) + "@" + r.PickText(mailDomains)}, {Field: "unsubscribed_from_emails", Value: r.Chance(0.5)}},
		{{Field: "phone", Value: nil}, {Field: "last_replied_at", Value: at}, {Field: "owner_id", Value: m.Cast.Admins[r.IntN(len(m.Cast.Admins))].ID}},
	}
	return changes[r.IntN(len(changes))]
}

// DrawNote draws the body of a note.
func (m *Contacts) DrawNote(r *event.RNG) string {
	if m.Script != nil {
		return m.Script.Note(int32(r.IntN(1 << 30)))
	}
	return "<p>" + r.PickText(NoteWords) + "</p>"
}

// DrawSubscriptions draws the initial subscriptions of a contact: none for a contact that a request or an operation created.
func (m *Contacts) DrawSubscriptions(born *event.Contact) []int32 {
	if born.Plain {
		return nil
	}
	r := event.NewRNG(m.Seed, event.ForSubscription, event.Fingerprint(born.ID))
	return drawDistinct(r, r.IntN(4), event.SubscriptionCount)
}

// SetAttribute returns a copy of the list with one attribute set, or removed when raw is empty.
func SetAttribute(attrs []event.Attribute, name, raw string) []event.Attribute {
	out := make([]event.Attribute, 0, len(attrs)+1)
	found := false
	for _, a := range attrs {
		if a.Name != name {
			out = append(out, a)
			continue
		}
		found = true
		if raw != "" {
			out = append(out, event.Attribute{Name: name, Raw: raw})
		}
	}
	if !found && raw != "" {
		out = append(out, event.Attribute{Name: name, Raw: raw})
	}
	return out
}
