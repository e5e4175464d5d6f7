package queries_test

import (
	"database/sql"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/docs/queries"
	"aqueduck/internal/emulator"
	"aqueduck/internal/readtest"

	_ "github.com/duckdb/duckdb-go/v2"
)

// config has all streams, and a time zone that no session of the tests has.
const config = `version: 1
warehouse:
  dir: data
  timezone: Australia/Adelaide
  office_hours: {monday: 09:00-17:00, tuesday: 09:00-17:00, wednesday: 09:00-17:00, thursday: 09:00-17:00, friday: 09:00-17:00}
workspaces: {main: {base_url: "${WORKSPACE_URL}", token: "${WORKSPACE_TOKEN}"}}
streams: {"reporting_*": {start: 2023-09-01}}
pipelines: {all: {streams: "*"}}
`

// publishedFile is the published file of a small workspace, shared by the tests.
var publishedFile = readtest.SharedFile{Config: config, Space: func() *emulator.Workspace {
	space := emulator.New(emulator.Config{Seed: 5, Contacts: 60, Inactive: 20, Activities: 60, Conversations: 60, Calls: 15, Logs: 20})
	space.SimulateHours(6)
	return space
}}

// TestMain removes what the tests share.
func TestMain(m *testing.M) {
	code := m.Run()
	if err := publishedFile.Remove(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// analystSession is an analyst's DuckDB session with the published file.
type analystSession struct {
	t  *testing.T
	db *sql.DB
}

func openSession(t *testing.T, path string) *analystSession {
	t.Helper()
	db, err := sql.Open("duckdb", path)
	must(t, err)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { must(t, db.Close()) })
	return &analystSession{t, db}
}

// openPublishedFile opens the published file alone.
func openPublishedFile(t *testing.T) *analystSession {
	t.Helper()
	file, err := publishedFile.PublishedPath()
	must(t, err)
	return openSession(t, file+"?access_mode=read_only&threads=1")
}

// attachPublishedFile attaches the file under another name, beside a database with relations of the same names; USE selects the file.
func attachPublishedFile(t *testing.T) *analystSession {
	t.Helper()
	file, err := publishedFile.PublishedPath()
	must(t, err)
	s := openSession(t, "?threads=1")
	s.execSQL("ATTACH '" + file + "' AS elsewhere (READ_ONLY)")
	for _, row := range s.queryRows("SELECT DISTINCT table_schema, table_name FROM information_schema.tables WHERE table_catalog = 'elsewhere'") {
		schema, table, _ := strings.Cut(row, "|")
		s.execSQL("CREATE SCHEMA IF NOT EXISTS " + schema)
		s.execSQL("CREATE TABLE " + schema + "." + table + " AS SELECT 'mine' AS id")
	}
	s.execSQL("USE elsewhere")
	return s
}

func (s *analystSession) execSQL(statement string) {
	s.t.Helper()
	if _, err := s.db.Exec(statement); err != nil {
		s.t.Fatalf("%v\n%s", err, statement)
	}
}

// queryRows returns the values of each row as text, separated by bars.
func (s *analystSession) queryRows(query string) (all []string) {
	s.t.Helper()
	rows, err := s.db.Query(query)
	if err != nil {
		s.t.Fatalf("%v\n%s", err, query)
	}
	defer func() { must(s.t, rows.Close()) }()
	names, err := rows.Columns()
	must(s.t, err)
	values, into := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		must(s.t, rows.Scan(into...))
		cells := make([]string, len(values))
		for i, v := range values {
			if at, ok := v.(time.Time); ok {
				v = at.UTC()
			}
			cells[i] = fmt.Sprint(v)
		}
		all = append(all, strings.Join(cells, "|"))
	}
	must(s.t, rows.Err())
	return all
}

var (
	table = regexp.MustCompile(`"schema_name":"(\w*)","table_name":"(\w+)"`)
	with  = regexp.MustCompile(`\{"key":"(\w+)","value":\{"aliases"`)
)

// relationsRead returns the relations that DuckDB finds in a statement, without those that it defines itself and those of _sync.
func (s *analystSession) relationsRead(statement string) (names []string) {
	s.t.Helper()
	var tree string
	must(s.t, s.db.QueryRow("SELECT json_serialize_sql($1::VARCHAR)::VARCHAR", statement).Scan(&tree))
	made := with.FindAllStringSubmatch(tree, -1)
	for _, found := range table.FindAllStringSubmatch(tree, -1) {
		own := slices.ContainsFunc(made, func(m []string) bool { return m[1] == found[2] })
		if found[1] == "" && !own {
			names = append(names, found[2])
		} else if found[1] == "models" {
			names = append(names, "models."+found[2])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func allQueries(t *testing.T) []queries.Query {
	t.Helper()
	found, err := queries.All()
	must(t, err)
	return found
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// mostRows is the largest useful answer to one question.
const mostRows = 40

// TestEveryQuestionIsAnswered checks the form of each file and runs it: some rows, not too many, in the same order each time.
func TestEveryQuestionIsAnswered(t *testing.T) {
	t.Parallel()
	s, questions := openPublishedFile(t), map[string]bool{}
	if n := len(allQueries(t)); n < 25 {
		t.Errorf("there are %d questions", n)
	}
	for _, q := range allQueries(t) {
		if !strings.HasPrefix(q.SQL, "-- "+q.Question+"\n") || !strings.HasSuffix(q.Question, "?") || questions[q.Question] {
			t.Errorf("%s: its first line is no question of its own: %s", q.Name, q.Question)
		}
		questions[q.Question] = true
		if got := s.relationsRead(q.SQL); !slices.Equal(got, q.Reads) {
			t.Errorf("%s: it is taken to read %v, it reads %v", q.Name, q.Reads, got)
		}
		rows := s.queryRows(q.SQL)
		if len(rows) == 0 || len(rows) > mostRows && q.Name != "data_personal" && q.Name != "data_as_of" && q.Name != "data_rows" {
			t.Errorf("%s: %d rows", q.Name, len(rows))
		}
		if q.Draw != "" {
			s.requireNumbers(q)
		}
		if !regexp.MustCompile(`\bORDER BY [^)]*;\s*$`).MatchString(q.SQL) {
			t.Errorf("%s: its result has no order", q.Name)
		}
	}
}

// TestNamesAreThoseOfFormerTeammatesToo: the lists of admins lack those who left before the first read. models.teammates has them.
func TestNamesAreThoseOfFormerTeammatesToo(t *testing.T) {
	t.Parallel()
	for _, q := range allQueries(t) {
		if slices.Contains(q.Reads, "admins") || slices.Contains(q.Reads, "admins_all") {
			t.Errorf("%s reads the names of teammates from a list that lacks some", q.Name)
		}
	}
}

// requireNumbers fails the test unless the column that a query draws is there and has numbers.
func (s *analystSession) requireNumbers(q queries.Query) {
	s.t.Helper()
	statement := strings.TrimSuffix(strings.TrimSpace(q.SQL), ";")
	kinds := s.queryRows("SELECT column_type FROM (DESCRIBE " + statement + ") WHERE column_name = '" + q.Draw + "'")
	if len(kinds) != 1 || !regexp.MustCompile("^(BIGINT|INTEGER|DOUBLE|HUGEINT)$").MatchString(kinds[0]) {
		s.t.Errorf("%s: it draws %s, of type %v", q.Name, q.Draw, kinds)
	}
}

// TestSavedQueriesAreRightWhereverTheyAreAsked compares the answers of the file opened alone with those of the attached file, and of sessions
// in three time zones.
func TestSavedQueriesAreRightWhereverTheyAreAsked(t *testing.T) {
	t.Parallel()
	s, other := openPublishedFile(t), attachPublishedFile(t)
	want := map[string][]string{}
	for _, zone := range []string{"UTC", "America/Los_Angeles", "Asia/Tokyo"} {
		s.execSQL("SET TimeZone = '" + zone + "'")
		other.execSQL("SET TimeZone = '" + zone + "'")
		for _, q := range allQueries(t) {
			if want[q.Name] == nil {
				want[q.Name] = s.queryRows(q.In("main", "models"))
			}
			for place, got := range map[string][]string{"alone": s.queryRows(q.SQL), "attached": other.queryRows(q.SQL)} {
				if !slices.Equal(got, want[q.Name]) {
					t.Errorf("%s, %s, in a session of %s:\n%s\nwant\n%s", q.Name, place, zone, strings.Join(got, "\n"), strings.Join(want[q.Name], "\n"))
				}
			}
		}
	}
}

// TestTheWrongJoinsGiveAnotherAnswer runs joins.sql: each pair answers one question, says why the two differ, and does differ.
func TestTheWrongJoinsGiveAnotherAnswer(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("joins.sql")
	must(t, err)
	s := openPublishedFile(t)
	s.execSQL("SET TimeZone = 'America/Los_Angeles'")
	pairs := regexp.MustCompile(`(?m)^-- \d+\. `).Split(string(text), -1)[1:]
	if len(pairs) < 8 {
		t.Errorf("there are %d pairs", len(pairs))
	}
	for i, pair := range pairs {
		parts := regexp.MustCompile(`(?m)^-- (?:wrong|right): `).Split(pair, -1)
		if len(parts) != 3 || strings.Count(pair, ";\n") != 2 {
			t.Fatalf("pair %d has not one wrong and one right statement:\n%s", i+1, pair)
		}
		answers := func(sql string) []string {
			_, sql, _ = strings.Cut(sql, "\n") // the rest of the line that says why
			sql, _, _ = strings.Cut(sql, ";\n")
			return s.queryRows("SELECT question, answer FROM (" + sql + ")")
		}
		wrong, right := answers(parts[1]), answers(parts[2])
		if len(wrong) == 0 || len(right) == 0 || slices.Equal(wrong, right) {
			t.Errorf("pair %d: wrong %v, right %v", i+1, wrong, right)
		}
		if question, _, _ := strings.Cut(wrong[0], "|"); !strings.HasPrefix(right[0], question+"|") {
			t.Errorf("pair %d: one answers %s, the other %s", i+1, wrong[0], right[0])
		}
	}
}
