package pipeline_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/pipeline"
	"aqueduck/load"
)

// nightly is the configuration that most tests run.
const nightly = `version: 1
warehouse: {dir: data}
workspaces:
  main: {base_url: "${WORKSPACE_URL}", token: "${WORKSPACE_TOKEN}", api_version: "2.17"}
pipelines:
  nightly: {schedule: "0 2 * * *", streams: [contacts, deleted_contacts, contact_activities]}
`

// bed is an emulated workspace with a warehouse that reads it. Its clock is the workspace's, and waiting moves it.
type bed struct {
	t      testing.TB
	space  *emulator.Workspace
	url    string
	runner *pipeline.Runner
	file   string
}

// small is a workspace that is made and read in moments, with something of everything.
func small() emulator.Config {
	return emulator.Config{Seed: 7, Contacts: 400, Inactive: 60, Activities: 600}
}

func newBed(t testing.TB, c emulator.Config) *bed {
	t.Helper()
	return newBedWith(t, c, nightly)
}

func newBedWith(t testing.TB, c emulator.Config, config string) *bed {
	t.Helper()
	b := &bed{t: t, space: emulator.New(c), file: filepath.Join(t.TempDir(), "pipelines.yaml")}
	server := httptest.NewServer(b.space)
	t.Cleanup(server.Close)
	b.url = server.URL
	b.configure(config)
	return b
}

// configure replaces pipelines.yaml, as an operator between two runs.
func (b *bed) configure(config string) {
	b.t.Helper()
	if err := os.WriteFile(b.file, []byte(config), 0o600); err != nil {
		b.t.Fatal(err)
	}
	lookup := func(name string) (string, bool) {
		v, ok := map[string]string{"WORKSPACE_URL": b.url, "WORKSPACE_TOKEN": b.space.Token()}[name]
		return v, ok
	}
	parsed, catalogue, err := pipeline.LoadConfig(b.file, lookup)
	if err != nil {
		b.t.Fatal(err)
	}
	b.runner = &pipeline.Runner{
		Config: parsed, Catalogue: catalogue, Dir: load.Dir(parsed.Warehouse.Dir), Now: b.space.Clock,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Wait: func(ctx context.Context, d time.Duration) error {
			b.space.Advance(d)
			return ctx.Err()
		},
		Connect: func(_ context.Context, name string) (pipeline.Source, error) {
			url, token, err := parsed.Connect(name, lookup)
			return pipeline.Source{BaseURL: url, Token: token}, err
		},
	}
}

// sync runs the pipeline and fails the test when the run does not end well.
func (b *bed) sync(o pipeline.Options) *pipeline.Report {
	b.t.Helper()
	report := b.try(o)
	if report.Exit() != pipeline.ExitOK {
		b.t.Fatalf("the run ended %s\n%+v", report.LastLine(), report.Streams)
	}
	return report
}

func (b *bed) try(o pipeline.Options) *pipeline.Report {
	b.t.Helper()
	report, err := b.runner.Sync(context.Background(), b.runner.Config.Pipelines[0], o)
	if err != nil {
		b.t.Fatal(err)
	}
	return report
}

// rows asks the published file; each row is its values as text, separated by bars.
func (b *bed) rows(sql string) []string {
	b.t.Helper()
	rows, err := b.ask(sql)
	if err != nil {
		b.t.Fatalf("%v\n%s", err, sql)
	}
	return rows
}

func (b *bed) ask(sql string) ([]string, error) {
	var rows []string
	err := load.Query(context.Background(), b.runner.Dir.Current(), sql, func(_ []string, row []any) error {
		if row != nil {
			rows = append(rows, join(row))
		}
		return nil
	})
	return rows, err
}

func join(values []any) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = plain(v)
	}
	return strings.Join(texts, "|")
}

// plain is a value as text, the same for one that the oracle gives and one that the warehouse stores.
func plain(v any) string {
	switch v := v.(type) {
	case nil:
		return "∅"
	case time.Time:
		return fmt.Sprint(v.Unix())
	}
	return fmt.Sprint(v)
}

// truths are what the oracle is asked for and how the warehouse tells the same.
var truths = []struct {
	stream, relation string
	columns          []string // of the oracle; a column of ours with another name follows after a colon
}{
	{"contacts", "contacts", []string{"id", "workspace_id", "external_id", "role", "email", "email_verified", "phone", "name",
		"owner_id", "unsubscribed_from_emails", "created_at", "updated_at", "signed_up_at", "last_seen_at", "last_replied_at",
		"last_contacted_at", "last_email_opened_at", "last_email_clicked_at", "language_override", "browser", "browser_version",
		"browser_language", "os", "location_country", "location_region", "location_city", "android_app_name", "android_device",
		"android_last_seen_at", "ios_app_name", "ios_device", "ios_last_seen_at"}},
	{"contact_tags", "contact_tags JOIN contacts ON id = contact_id", []string{"contact_id", "tag_id"}},
	{"contact_notes", "contact_notes JOIN contacts ON id = contact_id", []string{"contact_id", "note_id"}},
	{"contact_companies", "contact_companies JOIN contacts ON id = contact_id", []string{"contact_id", "company_id"}},
	{"contact_social_profiles", "(SELECT s.* FROM contact_social_profiles s JOIN contacts c ON c.id = s.contact_id)", []string{"contact_id", "position:_position", "name", "url"}},
	{"deleted_contacts", "deleted_contacts", []string{"id", "role", "status", "updated_at", "merged_into_id", "external_id", "email"}},
	{"contact_activities", "contact_activities", []string{"id", "event_type", "contact_id", "external_id", "role",
		"merge_source_id", "merge_target_id", "failure_reason", "created_at"}},
	{"contact_lifecycle", "(SELECT a.id, a.lifecycle, a.inactive_since, a.merged_into_id, i.current_contact_id FROM contacts_all a JOIN contact_identity i ON i.contact_id = a.id)",
		[]string{"id", "lifecycle", "inactive_since", "merged_into_id", "current_contact_id"}},
}

// equalsOracle compares every published relation with what a perfect reader would hold.
func (b *bed) equalsOracle() {
	b.t.Helper()
	for _, truth := range truths {
		var ours, theirs []string
		for _, c := range truth.columns {
			theirName, ourName, found := strings.Cut(c, ":")
			if !found {
				ourName = theirName
			}
			theirs, ours = append(theirs, theirName), append(ours, `"`+ourName+`"`)
		}
		got := b.rows("SELECT " + strings.Join(ours, ", ") + " FROM " + truth.relation)
		var want []string
		for _, row := range b.space.Oracle(truth.stream) {
			values := make([]any, len(theirs))
			for i, name := range theirs {
				values[i] = row[name]
			}
			want = append(want, join(values))
		}
		b.same(truth.stream, got, want)
	}
}

// same compares two sets of rows and shows the first that are in one only.
func (b *bed) same(what string, got, want []string) {
	b.t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if slices.Equal(got, want) {
		return
	}
	only := func(a, b []string) (list []string) {
		for _, x := range a {
			if _, found := slices.BinarySearch(b, x); !found && len(list) < 3 {
				list = append(list, x)
			}
		}
		return list
	}
	b.t.Errorf("%s: %d rows here, %d in truth\nonly here:\n  %s\nonly in truth:\n  %s", what, len(got), len(want),
		strings.Join(only(got, want), "\n  "), strings.Join(only(want, got), "\n  "))
}
