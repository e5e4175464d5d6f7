package emulator_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// find gives the ids that a search returns.
func (c *client) find(query any) []string {
	c.t.Helper()
	r := c.search(query)
	if r.status != 200 {
		c.t.Fatalf("search: %d %s", r.status, r.raw)
	}
	return r.ids()
}

// one makes a contact that search knows at once.
func (c *client) one(role string, set ...emulator.Change) string {
	c.t.Helper()
	id, err := c.w.CreateContact(role, set...)
	if err != nil {
		c.t.Fatal(err)
	}
	return id
}

func prompt() emulator.Config { return emulator.Config{Knobs: emulator.Knobs{NoLag: true}} }

func set(field string, value any) emulator.Change { return emulator.Change{Field: field, Value: value} }

func TestSearchOperatorsMeanWhatTheDocumentSays(t *testing.T) {
	t.Parallel()
	c := start(t, prompt())
	born := c.w.Clock().Unix()
	a := c.one("user", set("name", "Zaphod Beeblebrox"), set("email", "zaphod@heart.example"), set("owner_id", 9007199254740993),
		set("location_country", "Betelgeuse"), set("unsubscribed_from_emails", true), set("custom_attributes.heads", 2),
		set("custom_attributes.ship", "Heart of Gold"), set("custom_attributes.cool", true))
	b := c.one("lead", set("name", "Trillian Astra"), set("email", "trillian@heart.example"), set("location_country", "Betelgeuse"),
		set("custom_attributes.heads", 1), set("unsubscribed_from_emails", false))
	if err := c.w.Tag(a, 599); err != nil {
		t.Fatal(err)
	}
	home := filter("location.country", "=", "Betelgeuse")
	for _, tc := range []struct {
		name   string
		filter any
		want   []string
	}{
		{"4.1 = text", filter("name", "=", "Zaphod Beeblebrox"), []string{a}},
		{"4.1 != text", filter("role", "!=", "user"), []string{b}},
		{"4.1 IN", filter("email", "IN", []string{"zaphod@heart.example", "nobody@x"}), []string{a}},
		{"4.1 NIN", filter("email", "NIN", []string{"zaphod@heart.example"}), []string{b}},
		{"4.1 ~ contains", filter("name", "~", "llian As"), []string{b}},
		{"4.1 !~ does not contain", filter("name", "!~", "llian As"), []string{a}},
		{"4.1 ^ starts with", filter("name", "^", "Zaph"), []string{a}},
		{"4.1 $ ends with", filter("name", "$", "Astra"), []string{b}},
		{"4.1 owner_id is a String field", filter("owner_id", "=", "9007199254740993"), []string{a}},
		{"4.1 email_domain", filter("email_domain", "=", "heart.example"), []string{a, b}},
		{"4.1 Boolean", filter("unsubscribed_from_emails", "=", true), []string{a}},
		{"4.1 Boolean !=", filter("unsubscribed_from_emails", "!=", true), []string{b}},
		{"4.1.4 tag_id =", filter("tag_id", "=", "7527093"), []string{a}},
		{"4.1.4 tag_id !=", filter("tag_id", "!=", "7527093"), []string{b}},
		{"4.1 Integer >", filter("custom_attributes.heads", ">", 1), []string{a}},
		{"4.1 Integer <=", filter("custom_attributes.heads", "<=", 1), []string{b}},
		{"4.1 Integer IN", filter("custom_attributes.heads", "IN", []int{1, 3}), []string{b}},
		{"4.1 custom text", filter("custom_attributes.ship", "^", "Heart"), []string{a}},
		{"4.1 custom boolean", filter("custom_attributes.cool", "=", true), []string{a}},
		{"9 Date = exact second", filter("created_at", "=", born), []string{a, b}},
		{"9 Date > is exclusive", filter("created_at", ">", born), nil},
		{"9 Date < is exclusive", filter("created_at", "<", born), nil},
		{"4.1 OR", group("OR", filter("role", "=", "lead"), filter("role", "=", "user")), []string{a, b}},
		{"8 two levels", group("AND", filter("role", "=", "lead"), filter("name", "~", "a")), []string{b}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := c.find(group("AND", home, tc.filter))
			if slices.Sort(got); !slices.Equal(got, sorted(tc.want)) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}

func TestSearchRefusesWhatTheDocumentForbids(t *testing.T) {
	t.Parallel()
	c := start(t, prompt())
	lead := filter("role", "=", "lead")
	many := group("OR")
	for range 16 {
		many["value"] = append(many["value"].([]any), lead)
	}
	for _, tc := range []struct {
		name  string
		query any
	}{
		{"4.1.3 T21 text for a Date", filter("updated_at", ">", "1700000000")},
		{"4.1.3 T21 fraction for a Date", filter("updated_at", ">", 1700000000.5)},
		{"4.1.3 number for a String", filter("name", "=", 1)},
		{"4.1.3 text for a Boolean", filter("has_hard_bounced", "=", "true")},
		{"4.1.3 null", filter("name", "=", nil)},
		{"4.1.4 tag_id IN", filter("tag_id", "IN", []string{"1"})},
		{"4.1.6 != on a Date", filter("updated_at", "!=", 1)},
		{"4.1.6 >= on a Date", filter("updated_at", ">=", 1)},
		{"4.1.6 <= on a Date", filter("updated_at", "<=", 1)},
		{"4.1.6 IN on a Date", filter("updated_at", "IN", []int{1})},
		{"4.1.6 NIN on a Date", filter("updated_at", "NIN", []int{1})},
		{"4.1 > on a String", filter("name", ">", "a")},
		{"4.1 ~ on a Boolean", filter("has_hard_bounced", "~", true)},
		{"4.1 unknown field", filter("shoe_size", "=", "44")},
		{"8 T22 sixteen filters in a group", many},
		{"8 T22 three levels", group("AND", group("OR", group("AND", lead, lead), lead), lead)},
		{"4.1 no filters in a group", group("AND")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if r := c.search(tc.query); r.status != 400 || r.code() != "parameter_invalid" {
				t.Errorf("got %d %s", r.status, r.raw)
			}
		})
	}
	for _, body := range []any{m{}, m{"query": lead, "sort": m{"field": "name", "order": "sideways"}},
		m{"query": lead, "pagination": m{"per_page": 0}}, m{"query": lead, "pagination": m{"per_page": 151}}} {
		if r := c.do("POST", "/contacts/search", body); r.status != 400 {
			t.Errorf("%v: got %d", body, r.status)
		}
	}
}

// workspace-api 4.1.5: up to 2.16 times are matched by calendar day in the workspace's zone; section 9: later by second.
func TestT1DaysOfTheWorkspaceUpTo216ExactSecondsLater(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Pacific/Kiritimati", "Pacific/Pago_Pago", "Asia/Kathmandu", "UTC", "America/Santiago"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			zone, err := time.LoadLocation(name)
			if err != nil {
				t.Fatal(err)
			}
			config := prompt()
			config.Zone = zone
			c := start(t, config)
			// 300 contacts of old are out of the way: only these are asked for.
			midnight := time.Date(2024, 7, 3, 0, 0, 0, 0, zone)
			at := map[int64]string{}
			for _, when := range []time.Time{midnight.Add(-time.Second), midnight, midnight.Add(9 * time.Hour), midnight.Add(24 * time.Hour)} {
				c.w.Advance(when.Sub(c.w.Clock()))
				at[when.Unix()] = c.one("user", set("location_city", "Here"))
			}
			ask := func(operator string, t int64) int {
				return len(c.find(group("AND", filter("location.city", "=", "Here"), filter("created_at", operator, t))))
			}
			nine := midnight.Add(9 * time.Hour).Unix()
			c.version = "2.16"
			if got := [3]int{ask("=", nine), ask(">", nine), ask("<", nine)}; got != [3]int{2, 1, 1} {
				t.Errorf("2.16: =, >, < find %v, want the day [2 1 1]", got)
			}
			c.version = "2.17"
			if got := [3]int{ask("=", nine), ask(">", nine), ask("<", nine)}; got != [3]int{1, 1, 2} {
				t.Errorf("2.17: =, >, < find %v, want the second [1 1 2]", got)
			}
			// The one query is right in both meanings.
			for _, c.version = range []string{"2.13", "2.14", "2.16", "2.17", "3.0"} {
				if got := len(c.find(group("AND", filter("location.city", "=", "Here"), since(nine)))); got < 2 {
					t.Errorf("%s: since nine finds %d", c.version, got)
				}
			}
		})
	}
}

// A span of the sort field is answered from the ordering, anything else by looking at each contact: both must agree.
func TestSpansOfTimeAreAnsweredAsAnyOtherQuery(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Asia/Kathmandu")
	if err != nil {
		t.Fatal(err)
	}
	c := start(t, emulator.Config{Contacts: 120, Zone: zone})
	now := c.w.Clock().Unix()
	always := group("OR", filter("role", "=", "lead"), filter("role", "=", "user"))
	for _, c.version = range []string{"2.16", "2.17"} {
		for _, d := range []int64{0, now - 400*86400, now - 100*86400 + 17, now, now + 86400} {
			for _, query := range []m{since(d), filter("updated_at", "<", d), filter("updated_at", "=", d),
				group("AND", filter("updated_at", ">", d), filter("updated_at", "<", d+50*86400)),
				group("OR", filter("updated_at", "<", d), filter("updated_at", ">", d+86400*3))} {
				fast, slow := c.search(query), c.search(group("AND", always, query))
				if query["operator"] == "AND" {
					slow = c.search(group("AND", append([]any{always}, query["value"].([]any)...)...))
				}
				if fast.total() != slow.total() || !slices.Equal(fast.ids(), slow.ids()) {
					t.Errorf("%s %v: %d and %d", c.version, query, fast.total(), slow.total())
				}
			}
		}
	}
}

func TestSearchSortsByTheWholeTimeAndPagesByCursor(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Config{Contacts: 400})
	all := c.searchAll(since(0))
	last, seen := 0, map[any]bool{}
	for _, contact := range all {
		if at := whole(contact["updated_at"]); at < last {
			t.Fatalf("updated_at %d after %d", at, last)
		} else {
			last = at
		}
		seen[contact["id"]] = true
	}
	if len(all) != 400 || len(seen) != 400 {
		t.Errorf("%d records, %d contacts, want 400", len(all), len(seen))
	}
	r := c.do("POST", "/contacts/search", m{"query": since(0)})
	if len(r.data()) != 50 || r.total() != 400 {
		t.Errorf("default page: %d of %d, want 50 of 400 (4.1, 8)", len(r.data()), r.total())
	}
	down := c.do("POST", "/contacts/search", m{"query": since(0), "sort": m{"field": "updated_at", "order": "descending"}, "pagination": m{"per_page": 3}})
	if got, want := down.ids()[0], all[len(all)-1]["id"]; got != want {
		t.Errorf("descending begins with %v, want %v", got, want)
	}
	next := c.do("POST", "/contacts/search", m{"query": since(0), "sort": m{"field": "updated_at", "order": "descending"}, "pagination": down.next()})
	if got, want := next.ids()[0], all[len(all)-4]["id"]; got != want {
		t.Errorf("descending goes on with %v, want %v", got, want)
	}
}

func TestContactHasEveryFieldOfTheDocumentInItsVersion(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Config{})
	names := strings.Fields(`type id workspace_id external_id role email phone name avatar owner_id social_profiles
		unsubscribed_from_emails created_at updated_at signed_up_at last_seen_at last_replied_at last_contacted_at
		last_email_opened_at last_email_clicked_at language_override browser browser_version browser_language os location
		android_app_name android_app_version android_device android_os_version android_sdk_version android_last_seen_at
		ios_app_name ios_app_version ios_device ios_os_version ios_sdk_version ios_last_seen_at custom_attributes tags notes companies`)
	for _, c.version = range []string{"2.16", "2.17"} {
		for _, contact := range c.searchAll(since(0)) {
			for _, name := range names {
				if _, ok := contact[name]; !ok {
					t.Fatalf("2.1: %s is missing", name)
				}
			}
			if _, ok := contact["email_verified"]; ok != (c.version == "2.17") {
				t.Fatalf("T46: email_verified in %s: %t", c.version, ok)
			}
		}
	}
}
