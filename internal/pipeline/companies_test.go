package pipeline_test

import (
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/lane"
	"aqueduck/internal/oracletest"
	"aqueduck/internal/runner"
)

// companyTables are the tables of companies, with their streams of the oracle.
func companyTables() []oracletest.Table {
	of := func(table string) string {
		return "(SELECT t.* FROM " + table + " t JOIN companies c ON c.id = t.company_id)"
	}
	return []oracletest.Table{
		{Name: "companies", Oracle: "companies", Columns: []string{"id", "company_id:external_id", "app_id:workspace_id", "name", "website", "industry", "size",
			"plan_id", "plan_name", "monthly_spend", "session_count", "user_count", "created_at", "updated_at", "last_request_at",
			"custom_attributes:custom_attributes::VARCHAR"}},
		{Name: "company_tags", Oracle: "company_tags", Of: of("company_tags"), Columns: []string{"company_id", "tag_id", "name"}},
		{Name: "company_segments", Oracle: "company_segments", Of: of("company_segments"), Columns: []string{"company_id", "segment_id", "name"}},
		{Name: "company_contacts", Oracle: "contact_companies", Columns: []string{"company_id", "contact_id"}},
	}
}

func (b *testBed) equalsCompanies() {
	b.t.Helper()
	b.reader.CompareTables(b.t, b.space, b.runner.Dir.Current(), nil, companyTables()...)
}

// TestT78T79CompaniesEqualTheOracle reads companies that search returns, that it lost with their last user, or that it never had, through hours of
// events and a night of misbehaviour.
// Holds: T81.
func TestT78T79CompaniesEqualTheOracle(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	cases := map[string]emulator.Knobs{
		"as usual":                 {},
		"made while they are read": {NoLag: true, AttachMoves: true, UsersOnly: true},
		"T6 T7 T18 late and stale": {TailShare: 0.3, Tail: 20 * time.Hour, StaleReplica: 0.3, Duplicates: 0.2},
	}
	if !lane.Heavy() {
		delete(cases, "as usual")
	}
	for name, knobs := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := tinyConfig(151)
			c.Knobs = knobs
			b := newBedWith(t, c, withStreams("companies"))
			l := newLife(b, 151)
			b.syncOnce(runner.Options{})
			if knobs.NoLag {
				b.space.RunBetween(func(int) { b.createCompany() })
			}
			for range 2 {
				l.applyEvents(10)
				b.space.SimulateHours(7)
				b.syncOnce(runner.Options{})
			}
			b.space.SetKnobs(func(k *emulator.Knobs) { k.StaleReplica = 0 })
			l.stopChanges()
			b.syncOnce(runner.Options{})
			b.equalsCompanies()
			if got := b.queryRows("SELECT count(_gone_at) FROM companies_all"); got[0] != "0" {
				t.Errorf("%s are gone, and none was deleted", got[0])
			}
			if report := b.syncOnce(runner.Options{}); report.TotalRows() != 0 {
				t.Errorf("a quiet run: %s\n%+v", report.LastLine(), report.Streams)
			}
		})
	}
}

// createCompany makes a company with a user, which search returns at once.
func (b *testBed) createCompany() {
	_, err := b.space.CreateCompany()
	b.failOn(err)
	b.failOn(b.space.AddCompany(b.space.ContactIDs("active")[0], b.space.CompanyCount()-1))
}

// TestT78CompanyWithoutUsersStays: search no longer returns the company, the list does.
func TestT78CompanyWithoutUsersStays(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := newBedWith(t, tinyConfig(152), withStreams("companies"))
	alone, err := b.space.CreateCompany(emulator.FieldChange{Field: "name", Value: "Nobody's"})
	b.failOn(err)
	last := b.space.CompanyCount() - 1
	who := b.space.ContactIDs("active")[0]
	b.failOn(b.space.AddCompany(who, last))
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	b.equalsCompanies()
	b.failOn(b.space.RemoveCompany(who, last))
	b.failOn(b.space.UpdateCompany(alone, emulator.FieldChange{Field: "name", Value: "Still there"}))
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	if got := b.queryRows("SELECT name, user_count FROM companies WHERE id = '" + alone + "'"); len(got) != 1 || got[0] != "Still there|0" {
		t.Errorf("without users it is %v", got)
	}
	b.equalsCompanies()
}

// TestCompanyHistoryIsTheSameFromSearchAndList: both ways of reading lead to the same states.
func TestCompanyHistoryIsTheSameFromSearchAndList(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := newBedWith(t, tinyConfig(154), withStreams("companies")+"streams:\n  companies: {history: true}\n")
	alone, err := b.space.CreateCompany(emulator.FieldChange{Field: "name", Value: "One"})
	b.failOn(err)
	for _, name := range []string{"One", "Two"} {
		b.failOn(b.space.UpdateCompany(alone, emulator.FieldChange{Field: "name", Value: name}))
		b.space.Advance(time.Hour)
		b.syncOnce(runner.Options{})
		b.syncOnce(runner.Options{FullRefresh: true})
	}
	got := b.queryRows("SELECT name, valid_to IS NULL FROM companies_history WHERE id = '" + alone + "' ORDER BY valid_from")
	oracletest.CompareRows(t, "states", got, []string{"One|false", "Two|true"})
	if got := b.queryRows("SELECT count(*) - count(DISTINCT id) FROM companies_history"); got[0] != "1" {
		t.Errorf("states beside those: %s", got[0])
	}
}

// TestT80CappedListDeletesNothing: rows beyond the end of the list stay, the audit reports the cap once, and a company that only a contact refers
// to is read by id.
func TestT80CappedListDeletesNothing(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	c := tinyConfig(153)
	b := newBedWith(t, c, withStreams("companies"))
	for range 90 {
		_, err := b.space.CreateCompany()
		b.failOn(err)
	}
	hidden, err := b.space.CreateCompany(emulator.FieldChange{Field: "name", Value: "Hidden"})
	b.failOn(err)
	b.syncOnce(runner.Options{})
	b.equalsCompanies()
	all := b.queryRows("SELECT count(*) FROM companies")[0]
	b.space.SetKnobs(func(k *emulator.Knobs) { k.CompanyListCap = 20 })
	for range 2 {
		b.space.Advance(time.Hour)
		b.syncOnce(runner.Options{})
	}
	if got := b.queryRows("SELECT count(*), count(_gone_at) FROM companies_all"); got[0] != all+"|0" {
		t.Errorf("of %s companies, some gone: %s", all, got[0])
	}
	if got := b.queryRows("SELECT kind, name, stream FROM _sync.audit"); len(got) != 1 || got[0] != "known|list_capped|companies_listed" {
		t.Errorf("the audit says %v", got)
	}

	fresh := newBedWith(t, c, withStreams("companies"))
	fresh.space = b.space
	fresh.front, fresh.runner.Now = b.space, b.space.CurrentTime
	fresh.writeConfig(withStreams("companies"))
	b.space.Advance(80 * time.Hour) // search from a later watermark does not return it
	fresh.syncOnce(runner.Options{})
	b.failOn(b.space.AddCompany(b.space.ContactIDs("active")[0], b.space.CompanyCount()-1))
	b.space.Advance(time.Hour)
	s := streamResult(t, fresh.syncOnce(runner.Options{}), "companies_by_id")
	if got := fresh.queryRows("SELECT name FROM companies WHERE id = '" + hidden + "'"); len(got) != 1 || got[0] != "Hidden" || s.Requests != 1 {
		t.Errorf("what only a contact knows is %v, %+v", got, s)
	}
}
