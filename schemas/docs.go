package schemas

import (
	"fmt"
	"strings"
)

const docsHead = `# Stream files

<!-- Made by "make docs" from the grammar and the stream files; a test holds it to them. -->

A stream is one YAML file: how it is read, its columns, its child tables, its documentation. The built-in streams are
such files, in ` + "`schemas/`" + `; your own are named by ` + "`stream_files`" + ` in pipelines.yaml, and need no Go. The file names
behaviours and never expresses them: there are no templates and no expressions. ` + "`aqueduck check`" + ` tells every mistake with its
line and column, ` + "`aqueduck streams new GET /path`" + ` makes a file of a list of the API, and ` + "`aqueduck streams try FILE`" + ` reads one page
by it and shows what becomes of each field.

Four keys under ` + "`read`" + `, independent of one another, say how a stream is read:

- ` + "`page`" + `: how one list is walked. A list ends when ` + "`pages.next`" + ` is null, or when it is left out and the page is empty, the
  total is reached or the last page was read.
- ` + "`since`" + `: how far, and what is remembered for the next run.
- ` + "`over`" + `: one walk for each row of something else.
- ` + "`detail`" + `: each record of a page is replaced by its own reading.

Every table has these columns after its own, in this order: ` + "`_extra`" + ` (fields that no column took, as JSON), ` + "`_api_version`" + `,
` + "`_hash`" + `, ` + "`_gone_at`" + ` (with ` + "`absent: gone`" + ` only), ` + "`_synced_at`" + ` (the commit that last changed the row) and ` + "`_run_id`" + `. A
value that does not fit its column becomes NULL and stays in ` + "`_extra`" + `. A scalar column that is added to a file later is filled from
` + "`_extra`" + `. Absent, like null, is NULL. Ids are ` + "`text`" + `, whatever the source sends; ` + "`<entity>_id`" + ` always means ` + "`<entities>.id`" + `.

A duration is a number and s, m, h or d: ` + "`60m`" + `, ` + "`14d`" + `. Paths have dots between their keys: ` + "`location.country`" + `. Names are
lower-case letters, digits and _. Keys and values that are not built yet are refused with these words.

## Example

` + "```yaml" + `
stream: help_centers
doc: One row a help center.
read:
  endpoint: GET /help_center/help_centers
  records: data
  page: {by: number, in: query, size: 50}
  since: {by: full}
key: [id]
columns:
  - {name: id, type: text, doc: Help center id.}
  - {name: identifier, type: text, doc: Its name in addresses.}
` + "```" + `

## Grammar

`

// Docs is docs/streams.md: the grammar of stream files, then the streams of the catalogue.
func Docs(c *Catalogue) string {
	var b strings.Builder
	b.WriteString(docsHead)
	b.WriteString(Spec().Markdown())
	b.WriteString("\n## Built-in streams\n\n| stream | request | since | tables | one row |\n|---|---|---|---|---|\n")
	for _, s := range c.Streams() {
		fmt.Fprintf(&b, "| `%s` | `%s %s` | %s | %s | %s |\n", s.Name, s.Read.Method, s.Read.Path, s.Read.Since.By,
			strings.Join(quoted(c.Shown(s)), ", "), firstSentence(s.Doc))
	}
	return b.String()
}

// Shown names what analysts find of a stream: its tables, or the relations that are published in their place.
func (c *Catalogue) Shown(s *Stream) []string {
	if s.Family() {
		return []string{s.Name + "_<dataset>"}
	}
	all := []string{}
	if !s.Internal {
		all = s.tables()
	}
	for _, r := range c.relations[s.PublishAs] {
		all = append(all, r.Name)
	}
	return all
}

func quoted(names []string) []string {
	var all []string
	for _, name := range names {
		all = append(all, "`"+name+"`")
	}
	return all
}

func firstSentence(text string) string {
	text, _, _ = strings.Cut(text, ". ")
	return strings.TrimSuffix(text, ".")
}
