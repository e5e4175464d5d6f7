package emulator_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// Section 4.1, operators: which types each is valid for.
var operators = []struct{ op, kinds string }{
	{"=", "String Date Boolean Integer tag_id"}, // all
	{"!=", "String Boolean Integer tag_id"},     // all except Date
	{"IN", "String Boolean Integer"},            // all except Date and tag_id
	{"NIN", "String Boolean Integer"},           // all except Date and tag_id
	{">", "Integer Date"},
	{"<", "Integer Date"},
	{">=", "Integer"}, // not Date
	{"<=", "Integer"}, // not Date
	{"~", "String"},
	{"!~", "String"},
	{"^", "String"},
	{"$", "String"},
}

// searchCase is one kind of searchable record with its rows in the oracle.
type searchCase struct {
	path, list string
	rows       []map[string]any
	fields     []searchField
}

// searchedContacts returns contacts with the searchable fields of section 4.1 by type.
func (c *apiClient) searchedContacts(t testing.TB) searchCase {
	s := searchCase{path: "/contacts/search", list: "data", rows: c.w.Oracle("contacts")}
	s.fields = append(columnFields("String", `id role name avatar owner_id email phone external_id language_override browser browser_language os
		location.country location.region location.city ios_app_version ios_device ios_os_version ios_app_name ios_sdk_version
		android_app_version android_device android_app_name`), columnFields("Date", `created_at signed_up_at updated_at last_seen_at last_contacted_at
		last_replied_at last_email_opened_at last_email_clicked_at ios_last_seen_at android_last_seen_at`)...)
	s.fields = append(s.fields, columnField("formatted_phone", "String", "phone"), columnField("ios_app_device", "String", "ios_device"),
		columnField("andoid_sdk_version", "String", "android_sdk_version"), columnField("unsubscribed_from_emails", "Boolean", "unsubscribed_from_emails"),
		searchField{"marked_email_as_spam", "Boolean", nil}, searchField{"has_hard_bounced", "Boolean", nil},
		searchField{"email_domain", "String", func(row map[string]any) any {
			email, _ := row["email"].(string)
			_, domain, _ := strings.Cut(email, "@")
			return domain
		}}, c.memberField("tag_id", "tag_id", "contact_tags", "contact_id", "tag_id"))
	of := map[any][]string{}
	for _, row := range s.rows {
		of[row["id"]] = c.do("GET", "/contacts/"+row["id"].(string)+"/segments", nil).itemIDs()
		if owner := row["owner_id"]; owner != nil {
			row["owner_id"] = fmt.Sprint(owner) // 4.1: a String field
		}
	}
	s.fields = append(s.fields, searchField{"segment_id", "String", func(row map[string]any) any { return of[row["id"]] }})
	s.fields = append(s.fields, attributeFields(t, s.rows)...)
	return s
}

// searchedCompanies returns companies with the fields of 4.11: standard fields, custom attributes, tag_id. Companies without users are
// excluded.
func (c *apiClient) searchedCompanies(t testing.TB) searchCase {
	s := searchCase{path: "/companies/search", list: "data"}
	for _, row := range c.w.Oracle("companies") {
		if row["user_count"] != int64(0) {
			s.rows = append(s.rows, row)
		}
	}
	s.fields = append(columnFields("String", "id company_id name website industry"), columnFields("Date", "created_at updated_at last_request_at")...)
	s.fields = append(s.fields, columnFields("Integer", "monthly_spend session_count size user_count")...)
	s.fields = append(s.fields, columnField("plan", "String", "plan_name"), c.memberField("tag_id", "tag_id", "company_tags", "company_id", "tag_id"),
		c.memberField("segment_id", "String", "company_segments", "company_id", "segment_id"))
	s.fields = append(s.fields, attributeFields(t, s.rows)...)
	return s
}

// searchedConversations returns conversations with the public searchable fields; 4.11 names none.
func (c *apiClient) searchedConversations(t testing.TB) searchCase {
	s := searchCase{path: "/conversations/search", list: "conversations", rows: c.w.Oracle("conversations")}
	s.fields = append(columnFields("String", `id title state priority source.type source.id source.delivered_as source.subject source.body
		source.author.id source.author.type source.author.name source.author.email`), columnFields("Boolean", "open read ai_agent_participated")...)
	s.fields = append(s.fields, columnFields("Date", "created_at updated_at waiting_since snoozed_until")...)
	s.fields = append(s.fields, columnFields("Integer", "admin_assignee_id team_assignee_id")...)
	s.fields = append(s.fields, c.memberField("tag_ids", "String", "conversation_tags", "conversation_id", "tag_id"),
		c.memberField("contact_ids", "String", "conversation_contacts", "conversation_id", "contact_id"))
	s.fields = append(s.fields, attributeFields(t, s.rows)...)
	return s
}

// searchedTickets returns tickets with the public searchable fields; the document does not describe their search.
func (c *apiClient) searchedTickets(testing.TB) searchCase {
	s := searchCase{path: "/tickets/search", list: "tickets", rows: c.w.Oracle("tickets")}
	s.fields = append(columnFields("String", "id category ticket_type_id ticket_state_id"), columnFields("Boolean", "open is_shared")...)
	s.fields = append(s.fields, columnFields("Date", "created_at updated_at snoozed_until")...)
	s.fields = append(s.fields, columnFields("Integer", "admin_assignee_id team_assignee_id")...)
	s.fields = append(s.fields, columnField("ticket_id", "String", "number"), columnField("state", "String", "ticket_state_category"),
		c.memberField("contact_ids", "String", "ticket_contacts", "ticket_id", "contact_id"))
	return s
}

// queryIDs returns all ids that a search finds.
func (s searchCase) queryIDs(c *apiClient, query any) (ids []string, r apiReply) {
	c.t.Helper()
	for page := (m{"per_page": 150}); ; {
		r = c.do("POST", s.path, m{"query": query, "pagination": page})
		for _, one := range asList(r.json[s.list]) {
			ids = append(ids, one.(map[string]any)["id"].(string))
		}
		token, more := r.nextPage()["starting_after"].(string)
		if !more {
			slices.Sort(ids)
			return ids, r
		}
		page = m{"per_page": 150, "starting_after": token}
	}
}

// expectedIDs returns the ids that the document's rules select.
func (s searchCase) expectedIDs(d dayZones, query m) (ids []string) {
	for _, row := range s.rows {
		if d.matchesRow(s.fields, query, row) {
			ids = append(ids, row["id"].(string))
		}
	}
	slices.Sort(ids)
	return ids
}

// sampleValue returns a value to query with an operator: the nth one among the records that have one.
func (s searchCase) sampleValue(f searchField, op string, n int) any {
	var there []any
	for _, row := range s.rows {
		switch v := f.get(row).(type) {
		case nil:
		case []string:
			for _, one := range v {
				there = append(there, one)
			}
		default:
			if kindOf(f, v) == f.kind && v != "" {
				there = append(there, v)
			}
		}
	}
	if len(there) == 0 {
		return nil
	}
	one := there[n%len(there)]
	text, _ := one.(string)
	letters := []rune(text)
	switch op {
	case "IN", "NIN":
		return []any{one, there[(n+1)%len(there)]}
	case "~", "!~":
		one = string(letters[len(letters)/3 : 1+len(letters)*2/3])
	case "^":
		one = string(letters[:1+len(letters)/2])
	case "$":
		one = string(letters[len(letters)/2:])
	}
	return one
}

// valueOfKind returns a value of a field's type for an operator that is not valid for it.
func valueOfKind(kind, op string) any {
	value := map[string]any{"String": "a", "tag_id": "7522900", "Date": 1700000000, "Integer": 5, "Boolean": true}[kind]
	if op == "IN" || op == "NIN" {
		return []any{value}
	}
	return value
}

// Sections 4.1, 4.11 and 9: each operator with each field. It is refused where the type does not allow it, and elsewhere finds what the
// oracle's rows say.
func TestContract4_1EveryOperatorWithEveryField(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("UTC+05:45", 20700)
	c := startWorkspace(t, emulator.Config{Seed: 12, Contacts: 40, Conversations: 50, Tickets: 90, Zone: zone, Knobs: emulator.Knobs{NoLag: true}})
	failOn(t, c.w.SnoozeConversation(c.w.ConversationIDs()[3], c.w.CurrentTime().Add(time.Hour)))
	for _, s := range []searchCase{c.searchedContacts(t), c.searchedCompanies(t), c.searchedConversations(t), c.searchedTickets(t)} {
		for _, f := range s.fields {
			for _, o := range operators {
				for _, c.version = range []string{"2.16", "2.17"} {
					if f.kind != "Date" && c.version == "2.16" {
						continue // only times differ
					}
					s.checkOperator(t, c, f, o.op, slices.Contains(strings.Fields(o.kinds), f.kind), daysOf(c.version, zone))
				}
			}
		}
	}
}

// checkOperator queries one field with one operator.
func (s searchCase) checkOperator(t *testing.T, c *apiClient, f searchField, op string, valid bool, d dayZones) {
	t.Helper()
	if !valid {
		if _, r := s.queryIDs(c, fieldFilter(f.name, op, valueOfKind(f.kind, op))); r.status != 400 || r.errorCode() != "parameter_invalid" {
			t.Errorf("%s %s: %s %s: %d, want a refusal", c.version, s.path, f.name, op, r.status)
		}
		return
	}
	if f.get == nil { // the oracle does not tell: each record is on one side
		yes, _ := s.queryIDs(c, fieldFilter(f.name, "=", true))
		no, _ := s.queryIDs(c, fieldFilter(f.name, "!=", true))
		if len(yes)+len(no) != len(s.rows) {
			t.Errorf("%s: %d and %d of %d", f.name, len(yes), len(no), len(s.rows))
		}
		return
	}
	for n := range 2 {
		value := s.sampleValue(f, op, 7*n)
		if value == nil {
			t.Errorf("%s: nothing has a %s", s.path, f.name)
			return
		}
		query := fieldFilter(f.name, op, value)
		got, r := s.queryIDs(c, query)
		if want := s.expectedIDs(d, query); r.status != 200 || !slices.Equal(got, want) {
			t.Errorf("%s %s: %v: %d, %d found, want %d", c.version, s.path, query, r.status, len(got), len(want))
		}
	}
}

// Sections 4.1 and 8: groups of filters and of groups mean what AND and OR say.
func TestContract4_1GroupsMeanWhatTheySay(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("UTC-11", -11*3600)
	c := startWorkspace(t, emulator.Config{Seed: 13, Contacts: 90, Conversations: 50, Tickets: 90, Zone: zone, Knobs: emulator.Knobs{NoLag: true}})
	for _, s := range []searchCase{c.searchedContacts(t), c.searchedCompanies(t), c.searchedConversations(t), c.searchedTickets(t)} {
		r := rand.New(rand.NewPCG(1, 2))
		some := 0
		for n := range 120 {
			c.version = []string{"2.16", "2.17"}[n%2]
			query := s.drawQuery(r, 2)
			got, answer := s.queryIDs(c, query)
			want := s.expectedIDs(daysOf(c.version, zone), query)
			if answer.status != 200 || answer.totalCount() != len(want) || !slices.Equal(got, want) {
				t.Fatalf("%s %s: %v: %d, %d found, want %d", c.version, s.path, query, answer.status, len(got), len(want))
			}
			if len(want) > 0 && len(want) < len(s.rows) {
				some++
			}
		}
		if some < 40 {
			t.Errorf("%s: only %d of 120 questions part the records", s.path, some)
		}
	}
}

// drawQuery draws a group of one to four filters and groups.
func (s searchCase) drawQuery(r *rand.Rand, levels int) m {
	g := filterGroup([]string{"AND", "OR"}[r.IntN(2)])
	for range 1 + r.IntN(6) {
		if levels > 1 && r.IntN(3) == 0 {
			g["value"] = append(g["value"].([]any), s.drawQuery(r, levels-1))
			continue
		}
		f, o := s.fields[r.IntN(len(s.fields))], operators[r.IntN(len(operators))]
		var value any
		if f.get != nil && slices.Contains(strings.Fields(o.kinds), f.kind) {
			value = s.sampleValue(f, o.op, r.IntN(1000))
		}
		if value == nil {
			continue
		}
		g["value"] = append(g["value"].([]any), fieldFilter(f.name, o.op, value))
	}
	if len(g["value"].([]any)) == 0 {
		return s.drawQuery(r, levels)
	}
	return g
}
