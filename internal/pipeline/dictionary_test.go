package pipeline_test

import (
	"context"
	"errors"
	"html"
	"regexp"
	"strings"
	"sync"
	"testing"

	"aqueduck/internal/cli/render"
	"aqueduck/internal/dictionary"
	"aqueduck/internal/sandbox"
	"aqueduck/schemas"
	"aqueduck/transform/models"
)

// hostile is a stream file with text that would be markup if it were not escaped.
const hostile = `stream: hostiles
doc: "One row per <script>alert('x')</script> | **bold** & [link](javascript:x) \"quoted\"."
read: {endpoint: GET /hostiles, records: data, page: {by: none}, since: {by: full}}
key: [id]
columns:
  - {name: id, type: text, doc: "</td><img src=x onerror=alert(1)> | ` + "`" + `tick` + "`" + `"}
  - {name: owner_id, from: "a<b>c", type: text, references: contacts.id, doc: "Owner."}
`

// renderedDictionary is a dictionary with its streams, as Markdown and as HTML.
type renderedDictionary struct {
	of             *dictionary.Dictionary
	catalogue      *schemas.Catalogue
	markdown, page string
}

// dictionaries builds the dictionary of the built-in streams and the hostile one, once for all tests.
var dictionaries = sync.OnceValues(func() (w renderedDictionary, err error) {
	if w.catalogue, err = schemas.Builtin(); err != nil {
		return w, err
	}
	if err := w.catalogue.AddStream("hostiles.yaml", []byte(hostile)); err != nil {
		return w, err
	}
	if w.of, err = dictionary.NewDictionary(context.Background(), w.catalogue, nil, sandbox.Program{}); err != nil {
		return w, err
	}
	var markdown, page strings.Builder
	err = errors.Join(render.DictionaryMarkdown(w.of, &markdown), render.DictionaryHTML(w.of, &page))
	w.markdown, w.page = markdown.String(), page.String()
	return w, err
})

func renderDictionary(t *testing.T) (d *dictionary.Dictionary, c *schemas.Catalogue, markdown, page string) {
	t.Helper()
	w, err := dictionaries()
	if err != nil {
		t.Fatal(err)
	}
	return w.of, w.catalogue, w.markdown, w.page
}

// sectionOf returns the text under the heading of a table.
func sectionOf(text, heading, next string) string {
	_, rest, _ := strings.Cut(text, heading)
	under, _, _ := strings.Cut(rest, next)
	return under
}

func TestDictionaryHasEveryStreamTableColumnAndReference(t *testing.T) {
	t.Parallel()
	d, c, markdown, page := renderDictionary(t)
	home := map[string]string{}
	for _, s := range d.Streams {
		for _, table := range s.Tables {
			home[table.Name] = s.Stream
		}
	}
	svg := html.UnescapeString(sectionOf(page, "<svg", "</svg>"))
	for _, s := range c.Streams() {
		if !strings.Contains(markdown, "\n## "+s.Name+"\n") || !strings.Contains(page, `<h2 id="stream-`+s.Name+`">`) {
			t.Errorf("stream %s is missing", s.Name)
		}
		if s.Into != "" || s.IsExportFamily() {
			continue
		}
		tables := map[string][]schemas.Column{s.Table: s.Columns}
		for _, child := range s.Children {
			tables[child.Table] = child.Columns
		}
		for table, columns := range tables {
			inMarkdown, inPage := sectionOf(markdown, "\n### "+table+"\n", "\n### "), sectionOf(page, `<h3 id="`+table+`">`, "<h3 ")
			for _, column := range columns {
				if !strings.Contains(inMarkdown, "\n| "+column.Name+" | ") || !strings.Contains(inPage, `<th scope="row"><code>`+column.Name+"</code></th>") {
					t.Errorf("%s.%s is missing", table, column.Name)
				}
				line := regexp.MustCompile(`(?m)^\| ` + column.Name + ` \| .*$`).FindString(inMarkdown)
				if (column.PII || column.Person) != strings.Contains(line, "(personal data)") {
					t.Errorf("%s.%s: whether it is personal data is not what %q says", table, column.Name, line)
				}
				if column.References != "" && !s.Internal && !showsReference(home, svg, page, table+"."+column.Name, column.References) {
					t.Errorf("%s.%s → %s is no edge", table, column.Name, column.References)
				}
			}
		}
	}
	all, err := models.Builtin()
	if err != nil || len(d.Models) != len(all) {
		t.Errorf("there are %d of %d models: %v", len(d.Models), len(all), err)
	}
	for _, m := range d.Models {
		for _, column := range m.Columns {
			if column.Doc == "" || !strings.Contains(sectionOf(markdown, "\n### "+m.Name+"\n", "\n### "), "\n| "+column.Name+" | "+column.Type) {
				t.Errorf("%s.%s is missing", m.Name, column.Name)
			}
		}
	}
}

// showsReference reports whether a reference is in the list and, between streams, in the picture.
func showsReference(home map[string]string, svg, page, from, to string) bool {
	listed := strings.Contains(page, "<li><code>"+from+"</code> → <code>"+to+"</code></li>")
	table, _, _ := strings.Cut(from, ".")
	of, _, _ := strings.Cut(to, ".")
	drawn := strings.Contains(svg, from+" → "+to+"\n") || strings.Contains(svg, from+" → "+to+"</title>")
	return listed && home[of] != "" && drawn == (home[table] != home[of])
}

// TestDictionaryHasProvenanceAndLineage follows fields of the API into columns, and columns into models.
func TestDictionaryHasProvenanceAndLineage(t *testing.T) {
	t.Parallel()
	_, _, markdown, _ := renderDictionary(t)
	for table, lines := range map[string][]string{
		"contacts_raw":           {"| location_country | varchar | Country of the last visit. | POST /contacts/search: location.country |"},
		"contacts":               {"| location_country | varchar | Country of the last visit. | contacts_all.location_country |"},
		"models.contact_current": {"| location_country | varchar | Country of the last visit. | contacts_all.location_country |", "Built from contact_activities, contact_identity, contacts_all."},
		"contacts_all":           {" | contacts_raw.location_country | models.contact_current |"},
		"conversation_parts":     {" | GET /conversations/{id}: conversation_parts.conversation_parts\\[\\].author.id |"},
		"conversations":          {"| GET /conversations/{id}: open |  |", "| GET /conversations/{id}: read |  |"}, // words in the SQL of models that are no column names
		"companies":              {"POST /companies/search: company_id; GET /companies/{id}: company_id; POST /companies/list: company_id |", "Soft-deleted rows are in companies_all."},
		"team_admins":            {"→ admins.id", "GET /teams: admin_ids\\[\\]"},
		"article_translations":   {"GET /articles/{id}: translated_content.\\*, the key"},
	} {
		under := sectionOf(markdown, "\n### "+table+"\n", "\n### ")
		for _, line := range lines {
			if !strings.Contains(under, line) {
				t.Errorf("%s does not have %q:\n%s", table, line, under)
			}
		}
	}
}

// TestDictionaryEscapesMarkup has text in a stream file that would be active on a page.
func TestDictionaryEscapesMarkup(t *testing.T) {
	t.Parallel()
	_, _, markdown, page := renderDictionary(t)
	for _, forbidden := range []string{"<script", "<img", "<link", " src=\"", "@import", "url(", "http:", "https:", "onerror=alert(1)>"} {
		if found := strings.ReplaceAll(page, `xmlns="http://www.w3.org/2000/svg"`, ""); strings.Contains(found, forbidden) {
			t.Errorf("the page has %s", forbidden)
		}
	}
	for _, want := range []string{"&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;", "prefers-color-scheme: dark", `name="viewport"`, "default-src 'none'"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %s", want)
		}
	}
	under := sectionOf(markdown, "\n### hostiles\n", "\n### ")
	for _, forbidden := range []string{"<script", "<img", "**bold**", "[link]", " | `tick`"} {
		if strings.Contains(under, forbidden) {
			t.Errorf("Markdown has %s:\n%s", forbidden, under)
		}
	}
	if lines := regexp.MustCompile(`(?m)^\| id \|.*$`).FindString(under); strings.Count(strings.ReplaceAll(lines, `\|`, ""), "|") != 6 {
		t.Errorf("a text has made cells of its own: %s", lines)
	}
}
