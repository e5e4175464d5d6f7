package emulator

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/search"
)

// company is what the server keeps of one company.
type company struct {
	now *event.Company
	search.Shown[event.Company]
}

// setCompanyField applies one change. Fields are named as the oracle's columns are.
func setCompanyField(f *event.Company, c event.Change) error {
	if name, ok := strings.CutPrefix(c.Field, "custom_attributes."); ok {
		raw, err := rawJSON(c.Value)
		if err == nil {
			f.Attrs = population.SetAttribute(f.Attrs, name, raw)
		}
		return err
	}
	texts := map[string]*string{"name": &f.Name, "website": &f.Website, "industry": &f.Industry, "plan_name": &f.Plan}
	ints := map[string]*int64{"monthly_spend": &f.Spend, "session_count": &f.Sessions, "size": &f.Size, "last_request_at": &f.LastRequest}
	switch v := c.Value.(type) {
	case string:
		if p, ok := texts[c.Field]; ok {
			*p = v
			return nil
		}
	case int64:
		if p, ok := ints[c.Field]; ok {
			*p = v
			return nil
		}
	}
	return fmt.Errorf("set %s of a company to %v: not possible", c.Field, c.Value)
}

// segmentsOfCompany says which segments a company is in.
func segmentsOfCompany(f *event.Company) []int32 {
	var list []int32
	for n, yes := range []bool{f.Spend > 6000, f.LastRequest == 0, f.Size > 250} {
		if yes {
			list = append(list, int32(n))
		}
	}
	return list
}

// headcount is how many active contacts each company has, counted when it is asked for and contacts have changed.
type headcount struct {
	log, firms int // how long the log of contacts was, and how many companies there were
	usersOnly  bool
	of         []int32
}

// countUsers counts the users of companies anew when contacts have changed, and lets search lose those without any and find those
// who have some again (workspace-api 4.11, trap T78). Neither moves updated_at. The lock is held.
func (w *companyDesk) countUsers() {
	usersOnly := w.k().UsersOnly
	if w.heads.log == len(w.people.events) && w.heads.firms == len(w.firms) && w.heads.usersOnly == usersOnly {
		return
	}
	w.heads = headcount{len(w.people.events), len(w.firms), usersOnly, make([]int32, len(w.firms))}
	for i := range w.people.contacts {
		if c := &w.people.contacts[i]; c.status == active && (c.doc.User || !usersOnly) {
			for _, n := range c.doc.Companies {
				w.heads.of[n]++
			}
		}
	}
	w.firmIdx.Forget()
	for n := range w.firms {
		c := &w.firms[n]
		switch used := w.heads.of[n] > 0; {
		case !used:
			w.firmIdx.Show(int32(n), nil)
		case c.Now == nil:
			c.From = len(w.firmLog)
			w.firmIdx.Show(int32(n), c.now)
		}
	}
}

// companyUsers is how many users a company has.
func (w *companyDesk) companyUsers(n int32) int64 {
	w.countUsers()
	return int64(w.heads.of[n])
}

// searchCompany is how search knows a company.
func (w *companyDesk) searchCompany() search.Records[event.Company] {
	whole := search.Integer[event.Company]
	return search.Records[event.Company]{Kind: "companies", Prefix: event.OwnAttribute, Attrs: func(f *event.Company) []event.Attribute { return f.Attrs }, Usual: 50, Lag: event.ForCompanyFields + 1<<32,
		Count: func() int { return len(w.firms) },
		At:    func(num int32) *search.Shown[event.Company] { return &w.firms[num].Shown },
		Gone:  func(num int32) bool { return w.companyUsers(num) == 0 },
		Fields: map[string]search.Field[event.Company]{
			"id":              search.Text(func(f *event.Company) string { return f.ID }),
			"company_id":      search.Text(func(f *event.Company) string { return f.ExternalID }),
			"name":            search.Text(func(f *event.Company) string { return f.Name }),
			"website":         search.Text(func(f *event.Company) string { return f.Website }),
			"industry":        search.Text(func(f *event.Company) string { return f.Industry }),
			"plan":            search.Text(func(f *event.Company) string { return f.Plan }),
			"created_at":      search.Date(func(f *event.Company) int64 { return f.Created }),
			"updated_at":      search.Date(func(f *event.Company) int64 { return f.Updated }),
			"last_request_at": search.Date(func(f *event.Company) int64 { return f.LastRequest }),
			"monthly_spend":   whole(func(f *event.Company) int64 { return f.Spend }),
			"session_count":   whole(func(f *event.Company) int64 { return f.Sessions }),
			"size":            search.Rare(func(f *event.Company) int64 { return f.Size }),
			"user_count":      whole(func(f *event.Company) int64 { return w.companyUsers(f.N) }),
			"tag_id":          search.Members(func(f *event.Company) []string { return texts(f.Tags, event.TagID) }),
			"segment_id":      search.Members(func(f *event.Company) []string { return texts(segmentsOfCompany(f), event.CompanySegmentID) }),
		}}
}

// companyNamed finds a company by its id.
func (w *companyDesk) companyNamed(id string) (int32, bool) {
	n, ok := w.firmNum[id]
	return n, ok
}

// appendCompany writes a company with the fields of workspace-api 2.2.
func (w *server) appendCompany(b []byte, n int32) []byte { return w.appendFirm(b, w.firms[n].now) }

func (w *server) appendFirm(b []byte, f *event.Company) []byte {
	p := &jsontext.Writer{Bytes: b}
	p.Bytes = append(p.Bytes, '{')
	p.Text("type", "company")
	p.Text("id", f.ID)
	p.Text("company_id", f.ExternalID)
	p.Text("app_id", w.workspace)
	p.Text("name", f.Name)
	p.Text("website", f.Website)
	p.Text("industry", f.Industry)
	p.Time("created_at", f.Created)
	p.Time("updated_at", f.Updated)
	p.Time("last_request_at", f.LastRequest)
	p.Int("monthly_spend", f.Spend)
	p.Int("session_count", f.Sessions)
	p.Time("size", f.Size)
	p.Int("user_count", w.companyUsers(f.N))
	p.Typed("tags", "tag.list", "tags")
	for _, n := range f.Tags {
		p.Key("")
		p.Bytes = appendTag(p.Bytes, n, false)
	}
	p.Done()
	p.Typed("segments", "segment.list", "segments")
	for _, n := range segmentsOfCompany(f) {
		p.Key("")
		p.Bytes = w.appendFirmSegment(p.Bytes, n, -1)
	}
	p.Done()
	p.Open("plan")
	if f.Plan != "" {
		p.Text("type", "plan")
		p.Text("id", planID(f.Plan))
		p.Text("name", f.Plan)
	}
	p.Close()
	p.Bytes = (&renderer{}).attrs(p.Bytes, &event.Contact{Attrs: f.Attrs})
	p.Close()
	return p.Bytes
}

func planID(name string) string { return strconv.Itoa(1 + max(0, slices.Index(event.Plans, name))) }

// appendFirmSegment writes a segment of companies; count is below 0 when it is not told.
func (w *server) appendFirmSegment(b []byte, n int32, count int) []byte {
	s, began := event.CompanySegments[n], w.cfg.Start.Unix()-event.Span
	p := &jsontext.Writer{Bytes: b}
	p.Bytes = append(p.Bytes, '{')
	p.Text("type", "segment")
	p.Text("id", strconv.FormatInt(event.CompanySegmentID(n), 10))
	p.Text("name", s.Name)
	p.Time("created_at", began+s.Made)
	p.Time("updated_at", began+s.Updated)
	p.Text("person_type", "company")
	if count >= 0 {
		p.Int(w.k().SegmentCountField(), int64(count))
	}
	p.Close()
	return p.Bytes
}

// companiesIn counts the companies of a segment.
func (w *companyDesk) companiesIn(segment int32) int {
	count := 0
	for n := range w.firms {
		if slices.Contains(segmentsOfCompany(w.firms[n].now), segment) {
			count++
		}
	}
	return count
}
