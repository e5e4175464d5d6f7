package team

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"aqueduck/internal/emulator/event"
)

var firstNames = []string{
	"Anna", "Ben", "Clara", "Daniel", "Elena", "Felix", "Greta", "Henrik", "Ines", "Jan", "Katharina", "Leon", "Maria", "Niklas", "Olivia", "Paul", "Rosa", "Simon", "Theresa", "Viktor",
	"Alice", "Bruno", "Camille", "Diego", "Elise", "Francesco", "Giulia", "Hugo", "Isabel", "Javier", "Laura", "Marco", "Nathalie", "Oscar", "Pierre", "Rachel", "Sarah", "Thomas", "Valerie", "William",
}

var lastNames = []string{
	"Schmidt", "Müller", "Fischer", "Wagner", "Hoffmann", "Koch", "Richter", "Klein", "Wolf", "Neumann", "Smith", "Jones", "Taylor", "Brown", "Wilson", "Evans", "Walker", "Wright", "Green", "Hall",
	"Bernard", "Dubois", "Moreau", "Laurent", "Simon", "García", "López", "Sánchez", "Romero", "Torres", "Rossi", "Ferrari", "Bianchi", "Romano", "Greco", "Jansen", "de Vries", "Larsen", "Nilsson", "Kowalski",
}

var jobs = []string{`"Head of Support"`, `"Operations"`, `"Accountant"`, `"Developer"`, `"Office manager"`, `"Founder"`, `"Sales"`, `"Marketing"`}

var places = []event.ContactLocation{
	{Country: "Germany", Region: "Berlin", City: "Berlin"}, {Country: "Germany", Region: "Hamburg", City: "Hamburg"}, {Country: "Germany", Region: "Bavaria", City: "Munich"},
	{Country: "United Kingdom", Region: "England", City: "London"}, {Country: "United Kingdom", Region: "Scotland", City: "Edinburgh"}, {Country: "Ireland", Region: "Leinster", City: "Dublin"},
	{Country: "France", Region: "Île-de-France", City: "Paris"}, {Country: "France", Region: "Auvergne-Rhône-Alpes", City: "Lyon"}, {Country: "Spain", Region: "Community of Madrid", City: "Madrid"},
	{Country: "Italy", Region: "Lombardy", City: "Milan"}, {Country: "Netherlands", Region: "North Holland", City: "Amsterdam"}, {Country: "United States", Region: "New York", City: "New York"},
}

var placeShares = []float64{12, 7, 8, 15, 3, 4, 10, 4, 9, 7, 6, 15}

var browsers = []event.Browser{{Name: "chrome", Version: "126.0.6478.127", Language: "en-US", OS: "Windows 11"}, {Name: "chrome", Version: "126.0.0.0", Language: "de", OS: "OS X 10.15.7"},
	{Name: "firefox", Version: "127.0", Language: "fr", OS: "Windows 11"}, {Name: "edge", Version: "126.0.2592.81", Language: "en-GB", OS: "Windows 11"}, {Name: "safari", Version: "17.5", Language: "en-US", OS: "OS X 10.15.7"}}

var companyFirst = []string{"Nordlicht", "Alder", "Bluefin", "Cedar", "Delta", "Ember", "Falcon", "Granite", "Harbor", "Indigo", "Juniper", "Kestrel", "Lumen", "Meridian", "Northwind", "Orchard", "Pioneer",
	"Quartz", "Riverside", "Summit", "Tidal", "Umbra", "Vertex", "Willow", "Zenith", "Atlas", "Beacon", "Copper", "Drift", "Evergreen"}

var companySecond = []string{"Software", "Logistics", "Health", "Foods", "Energy", "Travel", "Media", "Finance", "Robotics", "Education", "Retail", "Design", "Analytics", "Mobility", "Labs", "Consulting"}

var companyForms = []string{"GmbH", "Ltd", "Inc", "SAS", "AG", "BV"}

var industries = []string{"Software", "Logistics", "Health", "Food", "Energy", "Travel", "Media", "Finance", "Education", "Retail"}

// crowd draws contacts and companies.
type crowd struct {
	seed  uint64 // of the workspace
	start int64  // hour 0
	firms int    // number of companies at hour 0

	coming *arrivals // of contacts, in three years
	left   []float64 // by the places of contacts in steps: how many of those before have left
}

// companyName returns the name of the nth company: no two have the same one.
func companyName(n int) string {
	first, second := n%len(companyFirst), n/len(companyFirst)%len(companySecond)
	return companyFirst[first] + " " + companySecond[second] + " " + companyForms[(n/(len(companyFirst)*len(companySecond))+n)%len(companyForms)]
}

// companyDomain returns the domain of the nth company.
func companyDomain(n int) string {
	return mailbox(companyFirst[n%len(companyFirst)]) + "-" + mailbox(companySecond[n/len(companyFirst)%len(companySecond)]) + "-" + strconv.Itoa(n) + ".example"
}

// Contact draws the attributes of a contact of hour 0, or of one that comes later.
func (s *crowd) Contact(num int, id string, created, lately int64, user bool, companies int) *event.Contact {
	r := event.NewRNG(s.seed, forPeople, uint64(num))
	d := &event.Contact{ID: id, Created: created, Updated: lately, User: user}
	d.Language = languages[pick(r, 46, 26, 13, 9, 6)].code
	first, last := r.PickText(firstNames), r.PickText(lastNames)
	d.Name = first + " " + last
	firm := -1
	if companies > 0 && (user || r.Chance(0.25)) && r.Chance(0.93) {
		firm = min(int(float64(companies)*math.Pow(r.Float64(), peopleSkew)), companies-1) // some companies have many more people than others
		d.Companies = []int32{int32(firm)}
	}
	switch {
	case firm >= 0:
		d.Email = mailbox(d.Name) + "." + strconv.FormatInt(int64(num), 36) + "@" + companyDomain(firm)
	case user || r.Chance(0.7):
		d.Email = mailbox(d.Name) + "." + strconv.FormatInt(int64(num), 36) + "@" + []string{"mail.example", "post.example", "inbox.example"}[r.IntN(3)]
	}
	d.Verified = d.Email != "" && user && r.Chance(0.8)
	if r.Chance(0.3) {
		d.Phone = "+49" + strconv.FormatUint(3_000_000_000+r.Uint64()%6_000_000_000, 10)
	}
	if user {
		d.ExternalID = "u-" + strconv.Itoa(100_000+num)
		d.SignedUp = created
	}
	s.drawTimes(r, d, lately)
	d.Place = &places[pick(r, placeShares...)]
	if d.LastSeen != 0 {
		d.Browser = &browsers[r.IntN(len(browsers))]
		if user && r.Chance(0.16) { // users have the app, too
			d.IOSApp, d.IOSSeen = &event.MobileApp{Name: "Acme", Version: "7.3.1", Device: "iPhone15,3", OS: "17.5.1", SDK: "17.1.0"}, d.LastSeen
		}
	}
	d.Unsubscribed, d.Bounced, d.Spam = r.Chance(0.06), r.Chance(0.015), r.Chance(0.002)
	if r.Chance(0.3) {
		d.Owner = admins[r.IntN(len(admins))].ID
	}
	if r.Chance(0.35) {
		d.Tags = []int32{int32(zipf(r, len(tagNames)))}
	}
	if r.Chance(0.02) { // some have many tags
		for _, n := range []int32{13, 14, 18, 25} {
			if !slices.Contains(d.Tags, n) {
				d.Tags = append(d.Tags, n)
			}
		}
	}
	if r.Chance(0.08) {
		d.Notes = []int32{int32(num * 32)}
	}
	d.Attrs = []event.Attribute{{Name: "plan", Raw: []string{`"Starter"`, `"Team"`, `"Business"`, `"Enterprise"`}[pick(r, 40, 35, 18, 7)]}}
	if r.Chance(0.6) {
		d.Attrs = append(d.Attrs, event.Attribute{Name: "job_title", Raw: r.PickText(jobs)})
	}
	if user && r.Chance(0.5) {
		d.Attrs = append(d.Attrs, event.Attribute{Name: event.DateAttribute, Raw: strconv.FormatInt(created+int64(r.IntN(700))*event.Day, 10)})
	}
	return d
}

// drawTimes draws when a contact was last seen and last opened a message. Talks tell later when it last wrote, within the stored year.
func (s *crowd) drawTimes(r *event.RNG, d *event.Contact, lately int64) {
	if r.Chance(0.91) {
		d.LastSeen = lately
	}
	if r.Chance(0.3) {
		d.LastReplied = r.TimeBetween(d.Created, lately+1)
	}
	if r.Chance(0.4) {
		d.LastContacted = r.TimeBetween(d.Created, lately+1)
	}
	if d.Created >= s.start { // talks tell what comes after hour 0
		d.LastReplied, d.LastContacted = 0, 0
	}
	if r.Chance(0.35) {
		d.LastOpened = r.TimeBetween(d.Created, lately+1)
	}
}

// LastVisit draws when a contact was last there: 42 in 100 in the last month before hour 0. One that left was there for some months.
func (s *crowd) LastVisit(r *event.RNG, created int64, left bool) int64 {
	latest := s.start - 3600
	if left {
		for range 20 {
			if end := max(created, s.HourOfDay(created+spread(r, stays, 4*stays))); end < latest {
				return end
			}
		}
		return r.TimeBetween(created, latest)
	}
	if month := max(created, latest-30*event.Day); r.Chance(0.40) || created == month {
		return r.TimeBetween(month, latest)
	}
	x := r.Float64()
	return created + int64(float64(max(0, latest-30*event.Day-created))*math.Sqrt(x))
}

// Changes draws the field changes of a contact in a simulated hour.
func (s *crowd) Changes(r *event.RNG, at int64) []event.FieldChange {
	spot := places[pick(r, placeShares...)]
	changes := [][]event.FieldChange{
		{{Field: "last_seen_at", Value: at}},
		{{Field: "location_country", Value: spot.Country}, {Field: "location_region", Value: spot.Region}, {Field: "location_city", Value: spot.City}, {Field: "last_seen_at", Value: at}},
		{{Field: "custom_attributes.plan", Value: r.PickText(Cast.Plans[1:])}},
		{{Field: "unsubscribed_from_emails", Value: r.Chance(0.5)}},
		{{Field: "owner_id", Value: admins[r.IntN(len(admins))].ID}},
	}
	return changes[pick(r, 60, 10, 8, 5, 17)]
}

// Note returns the body of a note about a contact.
func (s *crowd) Note(n int32) string {
	return "<p>" + event.NewRNG(s.seed, forNote, uint64(n)).PickText(notes) + "</p>"
}

// peopleSkew is how much more people the first companies have than the last ones.
const peopleSkew = 1.38

// rank returns the place of a company among all by its number of people, from 0, the most, to 1.
func (s *crowd) rank(n int32) float64 {
	return min((float64(n)+0.5)/float64(s.firms), 0.999)
}

// Company draws the nth company. It has more employees than contacts. A few pay most, rather the large ones.
func (s *crowd) Company(n int32, id string) *event.Company {
	r := event.NewRNG(s.seed, forCompany, uint64(n))
	made := s.start - event.Span + int64(r.IntN(event.Span*2/3))
	f := &event.Company{N: n, ID: id, ExternalID: fmt.Sprintf("acct-%05d", n), Created: made, Name: companyName(int(n)), Website: "https://" + companyDomain(int(n))}
	f.Updated = made + int64(r.Float64()*float64(s.start-3600-made))
	f.Industry = industries[int(n)/len(companyFirst)%len(industries)]
	people := 10 / peopleSkew * math.Pow(s.rank(n), 1/peopleSkew-1) // about as many contacts as it has
	large := math.Sqrt2 * math.Erfinv(1-2*s.rank(n))                // normal over the companies
	f.Spend = 9 + int64(350*math.Exp(math.Log(2000.0/350)/1.2816*(0.6*large+0.8*normal(r))))
	f.Size = min(4+int64(1.8*people)+int64(people*float64(spread(r, 120, 1400))/100), 5000)
	f.Sessions = spread(r, 60, 600)
	if !r.Chance(0.03) { // a few signed up and never came
		f.LastRequest = s.LastVisit(r, made, false)
	}
	f.Plan = planOf(f.Spend)
	f.Attrs = []event.Attribute{{Name: "region", Raw: []string{`"DACH"`, `"UK and Ireland"`, `"France"`, `"Southern Europe"`, `"North America"`}[pick(r, 35, 22, 14, 16, 13)]}}
	if r.Chance(0.3) {
		f.Tags = []int32{int32(zipf(r, len(tagNames)))}
	}
	if r.Chance(0.1) {
		f.Notes = []event.CompanyNote{{ID: 1<<32 + 8*int64(n), At: r.TimeBetween(f.Created, f.Updated+1), By: admins[r.IntN(len(admins))].ID, Body: s.Note(n)}}
	}
	return f
}

// planOf returns the plan of a company by what it pays in a month.
func planOf(spend int64) string {
	plan := Cast.Plans[1]
	for i, from := range []int64{150, 600, 2200} {
		if spend >= from {
			plan = Cast.Plans[i+2]
		}
	}
	return plan
}

// CompanyChanges draws the field changes of a company in a simulated hour.
func (s *crowd) CompanyChanges(r *event.RNG, at int64) []event.FieldChange {
	if r.Chance(0.7) {
		return []event.FieldChange{{Field: "session_count", Value: spread(r, 60, 600)}, {Field: "last_request_at", Value: at}}
	}
	spend := 9 + spread(r, 350, 2000)
	return []event.FieldChange{{Field: "monthly_spend", Value: spend}, {Field: "plan_name", Value: planOf(spend)}}
}
