package schemas

import (
	"slices"
	"strings"

	"aqueduck/internal/grammar"
)

// streamDraft is a stream file that is read, but may still inherit from others.
type streamDraft struct {
	stream   *Stream
	file     *grammar.Value
	suffix   string
	like     string
	resolved bool // what it inherits is added
}

// buildDraft makes a stream of a checked file, without what it inherits.
func buildDraft(file string, v *grammar.Value) *streamDraft {
	s := &Stream{
		Name: v.Key("stream").Text(), File: file, Doc: v.Key("doc").Text(),
		Read: buildRead(v.Key("read")),
		Key:  v.Key("key").Texts(), Newest: v.Key("newest").Text(), Absent: v.Key("absent").Text(),
		Identity: splitPath(v.Key("identity").Text()), With: v.Key("with").Text(), PublishAs: v.Key("publish_as").Text(),
		Ignore: splitPaths(v.Key("ignore")), Erase: v.Key("erase").Text(),
	}
	if persons := v.Key("persons"); persons.IsSet() {
		s.Persons = &Persons{}
	}
	for _, m := range v.Key("mark").Items() {
		s.ColumnFlags = append(s.ColumnFlags, ColumnFlags{Columns: m.Key("columns").Texts(), Person: m.Key("person").Bool(), PII: m.Key("pii").Bool(), References: m.Key("references").Text()})
	}
	d := &streamDraft{stream: s, file: v, suffix: v.Key("suffix").Text(), like: v.Key("like").Text()}
	if into := v.Key("into").Text(); into != "" {
		d.like, s.Into, s.With = into, into, into
	}
	s.Outdated = v.Key("on_version_change").Text() == "again"
	if reconcile := v.Key("reconcile"); reconcile.IsSet() {
		s.Reconcile = reconcile.Key("every").Duration()
		if single := reconcile.Key("endpoint"); single.IsSet() {
			_, path, _ := strings.Cut(single.Text(), " ")
			s.Read.Missing = &Detail{Path: path}
		}
	}
	if capped := v.Key("capped"); capped.IsSet() {
		s.Capped = Capped{Count: splitPath(capped.Key("count").Text()), Most: int64(capped.Key("most").Int()), Of: capped.Key("of").Text()}
	}
	s.Snapshot = v.Key("snapshot").IsSet()
	s.Requirements = Requirements{Version: v.Key("needs").Key("version").Text(), Scope: v.Key("needs").Key("scope").Text()}
	s.DocumentedNotes.Deletion, s.DocumentedNotes.Late = v.Key("told").Key("deletion").Text(), v.Key("told").Key("late").Text()
	s.Internal = d.suffix != ""
	s.Table = s.Name + d.suffix
	for _, c := range v.Key("columns").Items() {
		s.Columns = append(s.Columns, buildColumn(c))
	}
	requireKey(s.Columns, s.Key)
	s.Children = d.buildOwnChildren()
	return d
}

// buildOwnChildren makes the children that the file declares, by the stream's key and columns as they are now.
func (d *streamDraft) buildOwnChildren() (children []Child) {
	in := parentList{name: d.stream.Name, key: d.stream.Key, columns: d.stream.Columns}
	for _, c := range d.file.Key("children").Items() {
		children = append(children, buildChildren(c, in, d.suffix)...)
	}
	return children
}

func buildRead(v *grammar.Value) Read {
	method, path, _ := strings.Cut(v.Key("endpoint").Text(), " ")
	page, since := v.Key("page"), v.Key("since")
	r := Read{
		Method: method, Path: path,
		Records: v.Key("records").Texts(),
		Page:    Page{By: page.Key("by").Text(), In: page.Key("in").Text(), Size: page.Key("size").Int(), Most: page.Key("most").Int()},
		Since:   Since{By: since.Key("by").Text()},
	}
	r.Query = buildParams(v.Key("query"))
	if slices.Equal(r.Records, []string{itself}) {
		r.Records = nil
	}
	if r.Since.HasWindows() {
		r.Since.Field = since.Key("field").Text()
		r.Since.Lag, r.Since.Overlap = since.Key("lag").Duration(), since.Key("overlap").Duration()
	}
	if over := v.Key("over"); over.IsSet() {
		r.Over = buildOver(over)
	}
	if below := v.Key("below"); below.IsSet() {
		r.Below = &Below{As: below.Key("as").Text(), Unless: splitPath(below.Key("unless").Text())}
	}
	if detail := v.Key("detail"); detail.IsSet() {
		_, path, _ := strings.Cut(detail.Key("endpoint").Text(), " ")
		r.Detail = &Detail{Path: path, Query: buildParams(detail.Key("query")), UnlessSame: splitPaths(detail.Key("unless_same"))}
		if refresh := detail.Key("refresh"); refresh.IsSet() {
			r.Detail.For, r.Detail.Every = refresh.Key("for").Duration(), refresh.Key("every").Duration()
		}
	}
	return r
}

func buildOver(v *grammar.Value) *Over {
	over := &Over{View: viewOf(v).Text(), After: v.Key("after").Texts(), As: v.Key("as").Text(), Size: v.Key("size").Int(),
		Streams: v.Key("stream").Texts(), Where: v.Key("where").Text(), Values: v.Key("values").Texts(), Optional: v.Key("optional").Texts()}
	if refresh := v.Key("refresh"); refresh.IsSet() {
		over.For, over.Every = refresh.Key("for").Duration(), refresh.Key("every").Duration()
	}
	return over
}

func buildParams(v *grammar.Value) []Param {
	var list []Param
	for _, q := range v.Entries() {
		list = append(list, Param{Name: q.Name, Value: q.Value.Text()})
	}
	return list
}

// viewOf is the key of `over` that names the SQL file.
func viewOf(over *grammar.Value) *grammar.Value {
	if over.Key("batch").IsGiven() {
		return over.Key("batch")
	}
	return over.Key("view")
}

func buildColumn(v *grammar.Value) Column {
	c := Column{
		Name: v.Key("name").Text(), Type: Type(v.Key("type").Text()), As: v.Key("as").Text(),
		Doc: v.Key("doc").Text(), Required: v.Key("required").Bool(), PII: v.Key("pii").Bool(), Person: v.Key("person").Bool(),
		Default: v.Key("default").Text(), Volatile: v.Key("volatile").Bool(), References: v.Key("references").Text(), Attributes: v.Key("attributes").Text(), Words: v.Key("words").Texts(),
		Subjects: v.Key("whose").Texts(), KeptByErasure: v.Key("stays").Bool(), Redactable: v.Key("redactable").Bool(), RedactedBy: v.Key("redacted_by").Text(),
	}
	c.From, c.Or = buildPaths(v.Key("from"))
	if c.From == nil {
		c.From = []string{c.Name}
	}
	return c
}

// buildPaths are the paths of a `from`: the first and the others.
func buildPaths(from *grammar.Value) (first []string, others [][]string) {
	all := splitPaths(from)
	switch len(all) {
	case 0:
		return nil, nil
	case 1:
		return all[0], nil
	}
	return all[0], all[1:]
}

// parentList is what contains a nested list: the record, or an item of another list.
type parentList struct {
	name     string // for references and documentation
	table    string // "" for the record
	key      []string
	columns  []Column
	complete bool
}

// buildChildren makes a child and, after it, those inside its items.
func buildChildren(v *grammar.Value, in parentList, suffix string) []Child {
	c := buildChild(v, in, suffix)
	list := []Child{c}
	for _, inner := range v.Key("children").Items() {
		item := parentList{name: v.Key("table").Text(), table: c.Table, key: c.Key, columns: c.Columns, complete: c.Complete}
		list = append(list, buildChildren(inner, item, suffix)...)
	}
	return list
}

// buildChild makes a child. The columns of the parent's key come before its own, unless the file declares them.
func buildChild(v *grammar.Value, in parentList, suffix string) Child {
	c := Child{
		Table: v.Key("table").Text() + suffix, Doc: v.Key("doc").Text(), Within: in.table,
		Key: v.Key("key").Texts(), Complete: in.complete, Erase: v.Key("erase").Text(),
		Entries: v.Key("each").Text() == "entries", Count: splitPath(v.Key("count").Text()), Rest: splitPath(v.Key("rest").Text()),
	}
	c.From, c.Or = buildPaths(v.Key("from"))
	if in.table == "" {
		c.Complete = v.Key("complete").Bool()
	}
	var own []Column
	for _, column := range v.Key("columns").Items() {
		own = append(own, buildColumn(column))
	}
	for i, key := range in.key {
		of, known := findColumn(in.columns, key)
		if _, declared := findColumn(own, itemAt(c.Key, i)); declared || !known || itemAt(c.Key, i) == "" {
			continue
		}
		references := of.References
		if references == "" || in.table == "" {
			references = in.name + "." + key
		}
		c.Columns = append(c.Columns, Column{
			Name: c.Key[i], From: []string{FromParent, key}, Type: of.Type, Person: of.Person, PII: of.PII,
			Doc: "The " + in.name + " row it belongs to.", References: references,
		})
	}
	c.Columns = append(c.Columns, own...)
	requireKey(c.Columns, c.Key)
	return c
}

// requireKey makes the key's columns required: a record without its key is no record.
func requireKey(columns []Column, key []string) {
	for i := range columns {
		if slices.Contains(key, columns[i].Name) {
			columns[i].Required = true
		}
	}
}

// inheritFrom adds what the stream inherits from its `like` or `into`.
func (d *streamDraft) inheritFrom(model *streamDraft) {
	s, m := d.stream, model.stream
	s.Columns = slices.Concat(m.Columns, s.Columns)
	if len(s.Key) == 0 {
		s.Key = slices.Clone(m.Key)
	}
	if s.Newest == "" {
		s.Newest = m.Newest
	}
	if s.Erase == "" {
		s.Erase = m.Erase
	}
	if s.Into != "" {
		d.suffix, s.Internal, s.Absent = model.suffix, m.Internal, m.Absent
	}
	s.Ignore = slices.Concat(m.Ignore, s.Ignore)
	s.Table = strings.TrimSuffix(m.Table, model.suffix) + d.suffix
	s.Copies = s.With == m.Name && s.Into == ""
	if s.Copies {
		s.Beside = m.StoredTable()
	}
	var children []Child
	for _, c := range m.Children {
		c.Beside = ""
		if s.Copies {
			c.Beside = c.Table
		}
		c.Table = strings.TrimSuffix(c.Table, model.suffix) + d.suffix
		if c.Within != "" {
			c.Within = strings.TrimSuffix(c.Within, model.suffix) + d.suffix
		}
		children = append(children, c)
	}
	s.Children = append(children, d.buildOwnChildren()...) // with the key that it inherits
}

// linkCopies notes the stream whose tables have copies of this one's records; of several the first.
func (d *streamDraft) linkCopies(copies *streamDraft) {
	s, other := d.stream, copies.stream
	if s.Beside != "" {
		return
	}
	s.Beside = other.StoredTable()
	for i := range s.Children {
		s.Children[i].Beside = other.Children[i].Table
	}
}

func findColumn(columns []Column, name string) (Column, bool) {
	i := slices.IndexFunc(columns, func(c Column) bool { return c.Name == name })
	if i < 0 {
		return Column{}, false
	}
	return columns[i], true
}

func itemAt(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

func splitPaths(v *grammar.Value) [][]string {
	var all [][]string
	for _, text := range v.Texts() {
		all = append(all, splitPath(text))
	}
	return all
}

func splitPath(path string) []string {
	if path == "" {
		return nil
	}
	return strings.Split(path, ".")
}

// itself stands in `records` for an answer that is the record.
const itself = "itself"
