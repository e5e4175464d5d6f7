package emulator

import (
	"slices"
	"strconv"
	"strings"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// firmTold is what the log says of one company: what it was born with, and what was changed since.
type firmTold struct {
	*event.Company
	row   map[string]any // its fields as columns
	attrs []event.Attribute
	tags  []int32
	notes []event.CompanyNote
}

// firmTales tells company by company, in the order of their numbers.
func (o *oracle) firmTales(yield func(t *firmTold) bool) {
	var all []*firmTold
	born := func(f *event.Company) {
		all = append(all, &firmTold{Company: f, attrs: f.Attrs, tags: f.Tags, notes: f.Notes, row: map[string]any{"id": f.ID, "company_id": f.ExternalID,
			"app_id": o.workspace, "name": f.Name, "website": f.Website, "industry": f.Industry, "plan_name": f.Plan, "created_at": f.Created,
			"updated_at": f.Updated, "last_request_at": f.LastRequest, "monthly_spend": f.Spend, "session_count": f.Sessions, "size": f.Size}})
	}
	for n := range int32(o.make.Companies) {
		born(o.make.Company(n, o.start))
	}
	for i := range o.firms {
		if e := &o.firms[i]; e.Kind == event.CompanyCreated {
			born(e.Born)
		} else {
			all[e.N].hear(e)
		}
	}
	for _, t := range all {
		if !yield(t) {
			return
		}
	}
}

func (t *firmTold) hear(e *event.CompanyEvent) {
	switch e.Kind {
	case event.CompanyNoted:
		t.notes = append(slices.Clone(t.notes), e.Note)
		return
	case event.CompanyNoteDeleted:
		at := slices.IndexFunc(t.notes, func(have event.CompanyNote) bool { return have.ID == e.Note.ID })
		t.notes = slices.Delete(slices.Clone(t.notes), at, at+1)
		return
	}
	t.row["updated_at"] = e.At
	switch e.Kind {
	case event.CompanyTagged:
		t.tags = append(without(t.tags, e.Tag), e.Tag)
	case event.CompanyUntagged:
		t.tags = without(t.tags, e.Tag)
	}
	for _, s := range e.Set {
		if name, ok := strings.CutPrefix(s.Field, "custom_attributes."); ok {
			raw, _ := rawJSON(s.Value) // checked before it came into the log
			t.attrs = population.SetAttribute(t.attrs, name, raw)
			continue
		}
		t.row[s.Field] = s.Value
	}
}

// firmRows gives a row for each company, also for those that search leaves out: they have a user_count of 0.
func (o *oracle) firmRows(yield func(map[string]any) bool) {
	users := map[int32]int64{}
	o.each(func(p *person) bool {
		if !p.user && o.knobs.UsersOnly {
			return true
		}
		for _, n := range numbers(p.born.Companies, p.companies) {
			users[n]++
		}
		return true
	})
	o.firmTales(func(t *firmTold) bool {
		t.row["plan_id"] = nil
		if plan, _ := t.row["plan_name"].(string); plan != "" {
			t.row["plan_id"] = strconv.Itoa(1 + max(0, slices.Index(event.Plans, plan)))
		}
		for _, column := range []string{"name", "website", "industry", "plan_name", "last_request_at", "size"} {
			t.row[column] = orNull(t.row[column])
		}
		t.row["user_count"] = users[t.N]
		t.row["custom_attributes"] = string((&renderer{}).attrs(nil, &event.Contact{Attrs: t.attrs})[len(`,"custom_attributes":`):])
		return yield(t.row)
	})
}

func (o *oracle) firmTags(yield func(map[string]any) bool) {
	o.firmTales(func(t *firmTold) bool {
		for _, n := range t.tags {
			if !yield(map[string]any{"company_id": t.ID, "tag_id": strconv.FormatInt(event.TagID(n), 10)}) {
				return false
			}
		}
		return true
	})
}

func (o *oracle) firmSegments(yield func(map[string]any) bool) {
	o.firmTales(func(t *firmTold) bool {
		in := map[int32]bool{0: t.row["monthly_spend"].(int64) > 6000, 1: t.row["last_request_at"] == int64(0), 2: t.row["size"].(int64) > 250}
		for n := range int32(len(event.CompanySegments)) {
			if in[n] && !yield(map[string]any{"company_id": t.ID, "segment_id": strconv.FormatInt(event.CompanySegmentID(n), 10)}) {
				return false
			}
		}
		return true
	})
}

func (o *oracle) firmNotes(yield func(map[string]any) bool) {
	o.firmTales(func(t *firmTold) bool {
		for _, n := range t.notes {
			if !yield(map[string]any{"company_id": t.ID, "note_id": strconv.FormatInt(n.ID, 10), "body": n.Body, "created_at": n.At,
				"author_id": strconv.FormatInt(n.By, 10)}) {
				return false
			}
		}
		return true
	})
}
