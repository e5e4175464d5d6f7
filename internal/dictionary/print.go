package dictionary

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
)

const dictionaryHead = `# Dictionary

Every stream with its tables, every column with what it means, the field of the API that it comes from and the models that it goes into.
Each table has ` + "`_synced_at`" + ` (the commit that last changed the row), and most have ` + "`_extra`" + ` (fields that no column took, as JSON), ` + "`_api_version`" + `,
` + "`_hash`" + ` and ` + "`_run_id`" + ` beside these. Where a table keeps what has gone it does so under its name with ` + "`_all`" + `, with ` + "`_gone_at`" + `.
`

// Markdown writes the dictionary as one page: the streams, the models, and which column points to what.
func (d *Dictionary) Markdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString(dictionaryHead)
	for _, s := range d.Streams {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\nRead by `%s`: %s.\n", asText(s.Stream), asText(s.Doc), s.Request, asText(strings.Join(s.Read, "; ")))
		for _, t := range s.Tables {
			t.markdown(&b)
		}
	}
	b.WriteString("\n## Models\n")
	for _, m := range d.Models {
		m.markdown(&b)
	}
	b.WriteString("\n## References\n\nA column on the left holds values of the one on the right.\n\n")
	for _, e := range d.Edges {
		fmt.Fprintf(&b, "- `%s.%s` → `%s.%s`\n", e.Table, e.Column, e.Of, e.OfColumn)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (t DictionaryTable) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n### %s\n\n%s", asText(t.Name), asText(t.Doc))
	if len(t.Key) > 0 {
		fmt.Fprintf(b, " Key: `%s`.", strings.Join(t.Key, "`, `"))
	}
	for _, note := range t.Notes() {
		b.WriteString(" " + asText(note))
	}
	b.WriteString("\n\n| column | type | meaning | from | models |\n|---|---|---|---|---|\n")
	for _, c := range t.Columns {
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", asText(c.Name), asText(c.Type), asText(c.Meaning()), asText(strings.Join(c.From, "; ")), asText(strings.Join(c.Into, ", ")))
	}
}

// Notes are sentences about a table beside its own.
func (t DictionaryTable) Notes() (all []string) {
	if t.Gone != "" {
		all = append(all, "What has gone is kept in "+t.Gone+".")
	}
	if t.Internal {
		all = append(all, "It feeds what is published, and is not for analysts.")
	}
	if len(t.Reads) > 0 {
		all = append(all, "Made of "+strings.Join(t.Reads, ", ")+".")
	}
	return all
}

// Meaning is what a column means, with what else is known of it.
func (c DictionaryColumn) Meaning() string {
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

// asText is a text in which nothing is taken for Markdown or HTML.
func asText(text string) string { return marks.Replace(text) }

//go:embed dictionary.html
var dictionaryPage string

// HTML writes the dictionary as one page that needs nothing else, with a picture of what points to what.
func (d *Dictionary) HTML(w io.Writer) error {
	page, err := template.New("dictionary").Parse(dictionaryPage)
	if err != nil {
		return fmt.Errorf("read the page of the dictionary: %w", err)
	}
	return page.Execute(w, struct {
		*Dictionary
		Diagram diagram
	}{d, d.diagram()})
}
