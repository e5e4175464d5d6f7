package pipeline_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/lane"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
	"aqueduck/internal/verify"
)

// everyStream is a pipeline of all streams.
var everyStream = strings.Replace(nightly, "[contacts, deleted_contacts, contact_activities]", `"*"`, 1)

// TestPersonalHashMasksEveryPersonalColumn reads every stream as it is, and then with `personal: hash`. The plan counts the values that the run
// rewrites. After it no table of the file has an address, a number or a text of a person, also of records that come later.
// Holds: S38.
func TestPersonalHashMasksEveryPersonalColumn(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	b := newBedWith(t, tinyConfig(95), everyStream)
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	known := b.queryRows(`SELECT v FROM (SELECT email AS v FROM contacts UNION SELECT phone FROM contacts UNION SELECT author_email FROM conversation_parts
		UNION SELECT text FROM conversation_parts WHERE length(text) > 30 UNION SELECT text FROM ticket_parts WHERE length(text) > 30) WHERE v IS NOT NULL`)
	if len(known) < 100 || len(b.tablesWith(known)) < 4 {
		t.Fatalf("%d values in %v: too few to find what is left", len(known), b.tablesWith(known))
	}
	b.writeConfig(everyStream + "personal: hash\n")
	planned := countsIn(b.planText(), `note: (\w+): .* the next run rewrites ([\d,]+) stored values?`)
	b.space.Advance(6 * time.Hour)
	report := b.syncOnce(runner.Options{})
	done := countsIn(strings.Join(report.Notes, "\n"), `(\w+): .* stored values were rewritten, ([\d,]+) values? changed`)
	if len(done) < 5 || fmt.Sprint(planned) != fmt.Sprint(done) {
		t.Errorf("the plan counts %v, the run %v", planned, done)
	}
	if left := b.tablesWith(known); len(left) > 0 {
		t.Errorf("personal values are left in %v", left)
	}
	marks := b.queryRows("SELECT column_name, pii, person, reference FROM _sync.dictionary WHERE table_name = 'contacts' AND column_name IN ('email', 'id', 'owner_id') ORDER BY 1")
	if want := []string{"email|true|false|", "id|false|true|", "owner_id|false|false|admins.id"}; !slices.Equal(marks, want) {
		t.Errorf("the dictionary marks %v, want %v", marks, want)
	}
	for _, column := range b.queryRows(`SELECT DISTINCT d.schema || '.' || d.table_name || ':' || d.column_name FROM _sync.dictionary d JOIN duckdb_tables() t USING (table_name)
		WHERE d.pii AND d.schema IN ('main', '_raw') AND t.schema_name = d.schema AND d.type IN ('VARCHAR', 'JSON')`) {
		table, name, _ := strings.Cut(column, ":")
		sql := fmt.Sprintf(`SELECT count(*) FROM %s WHERE NOT regexp_full_match("%s"::VARCHAR, '"?[0-9a-f]{32}"?')`, table, name)
		if got := b.queryRows(sql); got[0] != "0" {
			t.Errorf("%s has %s values that are no hashes", column, got[0])
		}
	}
	if report.Exit() != 0 {
		t.Errorf("the run ended with %s", report.LastLine())
	}
	masked := b.allRows()
	if v := b.verifyPublished(verify.VerifyOptions{Deep: true}); v.Exit() != problem.ExitOK {
		t.Errorf("verify finds\n%s", verificationText(v))
	}
	b.syncOnce(runner.Options{FullRefresh: true})
	for name, want := range b.allRows() {
		if got := masked[name]; !slices.Equal(got, want) {
			t.Errorf("%s: %d rows, read again they are %d: %s", name, len(got), len(want), firstOther(got, want))
		}
	}
}

// countsIn returns the numbers that a text gives for streams, sorted by their names.
func countsIn(text, form string) (counts []string) {
	for _, found := range regexp.MustCompile(form).FindAllStringSubmatch(text, -1) {
		counts = append(counts, found[1]+" "+found[2])
	}
	slices.Sort(counts)
	return counts
}

// tablesWith returns the stored tables with a row that has one of some values, alone or in JSON.
func (b *testBed) tablesWith(values []string) (tables []string) {
	b.t.Helper()
	var all []string
	for _, name := range b.queryRows("SELECT schema_name || '.' || table_name FROM duckdb_tables() WHERE schema_name IN ('main', '_raw') ORDER BY 1") {
		all = append(all, fmt.Sprintf("SELECT '%s' WHERE EXISTS (SELECT 1 FROM (SELECT to_json(t)::VARCHAR AS row FROM %[1]s t) r JOIN known ON contains(r.row, known.v))", name))
	}
	var words []string
	for _, v := range values {
		words = append(words, "('"+strings.ReplaceAll(v, "'", "''")+"')")
	}
	return b.queryRows("WITH known(v) AS (VALUES " + strings.Join(words[:min(len(words), 60)], ",") + ") " + strings.Join(all, " UNION ALL "))
}
