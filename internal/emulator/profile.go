package emulator

import (
	"fmt"
	"strconv"
	"strings"
)

// maker draws contacts and the things around them; all it makes is a function of its seed.
type maker struct {
	seed      uint64
	companies int
	avatars   []string
	abouts    []string // texts that contacts share, as JSON
}

// Streams of randomness, one a purpose, so that one more draw here moves nothing there.
const (
	forContact = iota + 1
	forID
	forLife
	forLag
	forChaos
	forGames
	forCompany
	forNote
	forShuffle
	forSub
)

const (
	tagCount     = 600 // one contact may carry 500
	segmentCount = 12
	subCount     = 6
)

const day = 24 * 3600

func newMaker(seed uint64, contacts int) *maker {
	m := &maker{seed: seed, companies: contacts/12 + 3}
	for i := range 400 {
		m.avatars = append(m.avatars, fmt.Sprintf("https://static.example/avatars/%03d/face-%x.png", i, mix(seed+uint64(i))))
	}
	r := newRNG(seed, forNote)
	for range 400 {
		words := make([]string, 15+r.n(60))
		for i := range words {
			words[i] = r.text(noteWords)
		}
		m.abouts = append(m.abouts, string(appendString(nil, strings.Join(words, " "))))
	}
	return m
}

// id looks like the ids of such services: 24 hex digits, the creation time first.
func (m *maker) id(num int, created int64) string {
	return fmt.Sprintf("%08x%016x", uint32(created), mix(m.seed^mix(uint64(num)*0x9e3779b97f4a7c15+forID)))
}

// contact draws everything about a contact but its life afterwards. lately is the latest time that any of its
// timestamps may have.
func (m *maker) contact(num int, created, lately int64, user bool) *doc {
	r := newRNG(m.seed, forContact, uint64(num))
	d := &doc{ID: m.id(num, created), Created: created, Updated: lately, User: user}
	m.naming(r, d, num)
	m.times(r, d, lately)
	if r.chance(0.8) {
		d.Place = &places[r.n(len(places))]
	}
	if r.chance(0.75) {
		d.Browser = &browsers[r.n(len(browsers))]
	}
	if r.chance(0.12) {
		d.AndroidApp, d.Android = &androidApps[r.n(len(androidApps))], r.between(created, lately+1)
	}
	if r.chance(0.15) {
		d.IOSApp, d.IOSSeen = &iosApps[r.n(len(iosApps))], r.between(created, lately+1)
	}
	d.Language = r.text(languages)
	if r.chance(0.4) {
		d.Owner = admins[r.n(len(admins))].id
	}
	d.Unsubscribed, d.Spam, d.Bounced = r.chance(0.08), r.chance(0.005), r.chance(0.02)
	m.lists(r, d, num)
	d.Attrs = m.attrs(r, created)
	return d
}

func (m *maker) naming(r *rng, d *doc, num int) {
	first, last := r.text(firstNames), r.text(lastNames)
	switch {
	case r.chance(0.02):
		d.Name = r.text(oddNames)
	case r.chance(0.95) || d.User:
		d.Name = first + " " + last
	}
	if d.User || r.chance(0.7) {
		mailbox := "c" + strconv.FormatInt(int64(num), 36)
		if r.chance(0.03) {
			mailbox = "o'" + mailbox + "+tag&co" // HTML-escaped in the list of inactive contacts
		}
		d.Email = mailbox + "@" + r.text(mailDomains)
		d.Verified = r.chance(0.6)
	}
	if r.chance(0.45) {
		d.Phone = "+" + strconv.Itoa(1+r.n(98)) + strconv.FormatUint(1e8+r.next()%9e8, 10)
	}
	if d.User {
		d.ExternalID = "ext-" + strconv.FormatUint(mix(m.seed+uint64(num))%1e9, 10) + "-" + strconv.Itoa(num)
	}
	if r.chance(0.5) {
		d.Avatar = r.text(m.avatars)
	}
}

func (m *maker) times(r *rng, d *doc, lately int64) {
	at := func(p float64) int64 {
		if !r.chance(p) {
			return 0
		}
		return r.between(d.Created, lately+1)
	}
	d.SignedUp, d.LastSeen, d.LastReplied = at(0.6), at(0.8), at(0.3)
	d.LastContacted, d.LastOpened, d.LastClicked = at(0.5), at(0.35), at(0.15)
	// Broken clocks of customers' systems are stored as they come (trap T53, api-notes: the far future occurs).
	if r.chance(0.002) {
		d.SignedUp = []int64{253402300799, 4102444799, 1, -62135596800}[r.n(4)]
	}
}

// lists draws the nested ones. Two in a hundred contacts have more tags than a contact's answer holds.
func (m *maker) lists(r *rng, d *doc, num int) {
	count := 0
	switch {
	case num%50 == 7:
		count = 11 + r.n(30)
	case num%997 == 11:
		count = 10 // exactly the cap
	case r.chance(0.6):
		count = 1 + r.n(4)
	}
	d.Tags = draws(r, count, tagCount)
	count = 0
	switch {
	case num%311 == 5:
		count = 11 + r.n(8)
	case r.chance(0.35):
		count = 1 + r.n(2)
	}
	d.Companies = draws(r, min(count, m.companies), m.companies)
	count = 0
	switch {
	case num%293 == 3:
		count = 12 + r.n(6)
	case r.chance(0.25):
		count = 1 + r.n(3)
	}
	for i := range count {
		d.Notes = append(d.Notes, int32(num*32+i)) // 32: more than any contact is born with
	}
	for range max(0, r.n(6)-3) {
		site := socialSites[r.n(len(socialSites))]
		d.Social = append(d.Social, social{site.Name, site.URL + strings.ToLower(d.ID[:10])})
	}
}

// draws gives count different numbers below limit.
func draws(r *rng, count, limit int) []int32 {
	if count == 0 {
		return nil
	}
	first, step := r.n(limit), 1+2*r.n(3)
	for gcd(step, limit) != 1 {
		step++
	}
	list := make([]int32, count)
	for i := range list {
		list[i] = int32((first + i*step) % limit)
	}
	return list
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (m *maker) attrs(r *rng, created int64) []attr {
	if r.chance(0.15) {
		return nil
	}
	list := make([]attr, 0, 4)
	list = append(list, attr{"plan", r.text(planValues)})
	if r.chance(0.6) {
		// The same name is a number, text or a boolean (trap T48).
		score := strconv.Itoa(r.n(1000))
		switch {
		case r.chance(0.05):
			score = `"` + score + `"`
		case r.chance(0.03):
			score = "true"
		case r.chance(0.2):
			score += ".5"
		}
		list = append(list, attr{"score", score})
	}
	if r.chance(0.4) {
		list = append(list, attr{"paid", strconv.FormatBool(r.chance(0.5))})
	}
	if r.chance(0.3) {
		list = append(list, attr{dateAttr, strconv.FormatInt(created+int64(r.n(700))*day, 10)})
	}
	if r.chance(0.9) {
		list = append(list, attr{"about", r.text(m.abouts)})
	}
	if r.chance(0.06) {
		odd := oddAttrs[r.n(len(oddAttrs))]
		list = setAttr(list, odd.Name, odd.Raw)
	}
	if r.chance(0.0005) {
		list = append(list, attr{strings.Repeat("long name ", 1000), `"x"`})
	}
	return list
}

// dateAttr is the custom attribute that the workspace defines as a date.
const dateAttr = "renewal_date"

// note is the body of a note the population was born with.
func (m *maker) note(n int32) string {
	r := newRNG(m.seed, forNote, uint64(n))
	words := make([]string, 3+r.n(9))
	for i := range words {
		words[i] = r.text(noteWords)
	}
	return "<p>" + strings.Join(words, " ") + "</p>"
}
