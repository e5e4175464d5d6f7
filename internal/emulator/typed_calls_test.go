package emulator_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// Calls that typed clients of such an API make, and that the document does not describe.

func TestMeIsTheAdminOfTheTokenWithItsWorkspace(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	r := c.do("GET", "/me", nil)
	app, _ := r.json["app"].(m)
	delete(r.json, "app")
	delete(r.json, "email_verified")
	admins := c.do("GET", "/admins", nil).json["admins"].([]any)
	if r.status != 200 || asText(t, r.json) != asText(t, admins[0]) {
		t.Errorf("%d %s", r.status, asText(t, r.json))
	}
	if contact := c.do("GET", "/contacts", nil).dataItems()[0]; app["id_code"] != contact["workspace_id"] || app["timezone"] != "UTC" || app["type"] != "app" {
		t.Errorf("the workspace is %v", app)
	}
}

func TestAdminsTeamsTagsAndSegmentsAreReadByTheirIDs(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	for _, list := range []struct{ path, key, query string }{
		{"/admins", "admins", ""}, {"/teams", "teams", ""}, {"/tags", "data", ""}, {"/segments", "segments", ""}, {"/segments", "segments", "?include_count=true"},
	} {
		for hour := range 3 {
			for _, item := range asList(c.do("GET", list.path+list.query, nil).json[list.key]) {
				id := item.(m)["id"].(string)
				if r := c.do("GET", list.path+"/"+id+list.query, nil); r.status != 200 || asText(t, r.json) != asText(t, item) {
					t.Fatalf("hour %d: %s/%s: %d %s, in the list %s", hour, list.path, id, r.status, r.raw, asText(t, item))
				}
			}
			c.w.SimulateHours(1)
		}
		if r := c.do("GET", list.path+"/1", nil); r.status != 404 || r.errorCode() != "not_found" {
			t.Errorf("%s/1: %d %s", list.path, r.status, r.raw)
		}
	}
}

func TestTheWordBearerIsAcceptedInAnyCase(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	token := c.w.AccessToken()
	for auth, want := range map[string]int{"bearer " + token: 200, "BEARER " + token: 200, "Bearer  " + token: 200, token: 200,
		"bearer": 401, "bearer " + token + "x": 401, "basic " + token: 401, "bearer bearer " + token: 401} {
		c.auth = auth
		if r := c.do("GET", "/me", nil); r.status != want {
			t.Errorf("%s: %d, want %d", strings.ReplaceAll(auth, token, "TOKEN"), r.status, want)
		}
	}
}

func TestArticlesAreFoundByPhraseAndState(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	for _, a := range []m{{"title": "Über Kraken & Tintenfische", "author_id": 814860, "state": "draft", "body": "<p>acht Arme</p>"},
		{"title": "Something else", "author_id": 814860, "state": "published", "body": "<p>Kraken</p>"}} {
		if r := c.do("POST", "/articles", a); r.status != 200 {
			t.Fatalf("%d %s", r.status, r.raw)
		}
	}
	all := c.w.Oracle("articles")
	for _, row := range []struct {
		query string
		want  func(a m) bool
	}{
		{"?phrase=kRAKEN", func(a m) bool {
			return strings.Contains(fmt.Sprint(a["title"], a["body"]), "Kraken")
		}},
		{"?phrase=kraken&state=draft", func(a m) bool { return strings.Contains(fmt.Sprint(a["title"]), "Kraken") }},
		{"?state=published", func(a m) bool { return a["state"] == "published" }},
		{"?state=all", func(m) bool { return true }},
		{"?phrase=no+such+words", func(m) bool { return false }},
	} {
		found, first := c.walkList("/articles/search" + row.query)
		var want []string
		for _, a := range all {
			if row.want(a) {
				want = append(want, a["id"].(string))
			}
		}
		var got []string
		for _, a := range found {
			got = append(got, fmt.Sprint(a["id"]))
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) || first.totalCount() != len(want) {
			t.Errorf("%s: found %v, want %v", row.query, got, want)
		}
	}
	data := c.do("GET", "/articles/search?phrase=kraken&highlight=true&state=draft", nil).json["data"].(m)
	want := `[{"article_id":"` + fmt.Sprint(data["articles"].([]any)[0].(m)["id"]) + `","highlighted_summary":[[]],"highlighted_title":[{"text":"Über ","type":"plain"},` +
		`{"text":"Kraken","type":"highlight"},{"text":" \u0026 Tintenfische","type":"plain"}]}]`
	if got := asText(t, data["highlights"]); got != want {
		t.Errorf("highlights are %s, want %s", got, want)
	}
	if got := asText(t, c.do("GET", "/articles/search?phrase=kraken", nil).json["data"].(m)["highlights"]); got != "[]" {
		t.Errorf("highlights that nobody asked for: %s", got)
	}
}

func TestNotesOfContactsAreWrittenReadAndListedAsTheOracleSays(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	lead, user := c.createByOperation("lead"), c.createByOperation("user")
	c.w.Advance(time.Minute)
	id := c.createRecord("POST", "/contacts/"+lead+"/notes", m{"body": "<p>Ça va</p>", "admin_id": 5})
	c.createRecord("POST", "/contacts/"+lead+"/notes", m{"body": "by the token's admin"})
	if d := c.do("GET", "/contacts/"+lead, nil).json; toInt(d["updated_at"]) != int(c.w.CurrentTime().Unix()) {
		t.Error("a note moves the contact's updated_at")
	}
	same := func() {
		t.Helper()
		var served []m
		for _, contact := range c.walkCursors("/contacts") {
			for _, note := range c.walkPages("/contacts/"+contact["id"].(string)+"/notes", 50) {
				alone := c.do("GET", note["url"].(string), nil)
				if alone.status != 200 || asText(t, alone.json) != asText(t, note) {
					t.Fatalf("%v: %d %s", note["url"], alone.status, alone.raw)
				}
				served = append(served, m{"note_id": note["id"], "contact_id": note["contact"].(m)["id"], "body": note["body"], "created_at": note["created_at"],
					"author_id": note["author"].(m)["id"]})
			}
		}
		if sameRows(t, "contact_note_texts", served, c.w.Oracle("contact_note_texts")); len(served) < 20 {
			t.Errorf("%d notes", len(served))
		}
	}
	same()
	c.do("POST", "/contacts/merge", m{"from": lead, "into": user})
	if note := c.do("GET", "/notes/"+id, nil).json; note["contact"].(m)["id"] != user || note["author"].(m)["id"] != "5" || note["body"] != "<p>Ça va</p>" {
		t.Errorf("after a merge the note is %v", note)
	}
	same()
	firm := c.w.Oracle("company_notes")[0]
	if r := c.do("GET", "/notes/"+firm["note_id"].(string), nil); r.json["body"] != firm["body"] || r.json["company"].(m)["id"] != firm["company_id"] {
		t.Errorf("the note of a company: %d %s", r.status, r.raw)
	}
	for _, row := range []struct {
		method, path string
		body         any
		status       int
		code         string
	}{
		{"POST", "/contacts/nobody/notes", m{"body": "x"}, 404, "not_found"},
		{"POST", "/contacts/" + lead + "/notes", m{"body": "x"}, 404, "not_found"},
		{"POST", "/contacts/" + user + "/notes", m{}, 400, "parameter_not_found"},
		{"POST", "/contacts/" + user + "/notes", m{"body": ""}, 400, "parameter_invalid"},
		{"POST", "/contacts/" + user + "/notes", m{"body": "x", "admin_id": "99"}, 404, "not_found"},
		{"GET", "/notes/1", nil, 404, "not_found"},
	} {
		if r := c.do(row.method, row.path, row.body); r.status != row.status || r.errorCode() != row.code {
			t.Errorf("%s %s %v: %d %s", row.method, row.path, row.body, r.status, r.raw)
		}
	}
}

func TestAContactIsArchivedBroughtBackAndBlockedByRequests(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Knobs: emulator.Knobs{NoLag: true}})
	id := c.createRecord("POST", "/contacts", m{"external_id": "ext-1"})
	for _, row := range []struct {
		do, flag  string
		value     bool
		lifecycle string
		refused   []string // refused from then on
	}{
		{"archive", "archived", true, "archived", []string{"archive", "block"}},
		{"unarchive", "archived", false, "active", []string{"unarchive"}},
		{"block", "blocked", true, "blocked", []string{"archive", "unarchive", "block"}},
	} {
		c.w.Advance(time.Minute)
		r := c.do("POST", "/contacts/"+id+"/"+row.do, nil)
		if r.status != 200 || asText(t, r.json) != asText(t, m{"type": "contact", "id": id, "external_id": "ext-1", row.flag: row.value}) {
			t.Errorf("%s: %d %s", row.do, r.status, r.raw)
		}
		active := row.lifecycle == "active"
		if c.lifecycleRow(id)["lifecycle"] != row.lifecycle || c.isSearchable(id) != active || (c.inactiveEntry(id) == nil) != active {
			t.Errorf("%s: it is %v", row.do, c.lifecycleRow(id))
		}
		if active && c.oracleRow("contacts", id)["updated_at"] != c.w.CurrentTime().Unix() {
			t.Error("coming back moves updated_at")
		}
		for _, do := range row.refused {
			if r := c.do("POST", "/contacts/"+id+"/"+do, nil); r.status != 404 || r.errorCode() != "not_found" {
				t.Errorf("%s after %s: %d %s", do, row.do, r.status, r.raw)
			}
		}
		if active {
			c.sameContact(id)
		}
	}
	if r := c.do("POST", "/contacts/nobody/archive", nil); r.status != 404 {
		t.Errorf("nobody: %d", r.status)
	}
}

func TestACompanyIsCreatedAndThenChangedByItsCompanyID(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	c.w.Advance(time.Minute)
	same := func(r apiReply, id string) m {
		t.Helper()
		row := c.oracleRow("companies", id)
		for _, column := range []string{"id", "company_id", "app_id", "name", "website", "industry", "created_at", "updated_at", "last_request_at", "monthly_spend", "session_count", "size", "user_count"} {
			if asText(t, r.json[column]) != asText(t, row[column]) {
				t.Errorf("%s is %v, in the oracle %v", column, r.json[column], row[column])
			}
		}
		plan, _ := r.json["plan"].(m)
		if plan["name"] != row["plan_name"] || plan["id"] != row["plan_id"] || asText(t, sameJSON([]m{{"a": row["custom_attributes"]}})[0]["a"]) != asText(t, jsonText(r.json["custom_attributes"])) {
			t.Errorf("%s, in the oracle %v", r.raw, row)
		}
		if again := c.do("GET", "/companies/"+id, nil); r.status != 200 || string(again.raw) != string(r.raw) {
			t.Errorf("%d %s\nby its id %s", r.status, r.raw, again.raw)
		}
		return row
	}
	r := c.do("POST", "/companies", m{"company_id": "acct-new", "name": "Neu & Söhne", "plan": "Pro", "monthly_spend": 120.0, "size": 40, "custom_attributes": m{"level": 7}})
	id, _ := r.json["id"].(string)
	if row := same(r, id); row["user_count"] != int64(0) || row["website"] != nil || row["session_count"] != int64(0) {
		t.Errorf("only what is sent: %v", row)
	}
	c.w.Advance(time.Minute)
	if row := same(c.do("POST", "/companies", m{"company_id": "acct-new", "name": nil, "website": "https://neu.example"}), id); row["name"] != nil || row["monthly_spend"] != int64(120) || row["updated_at"] != c.w.CurrentTime().Unix() {
		t.Errorf("changed: %v", row)
	}
	before := c.w.CurrentTime().Unix()
	c.w.Advance(time.Minute)
	if row := same(c.do("POST", "/companies", m{"company_id": "acct-new"}), id); row["updated_at"] != before {
		t.Error("nothing was sent, and updated_at moves")
	}
	known := c.w.Oracle("companies")[3]
	if row := same(c.do("POST", "/companies", m{"company_id": known["company_id"], "size": 9}), known["id"].(string)); row["size"] != int64(9) {
		t.Errorf("a company of the population: %v", row)
	}
	for _, row := range []struct {
		body m
		code string
	}{{m{"name": "x"}, "parameter_not_found"}, {m{"company_id": ""}, "parameter_invalid"}, {m{"company_id": "a", "monthly_spend": -1}, "parameter_invalid"},
		{m{"company_id": "a", "size": "big"}, "parameter_invalid"}, {m{"company_id": "a", "size": 1.5}, "parameter_invalid"}, {m{"company_id": "a", "custom_attributes": m{"x": []int{1}}}, "parameter_invalid"}} {
		if r := c.do("POST", "/companies", row.body); r.status != 400 || r.errorCode() != row.code {
			t.Errorf("%v: %d %s", row.body, r.status, r.raw)
		}
	}
	contact := c.createRecord("POST", "/contacts", m{"role": "lead"})
	if r := c.do("POST", "/contacts/"+contact+"/companies", m{"id": id}); toInt(r.json["user_count"]) != 1 {
		t.Errorf("a user of it: %s", r.raw)
	}
}

func TestAContactBeginsAConversationByARequest(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 5})
	user, lead := c.createByOperation("user"), c.createByOperation("lead")
	c.w.Advance(time.Minute)
	for _, from := range []m{{"type": "user", "id": user}, {"type": "lead", "id": lead}, {"type": "contact", "id": lead}} {
		r := c.do("POST", "/conversations", m{"from": from, "body": "<p>Hilfe</p>"})
		id, _ := r.json["conversation_id"].(string)
		row := c.oracleRow("conversations", id)
		if r.status != 200 || row == nil || row["source_body"] != "<p>Hilfe</p>" || row["source_id"] != r.json["id"] || row["source_author_id"] != from["id"] || row["created_at"] != int64(toInt(r.json["created_at"])) {
			t.Fatalf("%v: %d %s, the oracle has %v", from, r.status, r.raw, row)
		}
		if r.json["type"] != "user_message" || r.json["body"] != "<p>Hilfe</p>" {
			t.Errorf("%s", r.raw)
		}
		got := c.do("GET", "/conversations/"+id, nil).json
		if got["source"].(m)["delivered_as"] != "customer_initiated" || got["open"] != true || toInt(got["conversation_parts"].(m)["total_count"]) != 0 {
			t.Errorf("it is %v", got)
		}
	}
	for _, row := range []struct {
		body   m
		status int
		code   string
	}{
		{m{"body": "x"}, 400, "parameter_not_found"}, {m{"from": m{"type": "user", "id": user}}, 400, "parameter_not_found"}, {m{"from": m{"id": user}, "body": "x"}, 400, "parameter_not_found"},
		{m{"from": m{"type": "admin", "id": "5"}, "body": "x"}, 400, "parameter_invalid"}, {m{"from": m{"type": "user", "id": user}, "body": ""}, 400, "parameter_invalid"},
		{m{"from": m{"type": "user", "id": lead}, "body": "x"}, 404, "not_found"}, {m{"from": m{"type": "user", "id": "nobody"}, "body": "x"}, 404, "not_found"},
	} {
		if r := c.do("POST", "/conversations", row.body); r.status != row.status || r.errorCode() != row.code {
			t.Errorf("%v: %d %s", row.body, r.status, r.raw)
		}
	}
}

// What clients of these calls wrote is the same after a restart.
func TestWritesOfTypedClientsSurviveARestart(t *testing.T) {
	t.Parallel()
	config := emulator.Config{Contacts: 60, Conversations: 5}
	c := startWorkspace(t, config)
	var journal []emulator.JournalEntry
	c.w.SetJournal(func(e emulator.JournalEntry) error { journal = append(journal, e); return nil })
	user := c.createRecord("POST", "/contacts", m{"external_id": "u"})
	for _, a := range []struct {
		path string
		body any
	}{
		{"/companies", m{"company_id": "neu", "name": "Neu"}}, {"/companies", m{"company_id": "neu", "size": 3}}, {"/contacts/" + user + "/notes", m{"body": "n", "admin_id": 5}},
		{"/conversations", m{"from": m{"type": "user", "id": user}, "body": "b"}}, {"/contacts/" + user + "/archive", nil}, {"/contacts/" + user + "/unarchive", nil},
		{"/contacts/" + user + "/block", nil},
	} {
		c.w.Advance(time.Second)
		if r := c.do("POST", a.path, a.body); r.status != 200 {
			t.Fatalf("%s: %d %s", a.path, r.status, r.raw)
		}
	}
	again := emulator.New(config)
	for _, e := range journal {
		failOn(t, again.ReplayOperation(e))
	}
	if a, b := snapshotOracle(c.w), snapshotOracle(again); len(journal) != 8 || fmt.Sprint(a.rows) != fmt.Sprint(b.rows) {
		t.Errorf("%d entries, and another truth", len(journal))
	}
}

func TestSearchTakesNumbersWithAFractionOfZero(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, noLagConfig())
	for _, of := range []struct{ path, field string }{{"/contacts/search", "created_at"}, {"/conversations/search", "created_at"}, {"/tickets/search", "created_at"}, {"/companies/search", "session_count"}} {
		for _, operator := range []string{">", "<"} {
			ask := func(value any) int {
				return c.do("POST", of.path, m{"query": fieldFilter(of.field, operator, value)}).totalCount()
			}
			middle := 250
			if of.field == "created_at" {
				middle = int(c.w.CurrentTime().Add(-400 * 24 * time.Hour).Unix())
			}
			if whole, point := ask(middle), ask(json.Number(strconv.Itoa(middle)+".0")); whole != point || whole == 0 {
				t.Errorf("%s %s %s: %d by a whole number, %d by one with a point", of.path, of.field, operator, whole, point)
			}
			if r := c.do("POST", of.path, m{"query": fieldFilter(of.field, operator, json.Number(strconv.Itoa(middle)+".5"))}); r.status != 400 {
				t.Errorf("%s: half a second: %d", of.path, r.status)
			}
		}
	}
	some := c.w.Oracle("companies")[0]["session_count"].(int64)
	if r := c.do("POST", "/companies/search", m{"query": fieldFilter("session_count", "IN", []any{json.Number(strconv.FormatInt(some, 10) + ".0")})}); r.totalCount() == 0 {
		t.Errorf("in a list: %d %s", r.status, r.raw)
	}
}

func TestSearchTakesTimesAsTextByAKnob(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, noLagConfig())
	middle := c.w.CurrentTime().Add(-400 * 24 * time.Hour).Unix()
	number, text := fieldFilter("created_at", ">", middle), fieldFilter("created_at", ">", strconv.FormatInt(middle, 10))
	if r := c.searchContacts(text); r.status != 400 || r.errorCode() != "parameter_invalid" {
		t.Errorf("usual: %d %s", r.status, r.raw)
	}
	c.w.SetKnobs(func(k *emulator.Knobs) { k.TextTimes = true })
	if a, b := c.searchIDs(number), c.searchIDs(text); len(a) == 0 || !slices.Equal(a, b) {
		t.Errorf("%d by number, %d by text", len(a), len(b))
	}
	if r := c.searchContacts(fieldFilter("created_at", ">", "yesterday")); r.status != 400 {
		t.Errorf("a word: %d", r.status)
	}
	c.createContact("user", setField("name", "4711"))
	if r := c.searchContacts(fieldFilter("name", "=", "4711")); r.totalCount() != 1 {
		t.Errorf("a text that is a number stays a text: %d %s", r.status, r.raw)
	}
}

func TestSearchSortsByAnyFieldByAKnob(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, noLagConfig())
	walk := func(path, field, order string) (values []string, refused int) {
		t.Helper()
		page := m{"per_page": 40}
		for {
			r := c.do("POST", path, m{"query": fieldFilter("created_at", ">", 1), "sort": m{"field": field, "order": order}, "pagination": page})
			if r.status != 200 {
				return nil, r.status
			}
			for _, item := range r.dataItems() {
				value := item[field]
				if n, isNumber := value.(interface{ Int64() (int64, error) }); isNumber {
					whole, _ := n.Int64()
					value = fmt.Sprintf("%020d", whole)
				} else if value == nil {
					value = ""
				}
				values = append(values, fmt.Sprint(value))
			}
			token, _ := r.nextPage()["starting_after"].(string)
			if token == "" {
				return values, 0
			}
			page = m{"per_page": 40, "starting_after": token}
		}
	}
	fields := []struct{ path, field string }{{"/contacts/search", "name"}, {"/contacts/search", "email"}, {"/contacts/search", "unsubscribed_from_emails"}, {"/companies/search", "monthly_spend"}, {"/companies/search", "company_id"}}
	for _, f := range fields {
		if _, status := walk(f.path, f.field, "ascending"); status != 400 {
			t.Errorf("usual: %s by %s: %d", f.path, f.field, status)
		}
	}
	c.w.SetKnobs(func(k *emulator.Knobs) { k.Sort = "any" })
	for _, f := range fields {
		up, _ := walk(f.path, f.field, "ascending")
		down, _ := walk(f.path, f.field, "descending")
		if len(up) < 100 && f.path == "/contacts/search" || len(up) < 10 || !slices.IsSorted(up) {
			t.Errorf("%s by %s: %d records, sorted: %t", f.path, f.field, len(up), slices.IsSorted(up))
		}
		if slices.Reverse(down); !slices.Equal(up, down) {
			t.Errorf("%s by %s descending is another list", f.path, f.field)
		}
	}
	for _, field := range []string{"tag_id", "nonsense"} {
		if _, status := walk("/contacts/search", field, "ascending"); status != 400 {
			t.Errorf("by %s: %d", field, status)
		}
	}
	if times, _ := walk("/contacts/search", "updated_at", "ascending"); len(times) < 100 || !slices.IsSorted(times) {
		t.Error("by a time as before")
	}
}

// 2.8 has null at the end of a list in every version. Public descriptions agree: pages is an object with next null in each of them.
func TestListsEndWithNullInEveryVersion(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 30, Knobs: emulator.Knobs{NoLag: true}})
	query := m{"query": fieldFilter("created_at", ">", 1), "pagination": m{"per_page": 150}}
	contact := c.w.Oracle("contact_companies")[0]["contact_id"].(string)
	firm := c.w.Oracle("contact_companies")[0]["company_id"].(string)
	for _, version := range []string{"2.11", "2.13", "2.14", "2.15", "2.16", "2.17"} {
		c.version = version
		for _, list := range []struct {
			method, path string
			body         any
		}{
			{"GET", "/contacts?per_page=150", nil}, {"POST", "/contacts/search", query}, {"POST", "/conversations/search", query}, {"POST", "/tickets/search", query},
			{"GET", "/conversations?per_page=150", nil}, {"GET", "/companies/" + firm + "/contacts", nil}, {"GET", "/contacts/" + contact + "/companies", nil},
			{"GET", "/contacts/" + contact + "/notes", nil}, {"POST", "/companies/list?per_page=60", nil}, {"GET", "/articles?per_page=250", nil},
			{"GET", "/articles/search?phrase=no+such+words", nil}, {"GET", "/help_center/collections?per_page=250", nil}, {"GET", "/news/newsfeeds?page=2", nil}, {"GET", "/news/newsfeeds/480/items?page=99", nil},
		} {
			r := c.do(list.method, list.path, list.body)
			pages, _ := r.json["pages"].(m)
			if next, told := pages["next"]; r.status != 200 || !told || next != nil {
				t.Errorf("%s: %s %s: %d, pages %v", version, list.method, list.path, r.status, pages)
			}
		}
	}
}
