package console

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aqueduck/internal/answer"
	"aqueduck/internal/config"
	"aqueduck/load/read"
	"aqueduck/schemas"
)

// thorough reports whether to test every page or only some: each reads the database.
var thorough = os.Getenv("AQUEDUCK_LONG") != ""

func TestTheDictionaryIsThatOfThePublishedFile(t *testing.T) {
	t.Parallel()
	b := loginToShared(t)
	page := b.fetchPage("/data")
	requireTexts(t, page, "Schema <code>main</code>", "Schema <code>models</code>", `<a href="/data/t/main/contacts">contacts</a>`, `<a href="/data/q/contacts_by_country">`, "this warehouse does not have")
	w, _ := warehouse()
	var rows int64
	err := read.Query(t.Context(), w.runner.Dir.Current(), "SELECT count(*) FROM contacts_all", func(_ []string, v []any) error {
		if v != nil {
			rows = v[0].(int64)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var d publishedData
	readJSON(t, b.fetchPage("/api/v1/data"), &d)
	i := slices.IndexFunc(d.Tables, func(t *Table) bool { return t.Name == "conversations" })
	if i < 0 || d.Tables[i].Doc == "" || d.Tables[i].Rows < 1 || !slices.Contains(d.Tables[i].From, "POST /conversations/search") || len(d.Tables[i].Columns) < 20 {
		t.Fatalf("conversations is %+v", d.Tables[i])
	}
	if j := slices.IndexFunc(d.Tables, func(t *Table) bool { return strings.HasPrefix(t.Schema, "_raw") || strings.HasSuffix(t.Name, "_raw") }); j >= 0 {
		t.Errorf("it lists %s.%s, which is not for queries", d.Tables[j].Schema, d.Tables[j].Name)
	}
	page = b.fetchPage("/data/t/main/contacts_all?profile=1")
	requireTexts(t, page, `<tr id="email">`, "personal: not shown", "<dt>Rows</dt><dd>"+answer.FormatNumber(rows), `<tr id="created_at">`)
	if a, _ := b.sendRequest(http.MethodGet, "/data/t/main/none", nil, nil); a.StatusCode != http.StatusNotFound {
		t.Errorf("a table that is not there: %s", a.Status)
	}
}

func TestTheDataPageIsFoldedAndFiltered(t *testing.T) {
	t.Parallel()
	b := loginToShared(t)
	requireTexts(t, b.fetchPage("/data"), `<details class="fold"><summary><b>Contacts</b>`, `<b>Answers and service levels</b>`, "<h3>Teammates and teams</h3>")
	page := b.fetchPage("/data?q=Country+CONTACTS")
	requireTexts(t, page, `value="Country CONTACTS"`, `<details class="fold" open><summary><b>Contacts</b>`, `<a href="/data/t/main/contacts#location_country"><code>location_country</code></a>`, "/data/q/contacts_by_country", "Show all")
	if strings.Contains(page, "Conversations</b>") || strings.Contains(page, "Which countries do the companies") {
		t.Errorf("it shows what does not match:\n%s", page)
	}
	requireTexts(t, b.fetchPage("/data?q=contacts+email"), `/data/t/main/contacts#email"><code>email</code></a> <span class="pii">personal</span>`)
	if part := b.fetchPage("/data?q=nobody+has+this&part=live"); !strings.Contains(part, "No name and no comment contains it.") || strings.Contains(part, "<html") {
		t.Errorf("a filter that finds nothing:\n%s", part)
	}
	requireTexts(t, b.fetchPage("/search?q=average+of+its+moons"), "No name and no comment")
	requireTexts(t, b.fetchPage("/search?q=active+contact%2C+as"), `<a href="/data/t/main/contacts">contacts</a>`)
}

func TestPinnedQuestionsAreADashboard(t *testing.T) {
	t.Parallel()
	b := loginToShared(t)
	page := b.fetchPage("/questions")
	for strings.Contains(page, "data-again") { // each page waits for the answers that are being computed
		requireTexts(t, page, "The answer is being computed.", `<noscript><meta http-equiv="refresh"`)
		page = b.fetchPage("/questions")
	}
	requireTexts(t, page, `<a href="/data/q/contacts_by_week?workspace=main">`, `class="bars"`, `<a href="/data/q/contacts_by_country?workspace=main">`, `class="inbar"`, `<a href="/questions" aria-current="page">`)
	if n := strings.Count(page, "<figure"); n < 6 || n > shownPinned || strings.Contains(page, "articles_by_views") {
		t.Errorf("%d questions:\n%s", n, page)
	}
}

// TestTheConfigurationNamesPinnedQuestions: in its order, with a word about those that the warehouse cannot answer.
func TestTheConfigurationNamesPinnedQuestions(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pipelines.yaml")
	if err := os.WriteFile(file, []byte(pipelinesYAML+"console: {pinned: [contacts_by_country, articles_by_views, contacts_by_week]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	own, catalogue, err := config.LoadConfig(file, os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	b := newBed(t, func(o *Options) { o.Config = func() (*config.Config, *schemas.Catalogue) { return own, catalogue } })
	b.loginWithSecret()
	page := b.fetchPage("/questions")
	for strings.Contains(page, "data-again") {
		page = b.fetchPage("/questions")
	}
	var last int
	for _, name := range own.Pinned {
		at := strings.Index(page, "/data/q/"+name+"?")
		if at < last {
			t.Errorf("%s is not there, or not in its order:\n%s", name, page)
		}
		last = at
	}
	if strings.Count(page, "<figure") != 3 {
		t.Errorf("there are others:\n%s", page)
	}
	requireTexts(t, page, "This warehouse does not have <code>articles</code>.", `class="line"`, `class="inbar"`)
}

// TestACardKeepsItsAnswerUntilTheNextOne: after a publish, a question shows the answer of the file before, unless that shows what is personal now.
func TestACardKeepsItsAnswerUntilTheNextOne(t *testing.T) {
	t.Parallel()
	q := savedQuery{Name: "n", Workspace: "main", personal: map[string]bool{}}
	before := &publishedData{answers: map[string]*answer.Result{q.key(): {Columns: []string{"country", "contacts"}, Rows: [][]any{{"DE", int64(3)}}, Hidden: []string{}}}}
	d := &publishedData{before: (&publishedData{before: before.earlierAnswers()}).earlierAnswers(), answers: map[string]*answer.Result{}, failed: map[string]string{}}
	if card := d.newCard(q); !card.Old || card.Known || len(card.Rows) != 1 || card.Rows[0].Name != "DE" || card.Rows[0].Text != "3" {
		t.Errorf("while the answer is computed the card has %+v", card)
	}
	q.personal["country"] = true
	if card := d.newCard(q); card.Old || len(card.Rows) > 0 {
		t.Errorf("it shows what is personal now: %+v", card)
	}
	q.personal = map[string]bool{}
	d.answers[q.key()] = &answer.Result{Columns: []string{"country", "contacts"}, Rows: [][]any{{"DE", int64(4)}}, Hidden: []string{}}
	if card := d.newCard(q); card.Old || !card.Known || card.Rows[0].Text != "4" {
		t.Errorf("with an answer the card has %+v", card)
	}
}

func TestATableShowsItsLineage(t *testing.T) {
	t.Parallel()
	b := loginToShared(t)
	requireTexts(t, b.fetchPage("/data/t/models/sla"), `<svg class="lineage"`, `<a href="/s/main/conversations"><g class="node">`, `<a href="/data/t/models/conversation_metrics">`, `<g class="node here">`)
	requireTexts(t, b.fetchPage("/data/t/main/conversations"), `<dt>Read by</dt><dd>`, `<a href="/data/t/models/sla">models.sla</a>`)
	page := b.fetchPage("/data/t/main/contacts")
	requireTexts(t, page, `<a href="/data/q/contacts_by_country?workspace=main">`, `>contacts_by_id</text>`)
	if strings.Contains(page, `"/s/main/contacts_by_id"`) {
		t.Error("a stream that no run has read has no page to lead to")
	}
}

// TestNoPersonalValueIsShown on pages about data: neither in profiles nor in the answers of saved queries.
// Holds: S35.
func TestNoPersonalValueIsShown(t *testing.T) {
	t.Parallel()
	b := loginToShared(t)
	w, _ := warehouse()
	secret := personTexts(t, w)
	err := read.Query(t.Context(), w.runner.Dir.Current(), "SELECT id FROM contacts_all", func(_ []string, v []any) error {
		if v != nil {
			secret = append(secret, v[0].(string))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	paths := []string{"/data", "/data/t/main/contacts_all?profile=1", "/api/v1/data/main/conversations", "/data/q/people_with_most_conversations", "/api/v1/questions/people_with_most_conversations"}
	if thorough {
		d, err := b.console.readPublished(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all, err := b.console.savedQueries(d, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range d.Tables {
			paths = append(paths, "/data/t/"+table.Schema+"/"+table.Name+"?profile=1")
		}
		for _, q := range all {
			paths = append(paths, "/data/q/"+q.Name)
		}
	}
	for _, path := range paths {
		page := b.fetchPage(path)
		for _, text := range secret {
			if strings.Contains(page, text) {
				t.Errorf("%s has %q of a person", path, text)
				break
			}
		}
	}
	requireTexts(t, b.fetchPage("/data/q/people_with_most_conversations"), `<span class="pii">•••</span>`, "values of <code>contact_id</code> are not shown")
}

func TestSavedQueriesAreDrawn(t *testing.T) {
	t.Parallel()
	b := loginToShared(t)
	requireTexts(t, b.fetchPage("/data/q/contacts_by_country"), "Which countries do the active contacts come from", `class="inbar"`, "<summary>SQL</summary>", "SELECT ")
	requireTexts(t, b.fetchPage("/data/q/contacts_by_week"), `class="bars"`, "<figcaption><b>")
	requireTexts(t, b.fetchPage("/data/q/articles_by_views"), "The query reads tables that this warehouse does not have: <code>articles</code>")
	var a answer.Result
	readJSON(t, b.fetchPage("/api/v1/questions/contacts_by_country"), &a)
	if len(a.Columns) < 2 || len(a.Rows) == 0 || len(a.Hidden) > 0 {
		t.Errorf("%+v", a)
	}
	found := b.fetchPage("/search?q=country")
	requireTexts(t, found, `href="/data/q/contacts_by_country"`, `href="/data/t/main/contacts#location_country"`)
	if questions, columns := strings.Index(found, "<h2>Questions"), strings.Index(found, "<h2>Columns"); questions < 0 || columns < questions {
		t.Errorf("results are not by kind: questions at %d, columns at %d", questions, columns)
	}
	// Many columns hide no result of another kind.
	requireTexts(t, b.fetchPage("/search?q=e"), "<h2>Streams", "<h2>Questions", "<h2>Tables", "<h2>Columns", "<h2>Runs", "40 are shown; a longer word finds fewer")
}

// TestSavedQueriesAnswerForEachWorkspace where there are two: one that the published file has, and one that was never read.
func TestSavedQueriesAnswerForEachWorkspace(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pipelines.yaml")
	text := strings.Replace(pipelinesYAML, "workspaces: {main:", `workspaces: {main: {base_url: "${WORKSPACE_URL}", token: "${WORKSPACE_TOKEN}"}, acme:`, 1)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	two, catalogue, err := config.LoadConfig(file, os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	b := newBed(t, func(o *Options) { o.Config = func() (*config.Config, *schemas.Catalogue) { return two, catalogue } })
	b.loginWithSecret()
	requireTexts(t, b.fetchPage("/data"), `<b>main</b> · <a href="/data?workspace=acme">acme</a>`, `<a href="/data/q/contacts_by_country?workspace=main">`)
	requireTexts(t, b.fetchPage("/data?workspace=acme"), `<a href="/data?workspace=main">main</a> · <b>acme</b>`, "this warehouse does not have contacts")
	requireTexts(t, b.fetchPage("/data/q/contacts_by_country"), `<a href="/data/q/contacts_by_country?workspace=acme">acme</a>`, `class="inbar"`)
	requireTexts(t, b.fetchPage("/data/q/contacts_by_country?workspace=acme"), "The query reads tables that this warehouse does not have: <code>contacts</code>")
	if a, _ := b.sendRequest(http.MethodGet, "/data?workspace=nobody", nil, nil); a.StatusCode != http.StatusNotFound {
		t.Errorf("a workspace that there is not: %s", a.Status)
	}
	d, err := b.console.readPublished(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for workspace, statement := range map[string]string{"main": "SELECT 'of main'", "acme": "SELECT 'of acme'"} {
		for range 2 { // the second time from memory
			a, err := d.runSavedQuery(t.Context(), savedQuery{Name: "whose", Workspace: workspace, statement: statement})
			if err != nil || len(a.Rows) != 1 || a.Rows[0][0] != "of "+workspace {
				t.Errorf("%s: %+v, %v", workspace, a, err)
			}
		}
	}
}
