package population

import (
	"strconv"

	"aqueduck/internal/emulator/event"
)

// Ids of company notes begin beyond those of contact notes, because notes are deleted by id alone.
const (
	drawnCompanyNotes   = 1 << 32
	WrittenCompanyNotes = 1 << 36
)

var firmIndustries = []string{"", "Retail", "Bücher", "Health & care", "ソフトウェア"}

// DrawCompany draws the nth company of the population.
func (m *Contacts) DrawCompany(n int32, start int64) *event.Company {
	if m.Script != nil {
		return m.Script.Company(n, string(m.AppendCompanyID(nil, n)))
	}
	r := event.NewRNG(m.Seed, event.ForCompany, uint64(n))
	made := start - event.Span + int64(r.IntN(event.Span/2))
	f := &event.Company{N: n, ID: string(m.AppendCompanyID(nil, n)), ExternalID: "acct-" + strconv.Itoa(int(n)), Created: made}
	f.Name = r.PickText(lastNames) + " " + r.PickText([]string{"GmbH", "Ltd.", "S.à r.l.", "& Sons", "株式会社"})
	f.Updated = made + int64(r.IntN(event.Span/3))
	f.Spend, f.Sessions = int64(r.IntN(9000)), int64(r.IntN(500))
	m.fillCompany(f)
	return f
}

// DrawCompanyChanges draws the field changes of a company at a time.
func (m *Contacts) DrawCompanyChanges(r *event.RNG, at int64, visits bool) []event.FieldChange {
	switch {
	case m.Script != nil:
		return m.Script.CompanyChanges(r, at)
	case visits:
		return []event.FieldChange{{Field: "session_count", Value: int64(r.IntN(900))}, {Field: "last_request_at", Value: at}}
	}
	return []event.FieldChange{{Field: "monthly_spend", Value: int64(r.IntN(9000))}, {Field: "plan_name", Value: r.PickText(m.Cast.Plans[1:])}, {Field: "custom_attributes.score", Value: int64(r.IntN(1000))}}
}

// fillCompany draws the other fields of a company.
func (m *Contacts) fillCompany(f *event.Company) {
	r := event.NewRNG(m.Seed, event.ForCompanyFields, uint64(f.N))
	f.Plan, f.Industry, f.Size = r.PickText(m.Cast.Plans), r.PickText(firmIndustries), max(0, int64(r.IntN(400))-20)
	if f.N%37 == 5 {
		f.Name = "" // known by its id alone
	}
	if r.Chance(0.6) {
		f.Website = "https://firm-" + strconv.Itoa(int(f.N)) + ".example/?a=1&b=2"
	}
	if r.Chance(0.7) {
		f.LastRequest = r.TimeBetween(f.Created, f.Updated+1)
	}
	if r.Chance(0.5) {
		f.Attrs = m.drawAttributes(r, f.Created)
	}
	if r.Chance(0.4) {
		f.Tags = drawDistinct(r, 1+r.IntN(3), m.Cast.TagCount)
	}
	for range max(0, r.IntN(8)-5) {
		f.Notes = append(f.Notes, event.CompanyNote{ID: drawnCompanyNotes + 8*int64(f.N) + int64(len(f.Notes)), At: r.TimeBetween(f.Created, f.Updated+1),
			By: m.Cast.Admins[r.IntN(len(m.Cast.Admins))].ID, Body: "<p>" + r.PickText(NoteWords) + "</p>"})
	}
}

// AppendCompanyID writes the id of the nth company.
func (m *Contacts) AppendCompanyID(b []byte, n int32) []byte {
	h := event.MixBits(m.Seed ^ event.ForCompany<<40 ^ uint64(n))
	b = append(b, "6453768a"...)
	for shift := 60; shift >= 0; shift -= 4 {
		b = append(b, "0123456789abcdef"[h>>shift&15])
	}
	return b
}
