package compat_test

import (
	"database/sql"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/readtest"
	"aqueduck/internal/runner"
	"aqueduck/transform/compat"

	_ "github.com/duckdb/duckdb-go/v2"
)

// config keeps the history of every stream whose view can show one.
var config = `version: 1
compat: fivetran
warehouse: {dir: data, timezone: Asia/Tokyo, parquet: none}
workspaces: {main: {base_url: "${WORKSPACE_URL}", token: "${WORKSPACE_TOKEN}"}}
streams: {contacts: {history: true}, conversations: {history: true}, companies: {history: true}, articles: {history: true}, collections: {history: true}, help_centers: {history: true}}
pipelines: {all: {streams: [` + strings.Join(compat.Streams(), ", ") + `, deleted_contacts, contact_activities, deleted_conversations]}}
`

// sharedWarehouse is a small workspace that was read twice, with changes in between.
type sharedWarehouse struct {
	once   sync.Once
	dir    string
	end    func()
	space  *emulator.Workspace
	runner *runner.Runner
	file   []byte // the published file
	err    error
}

var shared sharedWarehouse

// TestMain removes what the tests share.
func TestMain(m *testing.M) {
	code := m.Run()
	if shared.end != nil {
		shared.end()
	}
	if shared.dir != "" {
		if err := os.RemoveAll(shared.dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

func (s *sharedWarehouse) read(t *testing.T) {
	t.Helper()
	s.once.Do(func() { s.file, s.err = s.readTwice(t) })
	must(t, s.err)
}

func (s *sharedWarehouse) readTwice(t *testing.T) ([]byte, error) {
	var err error
	if s.dir, err = os.MkdirTemp("", "compat"); err != nil {
		return nil, err
	}
	s.space = emulator.New(emulator.Config{Seed: 5, Contacts: 60, Inactive: 20, Activities: 60, Conversations: 40, Calls: -1, Logs: 1})
	if s.runner, s.end, err = readtest.NewRunner(s.dir, config, s.space); err != nil {
		return nil, err
	}
	if _, err := readtest.PublishOnce(t.Context(), s.runner); err != nil {
		return nil, err
	}
	if err := s.space.DeleteConversation(s.space.Oracle("conversations")[3]["id"].(string)); err != nil {
		return nil, err
	}
	s.space.SimulateHours(6)
	s.space.Advance(time.Hour)
	file, err := readtest.PublishOnce(t.Context(), s.runner)
	if err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

// testFile is a copy of a published file.
type testFile struct {
	t  *testing.T
	db *sql.DB
}

// openShared opens a copy of the shared file. Beside the published views, which show a history, schema plain has the views without one.
func openShared(t *testing.T) *testFile {
	t.Helper()
	shared.read(t)
	f := openCopy(t, shared.file)
	views, err := compat.Views(func(string) bool { return false })
	must(t, err)
	f.execSQL("CREATE SCHEMA plain")
	for _, v := range views {
		f.execSQL("CREATE VIEW plain." + v.Name + " AS " + strings.ReplaceAll(v.SQL, "{schema}", "main"))
	}
	return f
}

func openCopy(t *testing.T, content []byte) *testFile {
	t.Helper()
	own := filepath.Join(t.TempDir(), "own.duckdb")
	must(t, os.WriteFile(own, content, 0o600))
	db, err := sql.Open("duckdb", own+"?threads=1")
	must(t, err)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { must(t, db.Close()) })
	return &testFile{t, db}
}

func (f *testFile) execSQL(statement string) {
	f.t.Helper()
	if _, err := f.db.Exec(statement); err != nil {
		f.t.Fatalf("%v\n%s", err, statement)
	}
}

// rowTexts are the values of each row as text, with bars between them, in the order of these texts; null is empty.
func (f *testFile) rowTexts(query string) (all []string) {
	f.t.Helper()
	rows, err := f.db.Query("SELECT COLUMNS(*)::VARCHAR FROM (" + query + ")")
	if err != nil {
		f.t.Fatalf("%v\n%s", err, query)
	}
	defer func() { must(f.t, rows.Close()) }()
	names, err := rows.Columns()
	must(f.t, err)
	values, into := make([]sql.NullString, len(names)), make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		must(f.t, rows.Scan(into...))
		var cells []string
		for _, v := range values {
			cells = append(cells, v.String)
		}
		all = append(all, strings.Join(cells, "|"))
	}
	must(f.t, rows.Err())
	slices.Sort(all)
	return all
}

// expectRows fails the test where a query gives other rows, in whatever order.
func (f *testFile) expectRows(query string, want ...string) {
	f.t.Helper()
	slices.Sort(want)
	if got := f.rowTexts(query); !slices.Equal(got, want) {
		f.t.Errorf("%s\ngot\n  %s\nwant\n  %s", query, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// number is the one value of a query.
func (f *testFile) number(query string) (n int64) {
	f.t.Helper()
	if err := f.db.QueryRow(query).Scan(&n); err != nil {
		f.t.Fatalf("%v\n%s", err, query)
	}
	return n
}

// readFacts gives the columns that the package reads, as "table|column|type", from testdata/fivetran.csv.
func readFacts(t *testing.T) (all []string) {
	t.Helper()
	text, err := os.ReadFile("testdata/fivetran.csv")
	must(t, err)
	records, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	must(t, err)
	usual := map[string]string{"boolean": "BOOLEAN", "timestamp": "TIMESTAMP", "string": "VARCHAR", "float": "DOUBLE", "int": "BIGINT"}
	for _, r := range records[1:] {
		if (usual[r[2]] == r[3]) != (r[4] == "") {
			t.Errorf("%s.%s: %s as %s, because %q", r[0], r[1], r[2], r[3], r[4])
		}
		all = append(all, r[0]+"|"+r[1]+"|"+r[3])
	}
	return all
}

// TestTheViewsHaveTheColumnsThatThePackageReads compares names and types of all columns with the facts, with a history and without one.
func TestTheViewsHaveTheColumnsThatThePackageReads(t *testing.T) {
	t.Parallel()
	f, facts := openShared(t), readFacts(t)
	for _, schema := range []string{"fivetran", "plain"} {
		f.expectRows("SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE schema_name = '"+schema+"'", facts...)
	}
	if n := f.number("SELECT count(*) FROM duckdb_views() WHERE schema_name = 'fivetran'"); n != 16 {
		t.Errorf("%d views, want 16", n)
	}
	f.expectRows("SELECT table_name, column_name FROM duckdb_columns() WHERE schema_name = 'fivetran' AND coalesce(comment, '') = ''")
	f.expectRows("SELECT column_name FROM _sync.dictionary WHERE schema = 'fivetran' AND table_name = 'conversation_history' AND pii",
		"conversation_rating_remark", "source_body", "source_subject")
}

// rowsOf are, by view, the relation with its rows, and a query of those that count as there.
var rowsOf = map[string][2]string{
	"admin":                        {"admins_all", "admins"},
	"article_history":              {"articles_all", "articles"},
	"collection_history":           {"collections_all", "collections"},
	"company_history":              {"companies_all", "companies"},
	"company_tag_history":          {"company_tags", "company_tags JOIN main.companies ON id = company_id"},
	"contact_company_history":      {"contact_companies", "contact_companies JOIN main.contacts ON id = contact_id"},
	"contact_history":              {"contacts_all", "contacts"},
	"contact_tag_history":          {"contact_tags", "contact_tags JOIN main.contacts ON id = contact_id"},
	"conversation_contact_history": {"conversation_contacts", "conversation_contacts JOIN main.conversations ON id = conversation_id"},
	"conversation_history":         {"conversations_all", "conversations"},
	"conversation_part_history":    {"conversation_parts", "conversation_parts p JOIN main.conversations c ON c.id = conversation_id"},
	"conversation_tag_history":     {"conversation_tags", "conversation_tags JOIN main.conversations ON id = conversation_id"},
	"help_center_history":          {"help_centers_all", "help_centers"},
	"tag":                          {"tags_all", "tags"},
	"team":                         {"teams_all", "teams"},
	"team_admin":                   {"team_admins", "team_admins JOIN main.teams ON id = team_id"},
}

func TestEveryViewHasTheRowsOfItsTable(t *testing.T) {
	t.Parallel()
	f := openShared(t)
	for view, of := range rowsOf {
		there := "_fivetran_active"
		if n := f.number("SELECT count(*) FROM duckdb_columns() WHERE schema_name = 'plain' AND table_name = '" + view + "' AND column_name = '_fivetran_deleted'"); n == 1 {
			there = "NOT _fivetran_deleted"
		}
		all, current := f.number("SELECT count(*) FROM main."+of[0]), f.number("SELECT count(*) FROM main."+of[1])
		if n := f.number("SELECT count(*) FROM plain." + view); n != all || n == 0 {
			t.Errorf("%s has %d rows, %s has %d", view, n, of[0], all)
		}
		for _, schema := range []string{"plain", "fivetran"} {
			if n := f.number("SELECT count(*) FROM " + schema + "." + view + " WHERE " + there); n != current || n == 0 {
				t.Errorf("%s.%s has %d rows that are there, want %d", schema, view, n, current)
			}
		}
	}
	views, err := compat.Views(func(string) bool { return true })
	must(t, err)
	for _, v := range views {
		for _, schema := range []string{"plain", "fivetran"} {
			f.expectRows("SELECT " + strings.Join(v.Key, ", ") + " FROM " + schema + "." + v.Name + " GROUP BY ALL HAVING count(*) > 1")
		}
	}
	for _, gone := range []string{"conversation_history", "conversation_part_history", "contact_history", "contact_tag_history"} {
		if n := f.number("SELECT count(*) FROM plain." + gone + " WHERE NOT _fivetran_active AND _fivetran_end < TIMESTAMP '9999-01-01'"); n == 0 {
			t.Errorf("%s has no row that is gone", gone)
		}
	}
}

// TestInstantsOfTheViewsAreAtUTC reads them in a session of another time zone.
func TestInstantsOfTheViewsAreAtUTC(t *testing.T) {
	t.Parallel()
	f := openShared(t)
	f.execSQL("SET TimeZone = 'America/New_York'")
	for view, of := range map[string]string{"conversation_history": "conversations_all", "contact_history": "contacts_all", "article_history": "articles_all"} {
		differing := f.number(fmt.Sprintf(`SELECT count(*) FROM plain.%s v JOIN main.%s s USING (id) WHERE epoch_us(v.created_at) IS DISTINCT FROM epoch_us(s.created_at)
			OR epoch_us(v.updated_at) IS DISTINCT FROM epoch_us(s.updated_at) OR epoch_us(v._fivetran_synced) IS DISTINCT FROM epoch_us(s._synced_at)`, view, of))
		if differing != 0 {
			t.Errorf("%s: %d rows have other instants than %s", view, differing, of)
		}
	}
}

// TestOneConversationAsItsViewsShowIt has every value of the views written by hand.
func TestOneConversationAsItsViewsShowIt(t *testing.T) {
	t.Parallel()
	f := openShared(t)
	for _, table := range []string{"conversations_all", "conversation_parts", "conversation_tags", "conversation_contacts"} {
		f.execSQL("DELETE FROM main." + table)
	}
	f.execSQL("SET TimeZone = 'America/New_York'")
	f.execSQL(`INSERT INTO main.conversations_all (id, created_at, updated_at, state, read, admin_assignee_id, team_assignee_id, rating, rating_remark,
		first_contact_reply_created_at, first_contact_reply_type, sla_name, sla_status, source_author_id, source_author_type, source_body,
		source_delivered_as, source_subject, source_type, _synced_at) VALUES
		('7', '2026-01-02 10:00:00Z', '2026-01-02 11:00:00Z', 'closed', true, '0', '4', 5, 'fine', '2026-01-02 10:05:00Z', 'email', 'fast', 'hit', 'c1', 'user',
		 '<p>Hi</p>', 'customer_initiated', 'Help', 'email', '2026-01-03 00:00:01Z')`)
	f.execSQL(`INSERT INTO main.conversation_parts (conversation_id, id, part_type, body, created_at, updated_at, author_type, author_id, assigned_to_type,
		assigned_to_id, _synced_at) VALUES ('7', '71', 'assignment', '<p>Mine</p>', '2026-01-02 10:30:00Z', '2026-01-02 10:31:00Z', 'admin', 'a1', 'team', '4', '2026-01-03 00:00:02Z')`)
	f.execSQL(`INSERT INTO main.conversation_tags (conversation_id, tag_id, name, _synced_at) VALUES ('7', 't1', 'vip', '2026-01-03 00:00:01Z')`)
	f.execSQL(`INSERT INTO main.conversation_contacts (conversation_id, contact_id, _synced_at) VALUES ('7', 'c1', '2026-01-03 00:00:01Z')`)
	const lasts = "true|2026-01-02 11:00:00|9999-12-31 23:59:59.999|"
	f.expectRows("SELECT id, created_at, updated_at, state, read, assignee_id IS NULL, assignee_type IS NULL, conversation_rating_value, conversation_rating_remark FROM plain.conversation_history",
		"7|2026-01-02 10:00:00|2026-01-02 11:00:00|closed|true|true|true|5|fine")
	f.expectRows("SELECT first_contact_reply_created_at, first_contact_reply_type, sla_name, sla_status, snoozed_until IS NULL, waiting_since IS NULL FROM plain.conversation_history",
		"2026-01-02 10:05:00|email|fast|hit|true|true")
	f.expectRows("SELECT source_author_id, source_author_type, source_body, source_delivered_as, source_subject, source_type, _fivetran_active, _fivetran_start, _fivetran_end, _fivetran_synced FROM plain.conversation_history",
		"c1|user|<p>Hi</p>|customer_initiated|Help|email|"+lasts+"2026-01-03 00:00:01")
	f.expectRows("FROM plain.conversation_part_history",
		"71|7|assignment|<p>Mine</p>|a1|admin|4|team|2026-01-02 10:30:00|2026-01-02 10:31:00|2026-01-02 11:00:00|"+lasts+"2026-01-03 00:00:02")
	f.expectRows("FROM plain.conversation_tag_history", "7|t1|2026-01-02 11:00:00|"+lasts+"2026-01-03 00:00:01")
	f.expectRows("FROM plain.conversation_contact_history", "7|c1|2026-01-02 11:00:00|"+lasts+"2026-01-03 00:00:01")

	f.execSQL("UPDATE main.conversations_all SET _gone_at = '2026-01-05 00:00:00Z', admin_assignee_id = 'a1'")
	f.expectRows("SELECT assignee_id, _fivetran_active, _fivetran_start, _fivetran_end FROM plain.conversation_history", "a1|false|2026-01-02 11:00:00|2026-01-05 00:00:00")
	f.expectRows("SELECT id, _fivetran_active, _fivetran_end FROM plain.conversation_part_history", "71|false|2026-01-05 00:00:00")
}

// TestAHistoryIsShownStateByState has a conversation with two states, one that is gone, one that came back, one whose history is no
// longer kept, and one that was gone before its history began.
func TestAHistoryIsShownStateByState(t *testing.T) {
	t.Parallel()
	f := openShared(t)
	f.execSQL("DELETE FROM main.conversations_all")
	f.execSQL("DELETE FROM main.conversations_history")
	f.execSQL(`INSERT INTO main.conversations_all (id, state, updated_at, _gone_at) VALUES ('changed', 'closed', '2026-01-02 00:00:00Z', NULL),
		('gone', 'open', '2026-01-01 00:00:00Z', '2026-01-04 00:00:00Z'), ('back', 'open', '2026-01-01 00:00:00Z', NULL),
		('ended', 'closed', '2026-01-09 00:00:00Z', NULL), ('never', 'open', '2026-01-01 00:00:00Z', '2026-01-02 00:00:00Z')`)
	f.execSQL(`INSERT INTO main.conversations_history (id, state, valid_from, valid_to, lifecycle) VALUES
		('changed', 'open', '2026-01-01 01:00:00Z', '2026-01-02 01:00:00Z', NULL), ('changed', 'closed', '2026-01-02 01:00:00Z', NULL, NULL),
		('gone', 'open', '2026-01-01 01:00:00Z', '2026-01-04 01:00:00Z', 'gone'),
		('back', 'open', '2026-01-01 01:00:00Z', '2026-01-03 01:00:00Z', 'gone'), ('back', 'open', '2026-01-05 01:00:00Z', NULL, NULL),
		('ended', 'open', '2026-01-01 01:00:00Z', '2026-01-06 01:00:00Z', 'gone')`)
	f.expectRows("SELECT id, state, _fivetran_active, _fivetran_start, _fivetran_end FROM fivetran.conversation_history",
		"back|open|false|2026-01-01 01:00:00|2026-01-03 01:00:00",
		"back|open|true|2026-01-05 01:00:00|9999-12-31 23:59:59.999",
		"changed|open|false|2026-01-01 01:00:00|2026-01-02 00:59:59.999999",
		"changed|closed|true|2026-01-02 01:00:00|9999-12-31 23:59:59.999",
		"ended|open|false|2026-01-01 01:00:00|2026-01-06 01:00:00",
		"ended|closed|true|2026-01-06 01:00:00|9999-12-31 23:59:59.999",
		"gone|open|false|2026-01-01 01:00:00|2026-01-04 00:00:00",
		"never|open|false|2026-01-01 00:00:00|2026-01-02 00:00:00")
}

// TestStatesThatRunsHaveSeenFollowEachOther holds the histories of two runs: one state of a record at a time, and some that ended.
func TestStatesThatRunsHaveSeenFollowEachOther(t *testing.T) {
	t.Parallel()
	f := openShared(t)
	for _, view := range []string{"contact_history", "conversation_history", "company_history", "article_history", "collection_history", "help_center_history"} {
		f.expectRows(`SELECT id, count(*) FROM (
			SELECT id, _fivetran_end >= lead(_fivetran_start) OVER (PARTITION BY id ORDER BY _fivetran_start) AS meets FROM fivetran.` + view + `) WHERE meets GROUP BY id`)
	}
	for _, view := range []string{"contact_history", "conversation_history"} {
		if n := f.number("SELECT count(*) FROM fivetran." + view + " JOIN fivetran." + view + " later USING (id) WHERE later._fivetran_start > " + view + "._fivetran_end"); n == 0 {
			t.Errorf("%s has no state that another one followed", view)
		}
	}
}

// TestErasuresAndRedactionsReachTheViews erases a contact and redacts a part at the source, and reads again.
func TestErasuresAndRedactionsReachTheViews(t *testing.T) {
	before := openShared(t)
	person := before.rowTexts(`SELECT author_id FROM plain.conversation_part_history p JOIN plain.contact_history c ON c.id = p.author_id AND c._fivetran_active
		WHERE p._fivetran_active AND p.body IS NOT NULL AND c.email IS NOT NULL ORDER BY p.conversation_id, p.id LIMIT 1`)[0]
	email := before.rowTexts("SELECT email FROM plain.contact_history WHERE id = '" + person + "'")[0]
	part := strings.Split(before.rowTexts(`SELECT conversation_id, id FROM fivetran.conversation_part_history
		WHERE _fivetran_active AND body IS NOT NULL AND author_type = 'admin' ORDER BY ALL LIMIT 1`)[0], "|")
	must(t, shared.space.RequestDeletion(person))
	must(t, shared.space.EraseContact(person))
	must(t, shared.space.RedactPart(part[0], part[1], true))
	shared.space.Advance(time.Hour)
	file, err := readtest.PublishOnce(t.Context(), shared.runner)
	must(t, err)
	content, err := os.ReadFile(file)
	must(t, err)
	after := openCopy(t, content)
	after.expectRows("SELECT body IS NULL FROM fivetran.conversation_part_history WHERE conversation_id = '"+part[0]+"' AND id = '"+part[1]+"'", "true")
	for _, query := range []string{
		"SELECT id FROM fivetran.contact_history WHERE email = '" + email + "' OR id = '" + person + "' AND (name IS NOT NULL OR _fivetran_active)",
		"SELECT id FROM fivetran.conversation_part_history WHERE author_id = '" + person + "' AND body IS NOT NULL",
		"SELECT id FROM fivetran.conversation_history WHERE source_author_id = '" + person + "' AND (source_body IS NOT NULL OR source_subject IS NOT NULL)",
	} {
		after.expectRows(query)
	}
}

// TestSoftDeletedRowsAreDeletedInTheViews: a view of a stream that is read as a full list says which rows the source no longer has.
func TestSoftDeletedRowsAreDeletedInTheViews(t *testing.T) {
	f := openShared(t)
	for _, view := range []string{"admin", "tag", "team"} {
		f.execSQL(fmt.Sprintf("UPDATE main.%[1]ss_all SET _gone_at = now() WHERE id = (SELECT min(id) FROM main.%[1]ss_all)", view))
		for _, schema := range []string{"fivetran", "plain"} {
			f.expectRows(fmt.Sprintf("SELECT id = (SELECT min(id) FROM main.%ss_all) FROM %s.%s WHERE _fivetran_deleted", view, schema, view), "true")
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
