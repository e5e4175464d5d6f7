package emulator_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/state/jobs"
)

// versions are those that differ for readers, the oldest first. A version after 2.16 is the later one.
var versions = []string{"2.13", "2.14", "2.16", "2.17", "3.0"}

// needles are texts that distinguish versions.
var needles = []string{`<span class="service-dynamic-content"`, `<div class="service-dynamic-content"`, "#{{dynamic_content:"}

// recordPaths records the paths of an answer, their short values, and which needles they contain. Lists add nothing to a path.
func recordPaths(seen map[string]bool, path string, v any) {
	seen[path] = true
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			recordPaths(seen, path+"."+name, inner)
		}
	case []any:
		for _, inner := range v {
			recordPaths(seen, path, inner)
		}
	case string:
		if len(v) < 60 {
			seen[path+"="+v] = true
		}
		for _, n := range needles {
			if strings.Contains(v, n) {
				seen[path+"~"+n] = true
			}
		}
	case json.Number:
		if v == "0" {
			seen[path+"=0"] = true
		}
	}
}

// readAll collects everything that distinguishes versions.
func (c *apiClient) readAll() map[string]bool {
	c.t.Helper()
	seen := map[string]bool{}
	for _, contact := range c.searchAll(updatedSince(0)) {
		recordPaths(seen, "contact", contact)
	}
	for _, talk := range c.allConversations() {
		recordPaths(seen, "conversation", talk)
	}
	for name, path := range map[string]string{"news_item": "/news/news_items", "article": "/articles?per_page=250", "attribute": "/data_attributes",
		"internal_article": "/internal_articles"} {
		if c.version == "2.13" && name == "internal_article" {
			continue
		}
		all, _ := c.walkList(path)
		for _, one := range all {
			recordPaths(seen, name, one)
		}
	}
	recordPaths(seen, "activity", c.do("GET", "/admins/activity_logs?created_at_after=1&per_page=250", nil).json["activity_logs"])
	return seen
}

const part = "conversation.conversation_parts.conversation_parts"

// Section 9: what 2.14 and the later version changed in answers. Each change is in those versions and in no others.
var versionChanges = []struct{ rule, path, from, until string }{
	{"9, 2.14 breaking; 2.7", "activity.activity_type=admin_conversation_assignment_limit_change", "2.14", ""},
	{"9, 2.14 breaking; 2.7", "activity.activity_type=admin_ticket_assignment_limit_change", "2.14", ""},
	{"9, 2.14 breaking; 2.7", "activity.metadata.conversation_assignment_limit", "2.14", ""},
	{"9, 2.14 breaking; 2.7", "activity.metadata.ticket_assignment_limit", "2.14", ""},
	{"9, 2.14 breaking; 2.7", "activity.metadata.assignment_limit", "", "2.14"},
	{"9, 2.14: published_at on news items; 2.6", "news_item.published_at", "2.14", ""},
	{"9, 2.14: published_at on newsfeed assignments", "news_item.newsfeed_assignments.published_at", "2.14", ""},
	{"2.6: assignments themselves were always there", "news_item.newsfeed_assignments.newsfeed_id", "", ""},
	{"9, 2.14: author fields; 2.10", part + ".author.is_ai_answer", "2.14", ""},
	{"9, 2.14: author fields; 2.10", part + ".author.from_ai_agent", "2.14", ""},
	{"9, 2.14: rating timestamps; 2.10", "conversation.conversation_rating.updated_at", "2.14", ""},
	{"9, 2.14: rating timestamps; 2.10", "conversation.ai_agent.created_at", "2.14", ""},
	{"9, 2.14: rating timestamps; 2.10", "conversation.ai_agent.updated_at", "2.14", ""},
	{"2.10: only updated_at of a rating is new", "conversation.conversation_rating.created_at", "", ""},
	{"9, 2.14: quick replies", part + ".metadata.quick_reply_options.uuid", "2.14", ""},
	{"9, 2.14: quick replies", part + ".metadata.quick_reply_option_uuid", "2.14", ""},
	{"9, 2.14: internal articles API", "internal_article.title", "2.14", ""},
	{"9, later: email_verified; 2.1 T46", "contact.email_verified", "2.17", ""},
	{"9, later: part assignee fields; 2.10", part + ".admin_assignee_id", "2.17", ""},
	{"9, later: part assignee fields; 2.10", part + ".team_assignee_id", "2.17", ""},
	{"2.10: assigned_to was always there", part + ".assigned_to.type=admin", "", ""},
	{"api-notes: nobody is 0 in newer versions", "conversation.admin_assignee_id=0", "2.17", ""},
	{"9, later: call summary; 2.10", part + ".event_details.call_id", "2.17", ""},
	{"9, later: otp reason; 2.10", part + ".data.otp_email_verification_failed.reason=no_email", "2.17", ""},
	{"9, later: an empty data object before", part + ".data", "", ""},
	{"9, later: scorecards; 2.10", "conversation.scorecards.scorecard_id", "2.17", ""},
	{"9, later: attributes that QA wrote are left out", "conversation.custom_attributes.Review status", "", "2.17"},
	{"9, later: attributes that QA wrote are left out", "conversation.custom_attributes.Has QA Notes", "", "2.17"},
	{"9, later: attributes that QA wrote are left out", "conversation.custom_attributes.QA Notes Count", "", "2.17"},
	{"9, later: attributes that QA wrote are left out", "conversation.custom_attributes.Reviewer", "", "2.17"},
	{"9, later: internal articles in content sources; 2.10", "conversation.ai_agent.content_sources.content_sources.content_type=internal_article", "2.17", ""},
	{"9, later: a workflow asked for the rating; 2.10", "conversation.conversation_rating.teammate.type=workflow", "2.17", ""},
	{"9, later: folders; 2.5", "article.folder_id", "2.17", ""},
	{"9, later: folders; 2.5", "internal_article.folder_id", "2.17", ""},
	{"9, later: dynamic content inline; 2.5 T93", "article.body~" + needles[0], "2.17", ""},
	{"9, later: dynamic content in blocks; 2.5 T93", "article.body~" + needles[1], "2.17", ""},
	{"9, later: the literal text before; 2.5 T93", "article.body~" + needles[2], "", "2.17"},
	{"9, later: datetime attributes T51", "attribute.data_type=datetime", "2.17", ""},
	{"9: customers' dates stay dates T51", "attribute.data_type=date", "", ""},
}

func TestContract9EachVersionSendsWhatItHas(t *testing.T) {
	t.Parallel()
	for at, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			c := startWorkspace(t, emulator.Config{})
			c.version = version
			seen := c.readAll()
			for _, rule := range versionChanges {
				from, until := slices.Index(versions, rule.from), slices.Index(versions, rule.until)
				if want := at >= from && (until < 0 || at < until); seen[rule.path] != want {
					t.Errorf("%s: %s is there: %t, want %t", rule.rule, rule.path, seen[rule.path], want)
				}
			}
		})
	}
}

// Section 9: "workspaces on 2.16 or earlier explicitly opted in still see them" (trap T67).
func TestContract9AttributesOfQualityAssuranceNeedAnOptIn(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Knobs: emulator.Knobs{QAOptOut: true}})
	for _, c.version = range []string{"2.13", "2.16", "2.17"} {
		if c.readAll()["conversation.custom_attributes.Review status"] {
			t.Errorf("%s sends them to a workspace that did not opt in", c.version)
		}
	}
}

// Sections 4.11 and 9: which version added which endpoint. Endpoints of 2.14 are missing before. The document does not say so for endpoints of
// the later version.
func TestContract9EndpointsAreThereFromTheirVersionOn(t *testing.T) {
	t.Parallel()
	for _, strict := range []bool{false, true} {
		c := startWorkspace(t, emulator.Config{Contacts: 150, Knobs: emulator.Knobs{LaterOnly: strict, Export: emulator.ExportKnobs{Pending: time.Second, Working: time.Second}}})
		for _, e := range c.listEndpoints() {
			for at, version := range versions {
				c.version = version
				want := at >= slices.Index(versions, e.from) || e.from == "2.17" && !strict
				r := c.do(e.method, e.path, e.body)
				if there := r.status == 200 || r.status == 302; there != want || !there && (r.status != 404 || r.errorCode() != "not_found") {
					t.Errorf("%s: %s %s in %s: %d %s, want that it is there: %t", e.rule, e.method, e.path, version, r.status, r.errorCode(), want)
				}
			}
		}
	}
}

type knownEndpoint struct {
	rule, from, method, path string
	body                     any
}

// listEndpoints returns addresses of existing records, one for each endpoint.
func (c *apiClient) listEndpoints() []knownEndpoint {
	c.t.Helper()
	first := func(stream, column string, like func(row map[string]any) bool) string {
		for _, row := range c.w.Oracle(stream) {
			if like == nil || like(row) {
				return fmt.Sprint(row[column])
			}
		}
		c.t.Fatalf("nothing in %s is like that", stream)
		return ""
	}
	call := first("calls", "id", func(row map[string]any) bool { return row["recording_url"] != nil })
	talk := first("conversations", "id", nil)
	export := c.exportOf("admin_status_change")
	job, _ := c.do("POST", "/export/reporting_data/enqueue", export).json["job_identifier"].(string)
	c.w.Advance(time.Minute)
	connector := first("data_connectors", "id", nil)
	bulk, err := c.w.StartJob(jobs.ContactsCreate, jobs.JobPlan{})
	c.failOn(err)
	pair := m{"from": c.createContact("lead"), "into": c.createContact("user")}
	list := []knownEndpoint{
		{"4.1", "", "POST", "/contacts/search", m{"query": updatedSince(0)}},
		{"4.7", "", "GET", "/segments", nil},
		{"4.9", "", "GET", "/news/newsfeeds", nil},
		{"4.10", "", "GET", "/admins/activity_logs?created_at_after=1", nil},
		{"4.11", "", "POST", "/conversations/search", m{"query": updatedSince(0)}},
		{"api-notes", "", "POST", "/tickets/search", m{"query": updatedSince(0)}},
		{"4.11", "", "POST", "/companies/search", m{"query": updatedSince(0)}},
		{"9, later: contact endpoints of 4.11", "2.17", "POST", "/contacts/merge/preview", pair},
		{"4.11; 9, 2.14 calls API", "2.14", "POST", "/calls/search", m{"conversation_ids": []string{talk}}},
		{"9, 2.14: reporting data export API", "2.14", "POST", "/export/reporting_data/enqueue", export},
	}
	for _, added := range []struct{ rule, from, paths string }{
		{"9, 2.14: calls API", "2.14", "/calls /calls/" + call + " /calls/" + call + "/recording /calls/" + call + "/transcript"},
		{"9, 2.14: away status reasons API", "2.14", "/away_status_reasons"},
		{"9, 2.14: internal articles API", "2.14", "/internal_articles /internal_articles/search /internal_articles/" + first("internal_articles", "id", nil)},
		{"9, 2.14: reporting data export API", "2.14", "/export/reporting_data/get_datasets /export/reporting_data/" + job + " /download/reporting_data/" + job},
		{"9, later: contact endpoints of 4.11", "2.17", "/contacts/deleted /contacts/activities /contacts/bulk/" + bulk},
		{"9, 2.14: job status API", "2.14", "/jobs/status/" + bulk},
		{"2.10: consultation events", "2.17", "/conversations/" + talk + "/hitl_events"},
		{"api-notes: newer versions only", "2.17", "/conversations/deleted"},
		{"9, later: folders", "2.17", "/folders /folders/" + first("folders", "id", nil)},
		{"9, later: dynamic content API", "2.17", "/dynamic_contents /dynamic_contents/" + first("dynamic_contents", "id", nil)},
		{"9, later: data connector versions", "2.17", "/data_connectors/" + connector + "/versions /data_connectors/" + connector + "/versions/" +
			first("data_connector_versions", "entity_version_id", func(row map[string]any) bool { return row["data_connector_id"] == connector })},
	} {
		for _, path := range strings.Fields(added.paths) {
			list = append(list, knownEndpoint{rule: added.rule, from: added.from, method: "GET", path: path})
		}
	}
	return list
}

// Section 9.1: the header selects the version, and without it the workspace's own version applies (traps T113, T114).
func TestContract9TheHeaderSelectsTheVersion(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rule            string
		config          emulator.Config
		header, version string
		later           bool
	}{
		{"9.1 the header selects", emulator.Config{}, "Service-Version", "2.16", false},
		{"9.1 the header selects", emulator.Config{DefaultVersion: "2.14"}, "Service-Version", "2.17", true},
		{"9.1 absent: the workspace's", emulator.Config{DefaultVersion: "2.14"}, "Service-Version", "", false},
		{"9.1 absent: the workspace's", emulator.Config{DefaultVersion: "2.17"}, "Service-Version", "", true},
		{"api-notes: another name", emulator.Config{DefaultVersion: "2.14", VersionHeader: "X-Version"}, "X-Version", "2.17", true},
		{"api-notes: another name", emulator.Config{DefaultVersion: "2.14", VersionHeader: "X-Version"}, "Service-Version", "2.17", false},
		{"T114 a service that knows better", emulator.Config{Knobs: emulator.Knobs{IgnoreVersion: "2.13"}}, "Service-Version", "2.17", false},
		{"9: 2.9 is older than 2.14", emulator.Config{}, "Service-Version", "2.9", false},
		{"9: a version beyond the later one", emulator.Config{}, "Service-Version", "2.100", true},
	} {
		c := startWorkspace(t, test.config)
		c.header, c.version = test.header, test.version
		if _, later := c.searchContacts(updatedSince(0)).dataItems()[0]["email_verified"]; later != test.later {
			t.Errorf("%s: the later version is served: %t, want %t", test.rule, later, test.later)
		}
	}
	c := startWorkspace(t, emulator.Config{})
	for _, c.version = range []string{"nonsense", "2", "v2.17", "2.17.1", "2.17beta", "2.-1", "+2.17", "-2.17", "2. 17"} {
		if r := c.do("GET", "/contacts", nil); r.status != 400 || r.errorCode() != "parameter_invalid" {
			t.Errorf("version %s: %d %s", c.version, r.status, r.errorCode())
		}
	}
}
