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
	p.Text("type", "company")
	p.Text("id", f.ID)
	p.Text("company_id", f.ExternalID)
	p.Text("app_id", w.WorkspaceID)
	p.Text("name", f.Name)
	p.Text("website", f.Website)
	p.Text("industry", f.Industry)
	p.Time("created_at", f.Created)
	p.Time("updated_at", f.Updated)
	p.Time("last_request_at", f.LastRequest)
	p.Int("monthly_spend", f.Spend)
	p.Int("session_count", f.Sessions)
	p.Time("size", f.Size)
	p.Int("user_count", w.CountUsersOf(f.N))
	p.Typed("tags", "tag.list", "tags")
	for _, n := range f.Tags {
		p.Key("")
		p.Bytes = render.AppendTag(p.Bytes, n, false)
	}
	p.Done()
	p.Typed("segments", "segment.list", "segments")
	for _, n := range companies.SegmentsOfCompany(f) {
		p.Key("")
		p.Bytes = w.appendFirmSegment(p.Bytes, n, -1)
	}
	p.Done()
	p.Open("plan")
	if f.Plan != "" {
		p.Text("type", "plan")
		p.Text("id", companies.PlanID(f.Plan))
		p.Text("name", f.Plan)
	}
	p.Close()
	p.Bytes = (&render.Contacts{}).Attrs(p.Bytes, &event.Contact{Attrs: f.Attrs})
	p.Close()
	return p.Bytes
}

// appendFirmSegment writes a segment of companies; count is below 0 when it is not told.
func (w *Handlers) appendFirmSegment(b []byte, n int32, count int) []byte {
	s, began := event.CompanySegments[n], w.Setup.Start.Unix()-event.Span
	p := &jsontext.Writer{Bytes: b}
	p.Bytes = append(p.Bytes, '{')
	p.Text("type", "segment")
	p.Text("id", strconv.FormatInt(event.CompanySegmentID(n), 10))
	p.Text("name", s.Name)
	p.Time("created_at", began+s.Made)
	p.Time("updated_at", began+s.Updated)
	p.Text("person_type", "company")
	if count >= 0 {
		p.Int(w.K().SegmentCountField(), int64(count))
	}
	p.Close()
	return p.Bytes
}
