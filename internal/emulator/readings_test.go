package emulator_test

import (
	"slices"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// Each open question of the document has a default reading and a knob for another one. Readings about walks of lists and about search are
// tested with those.

func TestTheOtherReadingsOfFilters(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Knobs: emulator.Knobs{NoLag: true}})
	segment := c.w.Oracle("segments")[0]["id"]
	all, have := c.searchContacts(updatedSince(0)).totalCount(), 0
	for _, contact := range c.searchAll(updatedSince(0)) {
		if contact["custom_attributes"].(m)["plan"] != nil {
			have++
		}
	}
	none := fieldFilter("name", "IN", []string{})
	part := fieldFilter("segment_id", "~", segment)
	lacks := fieldFilter("custom_attributes.plan", "!=", "no such plan")
	if c.searchContacts(none).status != 200 || c.searchContacts(part).status != 200 || c.searchContacts(lacks).totalCount() != all || have == all || have == 0 {
		t.Errorf("usual: %d, %d, %d of %d, %d have one", c.searchContacts(none).status, c.searchContacts(part).status, c.searchContacts(lacks).totalCount(), all, have)
	}
	c.w.SetKnobs(func(k *emulator.Knobs) { k.StrictFilters, k.SearchRefused = true, 422 })
	if c.searchContacts(none).status != 422 || c.searchContacts(part).status != 422 || c.searchContacts(lacks).totalCount() != have {
		t.Errorf("strict: %d, %d, %d of %d", c.searchContacts(none).status, c.searchContacts(part).status, c.searchContacts(lacks).totalCount(), have)
	}
	if r := c.searchContacts(fieldFilter("segment_id", "=", segment)); r.status != 200 || r.totalCount() == 0 {
		t.Errorf("what the document tells: %d", r.status)
	}
}

func TestTheOtherReadingsOfCompanies(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Knobs: emulator.Knobs{NoLag: true}})
	users := func() (of map[any]any) {
		of = map[any]any{}
		for _, firm := range c.listCompanies("&per_page=60") {
			of[firm["id"]] = firm["user_count"]
		}
		for _, row := range c.w.Oracle("companies") {
			if n := int64(toInt(of[row["id"]])); n != row["user_count"].(int64) {
				t.Errorf("%v has %d users, in truth %d", row["id"], n, row["user_count"])
			}
		}
		return of
	}
	before := users()
	c.w.SetKnobs(func(k *emulator.Knobs) { k.UsersOnly = true })
	fewer := 0
	for id, n := range users() {
		if toInt(n) < toInt(before[id]) {
			fewer++
		}
	}
	if fewer < 5 {
		t.Errorf("without leads %d companies have fewer users", fewer)
	}
	updated := func() any { return c.w.Oracle("companies")[0]["updated_at"] }
	id := c.w.ContactIDs("active")[0]
	c.w.Advance(time.Hour)
	was := updated()
	for _, moves := range []bool{false, true} {
		c.w.SetKnobs(func(k *emulator.Knobs) { k.AttachMoves = moves })
		if err := c.w.AddCompany(id, 0); err != nil {
			t.Fatal(err)
		}
		served := c.do("GET", "/companies/"+c.w.Oracle("companies")[0]["id"].(string), nil).json["updated_at"]
		if (updated() != was) != moves || int64(toInt(served)) != updated() {
			t.Errorf("attaching moves updated_at %v to %v, served as %v; want moved: %t", was, updated(), served, moves)
		}
	}
}

func TestTheOtherReadingsOfNames(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Knobs: emulator.Knobs{SegmentCount: "contact_count", FormerAdmins: true, OldLimitType: "limit_change",
		NoDynamicContent: true, Codes: map[string]string{"forbidden": "feature_disabled", "not_found": "resource_not_found"}}})
	segment := c.do("GET", "/segments?include_count=true", nil).json["segments"].([]any)[0].(m)
	if segment["contact_count"] == nil || segment["count"] != nil {
		t.Errorf("a segment: %v", segment)
	}
	admins, expected := c.do("GET", "/admins", nil).json["admins"].([]any), c.w.Oracle("admins")
	c.w.SetKnobs(func(k *emulator.Knobs) { k.FormerAdmins = false })
	if usual := c.w.Oracle("admins"); len(admins) != len(expected) || len(admins) != len(usual)+4 {
		t.Errorf("%d admins with those who were deleted, %d in truth, %d without", len(admins), len(expected), len(usual))
	}
	if r := c.do("GET", "/dynamic_contents", nil); r.status != 403 || r.errorCode() != "feature_disabled" {
		t.Errorf("dynamic content: %d %s", r.status, r.errorCode())
	}
	if r := c.do("GET", "/contacts/nobody", nil); r.status != 404 || r.errorCode() != "resource_not_found" {
		t.Errorf("nobody: %d %s", r.status, r.errorCode())
	}
	c.version = "2.13"
	var types []string
	for _, entry := range c.do("GET", "/admins/activity_logs?created_at_after=1&per_page=250", nil).json["activity_logs"].([]any) {
		types = append(types, entry.(m)["activity_type"].(string))
	}
	if !slices.Contains(types, "limit_change") || slices.Contains(types, "admin_assignment_limit_change") {
		t.Errorf("activity types of 2.13: %v", types)
	}
}

func TestAScopeToWriteMayNotBeOneToRead(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{})
	c.failOn(c.w.AddToken("writer", "read_write_dynamic_content"))
	c.auth = "Bearer writer"
	ask := func() int { return c.do("GET", "/dynamic_contents", nil).status }
	if ask() != 200 {
		t.Errorf("usual: %d", ask())
	}
	c.w.SetKnobs(func(k *emulator.Knobs) { k.ReadScopesOnly = true })
	if ask() != 403 {
		t.Errorf("strictly: %d", ask())
	}
}

func TestT27ReturningContactsKeepTheirTimeAlwaysOrNever(t *testing.T) {
	t.Parallel()
	for _, reading := range []emulator.Occurrence{emulator.Always, emulator.Never} {
		c := startWorkspace(t, emulator.Config{Contacts: 800, Inactive: 400, Knobs: emulator.Knobs{QuietReturns: reading, ChangeShare: 0.02}})
		inactive := map[any]bool{}
		for _, row := range c.w.Oracle("contact_lifecycle") {
			if row["lifecycle"] == "archived" || row["lifecycle"] == "blocked" {
				inactive[row["id"]] = true
			}
		}
		hourZero := c.w.CurrentTime().Unix()
		c.w.SimulateHours(12)
		back, kept := 0, 0
		for _, row := range c.w.Oracle("contacts") {
			if !inactive[row["id"]] {
				continue
			}
			back++
			if row["updated_at"].(int64) < hourZero {
				kept++
			}
		}
		// Some were changed again after they had come back.
		if back < 4 || reading == emulator.Never && kept > 0 || reading == emulator.Always && kept < back/2 {
			t.Errorf("%s: %d came back, %d with the time of before", reading, back, kept)
		}
	}
}
