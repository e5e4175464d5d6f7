package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aqueduck/internal/formtest"
)

// Of the wrong files: the mistakes that only this program finds, and the JSON schema of editors does not.
var onlyTheCheckFinds = map[string][]string{
	"streams, columns and workspaces that there are": {"combining", "escapes", "hash-key", "hash-unknown", "hash-unknown-field", "history-columns", "keep-erased", "pattern-of-datasets", "settings-unknown-stream", "start-of-feed",
		"tab-after-dash", "unknown-stream", "unknown-stream-far", "unknown-stream-pattern", "unknown-workspace", "warnings-last"},
	"files that there are, and what is in them": {"file-missing", "foreign-file", "materialize", "models", "no-stream-file", "one-pattern", "unknown-tables"},
	"variables and their names":                 {"base-url-not-closed", "default-token", "default-url", "variable-name", "variable-not-closed", "variable-not-set"},
	"tokens that are written, or missing":       {"literal-token", "literal-token-around", "no-token", "token-dollar", "token-of-two", "token-variable"},
	"addresses":                                 {"bucket", "mirror-bucket", "mirror-catalog-http", "misspelled-emulator", "open-url", "url-of-nothing", "url-with-path"},
	"schedules, dates and zones":                {"cron-daily", "cron-fields", "cron-never", "cron-number", "cron-range", "cron-zone", "long-text", "start-future", "zone"},
	"two values that do not go together":        {"freshness-order", "office-hours-overlap"},
	"names that are taken":                      {"schema-of-models", "sql-word"},
	"versions that the API has":                 {"api-version"},
	"saved queries that there are":              {"pinned"},
}

func TestARequiredKeyHasAnExample(t *testing.T) {
	t.Parallel()
	formtest.CheckExamples(t, ConfigSpec())
}

func TestEditorSchemaAgreesWithTheCheck(t *testing.T) {
	t.Parallel()
	pair := formtest.New(t, ConfigSpec(), true)
	text, err := os.ReadFile("testdata/complete/pipelines.yaml")
	if err != nil {
		t.Fatal(err)
	}
	pair.CheckVariants(text, 7, `"-3" is not a version`, `"-3" is not a header name`, `"1.5" is not a header name`, // numbers have no pattern
		`download_hosts': got number`, `download_hosts/0': got number`, `download_hosts/1': got number`) // 1.5 is a host to the check
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, names := range onlyTheCheckFinds {
		for _, name := range names {
			known[name] = true
		}
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		pair.CheckAgreement(name, text)
		if _, schema, there := pair.Validate(text); there && (schema == nil) != known[name] {
			t.Errorf("%s: the schema says %v", name, schema)
		}
	}
}

// TestEditorSchemaDiffersWhereItMust lists the values that only one of the two accepts: an editor reads numbers and booleans where this
// program sees the text as written.
func TestEditorSchemaDiffersWhereItMust(t *testing.T) {
	t.Parallel()
	pair := formtest.New(t, ConfigSpec(), true)
	const file = "version: 1\nworkspaces: {main: {base_url: emulator}}\npipelines: {nightly: {streams: [contacts]}}\n"
	for name, c := range map[string]struct{ more, check, schema string }{
		"a whole number written as another one": {"warehouse: {publish: {keep: 2.0}}", `found "2.0"`, ""},
		"a quoted number out of its range":      {`warehouse: {publish: {keep: "101"}}`, "from 0 to 100", ""},
		"a truth in capitals":                   {"streams: {contacts: {history: True}}", `found "True"`, ""},
		"a day that no month has":               {"streams: {contacts: {start: 2026-02-30}}", `found "2026-02-30"`, ""},
		"a time of more than a hundred years":   {"warehouse: {publish: {every: 99999999d}}", "expected a duration", ""},
	} {
		check, schema, there := pair.Validate([]byte(file + c.more + "\n"))
		if !there || check == nil || !strings.Contains(check.Error(), c.check) || (schema == nil) != (c.schema == "") {
			t.Errorf("%s: %v, %v", name, check, schema)
		}
	}
}
