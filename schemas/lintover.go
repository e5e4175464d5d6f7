package schemas

import (
	"cmp"
	"slices"
	"strings"

	"aqueduck/internal/grammar"
)

// lintOver checks what a stream is read over, and how the ids or values are sent.
func (c *Catalogue) lintOver(d *streamDraft) {
	read := d.file.Key("read")
	over, endpoint := read.Key("over"), read.Key("endpoint")
	if below := read.Key("below"); below.IsSet() && (d.stream.Read.Since.By != "full" || over.IsGiven() || d.stream.Read.Method != "GET" || len(d.stream.Key) != 1) {
		below.WrongKey("", "read.below: needs one list that is read in full by GET, with a key of one column")
	}
	inPath := strings.Contains(d.stream.Read.Path, "{id}")
	if inPath && !over.IsGiven() {
		endpoint.Wrong("e.g. over: {stream: companies, where: id}", "nothing fills {id}")
	}
	if !over.IsSet() {
		return
	}
	var ways []string
	for _, way := range []string{"view", "stream", "values", "batch"} {
		if over.Key(way).IsGiven() {
			ways = append(ways, way)
		}
	}
	if len(ways) != 1 && !over.HasRefusedKeys() {
		over.WrongKey("one of view: file.sql, stream: name, values: [a, b], batch: file.sql", "over needs one of view, stream, values and batch")
	}
	if as := over.Key("as"); endpoint.IsSet() && !over.Key("batch").IsGiven() && inPath == as.IsGiven() {
		problem := "over needs a place for its id: {id} in the path, or over.as, the name of a query parameter"
		if inPath {
			problem = "over has two places for its id, {id} in the path and over.as: remove one"
		}
		endpoint.Wrong("e.g. GET /contacts/{id}, or over: {as: parent_folder_id}", "%s", problem)
	}
	d.lintBatch()
	d.lintOptional()
	c.lintOverStream(d)
	if by := read.Key("since").Key("by"); by.IsSet() && by.Text() != "full" {
		by.Wrong("since: {by: full}", "a stream with over is read in full")
	}
	for _, after := range over.Key("after").Items() {
		c.lintStream(after)
		if !over.Key("view").IsGiven() && !over.Key("batch").IsGiven() {
			after.Wrong("", "only over with an SQL file can wait for other streams")
		}
	}
}

// lintOptional requires a column that shows which rows belong to a refused value.
func (d *streamDraft) lintOptional() {
	over := d.file.Key("read").Key("over")
	optional, as := over.Key("optional"), over.Key("as").Text()
	for _, v := range optional.Items() {
		if !slices.Contains(over.Key("values").Texts(), v.Text()) {
			v.Wrong(grammar.DidYouMean(v.Text(), over.Key("values").Texts()), "%q is none of the values", v.Text())
		}
	}
	if _, there := findColumn(d.stream.Columns, as); optional.IsGiven() && !there {
		optional.WrongKey("", "%s: no column is named %q like `as`, so the rows of a value cannot be found", optional.Path(), as)
	}
}

// lintOverStream checks the streams whose rows give the ids.
func (c *Catalogue) lintOverStream(d *streamDraft) {
	over := d.file.Key("read").Key("over")
	where, refresh := over.Key("where"), over.Key("refresh")
	if !over.Key("stream").IsGiven() {
		for _, v := range []*grammar.Value{where, refresh} {
			if v.IsGiven() {
				v.WrongKey("stream: name", "%s: only over: {stream} can have it", v.Path())
			}
		}
		return
	}
	if !where.IsGiven() && !over.HasRefusedKeys() {
		over.Key("stream").Wrong("e.g. where: id", "over: {stream} needs where")
	}
	for _, v := range over.Key("stream").Items() {
		c.lintStream(v)
		other, known := c.drafts[v.Text()]
		if !known {
			continue
		}
		if _, there := findColumn(other.stream.Columns, where.Text()); where.IsSet() && !there {
			where.Wrong(cmp.Or(grammar.DidYouMean(where.Text(), columnNames(other.stream.Columns)), "list them: aqueduck streams "+v.Text()), "stream %q has no column %q", v.Text(), where.Text())
		}
		if refresh.IsSet() && other.stream.Newest == "" {
			refresh.WrongKey("", "stream %q has no newest, so the change times of its rows are unknown", v.Text())
		}
	}
	if slices.Contains(over.Key("stream").Texts(), d.stream.Name) && len(over.Key("stream").Items()) == 1 {
		over.Key("stream").Wrong("e.g. stream: [folders, "+d.stream.Name+"]", "a stream cannot start from its own rows only")
	}
}
