package emulator

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"aqueduck/internal/emulator/api"
	"aqueduck/internal/emulator/knobs"
)

// scopesNamed are the endpoints with a scope in the document (workspace-api 4.11, 5.3), reading and writing.
var scopesNamed = map[string]string{
	"notes.delete":            "write_users_companies",
	"conversations.hitl":      "read_conversations",
	"dynamic_contents.list":   "read_dynamic_content",
	"dynamic_contents.get":    "read_dynamic_content",
	"dynamic_contents.create": "read_write_dynamic_content", "dynamic_contents.update": "read_write_dynamic_content", "dynamic_contents.delete": "read_write_dynamic_content",
	"data_connectors.versions": "read_data_connector_versions", "data_connectors.version": "read_data_connector_versions",
	"data_connectors.note": "read_write_data_connector_versions",
}

// Sections 5.3, 5.5, 7: every endpoint with every scope, and outside the workspace's plan.
func TestContract5EveryEndpointNeedsItsScopeAndItsPlan(t *testing.T) {
	t.Parallel()
	w := New(Config{Contacts: 20, Conversations: 2})
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	tokens := []string{"none", "read_conversations", "read_dynamic_content", "read_write_dynamic_content", "read_data_connector_versions",
		"read_write_data_connector_versions", "write_users_companies"}
	for _, scope := range tokens {
		if err := w.AddToken(scope, strings.Fields(strings.TrimPrefix(scope, "none"))...); err != nil {
			t.Fatal(err)
		}
	}
	refused := func(r *api.Route, token string) string {
		t.Helper()
		req, err := http.NewRequest(r.Method, server.URL+braces.ReplaceAllString(r.Path, "1"), nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		res, err := server.Client().Transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		var body struct {
			Type      string
			RequestID *string `json:"request_id"`
			Errors    []struct{ Code, Message string }
		}
		if res.StatusCode != http.StatusForbidden {
			return ""
		}
		if err := json.NewDecoder(res.Body).Decode(&body); err != nil || body.Type != "error.list" || len(body.Errors) != 1 || body.Errors[0].Message == "" {
			t.Fatalf("%s: %+v, %v", r.Name, body, err)
		}
		return body.Errors[0].Code
	}
	for i := range api.Routes {
		r := &api.Routes[i]
		needs := scopesNamed[r.Name]
		for _, scope := range tokens {
			want := "token_unauthorized"
			if needs == "" || scope == needs || strings.Replace(needs, "read_", "read_write_", 1) == scope {
				want = ""
			}
			if got := refused(r, scope); got != want {
				t.Errorf("%s with the scope %s: %q, want %q", r.Name, scope, got, want)
			}
		}
		if got := refused(r, w.AccessToken()); got != "" {
			t.Errorf("%s is refused to the main token: %s", r.Name, got)
		}
		family, _, _ := strings.Cut(r.Name, ".")
		for _, plan := range []string{r.Name, family} {
			w.SetKnobs(func(k *knobs.Knobs) { k.Unavailable = []string{plan} })
			if got := refused(r, w.AccessToken()); got != "api_plan_restricted" {
				t.Errorf("%s without %s in the plan: %q", r.Name, plan, got)
			}
		}
		w.SetKnobs(func(k *knobs.Knobs) { k.Unavailable = nil })
	}
}
