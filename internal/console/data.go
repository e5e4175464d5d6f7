package console

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"aqueduck/internal/answer"
	"aqueduck/internal/dictionary"
	"aqueduck/internal/problem"
	"aqueduck/load/read"
	"aqueduck/schemas"
)

// publishedData is what was read of one published file. It stays valid, because published files do not change.
type publishedData struct {
	file      string
	isolation read.Isolation // for queries that read views or models of users
	Tables    []*Table       `json:"tables"`

	asking sync.Mutex // one question at a time, because each may use the whole memory limit

	mu       sync.Mutex                 // guards what follows
	profiles map[string][]columnProfile // by schema.table
	answers  map[string]*answer.Result  // by workspace.query
	failed   map[string]string          // errors of the dashboard, by workspace.query
	before   map[string]*answer.Result  // answers of the published file before
	filled   map[string]chan struct{}   // by workspace and names of questions; closed when the dashboard has its answers
}

// Table is a table, view or model that analysts can read.
type Table struct {
	Schema  string       `json:"schema"`
	Name    string       `json:"name"`
	Kind    string       `json:"kind"`
	Doc     string       `json:"doc"`
	Rows    int64        `json:"rows"` // -1: a model, whose rows nobody has counted
	From    []string     `json:"from"` // API endpoints that its data comes from
	Columns []ColumnView `json:"columns"`
}

// ColumnView is a column of a Table.
type ColumnView struct {
	Name       string `json:"name"`
	Type       string `json:"type"`
	Doc        string `json:"doc"`
	Personal   bool   `json:"personal"` // personal data or a contact's id: its values are not shown
	References string `json:"references,omitempty"`
}

// Personal returns the number of columns with personal data.
func (t *Table) Personal() (n int) {
	for _, c := range t.Columns {
		if c.Personal {
			n++
		}
	}
	return n
}

// link is the address of the page of the table.
func (t *Table) link() string {
	return "/data/t/" + url.PathEscape(t.Schema) + "/" + url.PathEscape(t.Name)
}

// questionTime limits the time of a question of a page.
const questionTime = 30 * time.Second

// withReader opens the file for one question.
func (d *publishedData) withReader(ctx context.Context, question func(r *read.Reader) error) error {
	r, err := read.OpenReader(ctx, d.file)
	if err != nil {
		return err
	}
	return errors.Join(question(r), r.Close())
}

// eachRow runs a statement and calls row for each of its rows.
func eachRow(ctx context.Context, r *read.Reader, statement string, row func(v []any)) error {
	return r.Query(ctx, statement, rowsOf(row))
}

// queryApart runs a statement that reads what users have defined in a child process: a crash there does not end this process.
func (d *publishedData) queryApart(ctx context.Context, statement string, visit func(columns []string, v []any) error) error {
	limited, cancel := context.WithTimeout(ctx, questionTime)
	defer cancel()
	err := d.isolation.Query(limited, d.file, statement, visit)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return &problem.Problem{Class: "query", What: fmt.Sprintf("the query took longer than %s and was stopped", questionTime), Next: "run it on the command line, with a longer limit: aqueduck query --timeout 10m"}
	}
	return err
}

func rowsOf(row func(v []any)) func([]string, []any) error {
	return func(_ []string, v []any) error {
		if v != nil {
			row(v)
		}
		return nil
	}
}

// hidden are columns of no use to people, or with whatever fits no other column.
var hidden = []string{"_extra", "_hash"}

// readDictionary reads the dictionary, the comments of tables and their numbers of rows.
func (d *publishedData) readDictionary(ctx context.Context, r *read.Reader, catalogue *schemas.Catalogue) error {
	tables := map[string]*Table{}
	const columns = `SELECT schema, table_name, kind, column_name, type, coalesce(doc, ''), pii OR person, coalesce(reference, '') FROM _sync.dictionary
		WHERE NOT starts_with(schema, '_raw') ORDER BY schema LIKE '%models', schema, table_name, position`
	err := eachRow(ctx, r, columns, func(v []any) {
		name := asString(v[0]) + "." + asString(v[1])
		t := tables[name]
		if t == nil {
			t = &Table{Schema: asString(v[0]), Name: asString(v[1]), Kind: asString(v[2]), Rows: -1}
			tables[name], d.Tables = t, append(d.Tables, t)
		}
		personal, _ := v[6].(bool)
		column := ColumnView{Name: asString(v[3]), Type: strings.Replace(strings.ToLower(asString(v[4])), "timestamp with time zone", "timestamptz", 1), Doc: asString(v[5]), Personal: personal || slices.Contains(hidden, asString(v[3])), References: asString(v[7])}
		t.Columns = append(t.Columns, column)
	})
	if err != nil {
		return err
	}
	const comments = `SELECT schema_name || '.' || table_name, comment, false FROM duckdb_tables() UNION ALL SELECT schema_name || '.' || view_name, comment, true FROM duckdb_views()`
	err = eachRow(ctx, r, comments, func(v []any) {
		if t := tables[asString(v[0])]; t != nil {
			t.Doc = asString(v[1])
			if view, _ := v[2].(bool); view {
				t.Kind = "view"
			}
		}
	})
	if err != nil {
		return err
	}
	err = eachRow(ctx, r, `SELECT schema || '.' || table_name, rows FROM _sync.tables`, func(v []any) {
		if t := tables[asString(v[0])]; t != nil && t.Kind != "view" {
			t.Rows, _ = v[1].(int64)
		}
	})
	if err != nil {
		return err
	}
	if err := d.countViews(ctx); err != nil {
		return err
	}
	for _, t := range d.Tables {
		if t.From, err = sourceEndpoints(catalogue, t); err != nil {
			return err
		}
	}
	return nil
}

// countViews counts the rows of views over tables. Those of models are not counted: computing a model may take long.
func (d *publishedData) countViews(ctx context.Context) error {
	var parts []string
	for i, t := range d.Tables {
		if t.Kind == "view" && !t.isModel() {
			parts = append(parts, fmt.Sprintf("SELECT %d::BIGINT, count(*) FROM %s.%s", i, quoteIdentifier(t.Schema), quoteIdentifier(t.Name)))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return d.queryApart(ctx, strings.Join(parts, " UNION ALL "), rowsOf(func(v []any) {
		i, _ := v[0].(int64)
		d.Tables[i].Rows, _ = v[1].(int64)
	}))
}

// isModel reports whether the table is a model, which may take long to read.
func (t *Table) isModel() bool { return strings.HasSuffix(t.Schema, "models") }

// sourceEndpoints returns the API endpoints that a table is made from.
func sourceEndpoints(catalogue *schemas.Catalogue, t *Table) (from []string, err error) {
	name := t.Name
	if t.isModel() {
		name = "models." + name
	}
	streams, err := dictionary.StreamsForRelations(catalogue, []string{name})
	if err != nil {
		return nil, err
	}
	for _, name := range streams {
		if s, ok := catalogue.Stream(name); ok {
			from = append(from, s.Read.Method+" "+s.Read.Path)
		}
	}
	slices.Sort(from)
	return slices.Compact(from), nil
}

func (d *publishedData) findTable(schema, name string) *Table {
	for _, t := range d.Tables {
		if t.Schema == schema && t.Name == name {
			return t
		}
	}
	return nil
}

// columnProfile describes the values of a column. For texts it has no smallest or largest value: that would show the text of a person.
type columnProfile struct {
	Column   string  `json:"column"`
	Distinct int64   `json:"distinct"` // approximately
	Nulls    float64 `json:"nulls"`    // in percent
	Min      string  `json:"min,omitempty"`
	Median   string  `json:"median,omitempty"`
	Max      string  `json:"max,omitempty"`
	Rows     int64   `json:"rows"`
}

var instant = regexp.MustCompile(`^(\d{4}-\d\d-\d\d \d\d:\d\d)\S*\+00$`)

// formatMinute formats a value; a time has no seconds.
func formatMinute(v any) string { return instant.ReplaceAllString(asString(v), "$1") }

// showsRange reports whether the smallest and largest value of a type may be shown.
func showsRange(kind string) bool {
	return slices.ContainsFunc([]string{"int", "double", "decimal", "timestamp", "date", "float"}, func(word string) bool { return strings.Contains(kind, word) })
}

// profileTable reads the values of a table, once for each published file. It does not read personal columns.
func (d *publishedData) profileTable(ctx context.Context, t *Table) ([]columnProfile, error) {
	d.asking.Lock()
	defer d.asking.Unlock()
	name := t.Schema + "." + t.Name
	if known, ok := d.knownProfile(t); ok {
		return known, nil
	}
	var asked []string
	kinds := map[string]string{}
	for _, c := range t.Columns {
		if !c.Personal {
			asked = append(asked, quoteIdentifier(c.Name))
			kinds[c.Name] = c.Type
		}
	}
	found := []columnProfile{}
	if len(asked) > 0 {
		statement := "SELECT column_name, min::VARCHAR, max::VARCHAR, approx_unique, q50::VARCHAR, count, null_percentage::DOUBLE FROM (SUMMARIZE SELECT " +
			strings.Join(asked, ", ") + " FROM " + quoteIdentifier(t.Schema) + "." + quoteIdentifier(t.Name) + ")"
		err := d.queryApart(ctx, statement, rowsOf(func(v []any) {
			p := columnProfile{Column: asString(v[0])}
			p.Distinct, _ = v[3].(int64)
			p.Rows, _ = v[5].(int64)
			p.Nulls, _ = v[6].(float64)
			if showsRange(kinds[p.Column]) {
				p.Min, p.Max, p.Median = formatMinute(v[1]), formatMinute(v[2]), formatMinute(v[4])
			}
			found = append(found, p)
		}))
		if err != nil {
			return nil, fmt.Errorf("read the statistics of %s: %w", name, err)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.profiles[name] = found
	return found, nil
}

// knownProfile returns the profile of a table whose values were read already.
func (d *publishedData) knownProfile(t *Table) ([]columnProfile, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	known, ok := d.profiles[t.Schema+"."+t.Name]
	return known, ok
}

func quoteIdentifier(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func asString(v any) string {
	s, _ := v.(string)
	return s
}

// savedQuery is a saved query, with what this warehouse lacks to answer it.
type savedQuery struct {
	Name     string   `json:"name"`
	Question string   `json:"question"`
	SQL      string   `json:"sql"`
	Draw     string   `json:"draw,omitempty"`  // column that the picture shows; "": the first column of numbers after the first column
	Lacks    []string `json:"lacks,omitempty"` // missing relations

	Workspace string `json:"workspace"` // about which it asks

	statement string
	personal  map[string]bool // names of personal columns of the relations that it reads
	reads     []string
}

// Limits of the rows of an answer. Only queries that list things have more.
const (
	mostRows = 200   // that a page shows
	mostKept = 5_000 // that are kept for filters
)

// runSavedQuery answers a saved query, once for each published file. It hides the values of a column that has the name of a personal one.
func (d *publishedData) runSavedQuery(ctx context.Context, q savedQuery) (*answer.Result, error) {
	d.asking.Lock()
	defer d.asking.Unlock()
	if known := d.knownAnswer(q); known != nil {
		return known, nil
	}
	a := &answer.Result{Rows: [][]any{}, Hidden: []string{}}
	err := d.queryApart(ctx, q.statement, func(columns []string, v []any) error {
		if v == nil {
			a.Columns = slices.Clone(columns)
			for _, name := range columns {
				if q.personal[name] {
					a.Hidden = append(a.Hidden, name)
				}
			}
			return nil
		}
		if len(a.Rows) == mostKept {
			a.More = true
			return nil
		}
		row := slices.Clone(v)
		for i, name := range a.Columns {
			if slices.Contains(a.Hidden, name) {
				row[i] = nil
			}
		}
		a.Rows = append(a.Rows, row)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", q.Name, err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.answers[q.key()] = a
	return a, nil
}

// key names the question among those of all workspaces.
func (q savedQuery) key() string { return q.Workspace + "." + q.Name }

// knownAnswer returns the answer of a question that was asked already; nil otherwise.
func (d *publishedData) knownAnswer(q savedQuery) *answer.Result {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.answers[q.key()]
}
