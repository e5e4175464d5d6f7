// Package docs_test runs the statements of the pages for analysts.
package docs_test

import (
	"database/sql"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/readtest"
	"aqueduck/internal/runner"

	_ "github.com/duckdb/duckdb-go/v2"
)

const config = `version: 1
compat: fivetran
warehouse: {dir: data, publish: {keep: 4}}
workspaces: {main: {base_url: "${WORKSPACE_URL}", token: "${WORKSPACE_TOKEN}"}}
pipelines: {all: {streams: [conversations, deleted_conversations, contacts, deleted_contacts, contact_activities]}}
`

// testWarehouse is the warehouse of a small workspace, which a test can sync repeatedly.
type testWarehouse struct {
	t      *testing.T
	space  *emulator.Workspace
	runner *runner.Runner
}

func newHouse(t *testing.T) *testWarehouse {
	t.Helper()
	space := emulator.New(emulator.Config{Seed: 9, Contacts: 60, Inactive: 10, Activities: 40, Conversations: 60})
	runner, end, err := readtest.NewRunner(t.TempDir(), config, space)
	must(t, err)
	t.Cleanup(end)
	return &testWarehouse{t, space, runner}
}

// publishOnce syncs once, and returns the file that readers then have.
func (h *testWarehouse) publishOnce() string {
	h.t.Helper()
	file, err := readtest.PublishOnce(h.t.Context(), h.runner)
	must(h.t, err)
	return file
}

// codeBlocks returns a page's blocks in a language.
func codeBlocks(t *testing.T, page, language string) (all []string) {
	t.Helper()
	text, err := os.ReadFile(page)
	must(t, err)
	for _, found := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		all = append(all, found[1])
	}
	return all
}

// incrementalModel returns the SQL of the page's incremental model as dbt compiles it, for a full build and for the next run.
func incrementalModel(t *testing.T) (whole, next string) {
	t.Helper()
	var text string
	for _, block := range codeBlocks(t, "dbt.md", "sql") {
		if strings.Contains(block, "materialized='incremental'") {
			text = block
		}
	}
	_, text, found := strings.Cut(text, "}}\n") // cuts off the config line
	if !found {
		t.Fatal("the page has no incremental model")
	}
	text = regexp.MustCompile(`\{\{ source\('workspace', '(\w+)'\) \}\}`).ReplaceAllString(text, "warehouse.main.$1")
	text = strings.ReplaceAll(text, "{{ this }}", "conversation_facts")
	condition := regexp.MustCompile(`(?s)\{% if is_incremental\(\) %\}(.*?)\{% endif %\}`)
	return condition.ReplaceAllString(text, ""), condition.ReplaceAllString(text, "$1")
}

// TestTheIncrementalModelOfThePageEqualsAWholeBuild builds the model on one published file and updates it from the next ones, like dbt's
// delete+insert. In between, conversations were created, changed, tagged only, and deleted.
func TestTheIncrementalModelOfThePageEqualsAWholeBuild(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	whole, next := incrementalModel(t)
	db := openDuckDB(t, "")
	attachWarehouse(t, db, h.publishOnce())
	execStatement(t, db, "CREATE TABLE conversation_facts AS "+whole)
	replaced := 0
	for n := range 3 {
		h.space.SimulateHours(5)
		must(t, h.space.DeleteConversation(h.space.Oracle("conversations")[n]["id"].(string)))
		h.space.Advance(time.Hour)
		attachWarehouse(t, db, h.publishOnce())
		execStatement(t, db, "CREATE OR REPLACE TEMP TABLE news AS "+next)
		replaced += len(queryRows(t, db, "FROM news"))
		execStatement(t, db, "DELETE FROM conversation_facts WHERE conversation_id IN (SELECT conversation_id FROM news)")
		execStatement(t, db, "INSERT INTO conversation_facts FROM news")
		if got, want := queryRows(t, db, "FROM conversation_facts ORDER BY ALL"), queryRows(t, db, "FROM ("+whole+") ORDER BY ALL"); !slices.Equal(got, want) {
			t.Fatalf("built on: %d rows, as a whole: %d\n%s\nwant\n%s", len(got), len(want), strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	all := len(queryRows(t, db, "FROM conversation_facts"))
	if gone := queryRows(t, db, "FROM conversation_facts WHERE gone"); replaced == 0 || replaced >= 3*all || len(gone) == 0 {
		t.Errorf("%d rows of %d were replaced, %d are gone", replaced, all, len(gone))
	}
}

// TestTheStatementsOfThePagesAreAnswered runs each statement on a published file, under the database name of the page.
func TestTheStatementsOfThePagesAreAnswered(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	file := h.publishOnce()
	db := openDuckDB(t, "")
	attachWarehouse(t, db, file)
	for _, statement := range codeBlocks(t, "dbt.md", "sql") {
		if !strings.Contains(statement, "{{") && len(queryRows(t, db, statement)) == 0 {
			t.Errorf("no row answers\n%s", statement)
		}
	}
	execStatement(t, db, "USE warehouse")
	for _, statement := range codeBlocks(t, "bi.md", "sql") {
		if got := queryRows(t, db, statement); len(got) == 0 || strings.Contains(got[0], "<nil>") {
			t.Errorf("%v answers\n%s", got, statement)
		}
	}
}

// TestTheComparisonsOfThePageOfMovingFindEachDifference gives them a copy of our own rows as the other tool's, then one with a change of each kind.
func TestTheComparisonsOfThePageOfMovingFindEachDifference(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	db := openDuckDB(t, "")
	attachWarehouse(t, db, h.publishOnce())
	execStatement(t, db, "SET TimeZone = 'Asia/Tokyo'; CREATE SCHEMA theirs")
	blocks := codeBlocks(t, "moving.md", "sql")
	if len(blocks) != 5 || !strings.Contains(blocks[0], "ATTACH") || !strings.Contains(blocks[3], "macro") {
		t.Fatalf("the page has %d blocks", len(blocks))
	}
	for i := range blocks { // the page's statements end as a reader pastes them; here they stand inside others
		blocks[i] = strings.TrimSuffix(strings.TrimSpace(blocks[i]), ";")
	}
	counts, values, rows := blocks[1], blocks[2], blocks[4]
	for _, view := range regexp.MustCompile(`VIEW theirs\.(\w+)`).FindAllStringSubmatch(blocks[0], -1) {
		execStatement(t, db, "CREATE TABLE theirs."+view[1]+" AS FROM warehouse.fivetran."+view[1])
	}
	execStatement(t, db, `CREATE TABLE theirs.contacts AS SELECT * REPLACE (epoch(created_at)::BIGINT AS created_at, epoch(updated_at)::BIGINT AS updated_at)
		FROM warehouse.main.contacts`)
	read := "SELECT count(*) FROM duckdb_views() WHERE database_name = 'warehouse' AND schema_name = 'fivetran'"
	if got := queryRows(t, db, read); got[0] != "7" { // those of contacts and conversations; the other streams are not read
		t.Errorf("%v views, want 7", got)
	}
	unequal := "SELECT * FROM (" + counts + ") WHERE theirs <> ours OR ours = 0"
	for _, query := range []string{unequal, values, rows} {
		if got := queryRows(t, db, query); len(got) != 0 {
			t.Errorf("the same rows differ: %v\n%s", got, query)
		}
	}
	for _, change := range []string{
		"DELETE FROM theirs.%[1]s WHERE id = (SELECT min(id) FROM theirs.%[1]s WHERE %[3]s)",
		"UPDATE theirs.%[1]s SET id = 'other' WHERE id = (SELECT min(id) FROM theirs.%[1]s WHERE %[3]s)",
		"UPDATE theirs.%[1]s SET %[2]s = 'x' WHERE id = (SELECT min(id) FROM theirs.%[1]s WHERE %[3]s)",
		"UPDATE theirs.%[1]s SET updated_at = NULL WHERE id = (SELECT max(id) FROM theirs.%[1]s WHERE %[3]s AND id <> 'other')",
	} {
		execStatement(t, db, fmt.Sprintf(change, "conversation_history", "state", "_fivetran_active"))
		execStatement(t, db, fmt.Sprintf(change, "contacts", "role", "true"))
	}
	want := []string{"[only ours 2]", "[only theirs 1]", "[other values 1]", "[read at another time 1]"}
	for _, query := range []string{values, rows} {
		if got := queryRows(t, db, "SELECT [reason || ' ' || count(*)]::VARCHAR FROM ("+query+") GROUP BY reason ORDER BY 1"); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v\n%s", got, want, query)
		}
	}
	if got := queryRows(t, db, unequal); len(got) != 1 || !strings.HasPrefix(got[0], "conversation_history") {
		t.Errorf("other numbers: %v", got)
	}
}

func openDuckDB(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("duckdb", path)
	must(t, err)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { must(t, db.Close()) })
	return db
}

// attachWarehouse replaces the attached published file by a newer one, as the next run of dbt does.
func attachWarehouse(t *testing.T, db *sql.DB, file string) {
	t.Helper()
	execStatement(t, db, "DETACH DATABASE IF EXISTS warehouse")
	execStatement(t, db, "ATTACH '"+file+"' AS warehouse (READ_ONLY)")
}

func execStatement(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.Exec(statement); err != nil {
		t.Fatalf("%v\n%s", err, statement)
	}
}

func queryRows(t *testing.T, db *sql.DB, query string) (all []string) {
	t.Helper()
	found, err := db.Query(query)
	if err != nil {
		t.Fatalf("%v\n%s", err, query)
	}
	defer func() { must(t, found.Close()) }()
	names, err := found.Columns()
	must(t, err)
	values, into := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	for found.Next() {
		must(t, found.Scan(into...))
		all = append(all, fmt.Sprint(values...))
	}
	must(t, found.Err())
	return all
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
