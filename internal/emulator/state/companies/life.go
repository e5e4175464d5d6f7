package companies

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/state/core"
)

// ErrNoCompany means that an operation names an unknown company.
var ErrNoCompany = errors.New("no such company")

// SeedCompanies makes the companies of hour 0, visible to search at once.
func (w *Companies) SeedCompanies() {
	w.numByID = make(map[string]int32, w.People.Maker.Companies)
	w.CompanyIndex.Init(&w.SearchEnv, w.searchCompany())
	for n := range int32(w.People.Maker.Companies) {
		f := w.People.Maker.DrawCompany(n, w.Setup.Start.Unix())
		w.CompanyList = append(w.CompanyList, Company{Newest: f})
		w.numByID[f.ID] = n
	}
	w.CompanyIndex.StartAnnouncing()
}

// RecordCompanyEvent appends an event to the log of companies and updates the served state.
func (w *Companies) RecordCompanyEvent(e event.CompanyEvent) {
	w.CountUsers() // Companies with users by the log so far, before the event changes that
	w.CompanyLog = append(w.CompanyLog, e)
	if e.Kind == event.CompanyCreated {
		w.CompanyList = append(w.CompanyList, Company{Newest: e.Born})
		w.numByID[e.Born.ID] = e.N
		return
	}
	c := &w.CompanyList[e.N]
	f := *c.Newest
	f.Updated = e.At
	switch e.Kind {
	case event.CompanyUpdated:
		for _, s := range e.Set {
			_ = setCompanyField(&f, s) // checked before it came into the log
		}
	case event.CompanyTagged:
		f.Tags = core.WithElement(f.Tags, e.Tag)
	case event.CompanyUntagged:
		f.Tags = core.WithoutElement(f.Tags, e.Tag)
	case event.CompanyNoted:
		f.Notes, f.Updated = append(f.Notes[:len(f.Notes):len(f.Notes)], e.Note), c.Newest.Updated
	case event.CompanyNoteDeleted:
		f.Notes, f.Updated = slices.DeleteFunc(slices.Clone(f.Notes), func(note event.CompanyNote) bool { return note.ID == e.Note.ID }), c.Newest.Updated
	}
	c.Newest = &f
	if w.heads.of[e.N] > 0 {
		w.CompanyIndex.Announce(len(w.CompanyLog), e.At, e.N, c.Newest)
	}
}

// SimulateCompaniesHour changes companies in a simulated hour. Now and then it creates one, which has no users yet.
func (w *Companies) SimulateCompaniesHour(base int64) {
	r := event.NewRNG(w.Setup.Seed, event.ForCompanyFields, 1, uint64(w.HoursLived))
	at := base + 60
	for range 1 + r.IntN(4) {
		at += int64(r.IntN(600))
		w.Happen(at, func(at int64) { w.simulateCompany(r, at) })
	}
}

// simulateCompany changes or creates one company.
func (w *Companies) simulateCompany(r *event.RNG, at int64) {
	e := event.CompanyEvent{At: at, Kind: event.CompanyUpdated, N: int32(r.IntN(len(w.CompanyList)))}
	have := w.CompanyList[e.N].Newest.Tags
	script := w.Setup.Origin.Script
	switch x := r.IntN(10); {
	case x == 0 && (script == nil || r.Chance(script.Busy(at)/5)):
		_, _ = w.createCompanyAt(at, nil) // cannot be refused, as nothing is set
		return
	case x == 1:
		e.Kind, e.Note = event.CompanyNoted, w.firmNote(r, at, w.People.Maker.DrawNote(r))
	case x == 2:
		e.Kind, e.Tag = event.CompanyTagged, int32(r.IntN(w.Setup.Cast.TagCount))
	case x == 3 && len(have) > 0:
		e.Kind, e.Tag = event.CompanyUntagged, have[r.IntN(len(have))]
	case x < 7:
		e.Set = w.People.Maker.DrawCompanyChanges(r, at, true)
	default:
		e.Set = w.People.Maker.DrawCompanyChanges(r, at, false)
	}
	w.RecordCompanyEvent(e)
}

func (w *Companies) firmNote(r *event.RNG, at int64, body string) event.CompanyNote {
	return event.CompanyNote{ID: population.WrittenCompanyNotes + int64(len(w.CompanyLog)), At: at, By: w.Setup.Cast.Admins[r.IntN(len(w.Setup.Cast.Admins))].ID, Body: body}
}

func (w *Companies) createCompanyAt(at int64, set []event.FieldChange) (string, error) {
	f := w.People.Maker.DrawCompany(int32(len(w.CompanyList)), w.Setup.Start.Unix())
	f.Created, f.Updated, f.LastRequest, f.Notes = at, at, 0, nil
	return w.recordNewCompany(f, set)
}

// recordNewCompany records that a company was created, with some fields set.
func (w *Companies) recordNewCompany(f *event.Company, set []event.FieldChange) (string, error) {
	for _, s := range core.PlainChanges(set) {
		if err := setCompanyField(f, s); err != nil {
			return "", fmt.Errorf("create a company: %w", err)
		}
	}
	w.RecordCompanyEvent(event.CompanyEvent{At: f.Created, Kind: event.CompanyCreated, N: f.N, Born: f})
	return f.ID, nil
}

// CreateCompany creates a company without users and returns its id. AddCompany names it by its number, from 0.
func (w *Companies) CreateCompany(set ...event.FieldChange) (string, error) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return w.createCompanyAt(w.UnixNow(), set)
}

// CreatePlainCompany creates a company without users that has a company_id, which no other has, and the fields of set. It returns its id.
func (w *Companies) CreatePlainCompany(external string, set ...event.FieldChange) (string, error) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	if _, taken := w.FindExternalCompany(external); taken {
		return "", fmt.Errorf("create a company: another has the company_id %s", external)
	}
	at, n := w.UnixNow(), int32(len(w.CompanyList))
	return w.recordNewCompany(&event.Company{N: n, ID: string(w.People.Maker.AppendCompanyID(nil, n)), ExternalID: external, Created: at, Updated: at}, set)
}

// CompanyCount returns the number of companies.
func (w *Companies) CompanyCount() int {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return len(w.CompanyList)
}

// UpdateCompany sets name, website, industry, plan_name, monthly_spend, session_count, size, last_request_at or
// custom_attributes.<name>.
func (w *Companies) UpdateCompany(id string, set ...event.FieldChange) error {
	return w.firmEvent(id, func(e *event.CompanyEvent) error {
		e.Kind, e.Set = event.CompanyUpdated, core.PlainChanges(set)
		trial := *w.CompanyList[e.N].Newest
		for _, s := range e.Set {
			if err := setCompanyField(&trial, s); err != nil {
				return err
			}
		}
		return nil
	})
}

// TagCompany adds a tag to a company; tags are numbered from 0 to 599.
func (w *Companies) TagCompany(id string, tag int) error {
	return w.firmEvent(id, func(e *event.CompanyEvent) error {
		e.Kind = event.CompanyTagged
		return core.SetInt32(&e.Tag, tag, w.Setup.Cast.TagCount)
	})
}

// UntagCompany removes a tag.
func (w *Companies) UntagCompany(id string, tag int) error {
	return w.firmEvent(id, func(e *event.CompanyEvent) error {
		e.Kind = event.CompanyUntagged
		return core.SetInt32(&e.Tag, tag, w.Setup.Cast.TagCount)
	})
}

// AddCompanyNote adds a note about a company and returns its id. The company's updated_at does not move.
func (w *Companies) AddCompanyNote(id, body string) (note string, err error) {
	err = w.firmEvent(id, func(e *event.CompanyEvent) error {
		e.Kind, e.Note = event.CompanyNoted, w.firmNote(event.NewRNG(w.Setup.Seed, event.ForCompanyFields, 2, uint64(len(w.CompanyLog))), e.At, body)
		note = strconv.FormatInt(e.Note.ID, 10)
		return nil
	})
	return note, err
}

func (w *Companies) firmEvent(id string, fill func(e *event.CompanyEvent) error) error {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	n, ok := w.FindCompany(id)
	if !ok {
		return fmt.Errorf("company %s: %w", id, ErrNoCompany)
	}
	e := event.CompanyEvent{At: w.UnixNow(), N: n}
	if err := fill(&e); err != nil {
		return fmt.Errorf("company %s: %w", id, err)
	}
	w.RecordCompanyEvent(e)
	return nil
}
