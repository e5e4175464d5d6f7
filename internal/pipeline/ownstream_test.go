package pipeline_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/lane"
	"aqueduck/internal/plan"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync"
	"aqueduck/load/lakecheck"
	"aqueduck/load/publish"
)

// helpCenters is the whole file of a user's stream.
const helpCenters = `stream: help_sites
doc: One row per help center.
read:
  endpoint: GET /help_center/help_centers
  records: data
  page: {by: number, in: query, size: 50}
  since: {by: full}
key: [id]
absent: gone
ignore: [type]
columns:
  - {name: id, type: text, doc: Help center id.}
  - {name: identifier, type: text, doc: Its name in addresses.}
  - {name: turned_on_at, type: timestamp, doc: When it went live.}
children:
  - table: help_site_locales
    doc: One row per language of a help center.
    from: locales
    key: [help_site_id, code]
    columns: [{name: code, type: text, doc: Language.}]
`

// TestStreamOfTwoYAMLFilesNeedsNoGo adds a stream by its own file and a line in pipelines.yaml, and checks its rows, child tables, Parquet files,
// dictionary entry and deletions.
func TestStreamOfTwoYAMLFilesNeedsNoGo(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(101)).publishingAll()
	centers := 120
	b.interceptRequests(func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/help_center/help_centers" {
			return false
		}
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		size, _ := strconv.Atoi(r.URL.Query().Get("per_page"))
		var records []string
		for i := (page-1)*size + 1; i <= min(page*size, centers); i++ {
			records = append(records, fmt.Sprintf(`{"type":"help_center","id":%d,"identifier":"center-%d","turned_on_at":%d,"display_name":"Center","locales":[{"code":"en"},{"code":"pt-BR"}]}`, i, i, 1700000000+i))
		}
		rw.Header().Set("Date", b.space.CurrentTime().UTC().Format(http.TimeFormat))
		fmt.Fprintf(rw, `{"type":"list","data":[%s],"total_count":%d,"pages":{"type":"pages","page":%d,"per_page":%d,"total_pages":%d}}`,
			strings.Join(records, ","), centers, page, size, (centers+size-1)/size)
		return true
	})
	if err := os.MkdirAll(filepath.Join(filepath.Dir(b.file), "streams"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(b.file), "streams", "help_sites.yaml"), []byte(helpCenters), 0o600); err != nil {
		t.Fatal(err)
	}
	b.writeConfig(strings.Replace(nightly, "[contacts,", "[help_sites, contacts,", 1) + "stream_files: [streams/*.yaml]\n")

	report := b.syncOnce(runner.Options{})
	if s := streamResult(t, report, "help_sites"); s.New != 120 || s.Requests != 3 {
		t.Errorf("%+v", s)
	}
	if got := b.queryRows("SELECT count(*), count(DISTINCT id), min(identifier), epoch(max(turned_on_at))::BIGINT, count(_extra->>'display_name') FROM help_sites"); got[0] != "120|120|center-1|1700000120|120" {
		t.Errorf("rows: %v", got)
	}
	if got := b.queryRows("SELECT count(*), count(DISTINCT help_site_id) FROM help_site_locales"); got[0] != "240|120" {
		t.Errorf("children: %v", got)
	}
	if got := b.queryRows("SELECT doc FROM _sync.dictionary WHERE table_name = 'help_sites' AND column_name = 'identifier'"); len(got) != 1 || got[0] != "Its name in addresses." {
		t.Errorf("dictionary: %v", got)
	}
	if got := b.queryRows("SELECT table_name, path, example_type, change FROM _sync.schema_changes WHERE stream = 'help_sites' AND path IS NOT NULL"); len(got) != 1 || got[0] != "help_sites_all|display_name|text|a field without a column: it is in _extra" {
		t.Errorf("new fields: %v", got)
	}
	for _, table := range []string{"help_sites", "help_site_locales"} {
		if info, err := os.Stat(filepath.Join(b.runner.Dir.Lake("main"), table, "all.parquet")); err != nil || info.Size() == 0 {
			t.Errorf("the lake's part: %v", err)
		}
	}
	b.equalsOracle()

	centers = 117
	b.space.Advance(time.Hour)
	report = b.syncOnce(runner.Options{Select: []string{"help_sites"}})
	if s := streamResult(t, report, "help_sites"); s.Gone != 3 || s.Requests != 6 {
		t.Errorf("%+v: want two walks that agree about the three that left", s)
	}
	if got := b.queryRows("SELECT (SELECT count(*) FROM help_sites), (SELECT count(*) FROM help_sites_all)"); got[0] != "117|120" {
		t.Errorf("after three left: %v", got)
	}
	if report = b.syncOnce(runner.Options{Select: []string{"help_sites"}}); report.TotalRows() != 0 {
		t.Errorf("a quiet run wrote %d rows", report.TotalRows())
	}
	b.addsAColumn(filepath.Join(filepath.Dir(b.file), "streams", "help_sites.yaml"))
}

// addsAColumn adds a column for a field that was in _extra. Stored rows get it without being read again.
func (b *testBed) addsAColumn(file string) {
	b.t.Helper()
	text := strings.Replace(helpCenters, "children:", "  - {name: display_name, type: text, doc: Its name for people.}\nchildren:", 1)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
	config, err := os.ReadFile(b.file)
	if err != nil {
		b.t.Fatal(err)
	}
	b.writeConfig(string(config))
	plan, err := plan.Make(context.Background(), b.runner, b.runner.Config.Pipelines, runner.Options{}, plan.AskNone)
	if err != nil || len(plan.Columns) != 1 || plan.Columns[0] != "main.help_sites.display_name" && plan.Columns[0] != "main.help_sites_all.display_name" {
		b.t.Errorf("the plan says %+v, %v", plan.Columns, err)
	}
	report := b.syncOnce(runner.Options{Select: []string{"contact_activities"}})
	if got := b.queryRows("SELECT count(display_name), count(_extra->>'display_name') FROM help_sites_all"); got[0] != "120|0" || len(report.Changes) == 0 {
		b.t.Errorf("filled and left in _extra: %v; %+v", got, report.Changes)
	}
}

// onWrite is called with each line of a log.
type onWrite func(line string)

func (f onWrite) Write(line []byte) (int, error) {
	f(string(line))
	return len(line), nil
}

// TestAPipelinePerWorkspaceLeavesTheOthersLake: a publish of one pipeline has the rows of the other's workspace unchanged, so its Parquet files are
// those of the new file. Until then each quiet run published again, and verify called the files damaged.
func TestAPipelinePerWorkspaceLeavesTheOthersLake(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	b, acme := newBedPair(t)
	b.publishingLake()
	b.writeConfig(strings.Replace(b.readConfig(), "contact_activities]", "contact_activities], workspaces: [main]", 1) + "  other: {streams: [contacts], workspaces: [acme]}\n")
	other := b.runner.Config.Pipelines[1]
	runOther := func() *runlog.Report {
		t.Helper()
		report, err := sync.Sync(t.Context(), b.runner, other, runner.Options{})
		if err != nil || report.Exit() != problem.ExitOK {
			t.Fatalf("%s, %v", report.LastLine(), err)
		}
		return report
	}
	expect := func(what string, report *runlog.Report, ending string, whole bool) {
		t.Helper()
		got, err := lakecheck.Consistent(t.Context(), b.runner.Dir)
		if err != nil || got != whole || !strings.Contains(report.LastLine(), "published="+ending+" ") {
			t.Errorf("%s: %s, and all Parquet files are those of the file: %t, %v", what, report.LastLine(), got, err)
		}
	}
	b.syncOnce(runner.Options{})
	expect("the first run of the other", runOther(), "yes", true)
	expect("a quiet run", b.syncOnce(runner.Options{}), "unchanged", true)
	expect("a quiet run of the other", runOther(), "unchanged", true)
	changeOther := func(name string) {
		t.Helper()
		b.failOn(acme.space.UpdateContact(acme.space.ContactIDs("active")[0], emulator.FieldChange{Field: "name", Value: name}))
		acme.space.Advance(time.Hour)
		b.space.Advance(time.Hour)
	}
	changeOther("Zoë")
	expect("one changed contact of the other", runOther(), "yes", true)
	b.failOn(os.Truncate(filepath.Join(b.runner.Dir.Lake("main"), publish.ManifestName), 100))
	changeOther("Zoé")
	expect("a damaged manifest stays damaged", runOther(), "yes", false)
	expect("and its own pipeline writes it again", b.syncOnce(runner.Options{}), "yes", true)
	expect("which leaves that of the other", runOther(), "unchanged", true)

	// The other is stopped between its commit and its publish.
	changeOther("Zoe")
	ctx, cancel := context.WithCancel(t.Context())
	b.runner.Log = slog.New(slog.NewTextHandler(onWrite(func(line string) {
		if strings.Contains(line, "stream ok") {
			cancel()
		}
	}), nil))
	stopped, err := sync.Sync(ctx, b.runner, other, runner.Options{})
	if err != nil || stopped.Exit() != problem.ExitInterrupted || stopped.TotalRows() == 0 {
		t.Fatalf("%+v, %v", stopped, err)
	}
	b.failOn(b.space.UpdateContact(b.space.ContactIDs("active")[0], emulator.FieldChange{Field: "name", Value: "Zoe"}))
	b.space.Advance(time.Hour)
	expect("the file has rows that its Parquet files lack", b.syncOnce(runner.Options{}), "yes", false)
	expect("its own pipeline writes them", runOther(), "yes", true)
}

// TestTwoWorkspacesKeepApart reads two workspaces into one warehouse, one schema each. A run of one does not touch the other.
func TestTwoWorkspacesKeepApart(t *testing.T) {
	t.Parallel()
	const config = `version: 1
warehouse: {dir: data}
workspaces:
  main: {base_url: "${WORKSPACE_URL}", token: "${WORKSPACE_TOKEN}"}
  acme: {base_url: "${OTHER_URL}", token: "${OTHER_TOKEN}"}
pipelines:
  nightly: {streams: [contacts, deleted_contacts, contact_activities]}
  acme_only: {streams: [contacts], workspaces: acme}
`
	other := newBed(t, tinyConfig(103)).publishingAll()
	b := newBed(t, tinyConfig(102)).publishingAll()
	b.env = map[string]string{"OTHER_URL": other.url, "OTHER_TOKEN": other.space.AccessToken()}
	b.writeConfig(config)
	b.syncOnce(runner.Options{})
	b.equalsOracle()
	want := fmt.Sprint(len(other.space.Oracle("contacts")))
	if got := b.queryRows("SELECT count(*) FROM acme.contacts"); got[0] != want {
		t.Errorf("acme has %s contacts, want %s", got[0], want)
	}
	if err := other.space.UpdateContact(other.space.ContactIDs("active")[0], emulator.FieldChange{Field: "name", Value: "Acme Only"}); err != nil {
		t.Fatal(err)
	}
	other.space.Advance(time.Hour)
	b.space.Advance(time.Hour)
	b.runner.Config.Pipelines = b.runner.Config.Pipelines[1:]
	b.syncOnce(runner.Options{})
	if got := b.queryRows("SELECT (SELECT count(*) FROM acme.contacts WHERE name = 'Acme Only'), (SELECT count(*) FROM main.contacts WHERE name = 'Acme Only')"); got[0] != "1|0" {
		t.Errorf("acme|main: %v", got)
	}
	b.equalsOracle()
}

// TestASearchWithAKeyOfSeveralColumnsIsReadAgain: its stored rows are no evidence against a list that returns them, and every run after the first failed.
func TestASearchWithAKeyOfSeveralColumnsIsReadAgain(t *testing.T) {
	t.Parallel()
	b := newBed(t, emulator.Config{Seed: 172, Contacts: 20})
	b.writeStreamFiles("my_contacts", `stream: my_contacts
read: {endpoint: POST /contacts/search, records: data, page: {by: cursor, in: body, size: 150}, since: {by: search, field: updated_at}}
key: [role, id]
columns: [{name: role, type: text}, {name: id, type: text}, {name: updated_at, type: timestamp}]
`)
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
}
