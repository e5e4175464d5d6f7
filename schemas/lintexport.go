package schemas

import (
	"strings"

	"aqueduck/internal/grammar"
)

// lintExport checks an export family: it needs the endpoint that lists its datasets, and must say nothing about tables, which
// only the source knows.
func (d *streamDraft) lintExport() {
	read := d.file.Key("read")
	endpoint := read.Key("endpoint")
	if path := d.stream.Read.Path; endpoint.IsSet() && (d.stream.Read.Method != "GET" || !strings.HasPrefix(path, "/export/") || !strings.HasSuffix(path, "/get_datasets")) {
		endpoint.Wrong("GET /export/…/get_datasets", "the endpoint of exports must be the list of their datasets")
	}
	if by := read.Key("page").Key("by"); by.IsSet() && by.Text() != "none" {
		by.Wrong("page: {by: none}", "the list of datasets has no pages")
	}
	since := read.Key("since")
	for _, v := range []*grammar.Value{since.Key("field"), since.Key("lag"), since.Key("overlap"), read.Key("over"), d.file.Key("key"), d.file.Key("newest"), d.file.Key("absent"),
		d.file.Key("like"), d.file.Key("suffix"), d.file.Key("publish_as"), d.file.Key("columns"), d.file.Key("children"), d.file.Key("with"), d.file.Key("erase"), d.file.Key("persons")} {
		if v.IsGiven() {
			v.WrongKey("", "%s: the source defines the tables of exports", v.Path())
		}
	}
}

// lintFamilies keeps the names of an export family's datasets free.
func (c *Catalogue) lintFamilies(d *streamDraft) {
	for _, name := range c.Names() {
		s := c.drafts[name].stream
		if s.Read.Since.By == Export && strings.HasPrefix(d.stream.Name, s.Name+"_") {
			d.file.Key("stream").Wrong("", "names that begin with %q are reserved for datasets", s.Name+"_")
		}
		if d.stream.Read.Since.By == Export && strings.HasPrefix(s.Name, d.stream.Name+"_") {
			d.file.Key("stream").Wrong("", "stream %q has the name of one of its datasets", s.Name)
		}
	}
}
