package config

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"aqueduck/internal/goldentest"
	"aqueduck/internal/grammar"
	"aqueduck/internal/problem"
	"aqueduck/internal/schedule"
)

// variablesOf is a lookup with fixed variables.
func variablesOf(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

// Holds: S1.
func TestBadConfigIsReportedWithFileAndLine(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			t.Parallel()
			_, _, err := LoadConfig(file, variablesOf())
			var mistakes grammar.Mistakes
			if !errors.As(err, &mistakes) {
				t.Fatalf("got %v, want mistakes", err)
			}
			text := mistakes.Format()
			if strings.Contains(text, "dG9rOjEyMzQ1Njc4") {
				t.Errorf("a token is shown:\n%s", text)
			}
			goldentest.Compare(t, strings.TrimSuffix(file, ".yaml")+".txt", strings.ReplaceAll(text, "testdata/bad/", ""))
		})
	}
}

// TestWorkspaceNameNeedsNoQuotes compares the check with the reserved words that the database itself lists.
func TestWorkspaceNameNeedsNoQuotes(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile("../../load/internal/duck/testdata/keywords.txt")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(string(list))
	if len(words) < 2*400 {
		t.Fatalf("%d words and verdicts", len(words))
	}
	for pair := range slices.Chunk(words, 2) {
		word, quotes := pair[0], pair[1] == "quoted"
		if word == "temp" || word == "system" {
			continue // names of other databases
		}
		if refused := checkSchema(word); quotes != (refused != nil) {
			t.Errorf("%s: it needs quotes: %v; the check says %v", word, quotes, refused)
		}
	}
}

func TestDoubtfulConfigIsWarnedOf(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"skipped-hour", "older-version", "compat-streams", "no-parent", "empty-file", "deprecated", "deprecated-streams"} {
		c, _, err := LoadConfig("testdata/warned/"+name+".yaml", variablesOf())
		if err != nil {
			t.Fatal(err)
		}
		goldentest.Compare(t, "testdata/warned/"+name+".txt", strings.ReplaceAll(c.Warnings.Format(), "testdata/warned/", ""))
	}
}

func TestCheckSkipsValuesOfUnsetVariables(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pipelines.yaml")
	text := `
version: 1
warehouse: {dir: "${DIR}", timezone: "${file:zone}", publish: {keep: "${KEEP}"}}
workspaces: {main: {base_url: "${U}", token: "${T}", requests_per_minute: "${RATE}"}}
pipelines: {nightly: {streams: [contacts, "${STREAM}"], schedule: "${CRON}"}}
`
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	c, _, err := CheckConfig(file, variablesOf("RATE", "60"))
	if err != nil {
		t.Fatal(err)
	}
	if w := c.Warehouse; w.Publish.Keep != 2 || w.Timezone != "UTC" || c.Workspaces["main"].RequestsPerMinute != 60 || len(c.Pipelines[0].Streams) != 1 {
		t.Errorf("got %+v", c)
	}
	if _, _, err := CheckConfig(file, variablesOf("RATE", "quick")); err == nil {
		t.Error("what is set was not checked")
	}
	if _, _, err := LoadConfig(file, variablesOf("RATE", "60")); err == nil || !strings.Contains(err.Error(), "the variable STREAM is not set") {
		t.Errorf("got %v", err)
	}
}

func TestProjectConfigIsCheckedWithoutVariables(t *testing.T) {
	c, catalogue, err := LoadConfig("../../pipelines.yaml", variablesOf())
	if err != nil {
		t.Fatal(err)
	}
	p, ok := c.Pipeline("nightly")
	if !ok || p.Schedule.String() != "0 2 * * *" || p.MaxTime != 5*time.Hour || !p.CatchUp || p.Overlap != schedule.Skip {
		t.Errorf("got %+v", p)
	}
	for _, name := range []string{"contacts", "deleted_contacts", "contact_activities", "conversations", "calls", "call_transcripts", "admin_activity_logs", "reporting"} {
		if !slices.Contains(p.Streams, name) {
			t.Errorf("nightly does not read %s: %v", name, p.Streams)
		}
	}
	if diff := cmp.Diff([]string{"main"}, p.Workspaces(c)); diff != "" {
		t.Error(diff)
	}
	if c.Warehouse.Dir != "../../data" || c.Warehouse.Publish.Every != time.Hour || c.Warehouse.Publish.Keep != 2 {
		t.Errorf("got %+v", c.Warehouse)
	}
	if _, ok := catalogue.Stream("contacts_by_id"); !ok {
		t.Error("the built-in streams are not there")
	}
}

// configOf writes files into a new directory, and loads pipelines.yaml from it.
func configOf(t *testing.T, files map[string]string, env ...string) (*Config, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c, _, err := LoadConfig(filepath.Join(dir, "pipelines.yaml"), variablesOf(env...))
	return c, err
}

const simple = `
version: 1
workspaces: {main: {base_url: "${WORKSPACE_URL}", token: "${WORKSPACE_TOKEN}"}}
pipelines: {nightly: {streams: ["*contacts", help_sites, contacts]}}
`

func TestStreamIsAddedByYAMLAlone(t *testing.T) {
	t.Parallel()
	c, err := configOf(t, map[string]string{
		"pipelines.yaml": simple + "stream_files: [streams/*.yaml]\n",
		"streams/help_sites.yaml": `
stream: help_sites
doc: One row per help center.
read: {endpoint: GET /help_center/help_centers, records: data, page: {by: number, in: query, size: 50}, since: {by: full}}
key: [id]
columns: [{name: id, type: text}, {name: identifier, type: text}]
`})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"contacts", "deleted_contacts", "help_sites"}, c.Pipelines[0].Streams); diff != "" {
		t.Error(diff)
	}
}

func TestVariablesAreExpandedAfterParsing(t *testing.T) {
	t.Parallel()
	c, err := configOf(t, map[string]string{
		"zone": "Europe/Berlin\n",
		"pipelines.yaml": `
version: 1
warehouse: {dir: "${DIR:-data}/$$x/$y", timezone: "${file:zone}", publish: {keep: "${KEEP}", every: "${EVERY:-5m}"}}
workspaces: {main: {base_url: emulator}}
pipelines: {nightly: {streams: [contacts], schedule: "${CRON:-0 2 * * *}"}}
`}, "DIR", `/srv/"#: `, "KEEP", "7", "CRON", "")
	if err != nil {
		t.Fatal(err)
	}
	w := c.Warehouse
	if w.Dir != `/srv/"#: /$x/$y` || w.Timezone != "Europe/Berlin" || w.Publish.Keep != 7 || w.Publish.Every != 5*time.Minute {
		t.Errorf("got %+v", w)
	}
	at := c.Pipelines[0].Schedule.Next(time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC))
	if at.UTC().Hour() != 0 {
		t.Errorf("next is %s, not 02:00 in Berlin", at)
	}
}

func TestSettingsApplyToStreamsReadAlong(t *testing.T) {
	t.Parallel()
	c, err := configOf(t, map[string]string{"pipelines.yaml": `
version: 1
workspaces: {main: {base_url: emulator}}
streams:
  contacts: {start: 2024-01-01, drop: [custom_attributes.ssn]}
  "*": {start: 2020-01-01, hash: [email]}
pipelines: {nightly: {streams: [contacts]}}
`})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for stream, want := range map[string]Settings{
		"contacts":           {Start: start, Hash: []string{"email"}, Drop: []string{"custom_attributes.ssn"}},
		"contacts_by_id":     {Hash: []string{"email"}, Drop: []string{"custom_attributes.ssn"}}, // read along with contacts
		"deleted_contacts":   {Hash: []string{"email"}},
		"contact_activities": {}, // has no email column
	} {
		if diff := cmp.Diff(want, c.Settings(stream)); diff != "" {
			t.Errorf("%s: %s", stream, diff)
		}
	}
}

func TestMissingConfigNamesTheNextStep(t *testing.T) {
	t.Parallel()
	_, _, err := LoadConfig(filepath.Join(t.TempDir(), "pipelines.yaml"), variablesOf())
	var p *problem.Problem
	if !errors.As(err, &p) || p.Class != "config" || p.Next == "" {
		t.Errorf("got %v", err)
	}
}

func TestThePageOfTheConfigurationIsUpToDate(t *testing.T) {
	const file = "../../docs/pipelines.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(text), "## Keys\n")
	goldentest.Compare(t, file, head+"## Keys\n\n"+ConfigSpec().Markdown())
}

// TestS58MistakesHaveAtMostTwoKilobytes checks values, keys, names and lines of 20,000 bytes, in each form of the output.
func TestS58MistakesHaveAtMostTwoKilobytes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 10_000)
	for name, text := range map[string]string{
		"a value":        "version: " + long + "\n",
		"a key":          "version: 1\n" + long + ": 1\n",
		"a name":         "version: 1\nworkspaces: {" + long + ": {base_url: 1, token: [1]}}\n",
		"a stream":       "version: 1\nworkspaces: {main: {base_url: emulator}}\npipelines: {a: {streams: [" + long + "]}}\n",
		"a syntax error": "version: {" + long + "\n",
		"an anchor":      "version: *" + long + "\n",
	} {
		_, err := configOf(t, map[string]string{"pipelines.yaml": text})
		var found grammar.Mistakes
		if !errors.As(err, &found) {
			t.Fatalf("%s: %v", name, err)
		}
		list, err := found.JSON()
		if err != nil {
			t.Fatal(err)
		}
		for form, output := range map[string]string{"text": found.Format(), "json": string(list), "github": found.Annotations()} {
			for line := range strings.Lines(output) {
				if len(line) > 2400 {
					t.Errorf("%s: a line of %d bytes as %s: %.100s…", name, len(line), form, line)
				}
			}
		}
		if !regexp.MustCompile(`pipelines\.yaml:\d+:\d+: error: `).MatchString(found.Format()) {
			t.Errorf("%s: no position: %.200s", name, found.Format())
		}
	}
}
