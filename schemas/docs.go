package schemas

import (
	"cmp"
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
` + "`_extra`" + `, but for a field that another column took: then ` + "`sync --full-refresh`" + ` fills it. Absent, like null, is NULL. Ids are ` + "`text`" + `, whatever the source sends; ` + "`<entity>_id`" + ` always means ` + "`<entities>.id`" + `.

A duration is a number and s, m, h or d: ` + "`60m`" + `, ` + "`14d`" + `. Paths have dots between their keys: ` + "`location.country`" + `. Names are
lower-case letters, digits and _. Keys and values that are not built yet are refused with these words.

## Example

` + "```yaml" + `
stream: email_settings
doc: One row an address that emails are sent from.
read:
  endpoint: GET /emails
  records: data
  page: {by: none}
  since: {by: full}
key: [id]
columns:
  - {name: id, type: text, doc: Id of the address.}
  - {name: email, type: text, doc: The address.}
` + "```" + `

## Grammar

`

// Docs is docs/streams.md: the grammar of stream files, then the streams of the catalogue.
func Docs(c *Catalogue) string {
	var b strings.Builder
	b.WriteString(docsHead)
	b.WriteString(Spec().Markdown())
	b.WriteString(docsStreams)
	for _, s := range c.Streams() {
		said, all := s.documentedColumns()
		cells := []string{"`" + s.Name + "`", "`" + s.Read.Method + " " + s.Read.Path + "`", strings.Join(s.DescribeRead(), "; "), strings.Join(quoteNames(s.Key), ", "),
			strings.Join(quoteNames(c.PublishedNames(s)), ", "), shareText(said, all), s.DescribeDeletions(), s.DescribeLateness(), s.PerThousandText(), s.PerChangeText(), s.Requirements.Version, s.Requirements.Scope}
		for _, cell := range cells {
			fmt.Fprintf(&b, "| %s ", cmp.Or(cell, "–"))
		}
		b.WriteString("|\n")
	}
	return b.String()
}

const docsStreams = `
## Built-in streams

- **documented**: columns that say what they hold, of all. ` + "`aqueduck streams NAME`" + ` shows what they say, and what one row is.
- **deletion**: how it is noticed that the source has a record no more.
- **late**: what a run may not see yet, and after how long a later one does.
- **per 1,000**, **per change**: requests for a thousand records that are read for the first time, and for one that has changed; one more for each
  list of a contact beyond its ten items. "list": none of its own, because the whole list is read each time.
- **version**, **scope**: the first API version that has it and the scope that the token needs, where the API's document names them. A
  workspace without them has the stream ` + "`unavailable`" + `, with the reason.

| stream | request | read | key | tables | documented | deletion | late | per 1,000 | per change | version | scope |
|---|---|---|---|---|---:|---|---|---:|---:|---|---|
`

func shareText(said, all int) string {
	if all == 0 {
		return "by the source"
	}
	return fmt.Sprintf("%d of %d", said, all)
}

// PublishedNames names what analysts find of a stream: its tables, or the relations that are published in their place.
func (c *Catalogue) PublishedNames(s *Stream) []string {
	if s.IsExportFamily() {
		return []string{s.Name + "_<dataset>"}
	}
	all := []string{}
	if !s.Internal {
		all = s.tableNames()
	}
	for _, r := range c.relations[s.PublishAs] {
		all = append(all, r.Name)
	}
	return all
}

func quoteNames(names []string) []string {
	var all []string
	for _, name := range names {
		all = append(all, "`"+name+"`")
	}
	return all
}
