package emulator_test

import (
	"strings"
	"testing"

	"aqueduck/internal/emulator"
)

// Section 5.3: what a token may do with the scopes that it has.
func TestContract5ATokenNeedsTheScopeOfWhatItAsks(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	tokens := map[string]string{"none": "", "dynamic": "read_dynamic_content", "writer": "read_write_dynamic_content", "versions": "read_data_connector_versions",
		"noter": "read_write_data_connector_versions", "talks": "read_conversations", "notes": "write_users_companies",
		"many": "read_conversations read_dynamic_content write_users_companies"}
	for token, scopes := range tokens {
		c.failOn(c.w.AddToken(token, strings.Fields(scopes)...))
	}
	talk := c.w.ConversationIDs()[0]
	for _, test := range []struct {
		rule, path string
		may        string // besides the main token, which has every scope
	}{
		{"5.3 read_dynamic_content", "/dynamic_contents", "dynamic writer many"},
		{"5.3 read_dynamic_content", "/dynamic_contents/2200", "dynamic writer many"},
		{"5.3 read_data_connector_versions", "/data_connectors/5100/versions", "versions noter"},
		{"5.3 read_data_connector_versions", "/data_connectors/5100/versions/880000", "versions noter"},
		{"5.3, 4.11 read_conversations", "/conversations/" + talk + "/hitl_events", "talks many"},
		{"5.3 no scope is named", "/conversations/" + talk, "none dynamic writer versions noter talks notes many"},
		{"5.3 no scope is named", "/data_connectors", "none dynamic writer versions noter talks notes many"},
		{"5.3 no scope is named", "/contacts", "none dynamic writer versions noter talks notes many"},
	} {
		if c.auth = ""; c.do("GET", test.path, nil).status != 200 {
			t.Errorf("%s: %s is refused to the main token", test.rule, test.path)
		}
		for token, scopes := range tokens {
			c.auth = "Bearer " + token
			want, code := 403, "token_unauthorized"
			if strings.Contains(" "+test.may+" ", " "+token+" ") {
				want, code = 200, ""
			}
			if r := c.do("GET", test.path, nil); r.status != want || r.errorCode() != code {
				t.Errorf("%s: %s with a token of %q: %d %s, want %d", test.rule, test.path, scopes, r.status, r.errorCode(), want)
			}
		}
	}
	c.w.RotateToken("another")
	if c.auth = "Bearer many"; c.do("GET", "/contacts", nil).status != 401 {
		t.Error("5.1: a token is good after another became the only one")
	}
}

// Sections 5.1, 5.4, 5.5: which requests get access, and to what.
func TestContract5AccessByToken(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Knobs: emulator.Knobs{NoDynamicContent: true, Unavailable: []string{"away_status_reasons.list", "dynamic_contents.get"},
		Forbidden: []string{"tags.list"}}})
	c.failOn(c.w.AddToken("scoped", "read_conversations"))
	for _, test := range []struct {
		rule, auth, path string
		status           int
		code             string
	}{
		{"5.1", "", "/contacts", 200, ""},
		{"5.1", "Bearer scoped", "/contacts", 200, ""},
		{"5.1 one example omits the word", c.w.AccessToken(), "/contacts", 200, ""},
		{"5.1 no token", "-", "/contacts", 401, "unauthorized"},
		{"5.1 no token after the word", "Bearer ", "/contacts", 401, "unauthorized"},
		{"5.1 another token", "Bearer nonsense", "/contacts", 401, "unauthorized"},
		{"5.1 before anything else", "Bearer nonsense", "/nothing/here", 401, "unauthorized"},
		{"5.4 dynamic content is disabled", "", "/dynamic_contents", 403, "forbidden"},
		{"5.5 the plan", "", "/away_status_reasons", 403, "api_plan_restricted"},
		{"5.5 the plan comes before 5.4", "", "/dynamic_contents/2200", 403, "api_plan_restricted"},
		{"5.3 before 5.4", "Bearer scoped", "/dynamic_contents", 403, "token_unauthorized"},
		{"5.3 a scope that is not shown", "", "/tags", 403, "token_unauthorized"},
	} {
		c.auth = test.auth
		if r := c.do("GET", test.path, nil); r.status != test.status || r.errorCode() != test.code {
			t.Errorf("%s: GET %s: %d %s, want %d %s", test.rule, test.path, r.status, r.errorCode(), test.status, test.code)
		}
	}
}
