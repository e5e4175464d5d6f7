package models_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"aqueduck/schemas"
	"aqueduck/transform/models"
)

var update = flag.Bool("update", false, "write docs/models.md anew")

const page = "../../docs/models.md"

const pageHead = `# Models

What analysts measure, as views of schema ` + "`models`" + ` (` + "`NAME_models`" + ` for a workspace called NAME) in the published file. They are built after
each run, over whatever is stored: a model of streams that are not read is not there. Nothing of the source's own statistics is mixed into
them, durations are whole seconds, and null, never 0, is where nothing happened. Days are those of ` + "`warehouse.timezone`" + `; measures whose names
end in ` + "`_office`" + ` count only ` + "`warehouse.office_hours`" + `, and are null without them.

Your own: ` + "`models: models/*.sql`" + ` in pipelines.yaml names files like these. Each begins with

` + "```sql" + `
-- relation: open_by_team (view)
-- doc: One row per team: its open conversations.
-- key: team_id
-- column conversations: How many are open now.
SELECT team_assignee_id AS team_id, count(*) AS conversations
FROM {schema}.conversations WHERE state = 'open' GROUP BY ALL
` + "```" + `

` + "`{schema}.`" + ` stands before a stored table, ` + "`{models}.`" + ` before another model, ` + "`{timezone}`" + ` for the warehouse's time zone; which is made first
follows from that. ` + "`(table)`" + ` in place of ` + "`(view)`" + ` is filled at each publish that changed a row. A model reaches nothing but the
warehouse, and calls only functions that ` + "`load/internal/duck/functions.txt`" + ` allows: none that acts, and no macro of your own. One that DuckDB
refuses is told of with file and line, and is not in the file; the load is as good as without it.
`

// TestThePageOfModelsIsWhatTheirFilesSay holds docs/models.md to the SQL files and to the tests of each model.
func TestThePageOfModelsIsWhatTheirFilesSay(t *testing.T) {
	t.Parallel()
	all, err := models.Builtin()
	must(t, err)
	g := openFilled(t)
	tests := goldenTests(t)
	var text strings.Builder
	text.WriteString(pageHead)
	for _, m := range all {
		held := tests[m.Name]
		if len(held) == 0 {
			t.Errorf("no test holds %s: its name would begin with Test%s", m.Name, camelCase(m.Name))
		}
		writeModel(&text, g, m, held)
	}
	if *update {
		must(t, os.WriteFile(page, []byte(text.String()), 0o644))
	}
	if got, err := os.ReadFile(page); err != nil || string(got) != text.String() {
		t.Errorf("%s is not what the models say: make docs (%v)", page, err)
	}
}

func writeModel(text *strings.Builder, g *goldenWarehouse, m schemas.Relation, tests []string) {
	fmt.Fprintf(text, "\n## %s\n\n%s Key: `%s`.\n\n| column | type | meaning |\n|---|---|---|\n", m.Name, m.Doc, strings.Join(m.Key, "`, `"))
	for _, row := range g.rowTexts("SELECT column_name, data_type, replace(comment, '|', '\\|') FROM duckdb_columns() WHERE schema_name = 'models' AND table_name = '" + m.Name + "' ORDER BY column_index") {
		cells := strings.SplitN(row, "|", 3)
		fmt.Fprintf(text, "| `%s` | %s | %s |\n", cells[0], strings.ToLower(cells[1]), cells[2])
	}
	fmt.Fprintf(text, "\nHeld by %s.\n", strings.Join(tests, ", "))
}

var testName = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

// goldenTests are the tests of this directory by the model that their names begin with, the longest such name.
func goldenTests(t *testing.T) map[string][]string {
	t.Helper()
	all, err := models.Builtin()
	must(t, err)
	files, err := filepath.Glob("*_test.go")
	must(t, err)
	tests := map[string][]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(t, err)
		for _, found := range testName.FindAllStringSubmatch(string(text), -1) {
			best := ""
			for _, m := range all {
				if strings.HasPrefix(found[1], "Test"+camelCase(m.Name)) && len(m.Name) > len(best) {
					best = m.Name
				}
			}
			tests[best] = append(tests[best], "`"+found[1]+"`")
		}
	}
	for _, names := range tests {
		slices.Sort(names)
	}
	return tests
}

// camelCase writes reply_pairs as ReplyPairs.
func camelCase(name string) string {
	var b strings.Builder
	for _, word := range strings.Split(name, "_") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}
