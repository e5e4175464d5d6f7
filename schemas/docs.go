package schemas

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const docsHead = `# Stream files

<!-- Made by "make docs" from the grammar and the stream files; a test holds it to them. -->

A stream is one YAML file. It says how the stream is read, and has its columns, child tables and documentation. The built-in streams are
such files, in ` + "`" + `schemas/` + "`" + `. Your own streams are files too, named by ` + "`" + `stream_files` + "`" + ` in pipelines.yaml. They need no Go. A file has no
templates and no expressions.

- ` + "`" + `aqueduck streams new GET /path` + "`" + ` makes a file from a list of the API.
- ` + "`" + `aqueduck check` + "`" + ` reports every mistake with its line and column.
- ` + "`" + `aqueduck streams try FILE` + "`" + ` reads one page, shows where each field goes, and ends with exit code 1 if a run would store no record of it.

Four independent keys under ` + "`" + `read` + "`" + ` say how a stream is read:

- ` + "`" + `page` + "`" + `: pagination of one list. A list ends when ` + "`" + `pages.next` + "`" + ` is null. Without ` + "`" + `pages.next` + "`" + ` it ends at an empty page, at the stated
  total, or after the last page.
- ` + "`" + `since` + "`" + `: full refresh or incremental, and what the checkpoint holds.
- ` + "`" + `over` + "`" + `: a child stream, one list for each row of a parent. Some pipeline must read the parent; otherwise ` + "`check`" + ` warns and each run notes it.
- ` + "`" + `detail` + "`" + `: each record of a page is read by id.

Every table has these columns after those of its file, in this order:

| column | meaning |
|---|---|
| ` + "`" + `_extra` + "`" + ` | Fields without a column, and values that do not fit their column, as JSON. The column itself is then null. |
| ` + "`" + `_api_version` + "`" + ` | API version of the answer. |
| ` + "`" + `_hash` + "`" + ` | Content hash. |
| ` + "`" + `_gone_at` + "`" + ` | Time of the soft delete; null otherwise. Only with ` + "`" + `absent: gone` + "`" + `. |
| ` + "`" + `_synced_at` + "`" + ` | Time of the commit that last changed the row. |
| ` + "`" + `_run_id` + "`" + ` | Run of that commit. |

A scalar column that you add to a file later is filled from ` + "`" + `_extra` + "`" + `, also for stored rows. A field that another column took until then is not in
` + "`" + `_extra` + "`" + `: stored rows get its value by ` + "`" + `sync --full-refresh` + "`" + `. A new ` + "`" + `int` + "`" + ` column is also filled from a ` + "`" + `text` + "`" + ` column with the same path. If a column
has several paths, values at the unused paths stay in ` + "`_extra`" + `. A column that returns to a file is filled like a new one. A column
with another name is a new one: a row gets its value when it is read again, and the old column stays, null in new rows. A missing field, like null, is NULL. Ids are ` + "`" + `text` + "`" + `, whatever the source sends. ` + "`" + `<entity>_id` + "`" + ` always means ` + "`" + `<entities>.id` + "`" + `.

A duration is one or several numbers with s, m, h or d: ` + "`" + `60m` + "`" + `, ` + "`" + `1d12h` + "`" + `. Paths have dots between their keys: ` + "`" + `location.country` + "`" + `. Names are lower-case
letters, digits and _. Choose the key well: another key, a type that does not hold the stored values, or ` + "`absent: gone`" + ` added or removed, needs a stream of another name
once rows are stored. ` + "`check` and `plan`" + ` say so. A file that uses keys or values marked "not built yet" is refused.

## Lists of other APIs

Stream files are made for lists of the workspace API. A list of another API can be read too, if it takes a Bearer token and pages like one
of these: ` + "`" + `page=2&per_page=50` + "`" + `, or ` + "`" + `starting_after` + "`" + ` with a cursor from ` + "`" + `pages.next` + "`" + `. Its records are a list in an object.

- The built-in streams do not exist there. If the pipelines of a workspace name only streams of your own files, no built-in stream is
  requested. The run then cannot check that the token belongs to the same workspace as before, unless a file has ` + "`" + `identity` + "`" + `.
- If they also name built-in streams, the first run fails with class ` + "`" + `config` + "`" + `: ` + "`" + `base_url` + "`" + ` is not an address of the API.
- ` + "`" + `check` + "`" + ` refuses what no run can send or find: a URL or a variable in the file, a path in ` + "`" + `records` + "`" + `, a POST that may change something.

A list that is cut at its first page is not stored. The stream fails with class ` + "`" + `config` + "`" + `, and no row is deleted, if an answer shows more
records in words that the file does not use. Such words are a count above the records read, as ` + "`" + `count` + "`" + `, ` + "`" + `total` + "`" + ` or ` + "`" + `found` + "`" + `; a number of pages;
` + "`" + `next` + "`" + `, ` + "`" + `next_cursor` + "`" + `, ` + "`" + `nextPageStart` + "`" + ` or ` + "`" + `links.next` + "`" + `; ` + "`" + `has_more: true` + "`" + ` or ` + "`" + `isLast: false` + "`" + `; a cursor. Headers are read too: ` + "`" + `Link` + "`" + ` with
` + "`" + `rel="next"` + "`" + `, ` + "`" + `X-Next-Page` + "`" + `, ` + "`" + `X-Total` + "`" + `. They count at the top of the
answer and in objects such as ` + "`" + `meta` + "`" + ` or ` + "`" + `pagination` + "`" + `, not in records. ` + "`" + `next: null` + "`" + `, ` + "`" + `has_more: false` + "`" + ` and one page in all mean a whole list.

` + "`" + `aqueduck streams new GET /path` + "`" + ` asks for the first and the second page, and for pages of up to 1,000 records. It writes the ` + "`" + `page` + "`" + ` that reads the whole
list, with the largest size that the API returns, or says that there is none. If the answer is a part of the list and that is what you
want, write ` + "`" + `page: {by: none, most: N}` + "`" + `: missing records then mean nothing once the answer has N.

## Example

` + "```yaml" + `
stream: email_settings
doc: One row per address that emails are sent from.
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

// Docs is the text of docs/streams.md: the grammar of stream files, and the built-in streams.
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

- **documented**: columns with documentation, of all columns. ` + "`" + `aqueduck streams NAME` + "`" + ` shows it.
- **tables**: what the rows are found in. "–": they are part of the tables of another stream, that whose name comes before ` + "`_by_id`" + `.
- **deletion**: how a deletion at the source is detected.
- **late**: what a run may miss, and how long until a later run has it. The source may return a changed record late: up to 15m late, the
  next run has it; up to 48h late, each run finds it in its lookback window.
- **per 1,000**: requests to read a thousand records for the first time. Each list of a contact with more than ten items needs one more.
- **per change**: requests for one changed record; "1 per 150": a page has 150 of them. "list": none, because every run reads the full list.
- **version**, **scope**: first API version with the stream, and the scope that the token needs, if the API's document names them. Without
  them the stream is ` + "`" + `unavailable` + "`" + `, and the run gives the reason.

| stream | request | read | key | tables | documented | deletion | late | per 1,000 | per change | version | scope |
|---|---|---|---|---|---:|---|---|---:|---:|---|---|
`

func shareText(said, all int) string {
	if all == 0 {
		return "by the source"
	}
	return fmt.Sprintf("%d of %d", said, all)
}

// PublishedNames are the names by which analysts find a stream: its tables, or the relations published from them.
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

// RelationNames are all names that the published file may have for the tables of the streams, besides those of datasets of exports.
func (c *Catalogue) RelationNames() (all []string) {
	for _, s := range c.Streams() {
		all = append(all, s.tableNames()...)
		all = append(all, s.Owner()+"_history")
		for _, r := range c.relations[s.PublishAs] {
			all = append(all, r.Name)
		}
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(name string) bool { return name == "" })
}

// RawNames are the tables of the raw schema: those that only published relations read.
func (c *Catalogue) RawNames() (all []string) {
	for _, s := range c.Streams() {
		if !s.Internal {
			continue
		}
		all = append(all, s.StoredTable())
		for _, child := range s.Children {
			all = append(all, child.Table)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// InsteadOf says what SQL has to name instead of {schema}.name, if that is a deprecated view: the table is in the raw schema now.
func (c *Catalogue) InsteadOf(name string) (written string, deprecated bool) {
	raw, stored := c.RawNames(), name+"_all"
	switch {
	case slices.Contains(raw, name):
		return "{raw}." + name, true
	case slices.Contains(raw, stored):
		return "(SELECT * FROM {raw}." + stored + " WHERE _gone_at IS NULL)", true
	}
	return "", false
}

// Queries are the texts of all SQL files that a stream names: of its relations, of the ids that it reads, of its persons.
func (c *Catalogue) Queries(s *Stream) []Relation {
	return append(slices.Clone(s.queries), c.relations[s.PublishAs]...)
}

func quoteNames(names []string) []string {
	var all []string
	for _, name := range names {
		all = append(all, "`"+name+"`")
	}
	return all
}
