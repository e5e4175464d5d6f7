package emulator

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// ErrNoCompany is answered when an operation names a company that is not there.
var ErrNoCompany = errors.New("no such company")

// beginCompanies makes the companies of hour 0, which search has long found.
func (w *companyDesk) beginCompanies() {
	w.firmNum = make(map[string]int32, w.people.make.Companies)
	w.firmIdx.Init(&w.env, w.searchCompany())
	for n := range int32(w.people.make.Companies) {
		f := w.people.make.Company(n, w.cfg.Start.Unix())
		w.firms = append(w.firms, company{now: f})
		w.firmNum[f.ID] = n
	}
	w.firmIdx.Open()
}

// recordFirm appends an event to the log of companies and makes the served state follow it.
func (w *companyDesk) recordFirm(e event.CompanyEvent) {
	w.countUsers() // search knew who had users before this
	w.firmLog = append(w.firmLog, e)
	if e.Kind == event.CompanyCreated {
		w.firms = append(w.firms, company{now: e.Born})
		w.firmNum[e.Born.ID] = e.N
		return
	}
	c := &w.firms[e.N]
	f := *c.now
	f.Updated = e.At
	switch e.Kind {
	case event.CompanyUpdated:
		for _, s := range e.Set {
			_ = setCompanyField(&f, s) // checked before it came into the log
		}
	case event.CompanyTagged:
		f.Tags = with(f.Tags, e.Tag)
	case event.CompanyUntagged:
		f.Tags = without(f.Tags, e.Tag)
	case event.CompanyNoted:
		f.Notes, f.Updated = append(f.Notes[:len(f.Notes):len(f.Notes)], e.Note), c.now.Updated
	case event.CompanyNoteDeleted:
		f.Notes, f.Updated = slices.DeleteFunc(slices.Clone(f.Notes), func(note event.CompanyNote) bool { return note.ID == e.Note.ID }), c.now.Updated
	}
	c.now = &f
	if w.heads.of[e.N] > 0 {
		w.firmIdx.Announce(len(w.firmLog), e.At, e.N, c.now)
	}
}

// hourOfCompanies lets companies change in an hour of life; now and then one comes that has no users yet.
func (w *companyDesk) hourOfCompanies(base int64) {
	r := event.NewRNG(w.cfg.Seed, event.ForCompanyFields, 1, uint64(w.hours))
	at := base + 60
	for range 1 + r.N(4) {
		at += int64(r.N(600))
		e := event.CompanyEvent{At: at, Kind: event.CompanyUpdated, N: int32(r.N(len(w.firms)))}
		have := w.firms[e.N].now.Tags
		switch x := r.N(10); {
		case x == 0:
			_, _ = w.createFirm(at, nil) // nothing is set, so nothing is refused
			continue
		case x == 1:
			e.Kind, e.Note = event.CompanyNoted, w.firmNote(r, at, "<p>"+r.Text(population.NoteWords)+"</p>")
		case x == 2:
			e.Kind, e.Tag = event.CompanyTagged, int32(r.N(event.TagCount))
		case x == 3 && len(have) > 0:
			e.Kind, e.Tag = event.CompanyUntagged, have[r.N(len(have))]
		case x < 7:
			e.Set = []event.Change{{Field: "session_count", Value: int64(r.N(900))}, {Field: "last_request_at", Value: at}}
		default:
			e.Set = []event.Change{{Field: "monthly_spend", Value: int64(r.N(9000))}, {Field: "plan_name", Value: r.Text(event.Plans[1:])}, {Field: "custom_attributes.score", Value: int64(r.N(1000))}}
		}
		w.recordFirm(e)
	}
}

func (w *companyDesk) firmNote(r *event.RNG, at int64, body string) event.CompanyNote {
	return event.CompanyNote{ID: population.WrittenCompanyNotes + int64(len(w.firmLog)), At: at, By: event.Admins[r.N(len(event.Admins))].ID, Body: body}
}

func (w *companyDesk) createFirm(at int64, set []event.Change) (string, error) {
	n := int32(len(w.firms))
	f := w.people.make.Company(n, w.cfg.Start.Unix())
	f.Created, f.Updated, f.LastRequest, f.Notes = at, at, 0, nil
	for _, s := range plain(set) {
		if err := setCompanyField(f, s); err != nil {
			return "", fmt.Errorf("create a company: %w", err)
		}
	}
	w.recordFirm(event.CompanyEvent{At: at, Kind: event.CompanyCreated, N: n, Born: f})
	return f.ID, nil
}

// CreateCompany makes a company without users and gives its id. AddCompany names it by its number: they are numbered from 0.
func (w *companyDesk) CreateCompany(set ...event.Change) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.createFirm(w.now(), set)
}

// Companies is how many there are.
func (w *companyDesk) Companies() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.firms)
}

// UpdateCompany sets name, website, industry, plan_name, monthly_spend, session_count, size, last_request_at or
// custom_attributes.<name>.
func (w *companyDesk) UpdateCompany(id string, set ...event.Change) error {
	return w.firmEvent(id, func(e *event.CompanyEvent) error {
		e.Kind, e.Set = event.CompanyUpdated, plain(set)
		trial := *w.firms[e.N].now
		for _, s := range e.Set {
			if err := setCompanyField(&trial, s); err != nil {
				return err
			}
		}
		return nil
	})
}

// TagCompany puts a tag on a company; tags are numbered from 0 to 599.
func (w *companyDesk) TagCompany(id string, tag int) error {
	return w.firmEvent(id, func(e *event.CompanyEvent) error {
		e.Kind = event.CompanyTagged
		return place32(&e.Tag, tag, event.TagCount)
	})
}

// UntagCompany takes a tag off.
func (w *companyDesk) UntagCompany(id string, tag int) error {
	return w.firmEvent(id, func(e *event.CompanyEvent) error {
		e.Kind = event.CompanyUntagged
		return place32(&e.Tag, tag, event.TagCount)
	})
}

// AddCompanyNote writes a note about a company, and gives its id. The company's updated_at does not move.
func (w *companyDesk) AddCompanyNote(id, body string) (note string, err error) {
	err = w.firmEvent(id, func(e *event.CompanyEvent) error {
		e.Kind, e.Note = event.CompanyNoted, w.firmNote(event.NewRNG(w.cfg.Seed, event.ForCompanyFields, 2, uint64(len(w.firmLog))), e.At, body)
		note = strconv.FormatInt(e.Note.ID, 10)
		return nil
	})
	return note, err
}

func (w *companyDesk) firmEvent(id string, fill func(e *event.CompanyEvent) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, ok := w.companyNamed(id)
	if !ok {
		return fmt.Errorf("company %s: %w", id, ErrNoCompany)
	}
	e := event.CompanyEvent{At: w.now(), N: n}
	if err := fill(&e); err != nil {
		return fmt.Errorf("company %s: %w", id, err)
	}
	w.recordFirm(e)
	return nil
}
