package schemas

import (
	"cmp"
	"slices"
	"strings"

	"aqueduck/internal/grammar"
)

// largestPage is the documented maximum page size, by endpoint.
var largestPage = map[string]int{
	"POST /contacts/search":        150,
	"GET /contacts":                150,
	"GET /contacts/deleted":        150,
	"GET /contacts/activities":     150,
	"POST /companies/list":         60,
	"POST /conversations/search":   150,
	"GET /conversations":           150,
	"GET /conversations/deleted":   60,
	"POST /tickets/search":         150,
	"GET /calls":                   25,
	"GET /articles":                250,
	"GET /internal_articles":       250,
	"GET /help_center/collections": 250,
	"GET /admins/activity_logs":    250,
	"GET /folders":                 150,
	"GET /dynamic_contents":        50,
	"GET /data_connectors":         50,
}

// checkDraft finds mistakes that the grammar cannot: keys that contradict each other, and unknown names.
func (c *Catalogue) checkDraft(d *streamDraft) {
	d.lintPage()
	d.lintUnsent()
	c.lintFamilies(d)
	if d.stream.Read.Since.By == Export {
		d.lintExport()
		return
	}
	d.lintSince()
	c.lintOver(d)
	d.lintDetail()
	c.lintNames(d)
	d.lintSnapshot()
	c.lintInto(d)
	d.lintColumns()
	c.lintReferences(d.file.Key("columns"))
	for _, child := range d.file.Key("children").Items() {
		c.lintReferences(child.Key("columns"))
	}
	d.lintKey()
	// Children of the file come after those of the stream that it is like.
	own := d.stream.Children[len(d.stream.Children)-countChildren(d.file.Key("children")):]
	d.lintChildren(d.file.Key("children"), parentList{key: d.stream.Key, columns: d.stream.Columns}, own)
	lintErase(d.file.Key("columns"), d.stream.Columns, d.stream.Columns)
	d.lintEraseChildren(d.file.Key("children"))
	if v := d.file.Key("mark"); v.IsGiven() {
		v.WrongKey("write pii, person and references in columns:", "`mark` is only for exports, because the source names their columns")
	}
	c.lintTables(d)
}

func (d *streamDraft) lintPage() {
	read, page := d.file.Key("read"), d.file.Key("read").Key("page")
	in, size := page.Key("in"), page.Key("size")
	records := read.Key("records").Texts()
	if slices.Contains(records, itself) && (len(records) > 1 || page.Key("by").Text() != "none") {
		read.Key("records").Wrong("", "an answer that is one record has no list and no pages: set by: none")
	}
	if most := page.Key("most"); most.IsGiven() && read.Key("since").Key("by").Text() != "full" {
		most.WrongKey("", "%s: only a list that is read in full can have it", most.Path())
	}
	switch page.Key("by").Text() {
	case "":
		return
	case "none":
		for _, v := range []*grammar.Value{in, size} {
			if v.IsGiven() {
				v.WrongKey("", "%s: with by: none there are no pages", v.Path())
			}
		}
		return
	}
	if !in.IsGiven() {
		page.Key("by").Wrong(`in: query, or in: body`, "pages need the key in")
	}
	if !size.IsGiven() {
		page.Key("by").Wrong("e.g. size: 50", "pages need the key size")
	}
	if in.Text() == "body" && d.stream.Read.Method == "GET" {
		in.Wrong("in: query", "a GET has no body")
	}
	endpoint := read.Key("endpoint").Text()
	if most := largestPage[endpoint]; most > 0 && size.Int() > most {
		size.Wrong("", "%d is more than the documented maximum %d of %s", size.Int(), most, endpoint)
	}
}

func (d *streamDraft) lintSince() {
	since, page := d.file.Key("read").Key("since"), d.file.Key("read").Key("page")
	by, field := since.Key("by"), since.Key("field")
	if !d.stream.Read.Since.HasWindows() {
		for _, v := range []*grammar.Value{field, since.Key("lag"), since.Key("overlap")} {
			if v.IsGiven() && by.IsSet() {
				v.WrongKey("", "%s: only by: search and by: between can have it", v.Path())
			}
		}
		if by.Text() == "bookmark" && page.Key("by").IsSet() && page.Key("by").Text() != "cursor" {
			by.Wrong("page: {by: cursor, …}", "a feed goes on by a cursor, so its pages must be by: cursor")
		}
		return
	}
	if by.Text() == "between" {
		d.lintBetween()
	} else if page.Key("by").IsSet() && (page.Key("by").Text() != "cursor" || page.Key("in").Text() == "query") {
		page.Key("by").Wrong("page: {by: cursor, in: body, size: …}", "a search is paged by a cursor in the body")
	}
	if !field.IsGiven() {
		by.Wrong("e.g. field: updated_at", "a %s needs field", map[string]string{"search": "search", "between": "reading between two times"}[by.Text()])
		return
	}
	var times []string
	for _, c := range d.stream.Columns {
		if c.Type == Timestamp {
			times = append(times, strings.Join(c.From, "."))
		}
	}
	if field.IsSet() && !slices.Contains(times, field.Text()) {
		field.Wrong(cmp.Or(grammar.DidYouMean(field.Text(), times), "declare a column of type timestamp with this field in from"), "no timestamp column is from field %q", field.Text())
	}
}

func (d *streamDraft) lintDetail() {
	read := d.file.Key("read")
	d.lintReconcile(read)
	detail, by := read.Key("detail"), read.Key("since").Key("by").Text()
	if !detail.IsSet() || detail.HasRefusedKeys() {
		return
	}
	lintSingle(detail.Key("endpoint"))
	if by != "" && by != "search" && (by != "full" || read.Key("over").IsGiven()) {
		detail.WrongKey("", "read.detail: only a stream with by: search, or with one list that is read in full, can have it")
	}
	for _, v := range []*grammar.Value{detail.Key("unless_same"), detail.Key("refresh")} {
		if by == "full" && v.IsGiven() {
			v.WrongKey("", "%s: in a list that is read in full, every record is read by id each time", v.Path())
		}
	}
	if len(d.stream.Key) > 1 {
		detail.WrongKey("", "read.detail: {id} is one column, and the key has %d", len(d.stream.Key))
	}
	for _, v := range detail.Key("unless_same").Items() {
		i := slices.IndexFunc(d.stream.Columns, func(c Column) bool {
			return slices.Equal(c.From, splitPath(v.Text())) && len(c.Or) == 0 && c.As == "" && (c.Type == Timestamp || c.Type == Int || c.Type == Text)
		})
		if i < 0 && v.IsSet() {
			v.Wrong("declare a column with this field in from, and no other", "no column of timestamps, whole numbers or text is from field %q", v.Text())
		}
	}
}

// lintSingle checks the endpoint that reads one record by its id.
func lintSingle(endpoint *grammar.Value) {
	if endpoint.IsSet() && (!strings.HasPrefix(endpoint.Text(), "GET ") || !strings.Contains(endpoint.Text(), "{id}")) {
		endpoint.Wrong("e.g. GET /conversations/{id}", "one record is read by GET, with {id} in the path")
	}
}

// lintReconcile requires a list for reconciliation, and a way to read one record by its id.
func (d *streamDraft) lintReconcile(read *grammar.Value) {
	v := d.file.Key("reconcile")
	if !v.IsSet() {
		return
	}
	single := v.Key("endpoint")
	lintSingle(single)
	if single.IsGiven() && read.Key("detail").IsGiven() {
		single.WrongKey("", "%s: read.detail already defines how one record is read", single.Path())
	}
	if d.stream.Read.Single() == nil || d.stream.Absent != "gone" || d.stream.Read.Since.By != "search" {
		v.WrongKey("", "reconcile requests by id what disappeared from a search: it needs read.detail or its own endpoint, and absent: gone")
	}
	if single.IsGiven() && len(d.stream.Key) > 1 {
		single.WrongKey("", "%s: {id} is one column, and the key has %d", single.Path(), len(d.stream.Key))
	}
}

// lintSnapshot refuses daily copies of a table that no walk reads completely.
func (d *streamDraft) lintSnapshot() {
	snapshot := d.file.Key("snapshot")
	if !snapshot.IsSet() {
		return
	}
	if d.stream.Absent != "gone" || d.stream.Read.Since.By != "full" || d.stream.Read.ByIDs() {
		snapshot.WrongKey("absent: gone", "a snapshot copies a list that is read in full, without deleted records: it needs since: {by: full} and absent: gone")
	}
	if c, taken := findColumn(d.stream.Columns, SnapshotDate); taken {
		snapshot.Wrong("", "the snapshot table already has a column %q", c.Name)
	}
}
