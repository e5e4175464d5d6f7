package pipeline_test

import (
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/oracletest"
	"aqueduck/internal/runner"
)

// companyTables are the tables of companies and what the oracle says of them.
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

func (b *bed) companies() {
	b.t.Helper()
	oracletest.Holds(b.t, b.space, b.runner.Dir.Current(), nil, companyTables()...)
}

// TestT78T79CompaniesEqualTheOracle reads companies that search has, has lost with their last user, or never had, through
// hours of life and a night of tempers.
// Holds: T81.
func TestT78T79CompaniesEqualTheOracle(t *testing.T) {
	serial(t)
	t.Parallel()
	for name, knobs := range map[string]emulator.Knobs{
		"as usual":                 {},
		"made while they are read": {NoLag: true, AttachMoves: true, UsersOnly: true},
		"T6 T7 T18 late and stale": {TailShare: 0.3, Tail: 20 * time.Hour, StaleReplica: 0.3, Duplicates: 0.2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := tiny(151)
			c.Knobs = knobs
			b := newBedWith(t, c, reading("companies"))
			l := newLife(b, 151)
			b.sync(runner.Options{})
			if knobs.NoLag {
				b.space.Between(func(int) { b.made() })
			}
			for range 2 {
				l.happen(10)
				b.space.Live(7)
				b.sync(runner.Options{})
			}
			b.space.SetKnobs(func(k *emulator.Knobs) { k.StaleReplica = 0 })
			l.quiet()
			b.sync(runner.Options{})
			b.companies()
			if got := b.rows("SELECT count(_gone_at) FROM companies_all"); got[0] != "0" {
				t.Errorf("%s are gone, and none was deleted", got[0])
			}
			if report := b.sync(runner.Options{}); report.Rows() != 0 {
				t.Errorf("a quiet run: %s\n%+v", report.LastLine(), report.Streams)
			}
		})
	}
}

// made makes a company that search finds at once: it has a user.
func (b *bed) made() {
	_, err := b.space.CreateCompany()
	b.must(err)
	b.must(b.space.AddCompany(b.space.IDs("active")[0], b.space.CompanyCount()-1))
}

// TestT78ACompanyThatLosesItsUsersStays: search does not have it any more, the list does.
func TestT78ACompanyThatLosesItsUsersStays(t *testing.T) {
	serial(t)
	t.Parallel()
	b := newBedWith(t, tiny(152), reading("companies"))
	alone, err := b.space.CreateCompany(emulator.Change{Field: "name", Value: "Nobody's"})
	b.must(err)
	last := b.space.CompanyCount() - 1
	who := b.space.IDs("active")[0]
	b.must(b.space.AddCompany(who, last))
	b.space.Advance(time.Hour)
	b.sync(runner.Options{})
	b.companies()
	b.must(b.space.RemoveCompany(who, last))
	b.must(b.space.UpdateCompany(alone, emulator.Change{Field: "name", Value: "Still there"}))
	b.space.Advance(time.Hour)
	b.sync(runner.Options{})
	if got := b.rows("SELECT name, user_count FROM companies WHERE id = '" + alone + "'"); len(got) != 1 || got[0] != "Still there|0" {
		t.Errorf("without users it is %v", got)
	}
	b.companies()
}

// TestTheHistoryOfCompaniesIsOneByWhicheverWayTheyCome: search and the list tell the same states.
func TestTheHistoryOfCompaniesIsOneByWhicheverWayTheyCome(t *testing.T) {
	serial(t)
	t.Parallel()
	b := newBedWith(t, tiny(154), reading("companies")+"streams:\n  companies: {history: true}\n")
	alone, err := b.space.CreateCompany(emulator.Change{Field: "name", Value: "One"})
	b.must(err)
	for _, name := range []string{"One", "Two"} {
		b.must(b.space.UpdateCompany(alone, emulator.Change{Field: "name", Value: name}))
		b.space.Advance(time.Hour)
		b.sync(runner.Options{})
		b.sync(runner.Options{FullRefresh: true})
	}
	got := b.rows("SELECT name, valid_to IS NULL FROM companies_history WHERE id = '" + alone + "' ORDER BY valid_from")
	oracletest.Same(t, "states", got, []string{"One|false", "Two|true"})
	if got := b.rows("SELECT count(*) - count(DISTINCT id) FROM companies_history"); got[0] != "1" {
		t.Errorf("states beside those: %s", got[0])
	}
}

// TestT80AListThatStopsProvesNoAbsence: what is beyond its end stays, the audit says so once, and a company that only a contact
// knows is read by its id.
func TestT80AListThatStopsProvesNoAbsence(t *testing.T) {
	serial(t)
	t.Parallel()
	c := tiny(153)
	b := newBedWith(t, c, reading("companies"))
	for range 90 {
		_, err := b.space.CreateCompany()
		b.must(err)
	}
	hidden, err := b.space.CreateCompany(emulator.Change{Field: "name", Value: "Hidden"})
	b.must(err)
	b.sync(runner.Options{})
	b.companies()
	all := b.rows("SELECT count(*) FROM companies")[0]
	b.space.SetKnobs(func(k *emulator.Knobs) { k.CompanyListCap = 20 })
	for range 2 {
		b.space.Advance(time.Hour)
		b.sync(runner.Options{})
	}
	if got := b.rows("SELECT count(*), count(_gone_at) FROM companies_all"); got[0] != all+"|0" {
		t.Errorf("of %s companies, some gone: %s", all, got[0])
	}
	if got := b.rows("SELECT kind, name, stream FROM _sync.audit"); len(got) != 1 || got[0] != "known|list_capped|companies_listed" {
		t.Errorf("the audit says %v", got)
	}

	fresh := newBedWith(t, c, reading("companies"))
	fresh.space = b.space
	fresh.front, fresh.runner.Now = b.space, b.space.Clock
	fresh.configure(reading("companies"))
	b.space.Advance(80 * time.Hour) // search by a later mark does not find it
	fresh.sync(runner.Options{})
	b.must(b.space.AddCompany(b.space.IDs("active")[0], b.space.CompanyCount()-1))
	b.space.Advance(time.Hour)
	s := stream(t, fresh.sync(runner.Options{}), "companies_by_id")
	if got := fresh.rows("SELECT name FROM companies WHERE id = '" + hidden + "'"); len(got) != 1 || got[0] != "Hidden" || s.Requests != 1 {
		t.Errorf("what only a contact knows is %v, %+v", got, s)
	}
}
