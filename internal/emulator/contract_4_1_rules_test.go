package emulator_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// searchIDs gives the ids that a search returns.
func (c *apiClient) searchIDs(query any) []string {
	c.t.Helper()
	r := c.searchContacts(query)
	if r.status != 200 {
		c.t.Fatalf("search: %d %s", r.status, r.raw)
	}
	return r.itemIDs()
}

// createContact creates a contact that is searchable at once.
func (c *apiClient) createContact(role string, set ...emulator.FieldChange) string {
	c.t.Helper()
	id, err := c.w.CreateContact(role, set...)
	if err != nil {
		c.t.Fatal(err)
	}
	return id
}

func noLagConfig() emulator.Config { return emulator.Config{Knobs: emulator.Knobs{NoLag: true}} }

func setField(field string, value any) emulator.FieldChange {
	return emulator.FieldChange{Field: field, Value: value}
}

// Section 4.1, example by example.
func TestContract4_1OperatorsMeanWhatTheDocumentSays(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, noLagConfig())
	born := c.w.CurrentTime().Unix()
	a := c.createContact("user", setField("name", "Zaphod Beeblebrox"), setField("email", "zaphod@heart.example"), setField("owner_id", 9007199254740993),
		setField("location_country", "Betelgeuse"), setField("unsubscribed_from_emails", true), setField("custom_attributes.heads", 2),
		setField("custom_attributes.ship", "Heart of Gold"), setField("custom_attributes.cool", true))
	b := c.createContact("lead", setField("name", "Trillian Astra"), setField("email", "trillian@heart.example"), setField("location_country", "Betelgeuse"),
		setField("custom_attributes.heads", 1), setField("unsubscribed_from_emails", false))
	if err := c.w.TagContact(a, 599); err != nil {
		t.Fatal(err)
	}
	home := fieldFilter("location.country", "=", "Betelgeuse")
	for _, tc := range []struct {
		name   string
		filter any
		want   []string
	}{
		{"4.1 = text", fieldFilter("name", "=", "Zaphod Beeblebrox"), []string{a}},
		{"4.1 != text", fieldFilter("role", "!=", "user"), []string{b}},
		{"4.1 IN", fieldFilter("email", "IN", []string{"zaphod@heart.example", "nobody@x"}), []string{a}},
		{"4.1 NIN", fieldFilter("email", "NIN", []string{"zaphod@heart.example"}), []string{b}},
		{"4.1 ~ contains", fieldFilter("name", "~", "llian As"), []string{b}},
		{"4.1 !~ does not contain", fieldFilter("name", "!~", "llian As"), []string{a}},
		{"4.1 ^ starts with", fieldFilter("name", "^", "Zaph"), []string{a}},
		{"4.1 $ ends with", fieldFilter("name", "$", "Astra"), []string{b}},
		{"4.1 owner_id is a String field", fieldFilter("owner_id", "=", "9007199254740993"), []string{a}},
		{"4.1 email_domain", fieldFilter("email_domain", "=", "heart.example"), []string{a, b}},
		{"4.1 Boolean", fieldFilter("unsubscribed_from_emails", "=", true), []string{a}},
		{"4.1 Boolean !=", fieldFilter("unsubscribed_from_emails", "!=", true), []string{b}},
		{"4.1.4 tag_id =", fieldFilter("tag_id", "=", "7527093"), []string{a}},
		{"4.1.4 tag_id !=", fieldFilter("tag_id", "!=", "7527093"), []string{b}},
		{"4.1 Integer >", fieldFilter("custom_attributes.heads", ">", 1), []string{a}},
		{"4.1 Integer <=", fieldFilter("custom_attributes.heads", "<=", 1), []string{b}},
		{"4.1 Integer IN", fieldFilter("custom_attributes.heads", "IN", []int{1, 3}), []string{b}},
		{"4.1 custom text", fieldFilter("custom_attributes.ship", "^", "Heart"), []string{a}},
		{"4.1 custom boolean", fieldFilter("custom_attributes.cool", "=", true), []string{a}},
		{"9 Date = exact second", fieldFilter("created_at", "=", born), []string{a, b}},
		{"9 Date as a whole number with a fraction, as public clients send it", fieldFilter("created_at", "=", json.RawMessage(fmt.Sprintf("%d.0", born))), []string{a, b}},
		{"9 Date > is exclusive", fieldFilter("created_at", ">", born), nil},
		{"9 Date < is exclusive", fieldFilter("created_at", "<", born), nil},
		{"4.1 OR", filterGroup("OR", fieldFilter("role", "=", "lead"), fieldFilter("role", "=", "user")), []string{a, b}},
		{"8 two levels", filterGroup("AND", fieldFilter("role", "=", "lead"), fieldFilter("name", "~", "a")), []string{b}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := c.searchIDs(filterGroup("AND", home, tc.filter))
			if slices.Sort(got); !slices.Equal(got, sortedCopy(tc.want)) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func sortedCopy(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}

// wrongValues are values of the wrong type for fields and operators that are valid.
var wrongValues = []struct {
	rule, field, operator string
	values                []any
}{
	{"4.1.3 a Date takes a UNIX timestamp (T21)", "updated_at", ">", []any{"1700000000", 1700000000.5, true, nil, []int{1700000000}, m{"at": 1}, "2024-06-15"}},
	{"4.1.3 a String takes text", "name", "=", []any{1, 1.5, true, nil, []string{"a"}, m{}}},
	{"4.1.3 a String takes text", "name", "~", []any{1, nil, []string{"a"}}},
	{"4.1.3 owner_id is a String", "owner_id", "=", []any{814860, nil}},
	{"4.1.3 a Boolean takes true or false", "has_hard_bounced", "=", []any{"true", 1, 0, nil, []bool{true}}},
	{"4.1.3 tag_id takes text", "tag_id", "=", []any{7522900, nil, []string{"7522900"}}},
	{"4.1 IN takes an array", "name", "IN", []any{"a", 1, nil, m{}, []any{"a", 1}, []any{"a", nil}}},
	{"4.1 NIN takes an array", "role", "NIN", []any{"lead", nil, []any{true}}},
	{"4.1 IN takes an array of its type", "has_hard_bounced", "IN", []any{true, []any{"true"}, []any{true, nil}}},
	{"4.1.6 a customer's Date too", "custom_attributes.renewal_date", "=", []any{"1700000000", 1.5, nil, true}},
	{"4.1 a mixed array has no type", "custom_attributes.plan", "IN", []any{[]any{"Basic", 1}, []any{1, true}}},
}

// Sections 4.1 and 8: what a search refuses. The document does not give the status (7).
func TestContract4_1SearchRefusesWhatTheDocumentForbids(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, noLagConfig())
	lead := fieldFilter("role", "=", "lead")
	many := filterGroup("OR")
	for range 16 {
		many["value"] = append(many["value"].([]any), lead)
	}
	type refusal struct {
		rule  string
		query any
	}
	list := []refusal{
		{"4.1.4 tag_id IN", fieldFilter("tag_id", "IN", []string{"1"})},
		{"4.1.6 IN nothing on a Date", fieldFilter("updated_at", "IN", []int{})},
		{"4.1 a filter has three fields", m{"field": "name", "operator": "=", "value": "a", "values": 1}},
		{"4.1.6 != on a customer's Date", fieldFilter("custom_attributes.renewal_date", "!=", 1700000000)},
		{"4.1 unknown field", fieldFilter("shoe_size", "=", "44")},
		{"4.1 a field that is not searchable", fieldFilter("browser_version", "=", "1")},
		{"4.1 spelled andoid_sdk_version", fieldFilter("android_sdk_version", "=", "1")},
		{"4.1 unknown operator", fieldFilter("name", "LIKE", "a")},
		{"4.1 the operator is upper case", m{"operator": "and", "value": []any{lead, lead}}},
		{"4.1 the operator is a string", m{"field": "name", "operator": 1, "value": "a"}},
		{"4.1 no operator", m{"field": "name", "value": "a"}},
		{"4.1 no field", m{"operator": "=", "value": "a"}},
		{"4.1 no value", m{"field": "name", "operator": "="}},
		{"4.1 no filter", m{}}, {"4.1 no query", nil}, {"4.1 a list is no query", []any{lead}}, {"4.1 text is no query", "role = lead"},
		{"4.1 no filters in a group", filterGroup("AND")},
		{"4.1 a group takes a list", m{"operator": "AND", "value": lead}},
		{"8 T22 sixteen filters in a group", many},
		{"8 T22 sixteen filters in an inner group", filterGroup("AND", lead, many)},
		{"8 T22 three levels", filterGroup("AND", filterGroup("OR", filterGroup("AND", lead, lead), lead), lead)},
	}
	for _, w := range wrongValues {
		for _, value := range w.values {
			list = append(list, refusal{w.rule, fieldFilter(w.field, w.operator, value)}, refusal{w.rule + ", in a group", filterGroup("OR", lead, fieldFilter(w.field, w.operator, value))})
		}
	}
	for _, c.version = range []string{"2.13", "2.16", "2.17"} {
		for _, r := range list {
			if got := c.searchContacts(r.query); got.status != 400 || got.errorCode() != "parameter_invalid" || got.json["type"] != "error.list" {
				t.Errorf("%s in %s: %v: %d %s", r.rule, c.version, r.query, got.status, got.errorCode())
			}
		}
	}
}

// Sections 4.1 and 8: what the limits just allow, and the parts of the body beside the query.
func TestContract4_1TheBodyOfASearch(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, noLagConfig())
	all := updatedSince(0)
	lead := fieldFilter("role", "=", "lead")
	full := filterGroup("OR")
	for range 15 {
		full["value"] = append(full["value"].([]any), lead)
	}
	rounds := filterGroup("AND")
	for range 15 {
		rounds["value"] = append(rounds["value"].([]any), full)
	}
	by := func(field, order string) m { return m{"field": field, "order": order} }
	for _, test := range []struct {
		rule, path string
		body       any
		status     int
		size       int // of the page
	}{
		{"8 fifteen filters in a group", "", m{"query": full, "pagination": m{"per_page": 1}}, 200, 1},
		{"8 fifteen in each of fifteen groups", "", m{"query": rounds, "pagination": m{"per_page": 1}}, 200, 1},
		{"8 two levels", "", m{"query": filterGroup("AND", filterGroup("OR", lead, lead), lead), "pagination": m{"per_page": 1}}, 200, 1},
		{"4.1, 8 per_page is 50 by default", "", m{"query": all}, 200, 50},
		{"4.1 an empty pagination", "", m{"query": all, "pagination": m{}}, 200, 50},
		{"api-notes: at most 150", "", m{"query": all, "pagination": m{"per_page": 150}}, 200, 150},
		{"api-notes: at most 150", "", m{"query": all, "pagination": m{"per_page": 151}}, 400, 0},
		{"4.1 per_page is an integer", "", m{"query": all, "pagination": m{"per_page": "50"}}, 400, 0},
		{"4.1 per_page is an integer", "", m{"query": all, "pagination": m{"per_page": 1.5}}, 400, 0},
		{"4.1 a page of nothing", "", m{"query": all, "pagination": m{"per_page": 0}}, 400, 0},
		{"4.1 a page of less", "", m{"query": all, "pagination": m{"per_page": -1}}, 400, 0},
		{"7 a cursor that is none", "", m{"query": all, "pagination": m{"starting_after": "garbage"}}, 400, 0},
		{"4.1 the cursor is a string", "", m{"query": all, "pagination": m{"starting_after": 5}}, 400, 0},
		{"4.1 ascending", "", m{"query": all, "sort": by("created_at", "ascending")}, 200, 50},
		{"4.1 an order that is none", "", m{"query": all, "sort": by("updated_at", "sideways")}, 400, 0},
		{"4.1 a field that is none", "", m{"query": all, "sort": by("shoe_size", "ascending")}, 400, 0},
		{"4.1 include_merge_history has no effect", "?include_merge_history=true", m{"query": all}, 200, 50},
		{"4.11 companies: per_page", "companies", m{"query": all, "pagination": m{"per_page": 3}}, 200, 3},
		{"4.11 companies: a cursor that is none", "companies", m{"query": all, "pagination": m{"starting_after": "garbage"}}, 400, 0},
		{"api-notes: conversations 20 by default", "conversations", m{"query": all}, 200, 20},
		{"api-notes: conversations at most 150", "conversations", m{"query": all, "pagination": m{"per_page": 151}}, 400, 0},
		{"7 conversations: a cursor that is none", "conversations", m{"query": all, "pagination": m{"starting_after": "garbage"}}, 400, 0},
	} {
		path := "/contacts/search" + test.path
		if test.path != "" && test.path[0] != '?' {
			path = "/" + test.path + "/search"
		}
		r := c.do("POST", path, test.body)
		if size := len(asList(r.json["data"])) + len(asList(r.json["conversations"])); r.status != test.status || size != test.size {
			t.Errorf("%s: %v: %d with %d records, want %d with %d", test.rule, test.body, r.status, size, test.status, test.size)
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
			config := noLagConfig()
			config.Zone = zone
			c := startWorkspace(t, config)
			// The 300 initial contacts are outside the queried days: only the new ones match.
			midnight := time.Date(2024, 7, 3, 0, 0, 0, 0, zone)
			at := map[int64]string{}
			for _, when := range []time.Time{midnight.Add(-time.Second), midnight, midnight.Add(9 * time.Hour), midnight.Add(24 * time.Hour)} {
				c.w.Advance(when.Sub(c.w.CurrentTime()))
				at[when.Unix()] = c.createContact("user", setField("location_city", "Here"))
			}
			ask := func(operator string, t int64) int {
				return len(c.searchIDs(filterGroup("AND", fieldFilter("location.city", "=", "Here"), fieldFilter("created_at", operator, t))))
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
			// This query is right in both meanings.
			for _, c.version = range []string{"2.13", "2.14", "2.16", "2.17", "3.0"} {
				if got := len(c.searchIDs(filterGroup("AND", fieldFilter("location.city", "=", "Here"), updatedSince(nine)))); got < 2 {
					t.Errorf("%s: since nine finds %d", c.version, got)
				}
			}
		})
	}
}

// Sections 4.1.5 and 9: a customer's Date is matched by the workspace's day up to 2.16, by the UTC day later.
func TestT50CustomersDatesHaveDaysOfTheWorkspaceOrOfUTC(t *testing.T) {
	t.Parallel()
	config := noLagConfig()
	config.Zone = time.FixedZone("UTC+10", 36000)
	c := startWorkspace(t, config)
	day := time.Date(2024, 7, 3, 0, 0, 0, 0, time.UTC).Unix()
	id := c.createContact("user", setField("custom_attributes.renewal_date", day+20*3600)) // the fourth of July, 06:00 there
	for _, test := range []struct {
		version, operator string
		at                int64
		found             bool
	}{
		{"2.17", "=", day, true}, {"2.17", "=", day + 86399, true}, {"2.17", "=", day + 86400, false}, {"2.17", ">", day - 1, true}, {"2.17", ">", day, false},
		{"2.17", "<", day + 86400, true}, {"2.16", "=", day, false}, {"2.16", "=", day + 14*3600, true}, {"2.16", "=", day + 38*3600 - 1, true},
		{"2.16", "=", day + 38*3600, false}, {"2.16", ">", day, true}, {"2.16", "<", day + 37*3600, false},
	} {
		c.version = test.version
		got := c.searchIDs(filterGroup("AND", fieldFilter("id", "=", id), fieldFilter("custom_attributes.renewal_date", test.operator, test.at)))
		if found := len(got) == 1; found != test.found {
			t.Errorf("%s: %s %d: found %t", test.version, test.operator, test.at-day, found)
		}
	}
}

// A span of the sort field is answered from the ordering, any other query by a look at each contact: both must agree.
func TestSpansOfTimeAreAnsweredAsAnyOtherQuery(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Asia/Kathmandu")
	if err != nil {
		t.Fatal(err)
	}
	c := startWorkspace(t, emulator.Config{Contacts: 120, Zone: zone})
	now := c.w.CurrentTime().Unix()
	always := filterGroup("OR", fieldFilter("role", "=", "lead"), fieldFilter("role", "=", "user"))
	for _, c.version = range []string{"2.16", "2.17"} {
		for _, d := range []int64{0, now - 400*86400, now - 100*86400 + 17, now, now + 86400} {
			for _, query := range []m{updatedSince(d), fieldFilter("updated_at", "<", d), fieldFilter("updated_at", "=", d),
				filterGroup("AND", fieldFilter("updated_at", ">", d), fieldFilter("updated_at", "<", d+50*86400)),
				filterGroup("OR", fieldFilter("updated_at", "<", d), fieldFilter("updated_at", ">", d+86400*3))} {
				fast, slow := c.searchContacts(query), c.searchContacts(filterGroup("AND", always, query))
				if query["operator"] == "AND" {
					slow = c.searchContacts(filterGroup("AND", append([]any{always}, query["value"].([]any)...)...))
				}
				if fast.totalCount() != slow.totalCount() || !slices.Equal(fast.itemIDs(), slow.itemIDs()) {
					t.Errorf("%s %v: %d and %d", c.version, query, fast.totalCount(), slow.totalCount())
				}
			}
		}
	}
}

// Sections 2.8 and 4.1.5.
func TestContract4_1SearchSortsByTheWholeTimeAndPagesByCursor(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 400})
	all := c.searchAll(updatedSince(0))
	last, seen := 0, map[any]bool{}
	for _, contact := range all {
		if at := toInt(contact["updated_at"]); at < last {
			t.Fatalf("updated_at %d after %d", at, last)
		} else {
			last = at
		}
		seen[contact["id"]] = true
	}
	if len(all) != 400 || len(seen) != 400 {
		t.Errorf("%d records, %d contacts, want 400", len(all), len(seen))
	}
	r := c.do("POST", "/contacts/search", m{"query": updatedSince(0)})
	if r.totalCount() != 400 {
		t.Errorf("4.1: %d in all, want 400", r.totalCount())
	}
	down := c.do("POST", "/contacts/search", m{"query": updatedSince(0), "sort": m{"field": "updated_at", "order": "descending"}, "pagination": m{"per_page": 3}})
	if got, want := down.itemIDs()[0], all[len(all)-1]["id"]; got != want {
		t.Errorf("descending begins with %v, want %v", got, want)
	}
	next := c.do("POST", "/contacts/search", m{"query": updatedSince(0), "sort": m{"field": "updated_at", "order": "descending"}, "pagination": down.nextPage()})
	if got, want := next.itemIDs()[0], all[len(all)-4]["id"]; got != want {
		t.Errorf("descending goes on with %v, want %v", got, want)
	}
}
