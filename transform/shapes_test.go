package transform

import (
	"context"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"aqueduck/extract/api"
	"aqueduck/internal/emulator"
	"aqueduck/schemas"
)

var update = flag.Bool("update", false, "write the table of shapes in docs/internals/shapes.md")

// walkedResource is a resource of public sources that a stream reads, and the route that serves it.
type walkedResource struct {
	stream, resource, route string
	under                   string // path of the resource's record within the record; "": the record itself
	over                    string // stream with the ids to read by; "": the stream has a list
	byID                    bool   // each record is read by its id
	listed                  bool   // of a list with `detail`: only the fields that the list is used for matter
	single                  bool   // records have no id to tell them apart by: a shape is asked of all of them at once
}

// everyWalk are the resources that the built-in streams read.
var everyWalk = []walkedResource{
	{stream: "contacts", resource: "contact_list_item", route: "contacts.search"},
	{stream: "contacts", resource: "tag", route: "contacts.search", under: "tags.data[]"},
	{stream: "contacts", resource: "note", route: "contacts.search", under: "notes.data[]"},
	{stream: "contacts", resource: "company_of_contact", route: "contacts.search", under: "companies.data[]"},
	{stream: "contacts_by_id", resource: "contact", route: "contacts.get", over: "contacts"},
	{stream: "companies", resource: "company_list_item", route: "companies.search"},
	{stream: "companies_listed", resource: "company_list_item", route: "companies.list"},
	{stream: "companies_by_id", resource: "company", route: "companies.get", over: "companies"},
	{stream: "conversations", resource: "conversation", route: "conversations.get"},
	{stream: "conversations", resource: "conversation_list_item", route: "conversations.search", listed: true},
	{stream: "tickets", resource: "ticket_list_item", route: "tickets.search"},
	{stream: "tickets", resource: "ticket", route: "tickets.get", byID: true},
	{stream: "admin_activity_logs", resource: "activity_log", route: "logs.list"},
	{stream: "contact_activities", resource: "contact_activity", route: "contacts.activities"},
	{stream: "deleted_contacts", resource: "contact_deleted_item", route: "contacts.deleted"},
	{stream: "deleted_conversations", resource: "conversation_deleted_item", route: "conversations.deleted"},
	{stream: "calls", resource: "call", route: "calls.list"},
	{stream: "call_transcripts", resource: "call_search_item", route: "calls.search", over: "calls"},
	{stream: "articles", resource: "article", route: "articles.get"},
	{stream: "articles", resource: "article_list_item", route: "articles.list", listed: true},
	{stream: "internal_articles", resource: "internal_article_list_item", route: "internal_articles.list"},
	{stream: "collections", resource: "collection", route: "collections.list"},
	{stream: "newsfeeds", resource: "newsfeed", route: "newsfeeds.list"},
	{stream: "news_items", resource: "news_item", route: "news_items.list"},
	{stream: "folders", resource: "folder", route: "folders.list"},
	{stream: "data_connectors", resource: "data_connector", route: "data_connectors.list"},
	{stream: "help_centers", resource: "help_center", route: "help_centers.list"},
	{stream: "brands", resource: "brand", route: "brands.list"},
	{stream: "macros", resource: "macro", route: "macros.list"},
	{stream: "content_snippets", resource: "content_snippet", route: "content_snippets.list"},
	{stream: "conversation_data_attributes", resource: "conversation_attribute", route: "conversations.attributes"},
	{stream: "data_attributes", resource: "data_attribute", route: "data_attributes.list"},
	{stream: "tags", resource: "tag", route: "tags.list"},
	{stream: "segments", resource: "segment", route: "segments.list"},
	{stream: "admins", resource: "admin", route: "admins.list"},
	{stream: "teams", resource: "team", route: "teams.list"},
	{stream: "away_status_reasons", resource: "away_status_reason", route: "away_status_reasons.list"},
	{stream: "subscription_types", resource: "subscription_type", route: "subscription_types.list"},
	{stream: "ticket_types", resource: "ticket_type", route: "ticket_types.list"},
	{stream: "ticket_states", resource: "ticket_state", route: "ticket_states.list"},
	{stream: "handling_events", resource: "handling_event", route: "conversations.handling", over: "conversations", single: true},
	{stream: "side_conversations", resource: "side_conversation", route: "conversations.side", over: "conversations", single: true},
}

// rejectedShapes are the only values of public sources that a column rejects: they are in _extra, and counted as rejects.
var rejectedShapes = map[string]string{}

// TestT184EveryShapeOfEverySourceIsReadWhole reads every JSON type of every path of every public resource through the emulator's HTTP,
// the stream's reader and the decoder. Each value must arrive unaltered in its typed column or in _extra.
func TestT184EveryShapeOfEverySourceIsReadWhole(t *testing.T) {
	t.Parallel()
	all := publicShapes(t)
	space := emulator.New(emulator.Config{Seed: 16, Contacts: 160, Inactive: 20, Activities: 60, Conversations: 60, Tickets: 60, Calls: 40, Logs: 60, NoLog: true,
		Start: time.Date(2026, 3, 10, 0, 0, 0, 0, time.UTC), Knobs: emulator.Knobs{NoLag: true, NestedCap: 1000}})
	server := httptest.NewServer(space)
	t.Cleanup(server.Close)
	client, err := api.New(api.Options{BaseURL: server.URL, Token: api.Secret(space.AccessToken()), Version: "2.17", Now: space.CurrentTime,
		Wait: func(ctx context.Context, d time.Duration) error { space.Advance(d); return ctx.Err() }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	met := map[string]bool{}
	var table strings.Builder
	table.WriteString("| stream | public resource | paths | shapes | " + strings.Join(shapeColumns, " | ") + " |\n|---|---" + strings.Repeat("|---:", len(shapeColumns)+2) + "|\n")
	sums := make([]int, len(shapeColumns)+2)
	for _, one := range everyWalk {
		w := &shapeWalk{TB: t, walkedResource: one, s: builtinStream(t, one.stream), space: space, client: client, tally: map[string]int{}, became: map[string]string{}, found: met}
		w.runWalk(all)
		for _, where := range w.became {
			w.tally[where]++
		}
		if w.tally["not sent"] > 0 {
			t.Errorf("%s %s: %d shapes were not sent", one.stream, one.resource, w.tally["not sent"])
		}
		fmt.Fprintf(&table, "| `%s` | %s |", one.stream, one.resource)
		for i, column := range append([]string{"paths", "types"}, shapeColumns...) {
			fmt.Fprintf(&table, " %d |", w.tally[column])
			sums[i] += w.tally[column]
		}
		table.WriteString("\n")
	}
	table.WriteString("| **all** | |")
	for _, sum := range sums {
		fmt.Fprintf(&table, " **%d** |", sum)
	}
	table.WriteString("\n")
	for name := range rejectedShapes {
		if !met[name] {
			t.Errorf("%s is listed as rejected and was not", name)
		}
	}
	comparePagePart(t, "../docs/internals/shapes.md", "<!-- shapes -->\n", "<!-- end of shapes -->", table.String())
}

// shapeColumns are those of the table of shapes, in their order.
var shapeColumns = []string{inColumn, inJSON, lookedIn, inExtra, leftOut, isNothing, ownReading, isMisfit}

// comparePagePart compares a part of a page, between two comment lines, with what it must be; with -update it writes it.
func comparePagePart(t *testing.T, file, begin, end, want string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	got, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no part between %q and %q", file, begin, end)
	}
	if *update {
		if err := os.WriteFile(file, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("make docs would change %s (-want +got):\n%s", file, diff)
	}
}

// unread are the public resources that no stream reads, and why.
var unread = map[string]string{
	"contact_merge_history_item": "a request for each contact; contact_merge_history takes it where the contact has it",
	"conversation_part":          "walked inside of conversations", "ticket_part": "walked inside of tickets", "ticket_type_attribute": "walked inside of ticket types",
	"me": "who the token is", "visitor": "no list", "ticket_reply": "what writing answers", "message": "what writing answers", "contact_delete_result": "what writing answers",
	"merge_preview": "a question about what is not done", "job": "of writing", "bulk_job": "of writing", "content_export_job": "another export", "error_list": "errors, read by extract",
	"reporting_dataset": "read by extract/export", "reporting_job": "read by extract/export", "call_transcript": "one call at a time; call search has it for twenty",
	"data_event": "a request for each contact", "data_event_summary": "a request for each contact", "custom_object_instance": "no list",
	"team_metric": "of this moment alone", "article_version": "a request for each article", "article_search": "a search", "internal_article_search": "a search", "content_search": "a search",
	"data_connector_execution_result": "a request for each connector", "content_source": "settings", "external_page": "settings", "email_setting": "settings", "office_hours_schedule": "settings",
	"audience": "settings", "internal_article": "the list has as much",
}

// withoutSource are the streams that no public source describes.
var withoutSource = []string{"dynamic_contents", "data_connector_versions", "hitl_events", "reporting", "conversations_by_id"}

// TestEveryStreamAndEveryPublicResourceIsWalked: each has an entry in everyWalk, or a reason in unread or withoutSource.
func TestEveryStreamAndEveryPublicResourceIsWalked(t *testing.T) {
	t.Parallel()
	catalogue, err := schemas.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	streams, resources := map[string]bool{}, map[string]bool{}
	for _, one := range everyWalk {
		streams[one.stream], resources[one.resource] = true, true
	}
	for _, name := range catalogue.Names() {
		if !streams[name] && !slices.Contains(withoutSource, name) {
			t.Errorf("no resource of stream %s is walked", name)
		}
	}
	for name := range publicShapes(t).Resources {
		if _, excused := unread[name]; !resources[name] && !excused && !strings.HasPrefix(name, "list ") {
			t.Errorf("resource %s is not walked", name)
		}
	}
}
