package companies

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/search"
	"aqueduck/internal/emulator/state/contacts"
	"aqueduck/internal/emulator/state/core"
)

// Companies is the state of companies.
type Companies struct {
	*core.Core
	People       *contacts.Book
	CompanyList  []Company // by number
	numByID      map[string]int32
	CompanyLog   []event.CompanyEvent // companies' events since hour 0
	CompanyIndex search.Index[event.Company]
	heads        userCounts
}

// Company is the state of one company.
type Company struct {
	Newest *event.Company
	search.Shown[event.Company]
}

// setCompanyField applies one change. Fields have the names of the oracle's columns.
func setCompanyField(f *event.Company, c event.FieldChange) error {
	if name, ok := strings.CutPrefix(c.Field, "custom_attributes."); ok {
		raw, err := core.RawJSON(c.Value)
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

// SegmentsOfCompany returns the segments that a company is in.
func SegmentsOfCompany(f *event.Company) []int32 {
	var list []int32
	for n, yes := range []bool{f.Spend > 6000, f.LastRequest == 0, f.Size > 250} {
		if yes {
			list = append(list, int32(n))
		}
	}
	return list
}

// userCounts caches the number of active contacts of each company. It is counted again when contacts or companies have changed.
type userCounts struct {
	log, companies int // length of the log of contacts, and number of companies, at the last count
	usersOnly      bool
	of             []int32
}

// CountUsers counts the users of companies when contacts have changed. Companies without users disappear from search, and those with users
// come back (workspace-api 4.11, trap T78). updated_at does not move. The caller holds the lock.
func (w *Companies) CountUsers() {
	usersOnly := w.K().UsersOnly
	if w.heads.log == len(w.People.ContactLog) && w.heads.companies == len(w.CompanyList) && w.heads.usersOnly == usersOnly {
		return
	}
	w.heads = userCounts{len(w.People.ContactLog), len(w.CompanyList), usersOnly, make([]int32, len(w.CompanyList))}
	for i := range w.People.List {
		if c := &w.People.List[i]; c.Status == contacts.Active && (c.Doc.User || !usersOnly) {
			for _, n := range c.Doc.Companies {
				w.heads.of[n]++
			}
		}
	}
	w.CompanyIndex.ClearAnswers()
	for n := range w.CompanyList {
		c := &w.CompanyList[n]
		switch used := w.heads.of[n] > 0; {
		case !used:
			w.CompanyIndex.ShowVersion(int32(n), nil)
		case c.Now == nil:
			c.From = len(w.CompanyLog)
			w.CompanyIndex.ShowVersion(int32(n), c.Newest)
		}
	}
}

// CountUsersOf returns the number of users of a company.
func (w *Companies) CountUsersOf(n int32) int64 {
	w.CountUsers()
	return int64(w.heads.of[n])
}

// searchCompany describes companies for search.
func (w *Companies) searchCompany() search.Records[event.Company] {
	whole := search.IntegerField[event.Company]
	return search.Records[event.Company]{Kind: "companies", Prefix: event.OwnAttribute, Attrs: func(f *event.Company) []event.Attribute { return f.Attrs }, Usual: 50, Lag: event.ForCompanyFields + 1<<32,
		Count:   func() int { return len(w.CompanyList) },
		At:      func(num int32) *search.Shown[event.Company] { return &w.CompanyList[num].Shown },
		HasLeft: func(num int32) bool { return w.CountUsersOf(num) == 0 },
		Fields: map[string]search.Field[event.Company]{
			"id":              search.TextField(func(f *event.Company) string { return f.ID }),
			"company_id":      search.TextField(func(f *event.Company) string { return f.ExternalID }),
			"name":            search.TextField(func(f *event.Company) string { return f.Name }),
			"website":         search.TextField(func(f *event.Company) string { return f.Website }),
			"industry":        search.TextField(func(f *event.Company) string { return f.Industry }),
			"plan":            search.TextField(func(f *event.Company) string { return f.Plan }),
			"created_at":      search.DateField(func(f *event.Company) int64 { return f.Created }),
			"updated_at":      search.DateField(func(f *event.Company) int64 { return f.Updated }),
			"last_request_at": search.DateField(func(f *event.Company) int64 { return f.LastRequest }),
			"monthly_spend":   whole(func(f *event.Company) int64 { return f.Spend }),
			"session_count":   whole(func(f *event.Company) int64 { return f.Sessions }),
			"size":            search.OptionalInteger(func(f *event.Company) int64 { return f.Size }),
			"user_count":      whole(func(f *event.Company) int64 { return w.CountUsersOf(f.N) }),
			"tag_id":          search.MembersField(func(f *event.Company) []string { return core.NumberTexts(f.Tags, event.TagID) }),
			"segment_id":      search.MembersField(func(f *event.Company) []string { return core.NumberTexts(SegmentsOfCompany(f), event.CompanySegmentID) }),
		}}
}

// FindCompany returns the number of a company by its id.
func (w *Companies) FindCompany(id string) (int32, bool) {
	n, ok := w.numByID[id]
	return n, ok
}

// FindExternalCompany returns the number of the first company with a company_id.
func (w *Companies) FindExternalCompany(external string) (int32, bool) {
	n := slices.IndexFunc(w.CompanyList, func(c Company) bool { return c.Newest.ExternalID == external })
	return int32(n), n >= 0
}

// PlanID returns the id of a plan by its name.
func (w *Companies) PlanID(name string) string {
	return strconv.Itoa(1 + max(0, slices.Index(w.Setup.Cast.Plans, name)))
}

// CountInSegment counts the companies of a segment.
func (w *Companies) CountInSegment(segment int32) int {
	count := 0
	for n := range w.CompanyList {
		if slices.Contains(SegmentsOfCompany(w.CompanyList[n].Newest), segment) {
			count++
		}
	}
	return count
}
