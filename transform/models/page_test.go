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

Models are views for analysts, some of them stored as tables, in schema ` + "`" + `models` + "`" + ` of the published file for the workspace ` + "`" + `main` + "`" + `, and in ` + "`" + `NAME_models` + "`" + ` for any
other. Every publish builds them over the stored tables. A model is missing if its streams are not read.

- Durations are whole seconds. Office seconds count only time inside ` + "`" + `warehouse.office_hours` + "`" + `; measures with names that end in ` + "`" + `_office` + "`" + `
  use them, and are null without office hours.
- Null, never 0, means that nothing happened, unless the column says otherwise.
- Days are those of ` + "`" + `warehouse.timezone` + "`" + `.
- A part is one entry of a conversation or ticket, in ` + "`" + `conversation_parts` + "`" + ` or ` + "`" + `ticket_parts` + "`" + `: a comment, a note, an assignment, a close and others.
- Models read ` + "`" + `contacts` + "`" + ` and the tables beside it, never the tables of schema ` + "`" + `_raw` + "`" + `. The views ` + "`" + `contacts_raw` + "`" + `, ` + "`" + `contacts_by_id` + "`" + ` and the like
  are deprecated: a model or stream file of yours that reads one no longer works from the next version on. ` + "`" + `aqueduck check` + "`" + ` and each run warn of it, with the new name.
- The source's own statistics are never mixed with times from stored parts.
- Some measures had other definitions before the first version: [what changed](numbers.md#what-changed-here), and by how much on the demo.

## Your own models

` + "`models: models/*.sql`" + ` in pipelines.yaml names the SQL files. This is a complete file:

` + "```sql" + `
-- relation: open_by_team (view)
-- doc: One row per team: its open conversations.
-- key: team_id
-- column conversations: How many are open now.
SELECT team_assignee_id AS team_id, count(*) AS conversations
FROM {schema}.conversations WHERE state = 'open' GROUP BY ALL
` + "```" + `

- The lines ` + "`" + `-- relation:` + "`" + ` and ` + "`" + `-- doc:` + "`" + ` are required. ` + "`" + `-- key:` + "`" + ` names the columns that identify a row. ` + "`" + `-- column NAME: meaning` + "`" + `
  becomes the comment of a column.
- Write ` + "`" + `{schema}.` + "`" + ` before a stored table, ` + "`" + `{models}.` + "`" + ` before another model, and ` + "`" + `{timezone}` + "`" + ` for the warehouse's time zone. ` + "`" + `{raw}.` + "`" + ` stands
  before a table of schema ` + "`" + `_raw` + "`" + `, ` + "`" + `_raw_NAME` + "`" + ` in other workspaces: ` + "`" + `{raw}.contacts_raw` + "`" + `, if ` + "`" + `contacts_all` + "`" + ` lacks what you need. Models are
  built in the order of these references. A table without one of them, as in ` + "`" + `FROM tags` + "`" + ` or ` + "`" + `FROM main.tags` + "`" + `, is refused: DuckDB would read that of ` + "`" + `main` + "`" + ` in the models of every workspace.
- ` + "`" + `-- column nick from name: …` + "`" + ` says that column ` + "`" + `nick` + "`" + ` shows the source's column ` + "`" + `name` + "`" + `. In the dictionary it is then personal data, too.
- With ` + "`" + `(table)` + "`" + ` instead of ` + "`" + `(view)` + "`" + ` the model is stored, and filled at each publish that changed a row.
- A model reads only tables and models of its own workspace, not those of ` + "`" + `_sync` + "`" + `. It calls only functions without side effects, and no macros. ` + "`" + `aqueduck check` + "`" + ` names a function that is
  not allowed. In a checkout, ` + "`" + `load/internal/duck/functions.txt` + "`" + ` lists all of them.
- ` + "`" + `aqueduck check` + "`" + ` reports a table after ` + "`" + `{schema}.` + "`" + ` or ` + "`" + `{raw}.` + "`" + ` that no stream has, and a model after ` + "`" + `{models}.` + "`" + ` that does not exist, with the nearest name. It also reports columns of the lines ` + "`" + `-- key:` + "`" + ` and ` + "`" + `-- column` + "`" + ` that the model does not have. So it does with a line that resembles one of these, such as ` + "`" + `-- keys:` + "`" + `, and with one below the SELECT. A model of streams that no pipeline reads is left out: ` + "`" + `check` + "`" + ` and each run warn.
- ` + "`" + `aqueduck check` + "`" + ` makes your models on empty tables, and reports the file, line and column of each that DuckDB refuses, with the names that DuckDB proposes. Before that, the files must have no other mistake. It does not know the columns of datasets of exports: it leaves models that read one out. If DuckDB refuses a model in a run, the run warns with its file and line, also with ` + "`" + `-q` + "`" + `. ` + "`" + `status` + "`" + ` and ` + "`" + `runs show` + "`" + ` print it. The model is then missing from the published file, the data is complete, and the exit code does not change.
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
		if len(tests[m.Name]) == 0 {
			t.Errorf("no test holds %s: its name would begin with Test%s", m.Name, camelCase(m.Name))
		}
		writeModel(&text, g, m)
	}
	if *update {
		must(t, os.WriteFile(page, []byte(text.String()), 0o644))
	}
	if got, err := os.ReadFile(page); err != nil || string(got) != text.String() {
		t.Errorf("%s is not what the models say: make docs (%v)", page, err)
	}
}

func writeModel(text *strings.Builder, g *goldenWarehouse, m schemas.Relation) {
	stored := ""
	if m.Kind == "table" {
		stored = " Stored as a table."
	}
	fmt.Fprintf(text, "\n## %s\n\n%s Key: `%s`.%s\n\n| column | type | meaning |\n|---|---|---|\n", m.Name, m.Doc, strings.Join(m.Key, "`, `"), stored)
	for _, row := range g.rowTexts("SELECT column_name, data_type, replace(comment, '|', '\\|') FROM duckdb_columns() WHERE schema_name = 'models' AND table_name = '" + m.Name + "' ORDER BY column_index") {
		cells := strings.SplitN(row, "|", 3)
		fmt.Fprintf(text, "| `%s` | %s | %s |\n", cells[0], strings.ToLower(cells[1]), cells[2])
	}
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
