package emulator_test

import (
	"fmt"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

func (c *apiClient) searchCompanies(query any) []map[string]any {
	c.t.Helper()
	var all []map[string]any
	for page := (m{"per_page": 7}); ; {
		r := c.do("POST", "/companies/search", m{"query": query, "pagination": page, "sort": m{"field": "updated_at", "order": "ascending"}})
		if r.status != 200 || r.json["type"] != "list" {
			c.t.Fatalf("search: %d %s", r.status, r.raw)
		}
		all = append(all, r.dataItems()...)
		token, more := r.nextPage()["starting_after"].(string)
		if !more {
			return all
		}
		page = m{"per_page": 7, "starting_after": token}
	}
}

func (c *apiClient) listCompanies(query string) []map[string]any {
	c.t.Helper()
	var all []map[string]any
	for page := 1; ; page++ {
		r := c.do("POST", fmt.Sprintf("/companies/list?page=%d%s", page, query), nil)
		all = append(all, r.dataItems()...)
		if r.nextPage() == nil {
			return all
		}
	}
}

// companyRows converts companies as they are sent to the rows of the oracle.
func companyRows(list []map[string]any) map[string][]map[string]any {
	rows := map[string][]map[string]any{}
	for _, c := range list {
		row := m{"plan_id": nil, "plan_name": nil}
		for name, v := range c {
			switch name {
			case "type", "tags", "segments":
			case "plan":
				row["plan_id"], row["plan_name"] = v.(map[string]any)["id"], v.(map[string]any)["name"]
			default:
				row[name] = v
			}
		}
		rows["companies"] = append(rows["companies"], row)
		for _, tag := range itemsAt(c, "tags", "tags") { // 2.2: tags and segments, not data
			rows["company_tags"] = append(rows["company_tags"], m{"company_id": c["id"], "tag_id": tag["id"], "name": tag["name"]})
		}
		for _, segment := range itemsAt(c, "segments", "segments") {
			rows["company_segments"] = append(rows["company_segments"], m{"company_id": c["id"], "segment_id": segment["id"], "name": segment["name"]})
		}
	}
	return rows
}

// workspace-api 2.2 and 4.11, traps T78 and T79.
func TestCompaniesAreServedAsTheOracleSaysAfterEveryHour(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Seed: 7, Contacts: 250, Knobs: emulator.Knobs{ChangeShare: 0.1}})
	for range 6 {
		served := companyRows(c.listCompanies("&per_page=60"))
		var used, notes []map[string]any
		for _, row := range c.w.Oracle("companies") {
			if row["user_count"] != int64(0) {
				used = append(used, row)
			}
			for _, note := range c.do("GET", "/companies/"+row["id"].(string)+"/notes", nil).dataItems() {
				notes = append(notes, m{"company_id": row["id"], "note_id": note["id"], "body": note["body"], "created_at": note["created_at"],
					"author_id": note["author"].(map[string]any)["id"]})
			}
		}
		for _, table := range []string{"companies", "company_tags", "company_segments"} {
			sameRows(t, table, served[table], c.w.Oracle(table))
		}
		sameRows(t, "company_notes", notes, c.w.Oracle("company_notes"))
		sameRows(t, "companies of search", companyRows(c.searchCompanies(updatedSince(0)))["companies"], used)
		c.w.SimulateHours(1)
	}
	if n := len(c.w.Oracle("companies")); n <= 23 {
		t.Errorf("%d companies: none came", n)
	}
}

// workspace-api 4.11: companies without users, and tag_id.
func TestT78ACompanyWithoutUsersVanishesFromSearchOnly(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, noLagConfig())
	id, err := c.w.CreateCompany(setField("name", "Lonely & Co"))
	failOn(t, err)
	number := c.w.CompanyCount() - 1
	one := func() int { return len(c.searchCompanies(fieldFilter("name", "=", "Lonely & Co"))) }
	users := func() int { return toInt(c.do("GET", "/companies/"+id, nil).json["user_count"]) }
	if one() != 0 || users() != 0 || len(c.listCompanies("&per_page=60")) != number+1 {
		t.Error("a company that nobody uses is found, or is not listed")
	}
	contact := c.createContact("user")
	failOn(t, c.w.AddCompany(contact, number))
	if one() != 1 || users() != 1 {
		t.Error("a company that is used is not found")
	}
	failOn(t, c.w.TagCompany(id, 5))
	tag := c.do("GET", "/companies/"+id, nil).json["tags"].(map[string]any)["tags"].([]any)
	if found := c.searchCompanies(fieldFilter("tag_id", "=", tag[len(tag)-1].(map[string]any)["id"])); len(found) == 0 {
		t.Error("tag_id finds none")
	}
	if r := c.do("POST", "/companies/search", m{"query": fieldFilter("tag_id", "IN", []string{"1"})}); r.status != 400 {
		t.Errorf("tag_id IN: %d", r.status)
	}
	failOn(t, c.w.UpdateCompany(id, setField("custom_attributes.region", "north"), setField("monthly_spend", 12345)))
	if len(c.searchCompanies(filterGroup("AND", fieldFilter("custom_attributes.region", "=", "north"), fieldFilter("monthly_spend", ">=", 12345)))) != 1 {
		t.Error("custom_attributes.{name} finds none")
	}
	failOn(t, c.w.ArchiveContact(contact))
	if one() != 0 || users() != 0 {
		t.Error("its only user left, and search still has it")
	}
}

// workspace-api 4.3 and trap T81.
func TestContactsOfACompanyComeByCursor(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, noLagConfig())
	id, err := c.w.CreateCompany()
	failOn(t, err)
	want := map[any]bool{}
	for range 5 {
		contact := c.createContact("user")
		failOn(t, c.w.AddCompany(contact, c.w.CompanyCount()-1))
		want[contact] = true
	}
	path, pages := "/companies/"+id+"/contacts?per_page=2", 0
	for after := ""; pages == 0 || after != ""; pages++ {
		r := c.do("GET", path+"&starting_after="+after, nil)
		if r.json["type"] != "list" || r.totalCount() != 5 {
			t.Errorf("a page of %v, %d", r.json["type"], r.totalCount())
		}
		for _, contact := range r.dataItems() {
			delete(want, contact["id"])
		}
		after, _ = r.nextPage()["starting_after"].(string)
	}
	if len(want) != 0 || pages != 3 {
		t.Errorf("%d pages, %d contacts missing", pages, len(want))
	}
	if r := c.do("GET", path+"&starting_after=bad", nil); r.status != 400 || r.errorCode() != "client_error" {
		t.Errorf("a bad cursor: %d %s", r.status, r.errorCode())
	}
	for _, list := range []string{"", "/contacts", "/notes", "/segments"} {
		if r := c.do("GET", "/companies/none"+list, nil); r.status != 404 || r.errorCode() != "not_found" {
			t.Errorf("7: %s of no company: %d", list, r.status)
		}
	}
}

// The list and the scroll, as public descriptions have them (trap T80).
func TestT80TheListOfCompaniesStopsAndTheScrollDoesNot(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 2500, Knobs: emulator.Knobs{CompanyListCap: 130}})
	if list, total := c.listCompanies("&per_page=100"), c.do("POST", "/companies/list", nil); len(list) != 130 || total.totalCount() != 211 || len(total.dataItems()) != 15 {
		t.Errorf("%d of %d listed, %d on a page", len(list), total.totalCount(), len(total.dataItems()))
	}
	if r := c.do("POST", "/companies/list?page=0", nil); r.status != 400 {
		t.Errorf("page 0: %d", r.status)
	}
	first := c.do("GET", "/companies/scroll", nil)
	next := "/companies/scroll?scroll_param=" + first.json["scroll_param"].(string)
	if r := c.do("GET", "/companies/scroll", nil); r.status != 400 || r.errorCode() != "scroll_exists" {
		t.Errorf("a second scroll: %d %s", r.status, r.errorCode())
	}
	seen := len(first.dataItems())
	r := c.do("GET", next, nil)
	for ; len(r.dataItems()) > 0; r = c.do("GET", next, nil) {
		seen += len(r.dataItems())
	}
	if seen != 211 || len(first.dataItems()) != 100 {
		t.Errorf("the scroll gives %d companies, %d first", seen, len(first.dataItems()))
	}
	if r.status != 200 || r.json["scroll_param"] != nil {
		t.Errorf("its end: %d, %v", r.status, r.json["scroll_param"])
	}
	if r := c.do("GET", next, nil); r.status != 404 || r.errorCode() != "not_found" {
		t.Errorf("past its end: %d %s", r.status, r.errorCode())
	}
	c.w.SetKnobs(func(k *emulator.Knobs) { k.EmptyLists, k.ScrollNamesEnd = true, true })
	if r := c.do("GET", "/companies/scroll", nil); r.status != 200 || r.json["scroll_param"] == nil {
		t.Errorf("an end that is named: %d, %v", r.status, r.json["scroll_param"])
	}
	c.w.SetKnobs(func(k *emulator.Knobs) { k.EmptyLists = false })
	again := c.do("GET", "/companies/scroll", nil)
	c.w.Advance(time.Minute)
	if r := c.do("GET", "/companies/scroll?scroll_param="+again.json["scroll_param"].(string), nil); r.status != 404 {
		t.Errorf("idle for a minute: %d", r.status)
	}
	if r := c.do("GET", "/companies/scroll", nil); r.status != 200 {
		t.Errorf("after that one: %d", r.status)
	}
}
