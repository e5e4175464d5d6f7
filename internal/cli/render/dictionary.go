package render

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"aqueduck/internal/dictionary"
)

const dictionaryHead = `# Dictionary

Every stream with its tables, and every column with its meaning, its API field and the models that use it.
Each table has ` + "`_synced_at`" + ` (the commit that last changed the row), and most have ` + "`_extra`" + ` (fields without a column, as JSON), ` + "`_api_version`" + `,
` + "`_hash`" + ` and ` + "`_run_id`" + ` beside these. Tables with soft deletes also have all rows under their name with ` + "`_all`" + `, with ` + "`_gone_at`" + `.
`

// DictionaryMarkdown writes a dictionary as one page: streams, models and the references of columns.
func DictionaryMarkdown(d *dictionary.Dictionary, w io.Writer) error {
	var b strings.Builder
	b.WriteString(dictionaryHead)
	for _, s := range d.Streams {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\nRead by `%s`: %s.\n", asText(s.Stream), asText(s.Doc), s.Request, asText(strings.Join(s.Read, "; ")))
		for _, t := range s.Tables {
			tableMarkdown(&b, t)
		}
	}
	b.WriteString("\n## Models\n")
	for _, m := range d.Models {
		tableMarkdown(&b, m)
	}
	b.WriteString("\n## References\n\nEach column on the left references the column on the right.\n\n")
	for _, e := range d.Edges {
		fmt.Fprintf(&b, "- `%s.%s` → `%s.%s`\n", e.Table, e.Column, e.Of, e.OfColumn)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func tableMarkdown(b *strings.Builder, t dictionary.DictionaryTable) {
	fmt.Fprintf(b, "\n### %s\n\n%s", asText(t.Name), asText(t.Doc))
	if len(t.Key) > 0 {
		fmt.Fprintf(b, " Key: `%s`.", strings.Join(t.Key, "`, `"))
	}
	for _, note := range notesOf(t) {
		b.WriteString(" " + asText(note))
	}
	b.WriteString("\n\n| column | type | meaning | from | models |\n|---|---|---|---|---|\n")
	for _, c := range t.Columns {
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", asText(c.Name), asText(c.Type), asText(meaningOf(c)), asText(strings.Join(c.From, "; ")), asText(strings.Join(c.Into, ", ")))
	}
}

// notesOf returns sentences about a table besides its documentation.
func notesOf(t dictionary.DictionaryTable) (all []string) {
	if t.Gone != "" {
		all = append(all, "Soft-deleted rows are in "+t.Gone+".")
	}
	if t.Internal {
		all = append(all, "An internal table that published tables are built from.")
	}
	if len(t.Reads) > 0 {
		all = append(all, "Built from "+strings.Join(t.Reads, ", ")+".")
	}
	return all
}

// meaningOf returns the documentation of a column with its references and other properties.
func meaningOf(c dictionary.DictionaryColumn) string {
	text := c.Doc
	if c.References != "" {
		text += " → " + c.References
	}
	if c.PII {
		text += " (personal data)"
	}
	return strings.TrimSpace(text)
}

var marks = strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", "&", "&amp;", "`", "\\`", "*", `\*`, "[", `\[`, "]", `\]`, "\n", " ", "\r", " ")

// asText escapes Markdown and HTML in a text.
func asText(text string) string { return marks.Replace(text) }

//go:embed dictionary.html
var dictionaryPage string

// DictionaryHTML writes a dictionary as one page without other files, with a picture of the references.
func DictionaryHTML(d *dictionary.Dictionary, w io.Writer) error {
	page, err := template.New("dictionary").Funcs(template.FuncMap{"notes": notesOf}).Parse(dictionaryPage)
	if err != nil {
		return fmt.Errorf("read the page of the dictionary: %w", err)
	}
	return page.Execute(w, struct {
		*dictionary.Dictionary
		Diagram referenceDiagram
	}{d, diagramOf(d)})
}
