package api

import (
	"strconv"

	"aqueduck/internal/emulator/api/render"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/state/companies"
)

// appendCompany writes a company with the fields of workspace-api 2.2.
func (w *Handlers) appendCompany(b []byte, n int32) []byte {
	return w.appendFirm(b, w.CompanyList[n].Newest)
}

func (w *Handlers) appendFirm(b []byte, f *event.Company) []byte {
	p := &jsontext.Writer{Bytes: b}
	p.Bytes = append(p.Bytes, '{')
	p.TextOrNull("type", "company")
	p.TextOrNull("id", f.ID)
	p.TextOrNull("company_id", f.ExternalID)
	p.TextOrNull("app_id", w.WorkspaceID)
	p.TextOrNull("name", f.Name)
	p.TextOrNull("website", f.Website)
	p.TextOrNull("industry", f.Industry)
	p.TimeOrNull("created_at", f.Created)
	p.TimeOrNull("updated_at", f.Updated)
	p.TimeOrNull("last_request_at", f.LastRequest)
	p.Int("monthly_spend", f.Spend)
	p.Int("session_count", f.Sessions)
	p.TimeOrNull("size", f.Size)
	p.Int("user_count", w.CountUsersOf(f.N))
	p.OpenTypedList("tags", "tag.list", "tags")
	for _, n := range f.Tags {
		p.WriteKey("")
		p.Bytes = render.AppendTag(w.Setup.Cast, p.Bytes, n, false)
	}
	p.CloseTypedList()
	p.OpenTypedList("segments", "segment.list", "segments")
	for _, n := range companies.SegmentsOfCompany(f) {
		p.WriteKey("")
		p.Bytes = w.appendCompanySegment(p.Bytes, n, -1)
	}
	p.CloseTypedList()
	p.Open("plan")
	if f.Plan != "" {
		p.TextOrNull("type", "plan")
		p.TextOrNull("id", w.PlanID(f.Plan))
		p.TextOrNull("name", f.Plan)
	}
	p.Close()
	p.Bytes = (&render.Contacts{}).AppendAttributes(p.Bytes, &event.Contact{Attrs: f.Attrs})
	p.Close()
	return p.Bytes
}

// appendCompanySegment writes a segment of companies. A count below 0 is not sent.
func (w *Handlers) appendCompanySegment(b []byte, n int32, count int) []byte {
	s, began := w.Setup.Cast.CompanySegments[n], w.Setup.Start.Unix()-event.Span
	p := &jsontext.Writer{Bytes: b}
	p.Bytes = append(p.Bytes, '{')
	p.TextOrNull("type", "segment")
	p.TextOrNull("id", strconv.FormatInt(event.CompanySegmentID(n), 10))
	p.TextOrNull("name", s.Name)
	p.TimeOrNull("created_at", began+s.Made)
	p.TimeOrNull("updated_at", began+s.Updated)
	p.TextOrNull("person_type", "company")
	if count >= 0 {
		p.Int(w.K().SegmentCountField(), int64(count))
	}
	p.Close()
	return p.Bytes
}
