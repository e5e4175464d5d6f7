package emulator_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

func TestT7AStaleReplicaShowsTheVersionBefore(t *testing.T) {
	t.Parallel()
	config := noLagConfig()
	config.StaleReplica = 0.5
	c := startWorkspace(t, config)
	id := c.createContact("user", setField("name", "Old"))
	c.w.Advance(time.Minute)
	c.failOn(c.w.UpdateContact(id, setField("name", "New")))
	seen := map[any]bool{}
	for range 30 {
		seen[c.searchContacts(fieldFilter("id", "=", id)).dataItems()[0]["name"]] = true
	}
	if !seen["Old"] || !seen["New"] {
		t.Errorf("names seen: %v", seen)
	}
}

func TestT3TimesNearMidnightMayCountForTheOtherDay(t *testing.T) {
	t.Parallel()
	config := noLagConfig()
	config.Misday = 5 * time.Minute
	c := startWorkspace(t, config)
	midnight := time.Date(2024, 7, 3, 0, 0, 0, 0, time.UTC)
	c.w.Advance(midnight.Add(time.Minute).Sub(c.w.CurrentTime()))
	for range 6 {
		c.createContact("user", setField("location_city", "Here"))
	}
	ask := func(at time.Time) int {
		return len(c.searchIDs(filterGroup("AND", fieldFilter("location.city", "=", "Here"), fieldFilter("updated_at", "=", at.Unix()))))
	}
	c.version = "2.16"
	if before, on := ask(midnight.Add(-time.Hour)), ask(midnight); before != 3 || on != 3 {
		t.Errorf("%d on the day before, %d on the day", before, on)
	}
}

func TestT135TheZoneOfTheWorkspaceChanges(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, noLagConfig())
	c.version = "2.16"
	late := time.Date(2024, 7, 3, 23, 0, 0, 0, time.UTC)
	c.w.Advance(late.Sub(c.w.CurrentTime()))
	c.createContact("user", setField("location_city", "Here"))
	query := filterGroup("AND", fieldFilter("location.city", "=", "Here"), fieldFilter("updated_at", "=", late.Add(-10*time.Hour).Unix()))
	if got := len(c.searchIDs(query)); got != 1 {
		t.Errorf("in UTC: %d", got)
	}
	c.w.SetZone(time.FixedZone("ahead", 14*3600))
	if got := len(c.searchIDs(query)); got != 1 {
		t.Errorf("14 hours ahead the whole span is one day: %d", got)
	}
	c.w.SetZone(time.FixedZone("ahead", 2*3600))
	if got := len(c.searchIDs(query)); got != 0 {
		t.Errorf("two hours ahead it is the next day: %d", got)
	}
}

func TestT38ActivitiesComeLateAndBeforeOthers(t *testing.T) {
	t.Parallel()
	config := noLagConfig()
	config.ActivityLag = time.Hour
	c := startWorkspace(t, config)
	ids := func() (list []string) {
		for _, e := range c.walkCursors("/contacts/activities") {
			list = append(list, e["id"].(string))
		}
		return list
	}
	for range 40 {
		c.createContact("user")
		c.w.Advance(time.Minute)
	}
	early := ids()
	c.w.Advance(time.Hour)
	late := ids()
	if len(early) >= len(late) || len(late) != len(c.w.Oracle("contact_activities")) {
		t.Fatalf("%d activities, later %d", len(early), len(late))
	}
	if slices.Equal(early, late[:len(early)]) || !slices.IsSorted(late) {
		t.Error("none came before another that was there")
	}
}

func TestLeavingSearchMayLagToo(t *testing.T) {
	t.Parallel()
	config := noLagConfig()
	config.LeaveLag = time.Minute
	c := startWorkspace(t, config)
	id := c.createContact("user")
	c.failOn(c.w.ArchiveContact(id))
	if !c.isSearchable(id) {
		t.Error("it left at once")
	}
	c.w.Advance(time.Minute)
	if c.isSearchable(id) {
		t.Error("it never left")
	}
}

func TestT47AQuietChangeMovesNoTime(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, noLagConfig())
	id := c.createContact("user")
	c.w.Advance(time.Hour)
	c.failOn(c.w.UpdateQuietly(id, setField("last_seen_at", int(c.w.CurrentTime().Unix()))))
	got := c.searchContacts(fieldFilter("id", "=", id)).dataItems()[0]
	if toInt(got["last_seen_at"]) != int(c.w.CurrentTime().Unix()) || got["updated_at"] != got["created_at"] {
		t.Errorf("seen %v, updated %v, created %v", got["last_seen_at"], got["updated_at"], got["created_at"])
	}
	if c.w.UpdateContact(id, setField("shoe_size", 44)) == nil || c.w.UpdateContact("nobody", setField("name", "x")) == nil {
		t.Error("a field or a contact that is not there was changed")
	}
}

func TestPlainFormsOfTheDocument(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Knobs: emulator.Knobs{BareNested: true, SubListPage: 3, NoTotal: true, NoRateHeaders: true, DateOffset: time.Hour}})
	r := c.searchContacts(updatedSince(0))
	tags := r.dataItems()[0]["tags"].(map[string]any)
	if len(tags) != 3 || tags["url"] == nil {
		t.Errorf("2.1: tags have %v", tags)
	}
	if _, has := r.json["total_count"]; has || r.header.Get("X-RateLimit-Limit") != "" {
		t.Error("a total or a rate header is there")
	}
	if got, want := r.header.Get("Date"), c.w.CurrentTime().Add(time.Hour).Format(time.RFC1123); got != strings.Replace(want, "UTC", "GMT", 1) {
		t.Errorf("Date %s, want %s", got, want)
	}
	for _, contact := range c.searchAll(updatedSince(0)) {
		list := c.do("GET", "/contacts/"+contact["id"].(string)+"/tags", nil)
		if list.nextPage() != nil {
			if len(list.dataItems()) != 3 {
				t.Errorf("page of %d", len(list.dataItems()))
			}
			return
		}
	}
	t.Error("no contact has more than three tags")
}
