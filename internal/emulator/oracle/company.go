package oracle

import (
	"slices"
	"strconv"
	"strings"

	"aqueduck/internal/emulator/event"
)

// replayedCompany is the state of one company after a replay of its log.
type replayedCompany struct {
	*event.Company
	row   Row // its fields as columns
	attrs []event.Attribute
	tags  []int32
	notes []event.CompanyNote
}

// replayCompanies returns all companies, in the order of their numbers.
func (o *Oracle) replayCompanies() (all []*replayedCompany) {
	born := func(c *event.Company) {
		all = append(all, &replayedCompany{Company: c, attrs: c.Attrs, tags: c.Tags, notes: c.Notes, row: Row{"id": c.ID, "company_id": c.ExternalID,
			"app_id": o.terms.Workspace, "name": c.Name, "website": c.Website, "industry": c.Industry, "plan_name": c.Plan, "created_at": c.Created,
			"updated_at": c.Updated, "last_request_at": c.LastRequest, "monthly_spend": c.Spend, "session_count": c.Sessions, "size": c.Size}})
	}
	for n := range o.log.Facts.Companies {
		born(o.log.Facts.Company(int32(n)))
	}
	for i := range o.log.Companies {
		if e := &o.log.Companies[i]; e.Kind == event.CompanyCreated {
			born(e.Born)
		} else {
			all[e.N].applyEvent(e)
		}
	}
	return all
}

func (c *replayedCompany) applyEvent(e *event.CompanyEvent) {
	switch e.Kind {
	case event.CompanyNoted:
		c.notes = append(slices.Clone(c.notes), e.Note)
		return
	case event.CompanyNoteDeleted:
		at := slices.IndexFunc(c.notes, func(have event.CompanyNote) bool { return have.ID == e.Note.ID })
		c.notes = slices.Delete(slices.Clone(c.notes), at, at+1)
		return
	}
	c.row["updated_at"] = e.At
	switch e.Kind {
	case event.CompanyTagged:
		if !slices.Contains(c.tags, e.Tag) {
			c.tags = append(slices.Clone(c.tags), e.Tag)
		}
	case event.CompanyUntagged:
		c.tags = slices.DeleteFunc(slices.Clone(c.tags), func(n int32) bool { return n == e.Tag })
	}
	for _, s := range e.Set {
		if name, ok := strings.CutPrefix(s.Field, "custom_attributes."); ok {
			c.attrs = setAttribute(c.attrs, name, valueText(s.Value))
			continue
		}
		c.row[s.Field] = s.Value
	}
}

// companyRows yields a row for each company. Companies that search omits have a user_count of 0.
func companyRows(o *Oracle, yield func(Row) bool) {
	users := map[int32]int64{}
	o.eachActive(func(p *replayedContact) bool {
		if !p.user && o.terms.UsersOnly {
			return true
		}
		for _, n := range currentNumbers(p.born.Companies, p.companies) {
			users[n]++
		}
		return true
	})
	for _, c := range o.replayCompanies() {
		c.row["plan_id"] = nil
		if plan, _ := c.row["plan_name"].(string); plan != "" {
			c.row["plan_id"] = strconv.Itoa(1 + max(0, slices.Index(o.log.Cast.Plans, plan)))
		}
		for _, column := range []string{"name", "website", "industry", "plan_name", "last_request_at", "size"} {
			c.row[column] = orNull(c.row[column])
		}
		c.row["user_count"] = users[c.N]
		c.row["custom_attributes"] = jsonAttributes(c.attrs)
		if !yield(c.row) {
			return
		}
	}
}

func companyTags(o *Oracle, yield func(Row) bool) {
	for _, c := range o.replayCompanies() {
		for _, n := range c.tags {
			if !yield(Row{"company_id": c.ID, "tag_id": idText(event.TagID(n)), "name": o.log.Cast.TagName(n)}) {
				return
			}
		}
	}
}

// companySegments yields the members of the segments: big spenders, companies that were never active, and large ones.
func companySegments(o *Oracle, yield func(Row) bool) {
	for _, c := range o.replayCompanies() {
		in := []bool{c.row["monthly_spend"].(int64) > 6000, c.row["last_request_at"] == int64(0), c.row["size"].(int64) > 250}
		for n := range in {
			if in[n] && !yield(Row{"company_id": c.ID, "segment_id": idText(event.CompanySegmentID(int32(n))), "name": o.log.Cast.CompanySegments[n].Name}) {
				return
			}
		}
	}
}

func companyNotes(o *Oracle, yield func(Row) bool) {
	for _, c := range o.replayCompanies() {
		for _, n := range c.notes {
			if !yield(Row{"company_id": c.ID, "note_id": idText(n.ID), "body": n.Body, "created_at": n.At, "author_id": idText(n.By)}) {
				return
			}
		}
	}
}
