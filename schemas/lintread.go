package schemas

import (
	"slices"
	"strings"

	"aqueduck/internal/grammar"
)

// largestBatch is the documented maximum of ids per request, by endpoint.
var largestBatch = map[string]int{"POST /calls/search": 20}

// lintBetween refuses what a stream with `since: {by: between}` cannot have: its reader splits a window until one answer holds
// it.
func (d *streamDraft) lintBetween() {
	read := d.file.Key("read")
	if page := read.Key("page").Key("by"); page.IsSet() && page.Text() != "none" {
		page.Wrong("page: {by: none}", "by: between has no pages: a window is split until one answer holds it")
	}
	if d.stream.Read.Method == "POST" {
		read.Key("endpoint").Wrong("e.g. GET /admins/activity_logs", "by: between sends its two times in the query of a GET")
	}
	for _, child := range d.file.Key("children").Items() {
		if rest := child.Key("rest"); rest.IsGiven() {
			rest.WrongKey("", "%s: with by: between, lists inside records cannot have rest", rest.Path())
		}
	}
}

// lintBatch checks the keys of a stream that asks for several ids in one request.
func (d *streamDraft) lintBatch() {
	read := d.file.Key("read")
	over, endpoint := read.Key("over"), read.Key("endpoint")
	batch, as, size := over.Key("batch"), over.Key("as"), over.Key("size")
	if !batch.IsGiven() {
		if size.IsGiven() {
			size.WrongKey("batch: file.sql", "%s: only over: {batch} can have it", size.Path())
		}
		return
	}
	if !as.IsGiven() || !size.IsGiven() {
		batch.Wrong("e.g. as: conversation_ids, size: 20", "a batch needs as and size")
	}
	if endpoint.IsSet() && (d.stream.Read.Method != "POST" || strings.Contains(d.stream.Read.Path, "{id}")) {
		endpoint.Wrong("e.g. POST /calls/search", "a batch of ids is sent in the body of a POST")
	}
	if page := read.Key("page").Key("by"); page.IsSet() && page.Text() != "none" {
		page.Wrong("page: {by: none}", "a batch of ids has one answer: set page: {by: none}")
	}
	if most, got := largestBatch[endpoint.Text()], size.Int(); most > 0 && got > most {
		size.Wrong("", "%d is more than the documented maximum %d of %s", got, most, endpoint.Text())
	}
}

// lintUnsent refuses what other programs would fill, find or send. This one would send it as it is written, or never use it.
func (d *streamDraft) lintUnsent() {
	read := d.file.Key("read")
	for _, records := range read.Key("records").Texts() {
		if strings.Contains(records, ".") {
			read.Key("records").Wrong("e.g. records: data", "%q is a path: the list must be a member of the answer itself", records)
		}
	}
	var paging []string
	if read.Key("page").Key("in").Text() == "query" {
		paging = []string{"page", "per_page", "starting_after"}
	}
	over, field := read.Key("over").Key("as"), d.stream.Read.Since.Field
	for _, as := range []*grammar.Value{over, read.Key("below").Key("as")} {
		if slices.Contains(paging, as.Text()) {
			as.Wrong("", "read.page sends the parameter %q", as.Text())
		}
	}
	for _, query := range []*grammar.Value{read.Key("query"), read.Key("detail").Key("query")} {
		for _, param := range query.Entries() {
			switch v, list := param.Value, query == read.Key("query"); {
			case strings.Contains(v.Text(), "${"):
				v.Wrong("a token is sent as Authorization: Bearer, from pipelines.yaml", "a stream file has no variables: the value would be sent as it is written")
			case list && slices.Contains(paging, param.Name):
				v.WrongKey("", "%s: read.page sends this parameter", v.Path())
			case list && over.IsSet() && over.Text() == param.Name:
				v.WrongKey("", "%s: read.over sends this parameter", v.Path())
			case list && read.Key("since").Key("by").Text() == "between" && (param.Name == field+"_after" || param.Name == field+"_before"):
				v.WrongKey("", "%s: read.since sends this parameter", v.Path())
			}
		}
	}
}
